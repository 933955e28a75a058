//! Markdown blocks that indent their content: lists, quotes, and preformatted text.

use super::MAX_MARKDOWN;
use super::markdown::MarkdownWriter;

/// How deep lists and quotes are indented; deeper ones stay at that depth.
const MAX_DEPTH: usize = 32;

/// A block that indents the lines in it.
pub(super) enum MarkdownBlock {
    /// A list, with the next number if it is ordered.
    List {
        next: Option<u32>,
        has_items: bool,
    },
    /// An item of a list. Its marker is due before its first text.
    Item {
        marker: Option<String>,
        width: usize,
    },
    Quote,
}

/// Preformatted text.
pub(super) struct Pre {
    /// How many tags are open.
    tags: usize,
    language: String,
    has_text: bool,
}

impl MarkdownWriter {
    pub(super) fn open_list(&mut self, first: Option<u32>) {
        self.break_lines(if self.list().is_some() { 1 } else { 2 });
        self.push(MarkdownBlock::List { next: first, has_items: false });
    }

    pub(super) fn close_list(&mut self) {
        if let Some(at) = self.list() {
            self.blocks.truncate(at);
        }
        self.break_lines(if self.list().is_some() { 1 } else { 2 });
    }

    /// The innermost list.
    fn list(&self) -> Option<usize> {
        self.blocks.iter().rposition(|block| matches!(block, MarkdownBlock::List { .. }))
    }

    /// An item of the innermost list; the one before it ends.
    pub(super) fn open_item(&mut self, value: Option<u32>) {
        if let Some(at) = self.list() {
            self.blocks.truncate(at + 1);
        }
        self.close_link();
        self.break_lines(1);
        let mut marker = "- ".to_owned();
        if let Some(MarkdownBlock::List { next, has_items }) = self.blocks.last_mut() {
            // Paragraphs in items must not separate the items.
            if std::mem::replace(has_items, true) {
                self.breaks = self.breaks.min(1);
            }
            if let Some(next) = next {
                let number = value.unwrap_or(*next);
                *next = number.saturating_add(1);
                marker = format!("{number}. ");
            }
        }
        let width = marker.len();
        self.push(MarkdownBlock::Item { marker: Some(marker), width });
    }

    pub(super) fn open_quote(&mut self) {
        self.break_lines(2);
        self.push(MarkdownBlock::Quote);
    }

    pub(super) fn close_quote(&mut self) {
        if let Some(at) = self.blocks.iter().rposition(|block| matches!(block, MarkdownBlock::Quote)) {
            self.blocks.truncate(at);
        }
        self.break_lines(2);
    }

    fn push(&mut self, block: MarkdownBlock) {
        if self.blocks.len() < MAX_DEPTH {
            self.blocks.push(block);
        }
    }

    pub(super) fn open_pre(&mut self) {
        match &mut self.pre {
            Some(pre) => pre.tags += 1,
            None => {
                self.close_link();
                self.break_lines(2);
                self.pre = Some(Pre { tags: 1, language: String::new(), has_text: false });
            }
        }
    }

    /// Takes the language of preformatted text from the classes of its `<code>`.
    pub(super) fn set_language(&mut self, classes: &str) {
        let named = classes.split_whitespace().find_map(|class| class.strip_prefix("language-"));
        if let (Some(pre), Some(language)) = (&mut self.pre, named) {
            pre.language = language.chars().filter(|letter| !"`~".contains(*letter)).take(30).collect();
        }
    }

    pub(super) fn pre_text(&mut self, text: &str) {
        let Some(pre) = &mut self.pre else { return };
        let mut text = text;
        if !std::mem::replace(&mut pre.has_text, true) {
            let fence = format!("```{}\n", pre.language);
            self.begin_line();
            self.out.push_str(&fence);
            // The end of the line after `<pre>` is not part of the text.
            text = text.strip_prefix('\n').unwrap_or(text);
        }
        for line in text.split_inclusive('\n') {
            if self.out.len() > MAX_MARKDOWN {
                return;
            }
            if self.out.ends_with('\n') {
                self.indent();
            }
            self.out.push_str(line);
        }
    }

    pub(super) fn close_pre(&mut self) {
        if let Some(pre) = &mut self.pre {
            pre.tags -= 1;
            if pre.tags == 0 {
                self.end_pre();
            }
        }
    }

    /// Ends preformatted text, however many of its tags are open.
    pub(super) fn end_pre(&mut self) {
        if self.pre.take().is_some_and(|pre| pre.has_text) {
            if !self.out.ends_with('\n') {
                self.out.push('\n');
            }
            self.indent();
            self.out.push_str("```");
        }
        self.break_lines(2);
    }
}
