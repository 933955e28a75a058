//! Markdown of a transcript inside a page of our own: it is rendered as its author wrote it, and cannot reach beyond its
//! place.
//!
//! The text is parsed as readers parse it, with and without the extensions of GitHub. Tags, images and entities that
//! stand for hidden characters are escaped until no parser finds one, and what could swallow the rest of the page is
//! closed. A text that cannot be contained is shown in a fence, as it was written.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::text::{fenced, plain, quoted};
use crate::clean::is_hostile;

/// How often a text is escaped: what is escaped can bring other things to light.
const MAX_ROUNDS: usize = 8;

/// Longer texts are shown in a fence: what a parser of Markdown keeps of a text is many times its size, and nobody reads a
/// page of this length.
pub(super) const MAX_PARSED_BYTES: usize = 4 * 1024 * 1024;

/// The ways in which readers parse.
fn dialects() -> [Options; 2] {
    let github = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM;
    [Options::empty(), github]
}

/// Returns a text in Markdown that can be followed by anything. Its headings are below those of this level.
pub(super) fn contained(text: &str, level: usize) -> String {
    if text.len() > MAX_PARSED_BYTES {
        return fenced(text, "");
    }
    let text = plain(text.trim_matches('\n'));
    let mut safe = text.clone().into_owned();
    for _ in 0..MAX_ROUNDS {
        let edits = escapes(&safe);
        if edits.is_empty() {
            let safe = demoted(&safe, level);
            let closed = with_fence_closed(&safe).filter(|closed| is_contained(closed, level));
            return closed.unwrap_or_else(|| fenced(&text, ""));
        }
        safe = edited(&safe, edits);
    }
    fenced(&text, "")
}

/// Returns a contained text as a quotation.
pub(super) fn contained_quote(text: &str, level: usize) -> String {
    let quote = quoted(contained(text, level).trim_matches('\n'));
    // A tab after the mark is narrower than one at the start of a line: code can become text.
    if text.len() > MAX_PARSED_BYTES || is_contained(&quote, level) {
        quote
    } else {
        quoted(fenced(text, "").trim_matches('\n'))
    }
}

/// A change of a text: what to insert where, and how many bytes go.
struct TextEdit {
    at: usize,
    removed: usize,
    inserted: String,
}

impl TextEdit {
    fn insert(at: usize, inserted: &str) -> Self {
        Self { at, removed: 0, inserted: inserted.to_owned() }
    }
}

fn edited(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|edit| edit.at);
    edits.dedup_by_key(|edit| edit.at);
    let mut out = String::with_capacity(text.len() + edits.len());
    let mut from = 0;
    for edit in edits {
        out.push_str(&text[from..edit.at]);
        out.push_str(&edit.inserted);
        from = edit.at + edit.removed;
    }
    out + &text[from..]
}

/// Returns the backslashes that a text needs.
fn escapes(text: &str) -> Vec<TextEdit> {
    let (mut edits, mut blocks) = (Vec::new(), Vec::new());
    let mut code: Vec<Vec<Range<usize>>> = Vec::new();
    for options in dialects() {
        let mut ranges = Vec::new();
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => ranges.push(range),
                Event::Html(_) => {
                    let line = text[range.clone()].trim_start();
                    if line.strip_prefix('<').is_some_and(opens_tag) {
                        blocks.push(TextEdit::insert(range.end - line.len(), "\\"));
                    }
                }
                // A picture is fetched from where the text says; a link waits for the reader.
                Event::Start(Tag::Image { .. }) => edits.push(TextEdit::insert(range.start, "\\")),
                Event::Start(Tag::Link { dest_url, title, .. })
                    if dest_url.chars().chain(title.chars()).any(is_hostile) =>
                {
                    edits.push(TextEdit::insert(range.start, "\\"));
                }
                Event::Text(words) if words.chars().any(is_hostile) && *words != text[range.clone()] => {
                    edits.push(TextEdit::insert(range.start, "\\"));
                }
                _ => {}
            }
        }
        code.push(ranges);
    }
    // Once a block of tags is text, it may have code in it that needs no escapes.
    if blocks.is_empty() {
        blocks = tags(text, &code);
    }
    edits.append(&mut blocks);
    edits
}

/// Returns an escape for each tag that is not code in every dialect.
fn tags(text: &str, code: &[Vec<Range<usize>>]) -> Vec<TextEdit> {
    // The ranges are in order, and so are the tags.
    let mut next = vec![0; code.len()];
    let mut edits = Vec::new();
    for (at, _) in text.match_indices('<') {
        let mut is_code = code.iter().zip(&mut next).map(|(ranges, next)| {
            while ranges.get(*next).is_some_and(|range| range.end <= at) {
                *next += 1;
            }
            ranges.get(*next).is_some_and(|range| range.start <= at)
        });
        let backslashes = text[..at].len() - text[..at].trim_end_matches('\\').len();
        if !is_code.all(|is_code| is_code) && backslashes.is_multiple_of(2) && opens_tag(&text[at + 1..]) {
            edits.push(TextEdit::insert(at, "\\"));
        }
    }
    edits
}

/// Returns whether this can follow the bracket of a tag, a comment or a declaration. An address in brackets is none.
fn opens_tag(rest: &str) -> bool {
    let is_address = rest.starts_with("http://") || rest.starts_with("https://");
    let end = rest.find(|letter: char| letter == '<' || letter == '>' || letter.is_whitespace());
    if is_address && end.is_some_and(|end| rest[end..].starts_with('>')) {
        return false;
    }
    rest.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '/' | '!' | '?'))
}

/// Moves headings below the level of the page.
fn demoted(text: &str, level: usize) -> String {
    let [_, github] = dialects();
    let mut edits = Vec::new();
    for (event, range) in Parser::new_ext(text, github).into_offset_iter() {
        let Event::Start(Tag::Heading { level: own, .. }) = event else { continue };
        let heading = text[range.clone()].trim_end();
        let deeper = (own as usize + level).min(HeadingLevel::H6 as usize);
        if !heading.contains('\n') {
            edits.push(TextEdit::insert(range.start, &"#".repeat(deeper - own as usize)));
            continue;
        }
        // Underlined: of one line, a heading with marks; of several, which have none, a paragraph.
        let underline = heading.len() - heading.trim_end_matches(['=', '-']).len();
        let at = range.start + heading.len() - underline;
        if heading.trim_start().lines().count() == 2 {
            edits.push(TextEdit::insert(range.start, &format!("{} ", "#".repeat(deeper))));
            edits.push(TextEdit { at, removed: underline, inserted: String::new() });
        } else {
            edits.push(TextEdit::insert(at, "\\"));
        }
    }
    edited(text, edits)
}

/// Returns the text with its last fence closed, if that is all that it leaves open.
fn with_fence_closed(text: &str) -> Option<String> {
    let whole = format!("{}\n", text.trim_end_matches('\n'));
    if dialects().into_iter().all(|options| leaves_nothing_open(&whole, options)) {
        return Some(whole);
    }
    let blocks = Parser::new(&whole).into_offset_iter();
    let last = blocks.filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_)))).last();
    let opening = whole[last?.1.start..].trim_start();
    let mark = opening.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = opening.len() - opening.trim_start_matches(mark).len();
    let closed = format!("{whole}{}\n", mark.to_string().repeat(length));
    dialects().into_iter().all(|options| leaves_nothing_open(&closed, options)).then_some(closed)
}

/// Returns whether a paragraph after the text would be one.
fn leaves_nothing_open(text: &str, options: Options) -> bool {
    let page = format!("{text}\nafter\n");
    let after = page.len() - "after\n".len();
    let (mut depth, mut is_paragraph) = (0, false);
    for (event, range) in Parser::new_ext(&page, options).into_offset_iter() {
        if depth == 0 && range.start == after {
            is_paragraph |= event == Event::Start(Tag::Paragraph);
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    is_paragraph
}

/// Returns whether a text has no tag, no picture and no heading of the page for any reader, and leaves nothing open.
fn is_contained(text: &str, level: usize) -> bool {
    let is_foreign = |event: &Event<'_>| match event {
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock | Tag::Image { .. }) => true,
        Event::End(TagEnd::Heading(own)) => *own as usize <= level && *own != HeadingLevel::H6,
        _ => false,
    };
    let has_none = |options: Options| !Parser::new_ext(text, options).any(|event| is_foreign(&event));
    dialects().into_iter().all(|options| has_none(options) && leaves_nothing_open(text, options))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fences_are_closed_where_they_are_open() {
        let cases = [
            ("x\n```rust\nfn", "x\n```rust\nfn\n```\n"),
            ("~~~~\n```\n~~~~\nend", "~~~~\n```\n~~~~\nend\n"),
            // Code by indentation, and fences that end with their quotation or list.
            ("    ```\nx", "    ```\nx\n"),
            ("> ```\n> x", "> ```\n> x\n"),
            ("- a\n  ```\n  x", "- a\n  ```\n  x\n"),
            ("   ````\nx\n```", "   ````\nx\n```\n````\n"),
            ("`open", "`open\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(contained(text, 2), expected, "{text:?}");
        }
    }

    #[test]
    fn tags_pictures_and_entities_are_shown_not_obeyed() {
        let cases = [
            ("</details> `<b>` a < b", "\\</details> `<b>` a < b\n"),
            ("<!-- hidden", "\\<!-- hidden\n"),
            ("<style>\n<plaintext>", "\\<style>\n\\<plaintext>\n"),
            ("a <img src=http://x> b", "a \\<img src=http://x> b\n"),
            ("``a ` <b> ``", "``a ` <b> ``\n"),
            ("`open <b>", "`open \\<b>\n"),
            ("\\\\<b> \\<b>", "\\\\\\<b> \\<b>\n"),
            ("![pixel](http://x/y.png)", "\\![pixel](http://x/y.png)\n"),
            ("see <https://a.b/c?d=e>", "see <https://a.b/c?d=e>\n"),
            ("a &#x202e;b &lt; &#27;", "a \\&#x202e;b &lt; \\&#27;\n"),
            ("```\n<b>\n```", "```\n<b>\n```\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(contained(text, 2), expected, "{text:?}");
        }
        assert_eq!(contained_quote("<b>\n\nx", 2), "> \\<b>\n>\n> x\n");
        assert_eq!(contained_quote("\tcode <b>", 2), "> ```\n> \tcode <b>\n> ```\n");
    }

    #[test]
    fn headings_stay_below_those_of_the_page() {
        let cases = [
            ("# a\n\n## You, today", "### a\n\n#### You, today\n"),
            ("a\n===\n\nb\n---\nc", "### a\n\n\n#### b\n\nc\n"),
            ("two\nlines\n---", "two\nlines\n\\---\n"),
            ("##### e", "###### e\n"),
            ("> # q", "> ### q\n"),
        ];
        for (text, expected) in cases {
            assert_eq!(contained(text, 2), expected, "{text:?}");
        }
    }

    fn markup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "(<|</|<!--|-->|<style>|<b |<img src=x>|<\\?|<!\\[CDATA\\[|<details>|<http://a>|>)",
            "(`|``|```|~~~|````|~~~~|    |\t|> |- |1\\. |\\\\|\n|\n\n|\n|\n)",
            "(#|## |===|---|\\||\\|-\\||\\[|\\]|\\(|\\)|!\\[|\\]\\(u\\)|\\[a\\]: |&#x202e;|&rlm;|\\*|_|x| y )",
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_markup_is_contained(text in markup()) {
            let placed = contained(&text, 2);
            prop_assert!(is_contained(&placed, 2), "{}", placed);
            let quote = contained_quote(&text, 2);
            prop_assert!(is_contained(&quote, 2), "{}", quote);
        }
    }
}
