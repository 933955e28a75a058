//! Changes that the viewer asks for: the commands themselves, first with `--dry-run`, then with `--yes`, so that locks, journal
//! and undo are theirs. And the command that continues a session.

use std::path::{Path, PathBuf};
use std::process;

use annals_store::ConfigDir;
use annals_store::files::create_file;
use annals_tui::{Change, Client, SessionRow};

use crate::args::{
    ConfirmArgs, ExportArgs, ExportDetail, ExportFormat, ForkArgs, RenameArgs, TagArgs, TrashArgs, UndoArgs,
};
use crate::commands::{export, fork, rename, tag, trash, undo};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::words;

const DRY_RUN: ConfirmArgs = ConfirmArgs { dry_run: true, yes: false };
const YES: ConfirmArgs = ConfirmArgs { dry_run: false, yes: true };

/// What a change would do.
pub(super) fn plan(change: &Change, context: &mut Context) -> Result<Vec<String>, Fault> {
    if let Change::Export { session, to } = change {
        let (path, bytes) = export(session, to, context)?;
        let mut lines = vec![format!("write {} ({})", path.display(), words::bytes(bytes.len() as u64))];
        if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
            lines.push(format!("create the folder {}", folder.display()));
        }
        return Ok(lines);
    }
    run(change, DRY_RUN, context)?;
    // What a question of the command line names, too.
    let mut lines = match change {
        Change::Undo => Vec::new(),
        _ => context.subject_lines(),
    };
    // The store is named above: what is in it goes by its place there.
    let store = format!("{}{}", context.store.config_dir().path().display(), std::path::MAIN_SEPARATOR);
    let is_named = !lines.is_empty();
    lines.push(String::new());
    let shorten = |line: String| if is_named { line.replace(&store, "") } else { line };
    lines.extend(context.out.captured().into_iter().map(shorten));
    Ok(lines)
}

/// Does a change.
pub(super) fn apply(change: &Change, context: &mut Context) -> Result<Vec<String>, Fault> {
    if let Change::Export { session, to } = change {
        let (path, bytes) = export(session, to, context)?;
        create_file(&path, &bytes)?;
        return Ok(vec![format!("wrote {}", path.display())]);
    }
    run(change, YES, context)?;
    Ok(context.out.captured())
}

fn run(change: &Change, confirm: ConfirmArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match change {
        Change::Rename { session, title } => {
            let args = RenameArgs { session: argument(session)?, title: title.clone(), confirm };
            rename::run(&args, context)
        }
        Change::Tag { session, tag } => {
            tag::run(&TagArgs { session: argument(session)?, tag: tag.clone(), confirm }, context)
        }
        Change::Fork { session, at } => {
            let (session, at) = (argument(session)?, at.clone());
            fork::run(&ForkArgs { session, at, turn: None, keep_ids: false, confirm }, context)
        }
        Change::Trash { session } => {
            let args = TrashArgs {
                sessions: vec![argument(session)?],
                history: false,
                list: false,
                all_stores: false,
                empty: false,
                older_than: None,
                confirm,
            };
            trash::run(&args, context)
        }
        Change::Undo => undo::run(&UndoArgs { id: None, list: false, all_stores: false, confirm }, context),
        Change::Export { .. } => Ok(Outcome::Done),
    }
}

/// A path as an argument: it is absolute, so it cannot be taken for an option or a title.
fn argument(session: &Path) -> Result<String, Fault> {
    let text = session.to_str().map(str::to_owned);
    text.ok_or_else(|| Fault::usage(format!("{}: the name is not UTF-8", session.display())))
}

/// Where an export goes, and what it holds: what `annals export --include-agents` writes in the format of the ending.
fn export(session: &Path, to: &str, context: &Context) -> Result<(PathBuf, Vec<u8>), Fault> {
    let path = context.current_dir.clone().unwrap_or_default().join(to);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let form = ExportFormat::of_extension(ending).ok_or_else(|| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Fault::usage(format!("the extension of {name:?} names no format"))
            .hint("use .html, .md, .txt, .jsonl or .bundle")
    })?;
    if path.symlink_metadata().is_ok() {
        return Err(Fault::usage(format!("{to} already exists")).hint("nothing was written"));
    }
    let target = ResolvedSession::find_to_change(context, &argument(session)?)?;
    if form == ExportFormat::Bundle {
        return Ok((path, export::bundle_of(&target, context)?));
    }
    let args = ExportArgs {
        sessions: Vec::new(),
        all: false,
        project: None,
        to: path.clone(),
        form,
        detail: ExportDetail::Full,
        redact: false,
        include_agents: form != ExportFormat::Json,
        force: false,
    };
    let document = export::Document::of(&args, &target, context)?;
    Ok((path, document.into_bytes()))
}

/// The command that continues a session, in its folder and its store.
pub(super) fn command(
    client: Client,
    session: &SessionRow,
    context: &mut Context,
) -> Result<process::Command, Fault> {
    // The name of a file may be anything.
    if session.id.starts_with('-') || session.id.is_empty() {
        return Err(Fault::usage(format!("{:?} would be taken for an option, not a session", session.id)));
    }
    let store = ConfigDir::containing(&session.path)
        .ok_or_else(|| Fault::usage(format!("{}: not a session of a store", session.path.display())))?;
    let usual = context.home.as_ref().map(|home| home.join(".claude"));
    let mut command = match client {
        Client::Claude => {
            let mut command = process::Command::new("claude");
            // A client that is told its usual place reads its settings elsewhere, so it is told only another.
            if usual.as_deref() != Some(store.path()) {
                command.env("CLAUDE_CONFIG_DIR", store.path());
            }
            command
        }
        Client::Annals => {
            let program = std::env::current_exe()?;
            let mut command = process::Command::new(program);
            command.arg("--config-dir").arg(store.path());
            if let Some(data_dir) = &context.global.data_dir {
                command.arg("--data-dir").arg(data_dir);
            }
            command.arg("chat");
            command
        }
    };
    command.arg("--resume").arg(&session.id);
    if let Some(folder) = &session.folder {
        if !Path::new(folder).is_dir() {
            return Err(Fault::usage(format!("the folder of this session is gone: {folder}"))
                .hint("annals move-project OLD NEW re-attaches sessions after a folder was moved"));
        }
        command.current_dir(folder);
    }
    Ok(command)
}
