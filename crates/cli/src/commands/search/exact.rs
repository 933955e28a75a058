//! Exact text, found in the files themselves.

use std::collections::{HashMap, HashSet};

use annals_index::search::{
    ExactFile, ExactHit, Hit, SearchResults, SessionCard, SessionHits, SessionResults, find_exact,
};
use annals_index::{IndexedFileRole, MessageKind};
use annals_store::{Discovery, FileRole, SessionEntry, SessionKey, SideFile, Summary};
use annals_transcript::title::TitleSource;

use super::filters;
use crate::args::SearchArgs;
use crate::context::Context;
use crate::error::Fault;

/// How many hits are read at most, unless more are asked for.
const MAX_HITS: usize = 1000;

/// The best sessions; files are searched newest first, so these are the newest.
pub(super) fn find_sessions(
    args: &SearchArgs,
    passages: usize,
    context: &mut Context,
) -> Result<SessionResults, Fault> {
    let found = find_hits(args, MAX_HITS.max(args.limit), context)?;
    let mut sessions: Vec<SessionHits> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for hit in found.hits {
        let key = if hit.session.is_empty() { hit.file.display().to_string() } else { hit.session.clone() };
        let place = *places.entry(key).or_insert(sessions.len());
        if place == sessions.len() {
            let (session, card) = (hit.session.clone(), SessionCard::default());
            sessions.push(SessionHits { session, card, ..SessionHits::default() });
        }
        let group = &mut sessions[place];
        group.count += 1;
        if hit.kind == MessageKind::Title {
            group.title_hit.get_or_insert(hit);
        } else if group.hits.len() < passages {
            group.hits.push(hit);
        }
    }
    let total_sessions = sessions.len() as u64;
    sessions.truncate(args.limit);
    let discovery = context.discover_all();
    let summaries = summaries(sessions.iter().map(|group| group.session.as_str()), &discovery, context);
    for group in &mut sessions {
        let hit = group.hits.first().or(group.title_hit.as_ref());
        group.card = card(summaries.get(&group.session), hit);
    }
    Ok(SessionResults { total: found.total, total_sessions, is_more: found.is_more, sessions })
}

/// What files say about these sessions: their own, and for those without a title the others of their projects, where older
/// clients keep it.
fn summaries<'s>(
    sessions: impl Iterator<Item = &'s str>,
    discovery: &Discovery,
    context: &Context,
) -> HashMap<String, Summary> {
    let mut known: HashMap<String, Summary> = HashMap::new();
    for session in sessions {
        let key = SessionKey::new(session);
        let entry = discovery.sessions_named(&key).next();
        if !known.contains_key(session)
            && let Some(summary) = entry.and_then(|entry| Summary::read(entry).ok())
        {
            known.insert(session.to_owned(), summary);
        }
    }
    let has_title = |summary: &Summary| {
        summary.title.as_ref().is_some_and(|(source, _)| *source < TitleSource::LastPrompt)
    };
    let untitled: HashSet<_> =
        known.values().filter(|summary| !has_title(summary)).map(|summary| summary.slug.clone()).collect();
    let projects: Vec<_> = untitled.iter().collect();
    for listed in context.store.summaries_in_projects(&projects, discovery) {
        match known.get_mut(listed.session.as_str()) {
            Some(summary) if summary.path == listed.path => summary.adopt(&listed),
            _ => {}
        }
    }
    known
}

/// What identifies a session, from what its files say.
fn card(summary: Option<&Summary>, hit: Option<&Hit>) -> SessionCard {
    let file = hit.map(|hit| hit.file.clone());
    let Some(summary) = summary else {
        let slug = hit.map(|hit| hit.slug.clone()).unwrap_or_default();
        return SessionCard { file, is_there: true, slug, ..SessionCard::default() };
    };
    SessionCard {
        file: Some(summary.path.clone()),
        is_there: true,
        slug: summary.slug.to_string(),
        cwd: summary.project.as_ref().map(|project| project.path.clone()),
        branch: summary.git_branch.clone(),
        custom_title: summary.display_title().map(str::to_owned),
        active: summary.last_activity(),
        ..SessionCard::default()
    }
}

/// The newest hits, and what is known of their sessions.
pub(super) fn find_with_cards(
    args: &SearchArgs,
    context: &mut Context,
) -> Result<(SearchResults, HashMap<String, SessionCard>), Fault> {
    let found = find_hits(args, args.limit, context)?;
    let discovery = context.discover_all();
    let summaries = summaries(found.hits.iter().map(|hit| hit.session.as_str()), &discovery, context);
    let mut cards = HashMap::new();
    for hit in &found.hits {
        let known = summaries.get(&hit.session);
        cards.entry(hit.session.clone()).or_insert_with(|| card(known, Some(hit)));
    }
    Ok((found, cards))
}

fn find_hits(args: &SearchArgs, limit: usize, context: &mut Context) -> Result<SearchResults, Fault> {
    let text = args.query.join(" ");
    if text.is_empty() {
        return Err(Fault::usage("the query is empty"));
    }
    let filters = filters(args, context)?;
    let discovery = context.discover_all();
    // Newest first: those are the likeliest hits.
    let mut files: Vec<_> = discovery.sessions.iter().map(SearchedFile::of).collect();
    files.extend(discovery.agents.iter().map(|agent| SearchedFile {
        agent: Some(agent.key.to_string()),
        session: agent.session.as_ref().map(ToString::to_string).unwrap_or_default(),
        role: IndexedFileRole::Agent,
        ..SearchedFile::of(&agent.as_session())
    }));
    files.extend(discovery.side_files.iter().filter_map(SearchedFile::of_side_file));
    files.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| right.path.cmp(&left.path)));
    let looked: Vec<_> = files.iter().map(|file| file.to_search(&discovery)).collect();
    let mut hits: Vec<Hit> = Vec::new();
    let most = MAX_HITS.max(limit);
    for (file, found) in files.iter().zip(find_exact(&looked, &text, most, &filters)) {
        match found {
            Ok(found) => hits.extend(found.into_iter().map(|hit| file.hit(hit))),
            Err(error) => context.note_unread([error.problem()]),
        }
    }
    // Files are searched in parallel: how many more were found is chance.
    let is_more = hits.len() >= most;
    hits.truncate(most);
    leave_out_copies(&mut hits);
    let mut counts: HashMap<String, u64> = HashMap::new();
    for hit in &hits {
        *counts.entry(hit.session.clone()).or_default() += 1;
    }
    let total = hits.len() as u64;
    hits.truncate(limit);
    for hit in &mut hits {
        hit.session_hits = counts.get(&hit.session).copied().unwrap_or_default();
    }
    Ok(SearchResults { total, is_more, hits })
}

/// Leaves out what is there twice: records in forks, which are newer than the original, titles that the client wrote again
/// and again, and the history's copies of prompts.
fn leave_out_copies(hits: &mut Vec<Hit>) {
    let is_history = |hit: &Hit| hit.file.ends_with("history.jsonl");
    let of_sessions = hits.iter().filter(|hit| hit.kind == MessageKind::Prompt && !is_history(hit));
    let prompts: HashSet<String> = of_sessions.map(|hit| hit.snippet.text.clone()).collect();
    let mut seen = HashSet::new();
    // Hits are those of the newest file first.
    hits.reverse();
    hits.retain(|hit| match (hit.kind, &hit.uuid) {
        (MessageKind::Title, _) => seen.insert((hit.session.clone(), hit.snippet.text.clone(), 0, None)),
        (_, Some(uuid)) => seen.insert((uuid.clone(), hit.snippet.text.clone(), hit.block, hit.millis)),
        _ => !(is_history(hit) && prompts.contains(&hit.snippet.text)),
    });
    hits.reverse();
}

/// A file with the session that it belongs to.
struct SearchedFile {
    path: std::path::PathBuf,
    session: String,
    slug: String,
    agent: Option<String>,
    modified: Option<i64>,
    role: IndexedFileRole,
}

impl SearchedFile {
    fn of(entry: &SessionEntry) -> Self {
        Self {
            path: entry.path.clone(),
            session: entry.key.to_string(),
            slug: entry.slug.to_string(),
            agent: None,
            modified: entry.modified,
            role: IndexedFileRole::Session,
        }
    }

    /// The other files that the index has the words of.
    fn of_side_file(file: &SideFile) -> Option<Self> {
        let role = match file.role {
            FileRole::ToolResult { .. } => IndexedFileRole::Output,
            FileRole::Plan { .. } => IndexedFileRole::Plan,
            FileRole::CustomTitleFile { .. } => IndexedFileRole::CustomTitle,
            FileRole::Memory { .. } => IndexedFileRole::Memory,
            FileRole::PasteCache { .. } => IndexedFileRole::Paste,
            FileRole::History => IndexedFileRole::History,
            _ => return None,
        };
        let name = |key: Option<&str>| key.unwrap_or_default().to_owned();
        Some(Self {
            path: file.path.clone(),
            session: name(file.role.session().map(|session| session.as_str())),
            slug: name(file.role.slug().map(|slug| slug.as_str())),
            agent: None,
            modified: file.modified,
            role,
        })
    }

    fn hit(&self, hit: ExactHit) -> Hit {
        Hit {
            session: hit.session.unwrap_or_else(|| self.session.clone()),
            agent: self.agent.clone(),
            slug: self.slug.clone(),
            is_there: true,
            score: 1.0,
            is_cut: false,
            session_hits: 1,
            file: hit.file,
            line: hit.line,
            offset: hit.offset,
            block: hit.block,
            uuid: hit.uuid,
            role: hit.role,
            kind: hit.kind,
            tool: hit.tool,
            call: hit.call,
            millis: hit.millis,
            snippet: hit.snippet,
        }
    }

    fn to_search(&self, discovery: &Discovery) -> ExactFile {
        let mut owners = Vec::new();
        if self.role == IndexedFileRole::Output {
            let key = SessionKey::new(self.session.as_str());
            owners.extend(discovery.sessions_named(&key).map(|session| session.path.clone()));
            owners.extend(discovery.agents_of(&key).map(|agent| agent.path.clone()));
        }
        ExactFile { path: self.path.clone(), slug: self.slug.clone(), role: self.role, owners }
    }
}
