//! Markdown as lines of a page.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::code::code_lines;
use super::color::Color;
use super::options::{ColorMode, RenderOptions};
use super::style::{Span, Style, StyledLine, line_width, width};
use super::table::Table;
use super::wrap::wrap;
use crate::clean::clean;

/// Lays a text in Markdown out in the given columns.
pub(super) fn markdown_lines(text: &str, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let text = clean(text);
    let mut layout = MarkdownLayout::new(columns, options, BlockGap::default());
    parser(&text).for_each(|event| layout.event(event));
    layout.finish().0
}

/// Returns the parser of all our texts, without strikethrough: a tilde in these texts means "about".
pub(crate) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS)
}

/// The state between two blocks of one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockGap {
    /// Whether a blank line belongs before the next block.
    is_due: bool,
    /// Whether there are lines above.
    has_lines: bool,
}

/// Marks that a line may have: a thousand quotations within each other look like these.
const MAX_DEPTH: usize = 16;

/// The prefix of the lines of a list item or a quotation.
struct Prefix {
    first: Option<Span>,
    rest: Span,
}

/// Lays out the events of a parser.
pub(super) struct MarkdownLayout<'l, 'z> {
    options: &'l RenderOptions<'z>,
    columns: usize,
    lines: Vec<StyledLine>,
    marks: Vec<Prefix>,
    inline: StyledLine,
    styles: Vec<Style>,
    links: Vec<(String, usize)>,
    lists: Vec<Option<u64>>,
    table: Option<Table>,
    code: Option<(String, String)>,
    gap: BlockGap,
}

impl<'l, 'z> MarkdownLayout<'l, 'z> {
    /// Continues below earlier blocks.
    pub(super) fn new(columns: usize, options: &'l RenderOptions<'z>, gap: BlockGap) -> Self {
        Self {
            options,
            columns,
            lines: Vec::new(),
            marks: Vec::new(),
            inline: StyledLine::new(),
            styles: vec![Style::PLAIN],
            links: Vec::new(),
            lists: Vec::new(),
            table: None,
            code: None,
            gap,
        }
    }

    /// Returns the lines, and the state for the next block.
    pub(super) fn finish(mut self) -> (Vec<StyledLine>, BlockGap) {
        self.flush();
        let has_lines = self.gap.has_lines || !self.lines.is_empty();
        (self.lines, BlockGap { has_lines, ..self.gap })
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(Style::PLAIN)
    }

    /// Adds a text; entities may stand for what was not in the source.
    fn text(&mut self, text: &str, style: Style) {
        self.inline.push(Span::new(clean(text), style));
    }

    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(code) => {
                let style = Style { color: Some(Color::Cyan), ..self.style() };
                match self.options.color {
                    ColorMode::Plain => self.text(&format!("`{code}`"), style),
                    _ => self.text(&code, style),
                }
            }
            Event::Html(html) | Event::InlineHtml(html) => self.text(&html, Style::DIM),
            Event::SoftBreak | Event::HardBreak => {
                self.text(if self.table.is_some() { " " } else { "\n" }, Style::PLAIN)
            }
            Event::Rule => {
                self.block();
                let rule = self.options.glyphs().rule.repeat(self.columns_left().min(40));
                self.line(vec![Span::dim(rule)]);
                self.gap.is_due = true;
            }
            Event::TaskListMarker(is_done) => {
                let todo = self.options.glyphs().todo;
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
                let style = Style { bold: true, color: Some(Color::Blue), ..Style::PLAIN };
                self.text(&format!("{} ", "#".repeat(depth(level))), Style { bold: false, ..style });
                self.styles.push(style);
            }
            Tag::BlockQuote(_) => {
                self.block();
                let quote = Span::dim(self.options.glyphs().quote);
                self.marks.push(Prefix { first: None, rest: quote });
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
                    self.gap.is_due = false;
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
        self.blank_line();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => self.options.glyphs().bullet.to_owned(),
        };
        let rest = Span::plain(" ".repeat(width(&mark)));
        self.marks.push(Prefix { first: Some(Span::dim(mark)), rest });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => {
                self.flush();
                self.gap.is_due = true;
            }
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.flush();
                self.gap.is_due = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.marks.pop();
                self.gap.is_due = true;
            }
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.frame(&language, &code);
                }
                self.gap.is_due = true;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.gap.is_due |= self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                // An item without a word still has its mark.
                if self.marks.last().is_some_and(|mark| mark.first.is_some()) {
                    self.line(StyledLine::new());
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
                    let lines = table.lines(self.columns_left(), self.options.glyphs());
                    lines.into_iter().for_each(|line| self.line(line));
                }
                self.gap.is_due = true;
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
        let [top, side, bottom] = self.options.glyphs().frame;
        let rule = self.options.glyphs().rule;
        let room = self.columns_left();
        let longest = code.lines().map(width).max().unwrap_or(0).max(width(language) + 4);
        let long = (longest + 2).clamp(8, room.max(8));
        let label = if language.is_empty() { String::new() } else { format!(" {language} ") };
        let left = long.saturating_sub(width(top) + width(&label));
        self.line(vec![Span::dim(top), Span::dim(label), Span::dim(rule.repeat(left))]);
        for mut line in code_lines(code, language, room.saturating_sub(width(side)).max(1)) {
            line.insert(0, Span::dim(side));
            self.line(line);
        }
        self.line(vec![Span::dim(bottom), Span::dim(rule.repeat(long.saturating_sub(width(bottom))))]);
    }

    /// The columns left after the marks.
    fn columns_left(&self) -> usize {
        let marks: usize = self.marks.iter().take(MAX_DEPTH).map(|mark| width(&mark.rest.text)).sum();
        self.columns.saturating_sub(marks).max(8)
    }

    /// A new block starts.
    fn block(&mut self) {
        self.flush();
        // The first block of an item is on the line of its mark.
        if self.marks.last().is_none_or(|mark| mark.first.is_none()) {
            self.blank_line();
        }
    }

    fn blank_line(&mut self) {
        if std::mem::take(&mut self.gap.is_due) && (self.gap.has_lines || !self.lines.is_empty()) {
            let blank = self.marks.iter().take(MAX_DEPTH).map(|mark| mark.rest.clone()).collect();
            self.lines.push(blank);
        }
    }

    fn flush(&mut self) {
        let inline = std::mem::take(&mut self.inline);
        if line_width(&inline) == 0 {
            return;
        }
        let mut lines = wrap(&inline, self.columns_left());
        while lines.last().is_some_and(|line| line_width(line) == 0) {
            lines.pop();
        }
        lines.into_iter().for_each(|line| self.line(line));
    }

    fn line(&mut self, mut line: StyledLine) {
        let mut whole: StyledLine = self
            .marks
            .iter_mut()
            .take(MAX_DEPTH)
            .map(|m| m.first.take().unwrap_or_else(|| m.rest.clone()))
            .collect();
        whole.append(&mut line);
        self.lines.push(whole);
    }
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}
