//! Versions from the copies that clients make before changes.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::file_history::{BackupState, TrackedFile, tracked_by_delta, tracked_by_snapshot};
use annals_transcript::record::Record;
use annals_transcript::time::Timestamp;
use annals_transcript::transcript::Transcript;

use super::{FileVersion, VersionContent, VersionOrigin};
use crate::rewind::files::copy_of;
use crate::session::Session;

/// The states of a file that the records of a session name, each once.
pub(super) fn versions(session: &Session, transcript: &Transcript<'_>, path: &Path) -> Vec<FileVersion> {
    let mut cwd: Option<PathBuf> = None;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (node, record) in transcript.records() {
        if cwd.is_none() {
            cwd = record.envelope().cwd().map(|cwd| PathBuf::from(cwd.to_string()));
        }
        let files = match &record {
            Record::FileHistorySnapshot(snapshot) => tracked_by_snapshot(snapshot),
            Record::FileHistoryDelta(delta) => tracked_by_delta(delta),
            _ => continue,
        };
        for file in files.iter().filter(|file| is_of(file, cwd.as_deref(), path)) {
            let Some((name, content)) = content(session, file) else { continue };
            if !seen.insert(name) {
                continue;
            }
            let time = file.time.and_then(|time| Timestamp::new(time).millis());
            found.push(FileVersion {
                number: 0,
                time: time.or(transcript.node(node).millis),
                session: session.key.clone(),
                line: Some(transcript.node(node).line as usize),
                origin: VersionOrigin::Copy,
                content,
                replaced: None,
            });
        }
    }
    found
}

/// Paths below the working directory are relative to it.
fn is_of(file: &TrackedFile<'_>, cwd: Option<&Path>, path: &Path) -> bool {
    let name = file.path.decode();
    cwd.map_or_else(|| PathBuf::from(&*name), |cwd| cwd.join(&*name)) == path
}

/// The content of a state, with a name that tells it from others; `None` if the copy is gone.
fn content(session: &Session, file: &TrackedFile<'_>) -> Option<(String, VersionContent)> {
    match &file.kept {
        BackupState::Copy { name, .. } => {
            let name = name.to_string();
            let bytes = copy_of(session, &name).ok()?;
            Some((name, VersionContent::Bytes(bytes)))
        }
        BackupState::DidNotExist { version } => Some((format!("absent {version:?}"), VersionContent::Absent)),
        BackupState::Content(content) => {
            let content = content.to_string();
            Some((content.clone(), VersionContent::Bytes(content.into_bytes())))
        }
        _ => None,
    }
}
