//! Checks that a path from a transcript is a plain file below a folder, reached without a link.
//!
//! Transcripts are not trusted: paths that they name are checked here before they are read or changed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::lexical::resolve;
use crate::platform::link_count;
use crate::protected::names;

/// What exists at a path that may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathState {
    /// Neither a file nor a folder.
    Nothing,
    /// A plain file.
    File,
}

/// Why a path is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PathRefusal {
    /// It is not below the folder.
    Outside,
    /// It, or a folder on the way to it, is a symbolic link.
    SymbolicLink,
    /// The file has another hard link.
    HardLink,
    /// It is a folder, device or pipe, or a file is where a folder should be.
    NotAFile,
    /// It is git's own.
    OfGit,
    /// It cannot be read.
    Unreadable,
}

impl PathRefusal {
    /// The reason, for people.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Outside => "it is outside the session's folder",
            Self::SymbolicLink => "a symbolic link leads there",
            Self::HardLink => "another name leads to the same file",
            Self::NotAFile => "it is not a regular file",
            Self::OfGit => "it belongs to git",
            Self::Unreadable => "it cannot be read",
        }
    }
}

/// Resolves a relative or absolute name below a folder, and returns what exists there.
pub fn resolve_plain_file(folder: &Path, name: &str) -> Result<(PathBuf, PathState), PathRefusal> {
    let path = resolve(folder, Path::new(name));
    let inside = path.strip_prefix(folder).map_err(|_| PathRefusal::Outside)?;
    if inside.as_os_str().is_empty() {
        return Err(PathRefusal::Outside);
    }
    let parts: Vec<Component<'_>> = inside.components().collect();
    if names(inside).iter().any(|name| name == ".git") {
        return Err(PathRefusal::OfGit);
    }
    let mut at = folder.to_path_buf();
    for (number, part) in parts.iter().enumerate() {
        at.push(part);
        let found = match fs::symlink_metadata(&at) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((path.clone(), PathState::Nothing));
            }
            Err(_) => return Err(PathRefusal::Unreadable),
        };
        let is_last = number + 1 == parts.len();
        match found.file_type() {
            kind if kind.is_symlink() => return Err(PathRefusal::SymbolicLink),
            kind if is_last && kind.is_file() && link_count(&found) > 1 => return Err(PathRefusal::HardLink),
            kind if is_last && kind.is_file() => {}
            kind if !is_last && kind.is_dir() => {}
            _ => return Err(PathRefusal::NotAFile),
        }
    }
    Ok((path, PathState::File))
}

#[cfg(all(test, unix))]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn only_plain_files_below_the_folder_will_do() {
        let top = TempDir::new("places");
        let folder = top.path().join("work");
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(folder.join(".git/hooks")).unwrap();
        for file in ["work/a", "work/src/b", "work/twice", "beside"] {
            fs::write(top.path().join(file), "x").unwrap();
        }
        fs::hard_link(folder.join("twice"), folder.join("again")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.join("etc")).unwrap();
        std::os::unix::fs::symlink("a", folder.join("link")).unwrap();
        let inside = folder.join("src/b").display().to_string();
        for name in ["a", "./a", "src/b", "src/../a", inside.as_str()] {
            assert!(matches!(resolve_plain_file(&folder, name), Ok((_, PathState::File))), "{name}");
        }
        for name in ["new", "src/deep/new"] {
            assert_eq!(resolve_plain_file(&folder, name), Ok((folder.join(name), PathState::Nothing)));
        }
        for (name, why) in [
            ("../beside", PathRefusal::Outside),
            ("src/../../beside", PathRefusal::Outside),
            ("/etc/passwd", PathRefusal::Outside),
            ("", PathRefusal::Outside),
            (".", PathRefusal::Outside),
            ("link", PathRefusal::SymbolicLink),
            ("etc/passwd", PathRefusal::SymbolicLink),
            ("twice", PathRefusal::HardLink),
            ("src", PathRefusal::NotAFile),
            ("a/b", PathRefusal::NotAFile),
            (".git/hooks/pre-commit", PathRefusal::OfGit),
            (".GIT/config", PathRefusal::OfGit),
            (".git./config", PathRefusal::OfGit),
            ("a\0b", PathRefusal::Unreadable),
        ] {
            assert_eq!(resolve_plain_file(&folder, name), Err(why), "{name:?}");
        }
    }
}
