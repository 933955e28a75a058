//! The oracle: what real clients rebuilt from session files, recorded. Like the corpus it is kept outside the project.

use std::path::{Path, PathBuf};

use crate::shared;

/// The environment variable that says where the oracle is.
pub const VARIABLE: &str = "ANNALS_ORACLE";

/// The oracle's folder, found.
#[derive(Debug)]
pub struct Oracle {
    root: PathBuf,
}

/// The oracle, if it is on this machine.
pub fn find() -> Option<Oracle> {
    shared::find(VARIABLE, "../shared/oracle").map(|root| Oracle { root })
}

/// The oracle, or a line on standard error that the test of this name is skipped.
pub fn or_skip(test: &str) -> Option<Oracle> {
    let found = find();
    if found.is_none() {
        shared::say_missing(test, "oracle", VARIABLE);
    }
    found
}

impl Oracle {
    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The hand-made transcripts, sorted by name.
    pub fn resume_cases(&self) -> Vec<PathBuf> {
        let folder = self.root.join("resume-cases");
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut cases: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        cases.sort();
        cases
    }

    /// What each client sent for the hand-made transcripts, as JSON.
    pub fn observed_cases(&self) -> Vec<u8> {
        self.read("resume-cases/observed.json")
    }

    /// What a client of this version rebuilt from the sessions of the corpus, as JSON.
    pub fn observed_sessions(&self, version: &str) -> Vec<u8> {
        self.read(&format!("real-sessions/observed-{version}.json"))
    }

    fn read(&self, relative: &str) -> Vec<u8> {
        let path = self.root.join(relative);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cases_and_answers() {
        let Some(oracle) = or_skip("finds_cases_and_answers") else { return };
        assert!(!oracle.resume_cases().is_empty());
        assert!(oracle.observed_cases().starts_with(b"{"));
    }
}
