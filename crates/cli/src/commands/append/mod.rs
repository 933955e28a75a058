//! `annals append`: appends lines from standard input; each is answered by a line once it is on disk.

mod answers;
mod input;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use annals_store::session::{
    AgentFolder, AgentStart, AppendError, AppendedRange, ForkError, OnBusy, fork, record_append,
};
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
    let deadline = Instant::now() + Duration::from_secs_f64(args.wait.clamp(0.0, 86_400.0));
    let mut writer = match &args.agent {
        None => open(&path, args, &data, &source, deadline)?,
        Some(id) => open_agent(id, &path, args, &data, &source, deadline)?,
    };
    if let Some(cwd) = &args.cwd {
        let cwd = cwd.canonicalize().map_err(|error| Fault::usage(format!("{}: {error}", cwd.display())))?;
        let branch = writer.origin().git_branch.clone();
        writer.set_cwd_and_branch(cwd.to_string_lossy().into_owned(), branch);
    }
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
    path: &Path,
    args: &AppendArgs,
    data: &DataDir,
    source: &'s SystemSource,
    deadline: Instant,
) -> Result<SessionWriter<'s>, Fault> {
    // The fork is new: its lines were written just now, by us.
    let patience = if args.fork { OnBusy::Append } else { OnBusy::Refuse };
    match until(deadline, || SessionWriter::open(path, data, source, patience)) {
        Err(error @ AppendError::Busy { .. }) => Err(Fault::from(error)
            .hint(format!("append to a copy: annals append --fork {}", args.session))
            .hint("or wait: --wait SECONDS")),
        result => Ok(result?),
    }
}

/// Opens a sub-agent of the session. Only its own file is locked: others may write the session and its other sub-agents.
fn open_agent<'s>(
    id: &str,
    path: &Path,
    args: &AppendArgs,
    data: &DataDir,
    source: &'s SystemSource,
    deadline: Instant,
) -> Result<SessionWriter<'s>, Fault> {
    let folder = AgentFolder::of_session(path, data)?;
    let parent = match &args.parent_agent {
        None => None,
        Some(parent) => Some(folder.parent(parent)?.ok_or_else(|| {
            Fault::nothing_found(format!("the session has no sub-agent {parent:?}"))
                .hint(format!("annals show {} --as agents lists them", args.session))
        })?),
    };
    let start = AgentStart {
        id: id.to_owned(),
        agent_type: args.agent_type.clone(),
        description: args.description.clone(),
        tool_use: args.tool_use.clone(),
        parent,
    };
    match until(deadline, || folder.open(data, source, &start)) {
        Err(error @ AppendError::Busy { .. }) => Err(Fault::from(error)
            .hint("write to another sub-agent: --agent ID")
            .hint("or wait: --wait SECONDS")),
        result => Ok(result?),
    }
}

/// Tries again until the deadline as long as another process is writing.
fn until<'s>(
    deadline: Instant,
    mut open: impl FnMut() -> Result<SessionWriter<'s>, AppendError>,
) -> Result<SessionWriter<'s>, AppendError> {
    loop {
        match open() {
            Err(AppendError::Busy { .. }) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(50))
            }
            result => return result,
        }
    }
}

fn fork_of(target: &ResolvedSession, args: &AppendArgs, context: &Context) -> Result<PathBuf, Fault> {
    let forked = fork(&target.path, args.at.as_deref(), &context.source).map_err(|error| match error {
        ForkError::Read(error) => error.into(),
        ForkError::Write(error) => Fault::from(error),
        ForkError::NoSuchRecord { .. } | ForkError::Empty { .. } => Fault::nothing_found(error.to_string()),
        ForkError::Ambiguous { .. } => Fault::usage(error.to_string()),
        _ => Fault::internal(error.to_string()),
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
