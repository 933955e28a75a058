//! `usage`: what sessions cost so far.

use std::collections::BTreeMap;

use annals_transcript::usage::Certainty;

use super::schema::{MAX_TOKENS, PROJECT, Parameter};
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, ProjectScope, id_word};
use crate::page::Entry;

pub(super) const TOOL: Tool = Tool {
    name: "usage",
    title: "Cost so far",
    description: "Tokens and cost of past sessions at list prices: in total, by model, and the sessions that cost most.",
    parameters: &[
        Parameter::text("session", "One session; \"current\" for this one"),
        PROJECT,
        Parameter::number("days", "Only the last N days"),
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
/// How many sessions are listed.
const LISTED_SESSIONS: usize = 5;

/// What was used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsageSum {
    pub(super) responses: u64,
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) dollars: f64,
    pub(super) is_incomplete: bool,
}

impl UsageSum {
    pub(super) fn text(&self) -> String {
        let incomplete = if self.is_incomplete { " or more: a model has no price" } else { "" };
        format!(
            "${:.2}{incomplete}, {} responses, {} tokens in (cache included), {} out",
            self.dollars, self.responses, self.input, self.output
        )
    }
}

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let session = arguments.text("session")?.map(|name| memory.session_named(&name)).transpose()?;
    let max_tokens = arguments.max_tokens()?;
    let scope = if session.is_some() { ProjectScope::all() } else { memory.scope(arguments)? };
    let days = arguments.number("days")?.map(|days| i64::try_from(days).unwrap_or(i64::MAX / DAY_MILLIS));
    let since = days.map(|days| memory.now().saturating_sub(days.saturating_mul(DAY_MILLIS)));
    let answers = memory.ask(|index, _| Ok((index.usage()?, scope.slugs(index)?)))?;
    let mut total = UsageSum::default();
    let mut models: BTreeMap<String, UsageSum> = BTreeMap::new();
    let mut sessions: BTreeMap<String, UsageSum> = BTreeMap::new();
    for ((sources, items), slugs) in &answers {
        for item in items {
            let Some(source) = sources.get(item.file.get()) else { continue };
            let is_wanted =
                session.as_ref().map_or_else(|| slugs.has(&source.slug), |id| **id == *source.session);
            if !is_wanted || since.is_some_and(|since| item.millis().is_none_or(|at| at < since)) {
                continue;
            }
            let model = item.model.as_deref().unwrap_or("(no model)").to_owned();
            let sums = [
                &mut total,
                models.entry(model).or_default(),
                sessions.entry(source.session.to_string()).or_default(),
            ];
            for sum in sums {
                sum.responses += item.responses;
                sum.input += item.tokens.input + item.tokens.cache_read + item.tokens.cache_write();
                sum.output += item.tokens.output;
                sum.dollars += item.cost.dollars();
                sum.is_incomplete |= item.certainty == Certainty::Unpriced;
            }
        }
    }
    let what = session.as_ref().map_or_else(|| scope.label.clone(), |id| format!("session {}", id_word(id)));
    let when = days.map(|days| format!(", last {days} days")).unwrap_or_default();
    let mut page = memory.page(&format!("Usage of {what}{when}: {}.", total.text()), max_tokens);
    for (model, sum) in &models {
        let model = memory.cleaner.line(model, 60);
        page.push(&Entry::new(sum.text()).quote(format!("model {model}")));
    }
    if session.is_none() {
        let mut ranked: Vec<_> = sessions.iter().collect();
        ranked.sort_by(|left, right| right.1.dollars.total_cmp(&left.1.dollars));
        for (id, sum) in ranked.into_iter().take(LISTED_SESSIONS) {
            page.push(&Entry::new(format!("session {}: {}", id_word(id), sum.text())));
        }
    }
    Ok(page.finish(&["annals usage shows more".to_owned()]))
}
