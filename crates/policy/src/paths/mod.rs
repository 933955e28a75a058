//! Resolves paths name by name through links, whether or not the target exists.

mod critical;
mod ignored;
mod protected;
mod workspace;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

pub use annals_store::protected::{is_protected, protected_names};
use annals_store::read::open_file;
pub use critical::critical;
pub(crate) use ignored::{IgnorePatterns, IgnoredFiles};
pub(crate) use protected::is_of_process;
pub use protected::is_refused;
pub use workspace::{Confinement, Workspace};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// It does not exist, or cannot be accessed.
    Missing,
    File,
    Folder,
    /// A device, a pipe, a socket.
    Special,
}

/// A file system; the real one is [`Disk`].
pub trait FileSystem: Sync {
    /// The target of a symbolic link; `None` if the path is not one.
    fn link(&self, path: &Path) -> Option<PathBuf>;
    /// The kind of the file; links are not followed.
    fn kind(&self, path: &Path) -> FileKind;
    /// The names in a folder; `None` if there are too many, or it cannot be read.
    fn names(&self, folder: &Path) -> Option<Vec<OsString>>;
    /// The bytes of a regular file; `None` if it has more than this, is no such file, or cannot be read.
    fn bytes(&self, path: &Path, most: usize) -> Option<Vec<u8>>;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn link(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn kind(&self, path: &Path) -> FileKind {
        match fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
            Err(_) => FileKind::Missing,
            Ok(kind) if kind.is_dir() => FileKind::Folder,
            Ok(kind) if kind.is_file() => FileKind::File,
            Ok(_) => FileKind::Special,
        }
    }

    fn names(&self, folder: &Path) -> Option<Vec<OsString>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).ok()? {
            found.push(entry.ok()?.file_name());
            if found.len() > MAX_ENTRIES {
                return None;
            }
        }
        Some(found)
    }

    fn bytes(&self, path: &Path, most: usize) -> Option<Vec<u8>> {
        let mut found = Vec::new();
        open_file(path).ok()?.take(most as u64 + 1).read_to_end(&mut found).ok()?;
        (found.len() <= most).then_some(found)
    }
}

/// Why a path cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Links that lead in circles.
    #[error("{}: too many symbolic links", .0.display())]
    TooManyLinks(PathBuf),
    /// Too many names.
    #[error("{}: too many folders deep", .0.display())]
    TooDeep(PathBuf),
    /// Empty, or with a NUL byte.
    #[error("{:?} is not a path", .0)]
    NoPath(PathBuf),
}

/// Deeper paths are not resolved: each name costs a system call and a check of every rule.
const MAX_NAMES: usize = 128;

/// The most names of one folder that are looked at.
const MAX_ENTRIES: usize = 5000;

/// More links than this in one path are a loop.
const MAX_LINKS: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath {
    /// The absolute path as written, without `.` and `..`.
    pub spelled: PathBuf,
    /// The path that it leads to.
    pub real: PathBuf,
    /// The links on the way.
    pub passed: Vec<PathBuf>,
    /// The kind of the target.
    pub kind: FileKind,
}

impl ResolvedPath {
    /// Every path that a rule could match: as written, the links, the target.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        [&self.spelled, &self.real].into_iter().chain(&self.passed).map(PathBuf::as_path)
    }
}

/// Resolves a path relative to a folder. Nothing needs to exist.
pub fn resolve(files: &dyn FileSystem, folder: &Path, path: &Path) -> Result<ResolvedPath, PathError> {
    let whole = folder.join(path);
    let no_path = path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0);
    if no_path || !whole.is_absolute() {
        return Err(PathError::NoPath(path.to_path_buf()));
    }
    let mut waiting: VecDeque<OsString> = parts(&whole);
    if waiting.len() > MAX_NAMES {
        return Err(PathError::TooDeep(whole));
    }
    let (mut real, mut passed) = (PathBuf::from("/"), Vec::new());
    while let Some(name) = waiting.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let here = real.join(&name);
        // A link of a process leads elsewhere for another process, or later.
        if protected::is_of_process(&here) {
            passed.push(here.clone());
        }
        let Some(target) = files.link(&here) else {
            real = here;
            continue;
        };
        passed.push(here);
        if passed.len() > MAX_LINKS {
            return Err(PathError::TooManyLinks(whole));
        }
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        for name in parts(&target).into_iter().rev() {
            waiting.push_front(name);
        }
    }
    let kind = files.kind(&real);
    Ok(ResolvedPath { spelled: lexical(&whole), real, passed, kind })
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}

/// The path without `.` and `..`, without looking at the disk.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            _ => out.push(part),
        }
    }
    out
}
