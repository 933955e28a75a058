//! Code with its line numbers, and changes, unified or side by side.
//!
//! The numbers of a text are one column beside it, and lines that changed together are one element. Side by side, what
//! went stands left of what came; what stayed is written once, across both.

use crate::figures::{line_count, push_number};
use crate::highlight::{Language, TokenKind, spans};
use crate::view::{Diff, DiffLine, DiffSign, FileExcerpt, Hunk};

use super::escape::escape;

/// Longer texts are not highlighted: nobody reads them, and the page would be much larger.
const MAX_HIGHLIGHTED: usize = 256 * 1024;

/// Writes a block of code in the language of its fence.
pub(super) fn code_block(text: &str, fence: &str, out: &mut String) {
    out.push_str("<pre class=code>");
    // The parser of HTML drops a line break right after the tag.
    out.push_str(if text.starts_with('\n') { "\n" } else { "" });
    highlighted(text.strip_suffix('\n').unwrap_or(text), Language::by_name(fence), out);
    out.push_str("</pre>");
}

/// Writes a text with the tokens of its language marked.
pub(super) fn highlighted(text: &str, language: Option<&'static Language>, out: &mut String) {
    let Some(language) = language.filter(|_| text.len() <= MAX_HIGHLIGHTED) else { return escape(text, out) };
    for span in spans(text, language) {
        let (begin, end) = tags(span.kind);
        out.push_str(begin);
        escape(span.text, out);
        out.push_str(end);
    }
}

/// The shortest elements that exist: a page has more tokens than anything else.
fn tags(kind: TokenKind) -> (&'static str, &'static str) {
    match kind {
        TokenKind::Plain => ("", ""),
        TokenKind::Keyword => ("<b>", "</b>"),
        TokenKind::Comment => ("<i>", "</i>"),
        TokenKind::String => ("<q>", "</q>"),
        TokenKind::Number => ("<em>", "</em>"),
        TokenKind::Type => ("<u>", "</u>"),
        TokenKind::Name => ("<var>", "</var>"),
        TokenKind::Added => ("<ins>", "</ins>"),
        TokenKind::Removed => ("<del>", "</del>"),
    }
}

/// Writes a file, or a part of one, with the numbers of its lines.
pub(super) fn file(excerpt: &FileExcerpt, out: &mut String) {
    let text = excerpt.text.strip_suffix('\n').unwrap_or(&excerpt.text);
    out.push_str("<div class=file tabindex=0><pre>");
    for at in 0..line_count(text).max(1) as u64 {
        push_number(excerpt.start_line.saturating_add(at), out);
        out.push('\n');
    }
    out.push_str("</pre><pre>");
    out.push_str(if text.starts_with(['\n', '\r']) { "\n" } else { "" });
    highlighted(text, Language::by_path(&excerpt.path), out);
    out.push_str("</pre></div>");
}

/// Writes a change.
pub(super) fn diff(diff: &Diff, out: &mut String) {
    let language = Language::by_path(&diff.path);
    out.push_str("<div class=diff tabindex=0>");
    for (at, hunk) in diff.hunks.iter().enumerate() {
        if at > 0 {
            out.push_str("<hr>");
        }
        hunk_lines(hunk, language, out);
    }
    out.push_str("</div>");
}

fn hunk_lines(hunk: &Hunk, language: Option<&'static Language>, out: &mut String) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    for run in hunk.lines.chunk_by(|a, b| a.sign == b.sign) {
        let (element, sign, number) = match run[0].sign {
            DiffSign::Kept => ("div", ' ', &mut new),
            DiffSign::Added => ("ins", '+', &mut new),
            DiffSign::Removed => ("del", '-', &mut old),
        };
        for tag in ["<", element, "><pre>"] {
            out.push_str(tag);
        }
        for _ in run {
            if let Some(number) = number {
                push_number(*number, out);
                *number = number.saturating_add(1);
            }
            out.push(sign);
            out.push('\n');
        }
        if run[0].sign == DiffSign::Kept {
            old = old.map(|number| number.saturating_add(run.len() as u64));
        }
        out.push_str("</pre><pre>");
        run_text(run, language, out);
        for tag in ["</pre></", element, ">"] {
            out.push_str(tag);
        }
    }
}

fn run_text(run: &[DiffLine], language: Option<&'static Language>, out: &mut String) {
    let lines: Vec<&str> = run.iter().map(|line| line.text.as_str()).collect();
    out.push_str(if lines[0].is_empty() { "\n" } else { "" });
    highlighted(&lines.join("\n"), language, out);
}
