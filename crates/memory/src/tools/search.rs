//! `search_sessions`: finds past sessions, each with its best passages; without a query the last ones.

use annals_index::recall::{ProjectSlugs, RecentSession};
use annals_index::search::{Filter, Hit, Query, SessionCard, SessionHits, SessionLimits};
use annals_index::{Index, IndexError};

use super::passage_entry::speaker;
use super::schema::{CURSOR, MAX_TOKENS, PROJECT, Parameter};
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::cleaner::TextPart;
use crate::error::ToolError;
use crate::memory::{CopyFinder, Memory, MemoryStore, ProjectScope, id_word, moment, show_command};
use crate::page::{Entry, continuation};
use crate::words::{UsedWords, densest, relaxed};

pub(super) const TOOL: Tool = Tool {
    name: "search_sessions",
    title: "Search past sessions",
    description: "Full-text search over past coding sessions. Use it before you redo an investigation, or when the user refers to earlier work. Words must occur in one message; if none has all, the rarest are used. Also: \"a phrase\", prefix*, -not, a OR b, tool:Bash, file:name.rs, role:human, before:2026-05-01, after:7d, error:true. Without a query: the last sessions. Continue with read_session.",
    parameters: &[
        Parameter::text("query", "Words to find; names and identifiers work best"),
        Parameter::text("session", "Search this session only; \"current\" for this one"),
        PROJECT,
        Parameter::number("limit", "How many sessions (default 5, at most 20)"),
        CURSOR,
        MAX_TOKENS,
    ],
    group: ToolGroup::Reading,
};

const DEFAULT_SESSIONS: usize = 5;
const MAX_SESSIONS: usize = 20;
/// How many passages of a session are shown.
const PASSAGES: usize = 3;
/// About how many bytes of each.
const PASSAGE_BYTES: usize = 280;
const TITLE_BYTES: usize = 120;

pub(super) fn run<S: MemoryStore>(
    memory: &mut Memory<S>,
    arguments: &Arguments,
) -> Result<String, ToolError> {
    let limit = arguments
        .number("limit")?
        .map_or(DEFAULT_SESSIONS, |limit| limit.clamp(1, MAX_SESSIONS as u64) as usize);
    let skipped = arguments.skipped()?;
    let max_tokens = arguments.max_tokens()?;
    let scope = memory.scope(arguments)?;
    let Some(text) = arguments.text("query")? else {
        return recent(memory, &scope, (skipped, limit), max_tokens);
    };
    let mut query = Query::parse(&text)?;
    let within = arguments.text("session")?.map(|name| memory.session_named(&name)).transpose()?;
    match &within {
        Some(session) => query.filters.push(Filter::Session(session.clone())),
        // The question itself would be the best hit.
        None => query.excluded.extend(memory.session.clone().map(Filter::Session)),
    }
    let scope = if within.is_some() { ProjectScope::all() } else { scope };
    let mut found = found_sessions(memory, &query, &scope, skipped + limit)?;
    let mut label = scope.label.clone();
    if found.sessions.is_empty() && scope.name.is_some() && skipped == 0 {
        found = found_sessions(memory, &query, &ProjectScope::all(), limit)?;
        if !found.sessions.is_empty() {
            label = format!("all projects (nothing in {})", scope.label);
        }
    }
    let shown = found.sessions.len().saturating_sub(skipped);
    let heading = match shown {
        0 => format!("No session matches in {label}."),
        _ => format!("{} sessions match in {label}.", found.total),
    };
    let mut page = memory.page(&heading, max_tokens);
    let mut next = None;
    for (number, session) in found.sessions.iter().enumerate().skip(skipped) {
        let (head, passages) = drawn(memory, session);
        if !page.push(&head) {
            next = Some(number);
            break;
        }
        if !passages.iter().all(|passage| page.push(passage)) {
            next = Some(number + 1).filter(|next| *next < found.sessions.len());
            break;
        }
    }
    let next = next.or_else(|| (found.total as usize > found.sessions.len()).then_some(found.sessions.len()));
    let mut notes = Vec::new();
    if let Some(words) = found.words {
        let words: Vec<String> = words.iter().map(|word| memory.cleaner.line(word, 40)).collect();
        notes.push(format!("no message has all words; searched for: {}", words.join(", ")));
    }
    notes.extend(next.map(continuation));
    Ok(page.finish(&notes))
}

/// The sessions that a query found.
struct FoundSessions {
    total: u64,
    sessions: Vec<FoundSession>,
    words: UsedWords,
}

struct FoundSession {
    session: SessionHits,
    /// The whole text of each passage: a secret must not be cut before it is found.
    texts: Vec<Option<String>>,
    /// With the words that were used.
    query: Query,
    score: f64,
}

/// Finds sessions with their best passages.
fn found_sessions<S: MemoryStore>(
    memory: &mut Memory<S>,
    query: &Query,
    scope: &ProjectScope,
    limit: usize,
) -> Result<FoundSessions, ToolError> {
    let mut query = query.clone();
    query.filters.extend(scope.name.clone().map(Filter::Project));
    let (now, limits) = (memory.now(), SessionLimits { sessions: limit, passages: PASSAGES });
    let answers = memory.ask(|index, copies| {
        let found = relaxed(index, &query, |query| {
            let found = index.search_sessions(query, limits, now, copies)?;
            Ok((!found.sessions.is_empty()).then(|| (found, query.clone())))
        })?;
        let Some(((found, query), words)) = found else { return Ok(None) };
        let mut texts = Vec::new();
        for session in found.sessions {
            let passages = hit_texts(index, &session, copies)?;
            texts.push((session, passages));
        }
        Ok(Some((found.total_sessions, texts, query, words)))
    })?;
    let mut all = FoundSessions { total: 0, sessions: Vec::new(), words: None };
    for (total, sessions, query, words) in answers.into_iter().flatten() {
        all.total += total;
        all.words = all.words.or(words);
        for (session, texts) in sessions {
            let hits = session.hits.iter().chain(&session.title_hit);
            let score = hits.map(|hit| hit.score).fold(f64::MIN, f64::max);
            all.sessions.push(FoundSession { session, texts, query: query.clone(), score });
        }
    }
    all.sessions.sort_by(|left, right| right.score.total_cmp(&left.score));
    all.sessions.truncate(limit);
    Ok(all)
}

fn hit_texts(
    index: &Index,
    session: &SessionHits,
    copies: &mut CopyFinder<'_>,
) -> Result<Vec<Option<String>>, IndexError> {
    session.hits.iter().map(|hit| index.text_of_hit(hit, copies)).collect()
}

/// The lines of a session, and those of its passages.
fn drawn<S: MemoryStore>(memory: &mut Memory<S>, found: &FoundSession) -> (Entry, Vec<Entry>) {
    let FoundSession { session, texts, query, .. } = found;
    let hits = if session.count == 1 { "1 hit".to_owned() } else { format!("{} hits", session.count) };
    let head = session_head(memory, &session.session, &session.card, &hits);
    let texts: Vec<&str> = texts.iter().map(|text| text.as_deref().unwrap_or("(the file is gone)")).collect();
    let shown: Vec<_> = texts.iter().map(|text| densest(text, query, PASSAGE_BYTES)).collect();
    let parts: Vec<TextPart<'_>> =
        texts.iter().zip(&shown).map(|(text, part)| TextPart::new(text, part.start, part.len())).collect();
    let quotes = memory.cleaner.parts(&parts);
    let mut passages = Vec::with_capacity(quotes.len());
    for (((hit, text), part), quote) in session.hits.iter().zip(texts).zip(shown).zip(quotes) {
        let lead = if part.start > 0 { "…" } else { "" };
        let tail = if part.end < text.len() { "…" } else { "" };
        passages
            .push(Entry::new(hit_head(hit)).quote(format!("{lead}{}{tail}", annals_ui::one_line(&quote))));
    }
    (head, passages)
}

/// The command that shows a hit, who produced it, and when.
pub(super) fn hit_head(hit: &Hit) -> String {
    let who = speaker(hit.kind, hit.tool.as_deref(), false);
    let is_conversation =
        hit.file.extension().is_some_and(|end| end == "jsonl") && !hit.file.ends_with("history.jsonl");
    let place = match (is_conversation, &hit.call, &hit.uuid) {
        (true, ..) => show_command(&hit.session, hit.agent.as_deref(), hit.line),
        (false, Some(_), Some(uuid)) => {
            format!("annals show {} --around {}", id_word(&hit.session), id_word(uuid))
        }
        _ => format!("annals show {}", id_word(&hit.session)),
    };
    let agent =
        hit.agent.as_deref().map(|agent| format!(" · sub-agent {}", id_word(agent))).unwrap_or_default();
    format!("{place} · {who}{agent} · {}", moment(hit.millis)).trim_end_matches([' ', '·']).to_owned()
}

/// The lines that introduce a session: its id, and its title and folder, which are quoted.
pub(crate) fn session_head<S: MemoryStore>(
    memory: &mut Memory<S>,
    session: &str,
    card: &SessionCard,
    what: &str,
) -> Entry {
    let id = if session.is_empty() { "(none)".to_owned() } else { id_word(session) };
    let parts = [format!("session {id}"), moment(card.active), what.to_owned()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let title = memory.cleaner.line(card.title().unwrap_or("(no title)"), TITLE_BYTES);
    let folder = memory.cleaner.line(card.cwd.as_deref().unwrap_or(&card.slug), TITLE_BYTES);
    let gone = if card.is_there { "" } else { " (deleted)" };
    Entry::new(parts.join(" · ")).quote(format!("{title}{gone} — {folder}"))
}

/// The last sessions.
fn recent<S: MemoryStore>(
    memory: &mut Memory<S>,
    scope: &ProjectScope,
    (skipped, limit): (usize, usize),
    max_tokens: usize,
) -> Result<String, ToolError> {
    let own = memory.session.clone();
    let answers = memory.ask(|index, _| {
        let mut slugs = scope.slugs(index)?;
        if slugs.is_empty() {
            slugs = ProjectSlugs::All;
        }
        let sessions = index.recent_sessions(&slugs)?;
        let sessions = sessions.into_iter().filter(|recent| Some(&recent.session) != own.as_ref());
        let with_card = |recent: RecentSession| Ok((index.session_card(&recent.session)?, recent));
        sessions.take(skipped + limit + 1).map(with_card).collect::<Result<Vec<_>, IndexError>>()
    })?;
    let mut sessions: Vec<_> = answers.into_iter().flatten().collect();
    sessions.sort_by_key(|(_, recent)| std::cmp::Reverse(recent.active));
    let mut page = memory.page(
        &format!("The last sessions in {} (of all projects, if it has none).", scope.label),
        max_tokens,
    );
    let mut next = (sessions.len() > skipped + limit).then_some(skipped + limit);
    for (number, (card, recent)) in sessions.iter().enumerate().skip(skipped).take(limit) {
        let entry = session_head(memory, &recent.session, &card.clone().unwrap_or_default(), "");
        if !page.push(&entry) {
            next = Some(number);
            break;
        }
    }
    Ok(page.finish(&next.map(continuation).into_iter().collect::<Vec<_>>()))
}
