//! A title or a tag: a record outside the chain that is noted in the journal before it is written, so that it can be taken
//! back whatever happens in between.

use std::ops::ControlFlow;
use std::path::Path;

use annals_transcript::draft::Draft;

use super::{AppendError, Patience, SessionWriter};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::journal::{Effect, Entry, Journal};
use crate::source::Source;

/// Why a record outside the chain was not written.
#[derive(Debug, thiserror::Error)]
pub enum AsideError {
    /// The session.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] WriteError),
    /// Whoever watched said stop.
    #[error("stopped in the midst")]
    Stopped,
}

/// A record that was written, and how long its file was before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The journal's entry.
    pub entry: Entry,
    /// The file's length before and after.
    pub bytes: (u64, u64),
}

/// Appends a record outside the chain: it harms nobody who is writing at the same time. `watch` is told before each step, and
/// may stop it, as a crash would.
pub fn append_aside(
    path: &Path,
    draft: &Draft,
    what: &str,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<Aside, AsideError> {
    let mut goes_on = |step| if watch(step).is_continue() { Ok(()) } else { Err(AsideError::Stopped) };
    let grows_by = {
        let mut rehearsal = SessionWriter::open(path, data, source, Patience::Append)?;
        rehearsal.rehearse();
        let before = rehearsal.length();
        rehearsal.append(draft)?;
        rehearsal.length() - before
    };
    let mut writer = SessionWriter::open(path, data, source, Patience::Append)?;
    let from = writer.length();
    let effect = |to| vec![Effect::Appended { path: path.to_path_buf(), from, to }];
    goes_on(0)?;
    let journal = Journal::new(data);
    let mut entry = journal.begin(Journal::new_id(source), source.now(), what, effect(from + grows_by))?;
    goes_on(1)?;
    writer.append_settled(draft)?;
    let to = writer.length();
    drop(writer);
    // Somebody else may have written a line of theirs beside ours.
    entry.effects = effect(to);
    goes_on(2)?;
    Ok(Aside { entry: journal.finish(entry)?, bytes: (from, to) })
}
