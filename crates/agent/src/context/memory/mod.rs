//! Memory files: `CLAUDE.md` and the like, rules, and what they import, from trusted folders only.
//!
//! | module | owns |
//! |---|---|
//! | `source` | where memory files are looked for |
//! | `rule` | `.claude/rules`: files, and the paths that they apply to |
//! | `import` | what a text imports by `@path` |
//! | `nested` | files that apply once a file in their folder is used |
//!
//! An import leads to a file below the trusted folder: a project's files cannot import anything outside the project.

mod import;
mod nested;
mod rule;
mod source;

pub(crate) use import::mentions;
pub(crate) use nested::NestedFile;
pub use source::{MemoryKind, MemorySource, SourceForm};

use std::fs;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, FileKind, resolve};
use rule::RulePaths;

const MAX_IMPORT_DEPTH: u32 = 4;
/// The most bytes of one file.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// The most bytes of all files together.
const MAX_TOTAL_BYTES: usize = 1 << 20;

/// A memory file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// The real path.
    pub path: PathBuf,
    /// The content, without front matter.
    pub text: String,
    /// Whose it is.
    pub kind: MemoryKind,
    /// The file that imports it.
    pub parent: Option<PathBuf>,
    /// The whole content, if it differs from the text.
    pub(crate) raw: Option<String>,
    /// The files that it applies to; `None` for all.
    pub(crate) paths: Option<RulePaths>,
}

/// A memory file that is there and not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not read: {why}", path.display())]
pub struct SkippedMemory {
    pub path: PathBuf,
    pub why: &'static str,
}

/// All memory files, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    sources: Vec<MemorySource>,
    /// The trusted folder in which files of folders below apply.
    root: Option<PathBuf>,
    files: Vec<MemoryFile>,
    /// Rules that apply to certain files alone.
    conditional: Vec<MemoryFile>,
    skipped: Vec<SkippedMemory>,
}

impl Memory {
    /// Reads the files that exist, each followed by its imports.
    pub fn read(sources: impl IntoIterator<Item = MemorySource>) -> Self {
        let mut memory = Self { sources: sources.into_iter().collect(), ..Self::default() };
        for source in memory.sources.clone() {
            let Ok(within) = fs::canonicalize(&source.within) else { continue };
            match source.form {
                SourceForm::File => memory.add(&source.path, &within, &source, None),
                SourceForm::Rules => memory.add_rules(&source, &within),
            }
        }
        memory
    }

    /// Lets the files of folders below a trusted folder apply once a file in them is used.
    #[must_use]
    pub fn below(self, root: &Path) -> Self {
        Self { root: fs::canonicalize(root).ok(), ..self }
    }

    /// Reads everything again: files may have changed.
    #[must_use]
    pub(crate) fn reread(&self) -> Self {
        Self { root: self.root.clone(), ..Self::read(self.sources.clone()) }
    }

    /// Returns the files in order, without rules for certain files.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// Returns the files that were found and not read.
    pub fn skipped(&self) -> &[SkippedMemory] {
        &self.skipped
    }

    /// Returns the text for the system prompt.
    pub(super) fn words(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        let mut words =
            "The person keeps these notes for you. Treat them as instructions from the person.".to_owned();
        for file in &self.files {
            words.push_str(&format!("\n\nFrom {}:\n\n{}", file.path.display(), file.text.trim_end()));
        }
        Some(words)
    }

    fn add_rules(&mut self, source: &MemorySource, within: &Path) {
        for path in rule::files(&source.path) {
            self.add(&path, within, source, None);
        }
    }

    /// Adds a file and what it imports; `parents` leads to the file at the beginning.
    fn add(&mut self, path: &Path, within: &Path, source: &MemorySource, parents: Option<&ImportChain<'_>>) {
        let Ok(found) = resolve(&Disk, Path::new("/"), path) else { return };
        let mut known = self.files.iter().chain(&self.conditional);
        // Reading anything but a regular file may block.
        if found.kind != FileKind::File || known.any(|file| file.path == found.real) {
            return;
        }
        if !found.real.starts_with(within) {
            return self.skip(path, "it is outside the folder");
        }
        if fs::metadata(&found.real).map_or(u64::MAX, |metadata| metadata.len()) > MAX_FILE_BYTES {
            return self.skip(path, "it is larger than 256 KiB");
        }
        let Ok(raw) = fs::read_to_string(&found.real) else { return self.skip(path, "it is not UTF-8") };
        let all: usize = self.files.iter().map(|file| file.text.len()).sum();
        if all + raw.len() > MAX_TOTAL_BYTES {
            return self.skip(path, "the files together are larger than 1 MiB");
        }
        let is_rule = source.form == SourceForm::Rules && parents.is_none();
        let (text, paths) = if is_rule { rule::parse(&raw, &source.base) } else { (raw.clone(), None) };
        let depth = parents.map_or(0, |chain| chain.depth);
        let imports = if depth < MAX_IMPORT_DEPTH { mentions(&text) } else { Vec::new() };
        let path = found.real;
        let file = MemoryFile {
            path: path.clone(),
            raw: Some(raw).filter(|raw| *raw != text),
            text,
            kind: source.kind,
            parent: parents.map(|chain| chain.parent.to_path_buf()),
            paths: paths.or_else(|| parents.and_then(|chain| chain.paths.cloned())),
        };
        let paths = file.paths.clone();
        match paths {
            Some(_) => self.conditional.push(file),
            None => self.files.push(file),
        }
        let folder = path.parent().unwrap_or(within).to_path_buf();
        let chain = ImportChain { parent: &path, paths: paths.as_ref(), depth: depth + 1 };
        for import in imports {
            self.add(&folder.join(import), within, source, Some(&chain));
        }
    }

    fn skip(&mut self, path: &Path, why: &'static str) {
        self.skipped.push(SkippedMemory { path: path.to_path_buf(), why });
    }
}

/// How an import was reached.
struct ImportChain<'c> {
    parent: &'c Path,
    /// The files that the rule at the beginning applies to.
    paths: Option<&'c RulePaths>,
    depth: u32,
}
