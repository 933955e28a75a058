//! Appends a title or a tag: a record outside the chain, noted in the journal before it is written, so that it can be
//! undone after a crash at any step.

use std::ops::ControlFlow;
use std::path::Path;

use annals_transcript::draft::Draft;

use super::{AppendError, OnBusy, SessionWriter};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::journal::{Effect, Journal, JournalEntry};
use crate::source::Source;

/// Why a record outside the chain was not written.
#[derive(Debug, thiserror::Error)]
pub enum SideRecordError {
    /// The session.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] WriteError),
    /// The callback stopped it.
    #[error("interrupted")]
    Stopped,
}

/// A record that was written, and how long its file was before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let mut goes_on = |step| if watch(step).is_continue() { Ok(()) } else { Err(SideRecordError::Stopped) };
    let grows_by = {
        let mut dry_run = SessionWriter::open(path, data, source, OnBusy::Append)?;
        dry_run.start_dry_run();
        let before = dry_run.length();
        dry_run.append(draft)?;
        dry_run.length() - before
    };
    let mut writer = SessionWriter::open(path, data, source, OnBusy::Append)?;
    let from = writer.length();
    let effect = |to| vec![Effect::Appended { path: path.to_path_buf(), from, to }];
    goes_on(0)?;
    let journal = Journal::new(data);
    let mut entry = journal.begin(Journal::new_id(source), source.now(), what, effect(from + grows_by))?;
    goes_on(1)?;
    writer.append_settled(draft)?;
    let to = writer.length();
    drop(writer);
    // Another program may have written a line next to ours.
    entry.effects = effect(to);
    goes_on(2)?;
    Ok(SideRecordAppend { entry: journal.finish(entry)?, bytes: (from, to) })
}
