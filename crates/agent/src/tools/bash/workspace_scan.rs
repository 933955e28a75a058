//! The files of a workspace with size and times, without what git ignores: what is compared before and after a command.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

use annals_store::command_changes::{MAX_FILE_BYTES, NoCopyReason};
use annals_store::platform::{change_time, mode};
use annals_store::read::open_below;
use ignore::WalkBuilder;

use crate::tools::blocking::StopFlag;

/// Of a folder with more files, the rest is not watched.
pub(super) const MAX_FILES: usize = 50_000;
/// A file that was changed this shortly before it was looked at may change again without another time.
const CLOCK_STEP: Duration = Duration::from_millis(50);
/// Files that say what is ignored.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// What tells whether a file was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    modified: Option<SystemTime>,
    changed: i64,
    /// The permission bits.
    pub(super) mode: u32,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let (modified, changed) = (metadata.modified().ok(), change_time(metadata));
        Self { bytes: metadata.len(), modified, changed, mode: mode(metadata) & 0o777 }
    }

    /// Whether it can change again and look the same.
    pub(super) fn is_recent(&self, now: i64) -> bool {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now).unwrap_or(0));
        self.modified.is_none_or(|time| time + CLOCK_STEP >= now)
    }
}

/// The files that were found.
#[derive(Debug, Default)]
pub(super) struct WorkspaceScan {
    /// By path, relative to the folder.
    pub(super) files: BTreeMap<String, Stamp>,
    /// Whether there are more files than are watched.
    pub(super) is_cut: bool,
    /// Whether there are names that are not text.
    pub(super) has_unnamed: bool,
}

/// Walks a folder; `None` if it was stopped. Links, git's own folder and other file systems are left out. What is ignored
/// depends on files of the folder alone.
pub(super) fn scan(folder: &Path, stop: &StopFlag) -> Option<WorkspaceScan> {
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false).require_git(false).git_global(false).git_exclude(false).same_file_system(true);
    walk.filter_entry(|entry| entry.file_name() != ".git");
    let mut found = WorkspaceScan::default();
    for entry in walk.build().flatten() {
        if stop.is_set() {
            return None;
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let Ok(metadata) = entry.metadata() else { continue };
        if !is_file {
            continue;
        }
        let Ok(inside) = entry.path().strip_prefix(folder) else { continue };
        let Some(path) = inside.to_str() else {
            found.has_unnamed = true;
            continue;
        };
        if found.files.len() >= MAX_FILES {
            found.is_cut = true;
            break;
        }
        found.files.insert(path.to_owned(), Stamp::of(&metadata));
    }
    Some(found)
}

/// Whether a file says what is ignored.
pub(super) fn is_ignore_file(path: &str) -> bool {
    Path::new(path).file_name().is_some_and(|name| IGNORE_FILES.iter().any(|known| name == *known))
}

/// Reads a file of the folder that is not too large.
pub(super) fn content(folder: &Path, path: &str) -> Result<Vec<u8>, NoCopyReason> {
    let file = open_below(folder, &folder.join(path)).map_err(|_| NoCopyReason::Unreadable)?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|_| NoCopyReason::Unreadable)?;
    match bytes.len() as u64 > MAX_FILE_BYTES {
        true => Err(NoCopyReason::TooLarge),
        false => Ok(bytes),
    }
}
