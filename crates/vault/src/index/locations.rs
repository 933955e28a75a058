//! Locations as lines of JSON: one for the block checks, then one per frame, per chunk and per content.

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value};

use super::{Locations, StoredContent};
use crate::blocks::BlockChecks;
use crate::id::{Check, ChunkId, ContentId};
use crate::pack::{ChunkLocation, FrameLocation};

pub(super) fn write(locations: &Locations) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(layout) = &locations.layout {
        line(&mut out, |object| {
            object.number("guarded", layout.block_checks.length);
            object
                .string("checks", &joined(&layout.block_checks.checks))
                .string("parity", &joined(&layout.block_checks.parity));
        });
        for frame in &layout.frames {
            line(&mut out, |object| {
                object
                    .number("frame", frame.offset)
                    .number("length", frame.length)
                    .number("bytes", frame.bytes);
            });
        }
        for chunk in &layout.chunks {
            line(&mut out, |object| {
                object.string("piece", &chunk.id.to_string()).number("in", chunk.frame);
                object.number("at", chunk.at).number("bytes", chunk.length);
            });
        }
    }
    for content in &locations.contents {
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

/// Parses what [`write`] wrote; `None` for anything else.
pub(super) fn read(bytes: &[u8]) -> Option<Locations> {
    let mut locations = Locations::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let fields = Value::parse(line).ok()?.fields()?;
        if fields.get("pieces").is_some() {
            locations.contents.push(content(&fields)?);
        } else if let Some(length) = fields.count("guarded") {
            let block_checks = BlockChecks {
                length,
                checks: checks(&fields, "checks")?,
                parity: checks(&fields, "parity")?,
            };
            locations.layout.get_or_insert_default().block_checks = block_checks;
        } else if let Some(offset) = fields.count("frame") {
            let frame =
                FrameLocation { offset, length: fields.count("length")?, bytes: fields.count("bytes")? };
            locations.layout.get_or_insert_default().frames.push(frame);
        } else {
            locations.layout.get_or_insert_default().chunks.push(chunk(&fields)?);
        }
    }
    Some(locations)
}

fn chunk(fields: &Fields<'_>) -> Option<ChunkLocation> {
    let small = |key: &str| u32::try_from(fields.count(key)?).ok();
    let id = ChunkId::parse(&fields.text("piece")?.decode())?;
    Some(ChunkLocation { id, frame: small("in")?, at: small("at")?, length: small("bytes")? })
}

fn content(fields: &Fields<'_>) -> Option<StoredContent> {
    let chunks = fields.get("pieces")?.items().map(|item| ChunkId::parse(&item.text()?.decode()));
    let base = match fields.text("base") {
        Some(digits) => Some(ContentId::parse(&digits.decode())?),
        None => None,
    };
    Some(StoredContent {
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
