//! The records that tell what was kept, built as JSON. Nothing here touches the disk.

use annals_transcript::json::ObjectWriter;
use annals_transcript::time::format_millis;

use super::KeptCopy;

/// Whether a snapshot opens a new state, or completes the one of an earlier line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotKind<'m> {
    /// The state before the line that the record belongs to.
    New,
    /// More files for the state that this line has opened.
    UpdateOf(&'m str),
}

/// The object `trackedFileBackups`: each file by its [key](super::Backups::key), in the order given.
pub fn tracked_file_backups<'f>(files: impl IntoIterator<Item = (&'f str, &'f KeptCopy)>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    for (key, kept) in files {
        object.object(key, |file| {
            file.string_or_null("backupFileName", kept.name.as_deref());
            file.number("version", kept.version).string("backupTime", &format_millis(kept.time));
        });
    }
    object.end();
    out
}

/// A `file-history-snapshot` record for the line `message`. `tracked` is made by [`tracked_file_backups`]; `millis` is when
/// the state was opened.
pub fn snapshot_record(message: &str, kind: SnapshotKind<'_>, tracked: &[u8], millis: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", "file-history-snapshot").string("messageId", message);
    object.object("snapshot", |snapshot| {
        let opened_by = match kind {
            SnapshotKind::New => message,
            SnapshotKind::UpdateOf(earlier) => earlier,
        };
        snapshot.string("messageId", opened_by).raw("trackedFileBackups", tracked);
        snapshot.string("timestamp", &format_millis(millis));
    });
    object.boolean("isSnapshotUpdate", matches!(kind, SnapshotKind::UpdateOf(_)));
    object.end();
    out
}

/// A `file-history-delta` record for the line `message`: what was kept since the snapshot of the line `snapshot_message`.
pub fn delta_record(message: &str, snapshot_message: &str, tracked: &[u8], millis: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", "file-history-delta").string("messageId", message);
    object.string("snapshotMessageId", snapshot_message).raw("trackedFileBackups", tracked);
    object.string("timestamp", &format_millis(millis));
    object.end();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_history::{Kept, tracked_by_delta, tracked_by_snapshot};
    use annals_transcript::json::Fields;
    use annals_transcript::record::{FileHistoryDelta, FileHistorySnapshot};

    fn tracked() -> Vec<u8> {
        let copy = KeptCopy { name: Some("00ff@v2".into()), version: 2, time: 1_767_455_098_325 };
        let none = KeptCopy { name: None, version: 1, time: 0 };
        tracked_file_backups([("src/a \"b\".rs", &copy), ("new.rs", &none)])
    }

    #[test]
    fn a_snapshot_is_what_the_client_writes() {
        let line =
            String::from_utf8(snapshot_record("m2", SnapshotKind::UpdateOf("m1"), &tracked(), 0)).unwrap();
        let expected = concat!(
            r#"{"type":"file-history-snapshot","messageId":"m2","snapshot":{"messageId":"m1","trackedFileBackups":"#,
            r#"{"src/a \"b\".rs":{"backupFileName":"00ff@v2","version":2,"backupTime":"2026-01-03T15:44:58.325Z"},"#,
            r#""new.rs":{"backupFileName":null,"version":1,"backupTime":"1970-01-01T00:00:00.000Z"}},"#,
            r#""timestamp":"1970-01-01T00:00:00.000Z"},"isSnapshotUpdate":true}"#,
        );
        assert_eq!(line, expected);
        let line = snapshot_record("m2", SnapshotKind::New, b"{}", 0);
        let view = FileHistorySnapshot::new(Fields::scan(&line).unwrap().0);
        assert!(view.snapshot().unwrap().message().unwrap().is("m2") && view.is_update() == Some(false));
        assert!(tracked_by_snapshot(&view).is_empty());
    }

    #[test]
    fn a_delta_reads_back() {
        let line = delta_record("m3", "m2", &tracked(), 5);
        let view = FileHistoryDelta::new(Fields::scan(&line).unwrap().0);
        let files = tracked_by_delta(&view);
        assert!(view.message().unwrap().is("m3") && view.snapshot_message().unwrap().is("m2"));
        assert!(files[0].path.is("src/a \"b\".rs") && files[1].kept == Kept::DidNotExist);
        assert_eq!(view.timestamp().unwrap().millis(), Some(5));
    }
}
