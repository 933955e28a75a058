//! The session picker: the newest sessions of this folder in all stores, chosen by number.

use std::path::{Path, PathBuf};

use annals_store::source::Clock;
use annals_store::{Slug, Summary};
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::terminal_ui::{ACCENT, Exit, PromptInput, TerminalUi};
use crate::commands::ls::told_apart;
use crate::context::Context;
use crate::session::ResolvedSession;
use crate::short_ids::ShortIds;
use crate::words;

/// Sessions that are offered.
const MAX_OFFERED: usize = 10;

/// Asks for a session; `None` if the user cancels.
pub(super) async fn choose(
    wanted: Option<&str>,
    cwd: &Path,
    context: &Context,
    ui: &mut TerminalUi,
) -> Result<Option<PathBuf>, Exit> {
    if let Some(wanted) = wanted {
        return Ok(Some(ResolvedSession::find(context, wanted).map_err(Exit::Fault)?.path));
    }
    let (offered, ids) = newest(cwd, context);
    if offered.is_empty() {
        ui.note(Style::DIM, "no sessions in this folder");
        return Ok(None);
    }
    let now = Clock::now(&context.source);
    let lines: Vec<StyledLine> = offered
        .iter()
        .enumerate()
        .map(|(number, summary)| line(number + 1, summary, &ids, now, context))
        .collect();
    ui.notes(&lines);
    match ui.ask("resume which session? ").await {
        PromptInput::Leave(outcome) => Err(Exit::Leave(outcome)),
        PromptInput::Nothing => Ok(None),
        PromptInput::Line(text) if text.is_empty() => Ok(None),
        PromptInput::Line(text) => {
            match text.parse::<usize>().ok().and_then(|number| offered.get(number.wrapping_sub(1))) {
                Some(summary) => {
                    context.store.select_for(&summary.path);
                    Ok(Some(summary.path.clone()))
                }
                None => Ok(Some(ResolvedSession::find(context, &text).map_err(Exit::Fault)?.path)),
            }
        }
    }
}

/// Returns the sessions of this folder in all stores, newest first, and the ids that tell sessions apart.
fn newest(cwd: &Path, context: &Context) -> (Vec<Summary>, ShortIds) {
    let slug = Slug::of_path(&cwd.to_string_lossy());
    let discovery = context.discover_all();
    let (mut summaries, _) = context.store.summaries(&discovery);
    summaries.retain(|summary| summary.slug == slug && !summary.is_empty() && !summary.is_warm_up);
    summaries
        .sort_by(|left, right| right.recency().cmp(&left.recency()).then_with(|| left.path.cmp(&right.path)));
    summaries.truncate(MAX_OFFERED);
    (summaries, ShortIds::new(&discovery, context))
}

fn line(number: usize, summary: &Summary, ids: &ShortIds, now: i64, context: &Context) -> StyledLine {
    let age = summary.last_activity().and_then(|at| u64::try_from(now.saturating_sub(at)).ok());
    let age = age.map_or_else(String::new, |millis| format!(" · {} ago", figures::duration(millis)));
    let store = context.store.label_of(&summary.path);
    let store = if store.is_empty() { store } else { format!(" · {store}") };
    vec![
        Span::new(format!("{number:>2} "), Style::BOLD),
        Span::new(ids.shown(summary.session.as_str()), ACCENT),
        Span::new(format!(" {}", told_apart(summary, ids)), Style::PLAIN),
        Span::new(format!("{age} · {}{store}", words::bytes(summary.bytes)), Style::DIM),
    ]
}
