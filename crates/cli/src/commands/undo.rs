//! `annals undo`: reverts a change, byte for byte.

use std::path::Path;

use annals_store::journal::{Effect, Journal, JournalEntry, Stage, UndoError};
use annals_store::{ConfigDir, FileRole, sessions_index};
use annals_transcript::time::format_millis;

use crate::args::UndoArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::{Align, Table};
use crate::words;

pub(crate) fn run(args: &UndoArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let data = context.data_dir()?;
    let journal = Journal::new(&data);
    let entries = journal.entries();
    if args.list {
        return list(&entries, context);
    }
    let wanted = match &args.id {
        Some(id) => entries.into_iter().find(|entry| &entry.id == id),
        None => entries.into_iter().find(|entry| entry.stage != Stage::Undone),
    };
    let entry = wanted.ok_or_else(|| {
        Fault::nothing_found("no such change to revert").hint("annals undo --list lists the changes")
    })?;
    if args.confirm.dry_run {
        context.out.line(format!(
            "would revert: {} ({})",
            entry.what,
            words::moment(entry.time, &context.zone)
        ))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(args.confirm, &format!("revert {}?", entry.what))? {
        return Ok(Outcome::Declined);
    }
    let entry = journal.undo(entry).map_err(fault)?;
    forget_sessions(&entry);
    if context.json {
        context.out.json(|object| write(&entry, object))?;
    } else {
        context.out.line(format!("reverted: {}", entry.what))?;
    }
    Ok(Outcome::Done)
}

/// Removes deleted sessions from the index of their project; it is a cache, so an error here loses nothing.
fn forget_sessions(entry: &JournalEntry) {
    let replaced = |index: &Path| {
        let of = |effect: &Effect| matches!(effect, Effect::Replaced { path, .. } if path == index);
        entry.effects.iter().any(of)
    };
    for effect in &entry.effects {
        let (Effect::Created { path, .. } | Effect::Moved { to: path, .. }) = effect else { continue };
        if let Some(config) = ConfigDir::containing(path)
            && let FileRole::Session { slug, session, .. } = config.role(path)
            && !replaced(&config.sessions_index(&slug))
        {
            let _ = sessions_index::refresh(&config, &slug, &session);
        }
    }
}

fn fault(error: UndoError) -> Fault {
    let message = error.to_string();
    match error {
        UndoError::AlreadyUndone { .. } => Fault::nothing_found(message),
        UndoError::Emptied { .. } => {
            Fault::nothing_found(message).hint("annals undo --list lists the others; name one by its id")
        }
        UndoError::ChangedSince { .. } | UndoError::Busy { .. } => {
            Fault::conflict(message).hint("nothing was changed")
        }
        UndoError::Write(error) => error.into(),
        _ => Fault::internal(message),
    }
}

fn list(entries: &[JournalEntry], context: &mut Context) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            object.array("changes", |list| {
                for entry in entries {
                    list.object(|object| write(entry, object));
                }
            });
        })?;
    } else {
        let mut table = Table::new(&[
            ("change", Align::Left),
            ("when", Align::Left),
            ("state", Align::Left),
            ("what", Align::Left),
        ]);
        for entry in entries {
            let when = words::moment(entry.time, &context.zone);
            table.row(vec![entry.id.clone(), when, entry.stage.name().to_owned(), entry.what.clone()]);
        }
        table.draw(&mut context.out)?;
    }
    Ok(if entries.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write(entry: &JournalEntry, object: &mut annals_json::ObjectWriter<'_>) {
    object.string("undo", &entry.id).string("what", &entry.what).string("state", entry.stage.name());
    object.string("time", &format_millis(entry.time));
}
