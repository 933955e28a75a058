//! `annals rewind`: files and conversation go back to a prompt.

use std::ops::ControlFlow;

use annals_json::ObjectWriter;
use annals_store::DataDir;
use annals_store::changes::Change;
use annals_store::command_changes::{CommandChanges, CommandHistory};
use annals_surgery::Session;
use annals_surgery::rewind::{
    Conversation, FileOutcome, FileRewind, ForeignChanges, RewindError, RewindOptions, RewindPlan,
    RewindScope, RewindTurn, TurnRef, apply, plan, turns,
};
use annals_transcript::time::format_millis;

use super::clone::read;
use crate::args::RewindArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table, one_line};
use crate::words::{moment, plural};

/// Longer numbers are id prefixes.
const MAX_NUMBER_DIGITS: usize = 7;
/// The shortest id prefix.
const MIN_PREFIX: usize = annals_store::find::MIN_PREFIX;

pub(crate) fn run(args: &RewindArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (session, session_files) = read(&args.session, context)?;
    let Some(to) = &args.to else { return list(&session, context) };
    let scope = match (args.code, args.conversation) {
        (true, _) => RewindScope::Code,
        (_, true) => RewindScope::Conversation,
        _ => RewindScope::Both,
    };
    let foreign = if args.force { ForeignChanges::Overwritten } else { ForeignChanges::Left };
    let home = context.home.clone();
    let commands = command_history(&session, &context.data_dir()?)?;
    let options = RewindOptions { scope, foreign, home: home.as_deref(), commands: commands.as_ref() };
    let rewinding = plan(&session, &session_files, &turn_named(to)?, options, &context.source);
    let mut rewinding = rewinding.map_err(|error| fault(args, error))?;
    let in_words = in_words(&rewinding);
    let is_left = |file: &FileRewind| matches!(file.outcome, FileOutcome::Skipped(_));
    let has_left = rewinding.files.iter().any(is_left);
    if rewinding.plan.is_empty() && rewinding.foreign().next().is_none() {
        let lead = if has_left { "nothing can be restored" } else { "nothing to do" };
        report(&session, &rewinding, None, context, &format!("{lead}: {in_words}"))?;
        return Ok(if has_left { Outcome::ProblemsFound } else { Outcome::Done });
    }
    if args.confirm.dry_run {
        report(&session, &rewinding, None, context, &format!("would rewind: {in_words}"))?;
        return Ok(Outcome::Done);
    }
    let others: Vec<&FileRewind> = rewinding.foreign().collect();
    if let [first, ..] = others.as_slice() {
        let count = plural(others.len() as u64, "file was", "files were");
        let refusal = Fault::conflict(format!(
            "{count} changed since by something other than the session: {}",
            first.name
        ));
        return Err(refusal
            .hint("nothing was changed")
            .hint("--dry-run lists them, --force restores them too"));
    }
    if !context.confirms(args.confirm, &format!("{}: {in_words}?", rewinding.plan.what))? {
        return Ok(Outcome::Declined);
    }
    let (data, source) = (context.data_dir()?, context.source);
    if let (Conversation::Forked { session: new, .. }, Some((config, slug))) =
        (&rewinding.conversation, &session.home)
    {
        let session = config.session(slug, new);
        rewinding.plan.changes.push(Change::RefreshIndex { session });
    }
    let entry = apply(&rewinding, &data, &source, &mut |_| ControlFlow::Continue(()))?;
    report(&session, &rewinding, Some(&entry.id), context, &in_words)?;
    Ok(if has_left { Outcome::ProblemsFound } else { Outcome::Done })
}

/// Reads what commands of a session changed.
pub(crate) fn command_history(session: &Session, data: &DataDir) -> Result<Option<CommandHistory>, Fault> {
    // A name that no session of ours has, has no changes.
    let Ok(changes) = CommandChanges::of_session(data, &session.key) else { return Ok(None) };
    Ok(changes.read()?)
}

fn turn_named(word: &str) -> Result<TurnRef, Fault> {
    match word.parse() {
        _ if word == "last" => Ok(TurnRef::Last),
        Ok(number) if word.len() <= MAX_NUMBER_DIGITS => Ok(TurnRef::Number(number)),
        _ if word.len() >= MIN_PREFIX => Ok(TurnRef::Record(word.to_owned())),
        _ => Err(Fault::usage(format!("{word:?} is not a turn"))
            .hint("a turn is a number, a prefix of its prompt's id, or `last`")),
    }
}

fn fault(args: &RewindArgs, error: RewindError) -> Fault {
    let message = error.to_string();
    match error {
        RewindError::NoSuchTurn { .. } | RewindError::Ambiguous { .. } => {
            Fault::usage(message).hint(format!("annals rewind {} lists them", args.session))
        }
        RewindError::NothingBefore { .. } => Fault::usage(message)
            .hint("nothing was changed; annals new, or the client, starts another session"),
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

fn write_turn(turn: &RewindTurn, object: &mut ObjectWriter<'_>) {
    object.number("number", turn.number as u64).string_or_null("uuid", turn.uuid.as_deref());
    object.string_or_null("time", turn.time.map(format_millis).as_deref()).string("prompt", &turn.prompt);
    object.number("files", turn.files as u64);
}

/// Describes what happens to files and conversation.
fn in_words(rewinding: &RewindPlan) -> String {
    let count = |outcome: fn(&FileOutcome) -> bool| {
        rewinding.files.iter().filter(|file| outcome(&file.outcome)).count() as u64
    };
    let mut parts = Vec::new();
    let back = count(|outcome| matches!(outcome, FileOutcome::Restored | FileOutcome::Created));
    let (gone, left) = (
        count(|outcome| *outcome == FileOutcome::Removed),
        count(|outcome| matches!(outcome, FileOutcome::Skipped(_))),
    );
    for (number, does) in [(back, "restored"), (gone, "removed"), (left, "left")] {
        if number > 0 {
            parts.push(format!("{} {does}", plural(number, "file", "files")));
        }
    }
    match &rewinding.conversation {
        Conversation::Stays | Conversation::NothingBefore => {}
        Conversation::Back { .. } => {
            parts.push(format!("the conversation continues from before prompt {}", rewinding.turn.number));
        }
        Conversation::Forked { session, .. } => {
            parts.push(format!("the conversation continues as {session}"))
        }
    }
    if parts.is_empty() { "no file needs to change".to_owned() } else { parts.join(", ") }
}

/// Prints what was done, or would be.
fn report(
    session: &Session,
    rewinding: &RewindPlan,
    undo: Option<&str>,
    context: &mut Context,
    sentence: &str,
) -> Result<(), Fault> {
    if context.json {
        context.out.json(|object| write(session, rewinding, undo, object))?;
        return Ok(());
    }
    for file in rewinding.files.iter().filter(|file| file.outcome != FileOutcome::Same) {
        let (word, why) = match file.outcome {
            FileOutcome::Skipped(why) => ("left", format!(": {}", why.explanation())),
            outcome if file.changed_since => {
                (outcome.name(), ", although something else changed it since".to_owned())
            }
            outcome => (outcome.name(), String::new()),
        };
        context.out.line(format!("{word:<8} {}{why}", one_line(&file.name)))?;
    }
    context.out.line(sentence)?;
    for note in rewinding.plan.notes.iter().filter(|_| context.verbosity >= 0) {
        context.out.line(format!("  {note}"))?;
    }
    if let Some(id) = undo.filter(|_| context.verbosity >= 0) {
        let back = context.out.paint(Paint::Dim, format!("  to revert: annals undo {id}"));
        context.out.line(back)?;
    }
    Ok(())
}

fn write(session: &Session, rewinding: &RewindPlan, undo: Option<&str>, object: &mut ObjectWriter<'_>) {
    object.string("session", session.key.as_str()).string("file", &session.path.to_string_lossy());
    object.object("turn", |object| write_turn(&rewinding.turn, object));
    object.array("files", |list| {
        for file in &rewinding.files {
            list.object(|object| {
                object.string("name", &file.name);
                object.string_if("path", file.path.as_ref().map(|path| path.to_string_lossy()).as_deref());
                object.string("does", file.outcome.name());
                if let FileOutcome::Skipped(why) = file.outcome {
                    object.string("why", why.explanation());
                }
                object.boolean("changedSince", file.changed_since);
                object.boolean("byCommand", file.is_by_command);
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
