//! Paths as text: nothing here reads the disk.

use std::path::{Component, Path, PathBuf};

/// The path seen from a folder, without `.` and `..`.
pub(crate) fn resolve(folder: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in folder.join(path).components() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_gone() {
        for (path, expected) in [("b/./c", "/a/b/c"), ("../x", "/x"), ("/y/z/..", "/y"), ("../../../x", "/x")]
        {
            assert_eq!(resolve(Path::new("/a"), Path::new(path)), Path::new(expected));
        }
    }
}
