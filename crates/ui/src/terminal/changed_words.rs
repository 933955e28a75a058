//! Which part of a changed line differs from the line that takes its place.

use std::borrow::Cow;
use std::ops::Range;

use super::style::{Span, StyledLine};
use crate::clean::clean;
use crate::view::{DiffLine, DiffSign};

/// In longer hunks nothing is marked: most of such a change is folded.
const MAX_LINES: usize = 1000;

/// Lines that have less than this in common, in percent, are other lines: nothing in them is marked.
const MIN_COMMON_PERCENT: usize = 40;

/// The bytes of each line, as it is shown, that differ from its counterpart: where as many lines are added as were removed just
/// before, each pair is compared.
pub(super) fn changed_words(lines: &[DiffLine]) -> Vec<Option<Range<usize>>> {
    let mut ranges = vec![None; lines.len()];
    if lines.len() > MAX_LINES {
        return ranges;
    }
    let shown: Vec<Cow<'_, str>> = lines.iter().map(|line| clean(&line.text)).collect();
    let mut start = 0;
    while start < lines.len() {
        let run = |from: usize, sign| lines[from..].iter().take_while(|line| line.sign == sign).count();
        let removed = run(start, DiffSign::Removed);
        let added = run(start + removed, DiffSign::Added);
        if removed == added {
            for at in start..start + removed {
                if let Some((old, new)) = differing(&shown[at], &shown[at + removed]) {
                    (ranges[at], ranges[at + removed]) = (Some(old), Some(new));
                }
            }
        }
        start += (removed + added).max(1);
    }
    ranges
}

/// The words between what two lines begin and end with; `None` if little is equal.
fn differing(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let same = |(left, right): &(char, char)| left == right;
    let bytes =
        |common: &mut dyn Iterator<Item = (char, char)>| common.map(|(letter, _)| letter.len_utf8()).sum();
    let head: usize = bytes(&mut old.chars().zip(new.chars()).take_while(same));
    // A word is changed as a whole.
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let goes_on = |line: &str| line[head..].starts_with(is_word);
    let head = if goes_on(old) || goes_on(new) { old[..head].trim_end_matches(is_word).len() } else { head };
    let tail: usize = bytes(&mut old[head..].chars().rev().zip(new[head..].chars().rev()).take_while(same));
    let rest = &old[old.len() - tail..];
    let came_on = |line: &str| line[head..line.len() - tail].ends_with(is_word);
    let tail = if came_on(old) || came_on(new) { rest.trim_start_matches(is_word).len() } else { tail };
    let letters = |text: &str| text.trim().chars().count();
    let common = letters(&old[..head]) + letters(&old[old.len() - tail..]);
    let is_similar = common * 100 >= letters(old).max(letters(new)) * MIN_COMMON_PERCENT;
    is_similar.then(|| (head..old.len() - tail, head..new.len() - tail))
}

/// Marks a part of a text that was broken into rows, each a single span: the byte ranges are of the whole text.
pub(super) fn mark(row: StyledLine, start: usize, marked: &Range<usize>) -> StyledLine {
    let mut at = start;
    let mut out = StyledLine::new();
    for span in row {
        let (from, to) = (
            marked.start.clamp(at, at + span.text.len()) - at,
            marked.end.clamp(at, at + span.text.len()) - at,
        );
        at += span.text.len();
        if !span.text.is_char_boundary(from) || !span.text.is_char_boundary(to) || from >= to {
            out.push(span);
            continue;
        }
        for (text, style) in [
            (&span.text[..from], span.style),
            (&span.text[from..to], span.style.bold().underlined()),
            (&span.text[to..], span.style),
        ] {
            if !text.is_empty() {
                out.push(Span::new(text, style));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::Style;

    fn lines(signed: &[&str]) -> Vec<DiffLine> {
        let line = |text: &&str| {
            let sign = match &text[..1] {
                "-" => DiffSign::Removed,
                "+" => DiffSign::Added,
                _ => DiffSign::Kept,
            };
            DiffLine { sign, text: text[1..].to_owned() }
        };
        signed.iter().map(line).collect()
    }

    /// The lines with what changed in brackets.
    fn marked(signed: &[&str]) -> Vec<String> {
        let lines = lines(signed);
        let ranges = changed_words(&lines);
        let shown = lines.iter().zip(ranges).map(|(line, range)| match range {
            Some(range) => {
                let text = clean(&line.text);
                format!("{}[{}]{}", &text[..range.start], &text[range.clone()], &text[range.end..])
            }
            None => line.text.clone(),
        });
        shown.collect()
    }

    #[test]
    fn whole_words_are_marked_in_lines_that_pair_up() {
        let seen = marked(&[
            " fn a() {",
            "-    let total = count(old_rows);",
            "+    let total = count(new_rows);",
            " }",
        ]);
        assert_eq!(seen[1..3], ["    let total = count([old_rows]);", "    let total = count([new_rows]);"]);
        let seen = marked(&["-call(a);", "-call(b);", "+call(a, x);", "+call(b, x);"]);
        assert_eq!(seen, ["call(a[]);", "call(b[]);", "call(a[, x]);", "call(b[, x]);"]);
        assert_eq!(marked(&["-\ta = 1", "+\ta = 2"]), ["    a = [1]", "    a = [2]"], "as they are shown");
        let seen = marked(&["-größe = 日本語です", "+größe = 日本です"]);
        assert_eq!(seen, ["größe = [日本語です]", "größe = [日本です]"]);
    }

    #[test]
    fn lines_without_a_counterpart_are_left_alone() {
        for lines in [
            &["-one", "+two", "+three"] as &[&str],
            &["-entirely different", "+nothing in common"],
            &["-gone"],
            &["+new"],
            &[],
        ] {
            assert!(marked(lines).iter().all(|line| !line.contains('[')), "{lines:?}");
        }
    }

    #[test]
    fn a_mark_goes_over_the_rows_that_a_line_is_broken_into() {
        let row = |text: &str| vec![Span::plain(text)];
        let strong = Style::PLAIN.bold().underlined();
        assert_eq!(mark(row("abcd"), 0, &(2..6)), [Span::plain("ab"), Span::new("cd", strong)]);
        assert_eq!(mark(row("efgh"), 4, &(2..6)), [Span::new("ef", strong), Span::plain("gh")]);
        assert_eq!(mark(row("ijkl"), 8, &(2..6)), row("ijkl"));
        assert_eq!(mark(row("日本"), 0, &(1..3)), row("日本"), "never within a character");
        assert_eq!(mark(row("ab"), 0, &(1..1)), row("ab"));
    }
}
