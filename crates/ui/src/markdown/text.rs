//! Text in its place: fences that hold, quotations, code spans, details.

use std::borrow::Cow;

use crate::clean::{Tabs, harmless};

/// Harmless text, tabs kept.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    harmless(text, Tabs::Kept)
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

fn longest_run(text: &str) -> usize {
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
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' => out.extend(['\\', character]),
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// A text in Markdown that leaves no fence open. With `Tags::Escaped`, tags outside of code are shown, not obeyed.
pub(super) fn closed(text: &str, tags: Tags) -> String {
    let text = plain(text.trim_matches('\n'));
    let mut open: Option<(char, usize)> = None;
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.lines() {
        let mark = fence(line);
        match (open, mark) {
            (None, Some((character, length, _))) => open = Some((character, length)),
            (Some(opened), Some((character, length, true)))
                if character == opened.0 && length >= opened.1 =>
            {
                open = None
            }
            _ => {}
        }
        if tags == Tags::Escaped && open.is_none() && mark.is_none() {
            escape_tags(line, &mut out);
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    if let Some((character, length)) = open {
        out.extend(std::iter::repeat_n(character, length));
        out.push('\n');
    }
    out
}

/// What becomes of tags in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tags {
    /// They are obeyed, as the author meant them.
    Kept,
    /// They are shown.
    Escaped,
}

/// The fence that a line is: its character, its length, and whether it can close one.
fn fence(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start_matches([' ', '>']);
    let character = line.chars().next().filter(|character| matches!(character, '`' | '~'))?;
    let rest = line.trim_start_matches(character);
    let length = line.len() - rest.len();
    (length >= 3 && !(character == '`' && rest.contains('`')))
        .then(|| (character, length, rest.trim().is_empty()))
}

fn escape_tags(line: &str, out: &mut String) {
    let mut in_code = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        in_code ^= character == '`';
        let opens = characters
            .peek()
            .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'));
        if character == '<' && opens && !in_code {
            out.push('\\');
        }
        out.push(character);
    }
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
        assert_eq!(closed("x\n```rust\nfn", Tags::Kept), "x\n```rust\nfn\n```\n");
        assert_eq!(closed("~~~~\n```\n~~~~\nend", Tags::Kept), "~~~~\n```\n~~~~\nend\n");
        assert_eq!(closed("</details> `<b>` a < b", Tags::Escaped), "\\</details> `<b>` a < b\n");
        assert_eq!(escaped("a*b\n<c>"), "a\\*b \\<c\\>");
        assert_eq!(plain("\u{1b}[31mred\t"), "red\t");
    }
}
