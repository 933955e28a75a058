//! Changes of files by commands since a turn, as annals recorded them.

use std::collections::BTreeMap;
use std::path::Path;

use annals_store::command_changes::{
    ChangeOrigin, CommandChange, CommandHistory, FileVersion, MAX_FILE_BYTES,
};
use annals_store::digest::sha256;

use super::files::SkipReason;
use super::turns::RewindTurn;

/// The changes of the files of one folder.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandEdits<'h> {
    history: Option<&'h CommandHistory>,
    /// By name, relative to the folder; oldest first.
    files: BTreeMap<&'h str, Vec<&'h CommandChange>>,
    /// How many changes are in other folders.
    elsewhere: usize,
}

impl<'h> CommandEdits<'h> {
    pub(super) fn of(history: Option<&'h CommandHistory>, folder: &Path) -> Self {
        let mut edits = Self { history, ..Self::default() };
        for change in history.into_iter().flat_map(|history| &history.changes) {
            match change.folder == folder {
                true => edits.files.entry(&change.path).or_default().push(change),
                false => edits.elsewhere += 1,
            }
        }
        edits
    }

    /// The files that were changed since a turn, each with the first change.
    pub(super) fn since(&self, turn: &RewindTurn) -> BTreeMap<&'h str, &'h CommandChange> {
        let first = |(name, changes): (&&'h str, &Vec<&'h CommandChange>)| {
            Some((*name, *changes.iter().find(|change| is_since(change, turn))?))
        };
        self.files.iter().filter_map(first).collect()
    }

    /// Returns the content of a version; `None` if the file did not exist.
    pub(super) fn content(&self, version: &FileVersion) -> Result<Option<Vec<u8>>, SkipReason> {
        match version {
            FileVersion::Absent => Ok(None),
            FileVersion::Copy(digest) => {
                let copy = self.history.and_then(|history| history.copy(digest));
                copy.map(Some).ok_or(SkipReason::NoCopy)
            }
            FileVersion::NotCopied(why) => Err(SkipReason::NotCopied(*why)),
        }
    }

    /// Whether a command changed the file since a turn, and it is too large to compare it.
    pub(super) fn is_too_large(&self, name: &str, path: &Path, turn: &RewindTurn) -> bool {
        let is_large = || path.symlink_metadata().is_ok_and(|metadata| metadata.len() > MAX_FILE_BYTES);
        self.changes_since(name, turn).next().is_some() && is_large()
    }

    /// Whether it is not certain that the session changed the file.
    pub(super) fn has_background(&self, name: &str, turn: &RewindTurn) -> bool {
        self.changes_since(name, turn).any(|change| change.origin == ChangeOrigin::Background)
    }

    fn changes_since(&self, name: &str, turn: &RewindTurn) -> impl Iterator<Item = &'h CommandChange> {
        self.files.get(name).into_iter().flatten().copied().filter(|change| is_since(change, turn))
    }

    /// Whether a command found or left this content.
    pub(super) fn is_known(&self, name: &str, now: &[u8]) -> bool {
        let Some(changes) = self.files.get(name) else { return false };
        let now = FileVersion::Copy(sha256(now));
        changes.iter().any(|change| change.before == now || change.after == now)
    }

    /// What is said of changes that are not restored.
    pub(super) fn notes(&self, turn: &RewindTurn) -> Vec<String> {
        let Some(history) = self.history else {
            return vec!["changes made by commands are not recorded and stay".to_owned()];
        };
        let since = |time: i64| turn.time.is_none_or(|start| time >= start);
        let gaps = history.gaps.iter().filter(|gap| since(gap.time));
        let mut notes: Vec<String> = gaps.map(|gap| format!("changes by commands: {}", gap.why)).collect();
        if self.elsewhere > 0 {
            notes.push(format!("changes by commands in other folders stay: {}", self.elsewhere));
        }
        if history.damaged > 0 {
            notes.push(format!("records of changes by commands cannot be read: {}", history.damaged));
        }
        notes
    }
}

fn is_since(change: &CommandChange, turn: &RewindTurn) -> bool {
    turn.time.is_some_and(|start| change.time >= start)
}
