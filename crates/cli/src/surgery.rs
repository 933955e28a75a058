//! The one way in which operations of surgery meet people: preview, ask, apply, report.

use std::ops::ControlFlow;

use annals_store::changes::Change as FileChange;
use annals_store::files::LockError;
use annals_surgery::apply::{ApplyError, apply};
use annals_surgery::edit::LineFate;
use annals_surgery::plan::Detail;
use annals_surgery::preview::{FilePreview, preview, promise};
use annals_surgery::{FileEdit, Plan};

use crate::args::Care;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::one_line;
use crate::words;

/// So many edits of a file are listed; `--verbose` lists all.
const MOST_LISTED: usize = 20;

/// Shows a plan, or carries it out and says so. `change` names the session and the file that the answer is about.
pub(crate) fn carry_out(
    plan: &Plan,
    care: Care,
    mut change: Change,
    context: &mut Context,
    done: &str,
) -> Result<Outcome, Fault> {
    let shown = preview(plan);
    change.usage_is_off = plan.usage_is_off;
    if !shown.is_empty() {
        // Several files may be edited: both numbers are of all of them.
        change.bytes_before = Some(shown.iter().map(|file| file.bytes.0).sum());
    }
    let after = || shown.iter().map(|file| file.bytes.1).sum::<u64>() + made(plan);
    change.bytes_after = change.bytes_after.or_else(|| Some(after()));
    // Where files are only made, there is nothing that could go.
    let lines = || (!plan.edits.is_empty()).then(|| shown.iter().map(|file| file.lines.0 as u64).sum());
    change.removed = change.removed.or_else(lines);
    change.clients = change.file.as_ref().map(|file| promise(plan, &shown, file)).unwrap_or_default();
    change.notes.clone_from(&plan.notes);
    if plan.is_empty() {
        change.bytes_after = change.bytes_before;
        change.report(context, "there is nothing to do")?;
        return Ok(Outcome::Done);
    }
    if care.dry_run {
        if !context.json {
            draw(plan, &shown, context)?;
        }
        change.report(context, &format!("would do: {done}"))?;
        return Ok(Outcome::Done);
    }
    if !context.json && !care.yes {
        draw_numbers(plan, &shown, context)?;
    }
    if !context.agrees(care, &format!("{}?", plan.what))? {
        return Ok(Outcome::Declined);
    }
    let data = context.data_dir()?;
    let source = context.source;
    let entry = apply(plan, &data, &source, &mut |_| ControlFlow::Continue(())).map_err(fault)?;
    change.undo = Some(entry.id);
    change.report(context, done)?;
    for note in plan.notes.iter().filter(|_| !context.json && context.verbosity >= 0) {
        context.out.line(format!("  {note}"))?;
    }
    Ok(Outcome::Done)
}

/// The bytes of the files that come new.
fn made(plan: &Plan) -> u64 {
    let bytes = |change: &FileChange| match change {
        FileChange::Create { bytes, .. } => bytes.len() as u64,
        _ => 0,
    };
    plan.changes.iter().map(bytes).sum()
}

/// Why a plan was not carried out, in words.
pub(crate) fn fault(error: ApplyError) -> Fault {
    match error {
        ApplyError::Changed { .. } | ApplyError::NotPlain { .. } => {
            Fault::conflict(error.to_string()).hint("nothing was changed")
        }
        ApplyError::InUse(error) => error.into(),
        ApplyError::Locked(LockError::Write(error)) => error.into(),
        ApplyError::Locked(error) => Fault::conflict(error.to_string()).hint("nothing was changed"),
        ApplyError::Read(error) => error.into(),
        ApplyError::Changes(error) => error.into(),
        ApplyError::Nothing | ApplyError::Wrong { .. } | ApplyError::Stuck(_) => {
            Fault::internal(error.to_string())
        }
    }
}

/// Every edit by line, what comes and goes, and the numbers.
fn draw(plan: &Plan, shown: &[FilePreview], context: &mut Context) -> Result<(), Fault> {
    if plan.detail == Detail::ByLine || context.verbosity > 0 {
        for edit in &plan.edits {
            draw_edits(edit, context)?;
        }
    }
    for change in &plan.changes {
        let text = match change {
            FileChange::Replace { path, bytes } | FileChange::Rewrite { path, bytes } => {
                format!("replace {} ({})", path.display(), words::bytes(bytes.len() as u64))
            }
            FileChange::Create { path, bytes } => {
                format!("make    {} ({})", path.display(), words::bytes(bytes.len() as u64))
            }
            FileChange::Place { path, .. } => format!("place   {}", path.display()),
            FileChange::Move { from, to } => format!("move    {} to {}", from.display(), to.display()),
            FileChange::Discard { path } => format!("trash   {}", path.display()),
        };
        context.out.line(text)?;
    }
    draw_numbers(plan, shown, context)?;
    for note in &plan.notes {
        context.out.line(note)?;
    }
    Ok(())
}

/// A file in one line; what clients send is only worth a word where it is not the same.
fn draw_file(file: &FilePreview, context: &mut Context) -> Result<(), Fault> {
    let changed = words::plural(file.lines.1 as u64, "line", "lines");
    let size = words::bytes(file.bytes.1);
    context.out.line(format!("change  {} ({changed} of {size})", file.path.display()))?;
    for client in file.clients.iter().filter(|client| client.messages.0 != client.messages.1) {
        let count = |messages: Option<usize>| messages.map_or("none".to_owned(), |count| count.to_string());
        let (before, after) = (count(client.messages.0), count(client.messages.1));
        context.out.line(format!("  {} sends {before} → {after} messages", client.client))?;
    }
    Ok(())
}

fn draw_edits(edit: &FileEdit, context: &mut Context) -> Result<(), Fault> {
    let head = context.out.paint(Paint::Bold, edit.path().display().to_string());
    context.out.line(head)?;
    let most = if context.verbosity > 0 { usize::MAX } else { MOST_LISTED };
    let total = edit.fates().count() + edit.insertions().count();
    let fates = edit.fates().filter_map(|(line, fate)| match fate {
        LineFate::Kept => None,
        LineFate::Removed { why } => Some((line, "-", why, Paint::Red)),
        LineFate::Changed { why, .. } => Some((line, "~", why, Paint::Yellow)),
    });
    let new = edit.insertions().map(|(line, insertion)| (line, "+", &insertion.why, Paint::Green));
    let mut all: Vec<_> = fates.chain(new).collect();
    all.sort_by_key(|(line, ..)| *line);
    for (line, mark, why, paint) in all.into_iter().take(most) {
        let text = context.out.paint(paint, format!("  {mark} line {line}: {}", one_line(why)));
        context.out.line(text)?;
    }
    if total > most {
        context
            .out
            .line(format!("  … and {} more (--verbose lists them)", words::count((total - most) as u64)))?;
    }
    Ok(())
}

fn draw_numbers(plan: &Plan, shown: &[FilePreview], context: &mut Context) -> Result<(), Fault> {
    for file in shown {
        if plan.detail == Detail::ByFile {
            draw_file(file, context)?;
            continue;
        }
        let (removed, changed, new) = file.lines;
        context.out.line(format!(
            "{} removed, {changed} changed, {new} new; {} → {}",
            words::plural(removed as u64, "line", "lines"),
            words::bytes(file.bytes.0),
            words::bytes(file.bytes.1),
        ))?;
        // A file that no client resumes, before or after, is no conversation.
        for client in file.clients.iter().filter(|client| client.messages != (None, None)) {
            let count = |messages: Option<usize>| {
                messages.map_or("refused".to_owned(), |count| format!("{count} messages"))
            };
            let (before, after) = (count(client.messages.0), count(client.messages.1));
            let tokens = |tokens: u64| words::short_count(tokens);
            let version = format!("{:<8}", client.client.version());
            let (was, is) = (tokens(client.tokens.0), tokens(client.tokens.1));
            context.out.line(format!("  {version} {before} → {after}, about {was} → {is} tokens"))?;
        }
    }
    Ok(())
}
