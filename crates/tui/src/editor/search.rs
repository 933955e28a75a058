//! The search in earlier prompts: a filter line, the prompts that match it, and the scope.

use super::history::{HistoryPrompt, PromptHistory, SearchScope};
use super::menu::MAX_MENU_ROWS;
use crate::key::Key;
use crate::list::fuzzy::matches;

/// More of a long prompt is not matched.
const MAX_MATCHED_CHARS: usize = 2_000;

/// A search that is open.
#[derive(Clone, Debug, Default)]
pub(super) struct HistorySearch {
    pub(super) query: String,
    pub(super) scope: SearchScope,
    pub(super) selected: usize,
    /// The prompts that match, best first.
    pub(super) found: Vec<HistoryPrompt>,
}

/// What a key did to the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    Open,
    Cancelled,
    Chosen(HistoryPrompt),
    /// The key means nothing to the search.
    Ignored,
}

impl HistorySearch {
    pub(super) fn new(history: &PromptHistory) -> Self {
        let mut search = Self::default();
        search.find(history);
        search
    }

    pub(super) fn handle(&mut self, key: Key, history: &PromptHistory) -> SearchOutcome {
        match key {
            Key::Escape | Key::Ctrl('c' | 'g') => return SearchOutcome::Cancelled,
            Key::Enter | Key::Tab => {
                let chosen = self.found.get(self.selected).cloned();
                return chosen.map_or(SearchOutcome::Open, SearchOutcome::Chosen);
            }
            Key::Up | Key::Ctrl('p') => self.selected = self.selected.saturating_sub(1),
            Key::Down | Key::Ctrl('n' | 'r') if self.selected + 1 < self.found.len() => self.selected += 1,
            Key::Down | Key::Ctrl('n' | 'r') => {}
            Key::Ctrl('s') => {
                self.scope = self.scope.next();
                self.find(history);
            }
            Key::Char(letter) => {
                self.query.push(letter);
                self.find(history);
            }
            Key::Backspace | Key::Ctrl('h') => {
                let end = annals_ui::grapheme::previous(&self.query, self.query.len());
                self.query.truncate(end);
                self.find(history);
            }
            Key::Ctrl('u') => {
                self.query.clear();
                self.find(history);
            }
            _ => return SearchOutcome::Ignored,
        }
        SearchOutcome::Open
    }

    /// Adds a pasted text to the filter, on one line.
    pub(super) fn paste(&mut self, text: &str, history: &PromptHistory) {
        let start: String = text.chars().take(MAX_MATCHED_CHARS).collect();
        self.query.push_str(&annals_ui::one_line(&start));
        self.find(history);
    }

    fn find(&mut self, history: &PromptHistory) {
        let words: Vec<&str> = self.query.split_whitespace().collect();
        let score = |prompt: &HistoryPrompt| -> Option<i64> {
            let text = &prompt.display;
            let end = text.char_indices().nth(MAX_MATCHED_CHARS).map_or(text.len(), |(at, _)| at);
            words.iter().map(|word| matches(word, &text[..end]).map(|found| found.score)).sum()
        };
        let prompts = history.in_scope(self.scope);
        let mut found: Vec<(i64, &HistoryPrompt)> =
            prompts.into_iter().filter_map(|prompt| Some((score(prompt)?, prompt))).collect();
        // Equal matches stay in the order of time.
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        self.found = found.into_iter().map(|(_, prompt)| prompt.clone()).collect();
        self.selected = 0;
    }

    /// Returns the prompts that are shown, each with whether it is selected.
    pub(super) fn visible(&self) -> impl Iterator<Item = (&HistoryPrompt, bool)> {
        let first = self.selected.saturating_sub(MAX_MENU_ROWS - 1);
        let shown = self.found.iter().enumerate().skip(first).take(MAX_MENU_ROWS);
        shown.map(|(at, prompt)| (prompt, at == self.selected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_filtered_by_words_and_scope() {
        let prompt = |display: &str, project: &str| HistoryPrompt {
            display: display.into(),
            project: project.into(),
            ..HistoryPrompt::default()
        };
        let prompts = vec![prompt("fix the cache", "/w"), prompt("the cake", "/o"), prompt("fix it", "/o")];
        let history = PromptHistory::new(prompts, "/w", "");
        let mut search = HistorySearch::new(&history);
        let shown = |search: &HistorySearch| -> Vec<String> {
            search.found.iter().map(|prompt| prompt.display.clone()).collect()
        };
        assert_eq!(shown(&search), ["fix it", "the cake", "fix the cache"]);
        "fix ca".chars().for_each(|letter| drop(search.handle(Key::Char(letter), &history)));
        assert_eq!(shown(&search), ["fix the cache"]);
        search.handle(Key::Ctrl('u'), &history);
        search.handle(Key::Ctrl('s'), &history);
        assert_eq!(
            (shown(&search).as_slice(), search.scope.name()),
            (&["fix the cache".to_owned()][..], "this folder")
        );
        assert_eq!(search.handle(Key::Down, &history), SearchOutcome::Open);
        assert!(matches!(search.handle(Key::Enter, &history), SearchOutcome::Chosen(_)));
        search.handle(Key::Ctrl('s'), &history);
        assert_eq!(search.handle(Key::Enter, &history), SearchOutcome::Open, "nothing to choose");
        assert_eq!(search.handle(Key::Escape, &history), SearchOutcome::Cancelled);
    }
}
