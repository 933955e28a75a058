//! Memory files: `CLAUDE.md` and the like, with their imports, from trusted folders only.
//!
//! An import leads to a file below the trusted folder: a project's files cannot import anything outside the project.

use std::fs;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, FileKind, resolve};

const MAX_IMPORT_DEPTH: u32 = 4;
/// The most bytes of one file.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// The most bytes of all files together.
const MAX_TOTAL_BYTES: usize = 1 << 20;

/// A memory file that may exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySource {
    /// The path of the file.
    pub path: PathBuf,
    /// The folder that imports must stay in.
    pub within: PathBuf,
}

impl MemorySource {
    /// Returns the memory files of a folder: `CLAUDE.md`, the one under `.claude`, and the local one.
    pub fn of_folder(folder: &Path) -> [Self; 3] {
        ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]
            .map(|name| Self { path: folder.join(name), within: folder.to_path_buf() })
    }
}

/// A memory file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// The real path.
    pub path: PathBuf,
    /// The content.
    pub text: String,
}

/// All memory files, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    files: Vec<MemoryFile>,
}

impl Memory {
    /// Reads the files that exist, each followed by its imports.
    pub fn read(places: impl IntoIterator<Item = MemorySource>) -> Self {
        let mut memory = Self::default();
        for place in places {
            let Ok(within) = fs::canonicalize(&place.within) else { continue };
            memory.add(&place.path, &within, 0);
        }
        memory
    }

    /// Returns the files in order.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// Returns the text for the system prompt.
    pub(super) fn words(&self) -> Option<String> {
        if self.files.is_empty() {
            return None;
        }
        let mut words =
            "The person keeps these notes for you. They count as instructions of theirs.".to_owned();
        for file in &self.files {
            words.push_str(&format!("\n\nFrom {}:\n\n{}", file.path.display(), file.text.trim_end()));
        }
        Some(words)
    }

    fn add(&mut self, path: &Path, within: &Path, hops: u32) {
        let Ok(found) = resolve(&Disk, Path::new("/"), path) else { return };
        let is_known = self.files.iter().any(|file| file.path == found.real);
        let size = || fs::metadata(&found.real).map_or(u64::MAX, |metadata| metadata.len());
        // Reading anything but a regular file may block.
        if is_known
            || found.kind != FileKind::File
            || !found.real.starts_with(within)
            || size() > MAX_FILE_BYTES
        {
            return;
        }
        let Ok(text) = fs::read_to_string(&found.real) else { return };
        let all: usize = self.files.iter().map(|file| file.text.len()).sum();
        if all + text.len() > MAX_TOTAL_BYTES {
            return;
        }
        let folder = found.real.parent().unwrap_or(within).to_path_buf();
        let imports = if hops < MAX_IMPORT_DEPTH { mentions(&text) } else { Vec::new() };
        self.files.push(MemoryFile { path: found.real, text });
        for import in imports {
            self.add(&folder.join(import), within, hops + 1);
        }
    }
}

/// Returns the paths after `@`, outside of code.
pub(crate) fn mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                // Every second piece between backticks is code.
                for outside in line.split('`').step_by(2) {
                    found.extend(outside.split_whitespace().filter_map(import));
                }
            }
            _ => {}
        }
    }
    found
}

fn import(word: &str) -> Option<String> {
    let path = word.strip_prefix('@')?.trim_end_matches([',', ';', ':', ')', '.']);
    let is_path = !path.is_empty() && !path.starts_with('@') && path.contains(['/', '.']);
    is_path.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_stand_outside_of_code() {
        let text = "see @docs/a.md, and @b.md.\n`@no.md` @~ @someone mail@x.y\n```\n@no.md\n```\n- @./c/d";
        assert_eq!(mentions(text), ["docs/a.md", "b.md", "./c/d"]);
    }
}
