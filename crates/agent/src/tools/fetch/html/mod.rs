//! Converts HTML to Markdown: headings, paragraphs, lists, links, emphasis, images, tables, code.
//!
//! A page is hostile input, so no tree is built: nesting then costs neither stack nor time, and every tag is handled once.

mod blocks;
mod inline;
mod markdown;
#[cfg(test)]
mod tests;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};

use inline::Inline;
use markdown::MarkdownWriter;

/// The most bytes of Markdown that are made of a page: far more than a model is shown.
const MAX_MARKDOWN: usize = 4 << 20;
/// Elements without visible text.
const SKIPPED: [&str; 8] = ["script", "style", "noscript", "svg", "template", "iframe", "select", "noembed"];
/// The schemes of addresses that lead nowhere outside a browser.
const DEAD_SCHEMES: [&str; 3] = ["javascript:", "vbscript:", "data:"];

/// The text of a page as Markdown.
pub fn to_markdown(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut converter = Converter::default();
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => converter.start(&tag),
            Token::EndTag(tag) => converter.end(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => converter.text(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
        if converter.out.len() > MAX_MARKDOWN {
            break;
        }
    }
    converter.out.finish()
}

#[derive(Default)]
struct Converter {
    out: MarkdownWriter,
    /// The element whose content is being skipped, and how many of its name are open.
    skipped: Option<(&'static str, usize)>,
    title: Option<String>,
    row: TableRow,
}

/// The row of a table that is being read.
#[derive(Default)]
struct TableRow {
    cells: usize,
    header_cells: usize,
    /// Whether the table has its line between header and body.
    has_rule: bool,
}

impl Converter {
    fn text(&mut self, text: &str) {
        match &mut self.title {
            _ if self.skipped.is_some() => {}
            Some(title) => title.push_str(text),
            None => self.out.text(text),
        }
    }

    fn start(&mut self, tag: &StartTag<()>) {
        let name = String::from_utf8_lossy(&tag.name);
        let known = SKIPPED.into_iter().find(|skipped| *skipped == name);
        match (&mut self.skipped, known) {
            (Some((open, depth)), _) => *depth += usize::from(*open == name && !tag.self_closing),
            // A slash ends foreign elements only.
            (None, Some(_)) if tag.self_closing && name == "svg" => {}
            (None, Some(known)) => self.skipped = Some((known, 1)),
            (None, None) => self.open(&name, tag),
        }
    }

    fn end(&mut self, name: &str) {
        match &mut self.skipped {
            None => self.close(name),
            Some((open, depth)) if *open == name => {
                *depth -= 1;
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            Some(_) => {}
        }
    }

    fn open(&mut self, name: &str, tag: &StartTag<()>) {
        match name {
            "title" => self.title = Some(String::new()),
            "br" => self.out.line_break(),
            "hr" => self.out.rule(),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.out.paragraph();
                self.out.heading(usize::from(name.as_bytes()[1] - b'0'));
            }
            "ul" | "menu" => self.out.open_list(None),
            "ol" => self.out.open_list(Some(number(tag, "start").unwrap_or(1))),
            "li" => self.out.open_item(number(tag, "value")),
            "blockquote" => self.out.open_quote(),
            "pre" => self.out.open_pre(),
            "code" | "kbd" | "samp" | "tt" => {
                self.out.set_language(&attribute(tag, "class").unwrap_or_default());
                self.out.open_inline(Inline::Code);
            }
            "b" | "strong" => self.out.open_inline(Inline::Strong),
            "i" | "em" => self.out.open_inline(Inline::Emphasis),
            "a" => {
                // Links do not nest: one that was not closed ends here.
                self.out.close_link();
                if let Some(address) = attribute(tag, "href").and_then(|href| address(&href)) {
                    self.out.open_inline(Inline::Link(address));
                }
            }
            "img" => {
                let alt = attribute(tag, "alt").unwrap_or_default();
                let source = attribute(tag, "src").and_then(|src| address(&src)).unwrap_or_default();
                self.out.image(&alt, &source);
            }
            "table" => {
                self.end_row();
                self.row = TableRow::default();
                self.out.paragraph();
            }
            "tr" => self.end_row(),
            "td" | "th" => {
                self.row.cells += 1;
                self.row.header_cells += usize::from(name == "th");
            }
            _ => self.break_around(name),
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "title" => {
                let title = self.title.take().unwrap_or_default();
                self.out.title(&title);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.out.paragraph(),
            "ul" | "ol" | "menu" => self.out.close_list(),
            "li" => self.out.line_break(),
            "blockquote" => self.out.close_quote(),
            "pre" => self.out.close_pre(),
            "code" | "kbd" | "samp" | "tt" => self.out.close_inline(&Inline::Code),
            "b" | "strong" => self.out.close_inline(&Inline::Strong),
            "i" | "em" => self.out.close_inline(&Inline::Emphasis),
            "a" => self.out.close_link(),
            "td" | "th" => self.out.cell_end(),
            "tr" => self.end_row(),
            "table" => {
                self.end_row();
                self.out.paragraph();
            }
            _ => self.break_around(name),
        }
    }

    fn end_row(&mut self) {
        let TableRow { cells, header_cells, has_rule } = self.row;
        self.out.line_break();
        if cells > 0 && cells == header_cells && !has_rule {
            self.out.table_rule(cells);
            self.row.has_rule = true;
        }
        (self.row.cells, self.row.header_cells) = (0, 0);
    }

    /// Elements that have lines for themselves and no marks.
    fn break_around(&mut self, name: &str) {
        match name {
            "dt" | "dd" | "option" | "summary" | "caption" => self.out.line_break(),
            "p" | "div" | "section" | "article" | "header" | "footer" | "main" | "nav" | "aside" | "dl"
            | "figure" | "figcaption" | "form" | "fieldset" | "body" | "html" | "head" | "details"
            | "address" => {
                self.out.paragraph();
            }
            _ => {}
        }
    }
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    tag.attributes.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
}

fn number(tag: &StartTag<()>, name: &str) -> Option<u32> {
    attribute(tag, name)?.trim().parse().ok()
}

/// Formats an address for Markdown; `None` if it has no target.
fn address(text: &str) -> Option<String> {
    // Browsers remove control characters anywhere.
    let text: String = text.trim().chars().filter(|letter| !letter.is_control()).collect();
    let is_dead = DEAD_SCHEMES
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    if text.is_empty() || text.starts_with('#') || is_dead {
        return None;
    }
    Some(text.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
}
