//! Questions about small sessions whose answers can be read off.

use super::*;
use crate::record::RecordKind;

/// A session with a rewind, parallel tools whose first result hangs beside the chain, a compaction, and side records.
const SESSION: [&str; 14] = [
    r#"{"type":"summary","summary":"a title","leafUuid":"x"}"#,
    r#"{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-01-01T00:00:01Z","message":{"role":"user","content":"look"}}"#,
    r#"{"type":"assistant","uuid":"t1","parentUuid":"u1","timestamp":"2026-01-01T00:00:02Z","requestId":"r","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{}}],"usage":{"output_tokens":1}}}"#,
    r#"{"type":"assistant","uuid":"t2","parentUuid":"t1","timestamp":"2026-01-01T00:00:03Z","requestId":"r","message":{"id":"m1","model":"x","content":[{"type":"tool_use","id":"c2","name":"Read","input":{}}],"usage":{"output_tokens":9}}}"#,
    r#"{"type":"user","uuid":"r1","parentUuid":"t1","timestamp":"2026-01-01T00:00:04Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a","is_error":true}]}}"#,
    r#"{"type":"user","uuid":"r2","parentUuid":"t2","timestamp":"2026-01-01T00:00:05Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":"b"}]}}"#,
    r#"{"type":"assistant","uuid":"a1","parentUuid":"r2","timestamp":"2026-01-01T00:00:06Z","message":{"id":"m2","model":"x","content":[{"type":"text","text":"seen"}],"usage":{"output_tokens":5}}}"#,
    r#"{"type":"user","uuid":"dead","parentUuid":"a1","timestamp":"2026-01-01T00:00:07Z","message":{"role":"user","content":"never mind"}}"#,
    r#"{"type":"user","uuid":"u2","parentUuid":"a1","timestamp":"2026-01-01T00:00:08Z","message":{"role":"user","content":"go on"}}"#,
    r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"u2","content":"compacted","timestamp":"2026-01-01T00:00:09Z"}"#,
    r#"{"type":"user","uuid":"s","parentUuid":"b","isCompactSummary":true,"timestamp":"2026-01-01T00:00:10Z","message":{"role":"user","content":"so far"}}"#,
    r#"{"type":"user","uuid":"meta","parentUuid":"s","isMeta":true,"timestamp":"2026-01-01T00:00:11Z","message":{"role":"user","content":"reminder"}}"#,
    r#"{"type":"assistant","uuid":"a2","parentUuid":"meta","timestamp":"2026-01-01T00:00:12Z","message":{"id":"m3","model":"x","content":[{"type":"text","text":"done"}],"usage":{"output_tokens":3}}}"#,
    r#"{"type":"user","uuid":"side","parentUuid":null,"isSidechain":true,"timestamp":"2026-01-01T00:00:13Z","message":{"role":"user","content":"for an agent"}}"#,
];

fn with(check: impl FnOnce(&Transcript<'_>, &Graph<'_>)) {
    let file = SESSION.join("\n") + "\n";
    let transcript = Transcript::parse(file.as_bytes());
    let graph = Graph::new(&transcript);
    check(&transcript, &graph);
}

/// The uuids of what a filter admits.
#[track_caller]
fn check(filter: Filter, expected: &str) {
    with(|transcript, graph| {
        let found = select(transcript, graph, &filter);
        assert_eq!(uuids(transcript, &found), expected, "{filter:?}");
    });
}

fn uuids(transcript: &Transcript<'_>, nodes: &[NodeIndex]) -> String {
    let uuid = |&node: &NodeIndex| transcript.nodes()[node].uuid.map_or("-".to_owned(), |id| id.to_string());
    nodes.iter().map(uuid).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_record_is_found_by_its_uuid_and_so_is_what_led_to_it() {
    with(|transcript, graph| {
        assert_eq!(by_uuid(transcript, "a1"), Some(NodeIndex::new(6)));
        assert_eq!(by_uuid(transcript, "gone"), None);
        assert_eq!(by_prefix(transcript, "a1"), RecordMatch::One(NodeIndex::new(6)));
        assert_eq!(by_prefix(transcript, "gone"), RecordMatch::Nothing);
        assert_eq!(uuids(transcript, &ancestry(transcript, graph, "a1").unwrap()), "u1 t1 t2 r2 a1");
        assert_eq!(uuids(transcript, &ancestry(transcript, graph, "s").unwrap()), "u1 t1 t2 r2 a1 u2 b s");
        assert_eq!(ancestry(transcript, graph, "gone"), None);
    });
}

#[test]
fn the_live_branch_has_parallel_results_and_what_a_compaction_hid_and_no_rewound_prompt() {
    let live = "u1 t1 t2 r1 r2 a1 u2 b s meta a2";
    check(Filter { scope: Scope::LiveBranch, ..Filter::default() }, live);
    check(Filter { scope: Scope::UpTo(NodeIndex::new(7)), ..Filter::default() }, "u1 t1 t2 r1 r2 a1 dead");
    // Nothing that was written after the record, even if it belongs to the same response.
    check(Filter { scope: Scope::UpTo(NodeIndex::new(2)), ..Filter::default() }, "u1 t1");
    with(|transcript, graph| {
        let said: Vec<_> = last(transcript, graph, 3).iter().map(Message::text).collect();
        assert_eq!(said, ["so far", "reminder", "done"]);
        assert_eq!(last(transcript, graph, 100).len(), 10);
        assert!(last(transcript, graph, 0).is_empty());
    });
}

#[test]
fn a_compaction_beside_the_chain_that_goes_on_from_what_it_kept_is_on_the_live_branch() {
    let line = |kind: &str, uuid: &str, parent: &str, second: u32, more: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:0{second}Z",{more}}}"#
        )
    };
    let words = r#""message":{"role":"user","content":"words"}"#;
    let boundary = r#""subtype":"compact_boundary","logicalParentUuid":"u2","compactMetadata":{"preservedSegment":{"headUuid":"u2","anchorUuid":"s","tailUuid":"u2"}}"#;
    let file = [
        line("user", "u1", "null", 1, words),
        line("user", "u2", "\"u1\"", 2, words),
        line("system", "b", "null", 3, boundary),
        line("user", "s", "\"b\"", 4, &format!(r#""isCompactSummary":true,{words}"#)),
        line("user", "u3", "\"u2\"", 5, words),
    ]
    .join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    let live = live_branch(&transcript, &Graph::new(&transcript));
    assert_eq!(uuids(&transcript, &live), "u1 u2 b s u3");
}

#[test]
fn a_file_that_no_client_resumes_has_a_live_branch_all_the_same() {
    let line = |uuid: &str, parent: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"isSidechain":true,"message":{{"content":"x"}}}}"#
        )
    };
    let file = [line("a", "null"), line("b", "\"a\""), line("c", "\"b\"")].join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    assert_eq!(live_branch(&transcript, &Graph::new(&transcript)), [0, 1, 2]);
    let empty = Transcript::parse(b"");
    assert!(live_branch(&empty, &Graph::new(&empty)).is_empty());
}

#[test]
fn filters_narrow() {
    let all = Filter::default;
    check(all(), "- u1 t1 t2 r1 r2 a1 dead u2 b s meta a2 side");
    check(Filter { kinds: vec![RecordKind::Assistant, RecordKind::Summary], ..all() }, "- t1 t2 a1 a2");
    check(Filter { lines: vec![LineKind::Prompt], ..all() }, "u1 dead u2 side");
    check(Filter { lines: vec![LineKind::Reply, LineKind::System], ..all() }, "a1 b a2");
    check(Filter { lines: vec![LineKind::Client], ..all() }, "s meta");
    check(Filter { tools: Inclusion::Only, ..all() }, "t1 t2 r1 r2");
    check(Filter { tools: Inclusion::Without, ..all() }, "- u1 a1 dead u2 b s meta a2 side");
    check(Filter { system: Inclusion::Only, ..all() }, "b");
    check(Filter { meta: Inclusion::Only, ..all() }, "meta");
    check(Filter { sidechains: Inclusion::Only, ..all() }, "side");
    let scope = Scope::LiveBranch;
    check(
        Filter {
            scope,
            tools: Inclusion::Without,
            system: Inclusion::Without,
            meta: Inclusion::Without,
            ..all()
        },
        "u1 a1 u2 s a2",
    );
}

#[test]
fn bounds_of_time_include_the_first_and_not_the_last_instant() {
    let second = |second: i64| Some(1_767_225_600_000 + second * 1000);
    check(Filter { since: second(8), until: second(10), ..Filter::default() }, "u2 b");
    // A record without a time is in no period.
    check(Filter { since: Some(0), kinds: vec![RecordKind::Summary], ..Filter::default() }, "");
}

#[test]
fn everything_is_counted() {
    with(|transcript, graph| {
        let counts = Counts::of(transcript, graph);
        assert_eq!((counts.records, counts.kinds[&RecordKind::User], counts.kinds.len()), (14, 8, 4));
        assert_eq!(counts.messages, MessageCounts { user: 8, assistant: 3, system: 1 });
        assert_eq!(counts.messages.total(), 12);
        assert_eq!((counts.prompts, counts.responses, counts.compactions), (3, 3, 1));
        assert_eq!((counts.tool_calls, counts.tool_results, counts.tool_errors), (2, 2, 1));
        assert_eq!((counts.api_errors, counts.sidechain_lines), (0, 1));
        assert_eq!(counts.tokens.output, 9 + 5 + 3);
    });
}

#[test]
fn a_line_that_was_written_twice_counts_once() {
    let error = r#"{"type":"assistant","uuid":"e","parentUuid":"u1","isApiErrorMessage":true,"message":{"id":"m9","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#;
    let file = [SESSION[1], error, error, SESSION[1]].join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    let counts = Counts::of(&transcript, &Graph::new(&transcript));
    assert_eq!((counts.records, counts.messages.total()), (4, 2));
    assert_eq!((counts.api_errors, counts.responses), (1, 0));
}

#[test]
fn the_beginning_of_an_id_names_its_record_if_it_is_the_only_one() {
    let line =
        |uuid: &str| format!(r#"{{"type":"user","uuid":"{uuid}","message":{{"content":"x"}}}}"#) + "\n";
    let file = [line("7fd31ab8-1"), line("7fd31ab9-1"), line("7fd31ab9-1"), line("7fd3")].concat();
    let transcript = Transcript::parse(file.as_bytes());
    let named = |text: &str| by_prefix(&transcript, text);
    assert_eq!(named("7fd31ab8"), RecordMatch::One(NodeIndex::new(0)));
    assert_eq!(named("7fd31ab9"), RecordMatch::One(NodeIndex::new(2)));
    assert_eq!(named("7fd31"), RecordMatch::Several(2));
    assert_eq!(named("7fd3"), RecordMatch::One(NodeIndex::new(3)));
    assert_eq!((named("7fd"), named("8888")), (RecordMatch::Nothing, RecordMatch::Nothing));
}
