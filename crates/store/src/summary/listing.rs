//! Summaries of a whole store, in parallel. Old releases wrote a session's title into the files of other sessions: here
//! they come together.

use std::collections::HashMap;

use annals_transcript::title::TitleSource;

use super::collect::{SummaryParts, UuidHash};
use super::{FullSummary, Summary, head_tail};
use crate::key::Slug;
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
        name_across_files(&mut all);
        let mut summaries: Vec<_> = all.into_iter().map(|parts| parts.summary).collect();
        share_project_paths(&mut summaries);
        (summaries, problems)
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
        let mut all: Vec<_> =
            parallel::map(&sessions, |session| head_tail::gather(session)).into_iter().flatten().collect();
        name_across_files(&mut all);
        all.into_iter().map(|parts| parts.summary).collect()
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

/// Gives sessions the titles that `summary` records of other files have for their lines.
fn name_across_files(all: &mut [SummaryParts]) {
    let mut named: HashMap<(Slug, UuidHash), String> = HashMap::new();
    for parts in all.iter_mut() {
        for (leaf, title) in parts.named_leaves.drain(..) {
            named.insert((parts.summary.slug.clone(), leaf), title);
        }
    }
    if named.is_empty() {
        return;
    }
    for parts in all {
        let better = parts.summary.title.as_ref().is_some_and(|(source, _)| *source <= TitleSource::Summary);
        if better {
            continue;
        }
        let slug = parts.summary.slug.clone();
        let title = parts.uuids.drain(..).rev().find_map(|line| named.get(&(slug.clone(), line)));
        if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
            parts.summary.title = Some((TitleSource::Summary, title.trim().to_owned()));
        }
    }
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
