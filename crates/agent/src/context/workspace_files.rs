//! The files and folders of a workspace, for completion: bounded, without what git ignores.

use std::collections::BTreeSet;
use std::path::Path;

use ignore::WalkBuilder;

/// Folders near the top are listed before deep ones, in case there are too many.
const TOP_LEVELS: usize = 2;

/// Returns paths relative to a folder, those of folders with a slash at the end, at most this many. Hidden files, and what
/// git ignores, are left out; links are not followed.
pub fn workspace_files(folder: &Path, max: usize) -> Vec<String> {
    let mut found = BTreeSet::new();
    for depth in [Some(TOP_LEVELS), None] {
        let walk = WalkBuilder::new(folder).require_git(false).max_depth(depth).build();
        for entry in walk.flatten().filter(|entry| entry.depth() > 0) {
            if found.len() >= max {
                break;
            }
            let Ok(inside) = entry.path().strip_prefix(folder) else { continue };
            // A name that is not text cannot be typed.
            let Some(path) = inside.to_str() else { continue };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            found.insert(if is_folder { format!("{path}/") } else { path.to_owned() });
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn ignored_and_hidden_files_are_left_out_and_the_top_comes_first() {
        let folder = TempDir::new("files");
        for (path, text) in [
            ("a/b/c/deep.rs", ""),
            ("top.rs", ""),
            ("target/x", ""),
            (".hidden", ""),
            (".gitignore", "target\n"),
        ] {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        assert_eq!(workspace_files(folder.path(), 100), ["a/", "a/b/", "a/b/c/", "a/b/c/deep.rs", "top.rs"]);
        assert_eq!(workspace_files(folder.path(), 3), ["a/", "a/b/", "top.rs"]);
    }
}
