//! Records outside the chain: titles, tags, queues, links, file history. Their `type` comes first: listers look for it as
//! text.

use super::{Draft, Origin, Part, Stamp};
use crate::record::RecordKind;
use annals_json::ObjectWriter;

/// What happened to a prompt that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueStep {
    /// It was queued.
    Enqueue,
    /// It was taken to be sent.
    Dequeue,
    /// It was taken back.
    Remove,
    /// All were taken back.
    PopAll,
}

impl QueueStep {
    fn name(self) -> &'static str {
        match self {
            Self::Enqueue => "enqueue",
            Self::Dequeue => "dequeue",
            Self::Remove => "remove",
            Self::PopAll => "popAll",
        }
    }
}

/// What is kept of one file in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupOf {
    /// The file: relative under the working directory, absolute elsewhere.
    pub path: String,
    /// The copy's name; none where the file did not exist.
    pub name: Option<String>,
    /// Which copy.
    pub version: u64,
    /// When it was made, as in records.
    pub time: String,
}

fn write_backups(object: &mut ObjectWriter<'_>, backups: &[BackupOf]) {
    object.object("trackedFileBackups", |tracked| {
        for backup in backups {
            tracked.object(&backup.path, |entry| {
                entry.string_or_null("backupFileName", backup.name.as_deref());
                entry.number("version", backup.version).string("backupTime", &backup.time);
            });
        }
    });
}

/// Whether a snapshot opens a new state, or completes the one of an earlier line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotKind<'m> {
    /// The state before the line that the record belongs to.
    New,
    /// More files for the state that this line has opened.
    UpdateOf(&'m str),
}

impl Draft {
    /// The title that a person gave; an empty one takes it back.
    pub fn custom_title(title: &str) -> Self {
        Self::made(RecordKind::CustomTitle).string("customTitle", title).part(Part::Session)
    }

    /// The title that a model gave.
    pub fn ai_title(title: &str) -> Self {
        Self::made(RecordKind::AiTitle).string("aiTitle", title).part(Part::Session)
    }

    /// The session's tag; an empty one takes it back.
    pub fn tag(tag: &str) -> Self {
        Self::made(RecordKind::Tag).string("tag", tag).part(Part::Session)
    }

    /// The last prompt, and the leaf to resume from.
    pub fn last_prompt(prompt: &str, leaf: Option<&str>) -> Self {
        Self::made(RecordKind::LastPrompt)
            .string("lastPrompt", prompt)
            .string_if("leafUuid", leaf)
            .part(Part::Session)
    }

    /// A title for the conversation that ends at a line.
    pub fn summary(summary: &str, leaf: &str) -> Self {
        Self::made(RecordKind::Summary).string("summary", summary).string("leafUuid", leaf)
    }

    /// A prompt that waits, or no longer does. The content is JSON: a string or blocks.
    pub fn queue_operation(step: QueueStep, content: Option<&[u8]>) -> Self {
        let draft = Self::made(RecordKind::QueueOperation).string("operation", step.name());
        let draft = draft.part(Part::Timestamp).part(Part::Session);
        match content {
            Some(json) => draft.field("content", json),
            None => draft,
        }
    }

    /// A pull request that the session opened.
    pub fn pr_link(number: u64, url: &str, repository: &str) -> Self {
        let draft = Self::made(RecordKind::PrLink).part(Part::Session).number("prNumber", number);
        draft.string("prUrl", url).string("prRepository", repository).part(Part::Timestamp)
    }

    /// The mode of the client.
    pub fn mode(mode: &str) -> Self {
        Self::made(RecordKind::Mode).string("mode", mode).part(Part::Session)
    }

    /// The permission mode.
    pub fn permission_mode(mode: &str) -> Self {
        Self::made(RecordKind::PermissionMode).string("permissionMode", mode).part(Part::Session)
    }

    /// Which copies of edited files belong to a prompt. `line` is the line that the record belongs to; the time is when the
    /// state was opened.
    pub fn file_history_snapshot(
        line: &str,
        kind: SnapshotKind<'_>,
        backups: &[BackupOf],
        time: &str,
    ) -> Self {
        let opened_by = match kind {
            SnapshotKind::New => line,
            SnapshotKind::UpdateOf(earlier) => earlier,
        };
        Self::made(RecordKind::FileHistorySnapshot)
            .string("messageId", line)
            .object("snapshot", |snapshot| {
                snapshot.string("messageId", opened_by);
                write_backups(snapshot, backups);
                snapshot.string("timestamp", time);
            })
            .boolean("isSnapshotUpdate", matches!(kind, SnapshotKind::UpdateOf(_)))
    }

    /// What came to the copies of a prompt since its snapshot.
    pub fn file_history_delta(line: &str, prompt: &str, backups: &[BackupOf]) -> Self {
        let mut json = Vec::new();
        let mut object = ObjectWriter::begin(&mut json);
        write_backups(&mut object, backups);
        object.end();
        let tracked = annals_json::Value::parse(&json).ok().and_then(|value| value.get("trackedFileBackups"));
        let tracked = tracked.map_or(&b"{}"[..], |value| value.raw());
        let draft = Self::made(RecordKind::FileHistoryDelta).string("messageId", line);
        draft.string("snapshotMessageId", prompt).field("trackedFileBackups", tracked).part(Part::Timestamp)
    }
}

pub(super) fn line(kind: RecordKind, parts: &[Part], origin: &Origin, stamp: &Stamp) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", kind.name());
    for part in parts {
        match part {
            Part::Field(key, json) => object.raw(key, json),
            Part::Session => object.string("sessionId", &origin.session),
            Part::Timestamp => object.string("timestamp", &stamp.timestamp),
        };
    }
    object.end();
    out
}
