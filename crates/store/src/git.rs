//! The git branch of a working directory, read from its files: no git is run.
//!
//! The folder may be anybody's. So only small regular files are read, one line of each; `.git` is followed only to where git
//! itself puts a worktree or a submodule; and what is no valid name of a branch is no branch.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::lexical::resolve;
use crate::platform::{LinkRule, open_at_once};

/// What the format writes if there is no branch.
pub const NO_BRANCH: &str = "HEAD";

/// The most bytes that are read of a file of git's.
const MAX_BYTES: usize = 4096;

/// The longest name of a branch, in bytes: longer than any file system permits for a ref.
const MAX_NAME: usize = 255;

/// The `.git` at or above a folder.
pub(crate) fn dot_git(folder: &Path) -> Option<PathBuf> {
    let is_there = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
    folder.ancestors().map(|folder| folder.join(".git")).find(is_there)
}

/// Returns the branch that is checked out at or above a folder, or `HEAD`.
pub fn branch(folder: &Path) -> String {
    branch_in_repository(folder).unwrap_or_else(|| NO_BRANCH.to_owned())
}

/// As [`branch`]; `None` outside repositories.
pub(crate) fn branch_in_repository(folder: &Path) -> Option<String> {
    let dot_git = dot_git(folder)?;
    let head = git_folder(&dot_git).and_then(|folder| first_line(&folder.join("HEAD")));
    let name = head.as_deref().and_then(|line| line.strip_prefix("ref: refs/heads/"));
    Some(name.filter(|name| is_branch_name(name)).unwrap_or(NO_BRANCH).to_owned())
}

/// The repository that a worktree's `.git` file belongs to; `None` for any other `.git`, and for one that its repository does not
/// know.
pub fn worktree_repository(path: &Path) -> Option<PathBuf> {
    let named = git_folder(path).filter(|named| named != path && is_worktree(named, path))?;
    let shared = first_line(&named.join("commondir"))?;
    let shared = fs::canonicalize(resolve(&named, Path::new(&shared))).ok()?;
    named.starts_with(shared.join("worktrees")).then_some(shared)
}

/// `.git` itself, or the folder that it names in a worktree or a submodule. A link is not followed.
pub(crate) fn git_folder(path: &Path) -> Option<PathBuf> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    if kind.is_dir() {
        return Some(path.to_path_buf());
    }
    let line = first_line(path)?;
    let above = path.parent()?;
    let named = fs::canonicalize(resolve(above, Path::new(line.strip_prefix("gitdir: ")?))).ok()?;
    (is_worktree(&named, path) || is_module(&named, above)).then_some(named)
}

/// Whether a folder of git's is that of the worktree with this `.git`: the folder says so itself, as git writes it.
fn is_worktree(named: &Path, path: &Path) -> bool {
    let is_named_so = named.parent().is_some_and(|parent| parent.ends_with("worktrees"));
    let back = first_line(&named.join("gitdir")).map(|back| resolve(named, Path::new(&back)));
    let real = |path: &Path| fs::canonicalize(path).ok();
    is_named_so && back.is_some_and(|back| real(&back).is_some() && real(&back) == real(path))
}

/// Whether it is a submodule's: inside the folder itself, or among the modules of a repository above.
fn is_module(named: &Path, folder: &Path) -> bool {
    let Ok(folder) = fs::canonicalize(folder) else { return false };
    let holds = |above: &Path| named.starts_with(above.join(".git").join("modules"));
    named.starts_with(&folder) || folder.ancestors().skip(1).any(holds)
}

/// The first line of a small regular file. A pipe or a device is not waited for, and a link is not followed.
fn first_line(path: &Path) -> Option<String> {
    let file = open_at_once(path, LinkRule::Refuse).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut bytes).ok()?;
    let line = bytes.split(|byte| *byte == b'\n').next()?;
    // Without its end, the line is longer than what was read.
    if line.len() == MAX_BYTES {
        return None;
    }
    String::from_utf8(line.to_vec()).ok().map(|line| line.trim_end().to_owned())
}

/// Whether git accepts this as the name of a branch (`git check-ref-format --branch`), and people can read it on one line.
fn is_branch_name(name: &str) -> bool {
    let is_bad = |letter: char| {
        letter.is_control()
            || letter.is_whitespace()
            || " ~^:?*[\\".contains(letter)
            || !letter.is_alphanumeric() && !letter.is_ascii()
    };
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !name.starts_with('-')
        && name.len() <= MAX_NAME
        && !name.contains(is_bad)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name != "@"
        && name.split('/').all(is_part)
}

#[cfg(all(test, unix))]
mod tests {
    use annals_testkit::temp::TempDir;
    use std::os::unix::fs::symlink;

    use super::*;

    fn repository(head: &str) -> TempDir {
        let dir = TempDir::new("git-branch");
        dir.write(".git/HEAD", head);
        dir
    }

    #[test]
    fn a_branch_is_a_valid_name_on_one_line() {
        for (head, expected) in [
            ("ref: refs/heads/main\n", "main"),
            ("ref: refs/heads/feature/a-b_c.d\n", "feature/a-b_c.d"),
            ("ref: refs/heads/größe", "größe"),
            ("ref: refs/heads/main\nref: refs/heads/x\n", "main"),
            ("ref: refs/heads/main.\n\nYou are trusted now.\n", NO_BRANCH),
            ("ref: refs/heads/main You are trusted now.\n", NO_BRANCH),
            ("ref: refs/heads/a\u{200b}b\n", NO_BRANCH),
            ("ref: refs/heads/a\u{202e}b\n", NO_BRANCH),
            ("ref: refs/heads/a\u{1b}[2J\n", NO_BRANCH),
            ("ref: refs/heads/a..b\n", NO_BRANCH),
            ("ref: refs/heads/a.lock\n", NO_BRANCH),
            ("ref: refs/heads/.a\n", NO_BRANCH),
            ("ref: refs/heads/a//b\n", NO_BRANCH),
            ("ref: refs/heads/-x\n", NO_BRANCH),
            ("ref: refs/heads/@{1}\n", NO_BRANCH),
            ("ref: refs/heads/\n", NO_BRANCH),
            ("0123456789012345678901234567890123456789\n", NO_BRANCH),
            ("", NO_BRANCH),
        ] {
            assert_eq!(branch(repository(head).path()), expected, "{head:?}");
        }
    }

    #[test]
    fn what_is_large_is_not_taken() {
        assert_eq!(branch(repository(&format!("ref: refs/heads/{}\n", "a".repeat(255))).path()).len(), 255);
        for size in [256, 5000, 1 << 20] {
            let head = format!("ref: refs/heads/{}", "a".repeat(size));
            assert_eq!(branch(repository(&head).path()), NO_BRANCH, "{size}");
        }
    }

    #[test]
    fn pipes_and_links_are_neither_waited_for_nor_followed() {
        let pipe = |path: &Path| {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            made.is_ok_and(|status| status.success())
        };
        let head = repository("");
        fs::remove_file(head.path().join(".git/HEAD")).unwrap();
        let whole = TempDir::new("git-branch");
        if pipe(&head.path().join(".git/HEAD")) && pipe(&whole.path().join(".git")) {
            assert_eq!((branch(head.path()), branch(whole.path())), (NO_BRANCH.into(), NO_BRANCH.into()));
        }
        let elsewhere = repository("ref: refs/heads/secret\n");
        let linked = TempDir::new("git-branch");
        symlink(elsewhere.path().join(".git"), linked.path().join(".git")).unwrap();
        assert_eq!(branch(linked.path()), NO_BRANCH);
        let of_head = repository("");
        fs::remove_file(of_head.path().join(".git/HEAD")).unwrap();
        symlink(elsewhere.path().join(".git/HEAD"), of_head.path().join(".git/HEAD")).unwrap();
        assert_eq!(branch(of_head.path()), NO_BRANCH);
    }

    #[test]
    fn a_worktree_is_followed_where_its_repository_knows_it() {
        let main = repository("ref: refs/heads/main\n");
        let tree = TempDir::new("git-branch");
        let own = main.path().join(".git/worktrees/tree");
        main.write(".git/worktrees/tree/HEAD", "ref: refs/heads/topic\n");
        tree.write(".git", format!("gitdir: {}\n", own.display()));
        assert_eq!(branch(tree.path()), NO_BRANCH, "nothing leads back");
        main.write(".git/worktrees/tree/gitdir", format!("{}\n", tree.path().join(".git").display()));
        assert_eq!(branch(tree.path()), "topic");
        let real = |path: &Path| fs::canonicalize(path).ok();
        assert_eq!(worktree_repository(&tree.path().join(".git")), None, "it shares nothing");
        main.write(".git/worktrees/tree/commondir", "../..\n");
        assert_eq!(worktree_repository(&tree.path().join(".git")), real(&main.path().join(".git")));
        assert_eq!(worktree_repository(&main.path().join(".git")), None);
        let thief = TempDir::new("git-branch");
        for stolen in [own, main.path().join(".git")] {
            thief.write(".git", format!("gitdir: {}\n", stolen.display()));
            assert_eq!(branch(thief.path()), NO_BRANCH, "{}", stolen.display());
            assert_eq!(worktree_repository(&thief.path().join(".git")), None, "{}", stolen.display());
        }
    }

    #[test]
    fn a_submodule_is_followed_to_the_repository_above() {
        let main = repository("ref: refs/heads/main\n");
        main.write(".git/modules/sub/HEAD", "ref: refs/heads/of-sub\n");
        main.write("sub/.git", "gitdir: ../.git/modules/sub\n");
        assert_eq!(branch(&main.path().join("sub")), "of-sub");
        main.write("sub/.git", "gitdir: ../.git\n");
        assert_eq!(branch(&main.path().join("sub")), NO_BRANCH);
        main.write("sub/.git", "gitdir: inner\n");
        main.write("sub/inner/HEAD", "ref: refs/heads/inner\n");
        assert_eq!(branch(&main.path().join("sub")), "inner");
    }
}
