//! Paths as the file system sees them: links followed name by name, whether or not the target is there.

mod critical;
mod protected;
mod workspace;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

pub use critical::critical;
pub use protected::{is_protected, is_refused};
pub use workspace::Workspace;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, or nothing that we may see.
    Missing,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A device, a pipe, a socket.
    Special,
}

/// What paths lead to; the real disk is [`Disk`].
pub trait Files: Sync {
    /// Where a symbolic link points to; `None` where the path is no link.
    fn link(&self, path: &Path) -> Option<PathBuf>;
    /// What stands there; links are not followed.
    fn kind(&self, path: &Path) -> Kind;
}

/// The file system of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn link(&self, path: &Path) -> Option<PathBuf> {
        fs::read_link(path).ok()
    }

    fn kind(&self, path: &Path) -> Kind {
        match fs::symlink_metadata(path).map(|metadata| metadata.file_type()) {
            Err(_) => Kind::Missing,
            Ok(kind) if kind.is_dir() => Kind::Folder,
            Ok(kind) if kind.is_file() => Kind::File,
            Ok(_) => Kind::Special,
        }
    }
}

/// A path that cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Links that lead in circles.
    #[error("{} leads through too many links", .0.display())]
    TooManyLinks(PathBuf),
    /// More names than anybody has.
    #[error("{} is too deep", .0.display())]
    TooDeep(PathBuf),
    /// Empty, or with a byte that no path has.
    #[error("{:?} is no path", .0)]
    NoPath(PathBuf),
}

/// Deeper paths are not followed: nobody has them, and each name costs a look at the disk and at every rule.
const MOST_NAMES: usize = 128;

/// More links than this on one way are a circle.
const MOST_LINKS: usize = 40;

/// A path and all that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, by its letters alone.
    pub spelled: PathBuf,
    /// What it leads to.
    pub real: PathBuf,
    /// The places of the links on the way, as far as they were resolved.
    pub passed: Vec<PathBuf>,
    /// What stands there.
    pub kind: Kind,
}

impl Resolved {
    /// Every path that a rule could mean: the letters, the links, the target.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        [&self.spelled, &self.real].into_iter().chain(&self.passed).map(PathBuf::as_path)
    }

    /// Whether the path still leads where it led: asked again right before a file is changed.
    pub fn still_holds(&self, files: &dyn Files) -> bool {
        resolve(files, Path::new("/"), &self.spelled)
            .is_ok_and(|now| now.real == self.real && now.kind == self.kind)
    }
}

/// Follows a path, seen from a folder. Nothing needs to exist.
pub fn resolve(files: &dyn Files, folder: &Path, path: &Path) -> Result<Resolved, PathError> {
    let whole = folder.join(path);
    let no_path = path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0);
    if no_path || !whole.is_absolute() {
        return Err(PathError::NoPath(path.to_path_buf()));
    }
    let mut waiting: VecDeque<OsString> = parts(&whole);
    if waiting.len() > MOST_NAMES {
        return Err(PathError::TooDeep(whole));
    }
    let (mut real, mut passed) = (PathBuf::from("/"), Vec::new());
    while let Some(name) = waiting.pop_front() {
        if name == ".." {
            real.pop();
            continue;
        }
        let here = real.join(&name);
        let Some(target) = files.link(&here) else {
            real = here;
            continue;
        };
        passed.push(here);
        if passed.len() > MOST_LINKS {
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
    Ok(Resolved { spelled: lexical(&whole), real, passed, kind })
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let named = path.components().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    named.map(|part| part.as_os_str().to_owned()).collect()
}

/// The path without `.` and `..`, nothing looked at.
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
