//! Hits by session.

use super::hit::{Candidate, Hit, HitFiles};
use super::session_card::SessionCard;
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

impl Index {
    /// The session of a candidate, without passages.
    pub(super) fn session_hits(
        &self,
        candidate: &Candidate,
        files: &HitFiles,
        count: u64,
    ) -> Result<SessionHits, IndexError> {
        let file = files.get(&candidate.file).cloned().unwrap_or_default();
        let session = candidate.session.clone().unwrap_or(file.session);
        let card = match self.priced_session_card(&session)? {
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
