//! `annals append`: appends lines from standard input; each is answered by a line once it is on disk.

mod answers;
mod input;

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use annals_store::session::{AgentStart, AppendError, AppendedRange, ForkError, OnBusy, fork, record_append};
use annals_store::{DataDir, SessionWriter};

use self::answers::Answers;
use self::input::{InputItem, InputLines};
use crate::args::AppendArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::source::SystemSource;

pub(crate) fn run(args: &AppendArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find_to_change(context, &args.session)?;
    let data = context.data_dir()?;
    let source = context.source;
    let path = if args.fork { fork_of(&target, args, context)? } else { target.path.clone() };
    let session = open(&path, args, &data, &source)?;
    let (mut writer, _main) = match &args.agent {
        None => (session, None),
        Some(id) => {
            let start = AgentStart {
                id: id.clone(),
                agent_type: args.agent_type.clone(),
                description: args.description.clone(),
                tool_use: args.tool_use.clone(),
                parent: None,
            };
            (session.open_agent(&data, &start)?, Some(session))
        }
    };
    if args.dry_run {
        writer.start_dry_run();
    }
    writer.leave_index();
    let from = writer.length();
    let appended = AppendedRange::beginning(writer.path(), from)?;
    let ended = Answers::new(args, args.fork.then(|| writer.origin().session.clone())).answer_all(
        &mut if args.no_sync { InputLines::new(io::stdin()) } else { InputLines::ahead(io::stdin()) },
        &mut writer,
        context,
    );
    let (to, path) = (writer.length(), writer.path().to_path_buf());
    drop(writer);
    if to > from && !args.dry_run {
        let what = format!("append to {}", path.file_stem().unwrap_or_default().to_string_lossy());
        record_append(&path, &appended, to, &what, &data, &source)?;
    }
    ended
}

/// Opens the session, waiting for other writers as long as `--wait` says.
fn open<'s>(
    path: &std::path::Path,
    args: &AppendArgs,
    data: &DataDir,
    source: &'s SystemSource,
) -> Result<SessionWriter<'s>, Fault> {
    // The fork is new: its lines were written just now, by us.
    let patience = if args.fork { OnBusy::Append } else { OnBusy::Refuse };
    let deadline = Instant::now() + Duration::from_secs_f64(args.wait.clamp(0.0, 86_400.0));
    loop {
        match SessionWriter::open(path, data, source, patience) {
            Err(AppendError::Busy { .. }) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(50))
            }
            Err(error @ AppendError::Busy { .. }) => {
                return Err(Fault::from(error)
                    .hint(format!("append to a copy: annals append --fork {}", args.session))
                    .hint("or wait: --wait SECONDS"));
            }
            result => return Ok(result?),
        }
    }
}

fn fork_of(target: &ResolvedSession, args: &AppendArgs, context: &Context) -> Result<PathBuf, Fault> {
    let forked = fork(&target.path, args.at.as_deref(), &context.source).map_err(|error| match error {
        ForkError::Read(error) => error.into(),
        ForkError::Write(error) => Fault::from(error),
        ForkError::NoSuchRecord { .. } | ForkError::Empty { .. } => Fault::nothing_found(error.to_string()),
        ForkError::Edit { .. } => Fault::internal(error.to_string()),
    })?;
    context.say(format!(
        "appending to {}, which starts with {} records of {}",
        forked.session, forked.records, target.key
    ));
    Ok(forked.path)
}

/// Appends what one line of input asks for.
fn carry_out(
    item: &InputItem,
    writer: &mut SessionWriter<'_>,
) -> Result<Vec<annals_store::session::Receipt>, AppendError> {
    match item {
        InputItem::Record(draft) => writer.append(draft).map(|receipt| vec![receipt]),
        InputItem::Message(message) => writer.append_message(message),
    }
}
