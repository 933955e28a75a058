//! `annals collect`: sends what is new in the store to a sink, once or for as long as the store changes.

mod destination;

use std::io::Write;
use std::time::Duration;

use annals_collect::{
    Batch, Choice, CollectError, Collector, Extra, Passed, Priority, SetAside, Sink, SinkError, Waiting,
};
use annals_store::watch::{Subject, Watch};
use annals_transcript::redact::Rules;

use self::destination::Destination;
use crate::args::{CollectArgs, Included, UpTo};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;

/// What happens in quick succession is sent at once.
const QUIET: Duration = Duration::from_millis(300);
/// How long to wait at most before looking anyway: also how soon a sink that was away is tried again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A sink that has everything already, for a look.
struct Nowhere;

impl Sink for Nowhere {
    fn deliver(&mut self, _: &Batch) -> Result<(), SinkError> {
        Ok(())
    }
}

pub(crate) fn run(args: &CollectArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let rules = Rules::new(&[], &args.pattern)
        .map_err(|error| Fault::usage(format!("--pattern is no regular expression: {error}")))?;
    let destination = Destination::parse(&args.to, context)?;
    let (data, store, source) = (context.data_dir()?, context.store.clone(), context.source);
    let name = destination.name();
    if args.dry_run {
        let mut collector = Collector::look(&store, &data, &name, rules, &source)?;
        collector.choice = choice(args);
        let passed = collector.pass(&mut Nowhere)?;
        report(&passed, &destination, "would be sent", context)?;
        return Ok(outcome(&passed));
    }
    let mut sink = destination.open(args, context)?;
    // Before the first look, so that nothing falls between the two.
    let watch = args.watch.then(|| Watch::new(Subject::Tree(store.config_dir().projects())));
    let mut collector = Collector::open(&store, &data, &name, rules, &source)?;
    collector.choice = choice(args);
    collector.limits.spool = args.spool;
    collector.retry.attempts = args.attempts;
    let Some(mut watch) = watch else {
        let passed = collector.pass(&mut *sink)?;
        report(&passed, &destination, "sent", context)?;
        return Ok(outcome(&passed));
    };
    loop {
        match collector.pass(&mut *sink) {
            Ok(passed) if passed.items > 0 || !passed.set_aside.is_empty() => {
                report(&passed, &destination, "sent", context)?
            }
            Ok(_) => {}
            // What was read is in the spool; nothing of it is lost.
            Err(CollectError::NotDelivered {
                batch,
                attempts,
                waiting,
                source: SinkError::Away { what, .. },
            }) => {
                let waits = waits(&waiting);
                context.say(format!("batch {batch}: {what} ({attempts} attempts); {waits}; trying again"));
            }
            Err(error) => return Err(error.into()),
        }
        watch.wait(LONGEST_WAIT);
        std::thread::sleep(QUIET);
    }
}

fn choice(args: &CollectArgs) -> Choice {
    let up_to = match args.priority {
        UpTo::P0 => Priority::P0,
        UpTo::P1 => Priority::P1,
        UpTo::P2 => Priority::P2,
        UpTo::P3 => Priority::P3,
    };
    let extra = |included: &Included| match included {
        Included::ToolResults => Extra::ToolResults,
        Included::FileHistory => Extra::FileHistory,
        Included::Todos => Extra::Todos,
        Included::Plans => Extra::Plans,
    };
    Choice { up_to, extras: args.include.iter().map(extra).collect() }
}

/// What is in the spool, in words.
fn waits(waiting: &Waiting) -> String {
    let batches = words::plural(waiting.batches, "batch waits", "batches wait");
    let full =
        if waiting.is_full { ", and it is full: nothing more is read until the sink takes some" } else { "" };
    format!("{batches} in the spool ({}){full}", words::bytes(waiting.bytes))
}

fn outcome(passed: &Passed) -> Outcome {
    let is_whole = passed.unread.is_empty() && passed.too_large.is_empty() && passed.withheld == 0;
    let is_whole = is_whole && passed.set_aside.is_empty();
    if is_whole { Outcome::Done } else { Outcome::ProblemsFound }
}

fn report(passed: &Passed, to: &Destination, done: &str, context: &mut Context) -> Result<(), Fault> {
    for error in &passed.unread {
        context.say(error.to_string());
    }
    for path in &passed.too_large {
        context.say(format!("{}: too large to be sent as a whole", path.display()));
    }
    for aside in &passed.set_aside {
        let SetAside { file, line, bytes, path } = aside;
        let bytes = words::bytes(*bytes);
        context.say(format!(
            "{file}, line {line}: too large for the sink ({bytes}); it is in {}",
            path.display()
        ));
    }
    let items = words::plural(passed.items, "item", "items");
    let files = words::plural(passed.files, "file", "files");
    let said = format!("{items} of {files} {done}, {}", words::bytes(passed.bytes));
    // Standard output may be the sink.
    if *to == Destination::Output {
        context.say(said);
    } else if context.json {
        context.out.json(|object| {
            object.number("items", passed.items).number("files", passed.files);
            object.number("bytes", passed.bytes).number("batches", passed.batches);
            object.number("retries", passed.retries).number("restarted", passed.restarted);
            object.number("withheld", passed.withheld).number("spooled", passed.spooled);
            object.number("tooLarge", passed.too_large.len() as u64);
            object.number("unread", passed.unread.len() as u64);
            object.number("setAside", passed.set_aside.len() as u64);
        })?;
    } else {
        context.out.line(said)?;
    }
    Ok(context.out.flush()?)
}

impl From<CollectError> for Fault {
    fn from(error: CollectError) -> Self {
        let message = error.to_string();
        match error {
            CollectError::Busy { .. } => Self::conflict(message).hint("nothing was sent"),
            CollectError::UnknownVersion { .. } => {
                Self::usage(message).hint("another release of annals has written it, and can read it")
            }
            CollectError::Damaged { .. } => {
                Self::damage(message).hint("move it away: everything is then sent again, as new")
            }
            CollectError::DamagedBatch { .. } => Self::damage(message)
                .hint("move it away to go on without it, and the state too to send everything again, as new"),
            CollectError::NotDelivered { source: SinkError::Output { source }, .. } => source.into(),
            CollectError::NotDelivered { source: SinkError::Write(error), .. }
            | CollectError::Write(error) => error.into(),
            CollectError::NotDelivered { source: SinkError::Distrusted { .. }, waiting, .. } => {
                Self::usage(message)
                    .hint("--ca-file FILE names certificates that may vouch for it")
                    .hint(format!("{}; sent the next time", waits(&waiting)))
            }
            CollectError::NotDelivered { waiting, .. } => Self::internal(message)
                .hint(format!("{}; sent the next time, before anything else", waits(&waiting))),
            CollectError::Read(error) => error.into(),
        }
    }
}
