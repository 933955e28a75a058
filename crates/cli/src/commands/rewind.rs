//! `annals rewind`: files and conversation go back to a prompt.

use std::ops::ControlFlow;

use annals_json::ObjectWriter;
use annals_store::sessions_index;
use annals_surgery::Session;
use annals_surgery::rewind::{
    Conversation, FileFate, FileRewind, Foreign, RewindError, Rewinding, Scope, To, Turn, Wish, apply, plan,
    turns,
};
use annals_transcript::time::format_millis;

use super::clone::read;
use crate::args::RewindArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::surgery::fault as apply_fault;
use crate::table::{Align, Table, one_line};
use crate::words::{moment, plural};

/// Longer numbers are the beginnings of ids.
const LONGEST_NUMBER: usize = 7;
/// A beginning of an id must have this many characters.
const SHORTEST_PREFIX: usize = annals_store::find::SHORTEST_PREFIX;

pub(crate) fn run(args: &RewindArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, belongings) = read(&args.session, context)?;
    let Some(to) = &args.to else { return list(&session, context) };
    let scope = match (args.code, args.conversation) {
        (true, _) => Scope::Code,
        (_, true) => Scope::Conversation,
        _ => Scope::Both,
    };
    let foreign = if args.force { Foreign::Overwritten } else { Foreign::Left };
    let home = context.home.clone();
    let wish = Wish { scope, foreign, home: home.as_deref() };
    let rewinding = plan(&session, &belongings, &turn_named(to)?, wish, &context.source);
    let rewinding = rewinding.map_err(|error| fault(args, error))?;
    let in_words = in_words(&rewinding);
    if rewinding.plan.is_empty() && rewinding.foreign().next().is_none() {
        report(&session, &rewinding, None, context, &format!("there is nothing to do: {in_words}"))?;
        return Ok(Outcome::Done);
    }
    if args.care.dry_run {
        report(&session, &rewinding, None, context, &format!("would do: {in_words}"))?;
        return Ok(Outcome::Done);
    }
    let others: Vec<&FileRewind> = rewinding.foreign().collect();
    if let [first, ..] = others.as_slice() {
        let count = plural(others.len() as u64, "file was", "files were");
        let refusal = Fault::conflict(format!(
            "{count} changed since by something else than the session: {}",
            first.name
        ));
        return Err(refusal
            .hint("nothing was changed")
            .hint("--dry-run shows them, --force takes them back too"));
    }
    if !context.agrees(args.care, &format!("{}: {in_words}?", rewinding.plan.what))? {
        return Ok(Outcome::Declined);
    }
    let (data, source) = (context.data_dir()?, context.source);
    let entry = apply(&rewinding, &data, &source, &mut |_| ControlFlow::Continue(())).map_err(apply_fault)?;
    if let (Conversation::Forked { session: new, .. }, Some((config, slug))) =
        (&rewinding.conversation, &session.home)
    {
        // The index is a cache: a fault here loses nothing.
        let _ = sessions_index::refresh(config, slug, new);
    }
    report(&session, &rewinding, Some(&entry.id), context, &in_words)?;
    Ok(Outcome::Done)
}

fn turn_named(word: &str) -> Result<To, Fault> {
    match word.parse() {
        _ if word == "last" => Ok(To::Last),
        Ok(number) if word.len() <= LONGEST_NUMBER => Ok(To::Number(number)),
        _ if word.len() >= SHORTEST_PREFIX => Ok(To::Record(word.to_owned())),
        _ => Err(Fault::usage(format!("{word} is no turn"))
            .hint("a number, the beginning of its prompt's id, or `last`")),
    }
}

fn fault(args: &RewindArgs, error: RewindError) -> Fault {
    let message = error.to_string();
    match error {
        RewindError::NoSuchTurn { .. } | RewindError::Ambiguous { .. } => {
            Fault::usage(message).hint(format!("annals rewind {} lists them", args.session))
        }
        RewindError::NothingBefore { .. } => Fault::usage(message)
            .hint("nothing was changed; annals new, or the client, begins another session"),
        RewindError::WorkFolder { .. } => {
            Fault::usage(message).hint("nothing was changed; --conversation leaves the files alone")
        }
        RewindError::Fork(_) => Fault::usage(message),
    }
}

fn list(session: &Session, context: &mut Context) -> Result<Outcome, Fault> {
    let turns = turns(session);
    if context.json {
        context.out.json(|object| {
            object.string("session", session.key.as_str());
            object.array("turns", |list| {
                for turn in &turns {
                    list.object(|object| write_turn(turn, object));
                }
            });
        })?;
    } else {
        let heads =
            [("turn", Align::Right), ("when", Align::Left), ("files", Align::Right), ("prompt", Align::Left)];
        let mut table = Table::new(&heads);
        for turn in &turns {
            let when = turn.time.map(|time| moment(time, &context.zone)).unwrap_or_default();
            let files = if turn.files == 0 { String::new() } else { turn.files.to_string() };
            table.row(vec![turn.number.to_string(), when, files, one_line(&turn.prompt)]);
        }
        table.draw(&mut context.out)?;
        if context.verbosity >= 0 && !turns.is_empty() {
            let hint =
                context.out.paint(Paint::Dim, "annals rewind SESSION --to TURN goes back to before a prompt");
            context.out.line(hint)?;
        }
    }
    Ok(if turns.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write_turn(turn: &Turn, object: &mut ObjectWriter<'_>) {
    object.number("number", turn.number as u64).string_or_null("uuid", turn.uuid.as_deref());
    object.string_or_null("time", turn.time.map(format_millis).as_deref()).string("prompt", &turn.prompt);
    object.number("files", turn.files as u64);
}

/// What becomes of files and conversation, in a sentence.
fn in_words(rewinding: &Rewinding) -> String {
    let count =
        |fate: fn(&FileFate) -> bool| rewinding.files.iter().filter(|file| fate(&file.fate)).count() as u64;
    let mut parts = Vec::new();
    let back = count(|fate| matches!(fate, FileFate::Restored | FileFate::Created));
    let (gone, left) =
        (count(|fate| *fate == FileFate::Removed), count(|fate| matches!(fate, FileFate::Skipped(_))));
    for (number, does) in [(back, "restored"), (gone, "removed"), (left, "left")] {
        if number > 0 {
            parts.push(format!("{} {does}", plural(number, "file", "files")));
        }
    }
    match &rewinding.conversation {
        Conversation::Stays | Conversation::NothingBefore => {}
        Conversation::Back { .. } => {
            parts.push(format!("the conversation goes on from before prompt {}", rewinding.turn.number));
        }
        Conversation::Forked { session, .. } => parts.push(format!("the conversation goes on as {session}")),
    }
    if parts.is_empty() { "all files are as they were".to_owned() } else { parts.join(", ") }
}

/// Says what was done, or would be.
fn report(
    session: &Session,
    rewinding: &Rewinding,
    undo: Option<&str>,
    context: &mut Context,
    sentence: &str,
) -> Result<(), Fault> {
    if context.json {
        context.out.json(|object| write(session, rewinding, undo, object))?;
        return Ok(());
    }
    for file in rewinding.files.iter().filter(|file| file.fate != FileFate::Same) {
        let (word, why) = match file.fate {
            FileFate::Skipped(why) => ("left", format!(": {}", why.explanation())),
            fate if file.changed_since => {
                (fate.name(), ", though something else changed it since".to_owned())
            }
            fate => (fate.name(), String::new()),
        };
        context.out.line(format!("{word:<8} {}{why}", one_line(&file.name)))?;
    }
    context.out.line(sentence)?;
    for note in rewinding.plan.notes.iter().filter(|_| context.verbosity >= 0) {
        context.out.line(format!("  {note}"))?;
    }
    if let Some(id) = undo.filter(|_| context.verbosity >= 0) {
        let back = context.out.paint(Paint::Dim, format!("  take it back: annals undo {id}"));
        context.out.line(back)?;
    }
    Ok(())
}

fn write(session: &Session, rewinding: &Rewinding, undo: Option<&str>, object: &mut ObjectWriter<'_>) {
    object.string("session", session.key.as_str()).string("file", &session.path.to_string_lossy());
    object.object("turn", |object| write_turn(&rewinding.turn, object));
    object.array("files", |list| {
        for file in &rewinding.files {
            list.object(|object| {
                object.string("name", &file.name);
                object.string_if("path", file.path.as_ref().map(|path| path.to_string_lossy()).as_deref());
                object.string("does", file.fate.name());
                if let FileFate::Skipped(why) = file.fate {
                    object.string("why", why.explanation());
                }
                object.boolean("changedSince", file.changed_since);
            });
        }
    });
    object.object("conversation", |object| {
        object.string("does", rewinding.conversation.name());
        match &rewinding.conversation {
            Conversation::Back { from } => drop(object.string("from", from)),
            Conversation::Forked { session, path } => {
                object.string("session", session.as_str()).string("file", &path.to_string_lossy());
            }
            Conversation::Stays | Conversation::NothingBefore => {}
        }
    });
    object.array("notes", |list| {
        for note in &rewinding.plan.notes {
            list.string(note);
        }
    });
    object.string_if("undo", undo);
}
