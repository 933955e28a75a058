//! Updates the index of a project: refreshes an entry, or removes some. Only the bytes that must
//! change do.

use std::path::PathBuf;

use annals_json::BYTE_ORDER_MARK;
use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{Value, ValueKind};

use super::IndexEntry;
use super::entry::{EntryFields, IndexLayout, count_messages};
use crate::files::{PlainName, WriteError, replace_file};
use crate::indent::break_to;
use crate::json_file::JsonFile;
use crate::key::{SessionKey, Slug};
use crate::layout::ConfigDir;
use crate::problem::FileProblem;
use crate::read::ReadError;
use crate::summary::Summary;

/// What became of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexUpdate {
    /// The project has none, and none was made.
    NoIndex,
    /// It was true already.
    Unchanged,
    /// The session's entry was updated.
    Updated,
    /// The session has an entry now.
    Added,
    /// The session's entry was removed.
    Removed,
}

/// Why an index was left as it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The index or a session could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The index is not what an index should be.
    #[error("{0}")]
    Unlike(FileProblem),
    /// The index could not be edited.
    #[error("{}: {source}", path.display())]
    Edit {
        /// The index.
        path: PathBuf,
        /// Why.
        source: EditError,
    },
    /// The new one could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Updates a project's index for a session: updates its entry, adds one, or removes it if the file does not exist. Every
/// other byte stays. A missing index is not created; a file without a conversation gets no entry.
pub fn refresh(config: &ConfigDir, slug: &Slug, session: &SessionKey) -> Result<IndexUpdate, IndexError> {
    let Some(index) = IndexFile::read(config, slug)? else { return Ok(IndexUpdate::NoIndex) };
    let (after, update) = index.refreshed(config, slug, session)?;
    index.replace(&after, update)
}

/// Returns a project's index as [`refresh`] would leave it; `None` if that changes nothing, or there is no index.
pub fn refreshed(
    config: &ConfigDir,
    slug: &Slug,
    session: &SessionKey,
) -> Result<Option<IndexEdit>, IndexError> {
    let Some(index) = IndexFile::read(config, slug)? else { return Ok(None) };
    let (after, _) = index.refreshed(config, slug, session)?;
    Ok((after != index.file.bytes).then_some(IndexEdit { before: index.file.bytes, after }))
}

/// An index as it is, and as it would be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexEdit {
    /// Its bytes.
    pub before: Vec<u8>,
    /// Its bytes after the edit.
    pub after: Vec<u8>,
}

/// Returns a project's index without these sessions; `None` if it has none of them, or does not exist.
pub fn without(
    config: &ConfigDir,
    slug: &Slug,
    sessions: &[SessionKey],
) -> Result<Option<IndexEdit>, IndexError> {
    let Some(index) = IndexFile::read(config, slug)? else { return Ok(None) };
    let after = index.without(sessions)?;
    Ok((after != index.file.bytes).then_some(IndexEdit { before: index.file.bytes, after }))
}

/// An index in memory.
struct IndexFile {
    file: JsonFile,
}

impl IndexFile {
    fn read(config: &ConfigDir, slug: &Slug) -> Result<Option<Self>, IndexError> {
        PlainName::new(slug.as_str(), "the folder of a project").map_err(WriteError::from)?;
        Ok(config.json_if_there(&config.sessions_index(slug))?.map(|file| Self { file }))
    }

    /// The index with an entry of a session that is true, or without one if the file does not exist.
    fn refreshed(
        &self,
        config: &ConfigDir,
        slug: &Slug,
        session: &SessionKey,
    ) -> Result<(Vec<u8>, IndexUpdate), IndexError> {
        PlainName::new(session.as_str(), "a session id").map_err(WriteError::from)?;
        let path = config.session(slug, session);
        let (summary, messages) = match Summary::read_path(&path) {
            Ok(summary) => (summary, count_messages(&path)?),
            Err(ReadError::NotFound { .. }) => {
                return Ok((self.without(std::slice::from_ref(session))?, IndexUpdate::Removed));
            }
            Err(error) => return Err(error.into()),
        };
        let entry = EntryFields::new(&summary, messages);
        Ok(match self.places(session)?.as_slice() {
            [] if summary.has_conversation => (self.with(&entry)?, IndexUpdate::Added),
            [] => (self.file.bytes.clone(), IndexUpdate::Unchanged),
            places => (self.updated(places, &entry)?, IndexUpdate::Updated),
        })
    }

    fn entries(&self) -> Result<Value<'_>, IndexError> {
        let index = self.file.object().map_err(IndexError::Unlike)?;
        let list = index.get("entries").filter(|list| list.kind() == ValueKind::Array);
        list.ok_or_else(|| IndexError::Unlike(self.file.wrong_shape("an index with entries")))
    }

    /// The places of a session's entries: one, as a rule.
    fn places(&self, session: &SessionKey) -> Result<Vec<usize>, IndexError> {
        let is_of = |value: Value<'_>| {
            let id = value.fields().and_then(|fields| IndexEntry::new(fields).session());
            id.is_some_and(|id| id.is(session.as_str()))
        };
        Ok(self.entries()?.items().enumerate().filter(|(_, item)| is_of(*item)).map(|(at, _)| at).collect())
    }

    fn updated(&self, places: &[usize], entry: &EntryFields) -> Result<Vec<u8>, IndexError> {
        let items: Vec<_> = self.entries()?.items().collect();
        self.edit(|editor| {
            for &place in places {
                if let Some(there) = items.get(place).and_then(|item| item.fields()) {
                    entry.update(editor, &[PathStep::Key("entries"), PathStep::Item(place)], &there)?;
                }
            }
            Ok(())
        })
    }

    /// The index with one more entry at the end, in its layout.
    fn with(&self, entry: &EntryFields) -> Result<Vec<u8>, IndexError> {
        let list = self.entries()?;
        let lines = if self.file.bytes.contains(&b'\n') { IndexLayout::Many } else { IndexLayout::One };
        let (before, after) = match (list.items().last(), lines) {
            (Some(last), _) => {
                let end = last.raw().as_ptr() as usize - list.raw().as_ptr() as usize + last.raw().len();
                let (before, after) = list.raw().split_at(end);
                ([before, b","].concat(), after.to_vec())
            }
            (None, IndexLayout::Many) => (b"[".to_vec(), [break_to(1), b"]".to_vec()].concat()),
            (None, IndexLayout::One) => (b"[".to_vec(), b"]".to_vec()),
        };
        let gap = if lines == IndexLayout::Many { break_to(2) } else { Vec::new() };
        let list = [before, gap, entry.bytes(lines), after].concat();
        self.edit(|editor| editor.replace(&[PathStep::Key("entries")], &list).map(drop))
    }

    /// The index without the entries of these sessions.
    fn without(&self, sessions: &[SessionKey]) -> Result<Vec<u8>, IndexError> {
        let mut places = Vec::new();
        for session in sessions {
            places.extend(self.places(session)?);
        }
        self.edit(|editor| {
            editor.remove_items(&[PathStep::Key("entries")], |at| places.contains(&at)).map(drop)
        })
    }

    /// The index with these edits.
    fn edit(
        &self,
        make: impl FnOnce(&mut Editor<'_>) -> Result<(), EditError>,
    ) -> Result<Vec<u8>, IndexError> {
        let body = self.file.bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&self.file.bytes);
        let mark = &self.file.bytes[..self.file.bytes.len() - body.len()];
        let edited = Editor::new(body).and_then(|mut editor| {
            make(&mut editor)?;
            editor.finish()
        });
        match edited {
            Ok(edited) => Ok([mark, &edited].concat()),
            Err(source) => Err(IndexError::Edit { path: self.file.path.clone(), source }),
        }
    }

    fn replace(&self, bytes: &[u8], done: IndexUpdate) -> Result<IndexUpdate, IndexError> {
        if bytes == self.file.bytes {
            return Ok(IndexUpdate::Unchanged);
        }
        replace_file(&self.file.path, bytes)?;
        Ok(done)
    }
}
