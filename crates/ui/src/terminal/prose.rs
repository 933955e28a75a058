//! Markdown as lines of a page.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::look::{Color, Look};
use super::style::{Ink, Line, Span, Style, line_width, width};
use super::table::Table;
use super::wrap::{chop, wrap};
use crate::clean::clean;

/// Lays a text in Markdown out in so many columns.
pub(super) fn prose(text: &str, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let text = clean(text);
    let mut prose = Prose::new(columns, look);
    // No strikethrough: a tilde in these texts means "about".
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS) {
        prose.event(event);
    }
    prose.flush();
    prose.lines
}

/// Marks that a line may have: a thousand quotations within each other look like these.
const DEEPEST: usize = 16;

/// What stands before the lines of a list item or a quotation.
struct Mark {
    first: Option<Span>,
    rest: Span,
}

struct Prose<'l, 'z> {
    look: &'l Look<'z>,
    columns: usize,
    lines: Vec<Line>,
    marks: Vec<Mark>,
    inline: Line,
    styles: Vec<Style>,
    links: Vec<(String, usize)>,
    lists: Vec<Option<u64>>,
    table: Option<Table>,
    code: Option<(String, String)>,
    is_gap_due: bool,
}

impl<'l, 'z> Prose<'l, 'z> {
    fn new(columns: usize, look: &'l Look<'z>) -> Self {
        Self {
            look,
            columns,
            lines: Vec::new(),
            marks: Vec::new(),
            inline: Line::new(),
            styles: vec![Style::PLAIN],
            links: Vec::new(),
            lists: Vec::new(),
            table: None,
            code: None,
            is_gap_due: false,
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(Style::PLAIN)
    }

    fn text(&mut self, text: &str, style: Style) {
        self.inline.push(Span::new(text, style));
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(code) => {
                let style = Style { ink: Some(Ink::Cyan), ..self.style() };
                match self.look.color {
                    Color::Ansi => self.text(&code, style),
                    Color::Plain => self.text(&format!("`{code}`"), style),
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => self.text(&html, Style::DIM),
            Event::SoftBreak | Event::HardBreak => {
                self.text(if self.table.is_some() { " " } else { "\n" }, Style::PLAIN)
            }
            Event::Rule => {
                self.block();
                let rule = self.look.ornaments().rule.repeat(self.room().min(40));
                self.line(vec![Span::dim(rule)]);
                self.is_gap_due = true;
            }
            Event::TaskListMarker(is_done) => {
                let todo = self.look.ornaments().todo;
                self.text(todo[if is_done { 2 } else { 0 }], Style::DIM);
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text, self.style());
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                let style = Style { bold: true, ink: Some(Ink::Blue), ..Style::PLAIN };
                self.text(&format!("{} ", "#".repeat(depth(level))), Style { bold: false, ..style });
                self.styles.push(style);
            }
            Tag::BlockQuote(_) => {
                self.block();
                let quote = Span::dim(self.look.ornaments().quote);
                self.marks.push(Mark { first: None, rest: quote });
            }
            Tag::CodeBlock(kind) => {
                self.block();
                let language = match &kind {
                    CodeBlockKind::Fenced(language) => {
                        language.split([' ', ',']).next().unwrap_or("").to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(first) => {
                self.flush();
                if !self.lists.is_empty() {
                    self.is_gap_due = false;
                }
                self.lists.push(first);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.styles.push(style.italic()),
            Tag::Strong => self.styles.push(style.bold()),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.inline.len()));
                self.styles.push(Style { underline: true, ..style });
            }
            Tag::Table(alignments) => {
                self.block();
                self.table = Some(Table::new(alignments));
            }
            Tag::TableHead => self.styles.push(style.bold()),
            _ => {}
        }
    }

    fn item(&mut self) {
        self.flush();
        self.gap();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => self.look.ornaments().bullet.to_owned(),
        };
        let rest = Span::plain(" ".repeat(width(&mark)));
        self.marks.push(Mark { first: Some(Span::dim(mark)), rest });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.is_gap_due = true;
            }
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.flush();
                self.is_gap_due = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.marks.pop();
                self.is_gap_due = true;
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.frame(&language, &code);
                }
                self.is_gap_due = true;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.is_gap_due |= self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                // An item without a word still has its mark.
                if self.marks.last().is_some_and(|mark| mark.first.is_some()) {
                    self.line(Line::new());
                }
                self.marks.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if tag == TagEnd::TableHead {
                    self.styles.pop();
                }
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let lines = table.lines(self.room(), self.look.ornaments());
                    lines.into_iter().for_each(|line| self.line(line));
                }
                self.is_gap_due = true;
            }
            _ => {}
        }
    }

    fn end_link(&mut self) {
        self.styles.pop();
        let Some((address, start)) = self.links.pop() else { return };
        let words: String =
            self.inline.get(start..).unwrap_or_default().iter().map(|span| span.text.as_str()).collect();
        if words != address && address != format!("mailto:{words}") && !address.is_empty() {
            self.text(&format!(" ({address})"), Style::DIM);
        }
    }

    /// Code in its frame, with its language.
    fn frame(&mut self, language: &str, code: &str) {
        let [top, side, bottom] = self.look.ornaments().frame;
        let rule = self.look.ornaments().rule;
        let room = self.room();
        let longest = code.lines().map(width).max().unwrap_or(0).max(width(language) + 4);
        let long = (longest + 2).clamp(8, room.max(8));
        let label = if language.is_empty() { String::new() } else { format!(" {language} ") };
        let left = long.saturating_sub(width(top) + width(&label));
        self.line(vec![Span::dim(top), Span::dim(label), Span::dim(rule.repeat(left))]);
        for line in code.lines() {
            let style = match (language, line.as_bytes().first()) {
                ("diff" | "patch", Some(b'+')) => Style::ink(Ink::Green),
                ("diff" | "patch", Some(b'-')) => Style::ink(Ink::Red),
                _ => Style::PLAIN,
            };
            for piece in chop(line, room.saturating_sub(width(side)).max(1)) {
                self.line(vec![Span::dim(side), Span::new(piece, style)]);
            }
        }
        self.line(vec![Span::dim(bottom), Span::dim(rule.repeat(long.saturating_sub(width(bottom))))]);
    }

    /// Columns that are left behind the marks.
    fn room(&self) -> usize {
        let marks: usize = self.marks.iter().take(DEEPEST).map(|mark| width(&mark.rest.text)).sum();
        self.columns.saturating_sub(marks).max(8)
    }

    /// A new block starts.
    fn block(&mut self) {
        self.flush();
        // The first block of an item stands on the line of its mark.
        if self.marks.last().is_none_or(|mark| mark.first.is_none()) {
            self.gap();
        }
    }

    fn gap(&mut self) {
        if std::mem::take(&mut self.is_gap_due) && !self.lines.is_empty() {
            let blank = self.marks.iter().take(DEEPEST).map(|mark| mark.rest.clone()).collect();
            self.lines.push(blank);
        }
    }

    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        if line_width(&inline) == 0 {
            return;
        }
        let mut lines = wrap(&inline, self.room());
        while lines.last().is_some_and(|line| line_width(line) == 0) {
            lines.pop();
        }
        lines.into_iter().for_each(|line| self.line(line));
    }

    fn line(&mut self, mut line: Line) {
        let mut whole: Line = self
            .marks
            .iter_mut()
            .take(DEEPEST)
            .map(|m| m.first.take().unwrap_or_else(|| m.rest.clone()))
            .collect();
        whole.append(&mut line);
        self.lines.push(whole);
    }
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}
