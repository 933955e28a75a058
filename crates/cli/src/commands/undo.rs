//! `annals undo`: reverts a change of the store, byte for byte.

use annals_json::ObjectWriter;
use annals_store::journal::{Journal, JournalEntry, Stage};
use annals_transcript::time::format_millis;

use crate::args::UndoArgs;
use crate::change::ChangeSubject;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::table::{Align, Table};
use crate::words;

/// From this width on, lists have a column for titles and stores.
pub(super) const WIDE: usize = 120;

pub(crate) fn run(args: &UndoArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let data = context.data_dir()?;
    let journal = Journal::new(&data);
    let mut entries = journal.entries();
    if args.list {
        entries.retain(|entry| args.all_stores || context.store.position_of(entry).is_some());
        return list(&entries, context);
    }
    let entry = find(args.id.as_deref(), entries, context)?;
    let subject = ChangeSubject::of(&entry);
    if args.confirm.dry_run {
        let when = words::moment(entry.time, &context.zone);
        context.out.line(format!("would revert: {} ({when})", subject.sentence(&entry.what)))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(args.confirm, &format!("revert {}?", subject.sentence(&entry.what)))? {
        return Ok(Outcome::Declined);
    }
    let entry = journal.undo(entry)?;
    if context.json {
        context.out.json(|object| write(&entry, &subject, object))?;
    } else {
        context.out.line(format!("reverted: {}", subject.sentence(&entry.what)))?;
    }
    Ok(Outcome::Done)
}

/// The change of an id, or the last one that was not undone; of a store that is read in any case.
fn find(id: Option<&str>, entries: Vec<JournalEntry>, context: &Context) -> Result<JournalEntry, Fault> {
    let store = context.store.names();
    let wanted = |entry: &JournalEntry| match id {
        Some(id) => entry.id == id,
        None => entry.is_of(context.store.config_dir()) && entry.stage != Stage::Undone,
    };
    match entries.into_iter().find(wanted) {
        Some(entry) if entry.store.is_none() => Ok(entry),
        Some(entry) if let Some(position) = context.store.position_of(&entry) => {
            context.store.select(position);
            Ok(entry)
        }
        Some(entry) => {
            let other = entry.store.unwrap_or_default();
            let other = other.display();
            let message = format!("{} is a change in another store: {other}", entry.id);
            Err(Fault::usage(message)
                .hint(format!("revert it there: annals --config-dir {other} undo {}", entry.id)))
        }
        None if id.is_none() => Err(Fault::nothing_found(format!("{store}: nothing to revert"))
            .hint("annals undo --list --all-stores lists the changes of all stores")),
        None => Err(Fault::nothing_found(format!("{store}: no such change to revert"))
            .hint("annals undo --list lists the changes of this store, annals undo --list --all-stores all")),
    }
}

fn list(entries: &[JournalEntry], context: &mut Context) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            object.array("changes", |list| {
                for entry in entries {
                    list.object(|object| write(entry, &ChangeSubject::of(entry), object));
                }
            });
        })?;
    } else if entries.is_empty() {
        context.out.line("no changes")?;
    } else {
        // In a narrow terminal the ids matter most.
        let is_wide = context.out.width >= WIDE;
        let mut heads = vec!["change", "when", "state", "what"];
        heads.extend(["title", "store"].into_iter().filter(|_| is_wide));
        let heads: Vec<_> = heads.into_iter().map(|head| (head, Align::Left)).collect();
        let mut table = Table::new(&heads);
        for entry in entries {
            let subject = ChangeSubject::of(entry);
            let when = words::moment(entry.time, &context.zone);
            let mut row =
                vec![entry.id.clone(), when, entry.stage.name().to_owned(), subject.named(&entry.what)];
            if is_wide {
                row.extend([subject.title.clone().unwrap_or_default(), subject.store_name()]);
            }
            table.row(row);
        }
        table.draw(&mut context.out)?;
    }
    Ok(if entries.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write(entry: &JournalEntry, subject: &ChangeSubject, object: &mut ObjectWriter<'_>) {
    object.string("undo", &entry.id).string("what", &entry.what).string("state", entry.stage.name());
    object.string("time", &format_millis(entry.time));
    subject.write(object);
}
