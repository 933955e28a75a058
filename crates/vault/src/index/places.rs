//! What is where, as lines of JSON: one that says how the pack must look, one a frame, one a piece, one a file's contents.

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value};

use super::{Content, Places};
use crate::blocks::Guard;
use crate::id::{Check, ChunkId, ContentId};
use crate::pack::{ChunkPlace, FramePlace};

/// The lines.
pub(super) fn write(places: &Places) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(shape) = &places.shape {
        line(&mut out, |object| {
            object.number("guarded", shape.guard.length);
            object
                .string("checks", &joined(&shape.guard.checks))
                .string("parity", &joined(&shape.guard.parity));
        });
        for frame in &shape.frames {
            line(&mut out, |object| {
                object
                    .number("frame", frame.offset)
                    .number("length", frame.length)
                    .number("bytes", frame.bytes);
            });
        }
        for chunk in &shape.chunks {
            line(&mut out, |object| {
                object.string("piece", &chunk.id.to_string()).number("in", chunk.frame);
                object.number("at", chunk.at).number("bytes", chunk.length);
            });
        }
    }
    for content in &places.contents {
        line(&mut out, |object| {
            object.string("sha256", &content.id.to_string()).number("bytes", content.bytes);
            object.string_if("base", content.base.map(|base| base.to_string()).as_deref());
            object.string_if("mask", Some(content.mask.as_str()).filter(|mask| !mask.is_empty()));
            object.array("pieces", |list: &mut ArrayWriter<'_>| {
                for chunk in &content.chunks {
                    list.string(&chunk.to_string());
                }
            });
        });
    }
    out
}

fn line(out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
    let mut object = ObjectWriter::begin(out);
    fill(&mut object);
    object.end();
    out.push(b'\n');
}

fn joined(checks: &[Check]) -> String {
    checks.iter().map(Check::to_string).collect()
}

/// Reads them back; nothing where they are not what [`write`] writes.
pub(super) fn read(bytes: &[u8]) -> Option<Places> {
    let mut places = Places::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let fields = Value::parse(line).ok()?.fields()?;
        if fields.get("pieces").is_some() {
            places.contents.push(content(&fields)?);
        } else if let Some(length) = fields.count("guarded") {
            let guard =
                Guard { length, checks: checks(&fields, "checks")?, parity: checks(&fields, "parity")? };
            places.shape.get_or_insert_default().guard = guard;
        } else if let Some(offset) = fields.count("frame") {
            let frame = FramePlace { offset, length: fields.count("length")?, bytes: fields.count("bytes")? };
            places.shape.get_or_insert_default().frames.push(frame);
        } else {
            places.shape.get_or_insert_default().chunks.push(piece(&fields)?);
        }
    }
    Some(places)
}

fn piece(fields: &Fields<'_>) -> Option<ChunkPlace> {
    let small = |key: &str| u32::try_from(fields.count(key)?).ok();
    let id = ChunkId::parse(&fields.text("piece")?.decode())?;
    Some(ChunkPlace { id, frame: small("in")?, at: small("at")?, length: small("bytes")? })
}

fn content(fields: &Fields<'_>) -> Option<Content> {
    let chunks = fields.get("pieces")?.items().map(|item| ChunkId::parse(&item.text()?.decode()));
    let base = match fields.text("base") {
        Some(digits) => Some(ContentId::parse(&digits.decode())?),
        None => None,
    };
    Some(Content {
        id: ContentId::parse(&fields.text("sha256")?.decode())?,
        bytes: fields.count("bytes")?,
        base,
        mask: fields.text("mask").map(|mask| mask.to_string()).unwrap_or_default(),
        chunks: chunks.collect::<Option<_>>()?,
    })
}

fn checks(fields: &Fields<'_>, key: &str) -> Option<Vec<Check>> {
    let digits = fields.text(key)?.decode();
    let words = digits.as_bytes().chunks(16).map(|word| Check::parse(std::str::from_utf8(word).ok()?));
    words.collect()
}
