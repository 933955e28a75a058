//! Writes a text in a fence piece by piece: a text may be hundreds of megabytes long.

use super::items::MarkdownWriter;
use super::text::{longest_run, plain};

/// How long a piece of a text is, about.
const PIECE_BYTES: usize = 256 * 1024;

impl MarkdownWriter<'_> {
    /// Writes a block of code in a fence that nothing inside can close; `mark` stands before each line.
    pub(super) fn fence(&mut self, text: &str, language: &str, mark: &str) {
        let text = text.trim_matches('\n');
        let longest = pieces(text).map(|piece| longest_run(&plain(piece))).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        self.gap();
        self.push(mark);
        self.push(&fence);
        self.push(language);
        self.push("\n");
        let mut is_line_start = true;
        // White space at the end of the text is left out.
        let mut space = String::new();
        for piece in pieces(text) {
            let piece = plain(piece);
            let body = piece.trim_end();
            if !body.is_empty() {
                is_line_start = self.push_marked(&std::mem::take(&mut space), mark, is_line_start);
                is_line_start = self.push_marked(body, mark, is_line_start);
            }
            space.push_str(&piece[body.len()..]);
            self.hand_on();
        }
        if is_line_start {
            self.push(mark.trim_end());
        }
        for part in ["\n", mark, &fence, "\n"] {
            self.push(part);
        }
    }

    /// Appends a part of a text, with the mark before each line; returns whether a line starts behind it.
    fn push_marked(&mut self, text: &str, mark: &str, mut is_line_start: bool) -> bool {
        for line in text.split_inclusive('\n') {
            if is_line_start {
                self.push(if line == "\n" { mark.trim_end() } else { mark });
            }
            self.push(line);
            is_line_start = line.ends_with('\n');
        }
        is_line_start
    }
}

/// Cuts a text where its pieces can be cleaned and measured each by itself: after a line, or within a word of a long line.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(cut(rest, PIECE_BYTES));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The last place for a cut up to a length, else the first one behind it.
pub(super) fn cut(text: &str, length: usize) -> usize {
    let bytes = text.as_bytes();
    let Some((near, far)) = bytes.split_at_checked(length) else { return text.len() };
    let is_in_word = |at: usize| bytes[at - 1].is_ascii_lowercase() && bytes[at].is_ascii_lowercase();
    if let Some(line) = near.iter().rposition(|byte| *byte == b'\n') {
        return line + 1;
    }
    (1..near.len())
        .rev()
        .find(|at| is_in_word(*at))
        .or_else(|| (near.len().max(1)..bytes.len()).find(|at| bytes[at - 1] == b'\n' || is_in_word(*at)))
        .unwrap_or(near.len() + far.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::text::{fenced, quoted};

    fn written(text: &str, language: &str, mark: &str) -> String {
        let mut page = String::new();
        let mut each = |piece: crate::TerminalText| page.push_str(piece.as_str());
        let mut writer = MarkdownWriter::new(&mut each);
        writer.fence(text, language, mark);
        writer.finish();
        page
    }

    #[test]
    fn a_long_text_is_fenced_like_a_short_one() {
        let lines = "a line\n\n  of ``` ticks\u{1b}[1m ``` here \r\n\t`````x`````  \n".repeat(9_000);
        let one_line = "words without ```` an end\u{200b}, ".repeat(20_000);
        let ticks = "`".repeat(PIECE_BYTES * 2);
        for text in ["", "x", "\n\n a \n\n", "a\n   \n\n\n", &lines, &one_line, &ticks] {
            let expected = fenced(text, "sh");
            assert_eq!(written(text, "sh", ""), expected);
            let quote = quoted(expected.trim_matches('\n'));
            assert_eq!(written(text, "sh", "> "), quote);
        }
    }
}
