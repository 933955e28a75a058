//! Memory of folders below the working folder, and rules for certain files: it applies once such a file is used.

use std::path::{Path, PathBuf};

use super::{Memory, MemoryFile, MemorySource};

/// Why a file is in the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoadReason {
    /// A file in its folder, or below, is used.
    Folder,
    /// A file that its patterns match is used.
    Pattern,
    /// Another file imports it.
    Import,
}

impl LoadReason {
    /// Returns the name for hooks.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Folder => "nested_traversal",
            Self::Pattern => "path_glob_match",
            Self::Import => "include",
        }
    }
}

/// A file that applies since another one is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NestedFile {
    pub(crate) file: MemoryFile,
    pub(crate) reason: LoadReason,
}

impl NestedFile {
    fn new(file: MemoryFile) -> Self {
        let reason = match (&file.parent, &file.paths) {
            (Some(_), _) => LoadReason::Import,
            (None, Some(_)) => LoadReason::Pattern,
            (None, None) => LoadReason::Folder,
        };
        Self { file, reason }
    }
}

impl Memory {
    /// Returns what applies since this file is used, without files that are known: of folders from the outermost on, then rules.
    pub(crate) fn nested(&self, used: &Path, known: &[PathBuf]) -> Vec<NestedFile> {
        let mut found: Vec<MemoryFile> = Vec::new();
        let root = self.root.as_deref().filter(|root| used.starts_with(root));
        let folders = root.map(|root| folders_between(root, used)).unwrap_or_default();
        if !folders.is_empty() {
            let sources = folders.iter().flat_map(|folder| sources(folder, root.unwrap_or(folder)));
            let below = Self::read(sources);
            found.extend(below.files);
            found.extend(below.conditional.into_iter().filter(|rule| applies(rule, used)));
        }
        found.extend(self.conditional.iter().filter(|rule| applies(rule, used)).cloned());
        let is_known = |file: &MemoryFile| {
            known.contains(&file.path) || self.files.iter().any(|other| other.path == file.path)
        };
        found.into_iter().filter(|file| !is_known(file)).map(NestedFile::new).collect()
    }
}

fn applies(rule: &MemoryFile, used: &Path) -> bool {
    rule.paths.as_ref().is_some_and(|paths| paths.has(used))
}

/// Returns the folders below `root` that lead to a file, outermost first.
fn folders_between<'p>(root: &Path, file: &'p Path) -> Vec<&'p Path> {
    let below = file.ancestors().skip(1).take_while(|folder| *folder != root);
    let mut folders: Vec<&Path> = below.collect();
    folders.reverse();
    folders
}

/// Returns the sources of a folder; its files may import anything of the project.
fn sources(folder: &Path, root: &Path) -> Vec<MemorySource> {
    let mut sources = MemorySource::of_folder(folder).to_vec();
    // The original reads the local file before rules here, and after them at the start.
    sources.swap(2, 3);
    sources.into_iter().map(|source| MemorySource { within: root.to_path_buf(), ..source }).collect()
}
