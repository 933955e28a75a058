//! Backups of files before a turn changes them, so that the change can be undone: made right before a tool changes a file,
//! and recorded in the session afterwards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_json::Value;
use annals_store::file_history::{BackupError, Backups, tracked_by_delta, tracked_by_snapshot};
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::draft::FileBackupDraft;
use annals_transcript::record::{FileBackup, Record};
use annals_transcript::transcript::Transcript;

use crate::tools::Checkpoints;

/// The file backups of a session, shared by its conversation and its tools.
#[derive(Clone, Debug, Default)]
pub struct FileBackups(Arc<Mutex<BackupState>>);

#[derive(Debug, Default)]
struct BackupState {
    /// Where backups are stored; `None` if the session is not persisted.
    backups: Option<Backups>,
    /// Files changed in this session, by their keys.
    tracked: BTreeMap<String, PathBuf>,
    /// Backups of the current turn.
    of_turn: Vec<FileBackupDraft>,
    has_news: bool,
    now: i64,
}

impl FileBackups {
    /// Reads which files earlier turns have changed from the lines of a session.
    pub(super) fn of_session(config: &ConfigDir, session: &str, cwd: &Path, lines: &[u8]) -> Self {
        let mut state = BackupState::default();
        if let Ok(mut backups) = Backups::of_session(config, &SessionKey::new(session), cwd) {
            let transcript = Transcript::parse(lines);
            for (_, record) in transcript.records() {
                let tracked = match &record {
                    Record::FileHistorySnapshot(told) => {
                        let all = told.snapshot().and_then(|snapshot| snapshot.tracked_file_backups());
                        all.inspect(|all| backups.remember_all(all));
                        tracked_by_snapshot(told)
                    }
                    // The newest client writes a record for each file when it first changes.
                    Record::FileHistoryDelta(told) => {
                        told.tracked_file_backups().inspect(|all| backups.remember_all(all));
                        let backup = told.backup().and_then(Value::fields).map(FileBackup::new);
                        if let (Some(path), Some(backup)) = (told.tracking_path(), backup) {
                            backups.remember_backup(Path::new(&*path.decode()), &backup);
                        }
                        tracked_by_delta(told)
                    }
                    _ => continue,
                };
                // Backup paths in the file are not trusted: only which files were changed.
                for file in tracked {
                    let path = cwd.join(file.path.to_string());
                    state.tracked.insert(backups.key(&path), path);
                }
            }
            state.backups = Some(backups);
        }
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, BackupState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a turn: backs up the current state of every file changed before.
    pub(super) fn begin_turn(&self, now: i64) -> Vec<FileBackupDraft> {
        let mut state = self.state();
        (state.now, state.has_news) = (now, false);
        state.of_turn.clear();
        let tracked = state.tracked.clone();
        let Some(backups) = &mut state.backups else { return Vec::new() };
        let kept = tracked.into_iter().filter_map(|(key, path)| {
            // An unreadable file is left out of the snapshot, so that it does not count as absent.
            backups.keep(&path, now).ok().map(|kept| kept.in_record(key))
        });
        let kept: Vec<FileBackupDraft> = kept.collect();
        state.of_turn = kept.clone();
        kept
    }

    /// Returns the backups of this turn if there are new ones since the last call.
    pub(super) fn news(&self) -> Option<Vec<FileBackupDraft>> {
        let mut state = self.state();
        std::mem::take(&mut state.has_news).then(|| state.of_turn.clone())
    }
}

impl Checkpoints for FileBackups {
    fn before_change(&self, path: &Path) -> Result<(), String> {
        let mut state = self.state();
        let now = state.now;
        let Some(backups) = &mut state.backups else { return Ok(()) };
        let key = backups.key(path);
        if state.of_turn.iter().any(|kept| kept.path == key) {
            return Ok(());
        }
        let Some(backups) = &mut state.backups else { return Ok(()) };
        let kept = backups.keep(path, now).map_err(|error: BackupError| error.to_string())?;
        let kept = kept.in_record(key.clone());
        state.of_turn.push(kept);
        state.tracked.insert(key, path.to_path_buf());
        state.has_news = true;
        Ok(())
    }
}
