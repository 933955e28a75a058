//! Checks whether files are unchanged: by path relative to the store's folder, which is opened once and not once per file.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use crate::identity::FileIdentity;
use crate::platform::{FileState, FolderHandle};

/// After this many files of one project its folder is opened, which costs as much as it then saves.
const OPEN_AFTER: u32 = 12;

/// The folder of the last file: the next one is usually close.
#[derive(Default)]
pub(super) struct FolderCursor {
    /// The path of a project's folder below the root, with a trailing separator; empty elsewhere.
    project: String,
    asked_count: u32,
    folder: Option<FolderHandle>,
    /// Room for the next path.
    pub(super) path: String,
}

/// Reads the metadata of files below one folder, and elsewhere.
pub(super) struct StatReader {
    root: Option<FolderHandle>,
    /// The folder's path, with a trailing separator.
    prefix: String,
}

impl StatReader {
    /// For files below this folder.
    pub(super) fn below(root: &Path) -> Self {
        Self {
            root: FolderHandle::open(root).ok(),
            prefix: root.to_str().map(|root| format!("{root}/")).unwrap_or_default(),
        }
    }

    /// One number for what a file or folder is and when it was written, as [`stamp`] gives it.
    pub(super) fn stamp(&self, path: &str, near: &mut FolderCursor) -> io::Result<u64> {
        let Some((root, below)) = self.root.as_ref().zip(path.strip_prefix(&self.prefix)) else {
            return std::fs::metadata(path).map(|metadata| stamp(&metadata));
        };
        match near.folder_of(root, below) {
            Some((folder, inside)) => folder.state(inside).map(number),
            None => root.state(below).map(number),
        }
    }
}

impl FolderCursor {
    /// Returns the open folder of a file's project, and the file's path in it; `None` if that is not worth it.
    fn folder_of<'p>(&mut self, root: &FolderHandle, below: &'p str) -> Option<(&FolderHandle, &'p str)> {
        let end = below.match_indices('/').nth(1).map(|(at, _)| at + 1)?;
        let (project, inside) = below.split_at(end);
        if project != self.project {
            self.project.clear();
            self.project.push_str(project);
            (self.asked_count, self.folder) = (0, None);
        }
        self.asked_count += 1;
        if self.asked_count == OPEN_AFTER {
            self.folder = root.open_below(project).ok();
        }
        self.folder.as_ref().map(|folder| (folder, inside))
    }
}

/// One number for what a file or folder is and when it was written.
pub(super) fn stamp(metadata: &Metadata) -> u64 {
    number(FileState::of(metadata))
}

fn number(state: FileState) -> u64 {
    let identity = FileIdentity::of_numbers(state.numbers).as_number();
    mixed(mixed(identity as u64, state.bytes), state.modified as u64)
}

/// Two numbers as one, each bit of either in each bit of it: the halves of a product.
fn mixed(left: u64, right: u64) -> u64 {
    let product =
        u128::from(left ^ 0x9e37_79b9_7f4a_7c15) * u128::from(right.rotate_left(32) ^ 0xd1b5_4a32_d192_ed03);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use std::collections::HashSet;
    use std::time::{Duration, SystemTime};

    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn both_ways_of_asking_give_the_same_number() {
        let (folder, elsewhere) = (TempDir::new("asked"), TempDir::new("asked-elsewhere"));
        let stat_reader = StatReader::below(folder.path());
        let mut paths = vec![folder.path().to_path_buf(), folder.write("a/b.jsonl", "one\n")];
        paths.push(folder.path().join("a"));
        paths.push(elsewhere.write("c.jsonl", "two\n"));
        let old = folder.write("a/old", "");
        let before_1970 = SystemTime::UNIX_EPOCH - Duration::new(5, 7);
        std::fs::File::options().write(true).open(&old).unwrap().set_modified(before_1970).unwrap();
        paths.push(old);
        // More than many of one project, and the project itself.
        paths.extend((0..40).map(|at| folder.write(format!("projects/p/{at}/{at}.jsonl"), "three\n")));
        paths.extend([folder.path().join("projects/p"), folder.write("projects/pq/4.jsonl", "")]);
        let mut near = FolderCursor::default();
        for path in &paths {
            let by_path = stamp(&std::fs::metadata(path).unwrap());
            assert_eq!(
                stat_reader.stamp(path.to_str().unwrap(), &mut near).unwrap(),
                by_path,
                "{}",
                path.display()
            );
        }
        let missing = folder.path().join("a/none");
        let answer = stat_reader.stamp(missing.to_str().unwrap(), &mut near);
        assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn neighbours_are_told_apart() {
        let numbers = (0..20_u64).flat_map(|left| (0..20_u64).map(move |right| mixed(left, right)));
        let times =
            (0..400_i64).map(|nanos| number(FileState { numbers: (1, 2), bytes: 3, modified: nanos }));
        assert_eq!(numbers.chain(times).collect::<HashSet<_>>().len(), 800);
    }
}
