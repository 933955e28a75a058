//! Records that another program made: taken as they are, with what is missing filled in.

use super::{Body, Draft, Origin, Own, Stamp};
use crate::record::RecordKind;
use annals_json::{Fault, Fields, RawJson, Value, write_string};

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenError {
    /// Not JSON; the byte at which that shows.
    NotJson(usize),
    /// Not UTF-8; the byte at which that shows. Clients read something else than what was meant, or refuse the file.
    NotUtf8(usize),
    /// Not an object.
    NotAnObject,
    /// No `type`, or one that is no word.
    NoType,
    /// A message without the field that its type needs.
    Missing(&'static str),
}

impl std::fmt::Display for GivenError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotJson(at) => write!(formatter, "byte {at}: it is not JSON"),
            Self::NotUtf8(at) => write!(formatter, "byte {at}: it is not UTF-8"),
            Self::NotAnObject => formatter.write_str("it is not an object"),
            Self::NoType => {
                formatter.write_str("it has neither a `type` (a record) nor a `role` (a plain message)")
            }
            Self::Missing(key) => write!(formatter, "a record of this type needs `{key}`"),
        }
    }
}

impl std::error::Error for GivenError {}

impl Draft {
    /// Takes a record as another program made it. White space goes, nothing else changes.
    pub fn given(json: &[u8]) -> Result<Self, GivenError> {
        let value = Value::parse(json).map_err(|Fault { at, .. }| GivenError::NotJson(at))?;
        std::str::from_utf8(json).map_err(|error| GivenError::NotUtf8(error.valid_up_to()))?;
        let fields = value.fields().ok_or(GivenError::NotAnObject)?;
        if fields.text("type").is_none_or(|word| word.is_empty()) {
            return Err(GivenError::NoType);
        }
        let kind = RecordKind::of(fields.text("type"));
        // Without a message the client refuses the whole file, or crashes on the line.
        let needs_message = matches!(kind, RecordKind::User | RecordKind::Assistant);
        if needs_message && fields.get("message").is_none_or(|message| message.get("content").is_none()) {
            return Err(GivenError::Missing("message.content"));
        }
        Ok(Self { body: Body::Given { kind, record: RawJson::of(value), own: own(&fields) } })
    }
}

fn own(fields: &Fields<'_>) -> Own {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    Own {
        uuid: text("uuid").filter(|id| !id.is_empty()),
        parent: fields.get("parentUuid").map(|_| text("parentUuid")),
        logical_parent: None,
        timestamp: text("timestamp"),
    }
}

/// The record at its place. Its own ids, time and surroundings stay; the session is always the one that it is written to,
/// and the parent is none that is progress.
pub(super) fn line(kind: RecordKind, record: &RawJson, origin: &Origin, stamp: &Stamp) -> Vec<u8> {
    let Some(fields) = record.value().fields() else { return record.raw().to_vec() };
    let mut filled = Filled { fields: &fields, changed: Vec::new(), added: Vec::new() };
    if kind.is_chain() {
        fill(&mut filled, origin, stamp);
    } else if fields.get("sessionId").is_some() {
        // Other kinds have a session or none, as their type will have it.
        filled.set("sessionId", Some(&origin.session));
    }
    filled.line()
}

fn fill(filled: &mut Filled<'_>, origin: &Origin, stamp: &Stamp) {
    filled.set("parentUuid", stamp.parent.as_deref());
    filled.set("uuid", Some(&stamp.uuid));
    filled.set("timestamp", Some(&stamp.timestamp));
    filled.set("sessionId", Some(&origin.session));
    filled.set_if_lacking("logicalParentUuid", stamp.logical_parent.as_deref());
    filled.set_if_lacking("sourceToolAssistantUUID", stamp.source_assistant.as_deref());
    filled.set_if_lacking("agentId", origin.agent.as_deref());
    filled.set_if_lacking("userType", Some("external"));
    filled.set_if_lacking("cwd", Some(&origin.cwd));
    // A record that names its version is whole as its release wrote it.
    if filled.lacks("version") {
        filled.set_if_lacking("entrypoint", origin.entrypoint.as_deref());
        filled.set("version", Some(&origin.version));
        filled.set_if_lacking("gitBranch", Some(&origin.git_branch));
        filled.set_if_lacking("slug", origin.slug.as_deref());
    }
    if filled.lacks("isSidechain") {
        let is_sidechain: &[u8] = if origin.agent.is_some() { b"true" } else { b"false" };
        filled.added.push(("isSidechain", is_sidechain.to_vec()));
    }
}

/// A record whose fields are changed or added to, all in one pass.
struct Filled<'f> {
    fields: &'f Fields<'f>,
    /// The place of a field, and its new value.
    changed: Vec<(usize, Vec<u8>)>,
    added: Vec<(&'static str, Vec<u8>)>,
}

impl Filled<'_> {
    fn lacks(&self, key: &str) -> bool {
        self.fields.get(key).is_none()
    }

    fn set(&mut self, key: &'static str, text: Option<&str>) {
        let mut json = Vec::new();
        match text {
            Some(text) => write_string(&mut json, text),
            None => json.extend_from_slice(b"null"),
        }
        // Of keys that repeat, the last one counts.
        match self.fields.iter().enumerate().filter(|(_, field)| field.key.is(key)).last() {
            Some((_, field)) if field.value.raw() == json => {}
            Some((at, _)) => self.changed.push((at, json)),
            None => self.added.push((key, json)),
        }
    }

    fn set_if_lacking(&mut self, key: &'static str, text: Option<&str>) {
        if text.is_some() && self.lacks(key) {
            self.set(key, text);
        }
    }

    fn line(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.fields.raw().len() + 512);
        out.push(b'{');
        for (at, field) in self.fields.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b",\"" } else { b"\"" });
            out.extend_from_slice(field.key.raw());
            out.extend_from_slice(b"\":");
            let changed = self.changed.iter().find(|(place, _)| *place == at);
            out.extend_from_slice(changed.map_or(field.value.raw(), |(_, json)| json));
        }
        for (key, json) in self.added {
            out.push(b',');
            write_string(&mut out, key);
            out.push(b':');
            out.extend_from_slice(&json);
        }
        out.push(b'}');
        out
    }
}
