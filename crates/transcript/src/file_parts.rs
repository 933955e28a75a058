//! A file in parts that can be parsed at the same time: each is parsed by itself, and together they are the transcript.

use std::ops::Range;

use crate::parse::{LinePosition, parse_lines};
use crate::problem::Problem;
use crate::transcript::{Node, Transcript};

/// The fewest bytes of a part.
const MIN_PART_BYTES: usize = 256 * 1024;

/// A part of a file, parsed.
#[derive(Clone, Debug)]
pub struct FilePart<'a> {
    nodes: Vec<Node<'a>>,
    /// Problems of the lines.
    problems: Vec<Problem>,
    line_count: usize,
    /// How many lines were counted before its first: the first line of a file is read unlike others, so a part in the middle
    /// begins with the second.
    lines_before: usize,
    /// Whether no record goes on in the next part.
    is_settled: bool,
}

impl<'a> FilePart<'a> {
    /// Parses the bytes in a range.
    fn parse(bytes: &'a [u8], range: &Range<usize>) -> Self {
        let (mut nodes, mut problems) = (Vec::new(), Vec::new());
        let lines_before = usize::from(range.start > 0);
        let from = LinePosition { lines: lines_before, offset: range.start };
        let end = parse_lines(&bytes[..range.end], from, &mut nodes, &mut problems);
        let is_settled = end.settled.offset == range.end || range.end == bytes.len();
        Self { nodes, problems, line_count: end.line_count - lines_before, lines_before, is_settled }
    }
}

impl<'a> Transcript<'a> {
    /// Parses a file in up to this many parts. `map` gets the ranges of their bytes and returns what the function makes of each,
    /// in their order. The result is that of [`parse`](Self::parse).
    pub fn parse_in_parts(
        bytes: &'a [u8],
        parts: usize,
        map: impl FnOnce(&[Range<usize>], &(dyn Fn(&Range<usize>) -> FilePart<'a> + Sync)) -> Vec<FilePart<'a>>,
    ) -> Self {
        Self::parse_ranges(bytes, &ranges(bytes, parts, MIN_PART_BYTES), map)
    }

    fn parse_ranges(
        bytes: &'a [u8],
        ranges: &[Range<usize>],
        map: impl FnOnce(&[Range<usize>], &(dyn Fn(&Range<usize>) -> FilePart<'a> + Sync)) -> Vec<FilePart<'a>>,
    ) -> Self {
        if ranges.len() < 2 {
            return Self::parse(bytes);
        }
        let parsed = map(ranges, &|range| FilePart::parse(bytes, range));
        if parsed.len() != ranges.len() || parsed.iter().any(|part| !part.is_settled) {
            return Self::parse(bytes);
        }
        let (mut nodes, mut problems, mut lines) = (Vec::new(), Vec::new(), 0);
        nodes.reserve_exact(parsed.iter().map(|part| part.nodes.len()).sum());
        for mut part in parsed {
            let added = lines - part.lines_before;
            let number = u32::try_from(added).unwrap_or(u32::MAX);
            part.nodes.iter_mut().for_each(|node| node.line = node.line.saturating_add(number));
            part.problems.iter_mut().for_each(|problem| problem.line += added);
            nodes.append(&mut part.nodes);
            problems.append(&mut part.problems);
            lines += part.line_count;
        }
        Self::from_parts(bytes, nodes, problems, lines)
    }
}

/// Ranges of about one size. Each ends before a line that begins with a brace: what a line begins with can say that the one
/// before it goes on.
fn ranges(bytes: &[u8], parts: usize, min_bytes: usize) -> Vec<Range<usize>> {
    let size = bytes.len().div_ceil(parts.max(1)).max(min_bytes).max(1);
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let middle = (start + size - 1).min(bytes.len());
        let end =
            memchr::memmem::find(&bytes[middle..], b"\n{").map_or(bytes.len(), |found| middle + found + 1);
        ranges.push(start..end);
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(
        "\u{feff}",
        r#"{"type":"user","uuid":"a","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","message":{}}"#,
        "\n\n",
        r#"{"type":"assistant","uuid":"b","parentUuid":"a","agentId":"x","message":{"id":"m1"}}{"type":"tag"}"#,
        "\r\n",
        r#"{"type":"user","uu{"type":"user","uuid":"c"}"#,
        "\n[1]\n{\n\"type\":\"user\",\n\"uuid\":\"e\"} {\"type\":\"tag\"}\n",
        r#"{"type":"from-the-future","uuid":"d"}"#,
        "\n",
    );

    #[test]
    fn parts_together_are_what_is_parsed_at_once() {
        for file in [FILE.repeat(3), FILE.trim_end().to_owned(), FILE.repeat(2) + "[\n" + FILE, String::new()]
        {
            let whole = format!("{:?}", Transcript::parse(file.as_bytes()));
            for parts in 1..40 {
                let ranges = ranges(file.as_bytes(), parts, 1);
                assert_eq!(ranges.iter().map(|range| range.len()).sum::<usize>(), file.len());
                let joined = Transcript::parse_ranges(file.as_bytes(), &ranges, |ranges, parse| {
                    ranges.iter().map(parse).collect()
                });
                assert_eq!(format!("{joined:?}"), whole, "{parts} parts of {file}");
            }
        }
    }
}
