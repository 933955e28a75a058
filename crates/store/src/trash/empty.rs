//! Emptying the trash: the one thing that cannot be taken back.
//!
//! The journal says so before the first byte goes; a heap goes by one renaming, and is deleted after that.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use super::{Heap, folders_in, heaps, size_of};
use crate::data_dir::DataDir;
use crate::files::WriteError;
use crate::journal::{Effect, Journal, Stage};

/// A heap that the journal knows nothing of may be one in the making; one of this age is not, in milliseconds.
const SETTLED_MS: i64 = 24 * 60 * 60 * 1000;

/// How the name of a heap begins that is being deleted.
const DOOMED: &str = ".emptied-";

/// What emptying would delete, and what it would leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emptying {
    /// What goes, the newest first.
    pub goes: Vec<Heap>,
    /// What is old enough and stays nevertheless.
    pub spared: Vec<Spared>,
}

/// A heap that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spared {
    /// The heap.
    pub heap: Heap,
    /// Why.
    pub why: WhySpared,
}

/// Why a heap stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhySpared {
    /// Without it a change that a crash cut short could not be taken back.
    #[error("a change that was cut short needs it; annals undo takes that back")]
    Unfinished,
    /// The journal's note of it cannot be read, or it may be in the making.
    #[error("the journal does not tell what it is")]
    Unknown,
}

/// Looks at what was made before `cutoff`, in milliseconds since 1970.
pub fn emptying(data: &DataDir, cutoff: i64, now: i64) -> Emptying {
    let needed = needed_by_unfinished(data);
    let journal = Journal::new(data);
    let mut found = Emptying::default();
    for heap in heaps(data) {
        let Some(time) = heap.time.filter(|time| *time < cutoff) else { continue };
        let is_doomed = heap.id.starts_with(DOOMED);
        let is_settled = !journal.has(&heap.id) && now - time > SETTLED_MS;
        if needed.contains(&heap.id) {
            found.spared.push(Spared { heap, why: WhySpared::Unfinished });
        } else if heap.entry.is_none() && !is_doomed && !is_settled {
            found.spared.push(Spared { heap, why: WhySpared::Unknown });
        } else {
            found.goes.push(heap);
        }
    }
    found
}

/// Deletes heaps for good. A change that had happened cannot be taken back any more, and the journal says so first.
pub fn empty(data: &DataDir, goes: &[Heap]) -> Result<(), WriteError> {
    let journal = Journal::new(data);
    for heap in goes {
        if let Some(entry) = heap.entry.clone().filter(|entry| entry.stage == Stage::Done) {
            journal.give_up(entry)?;
        }
        let doomed = match heap.id.starts_with(DOOMED) {
            true => heap.path.clone(),
            false => heap.path.with_file_name(format!("{DOOMED}{}", heap.id)),
        };
        if doomed != heap.path {
            fs::rename(&heap.path, &doomed).map_err(WriteError::at(&heap.path))?;
        }
        delete(&doomed)?;
    }
    // Folders that everything came back from are empty.
    let needed = needed_by_unfinished(data);
    for folder in folders_in(&data.whole_trash()).iter().filter(|folder| size_of(folder).0 == 0) {
        let id = folder.file_name().unwrap_or_default().to_string_lossy();
        if !needed.contains(&*id) && journal.has(&id) {
            delete(folder)?;
        }
    }
    Ok(())
}

fn delete(folder: &Path) -> Result<(), WriteError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(WriteError::new(folder, error)),
        _ => Ok(()),
    }
}

/// The heaps that a change needs which may have happened in part: its own, and those that it moves things out of.
fn needed_by_unfinished(data: &DataDir) -> HashSet<String> {
    let trash = data.whole_trash();
    let heap_of = |path: &Path| {
        let inside = path.strip_prefix(&trash).ok()?;
        Some(inside.components().next()?.as_os_str().to_string_lossy().into_owned())
    };
    let mut needed = HashSet::new();
    for entry in Journal::new(data).entries().into_iter().filter(|entry| entry.stage == Stage::Begun) {
        for effect in &entry.effects {
            let paths = match effect {
                Effect::Moved { from, to } => [Some(from), Some(to)],
                Effect::Replaced { path, kept, .. } => [Some(path), kept.as_ref()],
                Effect::Created { path, .. } | Effect::Appended { path, .. } => [Some(path), None],
            };
            needed.extend(paths.into_iter().flatten().filter_map(|path| heap_of(path)));
        }
        needed.insert(entry.id);
    }
    needed
}
