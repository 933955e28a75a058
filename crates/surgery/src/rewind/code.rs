//! Files go back to their state at a prompt. Names and contents come from a transcript, which is not to be trusted: a file is
//! only touched where it is a plain one below the session's folder.

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::files::{NotPlain, Standing, plain_place};
use annals_store::project_slug;
use annals_store::read::{read_file, read_file_if_there};
use annals_transcript::transcript::Transcript;

use super::edited::{Edited, edits, is_same};
use super::told::{History, State};
use super::turns::Turn;
use super::{Foreign, RewindError, Wish, write};
use crate::plan::Plan;
use crate::session::Session;

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// It is as it was then.
    Same,
    /// It gets the content that it had.
    Restored,
    /// It is not there any more, and comes back.
    Created,
    /// It was not there then, and goes.
    Removed,
    /// It is left as it is.
    Skipped(Skipped),
}

impl FileFate {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Restored => "restored",
            Self::Created => "created",
            Self::Removed => "removed",
            Self::Skipped(_) => "skipped",
        }
    }
}

/// Why a file is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// It is no plain file below the session's folder.
    NotPlain(NotPlain),
    /// The copy has a name that no client gives.
    BadName,
    /// The copy is gone, or is no plain file.
    NoCopy,
    /// What the record tells is not understood.
    Unknown,
    /// Somebody else changed the file since.
    ChangedSince,
    /// It cannot be read.
    Unreadable,
}

impl Skipped {
    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NotPlain(why) => why.explanation(),
            Self::BadName => "its copy has a name that no client gives",
            Self::NoCopy => "its copy is gone",
            Self::Unknown => "it is not understood what was kept of it",
            Self::ChangedSince => "something else than the session changed it since",
            Self::Unreadable => "it cannot be read",
        }
    }
}

/// A file that the session has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRewind {
    /// Its name, as the records have it.
    pub name: String,
    /// Where it is; none where that cannot be trusted.
    pub path: Option<PathBuf>,
    /// What becomes of it.
    pub fate: FileFate,
    /// Whether something else than the session has changed it since.
    pub changed_since: bool,
}

/// Plans what becomes of the files.
pub(super) fn rewind(
    session: &Session,
    transcript: &Transcript<'_>,
    turn: &Turn,
    wish: Wish<'_>,
    plan: &mut Plan,
) -> Result<Vec<FileRewind>, RewindError> {
    let history = History::of(transcript);
    let states = history.at(turn.uuid.as_deref(), turn.node);
    if states.is_empty() {
        return Ok(Vec::new());
    }
    let folder = work_folder(session, transcript, wish)?;
    let back = Back { session, turn, wish, folder, history: &history, edits: edits(session, transcript) };
    let mut files = Vec::new();
    for (name, state) in states {
        let place = plain_place(&back.folder, name);
        let path = place.as_ref().ok().map(|(path, _)| path.clone());
        let (fate, changed_since) = match (place, state) {
            (Err(why), _) => (FileFate::Skipped(Skipped::NotPlain(why)), false),
            (Ok(_), None) => (FileFate::Same, false),
            (Ok((path, standing)), Some(state)) => back
                .file(name, &path, standing, state, plan)
                .unwrap_or_else(|why| (FileFate::Skipped(why), false)),
        };
        files.push(FileRewind { name: name.to_owned(), path, fate, changed_since });
    }
    Ok(files)
}

/// The folder that the session works in: of those that its records name, the one of its project.
fn work_folder(
    session: &Session,
    transcript: &Transcript<'_>,
    wish: Wish<'_>,
) -> Result<PathBuf, RewindError> {
    let named =
        transcript.records().filter_map(|(_, record)| record.envelope().cwd().map(|cwd| cwd.to_string()));
    let mut named = named.peekable();
    let first = named.peek().cloned().unwrap_or_default();
    let of_project = match &session.home {
        Some((_, slug)) => named.find(|cwd| project_slug(cwd) == slug.as_str()),
        None => None,
    };
    let folder = PathBuf::from(of_project.unwrap_or(first));
    let fault = |why| Err(RewindError::WorkFolder { folder: folder.clone(), why });
    match () {
        () if !folder.is_absolute() => fault("the session does not tell in which folder it works"),
        () if folder.parent().is_none() => fault("no session works in the whole disk"),
        () if wish.home == Some(folder.as_path()) => {
            fault("a session that works in a home folder changes no files")
        }
        () if !folder.is_dir() => fault("the folder that the session works in is not there"),
        () => Ok(folder),
    }
}

struct Back<'b> {
    session: &'b Session,
    turn: &'b Turn,
    wish: Wish<'b>,
    folder: PathBuf,
    history: &'b History,
    edits: Vec<Edited>,
}

impl Back<'_> {
    fn file(
        &self,
        name: &str,
        path: &Path,
        standing: Standing,
        state: &State,
        plan: &mut Plan,
    ) -> Result<(FileFate, bool), Skipped> {
        let then = self.content(path, state)?;
        let now = match standing {
            Standing::Nothing => None,
            Standing::File => read_file_if_there(path).map_err(|_| Skipped::Unreadable)?,
        };
        if then == now {
            return Ok((FileFate::Same, false));
        }
        let is_foreign = now.as_deref().is_some_and(|now| !self.is_known(name, path, now));
        if is_foreign && self.wish.foreign == Foreign::Left {
            return Ok((FileFate::Skipped(Skipped::ChangedSince), true));
        }
        plan.plain.push((self.folder.clone(), path.to_path_buf()));
        let fate = match (now, then) {
            (Some(now), Some(then)) => {
                write(path, Some(&now), then, plan);
                FileFate::Restored
            }
            (None, Some(then)) => {
                write(path, None, then, plan);
                FileFate::Created
            }
            (Some(now), None) => {
                plan.rest_on(path, &now);
                plan.changes.push(Change::Discard { path: path.to_path_buf() });
                FileFate::Removed
            }
            (None, None) => FileFate::Same,
        };
        Ok((fate, is_foreign))
    }

    /// What the file held then; nothing where it was not there.
    fn content(&self, path: &Path, state: &State) -> Result<Option<Vec<u8>>, Skipped> {
        match state {
            State::Absent => Ok(None),
            State::Content(content) => Ok(Some(content.clone().into_bytes())),
            State::Unknown => Err(Skipped::Unknown),
            State::Copy { name, is_first } => {
                let copy = self.copy(name)?;
                let late = is_first.then(|| self.made_too_late(path, &copy)).flatten();
                Ok(Some(late.unwrap_or(copy)))
            }
        }
    }

    fn copy(&self, name: &str) -> Result<Vec<u8>, Skipped> {
        if !is_name_of_copy(name) {
            return Err(Skipped::BadName);
        }
        let (config, _) = self.session.home.as_ref().ok_or(Skipped::NoCopy)?;
        let folder = config.file_history_of(&self.session.key);
        match plain_place(&folder, name) {
            // Clients that resume give a copy a second name. It is only read.
            Ok((_, Standing::File)) | Err(NotPlain::HardLink) => {
                read_file(&folder.join(name)).map_err(|_| Skipped::NoCopy)
            }
            _ => Err(Skipped::NoCopy),
        }
    }

    /// 2.0.76 made the first copy after the first edit. Before that edit its result tells what was there; after it the copy is
    /// right.
    fn made_too_late(&self, path: &Path, copy: &[u8]) -> Option<Vec<u8>> {
        let first = self.edits.iter().find(|edit| edit.is_of(path))?;
        let is_ahead = first.node.is_some_and(|node| node > self.turn.node);
        let (before, after) = (first.before.as_deref()?, first.after.as_deref()?);
        let is_late = is_same(copy, after.as_bytes()) && !is_same(copy, before.as_bytes());
        (is_ahead && is_late).then(|| before.as_bytes().to_vec())
    }

    /// Whether the session left the file so, at some time.
    fn is_known(&self, name: &str, path: &Path, now: &[u8]) -> bool {
        let left = self.edits.iter().filter(|edit| edit.is_of(path));
        let mut contents = left.filter_map(|edit| edit.after.as_deref());
        contents.any(|after| is_same(after.as_bytes(), now))
            || self.history.copies_of(name).any(|copy| self.copy(copy).is_ok_and(|copy| copy == now))
    }
}

/// `^[0-9a-f]{16}@v[0-9]+$`
fn is_name_of_copy(name: &str) -> bool {
    name.split_once("@v").is_some_and(|(hash, version)| {
        let is_hash = hash.len() == 16 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash && !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::is_name_of_copy;

    #[test]
    fn copies_are_named_as_clients_name_them() {
        assert!(is_name_of_copy("00ff00ff00ff00ff@v12"));
        for name in [
            "",
            "@v1",
            "00ff00ff00ff00ff@v",
            "00FF00ff00ff00ff@v1",
            "../../00ff00ff00ff@v1",
            "00ff00ff00ff00ff@v1x",
            "00ff@v1",
        ] {
            assert!(!is_name_of_copy(name), "{name}");
        }
    }
}
