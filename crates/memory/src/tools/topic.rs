//! `topic`: what was asked, decided and failed about a topic, in the order of time.

use std::ops::Range;

use annals_index::MessageKind;
use annals_index::search::{Filter, Query};

use super::schema::{MAX_TOKENS, PROJECT, Parameter};
use super::search::hit_head;
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::cleaner::TextPart;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, ProjectScope};
use crate::page::Entry;
use crate::words::{densest, relaxed};

pub(super) const TOOL: Tool = Tool {
    name: "topic",
    title: "Decisions and failures on a topic",
    description: "What past sessions say about a topic, in three parts: what the user asked for, what the assistant concluded, and which commands or tools failed. Use it before you decide something that may have been decided, or try something that may have failed.",
    parameters: &[
        Parameter::required("topic", "A few words: a component, a library, an error"),
        PROJECT,
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

/// How many passages each part has at most.
const MAX_HITS: usize = 8;
const PASSAGE_BYTES: usize = 320;

/// A part of the result.
struct TopicPart {
    name: &'static str,
    filter: Filter,
}

fn parts() -> [TopicPart; 3] {
    [
        TopicPart { name: "asked", filter: Filter::Kinds(vec![MessageKind::Prompt]) },
        TopicPart {
            name: "concluded",
            filter: Filter::Kinds(vec![MessageKind::Response, MessageKind::Plan]),
        },
        TopicPart { name: "failed", filter: Filter::Error(true) },
    ]
}

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let topic = arguments.required("topic")?;
    let max_tokens = arguments.max_tokens()?;
    let query = Query::parse(&topic)?;
    let scope = memory.scope(arguments)?;
    let mut found = find(memory, &query, &scope)?;
    let mut label = scope.label.clone();
    if found.iter().all(Vec::is_empty) && scope.name.is_some() {
        found = find(memory, &query, &ProjectScope::all())?;
        label = format!("all projects (nothing in {})", scope.label);
    }
    let name = memory.cleaner.line(&topic, 120);
    let mut page = memory.page(&format!("{name:?} in {label}: the best passages, oldest first."), max_tokens);
    // Each part gets a third of what is left, so that no part hides another.
    let mut left_out = 0;
    let count = found.len();
    for (number, (part, hits)) in parts().into_iter().zip(found).enumerate() {
        let mut room = page.room() / (count - number);
        if hits.is_empty() {
            page.push(&Entry::new(format!("{}: nothing", part.name)));
            continue;
        }
        let mut fitting = Vec::new();
        for hit in &hits {
            let size = part.name.len() + hit.head.len() + hit.part.len() + 18;
            match room.checked_sub(size) {
                Some(rest) => {
                    room = rest;
                    fitting.push(hit);
                }
                None => left_out += 1,
            }
        }
        let parts: Vec<TextPart<'_>> = fitting.iter().map(|hit| hit.shown()).collect();
        for (hit, shown) in fitting.iter().zip(memory.cleaner.parts(&parts)) {
            let lead = if hit.part.start > 0 { "…" } else { "" };
            let quote = format!("{lead}{}", annals_ui::one_line(&shown));
            if !page.push(&Entry::new(format!("{}: {}", part.name, hit.head)).quote(quote)) {
                left_out += 1;
            }
        }
    }
    let note = (left_out > 0)
        .then(|| format!("{left_out} passages did not fit: use more words, or a larger max_tokens"));
    Ok(page.finish(&note.into_iter().collect::<Vec<_>>()))
}

/// A passage about the topic.
struct TopicHit {
    head: String,
    text: String,
    /// What is shown of it.
    part: Range<usize>,
    millis: Option<i64>,
    score: f64,
}

impl TopicHit {
    fn shown(&self) -> TextPart<'_> {
        TextPart::new(&self.text, self.part.start, self.part.len())
    }
}

fn find<S: MemoryStore>(
    memory: &mut Memory<S>,
    query: &Query,
    scope: &ProjectScope,
) -> Result<Vec<Vec<TopicHit>>, ToolError> {
    let mut found = Vec::new();
    for part in parts() {
        let mut query = query.clone();
        query.filters.push(part.filter);
        query.filters.extend(scope.name.clone().map(Filter::Project));
        query.excluded.extend(memory.session.clone().map(Filter::Session));
        let now = memory.now();
        let answers = memory.ask(|index, copies| {
            let hits = relaxed(index, &query, |query| {
                let found = index.search(query, MAX_HITS, now, copies)?;
                Ok((!found.hits.is_empty()).then(|| (found.hits, query.clone())))
            })?;
            let Some(((hits, query), _)) = hits else { return Ok(Vec::new()) };
            let mut read = Vec::new();
            for hit in hits {
                let text = index.text_of_hit(&hit, copies)?;
                read.push((hit, text, query.clone()));
            }
            Ok(read)
        })?;
        let mut hits: Vec<TopicHit> = Vec::new();
        for (hit, text, query) in answers.into_iter().flatten() {
            let text = text.unwrap_or_else(|| "(the file is gone)".to_owned());
            let part = densest(&text, &query, PASSAGE_BYTES);
            // A fork repeats what was said before it.
            if !hits.iter().any(|other| other.text[other.part.clone()] == text[part.clone()]) {
                hits.push(TopicHit {
                    head: hit_head(&hit),
                    text,
                    part,
                    millis: hit.millis,
                    score: hit.score,
                });
            }
        }
        hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        hits.truncate(MAX_HITS);
        hits.sort_by_key(|hit| hit.millis);
        found.push(hits);
    }
    Ok(found)
}
