//! The state of the end of a session file that a writer needs: the record to continue from, known ids, open tool calls.

use std::collections::{HashMap, HashSet};

use super::{Draft, Origin, Placement};
use crate::content::{Block, Content};
use crate::graph::Graph;
use crate::record::{Record, RecordKind, SystemKind};
use crate::resume::{Client, leaf};
use crate::time::{format_millis, parse_millis};
use crate::transcript::Transcript;

/// The last instant with a four-digit year, in milliseconds since 1970: clients refuse files with times they cannot read.
const MAX_MILLIS: i64 = 253_402_300_799_999;

/// Times within this many milliseconds of [`MAX_MILLIS`] are refused: later records need later times.
const RESERVED_MILLIS: i64 = 366 * 86_400_000;

/// Which conversation a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadKind {
    /// A session.
    Main,
    /// A sub-agent: all records are sidechains.
    Agent,
}

/// The uuid and time for a draft that sets none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementDefaults {
    /// A new uuid.
    pub uuid: String,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
}

/// Why a draft cannot be placed in this file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlacementError {
    /// A record with this uuid exists.
    Duplicate(String),
    /// The parent does not exist; it must be written first.
    UnknownParent(String),
    /// The tool call that it answers does not exist.
    UnknownCall(String),
    /// The tool call has a result.
    AlreadyAnswered(String),
    /// The timestamp is invalid, or too late for records to follow.
    BadTimestamp(String),
}

impl std::fmt::Display for PlacementError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Duplicate(id) => write!(formatter, "a record with the uuid {id} already exists"),
            Self::UnknownParent(id) => write!(formatter, "the parent {id} is not in the session"),
            Self::UnknownCall(id) => write!(formatter, "the session has no tool call {id} to answer"),
            Self::AlreadyAnswered(id) => write!(formatter, "the tool call {id} already has a result"),
            Self::BadTimestamp(text) => write!(formatter, "invalid timestamp {text:?}"),
        }
    }
}

impl std::error::Error for PlacementError {}

#[derive(Clone, Debug)]
struct KnownCall {
    line: String,
    is_answered: bool,
}

/// What the last `last-prompt` record says.
#[derive(Clone, Debug)]
struct LastPromptState {
    prompt: Option<String>,
    names_a_leaf: bool,
}

/// The state of the end of a session file.
#[derive(Clone, Debug)]
pub struct Continuation {
    thread: ThreadKind,
    tip: Option<String>,
    parents: HashMap<String, Option<String>>,
    progress: HashSet<String>,
    calls: HashMap<String, KnownCall>,
    newest: Option<i64>,
    last_prompt: Option<LastPromptState>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    tag: Option<String>,
    model: Option<String>,
    origin: Option<Origin>,
}

impl Continuation {
    /// The state of an empty file.
    pub fn new(thread: ThreadKind) -> Self {
        Self {
            thread,
            tip: None,
            parents: HashMap::new(),
            progress: HashSet::new(),
            calls: HashMap::new(),
            newest: None,
            last_prompt: None,
            custom_title: None,
            ai_title: None,
            tag: None,
            model: None,
            origin: None,
        }
    }

    /// The state of a file; the tip is the record from which the newest client would continue.
    pub fn of(transcript: &Transcript<'_>, thread: ThreadKind) -> Self {
        let mut state = Self::new(thread);
        for (_, record) in transcript.records() {
            state.absorb(&record);
        }
        if thread == ThreadKind::Main {
            state.move_tip_to_client_leaf(transcript);
        }
        state
    }

    /// The last record is the tip, unless the newest client would continue on another branch or before a rewind.
    fn move_tip_to_client_leaf(&mut self, transcript: &Transcript<'_>) {
        let Some(chosen) = leaf(transcript, Client::NEWEST) else { return };
        let graph = Graph::new(transcript);
        let nodes = transcript.nodes();
        let mut at = transcript
            .rposition(|node| node.uuid.is_some_and(|id| self.tip.as_deref().is_some_and(|tip| id.is(tip))));
        // Records that are not messages may follow the message that the client names.
        while let Some(node) = at.filter(|&node| node != chosen) {
            let is_message = matches!(nodes[node].kind, RecordKind::User | RecordKind::Assistant);
            at = graph.parent(node).filter(|&above| !is_message && above < node);
        }
        if at != Some(chosen) {
            self.tip = nodes[chosen].uuid.map(|id| id.to_string());
        }
    }

    /// Updates the state with a record that was appended.
    pub fn absorb(&mut self, record: &Record<'_>) {
        match record {
            Record::CustomTitle(title) => self.custom_title = title.title().map(|text| text.to_string()),
            Record::AiTitle(title) => self.ai_title = title.title().map(|text| text.to_string()),
            Record::Tag(tag) => self.tag = tag.tag().map(|text| text.to_string()),
            Record::LastPrompt(last) => {
                let prompt = last.prompt().map(|text| text.to_string());
                self.last_prompt = Some(LastPromptState { prompt, names_a_leaf: last.leaf().is_some() });
                let leaf =
                    last.leaf().map(|id| id.to_string()).filter(|leaf| self.parents.contains_key(leaf));
                // The newest client continues from this leaf; an earlier record of the same branch must be named explicitly.
                let is_meant = |leaf: &String| last.explicit() == Some(true) || !self.is_above_tip(leaf);
                self.tip = leaf.filter(is_meant).or(self.tip.take());
            }
            Record::User(user) => self.add_results(user.content()),
            Record::Assistant(assistant) => {
                if let Some(uuid) = record.envelope().uuid() {
                    self.add_calls(&uuid.to_string(), assistant.content());
                }
                let model = assistant.model();
                self.model = model
                    .filter(|model| !model.is("<synthetic>"))
                    .map(|model| model.to_string())
                    .or(self.model.take());
            }
            _ => {}
        }
        if record.kind().is_chain() {
            self.absorb_position(record);
        }
    }

    fn absorb_position(&mut self, record: &Record<'_>) {
        let envelope = record.envelope();
        let Some(uuid) = envelope.uuid().map(|id| id.to_string()) else { return };
        let parent = envelope.parent().map(|id| id.to_string());
        self.parents.insert(uuid.clone(), parent);
        let millis = envelope.timestamp().and_then(|time| time.millis());
        self.newest = self.newest.max(millis);
        let is_inline_agent = envelope.is_sidechain() == Some(true) && self.thread == ThreadKind::Main;
        if record.kind() == RecordKind::Progress {
            self.progress.insert(uuid);
            return;
        }
        if is_inline_agent {
            return;
        }
        let text = |text: Option<annals_json::Text<'_>>| text.map(|text| text.to_string());
        self.origin = Some(Origin {
            session: envelope.session().map(|id| id.to_string()).unwrap_or_default(),
            agent: envelope.agent().map(|id| id.to_string()),
            cwd: text(envelope.cwd()).unwrap_or_default(),
            version: text(envelope.version()).unwrap_or_default(),
            git_branch: text(envelope.git_branch()).unwrap_or_default(),
            entrypoint: text(envelope.entrypoint()),
            slug: text(envelope.slug()).or(self.origin.take().and_then(|origin| origin.slug)),
        });
        self.tip = Some(uuid);
    }

    fn add_calls(&mut self, line: &str, content: Content<'_>) {
        for block in content.blocks() {
            if let Block::ToolUse(call) = block
                && let Some(id) = call.id()
            {
                let is_answered = self.calls.get(&*id.decode()).is_some_and(|call| call.is_answered);
                self.calls.insert(id.to_string(), KnownCall { line: line.to_owned(), is_answered });
            }
        }
    }

    fn add_results(&mut self, content: Content<'_>) {
        for block in content.blocks() {
            if let Block::ToolResult(result) = block
                && let Some(id) = result.tool_use()
                && let Some(call) = self.calls.get_mut(&*id.decode())
            {
                call.is_answered = true;
            }
        }
    }

    fn is_above_tip(&self, id: &str) -> bool {
        let mut at = self.tip.as_deref();
        // A chain is never longer than the file, so cycles end.
        for _ in 0..=self.parents.len() {
            match at {
                Some(here) if here == id => return true,
                Some(here) => at = self.parents.get(here).and_then(Option::as_deref),
                None => return false,
            }
        }
        false
    }

    /// Computes the placement of a draft: the ids that it sets, else the defaults.
    pub fn place(&self, draft: &Draft, defaults: PlacementDefaults) -> Result<Placement, PlacementError> {
        let now = self
            .newest
            .map_or(defaults.now, |newest| defaults.now.max(newest.saturating_add(1)))
            .min(MAX_MILLIS);
        let timestamp = match draft.own_timestamp() {
            Some(given) if !is_valid_time(given) => {
                return Err(PlacementError::BadTimestamp(given.to_owned()));
            }
            Some(given) => given.to_owned(),
            // Never before an existing record: the oldest client takes the newest timestamp for the last record.
            None => format_millis(now),
        };
        if !draft.kind().is_chain() {
            return Ok(Placement { timestamp, ..Placement::default() });
        }
        let uuid = draft.own_uuid().map_or(defaults.uuid, str::to_owned);
        if self.parents.contains_key(&uuid) {
            return Err(PlacementError::Duplicate(uuid));
        }
        let given_parent = draft.own_parent();
        if let Some(Some(parent)) = &given_parent
            && !self.parents.contains_key(*parent)
        {
            return Err(PlacementError::UnknownParent((*parent).to_owned()));
        }
        let starts_over = is_boundary(draft);
        let logical_parent = match starts_over {
            true => draft.own_logical_parent().or_else(|| self.tip.clone()),
            false => None,
        };
        let brings_parent = given_parent.is_some();
        let parent = match given_parent {
            Some(parent) => parent,
            None => self.tip.as_deref().filter(|_| !starts_over),
        };
        let parent = self.above_progress(parent).map(str::to_owned);
        let source_assistant = match draft.text("sourceToolAssistantUUID") {
            Some(given) => Some(given),
            None => self.source_of(draft, brings_parent)?,
        };
        Ok(Placement { uuid, parent, logical_parent, source_assistant, timestamp })
    }

    /// Returns the record, or its nearest ancestor that is not progress: old clients drop progress and everything above it.
    fn above_progress<'s>(&'s self, line: Option<&'s str>) -> Option<&'s str> {
        let mut at = line;
        for _ in 0..=self.progress.len() {
            match at {
                Some(here) if self.progress.contains(here) => {
                    at = self.parents.get(here).and_then(Option::as_deref)
                }
                _ => break,
            }
        }
        at
    }

    /// Returns the record of the tool call that a draft answers.
    fn source_of(&self, draft: &Draft, has_explicit_parent: bool) -> Result<Option<String>, PlacementError> {
        if draft.kind() != RecordKind::User {
            return Ok(None);
        }
        let content = draft.value("message").and_then(|message| message.get("content"));
        let answered = content.map(Content::new).and_then(|content| {
            content.blocks().find_map(|block| match block {
                Block::ToolResult(result) => result.tool_use().map(|id| id.to_string()),
                _ => None,
            })
        });
        let Some(id) = answered else { return Ok(None) };
        match self.calls.get(&id) {
            Some(call) if call.is_answered && !has_explicit_parent => {
                Err(PlacementError::AlreadyAnswered(id))
            }
            Some(call) => Ok(Some(call.line.clone())),
            None if has_explicit_parent => Ok(None),
            None => Err(PlacementError::UnknownCall(id)),
        }
    }

    /// Whether the newest client would not resume from this record: a `last-prompt` record names a leaf, and the record starts
    /// another branch.
    pub fn would_be_overlooked(&self, draft: &Draft, placement: &Placement) -> bool {
        let names_a_leaf = self.last_prompt.as_ref().is_some_and(|last| last.names_a_leaf);
        let counts = draft.kind().is_chain()
            && draft.kind() != RecordKind::Progress
            && self.thread == ThreadKind::Main;
        names_a_leaf && counts && !is_boundary(draft) && placement.parent != self.tip
    }

    /// The prompt that the last `last-prompt` record names.
    pub fn last_prompt(&self) -> Option<&str> {
        self.last_prompt.as_ref()?.prompt.as_deref()
    }

    /// The uuid of the record to continue from.
    pub fn tip(&self) -> Option<&str> {
        self.tip.as_deref()
    }

    /// Whether a record with this uuid exists.
    pub fn knows(&self, uuid: &str) -> bool {
        self.parents.contains_key(uuid)
    }

    /// The model of the last response.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// The envelope of the last record.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The title set by the user; empty if it was removed.
    pub fn custom_title(&self) -> Option<&str> {
        self.custom_title.as_deref()
    }

    /// The tag; empty if it was removed.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Drafts of titles and tag, to be repeated near the end of the file where session lists look for them.
    pub fn repeated(&self) -> Vec<Draft> {
        let custom = self.custom_title.as_deref().map(Draft::custom_title);
        let ai = self.ai_title.as_deref().map(Draft::ai_title);
        let tag = self.tag.as_deref().map(Draft::tag);
        [ai, custom, tag].into_iter().flatten().collect()
    }
}

fn is_valid_time(timestamp: &str) -> bool {
    parse_millis(timestamp).is_some_and(|millis| millis < MAX_MILLIS - RESERVED_MILLIS)
}

fn is_boundary(draft: &Draft) -> bool {
    let subtype = || draft.value("subtype").and_then(|value| value.text());
    draft.kind() == RecordKind::System && SystemKind::of(subtype()) == SystemKind::CompactBoundary
}
