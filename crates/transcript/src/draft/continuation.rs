//! What a writer must know of a file to go on with it: the line to continue from, the ids that are taken, open tool calls.

use std::collections::{HashMap, HashSet};

use super::{Draft, Origin, Stamp};
use crate::content::{Block, Content};
use crate::graph::Graph;
use crate::record::{Record, RecordKind, SystemKind};
use crate::resume::{Client, leaf};
use crate::time::{format_millis, parse_millis};
use crate::transcript::Transcript;

/// The last instant that a timestamp of four-digit years can say, in milliseconds since 1970: clients refuse a file whose
/// times they cannot read.
const LATEST: i64 = 253_402_300_799_999;

/// Nobody brings a time of the last year that can be said, in milliseconds: what follows must be later.
const ROOM: i64 = 366 * 86_400_000;

/// Which conversation a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// A session's own.
    Main,
    /// A sub-agent's, all of whose lines are sidechains.
    Agent,
}

/// What is made up for a line that brings none of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// An id that nobody has.
    pub uuid: String,
    /// The time, in milliseconds since 1970.
    pub now: i64,
}

/// Why a record has no place in this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceError {
    /// A line with this id is there.
    Duplicate(String),
    /// The parent is not there: it must be written first.
    UnknownParent(String),
    /// The call that it answers is not there.
    UnknownCall(String),
    /// The call has its answer.
    AlreadyAnswered(String),
    /// A time that is none, or so late that nothing could follow: the client refuses files that have one.
    BadTimestamp(String),
}

impl std::fmt::Display for PlaceError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Duplicate(id) => write!(formatter, "a record with the uuid {id} is there already"),
            Self::UnknownParent(id) => write!(formatter, "its parent {id} is not in the session"),
            Self::UnknownCall(id) => write!(formatter, "the session has no tool call {id} to answer"),
            Self::AlreadyAnswered(id) => write!(formatter, "the tool call {id} has its answer already"),
            Self::BadTimestamp(text) => write!(formatter, "{text:?} is no time that a record can have"),
        }
    }
}

impl std::error::Error for PlaceError {}

#[derive(Clone, Debug)]
struct Call {
    line: String,
    is_answered: bool,
}

/// What the last `last-prompt` record says.
#[derive(Clone, Debug)]
struct LastPrompt {
    prompt: Option<String>,
    names_a_leaf: bool,
}

/// The state of a file's end.
#[derive(Clone, Debug)]
pub struct Continuation {
    thread: Thread,
    tip: Option<String>,
    parents: HashMap<String, Option<String>>,
    progress: HashSet<String>,
    calls: HashMap<String, Call>,
    newest: Option<i64>,
    last_prompt: Option<LastPrompt>,
    custom_title: Option<String>,
    ai_title: Option<String>,
    tag: Option<String>,
    model: Option<String>,
    origin: Option<Origin>,
}

impl Continuation {
    /// Of a file without lines.
    pub fn new(thread: Thread) -> Self {
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

    /// Of a file as it is: the tip is where the newest client would go on.
    pub fn of(transcript: &Transcript<'_>, thread: Thread) -> Self {
        let mut state = Self::new(thread);
        for (_, record) in transcript.records() {
            state.absorb(&record);
        }
        if thread == Thread::Main {
            state.go_where_the_client_goes(transcript);
        }
        state
    }

    /// The last line is the tip, unless the newest client would go on from another branch, or from before what was rewound.
    fn go_where_the_client_goes(&mut self, transcript: &Transcript<'_>) {
        let Some(chosen) = leaf(transcript, Client::NEWEST) else { return };
        let graph = Graph::new(transcript);
        let nodes = transcript.nodes();
        let tip = nodes
            .iter()
            .rposition(|node| node.uuid.is_some_and(|id| self.tip.as_deref().is_some_and(|tip| id.is(tip))));
        let mut at = tip;
        // Lines that are no messages may stand between the message that the client names and the end of its branch.
        while let Some(node) = at.filter(|&node| node != chosen) {
            let is_message = matches!(nodes[node].kind, RecordKind::User | RecordKind::Assistant);
            at = graph.parent(node).filter(|&above| !is_message && above < node);
        }
        if at != Some(chosen) {
            self.tip = nodes[chosen].uuid.map(|id| id.to_string());
        }
    }

    /// Takes in a line that now stands at the end of the file.
    pub fn absorb(&mut self, record: &Record<'_>) {
        match record {
            Record::CustomTitle(title) => self.custom_title = title.title().map(|text| text.to_string()),
            Record::AiTitle(title) => self.ai_title = title.title().map(|text| text.to_string()),
            Record::Tag(tag) => self.tag = tag.tag().map(|text| text.to_string()),
            Record::LastPrompt(last) => {
                let prompt = last.prompt().map(|text| text.to_string());
                self.last_prompt = Some(LastPrompt { prompt, names_a_leaf: last.leaf().is_some() });
                let leaf =
                    last.leaf().map(|id| id.to_string()).filter(|leaf| self.parents.contains_key(leaf));
                // The newest client goes where this points; an earlier line of the same branch must be meant explicitly.
                let is_meant = |leaf: &String| last.explicit() == Some(true) || !self.is_above_tip(leaf);
                self.tip = leaf.filter(is_meant).or(self.tip.take());
            }
            Record::User(user) => self.note_answers(user.content()),
            Record::Assistant(assistant) => {
                if let Some(uuid) = record.envelope().uuid() {
                    self.note_calls(&uuid.to_string(), assistant.content());
                }
                let model = assistant.message().and_then(|message| message.model());
                self.model = model
                    .filter(|model| !model.is("<synthetic>"))
                    .map(|model| model.to_string())
                    .or(self.model.take());
            }
            _ => {}
        }
        if record.kind().is_chain() {
            self.absorb_place(record);
        }
    }

    fn absorb_place(&mut self, record: &Record<'_>) {
        let envelope = record.envelope();
        let Some(uuid) = envelope.uuid().map(|id| id.to_string()) else { return };
        let parent = envelope.parent().map(|id| id.to_string());
        self.parents.insert(uuid.clone(), parent);
        let millis = envelope.timestamp().and_then(|time| time.millis());
        self.newest = self.newest.max(millis);
        let is_aside = envelope.is_sidechain() == Some(true) && self.thread == Thread::Main;
        if record.kind() == RecordKind::Progress {
            self.progress.insert(uuid);
            return;
        }
        if is_aside {
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

    fn note_calls(&mut self, line: &str, content: Content<'_>) {
        for block in content.blocks() {
            if let Block::ToolUse(call) = block
                && let Some(id) = call.id()
            {
                let is_answered = self.calls.get(&*id.decode()).is_some_and(|call| call.is_answered);
                self.calls.insert(id.to_string(), Call { line: line.to_owned(), is_answered });
            }
        }
    }

    fn note_answers(&mut self, content: Content<'_>) {
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
        // A chain is never longer than the file: a cycle ends there.
        for _ in 0..=self.parents.len() {
            match at {
                Some(here) if here == id => return true,
                Some(here) => at = self.parents.get(here).and_then(Option::as_deref),
                None => return false,
            }
        }
        false
    }

    /// The place of a draft: its own ids where it brings them, else the next ones.
    pub fn place(&self, draft: &Draft, fresh: Placing) -> Result<Stamp, PlaceError> {
        let now = self.newest.map_or(fresh.now, |newest| fresh.now.max(newest.saturating_add(1))).min(LATEST);
        let timestamp = match draft.own_timestamp() {
            Some(given) if !leaves_time(given) => {
                return Err(PlaceError::BadTimestamp(given.to_owned()));
            }
            Some(given) => given.to_owned(),
            // Never before a line that is there: the oldest client takes the newest line for the last.
            None => format_millis(now),
        };
        if !draft.kind().is_chain() {
            return Ok(Stamp { timestamp, ..Stamp::default() });
        }
        let uuid = draft.own_uuid().map_or(fresh.uuid, str::to_owned);
        if self.parents.contains_key(&uuid) {
            return Err(PlaceError::Duplicate(uuid));
        }
        let given_parent = draft.own_parent();
        if let Some(Some(parent)) = &given_parent
            && !self.parents.contains_key(*parent)
        {
            return Err(PlaceError::UnknownParent((*parent).to_owned()));
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
        Ok(Stamp { uuid, parent, logical_parent, source_assistant, timestamp })
    }

    /// The line, or the nearest above it that is no progress: old clients leave progress out, and all that is above it.
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

    /// The line of the call that a draft answers.
    fn source_of(&self, draft: &Draft, knows_its_place: bool) -> Result<Option<String>, PlaceError> {
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
            Some(call) if call.is_answered && !knows_its_place => Err(PlaceError::AlreadyAnswered(id)),
            Some(call) => Ok(Some(call.line.clone())),
            None if knows_its_place => Ok(None),
            None => Err(PlaceError::UnknownCall(id)),
        }
    }

    /// Whether the newest client would not find a line at this place: a `last-prompt` record names a leaf, and the line
    /// begins another branch.
    pub fn would_be_overlooked(&self, draft: &Draft, stamp: &Stamp) -> bool {
        let names_a_leaf = self.last_prompt.as_ref().is_some_and(|last| last.names_a_leaf);
        let counts =
            draft.kind().is_chain() && draft.kind() != RecordKind::Progress && self.thread == Thread::Main;
        names_a_leaf && counts && !is_boundary(draft) && stamp.parent != self.tip
    }

    /// The prompt that the last `last-prompt` record names.
    pub fn last_prompt(&self) -> Option<&str> {
        self.last_prompt.as_ref()?.prompt.as_deref()
    }

    /// The line that the next one continues.
    pub fn tip(&self) -> Option<&str> {
        self.tip.as_deref()
    }

    /// Whether a line with this id is there.
    pub fn knows(&self, uuid: &str) -> bool {
        self.parents.contains_key(uuid)
    }

    /// The model that last answered.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// What the last line says of where it was written.
    pub fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    /// The title that a person gave; an empty one was taken back.
    pub fn custom_title(&self) -> Option<&str> {
        self.custom_title.as_deref()
    }

    /// The tag; an empty one was taken back.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// What listers look for near the end of a file, to be written there again.
    pub fn repeated(&self) -> Vec<Draft> {
        let custom = self.custom_title.as_deref().map(Draft::custom_title);
        let ai = self.ai_title.as_deref().map(Draft::ai_title);
        let tag = self.tag.as_deref().map(Draft::tag);
        [ai, custom, tag].into_iter().flatten().collect()
    }
}

fn leaves_time(timestamp: &str) -> bool {
    parse_millis(timestamp).is_some_and(|millis| millis < LATEST - ROOM)
}

fn is_boundary(draft: &Draft) -> bool {
    let subtype = || draft.value("subtype").and_then(|value| value.text());
    draft.kind() == RecordKind::System && SystemKind::of(subtype()) == SystemKind::CompactBoundary
}
