//! Appends a title or a tag: a record outside the chain, noted in the journal before it is written, so that it can be
//! undone after a crash at any step.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_transcript::draft::Draft;

use super::{AppendError, OnBusy, SessionWriter};
use crate::busy::FileStamp;
use crate::changes::refresh_index;
use crate::data_dir::DataDir;
use crate::files::{Steps, WriteError, target_of};
use crate::journal::{Effect, Journal, JournalEntry};
use crate::source::Source;

/// Why a record outside the chain was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SideRecordError {
    /// The session.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The change could not be noted for undo.
    #[error(transparent)]
    Journal(#[from] WriteError),
}

/// A record that was written, and how long its file was before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SideRecordAppend {
    /// The journal's entry.
    pub entry: JournalEntry,
    /// The file's length before and after.
    pub bytes: (u64, u64),
}

/// Appends a record outside the chain, which does no harm while a client is writing. `watch` is called before each step, and
/// may stop it, as a crash would.
pub fn append_side_record(
    path: &Path,
    draft: &Draft,
    what: &str,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<SideRecordAppend, SideRecordError> {
    let grows_by = {
        let mut dry_run = SessionWriter::open(path, data, source, OnBusy::Append)?;
        dry_run.start_dry_run();
        let before = dry_run.length();
        dry_run.append(draft)?;
        dry_run.length() - before
    };
    let mut steps = Steps::new(watch);
    let mut writer = SessionWriter::open(path, data, source, OnBusy::Append)?;
    writer.leave_index();
    let appended = AppendedRange::beginning(path, writer.length())?;
    let from = appended.from;
    steps.step()?;
    let journal = Journal::new(data);
    let id = journal.next_id(source);
    let mut entry = journal.begin(id, source.now(), what, vec![appended.effect(from + grows_by)])?;
    steps.step()?;
    writer.append_settled(draft)?;
    let to = writer.length();
    drop(writer);
    // Another program may have written a line next to ours.
    entry.effects = vec![appended.effect(to)];
    refresh_index(&mut entry, path, data, &mut steps)?;
    steps.step()?;
    Ok(SideRecordAppend { entry: journal.finish(entry)?, bytes: (from, to) })
}

/// What a file was before lines were appended to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendedRange {
    path: PathBuf,
    from: u64,
    modified_ns: Option<u64>,
}

impl AppendedRange {
    /// The file as it is now; of a link, its target.
    pub fn beginning(path: &Path, from: u64) -> Result<Self, WriteError> {
        let path = target_of(path)?;
        let modified_ns =
            fs::metadata(&path).ok().as_ref().and_then(FileStamp::of).map(|stamp| stamp.modified_ns);
        Ok(Self { path, from, modified_ns })
    }

    fn effect(&self, to: u64) -> Effect {
        let Self { path, from, modified_ns } = self.clone();
        Effect::Appended { path, from, to, modified_ns }
    }
}

/// Notes lines that were appended to a session, up to this length, and brings the index of its project up to date. The
/// writer has [left](SessionWriter::leave_index) it.
pub fn record_append(
    session: &Path,
    appended: &AppendedRange,
    to: u64,
    what: &str,
    data: &DataDir,
    source: &dyn Source,
) -> Result<JournalEntry, WriteError> {
    let journal = Journal::new(data);
    let id = journal.next_id(source);
    let mut entry = journal.begin(id, source.now(), what, vec![appended.effect(to)])?;
    refresh_index(&mut entry, session, data, &mut Steps::unwatched())?;
    journal.finish(entry)
}
