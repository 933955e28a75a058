//! Damaged lines: puts each complete record on a line of its own and removes the rest.

use annals_transcript::line::lines;
use annals_transcript::problem::ProblemKind;
use annals_transcript::transcript::Transcript;

use super::fix::{LineStep, RepairFindings, RepairView};

/// The problems that this repair fixes.
pub(super) const KINDS: &[ProblemKind] = &[
    ProblemKind::NulRun,
    ProblemKind::TornTail,
    ProblemKind::TornLine,
    ProblemKind::SplicedLine,
    ProblemKind::TwoObjects,
    ProblemKind::NotJson,
    ProblemKind::NotAnObject,
];

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let mut damaged: Vec<_> =
        view.transcript.problems().iter().filter(|problem| KINDS.contains(&problem.kind)).collect();
    damaged.sort_by_key(|problem| (problem.line, problem.kind));
    damaged.dedup_by_key(|problem| problem.line);
    let mut problems = damaged.into_iter().peekable();
    for line in lines(view.transcript.bytes()) {
        let Some(problem) = problems.next_if(|problem| problem.line == line.number) else { continue };
        let whole = whole_records(line.body());
        let (why, steps) = match whole.split_first() {
            None => ("the line has no complete record", vec![LineStep::Remove { line: line.number }]),
            Some((first, rest)) => {
                let why = match rest.is_empty() {
                    true => "the complete record is kept, the rest is removed",
                    false => "each record gets its own line",
                };
                let mut steps = vec![LineStep::Change { line: line.number, bytes: first.clone() }];
                let rest =
                    rest.iter().map(|bytes| LineStep::Insert { after: line.number, bytes: bytes.clone() });
                steps.extend(rest);
                (why, steps)
            }
        };
        let key = format!("{}:{}", problem.line, line.body().len());
        found.add(key, line.number, format!("{}: {why}", problem.kind.name()), Ok(steps));
    }
    found
}

/// The complete records on a line, in order.
fn whole_records(body: &[u8]) -> Vec<Vec<u8>> {
    let transcript = Transcript::parse(body);
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut end = 0;
    for node in transcript.nodes() {
        found.push(body[node.span.offset..node.span.offset + node.span.length].to_vec());
        end = node.span.offset + node.span.length;
    }
    // Another record may follow after garbage.
    let rest = body[end..].trim_ascii();
    if end > 0 && !rest.is_empty() && rest.len() < body.len() {
        found.extend(whole_records(rest));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: &[&str]) {
        let found = whole_records(body.as_bytes());
        let found: Vec<_> = found.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
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
    }
}
