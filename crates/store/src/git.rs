//! The git branch of a working directory, read from its files: no git is run.

use std::fs;
use std::path::{Path, PathBuf};

/// What the format writes if there is no branch.
pub const NO_BRANCH: &str = "HEAD";

/// Returns the branch that is checked out at or above a folder, or `HEAD`.
pub fn branch(folder: &Path) -> String {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists());
    let head = git.and_then(git_folder).and_then(|folder| fs::read_to_string(folder.join("HEAD")).ok());
    let name = head.as_deref().and_then(|text| text.trim().strip_prefix("ref: refs/heads/"));
    name.unwrap_or(NO_BRANCH).to_owned()
}

/// `.git` itself, or the folder that it names in a worktree or a submodule.
fn git_folder(path: PathBuf) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path);
    }
    let text = fs::read_to_string(&path).ok()?;
    let named = Path::new(text.trim().strip_prefix("gitdir: ")?).to_path_buf();
    Some(path.parent()?.join(named))
}
