//! Writes Markdown piece by piece. Spaces, breaks and marks are due first and written with the next text, so nothing empty
//! is written.

use super::blocks::{MarkdownBlock, Pre};
use super::inline::{Inline, InlineStack};

/// The longest link text that continues after the end of a paragraph: longer ones were never closed.
const MAX_LINK_TEXT: usize = 1000;

#[derive(Default)]
pub(super) struct MarkdownWriter {
    pub(super) out: String,
    /// How many line ends are due before the next text.
    pub(super) breaks: usize,
    /// How many line ends are due when the open link ends.
    breaks_after_link: usize,
    /// A space is due before the next text.
    is_space_due: bool,
    /// The level of the heading that is due.
    heading: Option<usize>,
    pub(super) blocks: Vec<MarkdownBlock>,
    inlines: InlineStack,
    pub(super) pre: Option<Pre>,
}

impl MarkdownWriter {
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn text(&mut self, text: &str) {
        if self.pre.is_some() {
            return self.pre_text(text);
        }
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            self.is_space_due |= number > 0;
            if !word.is_empty() {
                self.begin();
                self.out.push_str(word);
            }
        }
    }

    /// Writes all that is due before text.
    fn begin(&mut self) {
        self.breaks_after_link = 0;
        self.begin_line();
        if std::mem::take(&mut self.is_space_due) && !self.out.is_empty() && !self.out.ends_with(['\n', ' '])
        {
            self.out.push(' ');
        }
        self.inlines.resume(&mut self.out);
    }

    pub(super) fn begin_line(&mut self) {
        let due = std::mem::take(&mut self.breaks);
        if due > 0 || self.out.is_empty() {
            if !self.out.is_empty() {
                self.out.push_str(&"\n".repeat(due));
            }
            self.is_space_due = false;
            self.indent();
            if let Some(level) = self.heading.take() {
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
        }
    }

    pub(super) fn indent(&mut self) {
        for block in &mut self.blocks {
            match block {
                MarkdownBlock::List { .. } => {}
                MarkdownBlock::Quote => self.out.push_str("> "),
                MarkdownBlock::Item { marker, width } => match marker.take() {
                    Some(marker) => self.out.push_str(&marker),
                    None => self.out.push_str(&" ".repeat(*width)),
                },
            }
        }
    }

    /// What follows begins a new line.
    pub(super) fn line_break(&mut self) {
        self.break_lines(1);
    }

    /// What follows begins a new paragraph.
    pub(super) fn paragraph(&mut self) {
        self.break_lines(2);
    }

    pub(super) fn break_lines(&mut self, count: usize) {
        if self.pre.is_some() {
            return;
        }
        // The text of a link is one line.
        if self.inlines.link_length(&self.out).is_some_and(|length| length < MAX_LINK_TEXT) {
            self.is_space_due = true;
            self.breaks_after_link = self.breaks_after_link.max(count);
            return;
        }
        self.inlines.suspend_all(&mut self.out);
        let is_new_item = matches!(self.blocks.last(), Some(MarkdownBlock::Item { marker: Some(_), .. }));
        if !is_new_item {
            self.breaks = self.breaks.max(count);
        }
        self.heading = None;
    }

    /// A line as it is, alone between two breaks.
    fn line(&mut self, line: &str) {
        self.begin_line();
        self.out.push_str(line);
        self.breaks = 1;
    }

    pub(super) fn heading(&mut self, level: usize) {
        self.heading = Some(level);
    }

    pub(super) fn rule(&mut self) {
        self.paragraph();
        self.line("---");
        self.paragraph();
    }

    /// The title of the page, if it comes before any text.
    pub(super) fn title(&mut self, title: &str) {
        if self.out.is_empty() && !title.trim().is_empty() {
            self.text("Title:");
            self.text(&format!(" {title}"));
            self.paragraph();
        }
    }

    pub(super) fn open_inline(&mut self, inline: Inline) {
        if self.pre.is_none() {
            self.inlines.open(inline);
        }
    }

    pub(super) fn close_inline(&mut self, inline: &Inline) {
        self.inlines.close(inline, &mut self.out);
    }

    pub(super) fn close_link(&mut self) {
        self.inlines.close_link(&mut self.out);
        let breaks = std::mem::take(&mut self.breaks_after_link);
        if breaks > 0 {
            self.break_lines(breaks);
        }
    }

    /// An image, if it has words for those who do not see it.
    pub(super) fn image(&mut self, alt: &str, source: &str) {
        let alt: Vec<_> = alt.split_whitespace().collect();
        if !alt.is_empty() && self.pre.is_none() {
            self.begin();
            self.out.push_str(&format!("![{}]({source})", alt.join(" ")));
        }
    }

    pub(super) fn cell_end(&mut self) {
        self.is_space_due = true;
        self.text("|");
        self.is_space_due = true;
    }

    /// The line between the header of a table and its body.
    pub(super) fn table_rule(&mut self, cells: usize) {
        self.line(vec!["---"; cells.min(100)].join(" | ").as_str());
        self.out.push_str(" |");
    }

    /// The Markdown, with all marks closed.
    pub(super) fn finish(mut self) -> String {
        self.end_pre();
        self.inlines.suspend_all(&mut self.out);
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}
