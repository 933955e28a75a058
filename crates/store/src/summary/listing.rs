//! Summaries of a whole store, in parallel. Old releases wrote a session's title into the files of other sessions: here
//! they come together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use annals_transcript::title::TitleSource;

use super::collect::{SummaryParts, UuidHash};
use super::{FullSummary, Summary, head_tail};
use crate::key::Slug;
use crate::layout::FileRole;
use crate::parallel;
use crate::problem::FileProblem;
use crate::project_path::ProjectPath;
use crate::scan::{Discovery, SessionEntry, Store};

impl Store {
    /// A summary of every session that was found, in the order of the discovery; sessions that cannot be read are
    /// problems, and are not in the list.
    pub fn summaries(&self, discovery: &Discovery) -> (Vec<Summary>, Vec<FileProblem>) {
        let read = parallel::map(&discovery.sessions, head_tail::gather);
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for parts in read {
            match parts {
                Ok(parts) => all.push(parts),
                Err(error) => problems.push(error.problem()),
            }
        }
        (list(all.iter()), problems)
    }

    /// The summary of a session as the list of its project has it: older clients keep titles in other files of the project.
    pub fn summary_in_project(&self, session: &SessionEntry, discovery: &Discovery) -> Option<Summary> {
        let mut all = self.summaries_in_projects(&[&session.slug], discovery).into_iter();
        all.find(|summary| summary.path == session.path)
    }

    /// The summaries of all sessions of these projects, as their lists have them.
    pub fn summaries_in_projects(&self, projects: &[&Slug], discovery: &Discovery) -> Vec<Summary> {
        let is_inside = |session: &&SessionEntry| projects.contains(&&session.slug);
        let sessions: Vec<&SessionEntry> = discovery.sessions.iter().filter(is_inside).collect();
        let all: Vec<_> =
            parallel::map(&sessions, |session| head_tail::gather(session)).into_iter().flatten().collect();
        named_across_files(all.iter())
    }

    /// The exact summary of each of these sessions, in their order, read in parallel.
    pub fn full_summaries(&self, sessions: &[&SessionEntry]) -> (Vec<FullSummary>, Vec<FileProblem>) {
        let (mut summaries, mut problems) = (Vec::new(), Vec::new());
        for read in parallel::map(sessions, |session| FullSummary::read(session)) {
            match read {
                Ok(summary) => summaries.push(summary),
                Err(error) => problems.push(error.problem()),
            }
        }
        (summaries, problems)
    }
}

/// The summaries of a store that is listed again and again: only files that changed are read again.
#[derive(Clone, Debug, Default)]
pub struct SummaryListing {
    known: HashMap<PathBuf, (FileTimes, SummaryParts)>,
}

/// What changes when a file is written: its size and time, and the time of the title beside it.
type FileTimes = (u64, Option<i64>, Option<i64>);

impl SummaryListing {
    /// The same as [`Store::summaries`].
    pub fn summaries(&mut self, discovery: &Discovery) -> (Vec<Summary>, Vec<FileProblem>) {
        let titles = discovery.side_files.iter().filter_map(|file| match &file.role {
            FileRole::CustomTitleFile { .. } => Some((file.path.parent()?, file.modified)),
            _ => None,
        });
        let titles: HashMap<&Path, Option<i64>> = titles.collect();
        let times = |session: &SessionEntry| {
            let title = titles.get(session.folder().as_path()).copied().flatten();
            (session.bytes, session.modified, title)
        };
        let mut known = std::mem::take(&mut self.known);
        let kept: Vec<_> = discovery
            .sessions
            .iter()
            .map(|session| known.remove(&session.path).filter(|(before, _)| *before == times(session)))
            .collect();
        let changed = discovery.sessions.iter().zip(&kept).filter(|(_, kept)| kept.is_none());
        let changed: Vec<_> = changed.map(|(session, _)| session).collect();
        let mut read = parallel::map(&changed, |session| head_tail::gather(session)).into_iter();
        let (mut paths, mut problems) = (Vec::new(), Vec::new());
        for (session, kept) in discovery.sessions.iter().zip(kept) {
            let fresh = || read.next().map(|read| read.map(|parts| (times(session), parts)));
            match kept.map(Ok).or_else(fresh) {
                Some(Ok(parts)) => {
                    paths.push(&session.path);
                    self.known.insert(session.path.clone(), parts);
                }
                Some(Err(error)) => problems.push(error.problem()),
                None => {}
            }
        }
        let all = paths.iter().filter_map(|path| self.known.get(path.as_path())).map(|(_, parts)| parts);
        (list(all), problems)
    }
}

/// The summaries as lists have them.
fn list<'p>(all: impl Iterator<Item = &'p SummaryParts> + Clone) -> Vec<Summary> {
    let mut summaries = named_across_files(all);
    share_project_paths(&mut summaries);
    summaries
}

/// The titles that `summary` records give to lines, by project and line.
type LineTitles<'p> = HashMap<(&'p Slug, UuidHash), &'p str>;

/// Gives sessions the titles that `summary` records of other files have for their lines; returns the summaries.
fn named_across_files<'p>(all: impl Iterator<Item = &'p SummaryParts> + Clone) -> Vec<Summary> {
    let mut lines = LineTitles::new();
    for parts in all.clone() {
        let slug = &parts.summary.slug;
        lines.extend(parts.named_leaves.iter().map(|(leaf, title)| ((slug, *leaf), title.as_str())));
    }
    let named = |parts: &SummaryParts| {
        let mut summary = parts.summary.clone();
        if let Some(title) = title_across_files(parts, &lines) {
            summary.title = Some((TitleSource::Summary, title.to_owned()));
        }
        summary
    };
    all.map(named).collect()
}

/// The title that a session gets from another file, if its own has no better one.
fn title_across_files<'p>(parts: &SummaryParts, lines: &LineTitles<'p>) -> Option<&'p str> {
    let is_named = |(source, _): &(TitleSource, String)| *source <= TitleSource::Summary;
    if lines.is_empty() || parts.summary.title.as_ref().is_some_and(is_named) {
        return None;
    }
    let slug = &parts.summary.slug;
    let title = parts.uuids.iter().rev().find_map(|line| lines.get(&(slug, *line)))?.trim();
    (!title.is_empty()).then_some(title)
}

/// Sessions without a `cwd` get the project's path from their neighbours.
fn share_project_paths(summaries: &mut [Summary]) {
    let mut paths: HashMap<Slug, ProjectPath> = HashMap::new();
    for summary in summaries.iter() {
        if let Some(path) = &summary.project {
            let known = paths.entry(summary.slug.clone()).or_insert_with(|| path.clone());
            if path.evidence < known.evidence {
                *known = path.clone();
            }
        }
    }
    for summary in summaries.iter_mut().filter(|summary| summary.project.is_none()) {
        summary.project = paths.get(&summary.slug).cloned();
    }
}
