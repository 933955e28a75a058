//! `annals archive`: sessions are kept in the vault, listed, verified, forgotten.

mod forget;
mod list;
mod verify;
mod watch;

use annals_store::{Discovery, SessionEntry};
use annals_transcript::time::format_millis;
use annals_vault::{Archived, Outlook, Vault, VaultError, Version};

use crate::args::ArchiveArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::vault::Watched;
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
    let discovery = context.store.discover();
    let sessions = wanted(args, &discovery, context)?;
    if args.care.dry_run {
        return look(&sessions, &discovery, &vault, context);
    }
    let done = keep(&sessions, &discovery, &vault, context)?;
    report(&done, context)?;
    Ok(if done.failed.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// The sessions that were named, or all that hold anything.
fn wanted<'d>(
    args: &ArchiveArgs,
    discovery: &'d Discovery,
    context: &Context,
) -> Result<Vec<&'d SessionEntry>, Fault> {
    if args.all {
        return Ok(all(discovery));
    }
    let mut found = Vec::new();
    for argument in &args.sessions {
        let path = Target::find(context, argument)?.path;
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_it = |session: &&SessionEntry| {
            session.path == path || session.path.canonicalize().is_ok_and(|p| p == real)
        };
        let session = discovery.sessions.iter().find(is_it).ok_or_else(|| {
            Fault::usage(format!("{}: is not in this store", path.display()))
                .hint("name its store: annals --config-dir DIR archive …")
        })?;
        found.push(session);
    }
    Ok(found)
}

fn all(discovery: &Discovery) -> Vec<&SessionEntry> {
    discovery.sessions.iter().filter(|session| session.bytes > 0).collect()
}

/// Keeps what is new, and merges packs where there are many small ones.
fn keep(
    sessions: &[&SessionEntry],
    discovery: &Discovery,
    vault: &Vault,
    context: &Context,
) -> Result<Archived, VaultError> {
    let mut keeper = vault.keeper()?;
    let outlooks = keeper.outlook(sessions, discovery);
    let due = sessions.iter().zip(&outlooks).filter(|(_, outlook)| **outlook != Outlook::Kept);
    let total = due.map(|(session, _)| session.bytes).sum();
    let mut witness = Watched(context.progress("keeping", Some(total)));
    let done = keeper.archive(sessions, discovery, &context.source, &mut witness)?;
    let mut witness = Watched(context.progress("merging packs", None));
    keeper.merge(&context.source, &mut witness)?;
    Ok(done)
}

/// Says what would be kept.
fn look(
    sessions: &[&SessionEntry],
    discovery: &Discovery,
    vault: &Vault,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    // Without a vault nothing is kept, and to look must not make one.
    let outlooks = match vault.path().is_dir() {
        true => vault.keeper()?.outlook(sessions, discovery),
        false => vec![Outlook::New; sessions.len()],
    };
    let due: Vec<_> =
        sessions.iter().zip(&outlooks).filter(|(_, outlook)| **outlook != Outlook::Kept).collect();
    let bytes: u64 = due.iter().map(|(session, _)| session.bytes).sum();
    let unchanged = sessions.len() - due.len();
    if context.json {
        context.out.json(|object| {
            object.boolean("dryRun", true);
            object.array("sessions", |list| {
                for (session, outlook) in &due {
                    list.object(|object| {
                        object.string("session", session.key.as_str());
                        object.string("file", &session.path.to_string_lossy());
                        object.boolean("new", **outlook == Outlook::New).number("bytes", session.bytes);
                    });
                }
            });
            object.number("unchanged", unchanged as u64);
        })?;
        return Ok(Outcome::Done);
    }
    for (session, outlook) in &due {
        let word = if **outlook == Outlook::New { "new" } else { "changed" };
        context.out.line(format!("{}  {word}  {}", session.key, words::bytes(session.bytes)))?;
    }
    let count = words::plural(due.len() as u64, "session", "sessions");
    context.out.line(format!("would keep {count} ({}); {}", words::bytes(bytes), kept_already(unchanged)))?;
    Ok(Outcome::Done)
}

fn kept_already(count: usize) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("{} {are} kept already", words::count(count as u64))
}

/// Says what was kept.
fn report(done: &Archived, context: &mut Context) -> Result<(), Fault> {
    for failed in &done.failed {
        context.say(format!("{}: {}: not kept", failed.path.display(), failed.why));
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
            });
            object.number("bytes", done.bytes).number("stored", done.stored);
        })?);
    }
    if done.kept.is_empty() {
        context.out.line(format!("nothing new; {}", kept_already(done.unchanged)))?;
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
    context.out.line(format!("kept {count}: {bytes} in {stored}; {}", kept_already(done.unchanged)))?;
    Ok(())
}

fn write_version(version: &Version, object: &mut annals_json::ObjectWriter<'_>) {
    object.string("session", version.session.as_str()).string("version", version.id.as_str());
    object.string("file", &version.path().to_string_lossy()).string("time", &format_millis(version.time));
    object.number("files", version.files.len() as u64).number("bytes", version.bytes());
}
