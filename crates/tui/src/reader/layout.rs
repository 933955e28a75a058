//! Lays entries out, each when it is first shown, and keeps what was laid out.

use std::collections::HashMap;
use std::sync::Arc;

use annals_ui::one_line;
use annals_ui::terminal::{Color, Passage, RenderOptions, Span, Style, StyledLine};
use annals_ui::view::{Item, ItemBody};

use crate::app::ZoneOffset;

use super::document::{Document, Entry, EntryKind};
use super::entry_text::{cut_texts, text_bytes};
use super::folds::EntryForm;

/// How many entries are kept laid out.
const MAX_CACHED: usize = 2000;
/// The texts of larger entries are cut: nobody reads on, and wrapping all of it takes seconds.
const MAX_FULL_BYTES: usize = 1 << 19;
/// What is left of each text of such an entry.
const MAX_CUT_BYTES: usize = 1 << 17;
/// How far back the last shown time is looked for; beyond, the date is shown again.
const MAX_LOOK_BACK: usize = 200;
/// Lines of a long output while it is closed.
const BRIEF_LINES: usize = 8;

/// What the layout depends on, besides the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DisplayOptions {
    pub(crate) width: usize,
    pub(crate) unicode: bool,
    pub(crate) zone: ZoneOffset,
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self { width: 80, unicode: true, zone: ZoneOffset::default() }
    }
}

/// Entries that were laid out, by their place.
#[derive(Debug, Default)]
pub(super) struct LineCache {
    lines: HashMap<usize, Arc<Vec<StyledLine>>>,
}

impl LineCache {
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    pub(super) fn forget(&mut self, entry: usize) {
        self.lines.remove(&entry);
    }
}

impl Document {
    /// Takes new options over; whether they are others.
    pub(super) fn set_options(&mut self, options: DisplayOptions) -> bool {
        let is_new = self.options != options;
        if is_new {
            self.options = options;
            self.cache.borrow_mut().clear();
        }
        is_new
    }

    /// The lines of an entry.
    pub(crate) fn lines(&self, at: usize) -> Arc<Vec<StyledLine>> {
        if let Some(lines) = self.cache.borrow().lines.get(&at) {
            return Arc::clone(lines);
        }
        self.layouts.set(self.layouts.get() + 1);
        let lines = Arc::new(self.entries.get(at).map(|entry| self.lay_out(entry)).unwrap_or_default());
        let mut cache = self.cache.borrow_mut();
        if cache.lines.len() >= MAX_CACHED {
            cache.lines.clear();
        }
        cache.lines.insert(at, Arc::clone(&lines));
        lines
    }

    fn lay_out(&self, entry: &Entry) -> Vec<StyledLine> {
        let EntryKind::Items { first, .. } = entry.kind else { return vec![self.head(entry)] };
        let items = self.items(entry);
        let items: &[Item] = &items;
        let before = first.checked_sub(1).and_then(|before| self.item(entry.thread, before));
        let earlier = self.threads[entry.thread].items[..first].iter().enumerate().rev().take(MAX_LOOK_BACK);
        let stamped = earlier.into_iter().find(|(_, item)| item.is_stamped());
        let stamped = stamped.and_then(|(at, _)| self.item(entry.thread, at));
        let (before, stamped) = (before.as_ref(), stamped.as_ref());
        let is_agent = self.is_agent(entry.thread);
        let passage = Passage { before, stamped, items, depth: entry.depth, is_agent };
        let form = self.form(entry);
        let options = self.render_options(form);
        let is_large = items.iter().map(text_bytes).sum::<usize>() > MAX_FULL_BYTES;
        if form == EntryForm::Full && is_large {
            let items: Vec<Item> = items.iter().map(|item| cut_texts(item, MAX_CUT_BYTES)).collect();
            return Passage { items: &items, ..passage }.lines(&options);
        }
        match (items, form) {
            ([Item { body: ItemBody::ToolCall(call), .. }], EntryForm::Line) => {
                passage.call_line(call, &options)
            }
            ([Item { body: ItemBody::Thinking(Some(thought)), .. }], EntryForm::Line) => {
                self.thinking_line(entry, thought, before)
            }
            _ => passage.lines(&options),
        }
    }

    fn render_options(&self, form: EntryForm) -> RenderOptions<'_> {
        RenderOptions {
            full: form == EntryForm::Full,
            unicode: self.options.unicode,
            zone: self.options.zone.function(),
            unfold_hint: " (enter)",
            output_lines: BRIEF_LINES,
            ..RenderOptions::plain(self.options.width)
        }
    }

    /// The marks of something closed and of something open.
    fn fold_marks(&self) -> [&'static str; 2] {
        if self.options.unicode { ["▸ ", "▾ "] } else { ["+ ", "- "] }
    }

    fn gutters(&self, depth: usize) -> StyledLine {
        let mark = if self.options.unicode { "  ┊ " } else { "  : " };
        vec![Span::new(mark, Style::color(Color::Blue)); depth.min(6)]
    }

    fn thinking_line(&self, entry: &Entry, thought: &str, before: Option<&Item>) -> Vec<StyledLine> {
        let gutters = self.gutters(entry.depth);
        let mut line = gutters.clone();
        let opening: String = thought.trim().chars().take(200).collect();
        let text = format!("  {}thinking  {}", self.fold_marks()[0], one_line(&opening));
        line.push(Span::new(text, Style::DIM.italic()));
        let gap = before.map(|_| gutters);
        gap.into_iter().chain([line]).collect()
    }

    /// The line that opens and closes a sub-agent or a branch.
    fn head(&self, entry: &Entry) -> StyledLine {
        let thread = &self.threads[entry.thread];
        let (what, color) = if thread.is_agent { ("agent", Color::Blue) } else { ("branch", Color::Yellow) };
        let dot = if self.options.unicode { "·" } else { "-" };
        let messages = if thread.messages == 1 { "message" } else { "messages" };
        let mut facts = vec![one_line(&thread.label), one_line(&thread.name)];
        facts.push(format!("{} {messages}", thread.messages));
        facts.retain(|fact| !fact.is_empty());
        let mut line = self.gutters(entry.depth);
        line.push(Span::new(
            format!("  {}", self.fold_marks()[usize::from(self.is_open(entry))]),
            Style::color(color),
        ));
        line.push(Span::new(format!("{what} "), Style::color(color).bold()));
        line.push(Span::dim(facts.join(&format!(" {dot} "))));
        line
    }
}
