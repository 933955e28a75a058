//! Edits of lines: everything else stays byte for byte, and references follow removals.

use std::collections::BTreeSet;
use std::path::Path;

use annals_surgery::relink::relink;
use annals_surgery::verify::{Violation, verify};
use annals_surgery::{FileEdit, LineEdit};
use annals_testkit::builder::Session;
use annals_transcript::graph::Graph;
use annals_transcript::transcript::{NodeIndex, Transcript};

fn line(uuid: &str, parent: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"{uuid}"}}}}"#
    )
}

#[test]
fn what_is_not_named_stays() {
    let before = b"\xef\xbb\xbf{\"a\":1}\r\n{\"b\":2}\n\n{\"c\":3}";
    let mut edit = FileEdit::new(Path::new("f"), before.as_slice());
    assert_eq!(edit.result(), before);
    edit.change(1, b"{\"a\":9}".to_vec(), "why");
    edit.remove(2, "why");
    edit.insert_after(4, b"{\"d\":4}".to_vec(), "why");
    edit.insert_after(0, b"{\"z\":0}".to_vec(), "why");
    assert_eq!(edit.result(), b"{\"z\":0}\n\xef\xbb\xbf{\"a\":9}\r\n\n{\"c\":3}\n{\"d\":4}\n");
    edit.remove(1, "later");
    edit.change(1, b"{}".to_vec(), "too late");
    assert_eq!(edit.line_edit(1), &LineEdit::Removed { why: "why".to_owned() });
}

#[test]
fn references_follow_what_goes() {
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"x","parentUuid":null,"logicalParentUuid":"c","timestamp":"2026-01-01T00:00:00.000Z","compactMetadata":{"preservedSegment":{"headUuid":"b","anchorUuid":"y","tailUuid":"c"},"preservedMessages":{"anchorUuid":"y","uuids":["b","c"],"allUuids":["b","c","d"]}}}"#;
    let file = [
        line("a", "null"),
        line("b", "\"a\""),
        line("c", "\"b\""),
        line("d", "\"c\""),
        boundary.to_owned(),
        r#"{"type":"last-prompt","lastPrompt":"p","leafUuid":"c","sessionId":"s"}"#.to_owned(),
        r#"{"type":"file-history-snapshot","messageId":"b","snapshot":{"messageId":"b","trackedFileBackups":{}},"isSnapshotUpdate":false}"#.to_owned(),
    ]
    .join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    let graph = Graph::new(&transcript);
    let mut edit = FileEdit::new(Path::new("f"), file.as_bytes());
    let removed = BTreeSet::from([1, 2].map(NodeIndex::new));
    edit.remove(2, "test");
    edit.remove(3, "test");
    relink(&mut edit, &transcript, &graph, &removed).unwrap();
    let after = String::from_utf8(edit.result()).unwrap();
    let lines: Vec<_> = after.lines().collect();
    assert_eq!(lines[0], line("a", "null"));
    assert_eq!(lines[1], line("d", "\"a\""));
    let expected = boundary
        .replace(r#""logicalParentUuid":"c""#, r#""logicalParentUuid":"a""#)
        .replace(r#""headUuid":"b""#, r#""headUuid":"d""#)
        .replace(r#""tailUuid":"c""#, r#""tailUuid":"a""#)
        .replace(r#""uuids":["b","c"]"#, r#""uuids":[]"#)
        .replace(r#""allUuids":["b","c","d"]"#, r#""allUuids":["d"]"#);
    assert_eq!(lines[2], expected);
    assert!(lines[3].contains(r#""leafUuid":"a""#), "{}", lines[3]);
    assert!(!lines[4].contains("\"b\""), "{}", lines[4]);
    assert_eq!(verify(&edit, after.as_bytes()), []);
}

#[test]
fn a_wrong_result_is_seen() {
    let thought = r#"{"type":"assistant","uuid":"t","parentUuid":"b","timestamp":"2026-01-01T00:00:00.000Z","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"c1","name":"X","input":{}}]}}"#;
    let result = r#"{"type":"user","uuid":"r","parentUuid":"t","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"y"}]}}"#;
    let before =
        [line("a", "null"), line("b", "\"a\""), thought.to_owned(), result.to_owned()].join("\n") + "\n";
    let edit = FileEdit::new(Path::new("f"), before.as_bytes());
    let check = |after: String, expected: &dyn Fn(&Violation) -> bool| {
        let found = verify(&edit, after.as_bytes());
        assert!(found.iter().any(expected), "{found:?}");
    };
    assert_eq!(verify(&edit, before.as_bytes()), []);
    check(before.replace("hm", "hmm"), &|found| matches!(found, Violation::Thinking { line: 3 }));
    check(before.replace(&line("a", "null"), ""), &|found| matches!(found, Violation::Parent { .. }));
    check(before.replace(result, ""), &|found| matches!(found, Violation::Pair { .. }));
    check(before.clone() + &line("a", "null"), &|found| matches!(found, Violation::Duplicate { .. }));
    check(before.clone() + "{\"torn", &|found| matches!(found, Violation::Unreadable { .. }));
    check(before.replace("\"content\":\"a\"", "\"content\":\"A\""), &|found| {
        matches!(found, Violation::Touched { line: 1 })
    });
    check(before.replace("timestamp", "time"), &|found| matches!(found, Violation::Refused { .. }));
}

#[test]
fn what_was_bridged_stays_linked() {
    let at = |line: String, second: u32| line.replace("00:00.000Z", &format!("00:{second:02}.000Z"));
    let file = |late: u32| {
        [
            at(line("a", "null"), 1),
            at(line("b", "\"a\""), 2),
            at(line("c", "\"gone\""), late),
            at(line("d", "\"c\""), late + 20),
        ]
        .join("\n")
    };
    // Clients find a record in place of a missing parent by time, at most five seconds back.
    for (late, parent) in [(4, "\"b\""), (7, "\"b\""), (8, "null")] {
        let file = file(late);
        let transcript = Transcript::parse(file.as_bytes());
        let mut edit = FileEdit::new(Path::new("f"), file.as_bytes());
        edit.remove(3, "test");
        relink(&mut edit, &transcript, &Graph::new(&transcript), &BTreeSet::from([NodeIndex::new(2)]))
            .unwrap();
        let after = String::from_utf8(edit.result()).unwrap();
        assert_eq!(after.lines().last().unwrap(), at(line("d", parent), late + 20), "{late}");
        assert_eq!(verify(&edit, after.as_bytes()), []);
    }
}

#[test]
fn what_a_compaction_kept_still_begins_on_its_own_stretch() {
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"x","parentUuid":null,"timestamp":"2026-01-01T00:00:00.000Z","compactMetadata":{"preservedSegment":{"headUuid":"head","anchorUuid":"x","tailUuid":"tail"}}}"#;
    let file = [
        line("a", "null"),
        line("head", "\"a\""),
        line("middle", "\"head\""),
        line("tail", "\"middle\""),
        line("beside", "\"head\""),
        boundary.to_owned(),
    ]
    .join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    let mut edit = FileEdit::new(Path::new("f"), file.as_bytes());
    edit.remove(2, "test");
    relink(&mut edit, &transcript, &Graph::new(&transcript), &BTreeSet::from([NodeIndex::new(1)])).unwrap();
    let after = String::from_utf8(edit.result()).unwrap();
    assert!(after.contains(r#""headUuid":"middle""#) && after.contains(r#""tailUuid":"tail""#), "{after}");
}

#[test]
fn what_comes_from_another_file_may_be_as_odd_as_it_was_there() {
    let first = Session::new().prompt("one").reply("1").into_bytes();
    let second = Session::new()
        .parent(Some("nowhere"))
        .response(|response| response.thinking("so").text("2"))
        .into_bytes();
    let second = String::from_utf8(second).unwrap();
    let strange = second.replace("00000000-0000-4000-8000-", "00000000-0000-4000-9000-");
    let with = |lines: &str, is_brought: bool| {
        let mut edit = FileEdit::new(Path::new("x"), &first);
        for line in lines.lines() {
            edit.insert_after(2, line.as_bytes().to_vec(), "test");
        }
        if is_brought {
            edit.add_source(lines.as_bytes());
        }
        verify(&edit, &edit.result())
    };
    assert_eq!(with(&strange, true), []);
    assert!(with(&strange, false).iter().any(|found| matches!(found, Violation::Thinking { .. })));
    assert!(with(&strange, false).iter().any(|found| matches!(found, Violation::Parent { .. })));
    // A line that both have may still occur only once.
    assert!(with(&second, true).iter().any(|found| matches!(found, Violation::Duplicate { .. })));
}
