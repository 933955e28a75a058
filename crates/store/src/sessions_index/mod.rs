//! `sessions-index.json`: the list of a project's sessions that some releases write. Often stale; never trusted.

mod entry;
mod write;

use std::fs;
use std::path::{Path, PathBuf};

use annals_json::{Items, Text};
use annals_transcript::id::SessionId;
use annals_transcript::problem::ProblemKind;
use annals_transcript::time::Timestamp;

use crate::json_file::JsonFile;
use crate::problem::FileProblem;
use crate::scan::modified_millis;
use annals_transcript::view::views;

pub use write::{IndexEdit, IndexError, IndexUpdate, refresh, refreshed, without};

views! {
    /// The index of a project.
    SessionsIndex {
        /// The form's version; 1 in all data.
        version: u64 = "version";
        /// See [`IndexEntry`].
        entries: Items<'a> = "entries";
        /// The working directory of the project.
        original_path: Text<'a> = "originalPath";
    }

    /// What the client noted of one session when it last updated the index.
    IndexEntry {
        session: SessionId<'a> = "sessionId";
        /// Its file.
        full_path: Text<'a> = "fullPath";
        /// When the file was last written as the index was made, in milliseconds since 1970.
        file_mtime: f64 = "fileMtime";
        /// The first prompt, shortened.
        first_prompt: Text<'a> = "firstPrompt";
        /// The title by summary.
        summary: Text<'a> = "summary";
        /// The title by the user.
        custom_title: Text<'a> = "customTitle";
        /// How many messages.
        message_count: u64 = "messageCount";
        /// When it began.
        created: Timestamp<'a> = "created";
        /// When it was last active.
        modified: Timestamp<'a> = "modified";
        git_branch: Text<'a> = "gitBranch";
        /// The working directory.
        project_path: Text<'a> = "projectPath";
        /// Whether it is a sub-agent's.
        is_sidechain: bool = "isSidechain";
    }
}

/// How an entry is out of date.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Staleness {
    /// Neither the named file nor one of that session next to the index exists.
    Missing,
    /// The file was written after the index noted it.
    Changed {
        /// The time that the index has, in milliseconds since 1970.
        noted: i64,
        /// The time that the file has.
        found: i64,
    },
    /// It names no session.
    Nameless,
}

impl Staleness {
    /// In words.
    pub fn explanation(&self) -> String {
        match self {
            Self::Missing => "its file is gone".to_owned(),
            Self::Changed { noted, found } => format!("its file was written {} ms after it", found - noted),
            Self::Nameless => "it names no session".to_owned(),
        }
    }
}

/// The entries of an index, in order, and the problems with the rest.
pub fn entries(file: &JsonFile) -> (Vec<IndexEntry<'_>>, Vec<FileProblem>) {
    let index = match file.object() {
        Ok(fields) => SessionsIndex::new(fields),
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let Some(list) = index.entries() else {
        return (Vec::new(), vec![file.wrong_shape("an index with entries")]);
    };
    let (mut entries, mut problems) = (Vec::new(), Vec::new());
    for item in list {
        match item.fields() {
            Some(fields) => entries.push(IndexEntry::new(fields)),
            None => problems.push(file.wrong_shape("an index whose entries are objects")),
        }
    }
    (entries, problems)
}

/// Returns how an entry is out of date, if it is. The file is first searched next to the index: a moved store still has old
/// paths in it.
pub fn staleness(entry: &IndexEntry<'_>, index_path: &Path) -> Option<Staleness> {
    let Some(session) = entry.session().map(|id| id.decode()).filter(|id| !id.is_empty()) else {
        return Some(Staleness::Nameless);
    };
    let beside = index_path.with_file_name(format!("{session}.jsonl"));
    let named = entry.full_path().map(|path| PathBuf::from(path.decode().into_owned()));
    let metadata = fs::metadata(&beside).ok().or_else(|| fs::metadata(named?).ok());
    let Some(found) = metadata.filter(|metadata| metadata.is_file()) else { return Some(Staleness::Missing) };
    let (noted, found) = (entry.file_mtime()? as i64, modified_millis(&found)?);
    (found > noted).then_some(Staleness::Changed { noted, found })
}

/// The problems of an index: entries that are out of date, and what cannot be read.
pub fn stale_entries(file: &JsonFile) -> Vec<FileProblem> {
    let (entries, mut problems) = entries(file);
    for entry in entries {
        if let Some(stale) = staleness(&entry, &file.path) {
            let session = entry.session().map_or_else(|| "?".to_owned(), |id| id.to_string());
            let detail = format!("session {session}: {}", stale.explanation());
            problems.push(FileProblem::whole(&file.path, ProblemKind::StaleIndexEntry, detail));
        }
    }
    problems
}
