//! Soft wrap: the rows of one line by the columns that characters take, and places by row and column.
//!
//! Rows break behind spaces, else anywhere between characters. A very long line is laid out in segments, so that a key costs as
//! much as the segment that it changes.

use std::ops::Range;

use annals_ui::grapheme;
use annals_ui::terminal::width;

/// Longer lines are laid out in segments of about this length; each begins a row.
const SEGMENT_BYTES: usize = 8 * 1024;

/// What would take more columns is shown as a dot: many marks on one letter.
const MAX_COLUMNS: usize = 4;

/// Appends a character as it is shown.
pub(super) fn push_shown(out: &mut String, cluster: &str) {
    let start = out.len();
    grapheme::push_shown(out, cluster);
    if cluster.len() > MAX_COLUMNS && width(&out[start..]) > MAX_COLUMNS {
        out.truncate(start);
        out.push('·');
    }
}

/// Returns the columns that a character takes as it is shown.
fn columns(cluster: &str) -> usize {
    if cluster.len() == 1 && !cluster.starts_with(|letter: char| letter.is_control()) {
        return 1;
    }
    let mut shown = String::new();
    push_shown(&mut shown, cluster);
    width(&shown)
}

/// Returns the columns that a text takes as it is shown.
pub(super) fn columns_of(text: &str) -> usize {
    clusters(text).map(|(_, cluster)| columns(cluster)).sum()
}

/// Characters as people see them, each with its place.
pub(super) fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    grapheme::ends(text).map(move |end| {
        let at = std::mem::replace(&mut start, end);
        (at, &text[at..end])
    })
}

/// Returns where the segment begins that a place of a line is in, and where it ends.
pub(super) fn segment(line: &str, at: usize) -> Range<usize> {
    if line.len() <= SEGMENT_BYTES {
        return 0..line.len();
    }
    let number = at / SEGMENT_BYTES;
    let (start, end) = (boundary(line, number), boundary(line, number + 1));
    match at {
        // A border lies a little before the multiple that it is for.
        _ if at >= end && end < line.len() => end..boundary(line, number + 2),
        _ if at < start => boundary(line, number.saturating_sub(1))..start,
        _ => start..end,
    }
}

/// Returns the border before a multiple of the segment's length: between two characters.
fn boundary(line: &str, number: usize) -> usize {
    let wanted = number.saturating_mul(SEGMENT_BYTES);
    if wanted == 0 || wanted >= line.len() {
        return wanted.min(line.len());
    }
    grapheme::previous(line, line.floor_char_boundary(wanted))
}

/// Returns the rows of a text that is not longer than a segment, in at most the given columns.
pub(super) fn rows(text: &str, max: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let (mut start, mut used) = (0, 0);
    // The place behind the last space of the row, and the columns up to it.
    let mut space: Option<(usize, usize)> = None;
    for (at, cluster) in clusters(text) {
        let wide = columns(cluster);
        if used + wide > max && at > start {
            let (end, before) = space.filter(|_| cluster != " ").unwrap_or((at, used));
            rows.push(start..end);
            (start, used) = (end, used - before);
            space = None;
            // What was behind the space may be too wide itself, with this character.
            if used + wide > max && at > start {
                rows.push(start..at);
                (start, used) = (at, 0);
            }
        }
        used += wide;
        if cluster == " " {
            space = Some((at + 1, used));
        }
    }
    rows.push(start..text.len());
    rows
}

/// Returns the row that a place of the text is in: at a border, the row that begins there.
pub(super) fn row_of(rows: &[Range<usize>], at: usize) -> usize {
    rows.iter().rposition(|row| row.start <= at).unwrap_or(0)
}

/// Returns the place of a row that is nearest to a column, not behind it.
pub(super) fn place_at(text: &str, row: &Range<usize>, column: usize) -> usize {
    let mut used = 0;
    for (at, cluster) in clusters(&text[row.clone()]) {
        used += columns(cluster);
        if used > column {
            return row.start + at;
        }
    }
    row.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str, max: usize) -> Vec<&str> {
        rows(text, max).into_iter().map(|row| &text[row]).collect()
    }

    #[test]
    fn rows_break_behind_spaces_else_between_characters() {
        assert_eq!(broken("one two three", 8), ["one two ", "three"]);
        assert_eq!(broken("one two three", 7), ["one two", " three"]);
        assert_eq!(broken("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(broken("a bcdefgh", 4), ["a ", "bcde", "fgh"]);
        assert_eq!(broken("日本語", 5), ["日本", "語"]);
        assert_eq!(broken("", 5), [""]);
        assert_eq!(broken("👨‍👩‍👧👨‍👩‍👧e\u{301}", 4), ["👨‍👩‍👧👨‍👩‍👧", "e\u{301}"]);
        assert_eq!(broken("日", 1), ["日"], "wider than the whole width");
    }

    #[test]
    fn a_long_line_has_segments_between_characters() {
        let line = "👨‍👩‍👧ab".repeat(2000);
        let mut at = 0;
        while at < line.len() {
            let part = segment(&line, at);
            assert!(part.contains(&at) && part.start == at, "{part:?} {at}");
            assert_eq!(segment(&line, part.end - 1), part);
            assert!(
                part.start == 0 || grapheme::next(&line, grapheme::previous(&line, part.start)) == part.start
            );
            at = part.end;
        }
        assert_eq!(segment(&line, line.len()).end, line.len());
    }

    #[test]
    fn a_column_has_a_place() {
        let text = "a日b";
        let row = 0..text.len();
        assert_eq!([0, 1, 2, 3, 9].map(|column| place_at(text, &row, column)), [0, 1, 1, 4, 5]);
    }
}
