//! The session picker: the newest sessions of this folder in all stores, chosen by number.

use std::path::{Path, PathBuf};

use annals_store::source::Clock;
use annals_store::{Slug, Summary, parallel};
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine};

use super::chat_ui::{ChatUi, Choice, ChoiceRow};
use super::last_answer::read_last_answer;
use super::terminal_ui::{ACCENT, Exit, PromptInput};
use crate::commands::ls::told_apart;
use crate::context::Context;
use crate::session::ResolvedSession;
use crate::short_ids::ShortIds;
use crate::table::one_line;
use crate::words;

/// Of how many sessions the last answer is read.
const MAX_ANSWERS: usize = 200;
/// How much of it is shown.
const MAX_ANSWER_BYTES: usize = 300;

/// Asks for a session; `None` if the user cancels.
pub(super) async fn choose<U: ChatUi>(
    wanted: Option<&str>,
    cwd: &Path,
    context: &Context,
    ui: &mut U,
) -> Result<Option<PathBuf>, Exit> {
    if let Some(wanted) = wanted {
        return Ok(Some(ResolvedSession::find(context, wanted).map_err(Exit::Fault)?.path));
    }
    let (offered, ids) = newest::<U>(cwd, context);
    if offered.is_empty() {
        ui.note(Style::DIM, "no sessions in this folder");
        return Ok(None);
    }
    let now = Clock::now(&context.source);
    let slug = Slug::of_path(&cwd.to_string_lossy());
    let answers = match U::OFFERS_ELSEWHERE {
        true => parallel::map(&offered[..offered.len().min(MAX_ANSWERS)], |summary| {
            read_last_answer(&summary.path)
        }),
        false => Vec::new(),
    };
    let row = |(number, summary): (usize, &Summary)| {
        let is_elsewhere = summary.slug != slug;
        let mut line = line(number + 1, summary, &ids, now, context);
        if is_elsewhere {
            let folder = summary.project.as_ref().map_or(summary.slug.as_str(), |project| &project.path);
            line.push(Span::new(format!(" · {folder}"), Style::DIM));
        }
        let answer = answers.get(number).and_then(Option::as_deref);
        let preview = if U::OFFERS_ELSEWHERE { preview(summary, answer) } else { Vec::new() };
        ChoiceRow { answer: (number + 1).to_string(), line, preview, is_elsewhere }
    };
    let choice = Choice {
        rows: offered.iter().enumerate().map(row).collect(),
        question: "resume which session? ".to_owned(),
        ..Choice::default()
    };
    match ui.choose(choice).await {
        PromptInput::Leave(outcome) => Err(Exit::Leave(outcome)),
        PromptInput::Nothing | PromptInput::SetMode(_) => Ok(None),
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

/// Returns how a session began, and how it ended.
fn preview(summary: &Summary, answer: Option<&str>) -> Vec<StyledLine> {
    let about = |label: &str, text: Option<&str>| {
        let text = text.filter(|text| !text.trim().is_empty())?;
        Some(vec![Span::new(format!("{label} "), Style::DIM), Span::plain(one_line(text))])
    };
    let last = summary.last_prompt.clone().filter(|last| summary.first_prompt.as_ref() != Some(last));
    let lines = [
        about("first", summary.first_prompt.as_deref()),
        about("last", last.as_deref()),
        about("answer", answer.map(first_words)),
        about("branch", summary.git_branch.as_deref()),
        about("models", Some(&summary.models.join(", "))),
    ];
    lines.into_iter().flatten().collect()
}

/// The beginning of an answer, a few rows long.
fn first_words(answer: &str) -> &str {
    let answer = answer.trim();
    &answer[..answer.floor_char_boundary(MAX_ANSWER_BYTES)]
}

/// Returns the sessions in all stores, of this folder unless others are offered, newest first, and the ids that tell sessions apart.
fn newest<U: ChatUi>(cwd: &Path, context: &Context) -> (Vec<Summary>, ShortIds) {
    let slug = Slug::of_path(&cwd.to_string_lossy());
    let discovery = context.discover_all();
    let (mut summaries, _) = context.store.summaries(&discovery);
    let is_offered = |summary: &Summary| U::OFFERS_ELSEWHERE || summary.slug == slug;
    summaries.retain(|summary| is_offered(summary) && !summary.is_empty() && !summary.is_warm_up);
    summaries
        .sort_by(|left, right| right.recency().cmp(&left.recency()).then_with(|| left.path.cmp(&right.path)));
    summaries.truncate(U::MAX_OFFERED);
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
