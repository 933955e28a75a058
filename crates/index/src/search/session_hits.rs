//! Hits by session, with what identifies the session to a person.

use std::path::PathBuf;

use annals_transcript::title::display_title;
use rusqlite::{OptionalExtension, Row};

use super::hit::{Candidate, Hit, HitFiles};
use crate::error::IndexError;
use crate::open::Index;

/// How much of the results is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// The most sessions.
    pub sessions: usize,
    /// The most passages of each, besides its title.
    pub passages: usize,
}

/// The sessions that match a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionResults {
    /// How many messages match, as far as they were counted.
    pub total: u64,
    /// How many sessions they are in.
    pub total_sessions: u64,
    /// Whether there may be more than were counted.
    pub is_more: bool,
    /// The best sessions, best first.
    pub sessions: Vec<SessionHits>,
}

/// A session and its best passages. A plan or a memory file that no session names stands for itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionHits {
    /// The id of the session; empty if there is none.
    pub session: String,
    /// What is known of it.
    pub card: SessionCard,
    /// How many of its messages match, those of its sub-agents included.
    pub count: u64,
    /// The title, if it matches.
    pub title_hit: Option<Hit>,
    /// The other passages, best first.
    pub hits: Vec<Hit>,
}

/// What identifies a session to a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionCard {
    /// The file of the session.
    pub file: Option<PathBuf>,
    /// Whether the file still exists.
    pub is_there: bool,
    /// The folder of its project.
    pub slug: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// The last git branch.
    pub branch: Option<String>,
    /// The title that somebody gave it.
    pub custom_title: Option<String>,
    /// The title that the client generated.
    pub ai_title: Option<String>,
    /// The title that a summary gives it, in its own file or in another of the project.
    pub summary_title: Option<String>,
    /// The first prompt; the first command if there is no other.
    pub first_prompt: Option<String>,
    /// The last prompt.
    pub last_prompt: Option<String>,
    /// When it was last active, in milliseconds since 1970.
    pub active: Option<i64>,
    /// The cost of it and its sub-agents, in dollars.
    pub cost_usd: Option<f64>,
}

impl SessionCard {
    /// The name that a person would give the session.
    pub fn title(&self) -> Option<&str> {
        let titles = [&self.custom_title, &self.ai_title, &self.summary_title];
        let given = titles.into_iter().flatten().find(|title| !title.trim().is_empty());
        display_title(given.map(String::as_str), self.first_prompt.as_deref(), self.last_prompt.as_deref())
    }
}

const CARD: &str = "SELECT path, state, slug,
    (SELECT value FROM facts WHERE file = files.id AND kind = 0 ORDER BY count DESC, first LIMIT 1),
    (SELECT value FROM facts WHERE file = files.id AND kind = 1 ORDER BY last DESC LIMIT 1),
    coalesce((SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 7),
        (SELECT nullif(value, '') FROM files AS theirs JOIN facts ON facts.file = theirs.id AND kind = 7
            WHERE theirs.session = files.session AND theirs.slug = files.slug AND theirs.role = 10 AND theirs.state = files.state)),
    (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 8),
    (SELECT value FROM facts WHERE file = files.id AND kind IN (10, 11) ORDER BY kind LIMIT 1),
    (SELECT nullif(value, '') FROM facts WHERE file = files.id AND kind = 9),
    (SELECT CAST(value AS INTEGER) FROM facts WHERE file = files.id AND kind = 15),
    (SELECT sum(nanos * 1.0) / 1e9 FROM spent JOIN files AS theirs ON theirs.id = spent.file
        WHERE theirs.session = files.session), id
    FROM files WHERE session = ?1 AND role = 0 ORDER BY state, id LIMIT 1";

impl Index {
    /// What identifies a session; `None` if the index has no file of it.
    pub fn session_card(&self, session: &str) -> Result<Option<SessionCard>, IndexError> {
        let card = |row: &Row<'_>| {
            let card = SessionCard {
                file: Some(self.config.path().join(row.get::<_, String>(0)?)),
                is_there: row.get::<_, i64>(1)? == 0,
                slug: row.get(2)?,
                cwd: row.get(3)?,
                branch: row.get(4)?,
                custom_title: row.get(5)?,
                ai_title: row.get(6)?,
                summary_title: None,
                first_prompt: row.get(7)?,
                last_prompt: row.get(8)?,
                active: row.get(9)?,
                cost_usd: row.get(10)?,
            };
            Ok((card, row.get(11)?))
        };
        let found = self.connection.prepare_cached(CARD)?.query_row([session], card).optional()?;
        let Some((mut card, file)) = found else { return Ok(None) };
        if card.custom_title.is_none() && card.ai_title.is_none() {
            card.summary_title = self.summary_title(file)?;
        }
        Ok(Some(card))
    }

    /// The session of a candidate, without passages.
    pub(super) fn session_hits(
        &self,
        candidate: &Candidate,
        files: &HitFiles,
        count: u64,
    ) -> Result<SessionHits, IndexError> {
        let file = files.get(&candidate.file).cloned().unwrap_or_default();
        let session = candidate.session.clone().unwrap_or(file.session);
        let card = match self.session_card(&session)? {
            Some(card) => card,
            None => SessionCard {
                file: Some(self.config.path().join(&file.path)),
                is_there: file.is_there,
                slug: file.slug,
                active: candidate.millis,
                ..SessionCard::default()
            },
        };
        Ok(SessionHits { session, card, count, ..SessionHits::default() })
    }
}
