//! Markdown as HTML, from the events of its parser: raw HTML is text, images are links, and links go to the web only.

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Tag, TagEnd};

use super::code::code_block;
use super::escape::escape;
use super::link;
use crate::terminal::markdown_parser;

/// Longer texts are shown as they are: what a parser of Markdown keeps of a text is many times its size.
const MAX_PARSED_BYTES: usize = 4 * 1024 * 1024;

/// Elements within each other: a thousand quotations look like these.
const MAX_DEPTH: usize = 24;

/// Headings of a text are below those of the page.
const TOP_LEVEL: usize = 3;

/// Writes a text in Markdown. Its headings begin at `<h3>`.
///
/// ```
/// let mut out = String::new();
/// annals_ui::html::markdown("**b** [x](javascript:alert) <i>", &mut out);
/// assert_eq!(out, "<p><b>b</b> x (javascript:alert) &lt;i>");
/// ```
pub fn markdown(text: &str, out: &mut String) {
    if text.len() > MAX_PARSED_BYTES {
        out.push_str("<pre>");
        escape(text, out);
        return out.push_str("</pre>");
    }
    let mut writer = MarkdownHtml {
        out,
        open: Vec::new(),
        links: Vec::new(),
        code: None,
        columns: Vec::new(),
        column: 0,
        is_head: false,
    };
    markdown_parser(text).for_each(|event| writer.event(event));
    while writer.open.pop().is_some_and(|end| {
        writer.out.push_str(end);
        true
    }) {}
}

/// Writes events.
struct MarkdownHtml<'o, 'e> {
    out: &'o mut String,
    /// The end tags of what is open; empty for what has none.
    open: Vec<&'static str>,
    /// The addresses that are shown after their words, because they cannot be followed.
    links: Vec<Option<CowStr<'e>>>,
    /// The language and text of a block of code.
    code: Option<(CowStr<'e>, String)>,
    columns: Vec<Alignment>,
    column: usize,
    is_head: bool,
}

impl<'e> MarkdownHtml<'_, 'e> {
    fn event(&mut self, event: Event<'e>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => escape(&text, self.out),
            },
            Event::Code(code) => {
                self.out.push_str("<code>");
                escape(&code, self.out);
                self.out.push_str("</code>");
            }
            Event::SoftBreak => self.out.push('\n'),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(is_done) => self.out.push_str(if is_done { "☑ " } else { "☐ " }),
            Event::Html(text) | Event::InlineHtml(text) => escape(&text, self.out),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                escape(&text, self.out)
            }
        }
    }

    fn start(&mut self, tag: Tag<'e>) {
        let (begin, end) = match tag {
            Tag::Paragraph | Tag::HtmlBlock => ("<p>", ""),
            Tag::Heading { level, .. } => heading(level as usize),
            Tag::BlockQuote(_) => ("<blockquote>", "</blockquote>"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language,
                    CodeBlockKind::Indented => CowStr::Borrowed(""),
                };
                self.code = Some((language, String::new()));
                return self.open.push("");
            }
            Tag::List(None) => ("<ul>", "</ul>"),
            Tag::List(Some(first)) => {
                if self.open.len() < MAX_DEPTH && first != 1 {
                    self.out.push_str(&format!("<ol start={first}>"));
                    return self.open.push("</ol>");
                }
                ("<ol>", "</ol>")
            }
            Tag::Item => ("<li>", ""),
            Tag::Emphasis => ("<i>", "</i>"),
            Tag::Strong => ("<b>", "</b>"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let is_open = link::open(&dest_url, self.out);
                self.links.push((!is_open).then_some(dest_url));
                return self.open.push(if is_open { "</a>" } else { "" });
            }
            Tag::Table(columns) => {
                self.columns = columns;
                ("<table>", "</table>")
            }
            Tag::TableHead => {
                (self.is_head, self.column) = (true, 0);
                ("<tr>", "")
            }
            Tag::TableRow => {
                self.column = 0;
                ("<tr>", "")
            }
            Tag::TableCell => {
                let class = match self.columns.get(self.column) {
                    Some(Alignment::Right) => " class=right",
                    Some(Alignment::Center) => " class=center",
                    _ => "",
                };
                self.column += 1;
                self.out.push_str(if self.is_head { "<th" } else { "<td" });
                self.out.push_str(class);
                (">", "")
            }
            _ => ("", ""),
        };
        let is_shown = self.open.len() < MAX_DEPTH || begin == ">";
        self.out.push_str(if is_shown { begin } else { "" });
        self.open.push(if is_shown { end } else { "" });
    }

    fn end(&mut self, tag: TagEnd) {
        if let (TagEnd::CodeBlock, Some((language, code))) = (tag, self.code.take()) {
            code_block(&code, &language, self.out);
        }
        if tag == TagEnd::TableHead {
            self.is_head = false;
        }
        if matches!(tag, TagEnd::Link | TagEnd::Image)
            && let Some(Some(address)) = self.links.pop()
            && !address.is_empty()
        {
            self.out.push_str(" (");
            escape(&address, self.out);
            self.out.push(')');
        }
        self.out.push_str(self.open.pop().unwrap_or_default());
    }
}

fn heading(level: usize) -> (&'static str, &'static str) {
    match level - 1 + TOP_LEVEL {
        3 => ("<h3>", "</h3>"),
        4 => ("<h4>", "</h4>"),
        5 => ("<h5>", "</h5>"),
        _ => ("<h6>", "</h6>"),
    }
}
