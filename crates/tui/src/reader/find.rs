//! Finds text in a session, entry by entry from the cursor on. A step looks at a limited amount of text, so that the screen
//! stays alive; closed sub-agents are opened where they hold a match.

use annals_ui::terminal::Span;
use regex::{Regex, RegexBuilder, escape};

use super::{LinePosition, Reader};

/// How much text one step looks at.
const STEP_BYTES: usize = 2 << 20;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindDirection {
    Forward,
    Backward,
}

/// A search in a session.
#[derive(Clone, Debug)]
pub(crate) struct Find {
    pub(crate) query: String,
    pub(crate) pattern: Regex,
    direction: FindDirection,
    /// The next entry to look at, and how many are left; `None` when nothing is being looked for.
    pending: Option<(usize, usize)>,
    /// Whether it goes on when the rest of the session is there.
    is_waiting: bool,
}

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindProgress {
    Found,
    Missing,
    Pending,
}

/// A pattern for a text as it is; one without capitals matches both cases.
pub(crate) fn pattern(query: &str) -> Option<Regex> {
    let ignores_case = !query.chars().any(char::is_uppercase);
    RegexBuilder::new(&escape(query)).case_insensitive(ignores_case).build().ok()
}

pub(crate) fn line_text(line: &[Span]) -> String {
    line.iter().map(|span| span.text.as_str()).collect()
}

impl Reader {
    /// Starts to look for a text, from the cursor on.
    pub(crate) fn find(&mut self, query: &str) -> FindProgress {
        let Some(pattern) = pattern(query) else { return FindProgress::Missing };
        self.find = Some(Find {
            query: query.to_owned(),
            pattern,
            direction: FindDirection::Forward,
            pending: None,
            is_waiting: false,
        });
        // A match on the cursor's own line counts.
        let cursor = self.cursor;
        if self.match_in(cursor.entry, cursor.line..usize::MAX, FindDirection::Forward).is_some() {
            return self.start(FindDirection::Forward, cursor.line);
        }
        self.start(FindDirection::Forward, cursor.line + 1)
    }

    /// Goes to the next match, or to the one before.
    pub(crate) fn find_again(&mut self, direction: FindDirection) -> FindProgress {
        match direction {
            FindDirection::Forward => self.start(direction, self.cursor.line + 1),
            FindDirection::Backward => self.start(direction, self.cursor.line),
        }
    }

    /// Looks at the rest of the cursor's entry, then at the others.
    fn start(&mut self, direction: FindDirection, line: usize) -> FindProgress {
        let entry = self.cursor.entry;
        let rest = match direction {
            FindDirection::Forward => line..usize::MAX,
            FindDirection::Backward => 0..line,
        };
        if let Some(line) = self.match_in(entry, rest, direction) {
            self.show(LinePosition { entry, line });
            return FindProgress::Found;
        }
        let count = self.document.len();
        let Some(find) = &mut self.find else { return FindProgress::Missing };
        find.direction = direction;
        find.pending = Some((neighbour(entry, count, direction), count));
        self.find_step()
    }

    /// The line of an entry with a match: the first, or going back the last.
    fn match_in(
        &self,
        entry: usize,
        range: std::ops::Range<usize>,
        direction: FindDirection,
    ) -> Option<usize> {
        let pattern = &self.find.as_ref()?.pattern;
        let lines = self.document.lines(entry);
        let mut found = lines
            .iter()
            .enumerate()
            .filter(|(at, line)| range.contains(at) && pattern.is_match(&line_text(line)));
        match direction {
            FindDirection::Forward => found.next(),
            FindDirection::Backward => found.next_back(),
        }
        .map(|(at, _)| at)
    }

    /// Whether a search is under way.
    pub(crate) fn is_finding(&self) -> bool {
        self.find.as_ref().is_some_and(|find| find.pending.is_some())
    }

    pub(crate) fn stop_finding(&mut self) {
        if let Some(find) = &mut self.find {
            (find.pending, find.is_waiting) = (None, false);
        }
    }

    /// After the whole session took the place of its beginning: a search that is under way looks at all of it.
    pub(super) fn find_in_whole(&mut self, was_beginning: bool) {
        let (entry, count) = (self.cursor.entry, self.document.len());
        let find =
            self.find.as_mut().filter(|find| was_beginning && (find.is_waiting || find.pending.is_some()));
        if let Some(find) = find {
            find.is_waiting = false;
            find.pending = Some((neighbour(entry, count, find.direction), count));
        }
    }

    /// Looks at some more entries.
    pub(crate) fn find_step(&mut self) -> FindProgress {
        let mut budget = STEP_BYTES as isize;
        while budget > 0 {
            let Some(find) = &self.find else { return FindProgress::Missing };
            let (direction, pattern) = (find.direction, find.pattern.clone());
            let Some((entry, left)) = find.pending.filter(|(_, left)| *left > 0) else {
                self.stop_finding();
                if let Some(find) = self.find.as_mut().filter(|_| self.is_beginning) {
                    find.is_waiting = true;
                    return FindProgress::Pending;
                }
                return FindProgress::Missing;
            };
            let (is_found, bytes) = self.document.find_text(entry, &|text| pattern.is_match(text));
            budget -= bytes as isize;
            let before = self.document.len();
            if is_found && let Some(place) = self.open_match(entry, direction) {
                self.stop_finding();
                self.show(place);
                return FindProgress::Found;
            }
            // A thread that was opened has its matches in the entries that it brought.
            let more = self.document.len() - before;
            let count = self.document.len();
            let next = match direction {
                FindDirection::Backward if more > 0 => entry + more,
                _ => neighbour(entry, count, direction),
            };
            if let Some(find) = &mut self.find {
                find.pending = Some((next, left - 1 + more));
            }
        }
        FindProgress::Pending
    }

    /// The line of the match in an entry whose text has one. A closed thread is opened instead, one level at a time.
    fn open_match(&mut self, entry: usize, direction: FindDirection) -> Option<LinePosition> {
        if self.document.entries[entry].kind == super::EntryKind::Head {
            let inserts_before = entry < self.cursor.entry;
            let before = self.document.len();
            self.document.toggle(entry);
            if inserts_before {
                let more = self.document.len() - before;
                self.cursor.entry += more;
                self.top.entry += if entry < self.top.entry { more } else { 0 };
            }
            return None;
        }
        if let Some(line) = self.match_in(entry, 0..usize::MAX, direction) {
            return Some(LinePosition { entry, line });
        }
        self.document.open_fully(entry);
        // A match may be broken over two lines, or be in what no form shows.
        let line = self.match_in(entry, 0..usize::MAX, direction).unwrap_or(0);
        Some(LinePosition { entry, line }).filter(|_| !self.document.lines(entry).is_empty())
    }
}

/// The next entry in a direction; after the last comes the first.
fn neighbour(entry: usize, count: usize, direction: FindDirection) -> usize {
    match direction {
        FindDirection::Forward if entry + 1 >= count => 0,
        FindDirection::Forward => entry + 1,
        FindDirection::Backward => entry.checked_sub(1).unwrap_or(count.saturating_sub(1)),
    }
}
