//! Visits the texts of a JSON value and rewrites them; images, signatures, encrypted thinking and structural fields are
//! skipped.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::blocks::is_json_key_member;
use super::encoded;
use super::haystack::is_data;
use annals_json::{Field, Fields, MAX_WALK_DEPTH, Nesting, Text, Value, ValueKind, strings, write_string};

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
    map: &'p OffsetMap<'p>,
}

impl VisitedText<'_> {
    /// Maps a byte offset of the decoded text to one of the visited value. Quick if the offsets ascend.
    pub fn offset_of(&self, decoded: usize) -> usize {
        self.offset + self.map.raw_offset(decoded)
    }
}

/// Maps offsets of a decoded text to its raw bytes, each time from where it stopped before.
#[derive(Debug)]
struct OffsetMap<'r> {
    raw: &'r [u8],
    last: Cell<(usize, usize)>,
}

impl<'r> OffsetMap<'r> {
    fn new(raw: &'r [u8]) -> Self {
        Self { raw, last: Cell::new((0, 0)) }
    }

    fn raw_offset(&self, decoded: usize) -> usize {
        let (last, raw) = Some(self.last.get()).filter(|(last, _)| *last <= decoded).unwrap_or_default();
        let at = raw + Text::from_raw(&self.raw[raw..]).raw_offset(decoded - last);
        self.last.set((decoded, at));
        at
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
    let nesting = Nesting::of(value);
    let mut visitor =
        TextVisitor { whole: value.raw(), nesting: &nesting, replace, splices: Vec::new(), depth: 0 };
    visitor.value(value, "", context);
    (!visitor.splices.is_empty()).then(|| splice(value.raw(), &visitor.splices))
}

struct TextVisitor<'v, 'n> {
    whole: &'v [u8],
    nesting: &'n Nesting<'v>,
    replace: &'n mut dyn FnMut(VisitedText<'_>) -> Vec<Replacement>,
    /// Ranges of the whole and their new bytes, in order.
    splices: Vec<(Range<usize>, Vec<u8>)>,
    depth: usize,
}

impl<'v> TextVisitor<'v, '_> {
    fn value(&mut self, value: Value<'v>, name: &str, context: JsonContext) {
        if self.depth >= MAX_WALK_DEPTH {
            return self.flat(value, name);
        }
        self.depth += 1;
        match value.kind() {
            ValueKind::String => {
                if let Some(text) = value.text() {
                    self.text(text, name, TextKind::Text);
                }
            }
            ValueKind::Array => self.array(value, name, context),
            ValueKind::Object => {
                if let Some(fields) = self.nesting.fields(value) {
                    self.object(&fields, context, None);
                }
            }
            ValueKind::Null | ValueKind::Boolean | ValueKind::Number => {}
        }
        self.depth -= 1;
    }

    /// Visits the strings of a value that is nested too deep for recursion.
    fn flat(&mut self, value: Value<'v>, name: &str) {
        let mut name = name.to_owned();
        for string in strings(value) {
            if string.is_key {
                self.text(string.text, "", TextKind::Key);
                name = string.text.to_string();
            } else {
                self.text(string.text, &name, TextKind::Text);
            }
        }
    }

    /// Visits an object, except one value that was visited before.
    fn object(&mut self, fields: &Fields<'v>, context: JsonContext, except: Option<Value<'v>>) {
        let kind = fields.text("type").map(Text::decode).unwrap_or_default();
        let paired = pair_name(fields);
        for Field { key, value } in fields.iter() {
            let name = key.decode();
            if is_structure(&name, value, context)
                || except.is_some_and(|except| std::ptr::eq(except.raw(), value.raw()))
            {
                continue;
            }
            if is_sealed(&name, &kind, value, fields) {
                self.document(&name, &kind, value);
                continue;
            }
            self.text(
                key,
                "",
                if context == JsonContext::Record { TextKind::RecordKey } else { TextKind::Key },
            );
            let is_tool_data = context == JsonContext::Record && TOOL_DATA_FIELDS.contains(&name.as_ref());
            let name = match () {
                () if name.eq_ignore_ascii_case("value") => paired.as_deref().unwrap_or(&name),
                () if is_json_key_member(&name, || fields.text("kty").is_some()) => "private_key",
                () => &name,
            };
            self.value(value, name, if is_tool_data { JsonContext::ToolData } else { context });
        }
    }

    fn array(&mut self, array: Value<'v>, name: &str, context: JsonContext) {
        let mut kept_end = None;
        let mut lost: Option<Range<usize>> = None;
        let nesting = self.nesting;
        for item in nesting.items(array) {
            let here = span(self.whole, item.raw());
            let thought = nesting.fields(item).filter(is_thought);
            if thought.as_ref().is_some_and(|thought| self.is_lost(thought)) {
                lost = Some(lost.map_or(here.start, |lost| lost.start)..here.end);
                continue;
            }
            if let Some(lost) = lost.take() {
                self.splices.push((lost.start..here.start, Vec::new()));
            }
            match thought {
                Some(thought) => self.object(&thought, context, thought.get(THINKING)),
                None => self.value(item, name, context),
            }
            kept_end = Some(here.end);
        }
        match (lost, kept_end) {
            (Some(lost), Some(kept)) => self.splices.push((kept..lost.end, Vec::new())),
            (Some(lost), None) => self.splices.push((lost, REDACTED_THINKING.to_vec())),
            (None, _) => {}
        }
    }

    /// Whether a thinking block must be removed.
    fn is_lost(&mut self, thought: &Fields<'v>) -> bool {
        let Some(raw) = thought.text(THINKING) else { return false };
        !self.replacements(raw, "", TextKind::Thought).1.is_empty()
    }

    fn replacements(
        &mut self,
        raw: Text<'v>,
        name: &str,
        kind: TextKind,
    ) -> (Cow<'v, str>, Vec<Replacement>) {
        let text = raw.decode();
        let offset = span(self.whole, raw.raw()).start;
        let map = OffsetMap::new(raw.raw());
        let replacements = (self.replace)(VisitedText { text: &text, name, kind, offset, map: &map });
        (text, replacements)
    }

    /// Replaces ranges of a string; all its other bytes stay.
    fn text(&mut self, raw: Text<'v>, name: &str, kind: TextKind) {
        let (text, replacements) = self.replacements(raw, name, kind);
        let whole = span(self.whole, raw.raw());
        let map = OffsetMap::new(raw.raw());
        let before = self.splices.len();
        for (decoded, new) in &replacements {
            let place = map.raw_offset(decoded.start)..map.raw_offset(decoded.end);
            // Offsets are only approximate in invalid UTF-8: then the whole decoded text is written.
            if Text::from_raw(&raw.raw()[place.clone()]).decode() != text[decoded.clone()] {
                self.splices.truncate(before);
                self.splices.push((whole, escaped(&replaced(&text, &replacements))));
                return;
            }
            self.splices.push((whole.start + place.start..whole.start + place.end, escaped(new)));
        }
    }

    /// Replaces ranges of a text that is written in base64, and writes the rest in base64 again.
    fn document(&mut self, name: &str, kind: &str, value: Value<'v>) {
        let is_encrypted = kind == "redacted_thinking" || !["data", "base64", "blob"].contains(&name);
        let Some(raw) = value.text().filter(|_| !is_encrypted) else { return };
        let Some(text) = encoded::decode(&raw.decode()) else { return };
        let place = span(self.whole, raw.raw());
        let map = OffsetMap::new(b"");
        let visited =
            VisitedText { text: &text, name: "", kind: TextKind::Text, offset: place.start, map: &map };
        let replacements = (self.replace)(visited);
        if !replacements.is_empty() {
            self.splices.push((place, encoded::encode(&replaced(&text, &replacements)).into_bytes()));
        }
    }
}

/// The name in `{"name": "TOKEN", "value": "…"}`.
fn pair_name<'v>(fields: &Fields<'v>) -> Option<Cow<'v, str>> {
    let name = ["name", "key", "Name", "Key"].iter().find_map(|name| fields.text(name))?;
    (name.raw().len() <= 128).then(|| name.decode())
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
