//! Damaged lines: puts each complete record on a line of its own and removes the rest.

use annals_json::{Value, compact};
use annals_transcript::line::{Line, lines};
use annals_transcript::objects::whole_objects;
use annals_transcript::problem::{Problem, ProblemKind};

use super::fix::{LineStep, RepairFindings, RepairView};

/// The problems that this repair fixes.
pub(super) const KINDS: &[ProblemKind] = &[
    ProblemKind::NulRun,
    ProblemKind::TornTail,
    ProblemKind::TornLine,
    ProblemKind::SplicedLine,
    ProblemKind::TwoObjects,
    ProblemKind::SpanningRecord,
    ProblemKind::PaddedLine,
    ProblemKind::NotJson,
    ProblemKind::NotAnObject,
];

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let mut damaged: Vec<_> =
        view.transcript.problems().iter().filter(|problem| KINDS.contains(&problem.kind)).collect();
    damaged.sort_by_key(|problem| (problem.line, problem.kind != ProblemKind::SpanningRecord, problem.kind));
    damaged.dedup_by_key(|problem| problem.line);
    let mut problems = damaged.into_iter().peekable();
    let mut lines = lines(view.transcript.bytes()).peekable();
    while let Some(line) = lines.next() {
        let Some(problem) = problems.next_if(|problem| problem.line == line.number) else { continue };
        let (why, steps) = if problem.kind == ProblemKind::SpanningRecord {
            let end = problem.span.offset + problem.span.length;
            let rest: Vec<_> = std::iter::from_fn(|| lines.next_if(|line| line.offset < end)).collect();
            let last = rest.last().unwrap_or(&line).number;
            while problems.next_if(|problem| problem.line <= last).is_some() {}
            join(view, problem, &line, &rest)
        } else {
            separate(&line)
        };
        let key = format!("{}:{}", problem.line, line.body().len());
        found.add(key, line.number, format!("{}: {why}", problem.kind.name()), Ok(steps));
    }
    found
}

/// Puts the records of one line on lines of their own.
fn separate(line: &Line<'_>) -> (&'static str, Vec<LineStep>) {
    let whole = whole_objects(line.body());
    let Some((first, rest)) = whole.split_first() else {
        return ("the line has no complete record", vec![LineStep::Remove { line: line.number }]);
    };
    let why = match rest.is_empty() {
        true => "the complete record is kept, the rest is removed",
        false => "each record gets its own line",
    };
    let mut steps = vec![LineStep::Change { line: line.number, bytes: first.raw().to_vec() }];
    steps.extend(rest.iter().map(|object| insert(line, object.raw())));
    (why, steps)
}

/// Puts a record that spans several lines on one.
fn join(
    view: &RepairView<'_, '_>,
    problem: &Problem,
    line: &Line<'_>,
    rest: &[Line<'_>],
) -> (&'static str, Vec<LineStep>) {
    let end = problem.span.offset + problem.span.length;
    let mut bytes = Vec::new();
    compact(Value::from_checked(&view.transcript.bytes()[problem.span.offset..end]), &mut bytes);
    let mut steps = vec![LineStep::Change { line: line.number, bytes }];
    steps.extend(rest.iter().map(|line| LineStep::Remove { line: line.number }));
    if let Some(last) = rest.last() {
        let behind = last.raw().get(end - last.offset..).unwrap_or_default();
        steps.extend(whole_objects(behind).iter().map(|object| insert(last, object.raw())));
    }
    ("the record gets one line", steps)
}

fn insert(after: &Line<'_>, bytes: &[u8]) -> LineStep {
    LineStep::Insert { after: after.number, bytes: bytes.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[&str]) {
        let found = whole_objects(body.as_bytes());
        let found: Vec<_> =
            found.iter().map(|object| String::from_utf8_lossy(object.raw()).into_owned()).collect();
        assert_eq!(found, expected, "{body:?}");
    }

    #[test]
    fn what_is_whole_is_found() {
        check("{\"a\":1}{\"b\":2}", &["{\"a\":1}", "{\"b\":2}"]);
        check("{\"a\":1}{\"b\":", &["{\"a\":1}"]);
        check("{\"a\":1}\0\0\0{\"type\":\"x\"}", &["{\"a\":1}", "{\"type\":\"x\"}"]);
        check("{\"a\":\"b{\"type\":\"x\"}", &["{\"type\":\"x\"}"]);
        check("\0\0\0", &[]);
        check("\0\0{\"a\":1}", &["{\"a\":1}"]);
        check("{\"a\":1}\0\0", &["{\"a\":1}"]);
        check("garbage", &[]);
        check("[1]", &[]);
        check("[{\"type\":1},{\"type\":2},", &["{\"type\":1}", "{\"type\":2}"]);
        check("12:00 INFO {\"type\":1}", &["{\"type\":1}"]);
        check("\u{feff}\u{a0}{\"a\":1}\u{3000}", &["{\"a\":1}"]);
    }
}
