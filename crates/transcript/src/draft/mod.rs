//! Records to be written: what a line says, before it has a place in a file.
//!
//! A [`Draft`] is made by a constructor that knows the kind (a prompt, a tool's result, a title) or taken from a record that
//! another program made. [`Draft::line`] puts it into a session: the envelope of [`Origin`], the place of [`Stamp`]. Which
//! place that is, is known by [`Continuation`]. Nothing here writes a file, asks for the time or makes up an id.

mod agent;
mod chain;
mod continuation;
mod given;
mod plain;
mod response;
mod side;
mod system;

pub use agent::AgentAnswer;
pub use chain::{Said, ToolAnswer, ToolOutcome};
pub use continuation::{Continuation, PlaceError, Placing, Thread};
pub use given::GivenError;
pub use plain::{PlainDefaults, PlainError, drafts_of};
pub use response::ResponseDraft;
pub use side::{BackupOf, QueueStep, SnapshotKind};
pub use system::{CompactionTrigger, Retry};

use std::borrow::Cow;

use crate::record::RecordKind;
use annals_json::{ObjectWriter, RawJson, Value, write_string};

/// What all lines of one writer have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The session.
    pub session: String,
    /// The sub-agent, in a sub-agent's file.
    pub agent: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The release whose form is written.
    pub version: String,
    /// The git branch; `HEAD` where there is no git.
    pub git_branch: String,
    /// `cli`, `sdk-cli`, …: pickers list only those that a person had.
    pub entrypoint: Option<String>,
    /// The readable name of the session, which also names its plan.
    pub slug: Option<String>,
}

/// What is a line's own.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Its id.
    pub uuid: String,
    /// The line before it; none starts a chain.
    pub parent: Option<String>,
    /// The line before it across a compaction.
    pub logical_parent: Option<String>,
    /// The line whose tool call it answers.
    pub source_assistant: Option<String>,
    /// When, as in `2026-01-31T12:00:00.000Z`.
    pub timestamp: String,
}

/// A record that has no place yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    /// Made here.
    Made { kind: RecordKind, parts: Vec<Part>, own: Own },
    /// Made by another program: an object with a `type`. What its place needs to know is read once.
    Given { kind: RecordKind, record: RawJson, own: Own },
}

/// What a record brings of its place.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Own {
    uuid: Option<String>,
    /// The inner `None` starts a chain.
    parent: Option<Option<String>>,
    logical_parent: Option<String>,
    timestamp: Option<String>,
}

/// One piece of a record that is made here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A field with its value, which is JSON.
    Field(Cow<'static, str>, Vec<u8>),
    /// `sessionId`, in records outside the chain.
    Session,
    /// `timestamp`, in records outside the chain.
    Timestamp,
}

/// Fields that no draft brings: its line has them from its place.
const OF_THE_PLACE: [&str; 8] =
    ["type", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "isSidechain", "agentId"];

impl Draft {
    fn made(kind: RecordKind) -> Self {
        Self { body: Body::Made { kind, parts: Vec::new(), own: Own::default() } }
    }

    fn part(mut self, part: Part) -> Self {
        if let Body::Made { parts, .. } = &mut self.body {
            parts.push(part);
        }
        self
    }

    /// Adds a field, or gives it another value. The value must be JSON; what is not is written as `null`. Fields that the
    /// place decides are not taken.
    pub fn field(mut self, key: impl Into<Cow<'static, str>>, json: &[u8]) -> Self {
        let key = key.into();
        if OF_THE_PLACE.contains(&&*key) {
            return self;
        }
        let value = checked(json).unwrap_or_else(|| b"null".to_vec());
        if let Body::Made { parts, .. } = &mut self.body {
            let there = parts.iter_mut().find_map(|part| match part {
                Part::Field(name, json) if *name == key => Some(json),
                _ => None,
            });
            match there {
                Some(json) => *json = value,
                None => parts.push(Part::Field(key, value)),
            }
        }
        self
    }

    /// Gives it this id instead of a new one.
    pub fn with_uuid(mut self, uuid: &str) -> Self {
        if let Body::Made { own, .. } = &mut self.body {
            own.uuid = Some(uuid.to_owned());
        }
        self
    }

    /// Makes it continue this line instead of the last one; none starts a chain.
    pub fn with_parent(mut self, parent: Option<&str>) -> Self {
        if let Body::Made { own, .. } = &mut self.body {
            own.parent = Some(parent.map(str::to_owned));
        }
        self
    }

    /// Makes it follow this line across a compaction, instead of the last one.
    pub fn with_logical_parent(mut self, line: &str) -> Self {
        if let Body::Made { own, .. } = &mut self.body {
            own.logical_parent = Some(line.to_owned());
        }
        self
    }

    /// Gives it this time instead of now.
    pub fn with_timestamp(mut self, timestamp: &str) -> Self {
        if let Body::Made { own, .. } = &mut self.body {
            own.timestamp = Some(timestamp.to_owned());
        }
        self
    }

    fn string(self, key: &'static str, text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + 2);
        write_string(&mut json, text);
        self.part(Part::Field(key.into(), json))
    }

    fn string_if(self, key: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.string(key, text),
            None => self,
        }
    }

    fn number(self, key: &'static str, number: u64) -> Self {
        self.part(Part::Field(key.into(), number.to_string().into_bytes()))
    }

    fn boolean(self, key: &'static str, truth: bool) -> Self {
        self.part(Part::Field(key.into(), truth.to_string().into_bytes()))
    }

    fn object(self, key: &'static str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        fill(&mut object);
        object.end();
        self.part(Part::Field(key.into(), json))
    }

    /// Its kind.
    pub fn kind(&self) -> RecordKind {
        match &self.body {
            Body::Made { kind, .. } | Body::Given { kind, .. } => *kind,
        }
    }

    /// A field of it, as far as the draft has one.
    pub fn value(&self, key: &str) -> Option<Value<'_>> {
        match &self.body {
            Body::Made { parts, .. } => parts.iter().find_map(|part| match part {
                Part::Field(name, json) if name == key => Some(Value::from_checked(json)),
                _ => None,
            }),
            Body::Given { record, .. } => record.value().get(key),
        }
    }

    fn own(&self) -> &Own {
        match &self.body {
            Body::Made { own, .. } | Body::Given { own, .. } => own,
        }
    }

    /// The id that it brings.
    pub fn own_uuid(&self) -> Option<&str> {
        self.own().uuid.as_deref()
    }

    /// The parent that it brings; the inner `None` starts a chain.
    pub fn own_parent(&self) -> Option<Option<&str>> {
        self.own().parent.as_ref().map(Option::as_deref)
    }

    /// The time that it brings.
    pub fn own_timestamp(&self) -> Option<&str> {
        self.own().timestamp.as_deref()
    }

    fn own_logical_parent(&self) -> Option<String> {
        self.own().logical_parent.clone().or_else(|| self.text("logicalParentUuid"))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(Value::text).map(|text| text.to_string())
    }

    /// The line: one compact JSON object without a line break.
    pub fn line(&self, origin: &Origin, stamp: &Stamp) -> Vec<u8> {
        match &self.body {
            Body::Made { kind, parts, .. } if kind.is_chain() => chain::line(*kind, parts, origin, stamp),
            Body::Made { kind, parts, .. } => side::line(*kind, parts, origin, stamp),
            Body::Given { kind, record, .. } => given::line(*kind, record, origin, stamp),
        }
    }
}

/// Compact JSON, where it is JSON that every reader can read.
fn checked(json: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(json).ok()?;
    let mut compact = Vec::new();
    annals_json::compact(Value::parse(json).ok()?, &mut compact);
    Some(compact)
}

/// The same, or a string that says what stands there instead: nothing is lost, and the line stays one.
fn checked_or_string(json: &[u8]) -> Vec<u8> {
    checked(json).unwrap_or_else(|| {
        let mut string = Vec::new();
        write_string(&mut string, &String::from_utf8_lossy(json));
        string
    })
}
