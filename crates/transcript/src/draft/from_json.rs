//! Drafts from JSON records of other programs: kept as they are, with missing fields filled in.

use super::{Draft, DraftBody, DraftIds, Origin, Placement};
use crate::record::RecordKind;
use annals_json::{Fields, ParseError, RawJson, Value, write_string};

/// Why JSON cannot be taken as a record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// Not JSON, from this byte on.
    NotJson(usize),
    /// Not UTF-8, from this byte on. Clients would read something else, or refuse the file.
    NotUtf8(usize),
    /// The JSON is an array, a text, a number or another single value.
    NotAnObject,
    /// `type` is missing, empty or not a string.
    NoType,
    /// A message without the field that its type needs.
    Missing(&'static str),
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotJson(at) => write!(formatter, "byte {at}: not JSON"),
            Self::NotUtf8(at) => write!(formatter, "byte {at}: not UTF-8"),
            Self::NotAnObject => formatter.write_str("not a JSON object"),
            Self::NoType => {
                formatter.write_str("neither `type` (a record) nor `role` (a plain message) is set")
            }
            Self::Missing(key) => write!(formatter, "a record of this type needs `{key}`"),
        }
    }
}

impl std::error::Error for RecordError {}

impl Draft {
    /// Takes a record that another program made. White space between tokens is removed, nothing else changes.
    pub fn from_json(json: &[u8]) -> Result<Self, RecordError> {
        let value = Value::parse(json).map_err(|ParseError { at, .. }| RecordError::NotJson(at))?;
        std::str::from_utf8(json).map_err(|error| RecordError::NotUtf8(error.valid_up_to()))?;
        let fields = value.fields().ok_or(RecordError::NotAnObject)?;
        if fields.text("type").is_none_or(|word| word.is_empty()) {
            return Err(RecordError::NoType);
        }
        let kind = RecordKind::of(fields.text("type"));
        // Without it the client refuses the whole file, or crashes on the line.
        let needs_message = matches!(kind, RecordKind::User | RecordKind::Assistant);
        if needs_message && fields.get("message").is_none_or(|message| message.get("content").is_none()) {
            return Err(RecordError::Missing("message.content"));
        }
        Ok(Self { body: DraftBody::Given { kind, record: RawJson::of(value), own: own(&fields) } })
    }
}

fn own(fields: &Fields<'_>) -> DraftIds {
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    DraftIds {
        uuid: text("uuid").filter(|id| !id.is_empty()),
        parent: fields.get("parentUuid").map(|_| text("parentUuid")),
        logical_parent: None,
        timestamp: text("timestamp"),
    }
}

/// Writes the record. Its own ids, time and envelope stay; the session is always the one it is written to, and the parent
/// is never progress.
pub(super) fn line(kind: RecordKind, record: &RawJson, origin: &Origin, placement: &Placement) -> Vec<u8> {
    let Some(fields) = record.value().fields() else { return record.raw().to_vec() };
    let mut filler = RecordFiller { fields: &fields, changed: Vec::new(), added: Vec::new() };
    if kind.is_chain() {
        fill(&mut filler, origin, placement);
    } else {
        // Kinds that are not known have a session only if it is there.
        if fields.get("sessionId").is_some() || kind.names_session() {
            filler.set("sessionId", Some(&origin.session));
        }
        if kind.has_time() {
            filler.set_if_lacking("timestamp", Some(&placement.timestamp));
        }
    }
    filler.line()
}

fn fill(filler: &mut RecordFiller<'_>, origin: &Origin, placement: &Placement) {
    filler.set("parentUuid", placement.parent.as_deref());
    filler.set("uuid", Some(&placement.uuid));
    filler.set("timestamp", Some(&placement.timestamp));
    filler.set("sessionId", Some(&origin.session));
    filler.set_if_lacking("logicalParentUuid", placement.logical_parent.as_deref());
    filler.set_if_lacking("sourceToolAssistantUUID", placement.source_assistant.as_deref());
    filler.set_if_lacking("agentId", origin.agent.as_deref());
    filler.set_if_lacking("userType", Some("external"));
    filler.set_if_lacking("cwd", Some(&origin.cwd));
    // A record that names its version is complete as that release wrote it.
    if filler.lacks("version") {
        filler.set_if_lacking("entrypoint", origin.entrypoint.as_deref());
        filler.set("version", Some(&origin.version));
        filler.set_if_lacking("gitBranch", Some(&origin.git_branch));
        filler.set_if_lacking("slug", origin.slug.as_deref());
    }
    if filler.lacks("isSidechain") {
        let is_sidechain: &[u8] = if origin.agent.is_some() { b"true" } else { b"false" };
        filler.added.push(("isSidechain", is_sidechain.to_vec()));
    }
}

/// Changes and adds fields of a record in one pass.
struct RecordFiller<'f> {
    fields: &'f Fields<'f>,
    /// The index of a field, and its new value.
    changed: Vec<(usize, Vec<u8>)>,
    added: Vec<(&'static str, Vec<u8>)>,
}

impl RecordFiller<'_> {
    fn lacks(&self, key: &str) -> bool {
        self.fields.get(key).is_none()
    }

    fn set(&mut self, key: &'static str, text: Option<&str>) {
        let mut json = Vec::new();
        match text {
            Some(text) => write_string(&mut json, text),
            None => json.extend_from_slice(b"null"),
        }
        // The last of repeated keys counts.
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
