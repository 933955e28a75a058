//! Text in its place: fences that hold, quotations, code spans, words, addresses.

use std::borrow::Cow;

use crate::clean::{LineBreaks, clean_as};

/// Harmless text, tabs kept.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    clean_as(text, LineBreaks::Document)
}

/// A block of code in a fence that nothing inside can close.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let text = plain(text.trim_matches('\n'));
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

/// A span of code on one line.
pub(super) fn code(text: &str) -> String {
    let text = plain(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return String::new();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{space}{text}{space}{ticks}")
}

pub(super) fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Prefixes each line with `> `.
pub(super) fn quoted(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
    text.lines().map(line).collect()
}

/// A line of words in which nothing is markup.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in plain(text).chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '~' => {
                out.extend(['\\', character])
            }
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// An address that can be followed, and cannot end its brackets; anything else is code.
pub(super) fn address(url: &str) -> String {
    let clean = plain(url);
    if clean.starts_with("http://") || clean.starts_with("https://") {
        let rest: String =
            clean.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '<' | '>')).collect();
        return format!("<{rest}>");
    }
    code(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_its_place() {
        assert_eq!(fenced("a\n```\nb", "sh"), "````sh\na\n```\nb\n````\n");
        assert_eq!(code("a `b`"), "`` a `b` ``");
        assert_eq!(code("ls\n-l"), "`ls -l`");
        assert_eq!(quoted("a\n\nb"), "> a\n>\n> b\n");
        assert_eq!(escaped("a*b\n<c> &rlm; ~~~"), "a\\*b \\<c\\> \\&rlm; \\~\\~\\~");
        assert_eq!(address("https://a.b/<c> d"), "<https://a.b/cd>");
        assert_eq!(address("plaintext"), "`plaintext`");
        assert_eq!(plain("\u{1b}[31mred\t"), "red\t");
    }
}
