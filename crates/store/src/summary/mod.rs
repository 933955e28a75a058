//! Summaries of sessions: from the first and last 64 KiB of a file, or exactly, from all of it.

mod collect;
mod full;
mod head_tail;
mod listing;

use std::path::{Path, PathBuf};

use annals_transcript::title::{TitleSource, display_title};

pub(crate) use collect::WARM_UP;
pub use full::FullSummary;
pub use head_tail::SUMMARY_REACH;
pub use listing::SummaryListing;

use crate::key::{SessionKey, Slug};
use crate::project_path::ProjectPath;
use crate::read::ReadError;
use crate::scan::SessionEntry;

/// How much of the file a summary has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coverage {
    /// All of it: the summary is exact.
    Whole,
    /// The beginning and the end: the middle is missing.
    HeadAndTail,
}

/// A pull request that a session opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PullRequest {
    /// The number in its repository, as in `#12`.
    pub number: Option<u64>,
    /// Its address.
    pub url: Option<String>,
    /// `OWNER/NAME`.
    pub repository: Option<String>,
}

/// A summary of a session, from the beginning and the end of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The session's id: the file name without `.jsonl`.
    pub session: SessionKey,
    /// The project.
    pub slug: Slug,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
    /// The working directory, and how we know.
    pub project: Option<ProjectPath>,
    /// The title and its source.
    pub title: Option<(TitleSource, String)>,
    /// The first prompt by a person, in one line of at most 200 characters.
    pub first_prompt: Option<String>,
    /// The last prompt that the client noted.
    pub last_prompt: Option<String>,
    /// The first timestamp, as written.
    pub created: Option<String>,
    /// The first timestamp, in milliseconds since 1970.
    pub created_millis: Option<i64>,
    /// The latest timestamp seen, in milliseconds since 1970.
    pub active_millis: Option<i64>,
    /// The git branch, the last one seen.
    pub git_branch: Option<String>,
    /// The session that it was forked from.
    pub forked_from: Option<SessionKey>,
    /// The client's versions, in the order seen.
    pub versions: Vec<String>,
    /// The models, in the order seen; `<synthetic>` is none.
    pub models: Vec<String>,
    /// `cli`, `claude-desktop`, `sdk-cli`, …
    pub entrypoint: Option<String>,
    /// The session's tag.
    pub tag: Option<String>,
    /// The names that its plan may have: the `slug` field of its lines.
    pub plan_names: Vec<String>,
    /// The pull requests it opened.
    pub pull_requests: Vec<PullRequest>,
    /// Whether it has a line of a conversation at all.
    pub has_conversation: bool,
    /// Whether it only warmed up the cache.
    pub is_warm_up: bool,
    /// Whether its first line is a sub-agent's.
    pub is_sidechain_first: bool,
    /// How much of the file this is about.
    pub coverage: Coverage,
}

impl Summary {
    /// Returns the file that it is a summary of.
    pub fn entry(&self) -> SessionEntry {
        SessionEntry {
            key: self.session.clone(),
            slug: self.slug.clone(),
            path: self.path.clone(),
            bytes: self.bytes,
            modified: self.modified,
        }
    }

    /// Makes a summary of a conversation of which nothing else is known, such as an archived one; the caller fills in the
    /// fields that it knows.
    pub fn new(session: SessionKey, slug: Slug, path: PathBuf) -> Self {
        Self {
            session,
            slug,
            path,
            bytes: 0,
            modified: None,
            project: None,
            title: None,
            first_prompt: None,
            last_prompt: None,
            created: None,
            created_millis: None,
            active_millis: None,
            git_branch: None,
            forked_from: None,
            versions: Vec::new(),
            models: Vec::new(),
            entrypoint: None,
            tag: None,
            plan_names: Vec::new(),
            pull_requests: Vec::new(),
            has_conversation: true,
            is_warm_up: false,
            is_sidechain_first: false,
            coverage: Coverage::HeadAndTail,
        }
    }

    /// Reads the beginning and the end of a session.
    pub fn read(session: &SessionEntry) -> Result<Self, ReadError> {
        head_tail::gather(session).map(|parts| parts.summary)
    }

    /// The same for a file that need not be in a store: its stem is the session, its folder the project.
    pub fn read_path(path: &Path) -> Result<Self, ReadError> {
        Self::read(&SessionEntry::of_path(path)?)
    }

    /// The title alone.
    pub fn title_text(&self) -> Option<&str> {
        self.title.as_ref().map(|(_, text)| text.as_str())
    }

    /// The name that a person would give it: the title, else the first prompt that says what it is about.
    pub fn display_title(&self) -> Option<&str> {
        let is_title = |source: &TitleSource| *source < TitleSource::LastPrompt;
        let title = self.title.as_ref().filter(|(source, _)| is_title(source)).map(|(_, text)| text.as_str());
        let (first, last) = (self.first_prompt.as_deref(), self.last_prompt.as_deref());
        display_title(title, first, last).or(self.title_text())
    }

    /// Takes over what other files say about the session: a summary among those of a store may know a better title.
    pub fn adopt(&mut self, listed: &Self) {
        let rank = |title: &Option<(TitleSource, String)>| title.as_ref().map(|(source, _)| *source);
        let is_better = match (rank(&listed.title), rank(&self.title)) {
            (Some(theirs), Some(own)) => theirs == TitleSource::Summary && theirs < own,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_better {
            self.title.clone_from(&listed.title);
        }
    }

    /// When something last happened in it; when its file was written if no line says it, since copies are written at any time.
    pub fn last_activity(&self) -> Option<i64> {
        self.active_millis.or(self.modified)
    }

    /// What lists are sorted by: the last activity; sessions of which no line says when they were active are the oldest.
    pub fn recency(&self) -> (bool, Option<i64>) {
        (self.active_millis.is_some(), self.last_activity())
    }

    /// Whether the file has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Whether the client's own picker lists it: not empty, not a sub-agent's, not headless.
    pub fn is_listed_by_client(&self) -> bool {
        let is_headless = self.entrypoint.as_deref().is_some_and(|entry| entry.starts_with("sdk-"));
        self.has_conversation && !self.is_sidechain_first && !is_headless
    }
}
