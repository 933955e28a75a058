//! Markdown of any length, laid out block by block: the lines of a long text, and what the parser knows of it, take many
//! times the memory of the text.

use super::markdown::markdown_lines;
use super::options::RenderOptions;
use super::stream::MarkdownStream;
use super::style::Style;
use super::wrap::{LineSink, wrap_text};
use crate::clean::clean;

/// Longer texts are laid out in pieces of this size; of a longer block the text is shown as it was written, up to the end.
const MAX_PIECE_BYTES: usize = 128 * 1024;

/// Lays a text in Markdown out in the given columns, line by line. Links of a long text are not resolved by definitions that come
/// long after them.
pub(super) fn markdown_each(
    text: &str,
    columns: usize,
    options: &RenderOptions<'_>,
    each: &mut LineSink<'_>,
) {
    if text.len() <= MAX_PIECE_BYTES {
        return markdown_lines(text, columns, options).into_iter().for_each(each);
    }
    let text = clean(text);
    let mut rest = &*text;
    let mut stream = MarkdownStream::default();
    while rest.len() > MAX_PIECE_BYTES {
        let window = &rest[..rest.floor_char_boundary(MAX_PIECE_BYTES)];
        let lines = window.rfind('\n').map_or("", |newline| &window[..=newline]);
        let end = stream.complete_blocks(lines);
        if end == 0 || stream.is_heavy(MAX_PIECE_BYTES) {
            return rest.lines().for_each(|line| wrap_text(line, Style::PLAIN, columns, each));
        }
        stream.lay_out_cleaned(&rest[..end], columns, options).into_iter().for_each(&mut *each);
        rest = &rest[end..];
    }
    stream.lay_out_cleaned(rest, columns, options).into_iter().for_each(each);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::StyledLine;

    fn lines(text: &str) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        markdown_each(text, 80, &RenderOptions::plain(80), &mut |line| lines.push(line));
        lines
    }

    fn plain(lines: &[StyledLine]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|span| span.text.as_str()).collect()).collect()
    }

    #[test]
    fn a_long_text_is_laid_out_as_if_it_were_short() {
        let block =
            "# Head\n\nSome *words* and `code`.\n\n- one\n- two\n\n```rust\nfn a() {}\n```\n\n> quoted\n\n";
        let text = block.repeat(3 * MAX_PIECE_BYTES / block.len());
        let whole = markdown_lines(&text, 80, &RenderOptions::plain(80));
        assert!(lines(&text) == whole, "blocks are laid out alike");
    }

    #[test]
    fn a_block_without_end_is_shown_as_it_was_written() {
        let code = "let a = 1; // *no* emphasis\n".repeat(2 * MAX_PIECE_BYTES / 20);
        let text = format!("before\n\n```rust\n{code}```\n");
        let seen = plain(&lines(&text));
        let written = plain(&[markdown_lines("before", 80, &RenderOptions::plain(80))].concat());
        assert_eq!(seen[..1], written[..]);
        assert_eq!(seen.iter().filter(|line| line.contains("*no* emphasis")).count(), code.lines().count());
        let one_line = "word ".repeat(MAX_PIECE_BYTES);
        let words: usize = plain(&lines(&one_line)).iter().map(|line| line.split_whitespace().count()).sum();
        assert_eq!(words, MAX_PIECE_BYTES);
    }
}
