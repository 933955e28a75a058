//! The text-bearing places of a JSON value, each looked at and perhaps rewritten; images, signatures, sealed thoughts and
//! what holds a record together are not text.

use std::ops::Range;

use super::base64::is_data;
use annals_json::{Field, Fields, Kind, Text, Value, write_string};

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A value.
    Text,
    /// A thought: a replacement removes it as a whole, since its signature holds for its very bytes.
    Thought,
    /// The name of a field, in what a tool was given or gave.
    Key,
    /// The name of a field of a record, which holds it together: only what can be nothing but a secret is one there.
    RecordKey,
}

/// One text.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The text, decoded.
    pub text: &'p str,
    /// The name of its field; empty where it has none.
    pub name: &'p str,
    /// Where it stands.
    pub kind: PlaceKind,
    /// Its first byte within the value that is visited, as written.
    pub offset: usize,
    raw: Text<'p>,
}

impl Place<'_> {
    /// Where a byte of the decoded text stands within the value that is visited.
    pub fn offset_of(&self, decoded: usize) -> usize {
        self.offset + self.raw.raw_offset(decoded)
    }
}

/// Bytes of a text, and what takes their place; in order, without overlap.
pub type Replacement = (Range<usize>, String);

/// What surrounds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// A record of the client's, whose ids, types and folders hold it together.
    Record,
    /// What a tool was given or gave: any name may mean anything.
    Free,
    /// Nothing holds anything together: for those who look and replace nothing.
    Open,
}

/// Fields that hold a record together: ids, words and folders. What has white space or parts there is none of them.
const STRUCTURE: [&str; 40] = [
    "type",
    "subtype",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "session_id",
    "agentId",
    "requestId",
    "id",
    "tool_use_id",
    "toolUseID",
    "toolUseId",
    "parentToolUseID",
    "sourceToolUseID",
    "sourceToolAssistantUUID",
    "messageId",
    "leafUuid",
    "snapshotMessageId",
    "timestamp",
    "backupTime",
    "backupFileName",
    "cwd",
    "gitBranch",
    "version",
    "role",
    "model",
    "slug",
    "userType",
    "entrypoint",
    "level",
    "stop_reason",
    "stop_sequence",
    "service_tier",
    "media_type",
    "status",
    "promptId",
    "contentHash",
    "fullPath",
    "projectPath",
];
/// Fields of structure that stay such in what tools give.
const ALWAYS_STRUCTURE: [&str; 6] = ["type", "agentId", "tool_use_id", "uuid", "sessionId", "media_type"];
/// Fields of structure that are folders, whose names may have white space.
const FOLDERS: [&str; 3] = ["cwd", "fullPath", "projectPath"];
/// Fields below which any name may mean anything.
const FREE: [&str; 5] = ["input", "toolUseResult", "structuredContent", "mcpMeta", "arguments"];
/// What is said where a message has lost its only thought.
const LOST_THOUGHT: &[u8] = br#"{"type":"text","text":"[REDACTED:thinking]"}"#;

/// Looks at every text of a value. Where `look` replaces something, the value's new bytes are the answer; every byte outside
/// a replaced place stays as it is.
pub fn visit(
    value: Value<'_>,
    zone: Zone,
    look: &mut dyn FnMut(Place<'_>) -> Vec<Replacement>,
) -> Option<Vec<u8>> {
    Visitor { whole: value.raw(), look }.value(value, "", zone)
}

struct Visitor<'v> {
    whole: &'v [u8],
    look: &'v mut dyn FnMut(Place<'_>) -> Vec<Replacement>,
}

impl<'v> Visitor<'v> {
    fn value(&mut self, value: Value<'v>, name: &str, zone: Zone) -> Option<Vec<u8>> {
        match value.kind() {
            Kind::String => self.text(value.text()?, name, PlaceKind::Text).map(|inside| quoted(&inside)),
            Kind::Array => self.array(value, name, zone),
            Kind::Object => self.object(&value.fields()?, zone, None),
            Kind::Null | Kind::Boolean | Kind::Number => None,
        }
    }

    /// An object, but for a value of it that was looked at.
    fn object(&mut self, fields: &Fields<'v>, zone: Zone, but: Option<Value<'v>>) -> Option<Vec<u8>> {
        let kind = fields.text("type").map(Text::decode).unwrap_or_default();
        let mut splices = Vec::new();
        for Field { key, value } in fields.iter() {
            let name = key.decode();
            if is_structure(&name, value, zone) || is_sealed(&name, &kind, value, fields) {
                continue;
            }
            if but.is_some_and(|but| std::ptr::eq(but.raw(), value.raw())) {
                continue;
            }
            let kind = if zone == Zone::Record { PlaceKind::RecordKey } else { PlaceKind::Key };
            if let Some(inside) = self.text(key, "", kind) {
                splices.push((span(fields.raw(), key.raw()), inside));
            }
            let is_free = zone == Zone::Record && FREE.contains(&name.as_ref());
            if let Some(bytes) = self.value(value, &name, if is_free { Zone::Free } else { zone }) {
                splices.push((span(fields.raw(), value.raw()), bytes));
            }
        }
        (!splices.is_empty()).then(|| splice(fields.raw(), &splices))
    }

    fn array(&mut self, array: Value<'v>, name: &str, zone: Zone) -> Option<Vec<u8>> {
        let mut splices = Vec::new();
        let mut lost = Vec::new();
        for (place, item) in array.items().enumerate() {
            let thought = item.fields().filter(is_thought);
            if thought.as_ref().is_some_and(|thought| self.thought(thought)) {
                lost.push(place);
                continue;
            }
            let new = match thought {
                Some(thought) => self.object(&thought, zone, thought.get(THINKING)),
                None => self.value(item, name, zone),
            };
            splices.extend(new.map(|bytes| (span(array.raw(), item.raw()), bytes)));
        }
        if lost.is_empty() {
            return (!splices.is_empty()).then(|| splice(array.raw(), &splices));
        }
        let mut kept: Vec<Vec<u8>> = Vec::new();
        for (_, item) in array.items().enumerate().filter(|(place, _)| !lost.contains(place)) {
            let here = span(array.raw(), item.raw());
            let changed = splices.iter().find(|(place, _)| *place == here).map(|(_, bytes)| bytes.clone());
            kept.push(changed.unwrap_or_else(|| item.raw().to_vec()));
        }
        if kept.is_empty() {
            kept.push(LOST_THOUGHT.to_vec());
        }
        Some([b"[".as_slice(), &kept.join(&b","[..]), b"]"].concat())
    }

    /// Whether a thought must go.
    fn thought(&mut self, thought: &Fields<'v>) -> bool {
        thought.text(THINKING).is_some_and(|text| self.text(text, "", PlaceKind::Thought).is_some())
    }

    /// The new inside of a string, escaped; only what is replaced is written anew.
    fn text(&mut self, raw: Text<'v>, name: &str, kind: PlaceKind) -> Option<Vec<u8>> {
        let text = raw.decode();
        let offset = span(self.whole, raw.raw()).start;
        let replacements = (self.look)(Place { text: &text, name, kind, offset, raw });
        if replacements.is_empty() {
            return None;
        }
        let mut splices = Vec::new();
        for (decoded, new) in &replacements {
            let place = raw.raw_offset(decoded.start)..raw.raw_offset(decoded.end);
            // Where bytes are no UTF-8, places cannot be told: then the whole text is written as it reads.
            if Text::of_inside(&raw.raw()[place.clone()]).decode() != text[decoded.clone()] {
                return Some(escaped(&replaced(&text, &replacements)));
            }
            splices.push((place, escaped(new)));
        }
        Some(splice(raw.raw(), &splices))
    }
}

/// A thought, and the field of it that has its text.
const THINKING: &str = "thinking";

/// Whether it is a thought that has a text.
fn is_thought(fields: &Fields<'_>) -> bool {
    fields.text("type").is_some_and(|kind| kind.is(THINKING)) && fields.text(THINKING).is_some()
}

fn is_structure(name: &str, value: Value<'_>, zone: Zone) -> bool {
    let is_named = match zone {
        Zone::Record => STRUCTURE.contains(&name),
        Zone::Free => ALWAYS_STRUCTURE.contains(&name),
        Zone::Open => false,
    };
    let is_word = |text: Text<'_>| !text.decode().contains(char::is_whitespace);
    is_named && value.text().is_some_and(|text| FOLDERS.contains(&name) || is_word(text))
}

/// Whether a field holds bytes that are no text: the signature of a thought, an image, a document.
fn is_sealed(name: &str, kind: &str, value: Value<'_>, beside: &Fields<'_>) -> bool {
    let is_solid = |text: Text<'_>| {
        text.raw().iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_\\nr".contains(byte))
    };
    let Some(text) = value.text().filter(|text| is_solid(*text)) else { return false };
    match name {
        "signature" | "thinkingSignature" => [THINKING, "signature_delta"].contains(&kind),
        "data" => ["base64", "image", "audio", "document", "redacted_thinking"].contains(&kind),
        "base64" | "blob" => has_media_type(beside) || is_data(&text.decode()),
        _ => false,
    }
}

/// Whether something says what the bytes beside it are: `image/png`.
fn has_media_type(fields: &Fields<'_>) -> bool {
    ["type", "media_type", "mediaType", "mimeType"]
        .iter()
        .any(|name| fields.text(name).is_some_and(|kind| kind.raw().contains(&b'/')))
}

/// A text with its replacements.
pub(super) fn replaced(text: &str, replacements: &[Replacement]) -> String {
    let splices: Vec<_> =
        replacements.iter().map(|(span, new)| (span.clone(), new.as_bytes().to_vec())).collect();
    String::from_utf8_lossy(&splice(text.as_bytes(), &splices)).into_owned()
}

fn splice(raw: &[u8], splices: &[(Range<usize>, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    for (span, bytes) in splices {
        out.extend_from_slice(&raw[at..span.start]);
        out.extend_from_slice(bytes);
        at = span.end;
    }
    out.extend_from_slice(&raw[at..]);
    out
}

/// The place of a part within the whole that it is a slice of.
fn span(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    start..start + part.len()
}

fn escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, text);
    out[1..out.len() - 1].to_vec()
}

fn quoted(inside: &[u8]) -> Vec<u8> {
    [b"\"", inside, b"\""].concat()
}
