//! Parses the lines of a file into nodes and problems, with records that span several lines.

use crate::line::{Line, LineEnding};
use crate::objects::{LineSharing, read_objects, report_form};
use crate::problem::{Problem, Span};
use crate::record_lines::record_lines_from;
use crate::transcript::Node;
use annals_json::{Fields, skip_space};

/// A position between two lines of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinePosition {
    /// The number of lines before it.
    pub(crate) lines: usize,
    /// The offset of the next line.
    pub(crate) offset: usize,
}

/// How far a file was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParseEnd {
    /// The number of lines of the file.
    pub(crate) line_count: usize,
    /// Bytes that are appended do not change what comes before this position.
    pub(crate) settled: LinePosition,
}

/// Parses the lines from a position on.
pub(crate) fn parse_lines<'a>(
    bytes: &'a [u8],
    from: LinePosition,
    nodes: &mut Vec<Node<'a>>,
    problems: &mut Vec<Problem>,
) -> ParseEnd {
    let mut parser = LineParser { nodes, problems };
    let mut end = ParseEnd { line_count: from.lines, settled: from };
    let mut at = from;
    let mut lines = record_lines_from(bytes, from.lines, from.offset);
    loop {
        if !lines.is_inside(at.offset) {
            end.settled = at;
        }
        let Some(line) = lines.next() else { return end };
        parser.parse(&line, !lines.is_inside(line.offset));
        at = LinePosition { lines: line.last_number(), offset: line.offset + line.raw().len() };
        end.line_count = at.lines;
        if line.ending() == LineEnding::EndOfFile {
            return end;
        }
    }
}

struct LineParser<'p, 'a> {
    nodes: &'p mut Vec<Node<'a>>,
    problems: &'p mut Vec<Problem>,
}

impl<'a> LineParser<'_, 'a> {
    fn parse(&mut self, line: &Line<'a>, is_streamed: bool) {
        let body = line.body();
        let opening = skip_space(body, 0);
        match Fields::scan_path(&body[opening..], ["message"]) {
            Ok((fields, [message], length))
                if !line.is_joined() && skip_space(body, opening + length) == body.len() =>
            {
                self.report_form(line);
                self.nodes.push(Node {
                    is_streamed,
                    ..Node::new(&fields, message.as_ref(), line, LineSharing::Alone)
                });
            }
            _ => self.parse_odd(line, opening, is_streamed),
        }
    }

    /// Parses what is not one object on one line. Of several, a client that reads the file as a stream finds the first.
    fn parse_odd(&mut self, line: &Line<'a>, opening: usize, mut is_streamed: bool) {
        let (nodes, problems) = (&mut *self.nodes, &mut *self.problems);
        // What follows a record that spans several lines is on the last of them.
        let last = line.parts().last().unwrap_or(*line);
        read_objects(
            line,
            |fields, sharing| {
                is_streamed &= fields.raw().as_ptr() == line.body()[opening..].as_ptr();
                let at = if sharing == LineSharing::Spanning { line } else { &last };
                let message = fields.object("message");
                nodes.push(Node { is_streamed, ..Node::new(&fields, message.as_ref(), at, sharing) });
                is_streamed = false;
            },
            |problem| problems.push(problem),
        );
    }

    fn report_form(&mut self, line: &Line<'a>) {
        let start = line.offset + line.body_start();
        report_form(line, &mut |kind, at, length| {
            self.problems.push(Problem::new(kind, line.number, Span { offset: start + at, length }));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;

    /// Lists what a file holds: `L` for what clients find that read by line, `S` for what they find in the stream.
    fn check(file: &str, expected: &[&str]) {
        let transcript = Transcript::parse(file.as_bytes());
        let node = |node: &Node<'_>| {
            let line = if node.sharing == LineSharing::Alone { "L" } else { "-" };
            let stream = if node.is_streamed { "S" } else { "-" };
            format!("{} {line}{stream} {}", node.uuid.map(|id| id.to_string()).unwrap_or_default(), node.line)
        };
        assert_eq!(transcript.nodes().iter().map(node).collect::<Vec<_>>(), expected, "{file}");
    }

    fn record(id: &str) -> String {
        format!(r#"{{"type":"user","uuid":"{id}"}}"#)
    }

    #[test]
    fn a_record_over_several_lines_is_one_record() {
        let pretty = "{\n \"type\": \"user\",\n \"uuid\": \"b\"\n}";
        let [a, c] = [record("a"), record("c")];
        check(&format!("{a}\n{pretty}\n{c}\n"), &["a LS 1", "b -S 2", "c LS 6"]);
        check(&format!("{a}\r\n{}\r\n{c}", pretty.replace('\n', "\r\n")), &["a LS 1", "b -S 2", "c LS 6"]);
        // What follows on its last line is skipped by the stream.
        check(&format!("{pretty}{c}\n{a}\n"), &["b -S 1", "c -- 4", "a LS 5"]);
        check(&format!("{a} {pretty}\n{c}\n"), &["a -S 1", "c LS 5"]);
    }

    #[test]
    fn lines_inside_another_value_are_found_by_line_only() {
        let [a, b, c] = [record("a"), record("b"), record("c")];
        check(&format!("{a}\n{{\"x\":[\n{b}\n]}}\n{c}\n"), &["a LS 1", "b L- 3", "c LS 5"]);
        check(&format!("[\n{a},\n{b}\n]\n{c}\n"), &["a -- 2", "b L- 3", "c LS 5"]);
        check(&format!("{a}\n[\n{b}\n"), &["a LS 1", "b L- 3"]);
        check(&format!("{a}\n{{\"x\":\n{b}\n"), &["a LS 1", "b L- 3"]);
    }

    #[test]
    fn after_an_error_the_next_line_counts() {
        let [a, b] = [record("a"), record("b")];
        for damage in ["[", "{\"x\":[", "{\"x\":\"torn", "garbage", "]", ","] {
            check(&format!("{a}\n{damage}\n{b}\n{b}\n"), &["a LS 1", "b LS 3", "b LS 4"]);
        }
    }
}
