//! Visits every text of a line or document and applies replacements; all other bytes stay.

use crate::line::Line;
use crate::objects::read_objects;
use annals_json::Value;

use super::call_log::CallLog;
use super::origin::TextOrigin;
use super::placeholders::Placeholders;
use super::ranges::ClaimedRanges;
use super::rules::SecretRules;
use super::utf16::Utf16Text;
use super::visit::{JsonContext, Replacement, TextKind, VisitedText, visit};

/// A text with its position in a file.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct FileText<'s> {
    /// The decoded text, without quotes and escapes.
    pub text: &'s str,
    /// The name of its field, or empty.
    pub name: &'s str,
    /// The kind of text.
    pub kind: TextKind,
    /// Where it comes from.
    pub origin: &'s TextOrigin,
    /// Maps a byte offset of the text to one of the file.
    pub offset_of: &'s dyn Fn(usize) -> usize,
}

impl std::fmt::Debug for FileText<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text may be a secret.
        write!(formatter, "FileText({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// Returns the replacements for a text.
pub type ReplaceFn<'l> = dyn FnMut(FileText<'_>) -> Vec<Replacement> + 'l;

/// Rewrites the body of a line; `None` if nothing is replaced. Torn parts between objects are visited as text.
pub fn rewrite_line(
    line: &Line<'_>,
    context: JsonContext,
    log: &mut CallLog,
    replace: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    let (body, start) = (line.body(), line.offset + line.body_start());
    if let Ok(value) = Value::parse(body) {
        return rewrite_value(value, context, start, log, replace);
    }
    let mut objects = Vec::new();
    read_objects(line, |fields, _| objects.push(fields.raw()), |_| ());
    let mut splices = Vec::new();
    let mut at = 0;
    for object in objects {
        let place = object.as_ptr() as usize - body.as_ptr() as usize;
        splices.extend(
            rewrite_text(&body[at..place], start + at, &TextOrigin::Unknown, replace)
                .map(|new| (at, place - at, new)),
        );
        let value = Value::parse(object).ok();
        let new = value.and_then(|value| rewrite_value(value, context, start + place, log, replace));
        splices.extend(new.map(|new| (place, object.len(), new)));
        at = place + object.len();
    }
    splices.extend(
        rewrite_text(&body[at..], start + at, &TextOrigin::Unknown, replace)
            .map(|new| (at, body.len() - at, new)),
    );
    spliced(body, &splices)
}

/// Rewrites a JSON value that starts at byte `start` of its file.
pub fn rewrite_value(
    value: Value<'_>,
    context: JsonContext,
    start: usize,
    log: &mut CallLog,
    replace: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    visit(value, context, log, &mut |place| {
        let VisitedText { text, name, kind, origin, .. } = place;
        replace(FileText { text, name, kind, origin, offset_of: &|decoded| start + place.offset_of(decoded) })
    })
}

/// Rewrites a whole document: JSON, else text.
pub fn rewrite_json(
    bytes: &[u8],
    context: JsonContext,
    log: &mut CallLog,
    replace: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    let Ok(value) = Value::parse(bytes) else {
        return rewrite_text(bytes, 0, &log.of_file().clone(), replace);
    };
    let start = value.raw().as_ptr() as usize - bytes.as_ptr() as usize;
    let new = rewrite_value(value, context, start, log, replace)?;
    spliced(bytes, &[(start, value.raw().len(), new)])
}

/// Rewrites text, also in UTF-16; bytes that are neither that nor UTF-8 stay.
pub fn rewrite_text(
    bytes: &[u8],
    start: usize,
    origin: &TextOrigin,
    replace: &mut ReplaceFn<'_>,
) -> Option<Vec<u8>> {
    if let Some(wide) = Utf16Text::of(bytes) {
        return wide.rewrite(start, origin, replace);
    }
    let mut splices = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        let place = start + at;
        let offset_of = |decoded: usize| place + decoded;
        let seen = FileText { text, name: "", kind: TextKind::Text, origin, offset_of: &offset_of };
        for (span, new) in replace(seen) {
            splices.push((at + span.start, span.len(), new.into_bytes()));
        }
        at += text.len() + chunk.invalid().len();
    }
    spliced(bytes, &splices)
}

/// Replaces ranges of bytes, each given as offset, length and new bytes; `None` if there are none.
pub fn spliced(bytes: &[u8], splices: &[(usize, usize, Vec<u8>)]) -> Option<Vec<u8>> {
    if splices.is_empty() {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (start, length, new) in splices {
        out.extend_from_slice(&bytes[at..*start]);
        out.extend_from_slice(new);
        at = start + length;
    }
    out.extend_from_slice(&bytes[at..]);
    Some(out)
}

/// Returns the replacements of a text: what the rules find there, and secrets that they found elsewhere.
pub fn replacements(
    file_text: &FileText<'_>,
    rules: &SecretRules,
    placeholders: &mut Placeholders,
) -> Vec<Replacement> {
    let found = rules.find_in(file_text).into_iter();
    let mut all: Vec<Replacement> = found
        .map(|finding| {
            let placeholder = placeholders.of(finding.kind, &file_text.text[finding.span.clone()]);
            (finding.span, placeholder)
        })
        .collect();
    // A secret found elsewhere may be an ordinary word, which a record key must keep.
    if file_text.kind == TextKind::RecordKey {
        return all;
    }
    let mut claimed = ClaimedRanges::default();
    for (span, _) in &all {
        claimed.claim(span);
    }
    all.extend(placeholders.find(file_text.text).into_iter().filter(|(span, _)| claimed.claim(span)));
    all.sort_by_key(|(span, _)| span.start);
    all
}
