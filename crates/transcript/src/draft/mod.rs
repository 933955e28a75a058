//! Records to be written, before they have an id, a parent and a time.
//!
//! A [`Draft`] comes from a constructor for its kind ([`Draft::prompt`], [`Draft::tool_result`], [`Draft::custom_title`]) or
//! from a record of another program ([`Draft::from_json`]). [`Continuation`] knows the end of a session file and computes
//! the [`Placement`] of the next record; [`Draft::line`] writes it with the envelope of [`Origin`]. Nothing here writes
//! files, reads the clock or generates ids.

mod agent;
mod chain;
mod continuation;
mod from_json;
mod from_message;
mod response;
mod side;
mod system;

pub use agent::AgentResultDraft;
pub use chain::{PromptContent, ToolOutcome, ToolResultDraft};
pub use continuation::{Continuation, PlacementDefaults, PlacementError, ThreadKind};
pub use from_json::RecordError;
pub use from_message::{DraftError, ResponseDefaults, drafts_from_message};
pub use response::ResponseDraft;
pub use side::{FileBackupDraft, QueueStep, SnapshotKind};
pub use system::{CompactionTrigger, Retry, StopHookSummaryDraft};

use std::borrow::Cow;

use crate::record::RecordKind;
use annals_json::{ObjectWriter, RawJson, Value, write_string};

/// Envelope fields that all records of one writer share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The session's id, a UUID: `sessionId` of each record.
    pub session: String,
    /// The sub-agent, in a sub-agent's file.
    pub agent: Option<String>,
    /// The working directory.
    pub cwd: String,
    /// The client version whose format is written.
    pub version: String,
    /// The git branch; `HEAD` outside a repository.
    pub git_branch: String,
    /// `cli`, `sdk-cli`, …: session pickers list interactive ones only.
    pub entrypoint: Option<String>,
    /// The readable name of the session, which also names its plan.
    pub slug: Option<String>,
}

/// The ids, parent and time of one record.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Placement {
    /// Its id.
    pub uuid: String,
    /// The parent; `None` starts a chain.
    pub parent: Option<String>,
    /// The parent across a compaction.
    pub logical_parent: Option<String>,
    /// The assistant record whose tool call it answers.
    pub source_assistant: Option<String>,
    /// When, as in `2026-01-31T12:00:00.000Z`.
    pub timestamp: String,
}

/// A record to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    body: DraftBody,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DraftBody {
    /// Built by a constructor.
    Made { kind: RecordKind, parts: Vec<DraftField>, own: DraftIds },
    /// Taken from another program: an object with a `type`.
    Given { kind: RecordKind, record: RawJson, own: DraftIds },
}

/// Ids and time that the draft sets itself.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct DraftIds {
    uuid: Option<String>,
    /// The inner `None` starts a chain.
    parent: Option<Option<String>>,
    logical_parent: Option<String>,
    timestamp: Option<String>,
}

/// One field of a built record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DraftField {
    /// A field with its value, which is JSON.
    Field(Cow<'static, str>, Vec<u8>),
    /// `sessionId`, in records outside the chain.
    Session,
    /// `timestamp`, in records outside the chain.
    Timestamp,
}

/// Fields that drafts cannot set: the placement sets them.
const PLACEMENT_FIELDS: [&str; 8] =
    ["type", "uuid", "parentUuid", "logicalParentUuid", "timestamp", "sessionId", "isSidechain", "agentId"];

impl Draft {
    fn made(kind: RecordKind) -> Self {
        Self { body: DraftBody::Made { kind, parts: Vec::new(), own: DraftIds::default() } }
    }

    fn part(mut self, part: DraftField) -> Self {
        if let DraftBody::Made { parts, .. } = &mut self.body {
            parts.push(part);
        }
        self
    }

    /// Sets a field. Invalid JSON is written as `null`; fields that the placement sets are ignored.
    pub fn field(mut self, key: impl Into<Cow<'static, str>>, json: &[u8]) -> Self {
        let key = key.into();
        if PLACEMENT_FIELDS.contains(&&*key) {
            return self;
        }
        let value = checked(json).unwrap_or_else(|| b"null".to_vec());
        if let DraftBody::Made { parts, .. } = &mut self.body {
            let there = parts.iter_mut().find_map(|part| match part {
                DraftField::Field(name, json) if *name == key => Some(json),
                _ => None,
            });
            match there {
                Some(json) => *json = value,
                None => parts.push(DraftField::Field(key, value)),
            }
        }
        self
    }

    /// Sets the uuid, instead of a generated one.
    pub fn with_uuid(mut self, uuid: &str) -> Self {
        if let DraftBody::Made { own, .. } = &mut self.body {
            own.uuid = Some(uuid.to_owned());
        }
        self
    }

    /// Sets the parent, instead of the last record; `None` starts a chain.
    pub fn with_parent(mut self, parent: Option<&str>) -> Self {
        let (DraftBody::Made { own, .. } | DraftBody::Given { own, .. }) = &mut self.body;
        own.parent = Some(parent.map(str::to_owned));
        self
    }

    /// Sets the parent across a compaction, instead of the last record.
    pub fn with_logical_parent(mut self, line: &str) -> Self {
        if let DraftBody::Made { own, .. } = &mut self.body {
            own.logical_parent = Some(line.to_owned());
        }
        self
    }

    /// Sets the timestamp, instead of now.
    pub fn with_timestamp(mut self, timestamp: &str) -> Self {
        if let DraftBody::Made { own, .. } = &mut self.body {
            own.timestamp = Some(timestamp.to_owned());
        }
        self
    }

    fn string(self, key: &'static str, text: &str) -> Self {
        let mut json = Vec::with_capacity(text.len() + 2);
        write_string(&mut json, text);
        self.part(DraftField::Field(key.into(), json))
    }

    fn string_if(self, key: &'static str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.string(key, text),
            None => self,
        }
    }

    fn number(self, key: &'static str, number: u64) -> Self {
        self.part(DraftField::Field(key.into(), number.to_string().into_bytes()))
    }

    fn boolean(self, key: &'static str, truth: bool) -> Self {
        self.part(DraftField::Field(key.into(), truth.to_string().into_bytes()))
    }

    fn object(self, key: &'static str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        fill(&mut object);
        object.end();
        self.part(DraftField::Field(key.into(), json))
    }

    /// The record kind.
    pub fn kind(&self) -> RecordKind {
        match &self.body {
            DraftBody::Made { kind, .. } | DraftBody::Given { kind, .. } => *kind,
        }
    }

    /// Returns a field of the draft.
    pub fn value(&self, key: &str) -> Option<Value<'_>> {
        match &self.body {
            DraftBody::Made { parts, .. } => parts.iter().find_map(|part| match part {
                DraftField::Field(name, json) if name == key => Some(Value::from_checked(json)),
                _ => None,
            }),
            DraftBody::Given { record, .. } => record.value().get(key),
        }
    }

    fn own(&self) -> &DraftIds {
        match &self.body {
            DraftBody::Made { own, .. } | DraftBody::Given { own, .. } => own,
        }
    }

    /// The uuid that the draft sets.
    pub fn own_uuid(&self) -> Option<&str> {
        self.own().uuid.as_deref()
    }

    /// The parent that the draft sets; the inner `None` starts a chain.
    pub fn own_parent(&self) -> Option<Option<&str>> {
        self.own().parent.as_ref().map(Option::as_deref)
    }

    /// The timestamp that the draft sets.
    pub fn own_timestamp(&self) -> Option<&str> {
        self.own().timestamp.as_deref()
    }

    fn own_logical_parent(&self) -> Option<String> {
        self.own().logical_parent.clone().or_else(|| self.text("logicalParentUuid"))
    }

    fn text(&self, key: &str) -> Option<String> {
        self.value(key).and_then(Value::text).map(|text| text.to_string())
    }

    /// Writes the record as one compact JSON object without a newline.
    pub fn line(&self, origin: &Origin, placement: &Placement) -> Vec<u8> {
        match &self.body {
            DraftBody::Made { kind, parts, .. } if kind.is_chain() => {
                chain::line(*kind, parts, origin, placement)
            }
            DraftBody::Made { kind, parts, .. } => side::line(*kind, parts, origin, placement),
            DraftBody::Given { kind, record, .. } => from_json::line(*kind, record, origin, placement),
        }
    }
}

/// Returns compact JSON, or `None` if it is not valid JSON in UTF-8.
fn checked(json: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(json).ok()?;
    let mut compact = Vec::new();
    annals_json::compact(Value::parse(json).ok()?, &mut compact);
    Some(compact)
}

/// Like [`checked`], but wraps invalid JSON in a string, so that nothing is lost.
fn checked_or_string(json: &[u8]) -> Vec<u8> {
    checked(json).unwrap_or_else(|| {
        let mut string = Vec::new();
        write_string(&mut string, &String::from_utf8_lossy(json));
        string
    })
}
