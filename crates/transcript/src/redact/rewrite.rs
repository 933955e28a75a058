//! Every text of a line or a document, looked at and perhaps replaced; all other bytes stay.

use crate::line::Line;
use crate::objects::read_objects;
use annals_json::Value;

use super::placeholders::Placeholders;
use super::rules::Rules;
use super::taken::Taken;
use super::visit::{Place, PlaceKind, Replacement, Zone, visit};

/// A text of a file.
#[derive(Clone, Copy)]
pub struct Seen<'s> {
    /// The text.
    pub text: &'s str,
    /// The name of its field; empty where it has none.
    pub name: &'s str,
    /// Where it stands.
    pub kind: PlaceKind,
    /// Where a byte of the text stands in the file.
    pub offset_of: &'s dyn Fn(usize) -> usize,
}

impl std::fmt::Debug for Seen<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The text may be a secret.
        write!(formatter, "Seen({:?}, {} bytes)", self.name, self.text.len())
    }
}

/// Whoever looks.
pub type Look<'l> = dyn FnMut(Seen<'_>) -> Vec<Replacement> + 'l;

/// The body of a line with its replacements, `None` where there are none: its objects, and what is torn between them as
/// the text that it is.
pub fn rewrite_line(line: &Line<'_>, zone: Zone, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let (body, start) = (line.body(), line.offset + line.body_start());
    if let Ok(value) = Value::parse(body) {
        return rewrite_value(value, zone, start, look);
    }
    let mut objects = Vec::new();
    read_objects(line, |fields, _| objects.push(fields.raw()), |_| ());
    let mut splices = Vec::new();
    let mut at = 0;
    for object in objects {
        let place = object.as_ptr() as usize - body.as_ptr() as usize;
        splices.extend(rewrite_text(&body[at..place], start + at, look).map(|new| (at, place - at, new)));
        let value = Value::parse(object).ok();
        let new = value.and_then(|value| rewrite_value(value, zone, start + place, look));
        splices.extend(new.map(|new| (place, object.len(), new)));
        at = place + object.len();
    }
    splices.extend(rewrite_text(&body[at..], start + at, look).map(|new| (at, body.len() - at, new)));
    spliced(body, &splices)
}

/// A JSON value that starts at this byte of its file.
pub fn rewrite_value(value: Value<'_>, zone: Zone, start: usize, look: &mut Look<'_>) -> Option<Vec<u8>> {
    visit(value, zone, &mut |place| {
        let Place { text, name, kind, .. } = place;
        look(Seen { text, name, kind, offset_of: &|decoded| start + place.offset_of(decoded) })
    })
}

/// A whole document: JSON, else text.
pub fn rewrite_json(bytes: &[u8], zone: Zone, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let Ok(value) = Value::parse(bytes) else { return rewrite_text(bytes, 0, look) };
    let start = value.raw().as_ptr() as usize - bytes.as_ptr() as usize;
    let new = rewrite_value(value, zone, start, look)?;
    spliced(bytes, &[(start, value.raw().len(), new)])
}

/// Text, piece by piece: bytes that are none stay between the pieces.
pub fn rewrite_text(bytes: &[u8], start: usize, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let mut splices = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        let place = start + at;
        for (span, new) in
            look(Seen { text, name: "", kind: PlaceKind::Text, offset_of: &|decoded| place + decoded })
        {
            splices.push((at + span.start, span.len(), new.into_bytes()));
        }
        at += text.len() + chunk.invalid().len();
    }
    spliced(bytes, &splices)
}

/// Bytes with others in place of some of them: where, how many, which.
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

/// What is replaced in a text: what the rules find there, and what they found elsewhere.
pub fn replacements(seen: &Seen<'_>, rules: &Rules, placeholders: &mut Placeholders) -> Vec<Replacement> {
    let found = rules.find_seen(seen).into_iter();
    let mut all: Vec<Replacement> = found
        .map(|finding| {
            let placeholder = placeholders.of(finding.kind, &seen.text[finding.span.clone()]);
            (finding.span, placeholder)
        })
        .collect();
    // What was found elsewhere may be a word, and a record needs its words.
    if seen.kind == PlaceKind::RecordKey {
        return all;
    }
    let mut taken = Taken::default();
    for (span, _) in &all {
        taken.take(span);
    }
    all.extend(placeholders.find(seen.text).into_iter().filter(|(span, _)| taken.take(span)));
    all.sort_by_key(|(span, _)| span.start);
    all
}
