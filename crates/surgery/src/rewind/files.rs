//! Rewinds files to their state at a prompt. Names and contents come from a transcript, which is not trusted: only plain
//! files below the session's folder are changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::command_changes::NoCopyReason;
use annals_store::files::{PathRefusal, PathState, resolve_plain_file};
use annals_store::platform::mode;
use annals_store::project_slug;
use annals_store::protected::{is_instructions, is_protected};
use annals_store::read::{read_below, read_file_if_there};
use annals_transcript::transcript::Transcript;

use super::command_edits::CommandEdits;
use super::file_history::{FileState, SnapshotHistory};
use super::tool_edits::{ToolEdit, edits, is_same};
use super::turns::RewindTurn;
use super::{ForeignChanges, RewindError, RewindOptions, create, write};
use crate::plan::Plan;
use crate::session::Session;

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// Its content is the same.
    Same,
    /// Its old content is restored.
    Restored,
    /// It was deleted, and is created again.
    Created,
    /// It did not exist, and is removed.
    Removed,
    /// It stays as it is.
    Skipped(SkipReason),
}

impl FileOutcome {
    /// Its stable name.
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

/// Why a file is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It is not a plain file below the session's folder.
    PathRefusal(PathRefusal),
    /// No client gives a copy this name.
    BadName,
    /// The copy is missing, or not a plain file.
    NoCopy,
    /// A tool changed it, and no record names a copy from before.
    NoSnapshot,
    /// The record has an unknown format.
    Unknown,
    /// Something else than the session has changed it since.
    ChangedSince,
    /// It cannot be read.
    Unreadable,
    /// A command changed it, and there is no copy from before.
    NotCopied(NoCopyReason),
    /// A command in the background, or something else meanwhile, has changed it since.
    Background,
    /// It configures programs or instructs agents, and the transcript may be anybody's.
    Protected,
}

impl SkipReason {
    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::PathRefusal(why) => why.explanation(),
            Self::BadName => "its copy has an invalid name",
            Self::NoCopy => "its copy is missing",
            Self::NoSnapshot => "the session has no copy of it",
            Self::Unknown => "its snapshot has an unknown format",
            Self::ChangedSince => "something other than the session changed it since",
            Self::Unreadable => "it cannot be read",
            Self::NotCopied(why) => why.explanation(),
            Self::Background => "it changed while a command ran in the background; --force restores it too",
            Self::Protected => "it configures programs; --force restores it too",
        }
    }
}

/// A file that the session changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRewind {
    /// Its name in the records.
    pub name: String,
    /// Its path; `None` if the name is not trusted.
    pub path: Option<PathBuf>,
    /// What happens to it.
    pub outcome: FileOutcome,
    /// Whether something else than the session has changed it since.
    pub changed_since: bool,
    /// Whether a command changed it since.
    pub is_by_command: bool,
}

/// Plans the rewind of all files.
pub(super) fn rewind(
    session: &Session,
    transcript: &Transcript<'_>,
    turn: &RewindTurn,
    options: RewindOptions<'_>,
    plan: &mut Plan,
) -> Result<Vec<FileRewind>, RewindError> {
    let history = SnapshotHistory::of(transcript);
    let mut states: BTreeMap<&str, Option<FileState>> = BTreeMap::new();
    for (name, state) in history.at(turn.uuid.as_deref(), turn.node) {
        states.insert(name, state.cloned());
    }
    let edits = edits(session, transcript);
    if states.is_empty() && options.commands.is_none_or(|history| history.changes.is_empty()) {
        plan.notes.extend(CommandEdits::of(options.commands, Path::new("")).notes(turn));
        return Ok(without_snapshot(&edits, turn, &[]));
    }
    let folder = work_folder(session, transcript, options.home)?;
    let commands = CommandEdits::of(options.commands, &folder);
    plan.notes.extend(commands.notes(turn));
    let by_command = commands.since(turn);
    for (name, change) in &by_command {
        let is_first = || {
            let path = folder.join(name);
            let edit = edits.iter().find(|edit| edit.is_of(&path) && edit.is_since(turn));
            edit.is_some_and(|edit| edit.time.is_none_or(|time| change.time <= time))
        };
        let is_copied = states.get(name).is_some_and(Option::is_some);
        if !is_copied || (!history.is_in_snapshot(name, turn.uuid.as_deref()) && is_first()) {
            states.insert(name, Some(FileState::Recorded(change.before.clone(), change.mode)));
        }
    }
    let rewinder = FileRewinder {
        session,
        turn,
        options,
        folder,
        history: &history,
        edits: &edits,
        commands: &commands,
    };
    let mut files = Vec::new();
    for (name, state) in states {
        let place = resolve_plain_file(&rewinder.folder, name);
        let path = place.as_ref().ok().map(|(path, _)| path.clone());
        let (outcome, changed_since) = match (place, state) {
            (Err(why), _) => (FileOutcome::Skipped(SkipReason::PathRefusal(why)), false),
            // It was not changed since, as far as the records know.
            (Ok((path, _)), None) if !edits.iter().any(|edit| edit.is_of(&path) && edit.is_since(turn)) => {
                (FileOutcome::Same, false)
            }
            (Ok(_), None) => (FileOutcome::Skipped(SkipReason::NoSnapshot), false),
            (Ok((path, standing)), Some(state)) => rewinder
                .file(name, &path, standing, &state, plan)
                .unwrap_or_else(|why| (FileOutcome::Skipped(why), false)),
        };
        let is_by_command = by_command.contains_key(name);
        files.push(FileRewind { name: name.to_owned(), path, outcome, changed_since, is_by_command });
    }
    let mut named: Vec<PathBuf> = files.iter().map(|file| rewinder.folder.join(&file.name)).collect();
    named.extend(files.iter().filter_map(|file| file.path.clone()));
    files.extend(without_snapshot(&edits, turn, &named));
    Ok(files)
}

/// The files that tools changed since a turn, and that no snapshot names: they stay as they are.
fn without_snapshot(edits: &[ToolEdit], turn: &RewindTurn, named: &[PathBuf]) -> Vec<FileRewind> {
    let since = edits.iter().filter(|edit| edit.is_since(turn) && !named.contains(&edit.path));
    let paths: BTreeSet<&PathBuf> = since.map(|edit| &edit.path).collect();
    let left = |path: &PathBuf| FileRewind {
        name: path.to_string_lossy().into_owned(),
        path: None,
        outcome: FileOutcome::Skipped(SkipReason::NoSnapshot),
        changed_since: false,
        is_by_command: false,
    };
    paths.into_iter().map(left).collect()
}

/// The session's working directory: of those in its records, the one of its project.
pub(crate) fn work_folder(
    session: &Session,
    transcript: &Transcript<'_>,
    home: Option<&Path>,
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
        () if !folder.is_absolute() => fault("the session names no working directory"),
        () if folder.parent().is_none() => fault("the session names the root of the disk as its folder"),
        () if home == Some(folder.as_path()) => {
            fault("the session works in the home folder, where files are never changed")
        }
        () if !folder.is_dir() => fault("the working directory of the session does not exist"),
        () => Ok(folder),
    }
}

struct FileRewinder<'b> {
    session: &'b Session,
    turn: &'b RewindTurn,
    options: RewindOptions<'b>,
    folder: PathBuf,
    history: &'b SnapshotHistory,
    edits: &'b [ToolEdit],
    commands: &'b CommandEdits<'b>,
}

impl FileRewinder<'_> {
    fn file(
        &self,
        name: &str,
        path: &Path,
        standing: PathState,
        state: &FileState,
        plan: &mut Plan,
    ) -> Result<(FileOutcome, bool), SkipReason> {
        let then = self.content(path, state)?;
        if self.commands.is_too_large(name, path, self.turn) {
            return Err(SkipReason::NotCopied(NoCopyReason::TooLarge));
        }
        let now = match standing {
            PathState::Nothing => None,
            PathState::File => read_file_if_there(path).map_err(|_| SkipReason::Unreadable)?,
        };
        if then == now {
            return Ok((FileOutcome::Same, false));
        }
        let is_left = self.options.foreign == ForeignChanges::Left;
        if is_left && is_delicate(path.strip_prefix(&self.folder).unwrap_or(path)) {
            return Err(SkipReason::Protected);
        }
        if is_left && self.commands.has_background(name, self.turn) {
            return Err(SkipReason::Background);
        }
        let is_foreign = now.as_deref().is_some_and(|now| !self.is_known(name, path, now));
        if is_foreign && is_left {
            return Ok((FileOutcome::Skipped(SkipReason::ChangedSince), true));
        }
        plan.plain.push((self.folder.clone(), path.to_path_buf()));
        let outcome = match (now, then) {
            (Some(now), Some(then)) => {
                write(path, Some(&now), then, plan);
                FileOutcome::Restored
            }
            (None, Some(then)) => {
                create(path, then, Some(self.mode(path, state)), plan);
                FileOutcome::Created
            }
            (Some(now), None) => {
                plan.depend_on(path, &now);
                plan.changes.push(Change::Discard { path: path.to_path_buf() });
                FileOutcome::Removed
            }
            (None, None) => FileOutcome::Same,
        };
        Ok((outcome, is_foreign))
    }

    /// The content of the file at the prompt; `None` if it did not exist.
    fn content(&self, path: &Path, state: &FileState) -> Result<Option<Vec<u8>>, SkipReason> {
        match state {
            FileState::Absent => Ok(None),
            FileState::Content(content) => Ok(Some(content.clone().into_bytes())),
            FileState::Recorded(version, _) => self.commands.content(version),
            FileState::Unknown => Err(SkipReason::Unknown),
            FileState::Copy { name, is_first } => {
                let copy = copy_of(self.session, name)?;
                let late = is_first.then(|| self.made_too_late(path, &copy)).flatten();
                Ok(Some(late.unwrap_or(copy)))
            }
        }
    }

    /// The permission bits of a file that is made again: those that were recorded, else those of the folder, executable if its
    /// copy is.
    fn mode(&self, path: &Path, state: &FileState) -> u32 {
        let bits = |path: &Path| path.metadata().ok().map(|metadata| mode(&metadata));
        let is_executable = match state {
            FileState::Recorded(_, Some(mode)) => return mode & 0o777,
            FileState::Copy { name, .. } => {
                let folder =
                    self.session.home.as_ref().map(|(config, _)| config.file_history_of(&self.session.key));
                folder.and_then(|folder| bits(&folder.join(name))).is_some_and(|mode| mode & 0o100 != 0)
            }
            _ => false,
        };
        let folder = path.ancestors().skip(1).find_map(bits).unwrap_or(0o700);
        let readable = (folder & 0o666) | 0o600;
        // Those who read it may run it.
        if is_executable { readable | ((readable & 0o444) >> 2) } else { readable }
    }

    /// 2.0.76 made the first copy after the first edit. Before that edit, the result of the edit has the original; after
    /// it, the copy is right.
    fn made_too_late(&self, path: &Path, copy: &[u8]) -> Option<Vec<u8>> {
        let first = self.edits.iter().find(|edit| edit.is_of(path))?;
        let is_ahead = first.node.is_some_and(|node| node > self.turn.node);
        let (before, after) = (first.before.as_deref()?, first.after.as_deref()?);
        let is_late = is_same(copy, after.as_bytes()) && !is_same(copy, before.as_bytes());
        (is_ahead && is_late).then(|| before.as_bytes().to_vec())
    }

    /// Whether the content was written by the session.
    fn is_known(&self, name: &str, path: &Path, now: &[u8]) -> bool {
        let left = self.edits.iter().filter(|edit| edit.is_of(path));
        let mut contents = left.filter_map(|edit| edit.after.as_deref());
        contents.any(|after| is_same(after.as_bytes(), now))
            || self.commands.is_known(name, now)
            || self
                .history
                .copies_of(name)
                .any(|copy| copy_of(self.session, copy).is_ok_and(|copy| copy == now))
    }
}

/// Reads a copy that the client made of a file.
pub(crate) fn copy_of(session: &Session, name: &str) -> Result<Vec<u8>, SkipReason> {
    if !is_name_of_copy(name) {
        return Err(SkipReason::BadName);
    }
    let (config, _) = session.home.as_ref().ok_or(SkipReason::NoCopy)?;
    let folder = config.file_history_of(&session.key);
    match resolve_plain_file(&folder, name) {
        // Clients that resume hard-link copies; reading them is safe.
        Ok((_, PathState::File)) | Err(PathRefusal::HardLink) => {
            read_below(config.path(), &folder.join(name)).map_err(|_| SkipReason::NoCopy)
        }
        _ => Err(SkipReason::NoCopy),
    }
}

/// Whether a program runs or obeys what the file says.
pub(crate) fn is_delicate(path: &Path) -> bool {
    is_protected(path) || is_instructions(path)
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
