//! Carries a set of changes out, and reverts them if one fails.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::prepare::Preparation;
use super::{Change, ChangeSet, ChangesError, refresh_index};
use crate::busy::Busy;
use crate::data_dir::DataDir;
use crate::files::{
    OldFile, Steps, WriteError, clear_left_overs, create_folder, create_folder_like_parent, move_in_steps,
    place_new, remove, set_mode, set_staged_mode, stage_file, stage_with_old_time,
};
use crate::journal::{Effect, Journal, JournalEntry, Reverter, Stage};
use crate::session::InUse;
use crate::source::Source;

/// Why the changes do not go on.
enum ApplyFailure {
    Write(WriteError),
    /// Somebody else wrote to a file.
    Meanwhile {
        path: PathBuf,
        offset: u64,
    },
}

impl From<WriteError> for ApplyFailure {
    fn from(error: WriteError) -> Self {
        Self::Write(error)
    }
}

pub(super) fn apply(
    set: &ChangeSet<'_>,
    data: &DataDir,
    source: &dyn Source,
    watch: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Result<JournalEntry, ChangesError> {
    let mut steps = Steps::new(watch);
    let journal = Journal::new(data);
    let id = journal.next_id(source);
    let trash = data.trash(&id);
    if steps.step().is_err() {
        return Err(ChangesError::Stopped { id: String::new() });
    }
    // Until the change is noted, copies of old files are of no use to anybody.
    let forget = |error| {
        let _ = remove(&trash);
        error
    };
    let Preparation { effects, folders, old_files } = Preparation::new(set, data, &trash).map_err(forget)?;
    let store = set.root.join("projects").is_dir().then(|| set.root.to_path_buf());
    let begun = match store {
        Some(store) => journal.begin_in(Some(store), id, source.now(), set.what, effects),
        None => journal.begin(id, source.now(), set.what, effects),
    };
    let entry = begun.map_err(ChangesError::Before).map_err(forget)?;
    let mut transaction =
        Transaction { set, data, entry, folders, old_files, swapped: Vec::new(), current: None };
    let done = transaction.carry_out(&mut steps);
    match done {
        Ok(()) => Ok(transaction.entry),
        Err(ApplyFailure::Write(WriteError::Stopped)) => {
            Err(ChangesError::Stopped { id: transaction.entry.id })
        }
        Err(failure) => Err(transaction.roll_back(failure)),
    }
}

/// A change in the making.
struct Transaction<'a> {
    set: &'a ChangeSet<'a>,
    data: &'a DataDir,
    entry: JournalEntry,
    folders: usize,
    /// The files that are replaced, by their effects.
    old_files: Vec<(usize, OldFile)>,
    /// Those of them whose names the new files have taken.
    swapped: Vec<usize>,
    /// The effect that is being made, or all of them.
    current: Option<usize>,
}

impl Transaction<'_> {
    fn carry_out(&mut self, steps: &mut Steps<'_>) -> Result<(), ApplyFailure> {
        self.make_folders()?;
        for change in self.set.changes {
            steps.step()?;
            match change {
                Change::Create { path, bytes, mode } => {
                    stage_file(path, bytes)?;
                    mode.map_or(Ok(()), |mode| set_staged_mode(path, mode))?;
                }
                Change::Replace { bytes, .. } => stage_file(self.target(change), bytes)?,
                Change::Rewrite { bytes, .. } => stage_with_old_time(self.target(change), bytes)?,
                _ => {}
            }
        }
        let has_effect =
            |change: &&Change| !matches!(change, Change::Folder { .. } | Change::RefreshIndex { .. });
        for (at, change) in self.set.changes.iter().filter(has_effect).enumerate() {
            steps.step()?;
            self.current = Some(self.folders + at);
            self.make(change, self.folders + at, steps)?;
        }
        self.current = Some(usize::MAX);
        for change in self.set.changes {
            if let Change::RefreshIndex { session } = change {
                refresh_index(&mut self.entry, session, self.data, steps)?;
            }
        }
        self.look_again()?;
        self.set_modes()?;
        steps.step()?;
        self.entry.stage = Stage::Done;
        Ok(Journal::new(self.data).write(&self.entry)?)
    }

    fn make_folders(&self) -> Result<(), WriteError> {
        // What comes back from elsewhere finds its folders as they are around; what is new is nobody else's.
        let comes_back = |folder: &Path| {
            self.set.changes.iter().any(|change| match change {
                Change::Place { path, .. } | Change::Move { to: path, .. } | Change::Folder { path, .. } => {
                    path.starts_with(folder)
                }
                _ => false,
            })
        };
        for effect in &self.entry.effects[..self.folders] {
            match effect.path() {
                path if comes_back(path) => create_folder_like_parent(path)?,
                path => create_folder(path)?,
            }
        }
        Ok(())
    }

    /// Gives new folders their modes once everything is in them: one may allow no more files.
    fn set_modes(&self) -> Result<(), WriteError> {
        for change in self.set.changes {
            if let Change::Folder { path, mode: Some(mode) } = change {
                set_mode(path, *mode)?;
            }
        }
        Ok(())
    }

    /// The file that a replacement writes to: not a link, but its target.
    fn target<'p>(&'p self, change: &'p Change) -> &'p Path {
        let has_effect =
            |change: &&Change| !matches!(change, Change::Folder { .. } | Change::RefreshIndex { .. });
        let at = self.set.changes.iter().filter(has_effect).position(|other| std::ptr::eq(other, change));
        match at {
            Some(at) => self.entry.effects[self.folders + at].path().as_path(),
            None => change.written().unwrap_or(Path::new("")),
        }
    }

    fn make(&mut self, change: &Change, at: usize, steps: &mut Steps<'_>) -> Result<(), ApplyFailure> {
        match &self.entry.effects[at] {
            Effect::Created { path, .. } if let Change::Place { from, .. } = change => {
                move_in_steps(from, path, steps)?;
            }
            Effect::Replaced { path, .. } | Effect::Created { path, .. } => {
                let Some((_, old)) = self.old_files.iter().find(|(of, _)| *of == at) else {
                    return Ok(place_new(path)?);
                };
                old.swap(steps, || self.swapped.push(at))?;
                check_unwritten(old)?;
                old.forget_aside();
            }
            Effect::Moved { from, to } => move_in_steps(from, to, steps)?,
            Effect::Appended { .. } | Effect::FolderCreated { .. } => {}
        }
        Ok(())
    }

    /// Looks at all old files once more: somebody may have had one open when it lost its name.
    fn look_again(&self) -> Result<(), ApplyFailure> {
        self.old_files.iter().try_for_each(|(_, old)| check_unwritten(old))
    }

    /// Reverts one effect; a file that was replaced comes back itself.
    fn revert(&mut self, at: usize) -> Result<(), WriteError> {
        let new_length = match &self.entry.effects[at] {
            Effect::Replaced { bytes, .. } => bytes.unwrap_or_default(),
            _ => 0,
        };
        let is_new =
            matches!(&self.entry.effects[at], Effect::Created { .. } | Effect::Replaced { kept: None, .. });
        let is_swapped = self.swapped.contains(&at);
        match self.old_files.iter_mut().find(|(of, _)| *of == at && is_swapped) {
            Some((_, old)) => old.come_back(new_length),
            // Made a moment ago from what the caller still has: no need for a copy, and perhaps no room.
            None if is_new => {
                clear_left_overs(self.entry.effects[at].path());
                remove(self.entry.effects[at].path())
            }
            None => {
                let mut steps = Steps::unwatched();
                Reverter { data: self.data, entry: &self.entry, steps: &mut steps }.revert(at)
            }
        }
    }

    /// Reverts what was done, so that nothing was changed.
    fn roll_back(mut self, failure: ApplyFailure) -> ChangesError {
        // What was there already was not made by us.
        let is_refused = matches!(failure, ApplyFailure::Write(WriteError::Exists { .. }));
        let untouched = match self.current {
            None => 0,
            Some(current) if is_refused => current,
            Some(current) => current.saturating_add(1),
        };
        self.entry.make_folders_writable();
        let reverted: Result<(), WriteError> = (0..self.entry.effects.len()).rev().try_for_each(|at| {
            match at >= untouched.max(self.folders) {
                true => clear_left_overs(self.entry.effects[at].path()),
                false => self.revert(at)?,
            }
            Ok(())
        });
        let reverted = reverted.and_then(|()| Journal::new(self.data).forget(&self.entry));
        match (reverted, failure) {
            (Ok(()), ApplyFailure::Write(error)) => ChangesError::Before(error),
            (Ok(()), ApplyFailure::Meanwhile { path, offset }) => {
                ChangesError::InUse(InUse::Busy { path, busy: Busy::Meanwhile { offset } })
            }
            (Err(_), ApplyFailure::Write(source)) => ChangesError::Midway { id: self.entry.id, source },
            (Err(source), ApplyFailure::Meanwhile { .. }) => {
                ChangesError::Midway { id: self.entry.id, source }
            }
        }
    }
}

fn check_unwritten(old: &OldFile) -> Result<(), ApplyFailure> {
    match old.written_since() {
        Some(offset) => Err(ApplyFailure::Meanwhile { path: old.path().to_path_buf(), offset }),
        None => Ok(()),
    }
}
