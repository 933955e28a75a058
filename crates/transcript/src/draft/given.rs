//! Records that another program made: taken as they are, with what is missing filled in.

use super::{Body, Draft, Origin, Stamp};
use crate::edit::{EditError, Editor};
use crate::json::{Fault, Fields, Value, compact, write_string};
use crate::record::RecordKind;

/// Why bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenError {
    /// Not JSON; the byte at which that shows.
    NotJson(usize),
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
        let fields = value.fields().ok_or(GivenError::NotAnObject)?;
        if fields.text("type").is_none_or(|word| word.is_empty()) {
            return Err(GivenError::NoType);
        }
        // Without a message the client refuses the whole file, or crashes on the line.
        let needs_message = matches!(kind_of(&fields), RecordKind::User | RecordKind::Assistant);
        if needs_message && fields.get("message").is_none_or(|message| message.get("content").is_none()) {
            return Err(GivenError::Missing("message.content"));
        }
        let mut raw = Vec::with_capacity(json.len());
        compact(value, &mut raw);
        Ok(Self { body: Body::Given(raw) })
    }
}

fn kind_of(fields: &Fields<'_>) -> RecordKind {
    RecordKind::of(fields.text("type"))
}

pub(super) fn kind(raw: &[u8]) -> RecordKind {
    Value::parse(raw).ok().and_then(Value::fields).map_or(RecordKind::Untyped, |fields| kind_of(&fields))
}

/// The record at its place. Its own ids, time and surroundings stay; the session is always the one that it is written to.
pub(super) fn line(raw: &[u8], origin: &Origin, stamp: &Stamp) -> Vec<u8> {
    edited(raw, origin, stamp).unwrap_or_else(|_| raw.to_vec())
}

fn edited(raw: &[u8], origin: &Origin, stamp: &Stamp) -> Result<Vec<u8>, EditError> {
    let Some(fields) = Value::parse(raw).ok().and_then(Value::fields) else { return Ok(raw.to_vec()) };
    let kind = kind_of(&fields);
    let mut editor = Editor::new(raw)?;
    let mut set = |key: &str, text: Option<&str>| -> Result<(), EditError> {
        let mut json = Vec::new();
        match text {
            Some(text) => write_string(&mut json, text),
            None => json.extend_from_slice(b"null"),
        }
        if fields.get(key).is_none_or(|value| value.raw() != json) {
            editor.set(&[], key, &json)?;
        }
        Ok(())
    };
    if !kind.is_chain() {
        // Other kinds have a session or none, as their type will have it.
        if fields.get("sessionId").is_some() {
            set("sessionId", Some(&origin.session))?;
        }
        return editor.finish();
    }
    let lacks = |key: &str| fields.get(key).is_none();
    set("parentUuid", stamp.parent.as_deref())?;
    set("uuid", Some(&stamp.uuid))?;
    set("timestamp", Some(&stamp.timestamp))?;
    set("sessionId", Some(&origin.session))?;
    let of_place: [(&str, Option<&str>); 5] = [
        ("logicalParentUuid", stamp.logical_parent.as_deref()),
        ("sourceToolAssistantUUID", stamp.source_assistant.as_deref()),
        ("agentId", origin.agent.as_deref()),
        ("userType", Some("external")),
        ("cwd", Some(&origin.cwd)),
    ];
    // A record that names its version is whole as its release wrote it.
    let of_release: [(&str, Option<&str>); 4] = [
        ("entrypoint", origin.entrypoint.as_deref()),
        ("version", Some(&origin.version)),
        ("gitBranch", Some(&origin.git_branch)),
        ("slug", origin.slug.as_deref()),
    ];
    let of_release = of_release.into_iter().filter(|_| lacks("version"));
    for (key, text) in
        of_place.into_iter().chain(of_release).filter(|(key, text)| text.is_some() && lacks(key))
    {
        set(key, text)?;
    }
    if lacks("isSidechain") {
        editor.set(&[], "isSidechain", if origin.agent.is_some() { b"true" } else { b"false" })?;
    }
    editor.finish()
}
