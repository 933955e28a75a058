//! Copies of files from before a turn changed them, so that the change can be taken back: made when a tool is about to change
//! one, told to the session after that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_json::Value;
use annals_store::file_history::{Backups, KeepError, tracked_by_delta, tracked_by_snapshot};
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::draft::BackupOf;
use annals_transcript::record::{FileBackup, Record};
use annals_transcript::transcript::Transcript;

use crate::tools::Checkpoints;

/// The copies of a session, shared by its conversation and its tools.
#[derive(Clone, Debug, Default)]
pub struct Copies(Arc<Mutex<Shelf>>);

#[derive(Debug, Default)]
struct Shelf {
    /// Where copies go; nowhere, where nothing is kept.
    backups: Option<Backups>,
    /// Files that were changed in this session, by their keys.
    tracked: BTreeMap<String, PathBuf>,
    /// Copies of this turn.
    of_turn: Vec<BackupOf>,
    has_news: bool,
    now: i64,
}

impl Copies {
    /// Of a session that works in a folder, as its lines so far tell of them.
    pub(super) fn of_session(config: &ConfigDir, session: &str, cwd: &Path, lines: &[u8]) -> Self {
        let mut shelf = Shelf::default();
        if let Ok(mut backups) = Backups::of_session(config, &SessionKey::new(session), cwd) {
            let transcript = Transcript::parse(lines);
            for (_, record) in transcript.records() {
                let tracked = match &record {
                    Record::FileHistorySnapshot(told) => {
                        let all = told.snapshot().and_then(|snapshot| snapshot.tracked_file_backups());
                        all.inspect(|all| backups.remember_all(all));
                        tracked_by_snapshot(told)
                    }
                    // The newest client tells of each file when it is first changed.
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
                // Where a copy is written to is not taken from a file: only which files were changed.
                for file in tracked {
                    let path = cwd.join(file.path.to_string());
                    shelf.tracked.insert(backups.key(&path), path);
                }
            }
            shelf.backups = Some(backups);
        }
        Self(Arc::new(Mutex::new(shelf)))
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins: the state of every file that was changed before.
    pub(super) fn begin_turn(&self, now: i64) -> Vec<BackupOf> {
        let mut shelf = self.shelf();
        (shelf.now, shelf.has_news) = (now, false);
        shelf.of_turn.clear();
        let tracked = shelf.tracked.clone();
        let Some(backups) = &mut shelf.backups else { return Vec::new() };
        let kept = tracked.into_iter().filter_map(|(key, path)| {
            // One that cannot be read any more is not in the snapshot: it is not taken for one that was not there.
            backups.keep(&path, now).ok().map(|kept| kept.in_record(key))
        });
        let kept: Vec<BackupOf> = kept.collect();
        shelf.of_turn = kept.clone();
        kept
    }

    /// The copies of this turn, where there are new ones since this was last asked.
    pub(super) fn news(&self) -> Option<Vec<BackupOf>> {
        let mut shelf = self.shelf();
        std::mem::take(&mut shelf.has_news).then(|| shelf.of_turn.clone())
    }
}

impl Checkpoints for Copies {
    fn before_change(&self, path: &Path) -> Result<(), String> {
        let mut shelf = self.shelf();
        let now = shelf.now;
        let Some(backups) = &mut shelf.backups else { return Ok(()) };
        let key = backups.key(path);
        if shelf.of_turn.iter().any(|kept| kept.path == key) {
            return Ok(());
        }
        let Some(backups) = &mut shelf.backups else { return Ok(()) };
        let kept = backups.keep(path, now).map_err(|error: KeepError| error.to_string())?;
        let kept = kept.in_record(key.clone());
        shelf.of_turn.push(kept);
        shelf.tracked.insert(key, path.to_path_buf());
        shelf.has_news = true;
        Ok(())
    }
}
