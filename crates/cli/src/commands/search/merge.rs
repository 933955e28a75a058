//! Puts together what the indexes of several stores found.

use annals_index::search::{SearchResults, SessionHits, SessionResults};

use super::json::Cards;

/// The best hits of all stores.
pub(super) fn hits(limit: usize, found: Vec<(SearchResults, Cards)>) -> (SearchResults, Cards) {
    let are_several = found.len() > 1;
    let (mut all, mut cards) = (SearchResults::default(), Cards::new());
    for (results, more) in found {
        all.total += results.total;
        all.is_more |= results.is_more;
        all.hits.extend(results.hits);
        cards.extend(more);
    }
    if are_several {
        all.hits.sort_by(|left, right| right.score.total_cmp(&left.score));
        all.hits.truncate(limit);
    }
    (all, cards)
}

/// The best sessions of all stores, by their best passage.
pub(super) fn sessions(limit: usize, found: Vec<SessionResults>) -> SessionResults {
    let are_several = found.len() > 1;
    let mut all = SessionResults::default();
    for results in found {
        all.total += results.total;
        all.total_sessions += results.total_sessions;
        all.is_more |= results.is_more;
        all.sessions.extend(results.sessions);
    }
    if are_several {
        all.sessions.sort_by(|left, right| best_score(right).total_cmp(&best_score(left)));
        all.sessions.truncate(limit);
    }
    all
}

fn best_score(session: &SessionHits) -> f64 {
    session.hits.iter().chain(&session.title_hit).map(|hit| hit.score).fold(f64::MIN, f64::max)
}
