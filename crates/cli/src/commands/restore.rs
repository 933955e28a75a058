//! `annals restore`: restores a session from the trash or the vault.
//!
//! Each [`RestoreSource`] is listed by [`everything`] and restored by its own arm of [`restore`].

use std::path::Path;

use annals_store::changes::Change;
use annals_store::journal::{Effect, Journal, JournalEntry, Stage};
use annals_store::trash::{TrashedSession, sessions};
use annals_store::{ConfigDir, Summary};
use annals_surgery::restore::{TrashRestoreError, plan};
use annals_transcript::time::format_millis;
use annals_vault::Version;

use crate::args::{ConfirmArgs, RestoreArgs};
use crate::change::{ChangeReport, ChangeSubject, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::table::{Align, Table, one_line};
use crate::vault::{self, RestoreOptions, VaultScope, restore_from_vault};
use crate::words;

/// The shortest id prefix.
const MIN_PREFIX: usize = annals_store::find::MIN_PREFIX;

/// Where a session can be restored from.
enum RestoreSource {
    /// The trash: a change of annals removed it.
    Trash(Box<TrashedSession>),
    /// The vault: the client deleted it.
    Vault,
}

impl RestoreSource {
    fn name(&self) -> &'static str {
        match self {
            Self::Trash(_) => "trash",
            Self::Vault => "vault",
        }
    }
}

/// A session that can be restored.
struct RestorableSession {
    session: String,
    title: Option<String>,
    /// Where its file was, and will be.
    file: String,
    /// When it left the store, in milliseconds since 1970.
    time: i64,
    /// What removed it.
    why: String,
    bytes: u64,
    /// The id for `--change`, which tells several of one session apart.
    change: String,
    place: RestoreSource,
}

pub(crate) fn run(args: &RestoreArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let options = RestoreOptions {
        version: args.version.as_deref(),
        at: args.at.as_deref(),
        to: args.to.as_deref(),
        replace: args.replace,
    };
    if let Some(session) = &args.session {
        select_store(session, args.change.as_deref(), context)?;
    }
    if let Some(session) = args.session.as_ref().filter(|_| options.is_vault_only()) {
        return restore_from_vault(session, options, args.confirm, context);
    }
    let Some(session) = &args.session else {
        return list(&vault::of_all_stores(context, everything)?, context);
    };
    let mut confirm = args.confirm;
    if let Some(entry) = cut_short(session, context)? {
        let subject = ChangeSubject::of(&entry);
        let subject = subject.sentence(subject.session.as_deref().unwrap_or(&entry.what));
        if confirm.dry_run {
            context.out.line(format!("would finish the interrupted restore of {subject}"))?;
            return Ok(Outcome::Done);
        }
        if !context.confirms(confirm, &format!("finish the interrupted restore of {subject}?"))? {
            return Ok(Outcome::Declined);
        }
        Journal::new(&context.data_dir()?).undo(entry)?;
        confirm.yes = true;
    }
    let change = args.change.as_deref();
    let found = find(session, change, everything(context)?, context);
    let lost = found.map_err(|fault| match change {
        Some(_) => fault,
        None => still_there(session, fault, context),
    })?;
    restore(lost, confirm, context)
}

/// What to say about a session that was not removed: that it is still in the store, if it is.
fn still_there(session: &str, fault: Fault, context: &Context) -> Fault {
    let present = ResolvedSession::find(context, session).ok().filter(|_| fault.is_nothing_found());
    let Some(present) = present else { return fault };
    let fault = Fault::nothing_found(format!("session {} is still in the store", present.key));
    let catalogue = vault::open(context).and_then(|vault| vault.catalogue().ok());
    let is_archived = catalogue.is_some_and(|catalogue| {
        vault::versions_of(&catalogue, present.key.as_str(), VaultScope::AnyStore, context).is_ok()
    });
    match is_archived {
        true => fault.hint(format!("annals restore {} --to DIR restores an archived copy", present.key)),
        false => fault.hint("annals restore lists the sessions that can be restored"),
    }
}

/// Makes the only store that can have the session back the one in use.
fn select_store(session: &str, change: Option<&str>, context: &Context) -> Result<(), Fault> {
    if !context.store.are_several() {
        return Ok(());
    }
    let has_it = |context: &Context| -> Result<bool, Fault> {
        let lost = everything(context)?;
        let is_in_vault = || {
            let catalogue = vault::open(context)?.catalogue().ok()?;
            vault::versions_of(&catalogue, session, VaultScope::ThisStore, context).ok().map(drop)
        };
        // One that is ambiguous is there, too.
        let is_lost = !find(session, change, lost, context).is_err_and(|fault| fault.is_nothing_found());
        Ok(is_lost || cut_short(session, context)?.is_some() || is_in_vault().is_some())
    };
    let stores = context.each_store(has_it).into_iter().collect::<Result<Vec<bool>, Fault>>()?;
    let having: Vec<usize> = stores.iter().enumerate().filter(|(_, has)| **has).map(|(at, _)| at).collect();
    match having.as_slice() {
        [] => Ok(()),
        [only] => {
            context.store.select(*only);
            Ok(())
        }
        _ => context.check_one_store(),
    }
}

/// A restore of this session from the trash that was interrupted: it is reverted before the session is restored again.
fn cut_short(argument: &str, context: &Context) -> Result<Option<JournalEntry>, Fault> {
    let data = context.data_dir()?;
    let trash = data.trash_root();
    let from_trash =
        |effect: &Effect| matches!(effect, Effect::Moved { from, .. } if from.starts_with(&trash));
    let is_named = |entry: &JournalEntry| {
        let id = ChangeSubject::of(entry);
        let named = id.session.as_deref().is_some_and(|session| {
            session == argument || (argument.len() >= MIN_PREFIX && session.starts_with(argument))
        });
        named || id.title.as_deref() == Some(argument)
    };
    let config = context.store.config_dir();
    let is_it = |entry: &JournalEntry| {
        let is_begun = entry.stage == Stage::Begun && entry.is_of(config);
        is_begun && entry.effects.iter().any(from_trash) && is_named(entry)
    };
    Ok(Journal::new(&data).entries().into_iter().find(is_it))
}

/// Lists all sessions that can be restored to this store, last removed first.
fn everything(context: &Context) -> Result<Vec<RestorableSession>, Fault> {
    let real =
        |config: &ConfigDir| config.path().canonicalize().unwrap_or_else(|_| config.path().to_path_buf());
    let store = real(context.store.config_dir());
    let in_trash = sessions(&context.data_dir()?).into_iter();
    let mut found: Vec<RestorableSession> =
        in_trash.filter(|trashed| real(&trashed.config) == store).map(from_trash).collect();
    if let Some(vault) = vault::open(context) {
        found.extend(vault::deleted(&vault.catalogue()?, context).into_iter().map(from_vault));
    }
    found.sort_by(|left, right| (right.time, &right.change).cmp(&(left.time, &left.change)));
    Ok(found)
}

fn from_trash(trashed: TrashedSession) -> RestorableSession {
    let title = Summary::read_path(&trashed.file.kept).ok();
    RestorableSession {
        session: trashed.key.to_string(),
        title: title.and_then(|summary| summary.display_title().map(str::to_owned)),
        file: trashed.file.from.display().to_string(),
        time: trashed.entry.time,
        why: trashed.entry.what.clone(),
        bytes: trashed.bytes,
        change: trashed.entry.id.clone(),
        place: RestoreSource::Trash(Box::new(trashed)),
    }
}

fn from_vault(version: Version) -> RestorableSession {
    RestorableSession {
        session: version.session.to_string(),
        title: vault::title_of(&version),
        file: version.path().display().to_string(),
        time: version.time,
        why: "archived".to_owned(),
        bytes: version.bytes(),
        change: version.id.to_string(),
        place: RestoreSource::Vault,
    }
}

/// Finds a session; of several with one id, the last removed.
fn find(
    argument: &str,
    change: Option<&str>,
    mut everything: Vec<RestorableSession>,
    context: &Context,
) -> Result<RestorableSession, Fault> {
    everything.retain(|lost| change.is_none_or(|change| lost.change == change));
    let ways: [&dyn Fn(&RestorableSession) -> bool; 3] = [
        &|lost| lost.session == argument,
        &|lost| argument.len() >= MIN_PREFIX && lost.session.starts_with(argument),
        &|lost| lost.title.as_deref() == Some(argument),
    ];
    let matching = ways.iter().find(|fits| everything.iter().any(fits));
    let Some(fits) = matching else {
        return Err(Fault::nothing_found(format!(
            "neither the trash nor the vault has a session {argument:?}"
        ))
        .hint("annals restore lists the sessions that can be restored"));
    };
    let mut found: Vec<RestorableSession> = everything.into_iter().filter(|lost| fits(lost)).collect();
    if found.iter().any(|lost| lost.session != found[0].session || lost.file != found[0].file) {
        let message = format!("{argument:?} matches {} sessions", found.len());
        return Err(found.iter().take(10).fold(Fault::usage(message), |fault, lost| {
            let title = one_line(lost.title.as_deref().unwrap_or_default());
            let when = words::moment(lost.time, &context.zone);
            fault.hint(format!("{}  {when}  --change {}  {title}", lost.session, lost.change))
        }));
    }
    Ok(found.swap_remove(0))
}

fn restore(lost: RestorableSession, confirm: ConfirmArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match &lost.place {
        RestoreSource::Trash(trashed) => restore_from_trash(trashed, &lost, confirm, context),
        RestoreSource::Vault => {
            restore_from_vault(&lost.session, RestoreOptions::of_version(&lost.change), confirm, context)
        }
    }
}

fn restore_from_trash(
    trashed: &TrashedSession,
    lost: &RestorableSession,
    confirm: ConfirmArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let plan = plan(trashed).map_err(fault)?;
    let change = ChangeReport {
        session: Some(lost.session.clone()),
        file: Some(trashed.file.from.clone()),
        bytes_before: Some(0),
        bytes_after: Some(lost.bytes),
        ..ChangeReport::default()
    };
    let is_file = |change: &&Change| !matches!(change, Change::RefreshIndex { .. });
    let files = plan.changes.iter().filter(is_file).count() as u64;
    let files = words::plural(files, "file or folder", "files and folders");
    let rest = format!("{}: {files}, {}", lost.session, words::bytes(lost.bytes));
    let done = Sentence::new("restore", "restored", rest);
    carry_out(&plan, confirm, change, context, &done)
}

fn fault(error: TrashRestoreError) -> Fault {
    match error {
        TrashRestoreError::InTheWay { .. } => Fault::conflict(error.to_string())
            .hint("nothing was changed: move or trash those files, and try again"),
        TrashRestoreError::Read(error) => error.into(),
    }
}

fn list(everything: &[RestorableSession], context: &mut Context) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            object.array("sessions", |list| {
                for lost in everything {
                    list.object(|object| {
                        object.string("session", &lost.session).string("file", &lost.file);
                        context.store.write_name(Path::new(&lost.file), object);
                        object.string_or_null("title", lost.title.as_deref());
                        object.string("place", lost.place.name()).string("change", &lost.change);
                        object.string("time", &format_millis(lost.time)).string("why", &lost.why);
                        object.number("bytes", lost.bytes);
                    });
                }
            });
        })?;
    } else if everything.is_empty() {
        context.out.line("nothing to restore: neither the trash nor the vault has a session")?;
    } else {
        let mut table = Table::new(&[
            ("session", Align::Left),
            ("removed", Align::Left),
            ("size", Align::Right),
            ("from", Align::Left),
            ("why", Align::Left),
            ("title", Align::Left),
        ])
        .paint(0, Paint::Cyan)
        .paint(1, Paint::Dim);
        for lost in everything {
            table.row(vec![
                lost.session.chars().take(8).collect(),
                words::moment(lost.time, &context.zone),
                words::bytes(lost.bytes),
                lost.place.name().to_owned(),
                lost.why.clone(),
                lost.title.clone().unwrap_or_default(),
            ]);
        }
        table.add_stores(&context.store, everything.iter().map(|lost| Path::new(&lost.file)));
        table.draw(&mut context.out)?;
    }
    Ok(if everything.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
