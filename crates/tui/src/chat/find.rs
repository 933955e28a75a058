//! Finds text on a page, line by line from where it stands.

use annals_ui::terminal::RenderOptions;
use regex::Regex;

use super::log::ChatLog;
use super::log_view::LogView;
use crate::reader::{FindDirection, LinePosition, line_text, pattern};

/// A search on a page.
#[derive(Debug, Default)]
pub(crate) struct PageFind {
    /// What is being typed.
    pub(crate) typed: Option<String>,
    pub(crate) pattern: Option<Regex>,
    pub(crate) is_missing: bool,
}

impl PageFind {
    /// Looks for what was typed.
    pub(crate) fn submit(&mut self, log: &ChatLog, view: &mut LogView, options: &RenderOptions<'_>) {
        let typed = self.typed.take().unwrap_or_default();
        if !typed.is_empty() {
            self.pattern = pattern(&typed);
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
        let Some(pattern) = &self.pattern else { return };
        let from = view.first(log, options);
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
            let lines = view.lines(log, entry, options).iter().enumerate();
            let matches = lines.filter(|(_, line)| pattern.is_match(&line_text(line)));
            let places: Vec<_> = matches.map(|(line, _)| LinePosition { entry, line }).collect();
            let wanted = match direction {
                FindDirection::Forward => places.iter().copied().find(|&at| is_after(at)),
                FindDirection::Backward => places.iter().copied().rfind(|&at| is_after(at)),
            };
            let any = match direction {
                FindDirection::Forward => places.first(),
                FindDirection::Backward => places.last(),
            };
            if let Some(at) = wanted.or_else(|| (entry != from.entry).then(|| any.copied()).flatten()) {
                self.is_missing = false;
                return view.go_to(at);
            }
            around = around.or(any.copied());
        }
        self.is_missing = around.is_none();
        if let Some(at) = around {
            view.go_to(at);
        }
    }
}
