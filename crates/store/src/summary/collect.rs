//! Records in, a summary out: the part that head-and-tail and full summaries share.

use std::hash::{DefaultHasher, Hash, Hasher};

use annals_json::{Fields, Text, Value};
use annals_transcript::content::Block;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::time::Timestamp;
use annals_transcript::title::TitleCollector;
use annals_transcript::turn::Speaker;

use super::{Coverage, PullRequest, Summary};
use crate::key::SessionKey;
use crate::project_path::PathCollector;
use crate::scan::SessionEntry;

/// The only prompt of a file that was written to warm up the cache.
pub(crate) const WARM_UP: &str = "Warmup";

/// A summary with what it takes to name other sessions, and to be named by them.
#[derive(Clone, Debug)]
pub(super) struct SummaryParts {
    pub(super) summary: Summary,
    /// Titles for lines of any file: the mark of `leafUuid`, and `summary`.
    pub(super) named_leaves: Vec<(UuidHash, String)>,
    /// The marks of the lines seen, in order.
    pub(super) uuids: Vec<UuidHash>,
}

/// A hash of an id: a listing holds one for each line of a store.
pub(super) type UuidHash = u64;

fn uuid_hash(id: Text<'_>) -> UuidHash {
    let mut hasher = DefaultHasher::new();
    id.decode().hash(&mut hasher);
    hasher.finish()
}

/// Whether to keep the marks of lines: only a listing of many sessions needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdTracking {
    Keep,
    Forget,
}

/// Gathers a summary record by record.
#[derive(Debug)]
pub(super) struct SummaryCollector<'e> {
    entry: &'e SessionEntry,
    ids: IdTracking,
    titles: TitleCollector,
    paths: PathCollector<'e>,
    parts: SummaryParts,
    user_lines: usize,
    other_prompts: usize,
    warm_ups: usize,
    replies: usize,
    tool_calls: usize,
}

impl<'e> SummaryCollector<'e> {
    pub(super) fn new(entry: &'e SessionEntry, ids: IdTracking) -> Self {
        let summary = Summary {
            bytes: entry.bytes,
            modified: entry.modified,
            has_conversation: false,
            coverage: Coverage::Whole,
            ..Summary::new(entry.key.clone(), entry.slug.clone(), entry.path.clone())
        };
        Self {
            entry,
            ids,
            titles: TitleCollector::new(),
            paths: PathCollector::new(entry.slug.as_str()),
            parts: SummaryParts { summary, named_leaves: Vec::new(), uuids: Vec::new() },
            user_lines: 0,
            other_prompts: 0,
            warm_ups: 0,
            replies: 0,
            tool_calls: 0,
        }
    }

    /// Whether everything that only the beginning contains is known.
    pub(super) fn knows_beginning(&self) -> bool {
        self.titles.knows_first_prompt() && self.parts.summary.has_conversation
    }

    /// Takes a record.
    pub(super) fn add(&mut self, fields: Fields<'_>) {
        self.add_record(&Record::new(fields));
    }

    /// Takes a record that was read before.
    pub(super) fn add_record(&mut self, record: &Record<'_>) {
        self.titles.add(record);
        self.add_envelope(record);
        match record {
            Record::User(user) => {
                self.user_lines += 1;
                // One prompt that is none settles that this is no warm-up; looking at the others would cost time.
                if self.other_prompts == 0 && Speaker::of(user) == Speaker::Person {
                    let is_warm_up = user.content().first_text().is_some_and(|text| text.is(WARM_UP));
                    *(if is_warm_up { &mut self.warm_ups } else { &mut self.other_prompts }) += 1;
                }
            }
            Record::Assistant(assistant) => {
                let model = assistant.model();
                remember(&mut self.parts.summary.models, model.filter(|model| !model.is("<synthetic>")));
                self.replies += 1;
                if self.other_prompts == 0 && self.tool_calls == 0 {
                    let is_call = |block: &Block<'_>| matches!(block, Block::ToolUse(_));
                    self.tool_calls += assistant.content().blocks().filter(is_call).count();
                }
            }
            Record::PrLink(link) => {
                let owned = |text: Option<Text<'_>>| text.map(|text| text.decode().into_owned());
                let (url, repository) = (owned(link.url()), owned(link.repository()));
                let seen = PullRequest { number: link.number(), url, repository };
                if !self.parts.summary.pull_requests.contains(&seen) {
                    self.parts.summary.pull_requests.push(seen);
                }
            }
            Record::Summary(summary) if self.ids == IdTracking::Keep => {
                if let (Some(leaf), Some(title)) = (summary.leaf(), summary.summary()) {
                    self.parts.named_leaves.push((uuid_hash(leaf.text()), title.to_string()));
                }
            }
            _ => {}
        }
    }

    /// What any line may carry, in one pass over its keys.
    fn add_envelope(&mut self, record: &Record<'_>) {
        let kind = record.kind();
        let SummaryParts { summary, uuids, .. } = &mut self.parts;
        if kind.is_chain() && !summary.has_conversation {
            summary.has_conversation = true;
            summary.is_sidechain_first = record.fields().is_true("isSidechain");
        }
        for field in record.fields().iter() {
            if field.key.raw() == b"forkedFrom" && summary.forked_from.is_none() {
                summary.forked_from = origin(field.value).filter(|origin| *origin != summary.session);
            }
            let Some(text) = field.value.text() else { continue };
            match field.key.raw() {
                b"cwd" if kind != RecordKind::Relocated => {
                    self.paths.add(&text.decode());
                }
                b"timestamp" => note_time(summary, Timestamp::new(text)),
                b"gitBranch" if !text.is_empty() => replace(&mut summary.git_branch, text),
                b"version" if kind.is_chain() => remember(&mut summary.versions, Some(text)),
                b"entrypoint" if summary.entrypoint.is_none() => {
                    summary.entrypoint = Some(text.decode().into_owned());
                }
                b"slug" if kind.is_chain() => remember(&mut summary.plan_names, Some(text)),
                b"uuid" if self.ids == IdTracking::Keep => uuids.push(uuid_hash(text)),
                _ => {}
            }
        }
    }

    /// Returns the summary; `coverage` is the part of the file that was fed.
    pub(super) fn finish(mut self, coverage: Coverage, custom_title_file: Option<&str>) -> SummaryParts {
        if let Some(title) = custom_title_file {
            self.titles.set_custom_file(title);
        }
        let is_whole = coverage == Coverage::Whole;
        let summary = &mut self.parts.summary;
        summary.title = self.titles.title().map(|(source, text)| (source, text.to_owned()));
        summary.first_prompt = self.titles.first_prompt().map(str::to_owned);
        summary.last_prompt = self.titles.last_prompt().map(str::to_owned);
        summary.tag = self.titles.tag().map(str::to_owned);
        summary.project = self.paths.path();
        summary.coverage = coverage;
        let asked = self.warm_ups > 0 && self.other_prompts == 0;
        // Some files hold the answer to the warm-up alone; a session of a person always has a prompt.
        let answered =
            self.user_lines == 0 && self.replies == 1 && self.entry.key.as_str().starts_with("agent-");
        summary.is_warm_up = is_whole && self.tool_calls == 0 && (asked || answered);
        self.parts
    }
}

/// The session that a copied record names as its origin.
fn origin(value: Value<'_>) -> Option<SessionKey> {
    let id = value.get("sessionId")?.text()?;
    (!id.is_empty()).then(|| SessionKey::new(id.decode()))
}

fn note_time(summary: &mut Summary, time: Timestamp<'_>) {
    let millis = time.millis();
    if summary.created.is_none() {
        summary.created = Some(time.decode().into_owned());
        summary.created_millis = millis;
    }
    summary.active_millis = summary.active_millis.max(millis);
}

fn replace(known: &mut Option<String>, text: Text<'_>) {
    if !known.as_deref().is_some_and(|known| text.is(known)) {
        *known = Some(text.decode().into_owned());
    }
}

fn remember(known: &mut Vec<String>, text: Option<Text<'_>>) {
    if let Some(text) = text
        && !text.is_empty()
        && !known.iter().rev().any(|known| text.is(known))
    {
        known.push(text.decode().into_owned());
    }
}
