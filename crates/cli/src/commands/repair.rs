//! `annals repair`: repairs the damage of a session, and nothing else.

use std::collections::HashSet;

use annals_surgery::edit::LineEdit;
use annals_surgery::repair::{RepairError, RepairOptions, SubagentFiles, repair};
use annals_surgery::{FileEdit, Session};
use annals_transcript::line::lines;
use annals_transcript::problem::ProblemKind;

use crate::args::RepairArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

/// Problems whose repair takes a line away and puts what it holds elsewhere.
const STILL_THERE: [ProblemKind; 2] = [ProblemKind::SpanningRecord, ProblemKind::ForwardReference];

pub(crate) fn run(args: &RepairArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find(context, &args.session)?;
    target.check_readable()?;
    let session = Session::load(&target.path)?;
    let agents = if args.no_agents { SubagentFiles::Left } else { SubagentFiles::Repaired };
    let options = RepairOptions { only: args.only.iter().copied().collect(), agents };
    let plan = repair(&session, &options).map_err(fault)?;
    let change = ChangeReport::of(&target.path);
    let is_empty = plan.is_empty();
    let done =
        carry_out(&plan, args.confirm, change, context, &Sentence::new("repair", "repaired", &target.key))?;
    if context.json || context.verbosity < 0 {
        return Ok(done);
    }
    if done == Outcome::Done && !args.confirm.dry_run {
        for edit in &plan.edits {
            if let Some(removal) = removal(edit) {
                context.out.line(format!("  {removal}"))?;
            }
        }
    }
    // An empty plan may still have notes: damage that was left alone.
    for note in plan.notes.iter().filter(|_| is_empty) {
        context.out.line(format!("  {note}"))?;
    }
    Ok(done)
}

/// What a repair removed for good; the lines of a record that now has one line, and lines that were moved, are still there.
fn removal(edit: &FileEdit) -> Option<String> {
    let is_gone = |line_edit: &LineEdit| match line_edit {
        LineEdit::Removed { why } => !STILL_THERE.iter().any(|kind| why.contains(kind.name())),
        _ => false,
    };
    let gone: HashSet<usize> =
        edit.line_edits().filter(|(_, line_edit)| is_gone(line_edit)).map(|(line, _)| line).collect();
    let bytes: usize =
        lines(edit.before()).filter(|line| gone.contains(&line.number)).map(|line| line.raw().len()).sum();
    let lines = words::plural(gone.len() as u64, "line", "lines");
    (!gone.is_empty())
        .then(|| format!("removed {lines} without a record to keep ({})", words::bytes(bytes as u64)))
}

fn fault(error: RepairError) -> Fault {
    Fault::damage(error.to_string()).hint("nothing was changed")
}
