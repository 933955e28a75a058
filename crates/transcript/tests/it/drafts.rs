//! Drafted records: every key and kind is known, and all clients read them as intended.

use annals_json::Fields;
use annals_transcript::draft::{
    AgentResultDraft, CompactionTrigger, Continuation, Draft, FileBackupDraft, Origin, PlacementDefaults,
    PlacementError, PromptContent, QueueStep, ResponseDraft, Retry, SnapshotKind, StopHookSummaryDraft,
    ThreadKind, ToolOutcome, ToolResultDraft,
};
use annals_transcript::record::{Envelope, Record};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::{NodeIndex, Transcript};

fn origin() -> Origin {
    Origin {
        session: "s".into(),
        agent: None,
        cwd: "/w".into(),
        version: "2.1.112".into(),
        git_branch: "HEAD".into(),
        entrypoint: Some("cli".into()),
        slug: Some("calm-rowing-fern".into()),
    }
}

/// A file in the making: drafts get their places as a writer would give them.
struct File {
    bytes: Vec<u8>,
    state: Continuation,
    count: u32,
}

impl File {
    fn new() -> Self {
        Self { bytes: Vec::new(), state: Continuation::new(ThreadKind::Main), count: 0 }
    }

    fn add(&mut self, draft: &Draft) -> Result<String, PlacementError> {
        self.count += 1;
        let fresh = PlacementDefaults { uuid: format!("u{}", self.count), now: 1_767_225_600_000 };
        let placement = self.state.place(draft, fresh)?;
        let line = draft.line(&origin(), &placement);
        assert!(!line.contains(&b'\n'));
        let (fields, _) = Fields::scan(&line).unwrap();
        self.state.absorb(&Record::new(fields));
        self.bytes.extend_from_slice(&line);
        self.bytes.push(b'\n');
        Ok(placement.uuid)
    }
}

fn response(id: &str, blocks: &[&str], stop: &str) -> Vec<Draft> {
    let blocks: Vec<&[u8]> = blocks.iter().map(|block| block.as_bytes()).collect();
    let usage = br#"{"input_tokens":7,"output_tokens":40}"#;
    ResponseDraft {
        message: id,
        request: Some("req"),
        model: "claude-opus-4-5",
        blocks: &blocks,
        stop_reason: Some(stop),
        usage: Some(usage),
    }
    .drafts()
}

fn tool_answer(call: &str, content: &str) -> Draft {
    Draft::tool_result(ToolResultDraft {
        tool_use: call,
        content: content.as_bytes(),
        outcome: ToolOutcome::Done,
        shown: Some(br#"{"stdout":"x","stderr":"","interrupted":false,"isImage":false}"#),
    })
}

fn every_kind() -> Vec<Draft> {
    let backups = [
        FileBackupDraft {
            path: "a.rs".into(),
            name: Some("00ff@v2".into()),
            version: 2,
            time: "2026-01-01T00:00:00.000Z".into(),
        },
        FileBackupDraft {
            path: "b.rs".into(),
            name: None,
            version: 1,
            time: "2026-01-01T00:00:00.000Z".into(),
        },
    ];
    let mut drafts = vec![
        Draft::queue_operation(QueueStep::Enqueue, Some(b"\"go\"")),
        Draft::queue_operation(QueueStep::Dequeue, None),
        Draft::file_history_snapshot("u3", SnapshotKind::New, &backups, "2026-01-01T00:00:00.000Z"),
        Draft::prompt(PromptContent::Text("look")),
        Draft::prompt(PromptContent::Blocks(
            br#"[{"type":"text","text":"this"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}]"#,
        )),
        Draft::meta_prompt(PromptContent::Text("a command's text")),
        Draft::attachment(br#"{"type":"todo_reminder","content":[],"itemCount":0}"#),
    ];
    drafts.extend(response(
        "m1",
        &[
            r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#,
            r#"{"type":"text","text":"I look."}"#,
            r#"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}"#,
            r#"{"type":"tool_use","id":"t2","name":"Task","input":{"prompt":"dig","description":"d","subagent_type":"x"}}"#,
        ],
        "tool_use",
    ));
    drafts.push(Draft::progress(
        br#"{"type":"bash_progress","output":"x","elapsedTimeSeconds":1}"#,
        "bash-0",
        "t1",
    ));
    drafts.push(tool_answer("t1", "\"listed\""));
    drafts.push(Draft::agent_result(AgentResultDraft {
        tool_use: "t2",
        agent: "a1",
        prompt: "dig",
        text: "dug",
        duration_ms: 5,
        tokens: 9,
        tool_uses: 1,
        usage: Some(br#"{"input_tokens":1,"output_tokens":2}"#),
    }));
    drafts.push(Draft::file_history_delta("u3", "u3", &backups[..1]));
    drafts.push(Draft::api_error(br#"{"status":529}"#, Retry { in_ms: 500, attempt: 1, most: 10 }));
    drafts.extend(response("m2", &[r#"{"type":"text","text":"Done."}"#], "end_turn"));
    drafts.push(Draft::turn_duration(1234, Some(9)));
    drafts.push(Draft::informational("by the way"));
    let hooks = vec![("lint", Some(82)), ("callback", None)];
    drafts.push(Draft::stop_hook_summary(&StopHookSummaryDraft { hooks, ..Default::default() }));
    drafts.push(Draft::pr_link(3, "https://example.org/pull/3", "a/b"));
    drafts.push(Draft::summary("A title", "u4"));
    drafts.extend([
        Draft::ai_title("Ai"),
        Draft::custom_title("Mine"),
        Draft::tag("t"),
        Draft::mode("normal"),
    ]);
    drafts.extend([Draft::permission_mode("default"), Draft::last_prompt("look", None)]);
    drafts.push(Draft::local_command("<command-name>/x</command-name>"));
    drafts
}

#[test]
fn every_key_of_every_kind_has_a_name() {
    let mut file = File::new();
    for draft in every_kind() {
        file.add(&draft).unwrap();
    }
    let transcript = Transcript::parse(&file.bytes);
    assert_eq!(transcript.problems(), []);
    for (_, record) in transcript.records() {
        let envelope = if record.kind().is_chain() { Envelope::KNOWN_KEYS } else { &[] };
        let known = [record.known_keys(), envelope].concat();
        for field in record.fields().iter() {
            let key = field.key.decode();
            assert!(key == "type" || known.contains(&&*key), "{}: {key}", record.kind().name());
        }
    }
}

#[test]
fn every_client_reads_what_was_meant() {
    let mut file = File::new();
    for draft in every_kind() {
        file.add(&draft).unwrap();
    }
    let transcript = Transcript::parse(&file.bytes);
    for &client in Client::ALL {
        let resumed = resume(&transcript, client);
        let roles: Vec<_> = resumed.messages().iter().map(|message| message.role).collect();
        let mut json = Vec::new();
        resumed.write_json(&mut json);
        let text = String::from_utf8(json).unwrap();
        use annals_transcript::resume::Role::{Assistant, User};
        assert_eq!(roles[..4], [User, Assistant, User, Assistant], "{client}: {text}");
        for needed in
            ["I look.", "c2ln", "aGk=", "a command's text", "listed", "dug", "Done.", "\"t1\"", "\"t2\""]
        {
            assert!(text.contains(needed), "{client} lost {needed}: {text}");
        }
    }
}

#[test]
fn a_compaction_starts_a_chain_and_names_the_old_one() {
    let mut file = File::new();
    let first = file.add(&Draft::prompt(PromptContent::Text("old"))).unwrap();
    let boundary = file.add(&Draft::compact_boundary(CompactionTrigger::Manual, 1000, |_| {})).unwrap();
    let summary = file.add(&Draft::compact_summary("what was said")).unwrap();
    let transcript = Transcript::parse(&file.bytes);
    let nodes = transcript.nodes();
    assert_eq!(nodes[1].parent, annals_transcript::transcript::Parent::Null);
    assert!(transcript.record(NodeIndex::new(1)).envelope().logical_parent().unwrap().is(&first));
    assert!(nodes[2].parent.id().unwrap().is(&boundary));
    assert_eq!(file.state.tip(), Some(summary.as_str()));
    for &client in Client::ALL {
        let resumed = resume(&transcript, client);
        let mut json = Vec::new();
        resumed.write_json(&mut json);
        let text = String::from_utf8(json).unwrap();
        assert!(text.contains("what was said") && !text.contains("\"old\""), "{client}: {text}");
    }
}

#[test]
fn only_the_last_line_of_a_response_says_how_it_ended_and_what_it_cost() {
    let mut file = File::new();
    file.add(&Draft::prompt(PromptContent::Text("x"))).unwrap();
    for draft in
        response("m", &[r#"{"type":"text","text":"a"}"#, r#"{"type":"text","text":"b"}"#], "end_turn")
    {
        file.add(&draft).unwrap();
    }
    let transcript = Transcript::parse(&file.bytes);
    let ends: Vec<_> = transcript
        .records()
        .filter_map(|(_, record)| match record {
            Record::Assistant(line) => line.message(),
            _ => None,
        })
        .map(|message| {
            let output = message.fields().get("usage").and_then(|usage| usage.get("output_tokens")?.count());
            (message.stop_reason().map(|text| text.to_string()), output)
        })
        .collect();
    assert_eq!(ends, [(None, Some(1)), (Some("end_turn".to_owned()), Some(40))]);
}

#[test]
fn what_has_no_place_is_refused_and_moves_nothing() {
    let mut file = File::new();
    let first = file.add(&Draft::prompt(PromptContent::Text("x"))).unwrap();
    for draft in response("m", &[r#"{"type":"tool_use","id":"t1","name":"Bash","input":{}}"#], "tool_use") {
        file.add(&draft).unwrap();
    }
    let tip = file.state.tip().unwrap().to_owned();
    let given = |json: &str| Draft::from_json(json.as_bytes()).unwrap();
    let message = r#""type":"user","message":{"role":"user","content":"y"}"#;
    let refused = [
        (given(&format!(r#"{{{message},"uuid":"{first}"}}"#)), PlacementError::Duplicate(first.clone())),
        (
            given(&format!(r#"{{{message},"parentUuid":"gone"}}"#)),
            PlacementError::UnknownParent("gone".into()),
        ),
        (given(&format!(r#"{{{message},"timestamp":"soon"}}"#)), PlacementError::BadTimestamp("soon".into())),
        (tool_answer("t9", "\"z\""), PlacementError::UnknownCall("t9".into())),
    ];
    for (draft, expected) in refused {
        assert_eq!(file.add(&draft), Err(expected));
        assert_eq!(file.state.tip(), Some(tip.as_str()));
    }
    file.add(&tool_answer("t1", "\"z\"")).unwrap();
    assert_eq!(file.add(&tool_answer("t1", "\"z\"")), Err(PlacementError::AlreadyAnswered("t1".into())));
}

#[test]
fn nobody_is_a_child_of_progress_and_time_never_runs_back() {
    let mut file = File::new();
    let prompt = file.add(&Draft::prompt(PromptContent::Text("x"))).unwrap();
    file.add(&Draft::progress(b"{\"type\":\"bash_progress\"}", "a", "b")).unwrap();
    assert_eq!(file.state.tip(), Some(prompt.as_str()));
    file.add(&Draft::prompt(PromptContent::Text("y"))).unwrap();
    let transcript = Transcript::parse(&file.bytes);
    let times: Vec<_> = transcript.nodes().iter().map(|node| node.millis.unwrap()).collect();
    assert!(times.is_sorted() && times[0] < times[2], "{times:?}");
}

#[test]
fn a_parent_that_is_progress_gives_way_to_the_line_above_it() {
    let mut file = File::new();
    let prompt = file.add(&Draft::prompt(PromptContent::Text("x"))).unwrap();
    let progress = Draft::progress(b"{\"type\":\"bash_progress\"}", "a", "b");
    let first = file.add(&progress).unwrap();
    let second = file.add(&progress.clone().with_parent(Some(&first))).unwrap();
    // Named by a record of another program, or as the line to go on from.
    let given = format!(
        r#"{{"type":"user","message":{{"role":"user","content":"y"}},"parentUuid":"{second}","uuid":"own"}}"#
    );
    file.add(&Draft::from_json(given.as_bytes()).unwrap()).unwrap();
    file.add(&Draft::last_prompt("x", Some(&first))).unwrap();
    file.add(&Draft::prompt(PromptContent::Text("z"))).unwrap();
    let transcript = Transcript::parse(&file.bytes);
    let parents: Vec<_> = transcript
        .nodes()
        .iter()
        .filter(|node| node.uuid.is_some())
        .map(|node| node.parent.id().map(|id| id.to_string()))
        .collect();
    assert_eq!(
        parents[1..],
        [Some(prompt.clone()), Some(prompt.clone()), Some(prompt.clone()), Some(prompt)]
    );
}

#[test]
fn times_end_before_they_cannot_be_said() {
    let mut file = File::new();
    let late = |time: &str| Draft::prompt(PromptContent::Text("x")).with_timestamp(time);
    let last = "9999-12-31T23:59:59.999Z";
    assert_eq!(file.add(&late(last)), Err(PlacementError::BadTimestamp(last.into())));
    file.add(&late("9998-12-30T00:00:00.000Z")).unwrap();
    // Written by somebody else: what follows can at least be read.
    let foreign = format!(r#"{{"type":"user","uuid":"f","timestamp":"{last}","message":{{"content":"x"}}}}"#);
    file.state.absorb(&Record::new(Fields::scan(foreign.as_bytes()).unwrap().0));
    file.add(&Draft::prompt(PromptContent::Text("y"))).unwrap();
    assert!(String::from_utf8_lossy(&file.bytes).ends_with(&format!(
        r#""timestamp":"{last}","userType":"external","entrypoint":"cli","cwd":"/w","sessionId":"s","version":"2.1.112","gitBranch":"HEAD","slug":"calm-rowing-fern"}}{}"#,
        "\n"
    )));
}

#[test]
fn a_field_is_written_once_and_the_place_is_not_the_drafts() {
    let draft = Draft::prompt(PromptContent::Text("x"))
        .field("odd", b"1")
        .field("cwd", b" \"/elsewhere\" ")
        .field("odd", b"[ 2 ]")
        .field("isSidechain", b"true")
        .field("sessionId", b"\"other\"")
        .field("bad", b"{\n")
        .field("worse", b"\"\xff\"");
    let line = String::from_utf8(draft.line(&origin(), &Default::default())).unwrap();
    let expected = concat!(
        r#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"x"},"#,
        r#""odd":[2],"cwd":"/elsewhere","bad":null,"worse":null,"uuid":"","timestamp":"","userType":"external","#,
        r#""entrypoint":"cli","sessionId":"s","version":"2.1.112","gitBranch":"HEAD","slug":"calm-rowing-fern"}"#,
    );
    assert_eq!(line, expected);
}

#[test]
fn what_is_not_json_is_said_in_words() {
    let mut file = File::new();
    file.add(&Draft::prompt(PromptContent::Blocks(b"[{\n"))).unwrap();
    for draft in
        response("m", &["{\"type\":\n", r#"{"type":"tool_use","id":"t","name":"B","input":{}}"#], "x")
    {
        file.add(&draft).unwrap();
    }
    file.add(&tool_answer("t", "\"half")).unwrap();
    let transcript = Transcript::parse(&file.bytes);
    assert_eq!((transcript.problems(), transcript.nodes().len()), (&[][..], 4));
    for &client in Client::ALL {
        let mut json = Vec::new();
        resume(&transcript, client).write_json(&mut json);
        let text = String::from_utf8(json).unwrap();
        for needed in [r#""[{\n""#, r#"{\"type\":\n"#, r#"\"half"#] {
            assert!(text.contains(needed), "{client} lost {needed}: {text}");
        }
    }
}

#[test]
fn the_tip_is_where_the_newest_client_goes_on() {
    let line = |uuid: &str, parent: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:00.000Z","isSidechain":false,"sessionId":"s","message":{{"role":"user","content":"{uuid}"}}}}"#
        )
    };
    let check = |lines: &[String], expected: &str| {
        let bytes = lines.join("\n").into_bytes();
        let state = Continuation::of(&Transcript::parse(&bytes), ThreadKind::Main);
        assert_eq!(state.tip(), Some(expected), "{lines:#?}");
    };
    let base = [line("a", "null"), line("b", "\"a\""), line("c", "\"a\"")];
    check(&base, "c");
    let last = |rest: &str| format!(r#"{{"type":"last-prompt","lastPrompt":"x","sessionId":"s",{rest}}}"#);
    let with = |extra: String| [base.to_vec(), vec![extra]].concat();
    check(&with(last(r#""leafUuid":"b""#)), "b");
    check(&with(last(r#""leafUuid":"a""#)), "c");
    check(&with(last(r#""leafUuid":"a","explicit":true"#)), "a");
    check(&with(last(r#""leafUuid":"nowhere""#)), "c");
    let turn = r#"{"type":"system","subtype":"turn_duration","durationMs":1,"uuid":"d","parentUuid":"c","timestamp":"2026-01-01T00:00:00.000Z","isSidechain":false}"#;
    check(&with(turn.to_owned()), "d");
}

#[test]
fn a_snapshot_is_what_the_client_writes() {
    let time = "2026-01-03T15:44:58.325Z";
    let kept = |path: &str, name: Option<&str>, version| FileBackupDraft {
        path: path.into(),
        name: name.map(str::to_owned),
        version,
        time: time.into(),
    };
    let backups = [kept("src/a \"b\".rs", Some("00ff@v2"), 2), kept("new.rs", None, 1)];
    let draft = Draft::file_history_snapshot("m2", SnapshotKind::UpdateOf("m1"), &backups, time);
    let line = String::from_utf8(draft.line(&origin(), &Default::default())).unwrap();
    let expected = concat!(
        r#"{"type":"file-history-snapshot","messageId":"m2","snapshot":{"messageId":"m1","trackedFileBackups":"#,
        r#"{"src/a \"b\".rs":{"backupFileName":"00ff@v2","version":2,"backupTime":"2026-01-03T15:44:58.325Z"},"#,
        r#""new.rs":{"backupFileName":null,"version":1,"backupTime":"2026-01-03T15:44:58.325Z"}},"#,
        r#""timestamp":"2026-01-03T15:44:58.325Z"},"isSnapshotUpdate":true}"#,
    );
    assert_eq!(line, expected);
}
