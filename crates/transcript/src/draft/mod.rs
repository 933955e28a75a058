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

use crate::json::{ObjectWriter, Value, write_string};
use crate::record::RecordKind;

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
    /// Made by another program: compact JSON, an object with a `type`.
    Given(Vec<u8>),
}

/// What a record that is made here brings of its place.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Own {
    uuid: Option<String>,
    /// The inner `None` starts a chain.
    parent: Option<Option<String>>,
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

    /// Adds a field. The value must be JSON; what is not is written as `null`.
    pub fn field(self, key: impl Into<Cow<'static, str>>, json: &[u8]) -> Self {
        let mut value = Vec::with_capacity(json.len());
        match Value::parse(json) {
            Ok(parsed) => crate::json::compact(parsed, &mut value),
            Err(_) => value.extend_from_slice(b"null"),
        }
        self.part(Part::Field(key.into(), value))
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
            Body::Made { kind, .. } => *kind,
            Body::Given(raw) => given::kind(raw),
        }
    }

    /// A field of it, as far as the draft has one.
    pub fn value(&self, key: &str) -> Option<Value<'_>> {
        match &self.body {
            Body::Made { parts, .. } => parts.iter().find_map(|part| match part {
                Part::Field(name, json) if name == key => Value::parse(json).ok(),
                _ => None,
            }),
            Body::Given(raw) => Value::parse(raw).ok()?.get(key),
        }
    }

    /// The id that it brings.
    pub fn own_uuid(&self) -> Option<String> {
        match &self.body {
            Body::Made { own, .. } => own.uuid.clone(),
            Body::Given(_) => self.text("uuid").filter(|id| !id.is_empty()),
        }
    }

    /// The parent that it brings; the inner `None` starts a chain.
    pub fn own_parent(&self) -> Option<Option<String>> {
        match &self.body {
            Body::Made { own, .. } => own.parent.clone(),
            Body::Given(_) => self.value("parentUuid").map(|value| value.text().map(|text| text.to_string())),
        }
    }

    /// The time that it brings.
    pub fn own_timestamp(&self) -> Option<String> {
        match &self.body {
            Body::Made { own, .. } => own.timestamp.clone(),
            Body::Given(_) => self.text("timestamp"),
        }
    }

    fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(Value::text).map(|text| text.to_string())
    }

    /// The line: one compact JSON object without a line break.
    pub fn line(&self, origin: &Origin, stamp: &Stamp) -> Vec<u8> {
        match &self.body {
            Body::Made { kind, parts, .. } if kind.is_chain() => chain::line(*kind, parts, origin, stamp),
            Body::Made { kind, parts, .. } => side::line(*kind, parts, origin, stamp),
            Body::Given(raw) => given::line(raw, origin, stamp),
        }
    }
}
