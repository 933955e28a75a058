//! What git leaves out of a folder: the patterns of `.gitignore` files, and the index, which names what git tracks whatever they say.

use std::path::{Path, PathBuf};

use super::{FileKind, FileSystem};
use crate::rules::{CaseSensitivity, PathPattern, PatternBases};

/// The most bytes of a `.gitignore` that are read. A longer one ignores nothing here.
const MAX_PATTERNS: usize = 64 * 1024;

/// The most bytes of an index that are read. Of a larger one nothing is known.
const MAX_INDEX: usize = 16 * 1024 * 1024;

/// One line of a `.gitignore`.
#[derive(Clone, Debug)]
struct IgnorePattern {
    pattern: PathPattern,
    bases: PatternBases,
    is_negated: bool,
    only_folders: bool,
}

/// What git ignores and tracks in one repository.
#[derive(Debug)]
pub(crate) struct IgnoredFiles {
    root: PathBuf,
    /// `None` where it is not known what git tracks.
    index: Option<Vec<u8>>,
}

impl IgnoredFiles {
    /// The repository around a folder. Without one, nothing is ignored or tracked.
    pub(crate) fn around(files: &dyn FileSystem, folder: &Path) -> Option<Self> {
        let is_root = |folder: &&Path| files.kind(&folder.join(".git")) != FileKind::Missing;
        let root = folder.ancestors().find(is_root)?.to_path_buf();
        let git = root.join(".git");
        let index = git.join("index");
        let index = match files.kind(&git) {
            FileKind::Folder if files.kind(&index) == FileKind::Missing => Some(Vec::new()),
            FileKind::Folder => files.bytes(&index, MAX_INDEX).filter(|bytes| has_whole_names(bytes)),
            _ => None,
        };
        Some(Self { root, index })
    }

    /// The folder of the repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether git tracks a file, or may.
    pub(crate) fn may_track(&self, path: &Path) -> bool {
        let (Some(index), Ok(below)) = (&self.index, path.strip_prefix(&self.root)) else { return true };
        let mut name = below.as_os_str().as_encoded_bytes().to_vec();
        name.push(0);
        index.windows(name.len()).any(|bytes| bytes.eq_ignore_ascii_case(&name))
    }

    /// The patterns that hold in a folder, those of the folders above first.
    pub(crate) fn patterns(&self, files: &dyn FileSystem, folder: &Path) -> IgnorePatterns {
        let mut above: Vec<&Path> =
            folder.ancestors().take_while(|path| path.starts_with(&self.root)).collect();
        above.reverse();
        let mut found = IgnorePatterns::default();
        above.into_iter().for_each(|folder| found.add(files, folder));
        found
    }
}

/// The patterns of several `.gitignore` files; of those that match, the last one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct IgnorePatterns(Vec<IgnorePattern>);

impl IgnorePatterns {
    /// Adds those of one folder.
    pub(crate) fn add(&mut self, files: &dyn FileSystem, folder: &Path) {
        let path = folder.join(".gitignore");
        // Git follows no link there.
        let is_plain = files.link(&path).is_none() && files.kind(&path) == FileKind::File;
        let bytes = is_plain.then(|| files.bytes(&path, MAX_PATTERNS)).flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let bases = PatternBases { working: folder.to_path_buf(), project: folder.to_path_buf(), home: None };
        for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let (is_negated, rest) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
            let is_plain = !rest.contains('\\') && !rest.starts_with(['~', '!']) && !rest.starts_with("//");
            match PathPattern::new(rest).filter(|_| is_plain) {
                Some(pattern) => self.0.push(IgnorePattern {
                    pattern,
                    bases: bases.clone(),
                    is_negated,
                    only_folders: rest.ends_with('/'),
                }),
                // What it takes back is not known: it may be anything.
                None if is_negated => self.0.clear(),
                None => {}
            }
        }
    }

    /// Whether git leaves out a file or folder.
    pub(crate) fn ignore(&self, path: &Path, kind: FileKind) -> bool {
        let matches = |each: &&IgnorePattern| {
            (!each.only_folders || kind == FileKind::Folder)
                && each.pattern.matches(path, &each.bases, CaseSensitivity::Exact)
        };
        self.0.iter().rev().find(matches).is_some_and(|each| !each.is_negated)
    }
}

/// Whether an index names every file as a whole, as versions 2 and 3 do, and is not split.
fn has_whole_names(index: &[u8]) -> bool {
    let is_split = index.windows(4).any(|bytes| bytes == b"link");
    index.starts_with(b"DIRC") && matches!(index.get(4..8), Some([0, 0, 0, 2 | 3])) && !is_split
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;
    use crate::paths::Disk;

    fn ignores(patterns: &str, path: &str, kind: FileKind) -> bool {
        let dir = TempDir::new("ignored");
        dir.write(".gitignore", patterns);
        let mut found = IgnorePatterns::default();
        found.add(&Disk, dir.path());
        found.ignore(&dir.path().join(path), kind)
    }

    #[test]
    fn patterns_are_read_as_git_reads_them() {
        for (patterns, path) in [
            (".env", ".env"),
            (".env", "a/b/.env"),
            (".env*", ".env.local"),
            ("*.pem\n", "x.pem"),
            ("/.env", ".env"),
            ("config/.env", "config/.env"),
            ("**/.env", "a/.env"),
            ("# a\n\n.env  ", ".env"),
            ("!.env\n.env", ".env"),
            ("private", "private/key"),
            (".env\r\n", ".env"),
        ] {
            assert!(ignores(patterns, path, FileKind::File), "{patterns:?} {path}");
        }
        for (patterns, path) in [
            ("", ".env"),
            ("# .env", ".env"),
            ("/.env", "a/.env"),
            (".env\n!.env", ".env"),
            (".env/", ".env"),
            (".envrc", ".env"),
            (".ENV", ".env"),
            ("\\.env", ".env"),
            (".env\n!\\.env", ".env"),
            ("a/.env", "b/a/.env"),
        ] {
            assert!(!ignores(patterns, path, FileKind::File), "{patterns:?} {path}");
        }
        assert!(ignores("target/", "target", FileKind::Folder));
    }

    #[test]
    fn what_git_tracks_is_in_its_index() {
        let dir = TempDir::new("index");
        let around = |dir: &TempDir| IgnoredFiles::around(&Disk, dir.path()).unwrap();
        assert!(IgnoredFiles::around(&Disk, dir.path()).is_none());
        dir.write(".git/HEAD", "ref: refs/heads/main");
        assert!(!around(&dir).may_track(&dir.path().join(".env")));
        dir.write(".git/index", "DIRC\0\0\0\u{2}\0\0\0\u{1}…a/.env\0\0");
        assert!(around(&dir).may_track(&dir.path().join("a/.env")));
        assert!(!around(&dir).may_track(&dir.path().join("b/.env")));
        dir.write(".git/index", "DIRC\0\0\0\u{4}\0\0\0\u{1}…");
        assert!(around(&dir).may_track(&dir.path().join(".env")), "names of version 4 are not whole");
    }
}
