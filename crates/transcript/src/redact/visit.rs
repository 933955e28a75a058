//! Visits the texts of a JSON value and rewrites them; images, signatures, encrypted thinking and structural fields are
//! skipped.

use std::ops::Range;

use super::base64::is_data;
use annals_json::{Field, Fields, MAX_WALK_DEPTH, Text, Value, ValueKind, strings, write_string};

/// The kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextKind {
    /// A value.
    Text,
    /// Thinking: a replacement removes the whole block, because its signature covers the exact bytes.
    Thought,
    /// The name of a field in tool input or output.
    Key,
    /// The name of a record field, which is structural: only certain secrets count.
    RecordKey,
}

/// One text of a value.
#[derive(Clone, Copy, Debug)]
pub struct VisitedText<'p> {
    /// The text, decoded.
    pub text: &'p str,
    /// The name of its field, or empty.
    pub name: &'p str,
    /// The kind of text.
    pub kind: TextKind,
    /// The offset of its first byte in the visited value.
    pub offset: usize,
    raw: Text<'p>,
}

impl VisitedText<'_> {
    /// Maps a byte offset of the decoded text to one of the visited value.
    pub fn offset_of(&self, decoded: usize) -> usize {
        self.offset + self.raw.raw_offset(decoded)
    }
}

/// A byte range of a text and its replacement; lists are in order, without overlap.
pub type Replacement = (Range<usize>, String);

/// What a value belongs to, which decides the structural fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonContext {
    /// A record, whose ids, types and paths are structural.
    Record,
    /// Tool input or output, where any name may hold text.
    ToolData,
    /// No structural fields: for scans that replace nothing.
    ScanOnly,
}

/// Structural fields of records: ids, types and paths. A value with white space is text.
const STRUCTURAL_FIELDS: [&str; 40] = [
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
/// Structural fields that are structural in tool data too.
const ALWAYS_STRUCTURAL_FIELDS: [&str; 6] =
    ["type", "agentId", "tool_use_id", "uuid", "sessionId", "media_type"];
/// Structural fields that are paths, which may have white space.
const PATH_FIELDS: [&str; 3] = ["cwd", "fullPath", "projectPath"];
/// Fields that hold tool data.
const TOOL_DATA_FIELDS: [&str; 5] = ["input", "toolUseResult", "structuredContent", "mcpMeta", "arguments"];
/// Replaces the only thinking block of a message.
const REDACTED_THINKING: &[u8] = br#"{"type":"text","text":"[REDACTED:thinking]"}"#;

/// Calls `replace` for every text of a value. Returns the new bytes if anything is replaced; all other bytes stay.
pub fn visit(
    value: Value<'_>,
    context: JsonContext,
    replace: &mut dyn FnMut(VisitedText<'_>) -> Vec<Replacement>,
) -> Option<Vec<u8>> {
    TextVisitor { whole: value.raw(), replace, depth: 0 }.value(value, "", context)
}

struct TextVisitor<'v> {
    whole: &'v [u8],
    replace: &'v mut dyn FnMut(VisitedText<'_>) -> Vec<Replacement>,
    depth: usize,
}

impl<'v> TextVisitor<'v> {
    fn value(&mut self, value: Value<'v>, name: &str, context: JsonContext) -> Option<Vec<u8>> {
        if self.depth >= MAX_WALK_DEPTH {
            return self.flat(value, name);
        }
        self.depth += 1;
        let new = match value.kind() {
            ValueKind::String => value
                .text()
                .and_then(|text| self.text(text, name, TextKind::Text))
                .map(|inside| quoted(&inside)),
            ValueKind::Array => self.array(value, name, context),
            ValueKind::Object => value.fields().and_then(|fields| self.object(&fields, context, None)),
            ValueKind::Null | ValueKind::Boolean | ValueKind::Number => None,
        };
        self.depth -= 1;
        new
    }

    /// Visits the strings of a value that is nested too deep for recursion.
    fn flat(&mut self, value: Value<'v>, name: &str) -> Option<Vec<u8>> {
        let mut name = name.to_owned();
        let mut splices = Vec::new();
        for string in strings(value) {
            let kind = if string.is_key { TextKind::Key } else { TextKind::Text };
            if let Some(inside) = self.text(string.text, if string.is_key { "" } else { &name }, kind) {
                splices.push((span(value.raw(), string.text.raw()), inside));
            }
            if string.is_key {
                name = string.text.to_string();
            }
        }
        (!splices.is_empty()).then(|| splice(value.raw(), &splices))
    }

    /// Visits an object, except one value that was visited before.
    fn object(
        &mut self,
        fields: &Fields<'v>,
        context: JsonContext,
        except: Option<Value<'v>>,
    ) -> Option<Vec<u8>> {
        let kind = fields.text("type").map(Text::decode).unwrap_or_default();
        let mut splices = Vec::new();
        for Field { key, value } in fields.iter() {
            let name = key.decode();
            if is_structure(&name, value, context) || is_sealed(&name, &kind, value, fields) {
                continue;
            }
            if except.is_some_and(|except| std::ptr::eq(except.raw(), value.raw())) {
                continue;
            }
            let kind = if context == JsonContext::Record { TextKind::RecordKey } else { TextKind::Key };
            if let Some(inside) = self.text(key, "", kind) {
                splices.push((span(fields.raw(), key.raw()), inside));
            }
            let is_tool_data = context == JsonContext::Record && TOOL_DATA_FIELDS.contains(&name.as_ref());
            if let Some(bytes) =
                self.value(value, &name, if is_tool_data { JsonContext::ToolData } else { context })
            {
                splices.push((span(fields.raw(), value.raw()), bytes));
            }
        }
        (!splices.is_empty()).then(|| splice(fields.raw(), &splices))
    }

    fn array(&mut self, array: Value<'v>, name: &str, context: JsonContext) -> Option<Vec<u8>> {
        let mut splices = Vec::new();
        let mut lost = Vec::new();
        for (place, item) in array.items().enumerate() {
            let thought = item.fields().filter(is_thought);
            if thought.as_ref().is_some_and(|thought| self.thought(thought)) {
                lost.push(place);
                continue;
            }
            let new = match thought {
                Some(thought) => self.object(&thought, context, thought.get(THINKING)),
                None => self.value(item, name, context),
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
            kept.push(REDACTED_THINKING.to_vec());
        }
        Some([b"[".as_slice(), &kept.join(&b","[..]), b"]"].concat())
    }

    /// Whether a thinking block must be removed.
    fn thought(&mut self, thought: &Fields<'v>) -> bool {
        thought.text(THINKING).is_some_and(|text| self.text(text, "", TextKind::Thought).is_some())
    }

    /// Returns the new content of a string, escaped; only replaced ranges change.
    fn text(&mut self, raw: Text<'v>, name: &str, kind: TextKind) -> Option<Vec<u8>> {
        let text = raw.decode();
        let offset = span(self.whole, raw.raw()).start;
        let replacements = (self.replace)(VisitedText { text: &text, name, kind, offset, raw });
        if replacements.is_empty() {
            return None;
        }
        let mut splices = Vec::new();
        for (decoded, new) in &replacements {
            let place = raw.raw_offset(decoded.start)..raw.raw_offset(decoded.end);
            // Offsets are only approximate in invalid UTF-8: then the whole decoded text is written.
            if Text::from_raw(&raw.raw()[place.clone()]).decode() != text[decoded.clone()] {
                return Some(escaped(&replaced(&text, &replacements)));
            }
            splices.push((place, escaped(new)));
        }
        Some(splice(raw.raw(), &splices))
    }
}

/// The type of a thinking block, and the field with its text.
const THINKING: &str = "thinking";

/// Whether it is a thinking block with text.
fn is_thought(fields: &Fields<'_>) -> bool {
    fields.text("type").is_some_and(|kind| kind.is(THINKING)) && fields.text(THINKING).is_some()
}

fn is_structure(name: &str, value: Value<'_>, context: JsonContext) -> bool {
    let is_named = match context {
        JsonContext::Record => STRUCTURAL_FIELDS.contains(&name),
        JsonContext::ToolData => ALWAYS_STRUCTURAL_FIELDS.contains(&name),
        JsonContext::ScanOnly => false,
    };
    let is_word = |text: Text<'_>| !text.decode().contains(char::is_whitespace);
    is_named && value.text().is_some_and(|text| PATH_FIELDS.contains(&name) || is_word(text))
}

/// Whether a field holds data instead of text: a signature, an image, a document.
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

/// Whether a sibling field names a media type, such as `image/png`.
fn has_media_type(fields: &Fields<'_>) -> bool {
    ["type", "media_type", "mediaType", "mimeType"]
        .iter()
        .any(|name| fields.text(name).is_some_and(|kind| kind.raw().contains(&b'/')))
}

/// Applies replacements to a text.
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

/// The range of a slice within the whole.
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
