//! `annals rename`: a title by a person, which every lister shows.

use std::ops::ControlFlow;

use annals_store::session::{AsideError, append_aside as store_aside};
use annals_transcript::draft::Draft;

use crate::args::{Care, RenameArgs};
use crate::change::Change;
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
    let (what, source) = (format!("{command} {key}"), context.source);
    let mut go_on = |_| ControlFlow::Continue(());
    let written = store_aside(&target.path, draft, &what, &data, &source, &mut go_on).map_err(fault)?;
    (change.bytes_before, change.bytes_after) = (Some(written.bytes.0), Some(written.bytes.1));
    change.undo = Some(written.entry.id);
    change.report(context, &sentence(&key))?;
    Ok(Outcome::Done)
}

fn fault(error: AsideError) -> Fault {
    match error {
        AsideError::Append(error) => error.into(),
        AsideError::Journal(error) => Fault::from(error).hint("nothing was changed"),
        AsideError::Stopped => Fault::internal(error.to_string()),
    }
}
