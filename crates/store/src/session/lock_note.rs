//! The note of a writer in its lock: the file's state when it was closed, or the line that it was about to write; and the
//! origin of a session that has no line yet.

use std::fs::File;
use std::io;
use std::path::Path;

use annals_json::{ObjectWriter, Text, Value};
use annals_transcript::draft::Origin;

use crate::busy::FileStamp;
use crate::digest::sha256;
use crate::files::{MAX_REPAIR_BYTES, read_from};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LockNote {
    /// How the file was left.
    pub(super) left: Option<FileStamp>,
    /// What a writer that has the file open, or was killed while it had, was about to write.
    pub(super) open: Option<PendingLine>,
    pub(super) origin: Option<Origin>,
}

/// The line that is about to be written: it tells our own last write from that of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingLine {
    /// The length of the file before.
    pub(super) from: u64,
    /// The length of the line, and its digest; nothing but the origin was noted yet without them.
    pub(super) line: Option<(u64, LineDigest)>,
}

/// Tells our line from that of a client. It is made for each line that is written, so it is a quick one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineDigest {
    Crc32(u32),
    /// The form of older builds.
    Sha256(String),
}

impl LineDigest {
    fn fits(&self, line: &[u8]) -> bool {
        match self {
            Self::Crc32(crc) => crc32fast::hash(line) == *crc,
            Self::Sha256(digest) => sha256(line) == *digest,
        }
    }
}

impl PendingLine {
    pub(super) fn new(from: u64, line: &[u8]) -> Self {
        Self { from, line: Some((line.len() as u64, LineDigest::Crc32(crc32fast::hash(line)))) }
    }

    /// Whether the end of the file is the writer's own work: nothing came after what it noted, or that line alone.
    pub(super) fn is_all_that_came(&self, path: &Path) -> bool {
        self.end_is_ours(path).unwrap_or(false)
    }

    fn end_is_ours(&self, path: &Path) -> io::Result<bool> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        if length == self.from {
            return Ok(true);
        }
        let Some((bytes, digest)) = &self.line else { return Ok(false) };
        // A torn line before it may have been ended first.
        let begins = length.saturating_sub(bytes + 1);
        if !(self.from..=self.from + MAX_REPAIR_BYTES).contains(&begins) {
            return self.is_torn(&mut file, length, *bytes);
        }
        let mut line = read_from(&mut file, begins)?;
        let is_whole = line.pop() == Some(b'\n') && digest.fits(&line);
        Ok(is_whole || self.is_torn(&mut file, length, *bytes)?)
    }

    /// Whether the file ends in a line without its end, no longer than ours: a writer that was killed tore it.
    fn is_torn(&self, file: &mut File, length: u64, bytes: u64) -> io::Result<bool> {
        let limit = self.from.saturating_add(bytes).saturating_add(MAX_REPAIR_BYTES);
        let torn = read_from(file, self.from.min(length))?;
        let healed = usize::try_from(MAX_REPAIR_BYTES).unwrap_or_default().min(torn.len());
        Ok((self.from..=limit).contains(&length) && !torn[healed..].contains(&b'\n'))
    }
}

impl LockNote {
    /// Reads a note; an unreadable one counts as empty.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Ok(value) = Value::parse(bytes) else { return Self::default() };
        let left = value.get("left").and_then(Value::fields).as_ref().and_then(FileStamp::read);
        Self {
            left,
            open: value.get("open").and_then(read_open),
            origin: value.get("origin").and_then(read_origin),
        }
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        if let Some(open) = &self.open {
            object.object("open", |object| {
                object.number("from", open.from);
                if let Some((bytes, digest)) = &open.line {
                    object.number("bytes", *bytes);
                    match digest {
                        LineDigest::Crc32(crc) => object.number("crc", u64::from(*crc)),
                        LineDigest::Sha256(digest) => object.string("line", digest),
                    };
                }
            });
        }
        if let Some(left) = self.left {
            object.object("left", |object| {
                object.number("bytes", left.bytes).number("modifiedNs", left.modified_ns);
            });
        }
        if let Some(origin) = &self.origin {
            object.object("origin", |object| {
                object.string("session", &origin.session).string_if("agent", origin.agent.as_deref());
                object.string("cwd", &origin.cwd).string("version", &origin.version);
                object.string("gitBranch", &origin.git_branch);
                object
                    .string_if("entrypoint", origin.entrypoint.as_deref())
                    .string_if("slug", origin.slug.as_deref());
            });
        }
        object.end();
        out
    }
}

/// The `true` of an older release tells nothing of what was written.
fn read_open(value: Value<'_>) -> Option<PendingLine> {
    let sha256 = value.get("line").and_then(Value::text);
    let crc32 = value.get("crc").and_then(Value::count).and_then(|crc| u32::try_from(crc).ok());
    let line = crc32
        .map(LineDigest::Crc32)
        .or_else(|| sha256.map(|text: Text<'_>| LineDigest::Sha256(text.to_string())));
    let bytes = value.get("bytes").and_then(Value::count);
    Some(PendingLine { from: value.get("from").and_then(Value::count)?, line: bytes.zip(line) })
}

fn read_origin(value: Value<'_>) -> Option<Origin> {
    let text = |key: &str| value.get(key).and_then(Value::text).map(|text: Text<'_>| text.to_string());
    Some(Origin {
        session: text("session")?,
        agent: text("agent"),
        cwd: text("cwd")?,
        version: text("version")?,
        git_branch: text("gitBranch")?,
        entrypoint: text("entrypoint"),
        slug: text("slug"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(note: &str) -> PendingLine {
        LockNote::read(note.as_bytes()).open.unwrap()
    }

    #[test]
    fn a_line_is_known_by_its_digest_in_both_forms() {
        let line = br#"{"type":"user"}"#;
        let note = LockNote { open: Some(PendingLine::new(7, line)), ..LockNote::default() };
        let read = LockNote::read(&note.write());
        assert_eq!(read, note);
        let old = format!(r#"{{"open":{{"from":7,"bytes":{},"line":"{}"}}}}"#, line.len(), sha256(line));
        for open in [read.open.unwrap(), pending(&old)] {
            let (bytes, digest) = open.line.unwrap();
            assert_eq!((open.from, bytes), (7, line.len() as u64));
            assert!(digest.fits(line) && !digest.fits(b"{\"type\":\"usar\"}"));
        }
    }

    #[test]
    fn a_note_without_a_digest_knows_no_line() {
        assert_eq!(pending(r#"{"open":{"from":7}}"#).line, None);
        assert_eq!(pending(r#"{"open":{"from":7,"bytes":3,"crc":4294967296}}"#).line, None);
        assert_eq!(LockNote::read(br#"{"open":true}"#).open, None);
    }
}
