//! Editing the records of a session in place, with undo.

use std::ops::ControlFlow;
use std::path::Path;

use annals_json::edit::{EditError, Editor};
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

use super::{InUse, lock_exclusive};
use crate::changes::{self, Change, ChangesError};
use crate::data_dir::DataDir;
use crate::journal::JournalEntry;
use crate::layout::ConfigDir;
use crate::read::{ReadError, read_file};
use crate::source::Source;

/// Why records were not edited. The file is as it was, unless the error is [`Changes`](Self::Changes).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordEditError {
    /// Another process is writing to the session.
    #[error(transparent)]
    InUse(#[from] InUse),
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A record could not be edited.
    #[error("line {line}: {source}")]
    Edit {
        /// The line of the record, from 1.
        line: u32,
        /// The problem with the edit.
        source: EditError,
    },
    /// The new file could not be written.
    #[error(transparent)]
    Changes(#[from] ChangesError),
}

/// Edits the records of a session and replaces its file at once. The old bytes go to the trash, and
/// [`Journal::undo`](crate::journal::Journal::undo) brings them back.
///
/// `edit` is called for every record; what it does not touch stays byte for byte. `what` names the change in the journal.
/// Returns `None` if nothing was changed.
pub fn edit_records(
    path: &Path,
    what: &str,
    data: &DataDir,
    source: &dyn Source,
    mut edit: impl FnMut(&Record<'_>, &mut Editor<'_>) -> Result<(), EditError>,
) -> Result<Option<JournalEntry>, RecordEditError> {
    let _lock = lock_exclusive(path, data, source)?;
    let bytes = read_file(path)?;
    let transcript = Transcript::parse(&bytes);
    let mut edited = Vec::with_capacity(bytes.len());
    let mut copied = 0;
    for ((_, record), node) in transcript.records().zip(transcript.nodes()) {
        let fail = |source| RecordEditError::Edit { line: node.line, source };
        let mut editor = Editor::new(record.fields().raw()).map_err(fail)?;
        edit(&record, &mut editor).map_err(fail)?;
        edited.extend_from_slice(&bytes[copied..node.span.offset]);
        edited.extend_from_slice(&editor.finish().map_err(fail)?);
        copied = node.span.offset + node.span.length;
    }
    edited.extend_from_slice(&bytes[copied..]);
    if edited == bytes {
        return Ok(None);
    }
    let config = ConfigDir::containing(path);
    let root = config.as_ref().map_or_else(|| path.parent().unwrap_or(path), ConfigDir::path);
    let change = Change::Rewrite { path: path.to_path_buf(), bytes: edited.into() };
    let entry = changes::apply(&[change], what, root, data, source, &mut |_| ControlFlow::Continue(()))?;
    Ok(Some(entry))
}
