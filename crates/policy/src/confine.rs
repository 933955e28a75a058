//! What a sandbox of commands has to keep them from: files of rules, protected paths, and secrets of the home folder. It only looks;
//! who starts commands applies it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use annals_store::git::worktree_repository;

use crate::decide::Policy;
use crate::paths::{FileKind, FileSystem, is_protected, protected_names};
use crate::rules::{CaseSensitivity, Matcher, PathPattern, PatternReach, RuleList};

/// The most names that are looked at for files of rules.
const MAX_RULE_NAMES: usize = 20_000;
/// The most files of one rule.
const MAX_FILES: usize = 500;
/// The most names that are looked at for protected paths, the upper folders first.
const MAX_PROTECTED_NAMES: usize = 1_500;
/// How many folders deep protected paths are looked for.
const MAX_DEPTH: usize = 4;

/// Folders of files that tools brought, and nobody opens by hand.
const BROUGHT: [&str; 5] = ["node_modules", "target", "vendor", ".venv", "__pycache__"];

/// Files of a repository that name programs or other repositories.
const OF_GIT: [&str; 4] = ["config", "config.worktree", "hooks", "commondir"];

/// What of a home folder holds secrets: no command in a sandbox can read it.
pub const SECRETS: [&str; 26] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".claude.json",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".bash_history",
    ".zsh_history",
    ".config/gh",
    ".config/gcloud",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/chromium",
    ".cargo/credentials.toml",
    ".local/share/keyrings",
];

/// What of a home folder tools write: caches that they fill again.
pub const CACHES: [&str; 6] = [
    ".cache",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
];

/// What of these caches is run as a program later, and not by the tool that checks it.
pub const RUN_FROM_CACHES: [&str; 3] = [".npm/_npx", ".cache/pre-commit", ".cache/puppeteer"];

/// What a sandbox has to keep commands from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfinedPaths {
    /// Folders that may be written, and must keep their name.
    pub pinned: Vec<PathBuf>,
    /// What must not be changed.
    pub read_only: Vec<PathBuf>,
    /// What must not be read.
    pub hidden: Vec<PathBuf>,
    /// What must not come into being.
    pub absent: Vec<PathBuf>,
    /// Whether everything was looked at that a rule may be about.
    pub is_complete: bool,
}

impl Policy<'_> {
    /// What a sandbox has to keep commands from, as the files are now.
    pub fn confined_paths(&self) -> ConfinedPaths {
        let mut found = self.confined_by_rules();
        for root in self.workspace.roots() {
            found.protect(self.files, &root);
        }
        found
    }

    /// The files of deny and ask rules.
    pub(crate) fn confined_by_rules(&self) -> ConfinedPaths {
        let mut found = ConfinedPaths { is_complete: true, ..ConfinedPaths::default() };
        let mut left = MAX_RULE_NAMES;
        for rule in self.rules.of(RuleList::Deny).chain(self.rules.of(RuleList::Ask)) {
            let Matcher::Path { tool, pattern } = &rule.matcher else { continue };
            let paths = self.files_of(pattern, &mut left);
            found.is_complete &= paths.is_some();
            match tool.as_str() {
                "Read" => found.hidden.extend(paths.unwrap_or_default()),
                _ => found.read_only.extend(paths.unwrap_or_default()),
            }
        }
        found
    }

    /// The files that a pattern matches now; `None` if there are too many to look at.
    fn files_of(&self, pattern: &PathPattern, left: &mut usize) -> Option<Vec<PathBuf>> {
        let bases = self.workspace.bases();
        let Some((start, reach)) = pattern.start(&bases) else { return Some(Vec::new()) };
        if reach == PatternReach::Itself && !is_missing(self.files, &start) {
            return Some(vec![start]);
        }
        if reach == PatternReach::Itself {
            // Rules that forbid ignore case.
            let folder = start.parent().unwrap_or(&start);
            let paths =
                self.files.names(folder).unwrap_or_default().into_iter().map(|name| folder.join(name));
            return Some(
                paths.filter(|path| pattern.matches(path, &bases, CaseSensitivity::Folded)).collect(),
            );
        }
        let (mut found, mut folders) = (Vec::new(), vec![start]);
        while let Some(folder) = folders.pop() {
            if self.files.kind(&folder) != FileKind::Folder {
                continue;
            }
            for name in self.files.names(&folder)? {
                *left = left.checked_sub(1)?;
                let path = folder.join(name);
                if pattern.matches(&path, &bases, CaseSensitivity::Folded) {
                    found.push(path);
                    Some(()).filter(|()| found.len() <= MAX_FILES)?;
                } else if self.files.kind(&path) == FileKind::Folder {
                    folders.push(path);
                }
            }
        }
        Some(found)
    }
}

impl ConfinedPaths {
    /// Adds the protected paths below a root of the workspace.
    fn protect(&mut self, files: &dyn FileSystem, root: &Path) {
        let missing = protected_names().map(|name| root.join(name)).filter(|path| is_missing(files, path));
        self.absent.extend(missing);
        let mut left = MAX_PROTECTED_NAMES;
        let mut folders = VecDeque::from([(root.to_path_buf(), 0)]);
        while let Some((folder, depth)) = folders.pop_front() {
            for name in files.names(&folder).unwrap_or_default() {
                if left == 0 {
                    return;
                }
                left -= 1;
                let path = folder.join(&name);
                let is_here = path.strip_prefix(root).is_ok_and(is_protected);
                if name == ".git" {
                    self.protect_repository(files, &path);
                } else if is_here {
                    self.read_only.push(path);
                } else if depth < MAX_DEPTH
                    && !BROUGHT.iter().any(|brought| name == *brought)
                    && files.kind(&path) == FileKind::Folder
                {
                    folders.push_back((path, depth + 1));
                }
            }
        }
    }

    /// Adds a repository: its contents may be written, but not what names programs.
    fn protect_repository(&mut self, files: &dyn FileSystem, git: &Path) {
        if files.kind(git) != FileKind::Folder {
            self.read_only.push(git.to_path_buf());
            // The folder of the worktree is in the one that it shares with others.
            if let Some(shared) = worktree_repository(git) {
                self.protect_repository(files, &shared);
            }
            return;
        }
        self.protect_git(files, git);
        for kind in ["modules", "worktrees"] {
            let folder = git.join(kind);
            for name in files.names(&folder).unwrap_or_default() {
                let path = folder.join(name);
                if files.kind(&path) == FileKind::Folder {
                    self.protect_git(files, &path);
                }
            }
        }
    }

    fn protect_git(&mut self, files: &dyn FileSystem, folder: &Path) {
        self.pinned.push(folder.to_path_buf());
        let paths = OF_GIT.iter().map(|name| folder.join(name));
        let (missing, present): (Vec<_>, Vec<_>) = paths.partition(|path| is_missing(files, path));
        self.absent.extend(missing);
        self.read_only.extend(present);
        // It says which working tree belongs to it.
        self.read_only.extend(Some(folder.join("gitdir")).filter(|path| !is_missing(files, path)));
    }
}

fn is_missing(files: &dyn FileSystem, path: &Path) -> bool {
    files.kind(path) == FileKind::Missing && files.link(path).is_none()
}
