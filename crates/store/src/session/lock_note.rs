//! The note of a writer in its lock: the file's state when it was closed, and the origin of a session that has no
//! line yet.

use annals_json::{ObjectWriter, Text, Value};
use annals_transcript::draft::Origin;

use crate::busy::FileStamp;

/// The note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LockNote {
    /// How the file was left.
    pub(super) left: Option<FileStamp>,
    /// Whether a writer has the file open, or was killed while it had.
    pub(super) is_open: bool,
    pub(super) origin: Option<Origin>,
}

impl LockNote {
    /// Reads a note; an unreadable one counts as empty.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Ok(value) = Value::parse(bytes) else { return Self::default() };
        let left = value.get("left").and_then(Value::fields).as_ref().and_then(FileStamp::read);
        let is_open = value.get("open").and_then(Value::boolean) == Some(true);
        Self { left, is_open, origin: value.get("origin").and_then(read_origin) }
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        if self.is_open {
            object.boolean("open", true);
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
