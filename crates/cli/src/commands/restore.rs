//! `annals restore`: a session that left the store comes back, from whatever place still has it.
//!
//! Each [`Place`] is listed by [`everything`] and brought back by its own arm of [`bring_back`]; the rest knows no place.

use annals_store::trash::{TrashedSession, sessions};
use annals_store::{ConfigDir, Summary, sessions_index};
use annals_surgery::Plan;
use annals_surgery::restore::{RestoreError, plan};
use annals_transcript::time::format_millis;
use annals_vault::Version;

use crate::args::RestoreArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::surgery::carry_out;
use crate::table::{Align, Table, one_line};
use crate::vault::{self, Wish, restore_from_vault};
use crate::words;

/// A prefix of an id must have this many characters.
const SHORTEST_PREFIX: usize = annals_store::find::SHORTEST_PREFIX;

/// Where a session is that is not in the store.
enum Place {
    /// In the trash: a change took it away.
    Trash(Box<TrashedSession>),
    /// In the vault: the client deleted it.
    Vault,
}

impl Place {
    fn name(&self) -> &'static str {
        match self {
            Self::Trash(_) => "trash",
            Self::Vault => "vault",
        }
    }
}

/// A session that can come back.
struct Lost {
    session: String,
    title: Option<String>,
    /// Where its file was, and will be.
    file: String,
    /// When it left the store, in milliseconds since 1970.
    time: i64,
    /// What took it away, in words.
    why: String,
    /// How many bytes come back.
    bytes: u64,
    /// The name by which `--change` tells it from another of the same session.
    change: String,
    place: Place,
}

pub(crate) fn run(args: &RestoreArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let wish = Wish {
        version: args.version.as_deref(),
        at: args.at.as_deref(),
        to: args.to.as_deref(),
        replace: args.replace,
    };
    if let Some(session) = args.session.as_ref().filter(|_| wish.is_for_the_vault()) {
        return restore_from_vault(session, wish, args.care, context);
    }
    let everything = everything(context)?;
    match &args.session {
        None => list(&everything, context),
        Some(session) => {
            let lost = find(session, args.change.as_deref(), everything, context)?;
            bring_back(lost, args, context)
        }
    }
}

/// All sessions that can come back to this store, those that left last first.
fn everything(context: &Context) -> Result<Vec<Lost>, Fault> {
    let real =
        |config: &ConfigDir| config.path().canonicalize().unwrap_or_else(|_| config.path().to_path_buf());
    let store = real(context.store.config_dir());
    let in_trash = sessions(&context.data_dir()?).into_iter();
    let mut found: Vec<Lost> =
        in_trash.filter(|trashed| real(&trashed.config) == store).map(from_trash).collect();
    if let Some(vault) = vault::open(context) {
        found.extend(vault::deleted(&vault.catalogue()?, context).into_iter().map(from_vault));
    }
    found.sort_by(|left, right| (right.time, &right.change).cmp(&(left.time, &left.change)));
    Ok(found)
}

fn from_trash(trashed: TrashedSession) -> Lost {
    let title = Summary::read_path(&trashed.file.kept).ok();
    Lost {
        session: trashed.key.to_string(),
        title: title.and_then(|summary| summary.title_text().map(str::to_owned)),
        file: trashed.file.from.display().to_string(),
        time: trashed.entry.time,
        why: trashed.entry.what.clone(),
        bytes: trashed.bytes,
        change: trashed.entry.id.clone(),
        place: Place::Trash(Box::new(trashed)),
    }
}

fn from_vault(version: Version) -> Lost {
    Lost {
        session: version.session.to_string(),
        title: version.card.title.clone(),
        file: version.path().display().to_string(),
        time: version.time,
        why: "kept in the vault".to_owned(),
        bytes: version.bytes(),
        change: version.id.to_string(),
        place: Place::Vault,
    }
}

/// The session that the argument means; of several of one id, the one that left last.
fn find(
    argument: &str,
    change: Option<&str>,
    mut everything: Vec<Lost>,
    context: &Context,
) -> Result<Lost, Fault> {
    everything.retain(|lost| change.is_none_or(|change| lost.change == change));
    let ways: [&dyn Fn(&Lost) -> bool; 3] = [
        &|lost| lost.session == argument,
        &|lost| argument.len() >= SHORTEST_PREFIX && lost.session.starts_with(argument),
        &|lost| lost.title.as_deref() == Some(argument),
    ];
    let fitting = ways.iter().find(|fits| everything.iter().any(fits));
    let Some(fits) = fitting else {
        return Err(Fault::nothing_found(format!("no session that left the store is {argument:?}"))
            .hint("annals restore lists those that can come back"));
    };
    let mut found: Vec<Lost> = everything.into_iter().filter(|lost| fits(lost)).collect();
    if found.iter().any(|lost| lost.session != found[0].session || lost.file != found[0].file) {
        let message = format!("{argument:?} fits {} sessions", found.len());
        return Err(found.iter().take(10).fold(Fault::usage(message), |fault, lost| {
            let title = one_line(lost.title.as_deref().unwrap_or_default());
            let when = words::moment(lost.time, &context.zone);
            fault.hint(format!("{}  {when}  --change {}  {title}", lost.session, lost.change))
        }));
    }
    Ok(found.swap_remove(0))
}

fn bring_back(lost: Lost, args: &RestoreArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match &lost.place {
        Place::Trash(trashed) => bring_back_from_trash(trashed, &lost, args, context),
        Place::Vault => restore_from_vault(&lost.session, Wish::of_version(&lost.change), args.care, context),
    }
}

fn bring_back_from_trash(
    trashed: &TrashedSession,
    lost: &Lost,
    args: &RestoreArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let plan = plan(trashed).map_err(fault)?;
    let change = Change {
        session: Some(lost.session.clone()),
        file: Some(trashed.file.from.clone()),
        bytes_before: Some(0),
        bytes_after: Some(lost.bytes),
        ..Change::default()
    };
    let files = words::plural(plan.changes.len() as u64, "file or folder", "files and folders");
    let done = format!("{} is back: {files}, {}", lost.session, words::bytes(lost.bytes));
    let outcome = carry_out(&plan, args.care, change, context, &done)?;
    refresh_index(trashed, &plan);
    Ok(outcome)
}

/// The index is a cache, which is often out of date: a fault here loses nothing.
fn refresh_index(trashed: &TrashedSession, plan: &Plan) {
    let index = trashed.config.sessions_index(&trashed.slug);
    if trashed.file.from.is_file() && !plan.rests_on.iter().any(|(path, _)| *path == index) {
        let _ = sessions_index::refresh(&trashed.config, &trashed.slug, &trashed.key);
    }
}

fn fault(error: RestoreError) -> Fault {
    match error {
        RestoreError::InTheWay { .. } => Fault::conflict(error.to_string())
            .hint("nothing was changed: move or trash what is there, and try again"),
        RestoreError::Read(error) => error.into(),
    }
}

fn list(everything: &[Lost], context: &mut Context) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            object.array("sessions", |list| {
                for lost in everything {
                    list.object(|object| {
                        object.string("session", &lost.session).string("file", &lost.file);
                        object.string_or_null("title", lost.title.as_deref());
                        object.string("place", lost.place.name()).string("change", &lost.change);
                        object.string("time", &format_millis(lost.time)).string("why", &lost.why);
                        object.number("bytes", lost.bytes);
                    });
                }
            });
        })?;
    } else if everything.is_empty() {
        context.out.line("no session can come back: neither the trash nor the vault has one")?;
    } else {
        let mut table = Table::new(&[
            ("session", Align::Left),
            ("left", Align::Left),
            ("size", Align::Right),
            ("place", Align::Left),
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
        table.draw(&mut context.out)?;
    }
    Ok(if everything.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}
