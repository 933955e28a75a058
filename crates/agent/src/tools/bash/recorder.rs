//! Records which files commands change, so that a rewind can revert it: the workspace is compared before and after each
//! command that may write, and contents are copied when they are first seen.
//!
//! What changes while a command runs counts as its own. What is found changed before a command is somebody else's, or of a
//! command in the background.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_policy::only_reads;
use annals_store::command_changes::{
    ChangeOrigin, CommandChange, CommandChanges, CopyFolder, FileVersion, HistoryGap, MAX_FILE_BYTES,
    NoCopyReason,
};
use annals_store::{Clock, WriteError};

use super::shells::Shells;
use super::workspace_scan::{MAX_FILES, Stamp, WorkspaceScan, content, is_ignore_file, scan};
use crate::tools::blocking::{StopFlag, run_blocking};
use crate::tools::context::PathFilter;

/// Of a command that changes more files, only that much is recorded.
const MAX_CHANGES: usize = 5_000;

/// Watches a folder while commands run.
pub struct CommandRecorder {
    folder: PathBuf,
    filter: Box<dyn PathFilter>,
    clock: Box<dyn Clock + Send + Sync>,
    state: Mutex<RecorderState>,
}

struct RecorderState {
    changes: CommandChanges,
    copies: Option<CopyFolder>,
    files: BTreeMap<String, WatchedFile>,
    /// Whether the last look saw everything.
    is_scanned: bool,
    /// A command in the background that ran since the last look.
    background: Option<String>,
    /// Reasons that the log has already.
    gaps: BTreeSet<String>,
    /// Lines that could not be written yet.
    pending: Vec<Vec<u8>>,
}

/// A file that is different.
struct FileChange {
    path: String,
    before: FileVersion,
    /// Its permission bits before.
    mode: Option<u32>,
    after: FileVersion,
}

struct WatchedFile {
    stamp: Stamp,
    is_recent: bool,
    version: FileVersion,
}

impl fmt::Debug for CommandRecorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CommandRecorder").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A command that is being recorded. Dropping it looks at once, since the command was interrupted.
pub(super) struct CommandRecord {
    recorder: Arc<CommandRecorder>,
    call: Option<String>,
}

impl CommandRecorder {
    /// A recorder of what commands change below a folder. What the filter hides is not copied.
    pub fn new(
        folder: &Path,
        changes: CommandChanges,
        filter: Box<dyn PathFilter>,
        clock: Box<dyn Clock + Send + Sync>,
    ) -> Self {
        let state = RecorderState {
            changes,
            copies: None,
            files: BTreeMap::new(),
            is_scanned: false,
            background: None,
            gaps: BTreeSet::new(),
            pending: Vec::new(),
        };
        Self { folder: folder.to_path_buf(), filter, clock, state: Mutex::new(state) }
    }

    /// Records what commands in the background have changed so far.
    pub(super) fn settle(&self) {
        if self.state().background.is_some() {
            self.look(None, &StopFlag::default());
        }
    }

    /// Notes a command that runs in the background.
    pub(super) fn note_background(&self, task: &str) {
        self.state().background = Some(task.to_owned());
    }

    /// Looks at the workspace before a command; `None` if the command only reads.
    pub(super) async fn begin(self: &Arc<Self>, command: &str, call: &str) -> Option<CommandRecord> {
        if only_reads(command) {
            return None;
        }
        let recorder = Arc::clone(self);
        let looked = run_blocking(move |stop| {
            recorder.look(None, stop);
            Ok(())
        });
        looked.await.ok()?;
        Some(CommandRecord { recorder: Arc::clone(self), call: Some(call.to_owned()) })
    }

    fn state(&self) -> MutexGuard<'_, RecorderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the workspace with what is known of it, and records what this command changed.
    fn look(&self, call: Option<&str>, stop: &StopFlag) {
        let mut state = self.state();
        let state = &mut *state;
        let now = self.clock.now();
        let Some(found) = scan(&self.folder, stop) else { return };
        let blame = match (call, &state.background) {
            (Some(call), _) => Some((call.to_owned(), ChangeOrigin::Command)),
            (None, Some(call)) => Some((call.clone(), ChangeOrigin::Background)),
            _ => None,
        };
        if call.is_none() {
            state.background = None;
        }
        state.note_gaps(&found, now);
        let is_cut = found.is_cut;
        let compared = self.compare(state, found, now, stop);
        state.is_scanned = compared.is_ok() && !is_cut && !stop.is_set();
        let changed = match compared {
            Ok(changed) => changed,
            Err(error) => {
                state.gap(now, format!("changes could not be recorded: {error}"));
                Vec::new()
            }
        };
        if let Some((call, origin)) = blame {
            let folder = &self.folder;
            let change = |FileChange { path, before, mode, after }| CommandChange {
                folder: folder.clone(),
                path,
                time: now,
                call: call.clone(),
                origin,
                before,
                mode,
                after,
            };
            let changes: Vec<_> = changed.into_iter().map(change).collect();
            state.record(&changes, now);
        }
        state.write();
    }

    /// Updates what is known, and returns what is different.
    fn compare(
        &self,
        state: &mut RecorderState,
        found: WorkspaceScan,
        now: i64,
        stop: &StopFlag,
    ) -> Result<Vec<FileChange>, WriteError> {
        let mut changed = Vec::new();
        let gone: Vec<String> =
            state.files.keys().filter(|path| !found.files.contains_key(*path)).cloned().collect();
        for path in gone {
            let is_there =
                self.folder.join(&path).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
            let Some(known) = state.files.remove(&path) else { continue };
            state.copies()?.release(&known.version);
            // It may be ignored now, or be one of too many.
            if !is_there {
                let (before, mode) = (known.version, Some(known.stamp.mode));
                changed.push(FileChange { path, before, mode, after: FileVersion::Absent });
            }
        }
        let is_other = |path: &String, stamp: &Stamp| {
            state.files.get(path).is_none_or(|known| known.is_recent || known.stamp != *stamp)
        };
        let mut others: Vec<(String, Stamp)> =
            found.files.into_iter().filter(|(path, stamp)| is_other(path, stamp)).collect();
        // Only then a file that was not there before was created since.
        let sees_all = state.is_scanned
            && !found.is_cut
            && !others.iter().any(|(path, _)| is_ignore_file(path))
            && !changed.iter().any(|change| is_ignore_file(&change.path));
        // As many files as possible get a copy; where a small one finds no room, larger ones need not be read.
        others.sort_by_key(|(_, stamp)| stamp.bytes);
        let no_room = FileVersion::NotCopied(NoCopyReason::NoRoom);
        let mut is_full = false;
        for (path, stamp) in others {
            if stop.is_set() {
                break;
            }
            let after = match () {
                () if stamp.bytes > MAX_FILE_BYTES => FileVersion::NotCopied(NoCopyReason::TooLarge),
                () if is_full => no_room.clone(),
                () => self.version(&path, state.copies()?)?,
            };
            is_full |= after == no_room;
            let is_recent = stamp.is_recent(now);
            let file = WatchedFile { stamp, is_recent, version: after.clone() };
            let (before, mode) = match state.files.insert(path.clone(), file) {
                Some(known) => {
                    state.copies()?.release(&known.version);
                    let is_same = known.version == after
                        && (matches!(after, FileVersion::Copy(_)) || known.stamp == stamp);
                    if is_same {
                        continue;
                    }
                    (known.version, Some(known.stamp.mode))
                }
                None if sees_all => (FileVersion::Absent, None),
                None => (FileVersion::NotCopied(NoCopyReason::Unwatched), None),
            };
            changed.push(FileChange { path, before, mode, after });
        }
        Ok(changed)
    }

    fn version(&self, path: &str, copies: &mut CopyFolder) -> Result<FileVersion, WriteError> {
        if self.filter.hides(&self.folder.join(path)) {
            return Ok(FileVersion::NotCopied(NoCopyReason::Unreadable));
        }
        match content(&self.folder, path) {
            Ok(bytes) => copies.put(&bytes),
            Err(why) => Ok(FileVersion::NotCopied(why)),
        }
    }
}

impl RecorderState {
    fn copies(&mut self) -> Result<&mut CopyFolder, WriteError> {
        let copies = match self.copies.take() {
            Some(copies) => copies,
            None => self.changes.copies()?,
        };
        Ok(self.copies.insert(copies))
    }

    fn note_gaps(&mut self, found: &WorkspaceScan, now: i64) {
        if found.is_cut {
            self.gap(now, format!("the folder has more than {MAX_FILES} files: the rest is not watched"));
        }
        if found.has_unnamed {
            self.gap(now, "files whose names are not UTF-8 are not watched".to_owned());
        }
    }

    fn gap(&mut self, time: i64, why: String) {
        if self.gaps.insert(why.clone()) {
            self.pending.push(HistoryGap { time, why }.line());
        }
    }

    fn record(&mut self, changes: &[CommandChange], now: i64) {
        if self.changes.is_full() {
            return self.gap(now, "commands changed too much: the rest is not recorded".to_owned());
        }
        self.pending.extend(changes.iter().take(MAX_CHANGES).map(CommandChange::line));
        if changes.len() > MAX_CHANGES {
            self.gap(
                now,
                format!("a command changed more than {MAX_CHANGES} files: the rest is not recorded"),
            );
        }
    }

    /// Writes what is pending; if the disk is full, it is tried again with the next command.
    fn write(&mut self) {
        if !self.pending.is_empty() && self.changes.append(&self.pending).is_ok() {
            self.pending.clear();
        }
    }
}

impl CommandRecord {
    /// Records what the command changed.
    pub(super) async fn finish(mut self) {
        let recorder = Arc::clone(&self.recorder);
        let call = self.call.clone();
        let looked = run_blocking(move |stop| {
            recorder.look(call.as_deref(), stop);
            Ok(())
        });
        if looked.await.is_ok() {
            self.call = None;
        }
    }

    /// Leaves the command running: what it changes cannot be told from what others change.
    pub(super) fn leave_running(mut self) {
        if let Some(call) = self.call.take() {
            self.recorder.note_background(&call);
        }
    }
}

impl Drop for CommandRecord {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            self.recorder.look(Some(&call), &StopFlag::default());
        }
    }
}

impl Shells {
    /// Looks at the workspace before a command; `None` if there is nothing to record.
    pub(super) async fn record(&self, command: &str, call: &str) -> Option<CommandRecord> {
        let recorder = self.settings.recorder.as_ref()?;
        let record = recorder.begin(command, call).await?;
        self.note_background(recorder);
        Some(record)
    }

    /// Records what commands in the background have changed so far, for a rewind.
    pub fn record_background(&self) {
        if let Some(recorder) = &self.settings.recorder {
            recorder.settle();
            self.note_background(recorder);
        }
    }

    fn note_background(&self, recorder: &CommandRecorder) {
        if let Some(task) = self.tasks().iter().find(|task| task.status() == "running") {
            recorder.note_background(&task.id);
        }
    }
}
