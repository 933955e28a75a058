//! Runs a surgery plan: preview, confirm, apply, report.

use std::ops::ControlFlow;

use annals_store::changes::Change as FileChange;
use annals_surgery::apply::apply;
use annals_surgery::edit::LineEdit;
use annals_surgery::plan::PreviewDetail;
use annals_surgery::preview::{FilePreview, preview, preview_file};
use annals_surgery::{FileEdit, Plan};

use crate::args::ConfirmArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::one_line;
use crate::words;

/// How many edits of a file are listed without `--verbose`.
const MAX_LISTED: usize = 20;

/// Shows a plan, or applies and reports it. `change` names the session and the file that the report is about.
pub(crate) fn carry_out(
    plan: &Plan,
    confirm: ConfirmArgs,
    mut change: ChangeReport,
    context: &mut Context,
    sentence: &Sentence,
) -> Result<Outcome, Fault> {
    let shown = preview(plan);
    change.usage_is_off = plan.usage_is_off;
    if !shown.is_empty() {
        // Several files may be edited: both numbers are of all of them.
        change.bytes_before = Some(shown.iter().map(|file| file.bytes.0).sum());
    }
    let after = || shown.iter().map(|file| file.bytes.1).sum::<u64>() + created_bytes(plan);
    change.bytes_after = change.bytes_after.or_else(|| Some(after()));
    // If files are only created, nothing is removed.
    let lines = || (!plan.edits.is_empty()).then(|| shown.iter().map(|file| file.lines.0 as u64).sum());
    change.removed = change.removed.or_else(lines);
    change.clients = change.file.as_ref().map(|file| preview_file(plan, &shown, file)).unwrap_or_default();
    change.notes.clone_from(&plan.notes);
    if plan.is_empty() {
        change.bytes_after = change.bytes_before;
        change.report(context, "nothing to do")?;
        return Ok(Outcome::Done);
    }
    if confirm.dry_run {
        if !context.json {
            draw(plan, &shown, context)?;
        }
        change.report(context, &sentence.would)?;
        return Ok(Outcome::Done);
    }
    if !context.json && !confirm.yes && context.can_prompt() {
        draw_numbers(plan, &shown, context)?;
    }
    if !context.confirms(confirm, &change.question(plan))? {
        return Ok(Outcome::Declined);
    }
    let data = context.data_dir()?;
    let source = context.source;
    let entry = apply(plan, &data, &source, &mut |_| ControlFlow::Continue(()))?;
    change.undo = Some(entry.id);
    change.report(context, &sentence.done)?;
    for note in plan.notes.iter().filter(|_| !context.json && context.verbosity >= 0) {
        context.out.line(format!("  {note}"))?;
    }
    Ok(Outcome::Done)
}

/// The size of the files that the plan creates.
fn created_bytes(plan: &Plan) -> u64 {
    let bytes = |change: &FileChange| match change {
        FileChange::Create { bytes, .. } => bytes.len() as u64,
        _ => 0,
    };
    plan.changes.iter().map(bytes).sum()
}

/// Prints every edit by line, files that are created, moved or trashed, and the sums.
fn draw(plan: &Plan, shown: &[FilePreview], context: &mut Context) -> Result<(), Fault> {
    if plan.detail == PreviewDetail::ByLine || context.verbosity > 0 {
        for edit in &plan.edits {
            draw_edits(edit, context)?;
        }
    }
    for change in &plan.changes {
        let text = match change {
            FileChange::Replace { path, bytes } | FileChange::Rewrite { path, bytes } => {
                format!("replace {} ({})", path.display(), words::bytes(bytes.len() as u64))
            }
            FileChange::Create { path, bytes, .. } => {
                format!("create  {} ({})", path.display(), words::bytes(bytes.len() as u64))
            }
            FileChange::Place { path, .. } => format!("write   {}", path.display()),
            FileChange::Move { from, to } => format!("move    {} to {}", from.display(), to.display()),
            FileChange::Discard { path } => format!("trash   {}", path.display()),
            FileChange::Folder { path, .. } => format!("create  {}", path.display()),
            // A cache that follows.
            FileChange::RefreshIndex { .. } => continue,
            _ => "change  of an unknown kind".to_owned(),
        };
        context.out.line(text)?;
    }
    draw_numbers(plan, shown, context)?;
    for note in &plan.notes {
        context.out.line(note)?;
    }
    Ok(())
}

/// Prints a file in one line, and what clients send only if it differs.
fn draw_file(file: &FilePreview, context: &mut Context) -> Result<(), Fault> {
    let changed = words::plural(file.lines.1 as u64, "line", "lines");
    let size = words::bytes(file.bytes.1);
    context.out.line(format!("edit    {} ({changed} of {size})", file.path.display()))?;
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
    let most = if context.verbosity > 0 { usize::MAX } else { MAX_LISTED };
    let total = edit.line_edits().count() + edit.insertions().count();
    let line_edits = edit.line_edits().filter_map(|(line, line_edit)| match line_edit {
        LineEdit::Kept => None,
        LineEdit::Removed { why } => Some((line, "-", why, Paint::Red)),
        LineEdit::Changed { why, .. } => Some((line, "~", why, Paint::Yellow)),
    });
    let new = edit.insertions().map(|(line, insertion)| (line, "+", &insertion.why, Paint::Green));
    let mut all: Vec<_> = line_edits.chain(new).collect();
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
        if plan.detail == PreviewDetail::ByFile {
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
        // A file that no client resumes, before or after, is not a conversation.
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
