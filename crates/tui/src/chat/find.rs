//! Finds text on a page, line by line from where it stands, and counts the lines that have it.

use annals_ui::terminal::RenderOptions;
use regex::Regex;

use super::log::ChatLog;
use super::log_view::LogView;
use crate::reader::{FindDirection, LinePosition, line_text, pattern};

/// In longer conversations matches are not counted: for that, all of it would have to be laid out.
const MAX_COUNTED: usize = 3_000;

/// A search on a page.
#[derive(Debug, Default)]
pub(crate) struct PageFind {
    /// What is being typed.
    pub(crate) typed: Option<String>,
    pub(crate) pattern: Option<Regex>,
    pub(crate) is_missing: bool,
    /// The match that was gone to last.
    found: Option<LinePosition>,
    /// Which of how many it is.
    pub(crate) place: Option<(usize, usize)>,
}

impl PageFind {
    /// Follows blocks that came before all others, in which there may be matches, too.
    pub(crate) fn shift(&mut self, blocks: usize) {
        if let Some(found) = &mut self.found {
            found.entry += blocks;
        }
        self.place = None;
    }

    /// Looks for what was typed.
    pub(crate) fn submit(&mut self, log: &ChatLog, view: &mut LogView, options: &RenderOptions<'_>) {
        let typed = self.typed.take().unwrap_or_default();
        if !typed.is_empty() {
            self.pattern = pattern(&typed);
            self.found = None;
        }
        self.next(log, view, FindDirection::Forward, options);
    }

    /// Goes to the next match in a direction, and around the end.
    pub(crate) fn next(
        &mut self,
        log: &ChatLog,
        view: &mut LogView,
        direction: FindDirection,
        options: &RenderOptions<'_>,
    ) {
        if self.pattern.is_none() {
            return;
        }
        // From the match that is in sight, else from what is.
        let first = view.first(log, options);
        let from = self.found.filter(|found| view.is_in_sight(log, *found, options)).unwrap_or(first);
        self.found = self.match_from(log, view, from, direction, options);
        self.is_missing = self.found.is_none();
        self.place = self.found.and_then(|found| self.count(log, view, found, options));
        if let Some(at) = self.found {
            view.go_to(at);
        }
    }

    /// The lines of an entry that match.
    fn matches(
        &self,
        log: &ChatLog,
        view: &mut LogView,
        entry: usize,
        options: &RenderOptions<'_>,
    ) -> Vec<LinePosition> {
        let Some(pattern) = &self.pattern else { return Vec::new() };
        let lines = view.lines(log, entry, options).iter().enumerate();
        let matches = lines.filter(|(_, line)| pattern.is_match(&line_text(line)));
        matches.map(|(line, _)| LinePosition { entry, line }).collect()
    }

    /// The match behind a line, or before it, and around the end.
    fn match_from(
        &self,
        log: &ChatLog,
        view: &mut LogView,
        from: LinePosition,
        direction: FindDirection,
        options: &RenderOptions<'_>,
    ) -> Option<LinePosition> {
        let is_after = |at: LinePosition| match direction {
            FindDirection::Forward => at > from,
            FindDirection::Backward => at < from,
        };
        let mut entries: Vec<usize> = (from.entry..log.len()).chain(0..=from.entry.min(log.len())).collect();
        if direction == FindDirection::Backward {
            entries.reverse();
        }
        let mut around = None;
        for entry in entries {
            let places = self.matches(log, view, entry, options);
            let wanted = match direction {
                FindDirection::Forward => places.iter().copied().find(|&at| is_after(at)),
                FindDirection::Backward => places.iter().copied().rfind(|&at| is_after(at)),
            };
            let any = match direction {
                FindDirection::Forward => places.first(),
                FindDirection::Backward => places.last(),
            };
            if let Some(at) = wanted.or_else(|| (entry != from.entry).then(|| any.copied()).flatten()) {
                return Some(at);
            }
            around = around.or(any.copied());
        }
        around
    }

    /// Which of how many matches this one is.
    fn count(
        &self,
        log: &ChatLog,
        view: &mut LogView,
        found: LinePosition,
        options: &RenderOptions<'_>,
    ) -> Option<(usize, usize)> {
        if log.len() > MAX_COUNTED {
            return None;
        }
        let all: Vec<LinePosition> =
            (0..log.len()).flat_map(|entry| self.matches(log, view, entry, options)).collect();
        Some((all.iter().position(|at| *at == found)? + 1, all.len()))
    }
}
