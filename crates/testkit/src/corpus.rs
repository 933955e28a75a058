//! The corpus: real session stores for tests and measurements. It is never part of the project; tests that need it ask
//! [`or_skip`] and end early, with a line that says so, where it is absent.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{depth, shared};

/// The environment variable that says where the corpus is.
pub const VARIABLE: &str = "ANNALS_CORPUS";

/// The corpus, found.
#[derive(Debug)]
pub struct Corpus {
    root: PathBuf,
}

/// The corpus, if it is on this machine.
pub fn find() -> Option<Corpus> {
    shared::find(VARIABLE, "../shared/corpus").map(|root| Corpus { root })
}

/// The corpus, or a line on standard error that the test of this name is skipped.
pub fn or_skip(test: &str) -> Option<Corpus> {
    let found = find();
    if found.is_none() {
        shared::say_missing(test, "corpus", VARIABLE);
    }
    found
}

impl Corpus {
    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every file, sorted by path.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.root, &mut found);
        found.sort();
        found
    }

    /// Every session and sub-agent file, sorted by path.
    pub fn transcripts(&self) -> Vec<PathBuf> {
        let is_transcript = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
        self.files().into_iter().filter(is_transcript).collect()
    }

    /// The session and sub-agent files for tests that do much with each: all of them only at full depth.
    pub fn sample(&self) -> Vec<PathBuf> {
        let is_small =
            |path: &PathBuf| fs::metadata(path).is_ok_and(|file| file.len() <= depth::max_file_bytes());
        self.transcripts().into_iter().filter(is_small).collect()
    }

    /// Every folder that is laid out as a config dir, sorted by path.
    pub fn config_dirs(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        for file in self.files() {
            let above = file.ancestors().find(|folder| folder.ends_with("projects")).and_then(Path::parent);
            if let Some(folder) = above.filter(|folder| !found.iter().any(|known| known == folder)) {
                found.push(folder.to_path_buf());
            }
        }
        found
    }

    /// A path as the corpus names it: relative to its root, with `/`.
    pub fn name_of(&self, path: &Path) -> String {
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    }
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temp::TempDir;

    #[test]
    fn lists_files_transcripts_and_config_dirs() {
        let temp = TempDir::new("corpus");
        for file in
            ["b/projects/-x/1.jsonl", "b/projects/-x/1/subagents/agent-2.jsonl", "a/c/projects/-y/3.jsonl"]
        {
            temp.write(file, "");
        }
        temp.write("b/todos/1.json", "[]");
        let corpus = Corpus { root: temp.path().to_path_buf() };
        let names = |paths: Vec<PathBuf>| paths.iter().map(|path| corpus.name_of(path)).collect::<Vec<_>>();
        assert_eq!(corpus.files().len(), 4);
        assert_eq!(names(corpus.transcripts())[0], "a/c/projects/-y/3.jsonl");
        assert_eq!(names(corpus.config_dirs()), ["a/c", "b"]);
    }
}
