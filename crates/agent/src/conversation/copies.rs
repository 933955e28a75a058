//! Copies of files from before a turn changed them, so that the change can be taken back: made when a tool is about to change
//! one, told to the session after that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_store::file_history::{Backups, KeepError};
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::draft::BackupOf;
use annals_transcript::json::Value;
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
                let tracked = record.fields().get("snapshot").and_then(|told| told.get("trackedFileBackups"));
                let Some(tracked) = tracked.and_then(Value::fields) else { continue };
                backups.remember_all(&tracked);
                // Where a copy is written to is not taken from a file: only which files were changed.
                for field in tracked.iter() {
                    let key = field.key.to_string();
                    shelf.tracked.insert(key.clone(), cwd.join(key));
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
