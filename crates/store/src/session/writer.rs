//! The writer of one session file.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use annals_json::{Fields, Value};
use annals_transcript::draft::{Continuation, Draft, Origin, PlacementDefaults};
use annals_transcript::objects::read_objects;
use annals_transcript::record::{ProgressKind, Record, RecordKind};
use annals_transcript::record_lines::record_lines;

use super::error::AppendError;
use super::lock_note::{LockNote, PendingLine};
use crate::busy::{Busy, FileStamp};
use crate::durable::{Durability, MAX_PROGRESS_BYTES, REPEAT_AFTER_BYTES, durability};
use crate::files::{AppendFile, AppendedLine, TAIL_BYTES, WriteError, line_repair};
use crate::git;
use crate::layout::{ConfigDir, FileRole};
use crate::lock::FileLock;
use crate::sessions_index;
use crate::source::{SourceRef, new_uuid};

/// Appends records to a session or a sub-agent's file, each with its envelope and its parent.
///
/// It gives the crash promise of [`AppendFile`]: records that were [settled](Self::settle) survive `kill -9` or a loss of
/// power at any instant; a torn record is the last line, isolated and reported; nothing else is damaged; and the next
/// append repairs the tail.
///
/// A record that could not be written is not acknowledged and changes nothing: the next append continues from the last
/// record in the file.
#[derive(Debug)]
pub struct SessionWriter<'s> {
    pub(super) file: AppendFile,
    pub(super) lock: FileLock,
    pub(super) state: Continuation,
    pub(super) origin: Origin,
    pub(super) source: SourceRef<'s>,
    /// How long the file is as far as we know it.
    pub(super) known_length: u64,
    /// Where titles and tags were last written.
    pub(super) repeated_at: u64,
    pub(super) unsettled: bool,
    pub(super) mode: WriteMode,
    pub(super) concurrency: Concurrency,
    /// Whether the lock note marks the file as open here, so that after a crash its traces are recognized.
    pub(super) is_noted: bool,
    /// Whether the project's index is updated when the file is closed.
    pub(super) index: IndexMode,
    /// The records of responses whose calls were apart in the session that they come from, and follow each other here.
    pub(super) joined: HashSet<String>,
}

/// Who updates the index of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexMode {
    /// The writer, when it is closed.
    Writer,
    /// The caller, who notes it in the journal.
    Caller,
}

/// Whether a client seemed to be writing when the file was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// No: the file's final state is ours.
    Exclusive,
    /// Yes: our last write must not hide the client's traces from the next writer.
    Shared,
}

/// Whether records reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// They do.
    Writing,
    /// They only get their places: for a preview.
    DryRun,
}

/// A record that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Its id; records outside the chain have none.
    pub uuid: Option<String>,
    /// The line that it continues.
    pub parent: Option<String>,
    /// Where its line begins.
    pub offset: u64,
    /// Whether a torn line before it was ended.
    pub healed: bool,
    /// Whether it must be settled before it is acknowledged.
    pub durability: Durability,
}

impl SessionWriter<'_> {
    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// How long the file is, with all that was appended here.
    pub fn length(&self) -> u64 {
        self.known_length
    }

    /// What its lines have in common.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The end of the conversation as it is now.
    pub fn state(&self) -> &Continuation {
        &self.state
    }

    /// Changes what later lines say of their surroundings: a new working directory, another branch.
    pub fn set_cwd_and_branch(&mut self, cwd: String, git_branch: String) {
        (self.origin.cwd, self.origin.git_branch) = (cwd, git_branch);
    }

    /// Looks up the branch that is checked out in the working directory now, for later lines. A folder that is not on this
    /// machine, or no repository, keeps the branch of the last line.
    pub fn refresh_branch(&mut self) {
        let cwd = Path::new(&self.origin.cwd);
        if cwd.is_absolute()
            && let Some(branch) = git::branch_in_repository(cwd)
        {
            self.origin.git_branch = branch;
        }
    }

    /// Starts a dry run: records get ids and offsets, but nothing is written.
    pub fn start_dry_run(&mut self) {
        self.mode = WriteMode::DryRun;
    }

    /// Appends a record. It is with the system when this returns; [`settle`](Self::settle) brings it to the disk.
    pub fn append(&mut self, draft: &Draft) -> Result<Receipt, AppendError> {
        self.absorb_foreign_lines()?;
        let fresh = PlacementDefaults { uuid: new_uuid(&*self.source), now: self.source.now() };
        let stamp = self.state.place(draft, fresh)?;
        let line = draft.line(&self.origin, &stamp);
        let jumps = self.state.would_be_overlooked(draft, &stamp);
        if draft.kind() == RecordKind::Progress && line.len() > MAX_PROGRESS_BYTES {
            return Err(AppendError::ProgressTooLarge { bytes: line.len() });
        }
        let (placed, durability) = self.write(&line)?;
        let is_chain = draft.kind().is_chain();
        if jumps {
            self.point_at(&stamp.uuid);
        }
        self.repeat_near_the_end();
        Ok(Receipt {
            uuid: is_chain.then_some(stamp.uuid),
            parent: stamp.parent.filter(|_| is_chain),
            offset: placed.offset,
            healed: placed.healed,
            durability,
        })
    }

    /// Syncs everything that was appended to the disk, if any of it must be durable.
    ///
    /// If it fails, records appended since the last call may be lost. They are not acknowledged, and a later `Ok` does not
    /// cover them: the system reports such an error once.
    pub fn settle(&mut self) -> Result<(), AppendError> {
        if std::mem::take(&mut self.unsettled) {
            self.file.sync()?;
        }
        Ok(())
    }

    /// Appends a record and settles it.
    pub fn append_settled(&mut self, draft: &Draft) -> Result<Receipt, AppendError> {
        let receipt = self.append(draft)?;
        self.settle()?;
        Ok(receipt)
    }

    fn write(&mut self, line: &[u8]) -> Result<(AppendedLine, Durability), AppendError> {
        let placed = self.put(line).inspect_err(|error| {
            // The part of a torn line was written here: the next append must not treat it as foreign.
            if let WriteError::Torn { offset, written, .. } = error {
                self.known_length = offset + *written as u64;
            }
        })?;
        self.known_length = placed.end;
        let mut safe = Durability::Synced;
        if let Ok((fields, _)) = Fields::scan(line) {
            safe = durability_of(&fields);
            self.absorb(Record::new(fields), placed.offset);
        }
        self.unsettled |= safe == Durability::Synced;
        Ok((placed, safe))
    }

    /// Leaves the index of the project to the caller: [`record_append`](super::record_append) updates and notes it.
    pub fn leave_index(&mut self) {
        self.index = IndexMode::Caller;
    }

    /// Writes to the lock note that the file is open here, the line that comes next and, for a file without lines, its
    /// session's path.
    pub(super) fn note_open(&mut self, line: Option<&[u8]>) {
        let from = self.known_length;
        let open = match line {
            Some(line) => PendingLine::new(from, line),
            None => PendingLine { from, line: None },
        };
        let open = (self.concurrency == Concurrency::Exclusive).then_some(open);
        let lock_note = LockNote { left: None, open, origin: Some(self.origin.clone()) };
        let _ = self.lock.leave_note(&lock_note.write());
        self.is_noted = true;
    }

    fn put(&mut self, line: &[u8]) -> Result<AppendedLine, WriteError> {
        match self.mode {
            WriteMode::Writing => {
                self.note_open(Some(line));
                self.file.append(line)
            }
            WriteMode::DryRun => {
                // A torn line would be ended first. After a rehearsal there is nothing to read.
                let heal = match self.known_length {
                    0 => Vec::new(),
                    length => line_repair(&self.read_from(length.saturating_sub(TAIL_BYTES))?),
                };
                let offset = self.known_length + heal.len() as u64;
                Ok(AppendedLine { offset, end: offset + line.len() as u64 + 1, healed: !heal.is_empty() })
            }
        }
    }

    fn absorb(&mut self, record: Record<'_>, offset: u64) {
        if matches!(record.kind(), RecordKind::CustomTitle | RecordKind::AiTitle | RecordKind::Tag) {
            self.repeated_at = offset;
        }
        self.state.absorb(&record);
    }

    /// Records the line to continue from, if an older record names another branch. As with titles, the record itself is
    /// written.
    fn point_at(&mut self, uuid: &str) {
        let draft = Draft::last_prompt(self.state.last_prompt().unwrap_or_default(), Some(uuid));
        let line = draft.line(&self.origin, &Default::default());
        let _ = self.write(&line);
    }

    /// Writes titles and tags again where listers look for them. The record before them is written: that they could not
    /// be is no reason to say otherwise, and the next append tries again.
    fn repeat_near_the_end(&mut self) {
        if self.known_length.saturating_sub(self.repeated_at) <= REPEAT_AFTER_BYTES {
            return;
        }
        for draft in self.state.repeated() {
            let line = draft.line(&self.origin, &Default::default());
            if self.write(&line).is_err() {
                return;
            }
        }
        self.repeated_at = self.known_length;
    }

    /// Absorbs what others appended since. Titles and the like do no harm; a conversation that was continued without
    /// us does: we would make a second branch.
    fn absorb_foreign_lines(&mut self) -> Result<(), AppendError> {
        let length = self.file.length()?;
        if length == self.known_length || self.mode == WriteMode::DryRun {
            return Ok(());
        }
        let busy =
            |offset| AppendError::Busy { path: self.path().to_path_buf(), busy: Busy::Meanwhile { offset } };
        if length < self.known_length {
            return Err(busy(length));
        }
        let bytes = self.read_from(self.known_length)?;
        let mut records = Vec::new();
        for line in record_lines(&bytes) {
            read_objects(&line, |fields, _| records.push(Record::new(fields)), |_| {});
        }
        if records.iter().any(|record| record.kind().is_chain()) {
            return Err(busy(self.known_length));
        }
        let offset = self.known_length;
        self.known_length += bytes.len() as u64;
        for record in records {
            self.absorb(record, offset);
        }
        Ok(())
    }

    /// Updates an existing index of the project's sessions. It is a cache that no client trusts: errors are ignored.
    fn refresh_index(&self) {
        let Some(config) = ConfigDir::containing(self.path()).filter(|_| self.origin.agent.is_none()) else {
            return;
        };
        if let FileRole::Session { slug, folder, session } = config.role(self.path())
            && folder.is_empty()
        {
            let _ = sessions_index::refresh(&config, &slug, &session);
        }
    }

    fn read_from(&self, offset: u64) -> Result<Vec<u8>, WriteError> {
        let mut bytes = Vec::new();
        let read = File::open(self.path()).and_then(|mut file| {
            file.seek(SeekFrom::Start(offset))?;
            file.read_to_end(&mut bytes)
        });
        read.map(|_| bytes).map_err(WriteError::at(self.path()))
    }
}

impl Drop for SessionWriter<'_> {
    fn drop(&mut self) {
        if !self.is_noted {
            return;
        }
        // Best effort: `settle` already reported errors, and the note is a hint.
        let _ = self.settle();
        let left = fs::metadata(self.path()).ok().as_ref().and_then(FileStamp::of);
        let is_ours =
            |left: &FileStamp| left.bytes == self.known_length && self.concurrency == Concurrency::Exclusive;
        let left = left.filter(is_ours);
        if self.index == IndexMode::Writer {
            self.refresh_index();
        }
        let _ =
            self.lock.leave_note(&LockNote { left, open: None, origin: Some(self.origin.clone()) }.write());
    }
}

fn durability_of(fields: &Fields<'_>) -> Durability {
    let progress = fields.get("data").and_then(|data| data.get("type")).and_then(Value::text);
    durability(RecordKind::of(fields.text("type")), Some(ProgressKind::of(progress)))
}
