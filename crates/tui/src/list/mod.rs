//! The list of sessions: rows, a filter with live fuzzy matching, an order, and a selection that stays on its session.

pub(crate) mod fuzzy;

use std::collections::HashMap;
use std::path::PathBuf;

use crate::host::{SearchHit, SessionNumbers, SessionRow};
use fuzzy::{FuzzyMatch, matches};

/// How the list is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SortOrder {
    #[default]
    Activity,
    Cost,
    Turns,
    Size,
    Title,
}

impl SortOrder {
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Activity => Self::Cost,
            Self::Cost => Self::Turns,
            Self::Turns => Self::Size,
            Self::Size => Self::Title,
            Self::Title => Self::Activity,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Activity => "activity",
            Self::Cost => "cost",
            Self::Turns => "turns",
            Self::Size => "size",
            Self::Title => "title",
        }
    }
}

/// A row that the filter lets through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedRow {
    /// Its place among all rows.
    pub(crate) row: usize,
    /// The characters of the title that match.
    pub(crate) places: Vec<usize>,
}

/// The answer to a full-text search.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextSearch {
    pub(crate) query: String,
    /// The passages by session, in the order of the best.
    pub(crate) hits: Vec<SearchHit>,
}

#[derive(Debug, Default)]
pub(crate) struct SessionList {
    pub(crate) rows: Vec<SessionRow>,
    pub(crate) listed: Vec<ListedRow>,
    pub(crate) filter: String,
    pub(crate) order: SortOrder,
    pub(crate) search: Option<TextSearch>,
    pub(crate) selected: usize,
    /// The first row on the screen.
    pub(crate) top: usize,
}

impl SessionList {
    /// Takes new rows over; numbers that are known stay until they are counted again.
    pub(crate) fn set_rows(&mut self, mut rows: Vec<SessionRow>) {
        let known: HashMap<PathBuf, SessionNumbers> =
            self.rows.iter().filter_map(|row| Some((row.path.clone(), row.numbers?))).collect();
        for row in &mut rows {
            row.numbers = row.numbers.or_else(|| known.get(&row.path).copied());
        }
        let (chosen, place) = (self.selection().map(|row| row.path.clone()), self.selected);
        self.rows = rows;
        self.refresh(chosen, place);
    }

    pub(crate) fn set_numbers(&mut self, numbers: Vec<(PathBuf, SessionNumbers)>) {
        let numbers: HashMap<_, _> = numbers.into_iter().collect();
        for row in &mut self.rows {
            row.numbers = numbers.get(&row.path).copied().or(row.numbers);
        }
        let (chosen, place) = (self.selection().map(|row| row.path.clone()), self.selected);
        self.refresh(chosen, place);
    }

    pub(crate) fn set_search(&mut self, search: Option<TextSearch>) {
        self.search = search;
        self.refresh(None, 0);
    }

    /// Changes the filter; the best match is selected.
    pub(crate) fn set_filter(&mut self, filter: String) {
        self.filter = filter;
        self.refresh(None, 0);
    }

    pub(crate) fn set_order(&mut self, order: SortOrder) {
        self.order = order;
        self.refresh(None, 0);
    }

    /// Whether what fits the search best comes first.
    fn is_ranked(&self) -> bool {
        self.search.is_some() && self.order == SortOrder::Activity
    }

    /// What the list is sorted by, in words: matches come before the order that was chosen.
    pub(crate) fn order_text(&self) -> String {
        match (self.is_ranked(), self.filter.trim().is_empty()) {
            (true, _) => "best first".to_owned(),
            (false, true) => format!("by {}", self.order.name()),
            (false, false) => format!("best first, by {}", self.order.name()),
        }
    }

    /// The session under the cursor.
    pub(crate) fn selection(&self) -> Option<&SessionRow> {
        self.listed.get(self.selected).and_then(|listed| self.rows.get(listed.row))
    }

    /// The passages of a session that the search found.
    pub(crate) fn hits(&self, session: &str) -> impl Iterator<Item = &SearchHit> {
        let hits = self.search.iter().flat_map(|search| &search.hits);
        hits.filter(move |hit| hit.session == session)
    }

    pub(crate) fn move_by(&mut self, rows: isize) {
        self.select(self.selected.saturating_add_signed(rows));
    }

    pub(crate) fn select(&mut self, at: usize) {
        self.selected = at.min(self.listed.len().saturating_sub(1));
    }

    /// Scrolls so that the selection is among this many rows.
    pub(crate) fn scroll(&mut self, height: usize) {
        let height = height.max(1);
        let last_top = self.listed.len().saturating_sub(height);
        self.top = self.top.min(last_top).min(self.selected).max((self.selected + 1).saturating_sub(height));
    }

    /// Filters and sorts again; the selection goes to a session, or to a place if that is gone.
    fn refresh(&mut self, chosen: Option<PathBuf>, place: usize) {
        let words: Vec<&str> = self.filter.split_whitespace().collect();
        let mut listed: Vec<(i64, ListedRow)> = Vec::new();
        for (row, session) in self.rows.iter().enumerate() {
            if self.search.is_some() && self.hits(&session.id).next().is_none() {
                continue;
            }
            if let Some(FuzzyMatch { score, places }) = match_row(&words, session) {
                listed.push((score, ListedRow { row, places }));
            }
        }
        let rank = |listed: &ListedRow| {
            let session = &self.rows[listed.row].id;
            let hits = self.search.as_ref().map(|search| &search.hits);
            hits.and_then(|hits| hits.iter().position(|hit| hit.session == *session))
        };
        let is_ranked = self.is_ranked();
        listed.sort_by(|(score, left), (other, right)| {
            let by_score = other.cmp(score);
            let by_rank = || if is_ranked { rank(left).cmp(&rank(right)) } else { std::cmp::Ordering::Equal };
            by_score.then_with(by_rank).then_with(|| self.compare(left.row, right.row))
        });
        self.listed = listed.into_iter().map(|(_, row)| row).collect();
        let of_path = |path: PathBuf| self.listed.iter().position(|row| self.rows[row.row].path == path);
        self.select(chosen.and_then(of_path).unwrap_or(place));
    }

    fn compare(&self, left: usize, right: usize) -> std::cmp::Ordering {
        let (one, other) = (&self.rows[left], &self.rows[right]);
        let cost = |row: &SessionRow| row.numbers.and_then(|numbers| numbers.cost).unwrap_or(-1.0);
        let turns = |row: &SessionRow| row.numbers.map(|numbers| numbers.turns);
        let order = match self.order {
            SortOrder::Activity => other.active.cmp(&one.active),
            SortOrder::Cost => cost(other).total_cmp(&cost(one)),
            SortOrder::Turns => turns(other).cmp(&turns(one)),
            SortOrder::Size => other.bytes.cmp(&one.bytes),
            SortOrder::Title => one.title.to_lowercase().cmp(&other.title.to_lowercase()),
        };
        order.then_with(|| one.path.cmp(&other.path))
    }
}

/// Matches all words: the title fuzzily, everything else by the word as it is.
fn match_row(words: &[&str], row: &SessionRow) -> Option<FuzzyMatch> {
    let mut sum = FuzzyMatch::default();
    for word in words {
        let lower = word.to_lowercase();
        let contains =
            |text: &Option<String>| text.as_ref().is_some_and(|text| text.to_lowercase().contains(&lower));
        let texts = [&row.folder, &row.branch, &row.tag, &row.first_prompt, &row.last_prompt];
        match matches(word, &row.title) {
            Some(found) => {
                sum.score += found.score;
                sum.places.extend(found.places);
            }
            None if texts.into_iter().any(contains) => sum.score += 1,
            None if row.project.to_lowercase().contains(&lower) => sum.score += 2,
            None if row.id.starts_with(&lower) => sum.score += 2,
            None => return None,
        }
    }
    sum.places.sort_unstable();
    sum.places.dedup();
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, title: &str, active: i64) -> SessionRow {
        SessionRow {
            id: id.to_owned(),
            path: PathBuf::from(format!("/{id}")),
            title: title.to_owned(),
            active: Some(active),
            ..SessionRow::default()
        }
    }

    fn list() -> SessionList {
        let mut list = SessionList::default();
        let mut prompted = row("c1", "Voucher limits", 1);
        prompted.first_prompt = Some("two per customer".to_owned());
        list.set_rows(vec![row("a1", "Fix the parser", 3), row("b1", "Parse dates", 2), prompted]);
        list
    }

    fn ids(list: &SessionList) -> Vec<&str> {
        list.listed.iter().map(|listed| list.rows[listed.row].id.as_str()).collect()
    }

    #[test]
    fn the_filter_looks_at_titles_first_and_at_prompts_too() {
        let mut list = list();
        assert_eq!(ids(&list), ["a1", "b1", "c1"]);
        list.set_filter("pars".to_owned());
        assert_eq!(ids(&list), ["b1", "a1"]);
        list.set_filter("customer".to_owned());
        assert_eq!(ids(&list), ["c1"]);
        list.set_filter("fix the nothing".to_owned());
        assert!(ids(&list).is_empty() && list.selection().is_none());
    }

    #[test]
    fn the_selection_stays_on_its_session_when_rows_change() {
        let mut list = list();
        list.move_by(1);
        let mut rows = list.rows.clone();
        rows.insert(0, row("d1", "Newest", 9));
        list.set_rows(rows);
        assert_eq!(list.selection().map(|row| row.id.as_str()), Some("b1"));
        let numbers = SessionNumbers { turns: 7, agents: 0, cost: Some(2.5) };
        list.set_numbers(vec![(PathBuf::from("/c1"), numbers)]);
        list.set_order(SortOrder::Cost);
        assert_eq!(ids(&list)[0], "c1");
        list.move_by(-5);
        list.move_by(100);
        list.scroll(2);
        assert_eq!((list.selected, list.top), (3, 2));
    }

    #[test]
    fn a_text_search_leaves_the_sessions_that_have_hits_best_first() {
        let mut list = list();
        let hit = |session: &str| SearchHit { session: session.to_owned(), ..SearchHit::default() };
        list.set_search(Some(TextSearch { query: "x".to_owned(), hits: vec![hit("c1"), hit("a1")] }));
        assert_eq!(ids(&list), ["c1", "a1"]);
        list.set_search(None);
        assert_eq!(ids(&list).len(), 3);
    }
}
