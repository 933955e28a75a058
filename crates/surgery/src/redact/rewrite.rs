//! Every text of a file, whatever its form, looked at and perhaps replaced; all other bytes stay.

use annals_store::SessionKey;
use annals_transcript::json::Value;
use annals_transcript::line::{Line, lines};
use annals_transcript::objects::read_objects;
use annals_transcript::redact::{PlaceKind, Replacement, Zone, visit};

use super::suspects::Form;

/// A text of a file.
pub(super) struct Seen<'s> {
    /// The text.
    pub(super) text: &'s str,
    /// The name of its field; empty where it has none.
    pub(super) name: &'s str,
    /// Where a byte of the text stands in the file.
    pub(super) offset_of: &'s dyn Fn(usize) -> usize,
}

/// Whoever looks.
pub(super) type Look<'l> = dyn FnMut(Seen<'_>) -> Vec<Replacement> + 'l;

/// The file with its replacements; none where there are none.
pub(super) fn rewrite(form: &Form, bytes: &[u8], look: &mut Look<'_>) -> Option<Vec<u8>> {
    match form {
        Form::Lines => every_line(bytes, |line| of_line(line, look)),
        Form::History(session) => every_line(bytes, |line| {
            let value = Value::parse(line.body()).ok()?;
            if is_of(value, session) { of_value(value, Zone::Record, body_start(line), look) } else { None }
        }),
        Form::Index(session) => of_index(bytes, session, look),
        Form::Record => of_json(bytes, Zone::Record, look),
        Form::Output => of_json(bytes, Zone::Free, look),
        Form::Text => of_text(bytes, 0, look),
    }
}

fn body_start(line: &Line<'_>) -> usize {
    line.offset + line.body_start()
}

fn is_of(value: Value<'_>, session: &SessionKey) -> bool {
    value.get("sessionId").and_then(Value::text).is_some_and(|id| id.is(session.as_str()))
}

fn every_line(bytes: &[u8], mut body: impl FnMut(&Line<'_>) -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    let mut splices = Vec::new();
    for line in lines(bytes) {
        if let Some(new) = body(&line) {
            splices.push((body_start(&line), line.body().len(), new));
        }
    }
    spliced(bytes, &splices)
}

/// A line: its objects, and what is torn between them as the text that it is.
fn of_line(line: &Line<'_>, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let (body, start) = (line.body(), body_start(line));
    if let Ok(value) = Value::parse(body) {
        return of_value(value, Zone::Record, start, look);
    }
    let mut objects = Vec::new();
    read_objects(line, |fields, _| objects.push(fields.raw()), |_| ());
    let mut splices = Vec::new();
    let mut at = 0;
    for object in objects {
        let place = object.as_ptr() as usize - body.as_ptr() as usize;
        splices.extend(of_text(&body[at..place], start + at, look).map(|new| (at, place - at, new)));
        let value = Value::parse(object).ok();
        let new = value.and_then(|value| of_value(value, Zone::Record, start + place, look));
        splices.extend(new.map(|new| (place, object.len(), new)));
        at = place + object.len();
    }
    splices.extend(of_text(&body[at..], start + at, look).map(|new| (at, body.len() - at, new)));
    spliced(body, &splices)
}

fn of_value(value: Value<'_>, zone: Zone, start: usize, look: &mut Look<'_>) -> Option<Vec<u8>> {
    visit(value, zone, &mut |place| {
        // The name of a field is no field, and announces nothing about itself.
        let name = if place.kind == PlaceKind::Key { "" } else { place.name };
        look(Seen { text: place.text, name, offset_of: &|decoded| start + place.offset_of(decoded) })
    })
}

fn of_json(bytes: &[u8], zone: Zone, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let Ok(value) = Value::parse(bytes) else { return of_text(bytes, 0, look) };
    let start = value.raw().as_ptr() as usize - bytes.as_ptr() as usize;
    let new = of_value(value, zone, start, look)?;
    spliced(bytes, &[(start, value.raw().len(), new)])
}

fn of_index(bytes: &[u8], session: &SessionKey, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let entries = Value::parse(bytes).ok()?.get("entries")?;
    let mut splices = Vec::new();
    for entry in entries.items().filter(|entry| is_of(*entry, session)) {
        let start = entry.raw().as_ptr() as usize - bytes.as_ptr() as usize;
        let new = of_value(entry, Zone::Record, start, look);
        splices.extend(new.map(|new| (start, entry.raw().len(), new)));
    }
    spliced(bytes, &splices)
}

/// Text, piece by piece: bytes that are none stay between the pieces.
fn of_text(bytes: &[u8], start: usize, look: &mut Look<'_>) -> Option<Vec<u8>> {
    let mut splices = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let text = chunk.valid();
        let place = start + at;
        for (span, new) in look(Seen { text, name: "", offset_of: &|decoded| place + decoded }) {
            splices.push((at + span.start, span.len(), new.into_bytes()));
        }
        at += text.len() + chunk.invalid().len();
    }
    spliced(bytes, &splices)
}

/// Bytes with others in place of some of them: where, how many, which.
fn spliced(bytes: &[u8], splices: &[(usize, usize, Vec<u8>)]) -> Option<Vec<u8>> {
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
