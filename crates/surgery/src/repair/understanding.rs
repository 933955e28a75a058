//! Whether a file is one that a repair understands. What is no session file must not be emptied line by line.

use annals_transcript::line::lines;
use annals_transcript::objects::whole_objects;
use annals_transcript::problem::ProblemKind;
use annals_transcript::transcript::Transcript;

/// How large a part of a file may be foreign text, if most of its lines are: a quarter.
const MAX_FOREIGN_SHARE: usize = 4;

/// Returns why a file must be left alone; `None` if it can be repaired.
pub(super) fn doubt(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    let transcript = Transcript::parse(bytes);
    if transcript.nodes().is_empty() {
        return Some(format!(
            "there is no complete record in it{}, so nothing can be repaired",
            looks_like(bytes)
        ));
    }
    let (foreign, foreign_bytes) = foreign_lines(&transcript);
    let records = transcript.nodes().len();
    // A formatted record that was torn leaves many lines and few bytes.
    (foreign > records && foreign_bytes > bytes.len() / MAX_FOREIGN_SHARE).then(|| {
        format!(
            "{foreign} lines are not records, and only {records} {}{}, so it is left as it is",
            if records == 1 { "is" } else { "are" },
            looks_like(bytes)
        )
    })
}

/// Counts the lines that hold neither a record nor the rest of one, and their bytes.
fn foreign_lines(transcript: &Transcript<'_>) -> (usize, usize) {
    let is_foreign = |kind: ProblemKind| matches!(kind, ProblemKind::NotJson | ProblemKind::NotAnObject);
    let mut problems: Vec<usize> = transcript
        .problems()
        .iter()
        .filter(|problem| is_foreign(problem.kind))
        .map(|problem| problem.line)
        .collect();
    problems.sort_unstable();
    problems.dedup();
    let mut problems = problems.into_iter().peekable();
    lines(transcript.bytes())
        .filter(|line| problems.next_if_eq(&line.number).is_some() && whole_objects(line.body()).is_empty())
        .fold((0, 0), |(count, bytes), line| (count + 1, bytes + line.raw().len()))
}

/// What a file without records may be instead.
fn looks_like(bytes: &[u8]) -> &'static str {
    let nuls = bytes.iter().take(4096).filter(|&&byte| byte == 0).count();
    let marks = |marks: &[&[u8]]| marks.iter().any(|mark| bytes.starts_with(mark));
    if marks(&[b"\xff\xfe", b"\xfe\xff"])
        || (nuls > 0 && nuls >= bytes.len().min(4096) / 3 && nuls < bytes.len().min(4096))
    {
        " (it looks like UTF-16; save it as UTF-8)"
    } else if marks(&[b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"BZh", b"\xfd7zXZ"]) {
        " (it looks compressed; unpack it)"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"type":"user","uuid":"a"}"#;

    fn check(bytes: &[u8], expected: Option<&str>) {
        let doubt = doubt(bytes);
        match expected {
            Some(part) => assert!(doubt.as_ref().is_some_and(|doubt| doubt.contains(part)), "{doubt:?}"),
            None => assert_eq!(doubt, None),
        }
    }

    #[test]
    fn what_holds_no_record_is_left_alone() {
        let utf16: Vec<u8> = RECORD.encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&utf16, Some("UTF-16"));
        check(&[&b"\xff\xfe"[..], &utf16].concat(), Some("UTF-16"));
        check(b"\x1f\x8b\x08\x00 anything", Some("compressed"));
        check(b"eyJ0eXBlIjoidXNlciJ9\n", Some("no complete record"));
        check(b"{&quot;type&quot;:&quot;user&quot;}\n", Some("no complete record"));
        check(b"{\"type\":\"user\",\"uu\n", Some("no complete record"));
        check(b"\0\0\0\n", Some("no complete record"));
        check(format!("{RECORD}\nsome\nlog\nlines\n").as_bytes(), Some("3 lines are not records"));
    }

    #[test]
    fn records_in_another_form_are_understood() {
        check(b"", None);
        check(format!("{RECORD}\ngarbage\n").as_bytes(), None);
        check(format!("[{RECORD},{RECORD}]").as_bytes(), None);
        check(format!("[\n{RECORD},\n{RECORD},\n{RECORD}\n]\n").as_bytes(), None);
        check(format!("12:00 INFO {RECORD}\n12:01 INFO {RECORD}\n").as_bytes(), None);
        check(RECORD.replace(',', ",\n").as_bytes(), None);
        let torn = format!("{{\n{}", " \"a\":1,\n".repeat(4));
        check(
            format!("{RECORD}\n{RECORD}\n{}{torn}", RECORD.replace("user", &"user".repeat(99))).as_bytes(),
            None,
        );
    }
}
