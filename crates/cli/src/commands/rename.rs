//! `annals rename`: sets the title that session lists show.

use std::ops::ControlFlow;

use annals_store::busy::client_showing;
use annals_store::session::append_side_record as store_aside;
use annals_transcript::draft::Draft;

use crate::args::{ConfirmArgs, RenameArgs};
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;

pub(crate) fn run(args: &RenameArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let title = args.title.trim();
    let sentence = |session: &str| match title {
        "" => Sentence::new("remove", "removed", format!("the title of {session}")),
        title => Sentence::new("rename", "renamed", format!("{session} to {title:?}")),
    };
    let draft = Draft::custom_title(title);
    append_side_record(context, &args.session, args.confirm, &draft, "rename", &sentence)
}

/// Appends a record outside the chain, which is safe while a client is writing.
pub(crate) fn append_side_record(
    context: &mut Context,
    session: &str,
    confirm: ConfirmArgs,
    draft: &Draft,
    command: &str,
    sentence: &dyn Fn(&str) -> Sentence,
) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find_to_change(context, session)?;
    let data = context.data_dir()?;
    let mut change = ChangeReport::of(&target.path);
    let key = target.key.to_string();
    if confirm.dry_run {
        change.report(context, &sentence(&key).would)?;
        return Ok(Outcome::Done);
    }
    let planned = sentence(&key).would;
    let question = format!("{}?", planned.strip_prefix("would ").unwrap_or(&planned));
    if !context.confirms(confirm, &question)? {
        return Ok(Outcome::Declined);
    }
    // It does no harm there, and the client shows it when it reads the session again.
    if let Some(busy) = client_showing(&target.path) {
        context.say(format!(
            "{busy}; the record is appended, but the client may not show it until it reopens the session"
        ));
    }
    let (what, source) = (format!("{command} {key}"), context.source);
    let mut go_on = |_| ControlFlow::Continue(());
    let written = store_aside(&target.path, draft, &what, &data, &source, &mut go_on)?;
    (change.bytes_before, change.bytes_after) = (Some(written.bytes.0), Some(written.bytes.1));
    change.undo = Some(written.entry.id);
    change.report(context, &sentence(&key).done)?;
    Ok(Outcome::Done)
}
