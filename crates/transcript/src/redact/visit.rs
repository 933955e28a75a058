//! Visits the texts of a JSON value and rewrites them; images, signatures, encrypted thinking and structural fields are
//! skipped.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::blocks::is_json_key_member;
use super::call_log::CallLog;
use super::encoded;
use super::origin::TextOrigin;
use super::structure::{is_sealed, is_structure};
use annals_json::{Field, Fields, MAX_WALK_DEPTH, Nesting, Text, Value, ValueKind, strings, write_string};

/// How a text of JSON is to be understood.
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
    /// Where it comes from.
    pub origin: &'p TextOrigin,
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

/// Fields that hold tool data.
const TOOL_DATA_FIELDS: [&str; 5] = ["input", "toolUseResult", "structuredContent", "mcpMeta", "arguments"];
/// Replaces the only thinking block of a message.
const REDACTED_THINKING: &[u8] = br#"{"type":"text","text":"[REDACTED:thinking]"}"#;

/// Calls `replace` for every text of a value, and notes its calls. Returns the new bytes if anything is replaced; all other bytes stay.
pub fn visit(
    value: Value<'_>,
    context: JsonContext,
    log: &mut CallLog,
    replace: &mut dyn FnMut(VisitedText<'_>) -> Vec<Replacement>,
) -> Option<Vec<u8>> {
    let nesting = Nesting::of(value);
    let origin = log.of_file().clone();
    let (whole, splices) = (value.raw(), Vec::new());
    let mut visitor = TextVisitor { whole, nesting: &nesting, log, origin, replace, splices, depth: 0 };
    let record = nesting.fields(value).filter(|_| context == JsonContext::Record);
    match record {
        Some(record) => visitor.record(&record),
        None => visitor.value(value, "", context),
    }
    (!visitor.splices.is_empty()).then(|| splice(value.raw(), &visitor.splices))
}

struct TextVisitor<'v, 'n> {
    whole: &'v [u8],
    nesting: &'n Nesting<'v>,
    log: &'n mut CallLog,
    /// Of the texts at this place.
    origin: TextOrigin,
    replace: &'n mut dyn FnMut(VisitedText<'_>) -> Vec<Replacement>,
    /// Ranges of the whole and their new bytes, in order.
    splices: Vec<(Range<usize>, Vec<u8>)>,
    depth: usize,
}

impl<'v> TextVisitor<'v, '_> {
    /// Visits a record, whose texts come from what other records ran and said.
    fn record(&mut self, record: &Fields<'v>) {
        let nesting = self.nesting;
        let content = record
            .get("message")
            .and_then(|message| nesting.fields(message))
            .and_then(|message| message.get("content"));
        let blocks = || {
            let blocks = content.into_iter().flat_map(|content| nesting.items(content));
            blocks.filter_map(|block| nesting.fields(block))
        };
        let origins = self.log.of_record(record, content, blocks());
        self.depth += 1;
        let is_visited = |_: Value<'v>| false;
        self.object_of(record, JsonContext::Record, is_visited, |name, origin| match name {
            "message" => origins.message.clone(),
            "toolUseResult" | "data" => origins.result.clone(),
            _ => origin.clone(),
        });
        self.depth -= 1;
        let said =
            content.and_then(Value::text).or_else(|| blocks().filter_map(|block| block.text("text")).last());
        if let Some(said) = said {
            self.log.note_message(&said.decode());
        }
    }

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
        let is_visited =
            |value: Value<'v>| except.is_some_and(|except| std::ptr::eq(except.raw(), value.raw()));
        self.object_of(fields, context, is_visited, |_, origin| origin.clone());
    }

    /// The same; `origin_of` says where the texts of a field come from.
    fn object_of(
        &mut self,
        fields: &Fields<'v>,
        context: JsonContext,
        is_visited: impl Fn(Value<'v>) -> bool,
        origin_of: impl Fn(&str, &TextOrigin) -> TextOrigin,
    ) {
        let kind = fields.text("type").map(Text::decode).unwrap_or_default();
        let paired = pair_name(fields);
        let outside = self.origin.clone();
        let inside = self.log.of_object(&kind, fields).unwrap_or_else(|| outside.clone());
        for Field { key, value } in fields.iter() {
            let name = key.decode();
            if is_structure(&name, value, context) || is_visited(value) {
                continue;
            }
            self.origin = origin_of(&name, &inside);
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
        self.origin = outside;
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
        let origin = &self.origin;
        self.log.note_output(&text, origin);
        let replacements = (self.replace)(VisitedText { text: &text, name, kind, origin, offset, map: &map });
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
        let (name, kind, offset, origin) = ("", TextKind::Text, place.start, &self.origin);
        let replacements = (self.replace)(VisitedText { text: &text, name, kind, origin, offset, map: &map });
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
