//! `annals collect`: sends new lines of the store to a sink, once or continuously.

mod destination;
mod report;
mod status;

use std::time::Duration;

use annals_collect::{Backlog, Batch, CollectError, Collector, Extra, Priority, Selection, Sink, SinkError};
use annals_store::Store;
use annals_store::watch::{Watch, WatchTarget};
use annals_transcript::redact::SecretRules;

use self::destination::Destination;
use self::report::{is_worth_a_line, outcome, report, report_unread};
use crate::args::{CollectArgs, ExtraKind, PriorityLimit};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// Changes in quick succession are sent together.
const QUIET: Duration = Duration::from_millis(300);
/// The longest wait before looking anyway, and before a sink that was down is tried again.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A sink that accepts everything and sends nothing, for `--dry-run`.
struct DiscardSink;

impl Sink for DiscardSink {
    fn deliver(&mut self, _: &Batch) -> Result<(), SinkError> {
        Ok(())
    }
}

pub(crate) fn run(args: &CollectArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let rules = SecretRules::new(&[], &context.redaction_patterns(&args.pattern))
        .map_err(|error| Fault::usage(format!("--pattern is not a regular expression: {error}")))?;
    let destination = Destination::parse(&args.to, context)?;
    let (data, store, source) = (context.data_dir()?, Store::clone(&context.store), context.source);
    let name = destination.name();
    if args.status {
        let collector = Collector::look(&store, &data, &name, rules, &source)?;
        return status::print(&collector.status()?, context);
    }
    if args.dry_run {
        let mut collector = Collector::look(&store, &data, &name, rules, &source)?;
        collector.selection = selection(args);
        if args.all_stores {
            collector.claim_all_stores();
        }
        let passed = collector.pass(&mut DiscardSink)?;
        report(&passed, &destination, "to send", context)?;
        return Ok(outcome(&passed));
    }
    let mut sink = destination.open(args, context)?;
    // Before the first pass, so that no change is missed in between.
    let watch = args.watch.then(|| Watch::new(WatchTarget::Tree(store.config_dir().projects())));
    let mut collector = Collector::open(&store, &data, &name, rules, &source)?;
    collector.selection = selection(args);
    if args.all_stores {
        collector.claim_all_stores();
    }
    collector.limits.spool = args.spool;
    collector.retry.attempts = args.attempts;
    if args.retry_refused {
        collector.retry_refused()?;
    }
    let Some(mut watch) = watch else {
        let passed = collector.pass(&mut *sink)?;
        report_refused(sink.refused(), context);
        report(&passed, &destination, "sent", context)?;
        return Ok(if sink.refused() > 0 { Outcome::ProblemsFound } else { outcome(&passed) });
    };
    let (mut is_first, mut was_absent) = (true, false);
    let mut refused = 0;
    loop {
        let passed = collector.pass(&mut *sink);
        report_refused(sink.refused() - refused, context);
        refused = sink.refused();
        match passed {
            Ok(mut passed) => {
                // What waits of other stores is said once.
                passed.unclaimed.take_if(|_| !std::mem::take(&mut is_first));
                // And that the store is away, each time that it goes.
                let is_absent = passed.absent > 0;
                if std::mem::replace(&mut was_absent, is_absent) {
                    passed.absent = 0;
                }
                match is_worth_a_line(&passed) {
                    true => report(&passed, &destination, "sent", context)?,
                    false => report_unread(&passed, context),
                }
            }
            // What was read is in the spool, so nothing is lost.
            Err(CollectError::NotDelivered {
                batch,
                attempts,
                waiting,
                source: SinkError::Unavailable { what, .. },
            }) => {
                let waits = waits(&waiting);
                context.say(format!("batch {batch}: {what} ({attempts} attempts); {waits}; trying again"));
            }
            Err(error) => return Err(error.into()),
        }
        watch.wait(MAX_WAIT);
        std::thread::sleep(QUIET);
    }
}

fn selection(args: &CollectArgs) -> Selection {
    let up_to = match args.priority {
        PriorityLimit::P0 => Priority::P0,
        PriorityLimit::P1 => Priority::P1,
        PriorityLimit::P2 => Priority::P2,
        PriorityLimit::P3 => Priority::P3,
    };
    let extra = |included: &ExtraKind| match included {
        ExtraKind::ToolResults => Extra::ToolResults,
        ExtraKind::FileHistory => Extra::FileHistory,
        ExtraKind::Todos => Extra::Todos,
        ExtraKind::Plans => Extra::Plans,
        ExtraKind::Memory => Extra::Memory,
        ExtraKind::Pastes => Extra::Pastes,
        ExtraKind::ShellSnapshots => Extra::ShellSnapshots,
    };
    Selection { up_to, extras: args.include.iter().map(extra).collect() }
}

/// Reports what the sink did not take.
fn report_refused(refused: u64, context: &Context) {
    if refused > 0 {
        let items = words::plural(refused, "item was", "items were");
        context.say(format!("{items} not stored: the team has forgotten this machine or these sessions"));
    }
}

/// Describes what waits in the spool.
fn waits(waiting: &Backlog) -> String {
    let batches = words::plural(waiting.batches, "batch waits", "batches wait");
    let full = if waiting.is_full {
        ", which is full: nothing more is read until the sink accepts some"
    } else {
        ""
    };
    format!("{batches} in the spool ({}){full}", words::bytes(waiting.bytes))
}

impl From<CollectError> for Fault {
    fn from(error: CollectError) -> Self {
        let message = error.to_string();
        match error {
            CollectError::Busy { .. } => Self::conflict(message).hint("nothing was sent"),
            CollectError::UnknownVersion { .. } => {
                Self::usage(message).hint("a newer release of annals wrote it; use that release")
            }
            CollectError::Damaged { .. } => {
                Self::damage(message).hint("delete or move it; then everything is sent again")
            }
            CollectError::DamagedBatch { .. } => Self::damage(message).hint(
                "move it away to continue without it; move the state away too to send everything again",
            ),
            CollectError::NotDelivered { source: SinkError::Output { source }, .. } => source.into(),
            CollectError::NotDelivered { source: SinkError::Write(error), .. }
            | CollectError::Write(error) => error.into(),
            CollectError::NotDelivered { source: SinkError::Untrusted { .. }, waiting, .. } => {
                Self::usage(message)
                    .hint("--ca-file FILE adds certificates to trust")
                    .hint(format!("{}; sent by the next run", waits(&waiting)))
            }
            CollectError::NotDelivered { source: SinkError::Denied { .. }, waiting, .. } => {
                Self::system(message)
                    .hint("check the address and the token: $ANNALS_TOKEN or --token-file")
                    .hint(format!("{}; sent first by the next run", waits(&waiting)))
            }
            CollectError::NotDelivered { waiting, .. } => {
                Self::system(message).hint(format!("{}; sent first by the next run", waits(&waiting)))
            }
            CollectError::Read(error) => error.into(),
        }
    }
}
