//! Numbers the lines of a text, within limits.

use std::fmt::Write as _;

use crate::tools::InputError;
use crate::tools::read_files::ReadExtent;

/// How many lines are shown by default.
const MAX_LINES: usize = 2000;
/// The most characters of a line that are shown.
const MAX_LINE_CHARS: usize = 2000;
/// The most bytes of an answer: some 25,000 tokens.
const MAX_BYTES: usize = 100_000;

/// The lines to show.
#[derive(Clone, Copy)]
pub(super) struct LineRange {
    pub(super) offset: Option<u64>,
    pub(super) limit: Option<u64>,
}

/// The lines that are shown.
pub(super) struct TextPage {
    /// The lines with numbers and notices.
    pub(super) shown: String,
    /// The lines alone.
    pub(super) content: String,
    pub(super) first: usize,
    pub(super) lines: usize,
    pub(super) total: usize,
    /// How much the model has read then; `None` if a limit cut it.
    pub(super) extent: Option<ReadExtent>,
}

/// Shows a range of lines.
pub(super) fn page(text: &str, range: LineRange) -> Result<TextPage, InputError> {
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let total = all.len();
    let clamp = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let first = range.offset.map_or(1, clamp).max(1);
    if total == 0 {
        let notice = "<system-reminder>The file exists but is empty.</system-reminder>".to_owned();
        return Ok(TextPage {
            shown: notice,
            content: String::new(),
            first: 1,
            lines: 0,
            total,
            extent: Some(ReadExtent::Whole),
        });
    }
    let Some(rest) = all.get(first - 1..).filter(|rest| !rest.is_empty()) else {
        let notice =
            format!("<system-reminder>No line {first}: the file has {total} lines.</system-reminder>");
        return Ok(TextPage { shown: notice, content: String::new(), first, lines: 0, total, extent: None });
    };
    let wanted = range.limit.map_or(MAX_LINES, clamp).min(rest.len());
    let mut page =
        TextPage { shown: String::new(), content: String::new(), first, lines: 0, total, extent: None };
    let mut cut_lines = 0_usize;
    for line in &rest[..wanted] {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let end = bare.char_indices().nth(MAX_LINE_CHARS).map(|(at, _)| at);
        cut_lines += usize::from(end.is_some());
        let bare = end.map_or(bare, |end| &bare[..end]);
        if page.shown.len() + bare.len() + 8 > MAX_BYTES && page.lines > 0 {
            break;
        }
        if page.lines > 0 {
            page.shown.push('\n');
            page.content.push('\n');
        }
        // The arrow is the original client's; other readers of a session know it.
        let _ = write!(page.shown, "{:>6}→{bare}", first + page.lines);
        page.content.push_str(bare);
        page.lines += 1;
    }
    let asked = range.offset.is_some() || range.limit.is_some();
    if page.lines < wanted && asked {
        return Err(InputError(format!(
            "The requested lines exceed the limit of {MAX_BYTES} bytes: lines {first} to {} fit. Request fewer with offset and limit, or search with Grep.",
            first + page.lines - 1
        )));
    }
    let whole = first == 1 && page.lines == total;
    if !whole && !asked {
        let _ = write!(
            page.shown,
            "\n\n<system-reminder>PARTIAL view: lines 1 to {} of {total}. Read on with offset and limit.</system-reminder>",
            page.lines
        );
    }
    if cut_lines > 0 {
        let _ = write!(
            page.shown,
            "\n\n<system-reminder>{cut_lines} of these lines are longer than {MAX_LINE_CHARS} characters and were cut.</system-reminder>"
        );
    }
    page.extent = match () {
        () if cut_lines > 0 => None,
        () if whole => Some(ReadExtent::Whole),
        () if asked => Some(ReadExtent::Part),
        () => None,
    };
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: LineRange = LineRange { offset: None, limit: None };

    #[test]
    fn lines_are_numbered_and_counted() {
        let page = page("one\ntwo\n\nfour", ALL).unwrap();
        assert_eq!(page.shown, "     1→one\n     2→two\n     3→\n     4→four");
        assert_eq!((page.content.as_str(), page.lines, page.total), ("one\ntwo\n\nfour", 4, 4));
        assert_eq!(page.extent, Some(ReadExtent::Whole));
    }

    #[test]
    fn a_part_is_a_part() {
        let page = page("a\nb\nc\nd\n", LineRange { offset: Some(2), limit: Some(2) }).unwrap();
        assert_eq!((page.shown.as_str(), page.extent), ("     2→b\n     3→c", Some(ReadExtent::Part)));
    }

    #[test]
    fn what_is_not_there_is_said() {
        assert!(page("", ALL).unwrap().shown.contains("empty"));
        let past = page("a\n", LineRange { offset: Some(9), limit: None }).unwrap();
        assert!(past.shown.contains("has 1 lines") && past.lines == 0);
    }

    #[test]
    fn a_text_that_is_too_long_is_shown_in_part_or_refused() {
        let long = "x\n".repeat(3000);
        let first = page(&long, ALL).unwrap();
        assert_eq!((first.lines, first.extent), (2000, None));
        assert!(first.shown.contains("PARTIAL view: lines 1 to 2000 of 3000"));
        let wide = format!("{}\n", "y".repeat(1999)).repeat(100);
        assert!(page(&wide, ALL).unwrap().lines < 60);
        assert!(page(&wide, LineRange { offset: Some(1), limit: Some(100) }).is_err());
        let one = page(&"é".repeat(5000), ALL).unwrap();
        assert_eq!((one.content.chars().count(), one.extent), (2000, None));
    }
}
