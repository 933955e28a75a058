//! `annals archive`: archives sessions in the vault; lists, verifies and deletes versions.

mod forget;
mod list;
mod verify;
mod watch;

use std::path::{Path, PathBuf};

use annals_store::{ConfigDir, Discovery, SessionEntry};
use annals_transcript::time::format_millis;
use annals_vault::{ArchiveReport, Status, Vault, VaultError, Version};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::vault::VaultProgress;
use crate::words;

pub(crate) fn run(args: &ArchiveArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let vault = Vault::new(&context.data_dir()?);
    if args.list {
        return list::run(args, &vault, context);
    }
    if args.verify {
        return verify::run(&vault, context);
    }
    if args.forget {
        return forget::run(args, &vault, context);
    }
    if args.watch {
        return watch::run(&vault, context);
    }
    let find =
        |argument: &String| -> Result<PathBuf, Fault> { Ok(ResolvedSession::find(context, argument)?.path) };
    let named = args.sessions.iter().map(find).collect::<Result<Vec<PathBuf>, Fault>>()?;
    let config = context.store.config_dir();
    let discovery = context
        .discover_for(|problem| args.all || named.iter().any(|path| belongs_to(&problem.path, path, config)));
    let sessions = if args.all { all(&discovery) } else { entries(&named, &discovery)? };
    if args.confirm.dry_run {
        return preview(&sessions, &discovery, &vault, context);
    }
    let done = archive(&sessions, &discovery, &vault, context)?;
    report(&done, &discovery, context)?;
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// Whether a path is in the folder of a session, or elsewhere in the store under its id.
pub(super) fn belongs_to(path: &Path, session: &Path, config: &ConfigDir) -> bool {
    let id = session.file_stem().unwrap_or_default().to_string_lossy();
    let is_under_id = || config.role(path).session().is_some_and(|key| *key == *id);
    path.starts_with(session.with_extension("")) || is_under_id()
}

/// Finds the sessions of the store at these paths.
pub(super) fn entries<'d>(
    named: &[PathBuf],
    discovery: &'d Discovery,
) -> Result<Vec<&'d SessionEntry>, Fault> {
    let mut found = Vec::new();
    for path in named {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_it = |session: &&SessionEntry| {
            session.path == *path || session.path.canonicalize().is_ok_and(|p| p == real)
        };
        let session = discovery.sessions.iter().find(is_it).ok_or_else(|| {
            Fault::usage(format!("{}: not in this store", path.display()))
                .hint("name its store: annals --config-dir DIR archive …")
        })?;
        found.push(session);
    }
    Ok(found)
}

fn all(discovery: &Discovery) -> Vec<&SessionEntry> {
    discovery.sessions.iter().filter(|session| session.bytes > 0).collect()
}

/// Archives what is new, and merges packs if there are many small ones.
pub(super) fn archive(
    sessions: &[&SessionEntry],
    discovery: &Discovery,
    vault: &Vault,
    context: &Context,
) -> Result<ArchiveReport, VaultError> {
    let mut writer = vault.writer()?;
    let statuses = writer.status(sessions, discovery);
    let due = sessions.iter().zip(&statuses).filter(|(_, status)| **status != Status::Archived);
    let total = due.map(|(session, _)| session.bytes).sum();
    let mut witness = VaultProgress(context.progress("archiving", Some(total)));
    let done = writer.archive(sessions, discovery, &context.source, &mut witness)?;
    let mut witness = VaultProgress(context.progress("merging packs", None));
    writer.merge(&context.source, &mut witness)?;
    Ok(done)
}

/// Prints what would be archived.
fn preview(
    sessions: &[&SessionEntry],
    discovery: &Discovery,
    vault: &Vault,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    // A dry run must not create a vault.
    let statuses = match vault.path().is_dir() {
        true => vault.writer()?.status(sessions, discovery),
        false => vec![Status::New; sessions.len()],
    };
    let due: Vec<_> =
        sessions.iter().zip(&statuses).filter(|(_, status)| **status != Status::Archived).collect();
    let bytes: u64 = due.iter().map(|(session, _)| session.bytes).sum();
    let unchanged = sessions.len() - due.len();
    if context.json {
        context.out.json(|object| {
            object.boolean("dryRun", true);
            object.array("sessions", |list| {
                for (session, status) in &due {
                    list.object(|object| {
                        object.string("session", session.key.as_str());
                        object.string("file", &session.path.to_string_lossy());
                        object.boolean("new", **status == Status::New).number("bytes", session.bytes);
                    });
                }
            });
            object.number("unchanged", unchanged as u64);
        })?;
        return Ok(Outcome::Done);
    }
    for (session, status) in &due {
        let word = if **status == Status::New { "new" } else { "changed" };
        context.out.line(format!("{}  {word}  {}", session.key, words::bytes(session.bytes)))?;
    }
    let count = words::plural(due.len() as u64, "session", "sessions");
    context.out.line(format!(
        "would archive {count} ({}); {}",
        words::bytes(bytes),
        already_archived(unchanged)
    ))?;
    Ok(Outcome::Done)
}

fn already_archived(count: usize) -> String {
    format!("{} already archived", words::plural(count as u64, "session", "sessions"))
}

/// Prints what was archived. Folders that could not be listed are reported by the context, too.
fn report(done: &ArchiveReport, discovery: &Discovery, context: &mut Context) -> Result<(), Fault> {
    for failed in &done.failed {
        context.say(format!("{}: {}: not archived", failed.path.display(), failed.why));
    }
    if context.json {
        return Ok(context.out.json(|object| {
            object.array("kept", |list| {
                for version in &done.kept {
                    list.object(|object| write_version(version, object));
                }
            });
            object.number("unchanged", done.unchanged as u64);
            object.array("failed", |list| {
                for failed in &done.failed {
                    list.object(|object| {
                        object.string("file", &failed.path.to_string_lossy()).string("why", &failed.why);
                    });
                }
                for unlisted in &discovery.problems {
                    list.object(|object| {
                        let why = unlisted.problem.detail.as_deref().unwrap_or_default();
                        object.string("file", &unlisted.path.to_string_lossy()).string("why", why);
                    });
                }
            });
            object.number("bytes", done.bytes).number("stored", done.stored);
        })?);
    }
    if done.kept.is_empty() {
        context.out.line(format!("nothing new; {}", already_archived(done.unchanged)))?;
        return Ok(());
    }
    if context.verbosity > 0 {
        for version in &done.kept {
            let size = words::bytes(version.bytes());
            context.out.line(format!("{}  {}  {size}", version.session, version.id))?;
        }
    }
    let count = words::plural(done.kept.len() as u64, "session", "sessions");
    let (bytes, stored) = (words::bytes(done.bytes), words::bytes(done.stored));
    context
        .out
        .line(format!("archived {count}: {bytes} in {stored}; {}", already_archived(done.unchanged)))?;
    Ok(())
}

fn write_version(version: &Version, object: &mut annals_json::ObjectWriter<'_>) {
    object.string("session", version.session.as_str()).string("version", version.id.as_str());
    object.string("file", &version.path().to_string_lossy()).string("time", &format_millis(version.time));
    object.number("files", version.files.len() as u64).number("bytes", version.bytes());
}
