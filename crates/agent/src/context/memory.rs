//! `CLAUDE.md` and its relatives: found, read with what they import, and only from places that are trusted.
//!
//! An import leads to a file beside or below the one that names it, or anywhere under the folder that vouches for it: a
//! project's files cannot bring in what the project does not hold.

use std::fs;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, Kind, resolve};

/// So many files deep imports go.
const MOST_HOPS: u32 = 4;
/// No more of one file is read.
const MOST_BYTES: u64 = 256 << 10;
/// Nor of all together.
const MOST_IN_ALL: usize = 1 << 20;

/// A file that may speak to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPlace {
    /// The file; it need not exist.
    pub path: PathBuf,
    /// Imports must stay under this folder.
    pub within: PathBuf,
}

impl MemoryPlace {
    /// The places of a folder: its own file, the one under `.claude`, and the one that is not shared.
    pub fn of_folder(folder: &Path) -> [Self; 3] {
        ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]
            .map(|name| Self { path: folder.join(name), within: folder.to_path_buf() })
    }
}

/// What one file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// What all of them say, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    files: Vec<MemoryFile>,
}

impl Memory {
    /// Reads the files that are there, each with its imports before what comes next.
    pub fn read(places: impl IntoIterator<Item = MemoryPlace>) -> Self {
        let mut memory = Self::default();
        for place in places {
            let Ok(within) = fs::canonicalize(&place.within) else { continue };
            memory.add(&place.path, &within, 0);
        }
        memory
    }

    /// The files.
    pub fn files(&self) -> &[MemoryFile] {
        &self.files
    }

    /// What the model is told of them.
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
        // What is no plain file may keep us waiting for ever.
        if is_known || found.kind != Kind::File || !found.real.starts_with(within) || size() > MOST_BYTES {
            return;
        }
        let Ok(text) = fs::read_to_string(&found.real) else { return };
        let all: usize = self.files.iter().map(|file| file.text.len()).sum();
        if all + text.len() > MOST_IN_ALL {
            return;
        }
        let folder = found.real.parent().unwrap_or(within).to_path_buf();
        let imports = if hops < MOST_HOPS { mentions(&text) } else { Vec::new() };
        self.files.push(MemoryFile { path: found.real, text });
        for import in imports {
            self.add(&folder.join(import), within, hops + 1);
        }
    }
}

/// The paths after `@`, outside of code.
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
