//! Finds the session that a person means: by path, id, prefix of an id, title, or `last`.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::scan::{Discovery, SessionEntry, Store};
use crate::slug::project_slug;
use crate::summary::Summary;

/// A prefix of an id must have this many characters.
pub const MIN_PREFIX: usize = 4;

/// The session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionMatch<'d> {
    /// A session of the store.
    Session(&'d SessionEntry),
    /// A file by its path, in the store or not; it need not be readable, or there.
    Path(PathBuf),
}

impl SessionMatch<'_> {
    /// The file to read.
    pub fn path(&self) -> &Path {
        match self {
            Self::Session(session) => &session.path,
            Self::Path(path) => path,
        }
    }
}

/// Why no single session was found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError<'d> {
    /// Nothing by that name.
    #[error("no session has the id or title {argument:?}")]
    NotFound {
        /// What was looked for, as it was given.
        argument: String,
    },
    /// `last` of a store without sessions.
    #[error("the store has no sessions")]
    NoSessions,
    /// Several by that name.
    #[error("{argument:?} matches {} sessions", candidates.len())]
    Ambiguous {
        /// What was looked for, as it was given.
        argument: String,
        /// All that it fits, the newest first.
        candidates: Vec<&'d SessionEntry>,
    },
    /// Ids begin so, but it is too short to be meant.
    #[error("{argument:?} is too short for an id prefix: use at least {MIN_PREFIX} characters")]
    TooShort {
        /// What was looked for, as it was given.
        argument: String,
    },
}

/// Finds the session that `argument` means.
///
/// `current_dir` is the real path of the working directory; it decides what `last` is, and which of two files with the same
/// id is meant. `titles` is called only if no id matches, because titles have to be read from files.
pub fn resolve<'d>(
    argument: &str,
    discovery: &'d Discovery,
    current_dir: Option<&str>,
    mut titles: impl FnMut(&SessionEntry) -> Option<String>,
) -> Result<SessionMatch<'d>, FindError<'d>> {
    if looks_like_path(argument) {
        let path = PathBuf::from(argument);
        let known = discovery.sessions.iter().find(|session| session.path == path);
        return Ok(known.map_or(SessionMatch::Path(path), SessionMatch::Session));
    }
    let here = current_dir.map(project_slug);
    let sessions = || discovery.sessions.iter();
    if argument == "last" {
        return last(sessions(), here.as_deref(), &mut |_| None).map(SessionMatch::Session);
    }
    let exact: Vec<_> = sessions().filter(|session| session.key == argument).collect();
    if let Some(result) = pick(argument, exact, here.as_deref()) {
        return result;
    }
    let mut begun: Vec<_> = sessions().filter(|session| session.key.as_str().starts_with(argument)).collect();
    if begun.is_empty() {
        // Ids are hexadecimal, and some programs print them in capitals.
        let begins =
            |key: &str| key.get(..argument.len()).is_some_and(|start| start.eq_ignore_ascii_case(argument));
        begun = sessions().filter(|session| begins(session.key.as_str())).collect();
    }
    let is_short = argument.chars().count() < MIN_PREFIX;
    let too_short = is_short && !begun.is_empty();
    if !is_short && let Some(result) = pick(argument, begun, here.as_deref()) {
        return result;
    }
    let titled: Vec<_> = sessions().filter(|session| titles(session).as_deref() == Some(argument)).collect();
    if let Some(result) = pick(argument, titled, here.as_deref()) {
        return result;
    }
    if Path::new(argument).exists() {
        return Ok(SessionMatch::Path(argument.into()));
    }
    let argument = argument.to_owned();
    Err(if too_short { FindError::TooShort { argument } } else { FindError::NotFound { argument } })
}

impl Store {
    /// Finds the session that `argument` means: see [`resolve`]. Titles are read only if no id matches.
    pub fn find<'d>(
        &self,
        argument: &str,
        discovery: &'d Discovery,
        current_dir: Option<&str>,
    ) -> Result<SessionMatch<'d>, FindError<'d>> {
        if argument == "last" {
            let here = current_dir.map(project_slug);
            let mut active = |session: &SessionEntry| Summary::read(session).ok()?.active_millis;
            return last(discovery.sessions.iter(), here.as_deref(), &mut active).map(SessionMatch::Session);
        }
        let mut titled: Option<HashSet<PathBuf>> = None;
        resolve(argument, discovery, current_dir, |session| {
            let titled = titled.get_or_insert_with(|| {
                let (summaries, _) = self.summaries(discovery);
                // Lists show the one, the client the other.
                let is_titled = |summary: &Summary| {
                    summary.title_text() == Some(argument) || summary.display_title() == Some(argument)
                };
                summaries.into_iter().filter(is_titled).map(|summary| summary.path).collect()
            });
            titled.contains(&session.path).then(|| argument.to_owned())
        })
    }
}

fn looks_like_path(argument: &str) -> bool {
    let path = Path::new(argument);
    argument.ends_with(".jsonl")
        || path.is_absolute()
        || ["./", "../", ".\\", "..\\"].iter().any(|start| argument.starts_with(start))
        || argument == "."
        || argument == ".."
}

/// Returns the newest session with content: of this project, else of the store. `active` says when something last happened in
/// a session.
fn last<'d>(
    sessions: impl Iterator<Item = &'d SessionEntry>,
    here: Option<&str>,
    active: &mut dyn FnMut(&SessionEntry) -> Option<i64>,
) -> Result<&'d SessionEntry, FindError<'d>> {
    let all: Vec<_> = sessions.filter(|session| session.bytes > 0).collect();
    let of_project = all.iter().copied().filter(|session| here.is_some_and(|slug| session.slug == slug));
    newest(of_project.collect(), active).or_else(|| newest(all, active)).ok_or(FindError::NoSessions)
}

/// The session in which something happened last; if that is known of none, the one that was written last.
fn newest<'d>(
    mut sessions: Vec<&'d SessionEntry>,
    active: &mut dyn FnMut(&SessionEntry) -> Option<i64>,
) -> Option<&'d SessionEntry> {
    sessions.sort_by(|left, right| (right.modified, &left.path).cmp(&(left.modified, &right.path)));
    let mut newest: Option<(i64, &SessionEntry)> = None;
    for session in &sessions {
        // A file is written when something happens in it, or later: the rest is older.
        if newest.is_some_and(|(time, _)| session.modified.is_some_and(|modified| modified < time)) {
            break;
        }
        if let Some(time) = active(session)
            && newest.is_none_or(|(known, _)| time > known)
        {
            newest = Some((time, session));
        }
    }
    newest.map(|(_, session)| session).or(sessions.first().copied())
}

/// One of several: the only one, or the only one of this project where all have the same id.
fn pick<'d>(
    argument: &str,
    mut candidates: Vec<&'d SessionEntry>,
    here: Option<&str>,
) -> Option<Result<SessionMatch<'d>, FindError<'d>>> {
    let first = *candidates.first()?;
    if candidates.len() > 1 && candidates.iter().all(|session| session.key == first.key) {
        let mut of_project =
            candidates.iter().filter(|session| here.is_some_and(|slug| session.slug == slug));
        if let (Some(only), None) = (of_project.next(), of_project.next()) {
            return Some(Ok(SessionMatch::Session(only)));
        }
    }
    if candidates.len() == 1 {
        return Some(Ok(SessionMatch::Session(first)));
    }
    candidates.sort_by(|left, right| (right.modified, &left.path).cmp(&(left.modified, &right.path)));
    Some(Err(FindError::Ambiguous { argument: argument.to_owned(), candidates }))
}
