//! `annals rename`: a title by a person, which every lister shows.

use annals_store::SessionWriter;
use annals_store::journal::Effect;
use annals_store::session::Patience;
use annals_transcript::draft::Draft;

use crate::args::{Care, RenameArgs};
use crate::change::{Change, note};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;

pub(crate) fn run(args: &RenameArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let title = args.title.trim();
    let sentence = |session: &str| match title {
        "" => format!("{session} has no title of its own any more"),
        title => format!("{session} is now called {title:?}"),
    };
    let draft = Draft::custom_title(title);
    append_aside(context, &args.session, args.care, &draft, "rename", &sentence)
}

/// Appends a record outside the chain: it harms nobody who is writing at the same time.
pub(crate) fn append_aside(
    context: &mut Context,
    session: &str,
    care: Care,
    draft: &Draft,
    command: &str,
    sentence: &dyn Fn(&str) -> String,
) -> Result<Outcome, Fault> {
    let target = Target::find(context, session)?;
    target.check_readable()?;
    let data = context.data_dir()?;
    let mut change = Change::of(&target.path);
    let key = target.key.to_string();
    if care.dry_run {
        change.report(context, &format!("would do: {}", sentence(&key)))?;
        return Ok(Outcome::Done);
    }
    if !context.agrees(care, &format!("{command} {key}?"))? {
        return Ok(Outcome::Declined);
    }
    let source = context.source;
    let mut writer = SessionWriter::open(&target.path, &data, &source, Patience::Append)?;
    let from = writer.length();
    writer.append_settled(draft)?;
    let to = writer.length();
    drop(writer);
    (change.bytes_before, change.bytes_after) = (Some(from), Some(to));
    let effect = Effect::Appended { path: target.path.clone(), from, to };
    change.undo = Some(note(context, &data, &format!("{command} {key}"), vec![effect])?);
    change.report(context, &sentence(&key))?;
    Ok(Outcome::Done)
}
