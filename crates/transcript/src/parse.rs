//! Parses the lines of a file into nodes and problems, with records that span several lines.

use crate::line::{Line, LineEnding, lines_from};
use crate::objects::{LineSharing, read_objects, report_form};
use crate::problem::{Problem, ProblemKind, Span};
use crate::stream::{LongValue, StreamReader};
use crate::transcript::Node;
use annals_json::{Fields, ParseErrorKind, scan_value, skip_space};

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
    let mut parser = FileParser { bytes, nodes, problems, stream: StreamReader::default(), value: None };
    let mut end = ParseEnd { line_count: from.lines, settled: from };
    for line in lines_from(bytes, from.lines, from.offset) {
        let before = LinePosition { lines: line.number - 1, offset: line.offset };
        if !parser.stream.is_inside(line.offset) {
            parser.value = None;
            end.settled = before;
        }
        parser.parse(&line);
        let next = LinePosition { lines: line.number, offset: line.offset + line.raw().len() };
        if line.ending() != LineEnding::EndOfFile && !parser.stream.is_inside(next.offset) {
            end.settled = next;
        }
        end.line_count = line.number;
    }
    end
}

/// A file while it is parsed.
struct FileParser<'p, 'a> {
    bytes: &'a [u8],
    nodes: &'p mut Vec<Node<'a>>,
    problems: &'p mut Vec<Problem>,
    stream: StreamReader,
    /// Where the record ends that the lines belong to; `None` if the value is no record, or none.
    value: Option<usize>,
}

impl<'a> FileParser<'_, 'a> {
    fn parse(&mut self, line: &Line<'a>) {
        if self.value.is_some() {
            return self.parse_inside(line);
        }
        let body = line.body();
        let opening = skip_space(body, 0);
        let fault = match Fields::scan(&body[opening..]) {
            Ok((fields, length)) if skip_space(body, opening + length) == body.len() => {
                self.report_form(line);
                let is_streamed = !self.stream.is_inside(line.offset);
                return self.nodes.push(Node { is_streamed, ..Node::new(&fields, line, LineSharing::Alone) });
            }
            Ok(_) => None,
            Err(fault) => Some(fault),
        };
        let breaks_off = match body.get(opening) {
            Some(b'{') => fault.is_some_and(|fault| fault.kind == ParseErrorKind::Unfinished),
            Some(b'[') => {
                scan_value(body, opening).is_err_and(|fault| fault.kind == ParseErrorKind::Unfinished)
            }
            _ => false,
        };
        let start = line.offset + line.body_start() + opening;
        if breaks_off
            && !self.stream.is_inside(line.offset)
            && let Some(LongValue::Whole(end)) = self.stream.read_long(self.bytes, start)
            && let Ok((fields, _)) = Fields::scan(&self.bytes[start..end])
        {
            let node = Node { is_streamed: true, ..Node::new(&fields, line, LineSharing::Spanning) };
            if node.is_chain() || !self.has_records(line, end) {
                self.value = Some(end);
                self.problems.push(node.problem(ProblemKind::SpanningRecord));
                self.nodes.push(node);
                return self.parse_inside(line);
            }
        }
        self.parse_odd(line, opening);
    }

    /// Whether lines up to `end` are records by themselves: then what is around them is the rest of a torn line.
    fn has_records(&self, first: &Line<'a>, end: usize) -> bool {
        let is_record = |line: Line<'a>| {
            let body = line.body();
            let object = Fields::scan(&body[skip_space(body, 0)..]);
            object.is_ok_and(|(fields, _)| Node::new(&fields, &line, LineSharing::Alone).is_chain())
        };
        let lines = lines_from(self.bytes, first.number - 1, first.offset);
        lines.skip(1).take_while(|line| line.offset < end).any(is_record)
    }

    /// Parses a line that is not one object. Of several, a client that reads the file as a stream finds the first.
    fn parse_odd(&mut self, line: &Line<'a>, opening: usize) {
        let (nodes, problems) = (&mut *self.nodes, &mut *self.problems);
        let mut is_streamed = !self.stream.is_inside(line.offset);
        read_objects(
            line,
            |fields, sharing| {
                is_streamed &= fields.raw().as_ptr() == line.body()[opening..].as_ptr();
                nodes.push(Node { is_streamed, ..Node::new(&fields, line, sharing) });
                is_streamed = false;
            },
            |problem| problems.push(problem),
        );
    }

    /// Parses a line that is part of a record.
    fn parse_inside(&mut self, line: &Line<'a>) {
        self.report_form(line);
        let start = line.offset + line.body_start();
        let body = line.body();
        if let Some(end) = self.value.filter(|&end| start < end && end < start + body.len()) {
            self.parse_rest(line, &body[end - start..]);
        }
    }

    /// Parses what follows a record on its last line.
    fn parse_rest(&mut self, line: &Line<'a>, rest: &'a [u8]) {
        let rest = rest.trim_ascii();
        if rest.is_empty() {
            return;
        }
        let offset = line.offset + (rest.as_ptr() as usize - line.raw().as_ptr() as usize);
        let span = Span { offset, length: rest.len() };
        let objects = crate::objects::whole_objects(rest);
        let kind = if objects.is_empty() { ProblemKind::NotJson } else { ProblemKind::TwoObjects };
        self.problems.push(Problem::new(kind, line.number, span));
        self.nodes.extend(objects.iter().map(|fields| Node::new(fields, line, LineSharing::Shared)));
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
