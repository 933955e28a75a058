//! From the lines of the chain to messages: which are sent, joined, paired and filled in.

use annals_transcript::resume::{BlockOrigin, OmissionReason, resume};
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::resume::{
    MID, NEW, OLD, asking, call, check, condensed, replying, result, session, text, thinking,
};

#[test]
fn prompts_run_together_and_replies_stay_apart() {
    check("u U1\n u U2\n u U3\n a A1", &[(&[OLD, MID, NEW], "U[U1 | U2 | U3] A[A1]")]);
    check("u U1\n a A1\n a A2\n u U2\n a A3", &[(&[OLD, MID, NEW], "U[U1] A[A1] A[A2] U[U2] A[A3]")]);
    check("u U1\n a A1 mid=m\n a A2 mid=m", &[(&[OLD, MID, NEW], "U[U1] A[A1 | A2]")]);
    check("u U1\n a A1 mid=m\n u U2\n a A2 mid=m", &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
}

#[test]
fn what_the_client_says_in_the_users_name_is_sent() {
    for flag in ["isMeta", "isVisibleInTranscriptOnly", "isCompactSummary"] {
        let file = format!("u U1\n a A1\n u M {{\"{flag}\":true}}\n u U2\n a A2");
        check(&file, &[(&[OLD, MID, NEW], "U[U1] A[A1] U[M | U2] A[A2]")]);
    }
    let command = "u U1\n a A1\n s:local_command S {\"content\":\"LC\"}\n u U2\n a A2";
    check(command, &[(&[OLD], "U[U1] A[A1] U[U2] A[A2]"), (&[MID, NEW], "U[U1] A[A1] U[LC | U2] A[A2]")]);
    let notices = "u U1\n a A1\n s:informational S\n s:turn_duration T\n u U2\n a A2";
    check(notices, &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    let notification = r#"u U1
        a A1
        u N {"origin":{"kind":"task-notification"}}
        a A2"#;
    check(
        notification,
        &[(&[OLD, MID], "U[U1] A[A1] U[N] A[A2]"), (&[NEW], "U[U1] A[A1] U[reminder] A[A2]")],
    );
}

#[test]
fn only_the_clients_own_error_reports_are_left_out() {
    let synthetic = |error: &str| {
        format!(
            r#"u U1
            a E {{"message":{{"id":"e","model":"<synthetic>","content":[{}]}}{error}}}
            u U2
            a A2"#,
            text("E")
        )
    };
    check(&synthetic(r#","isApiErrorMessage":true"#), &[(&[OLD, MID, NEW], "U[U1 | U2] A[A2]")]);
    check(&synthetic(r#","isApiErrorMessage":false"#), &[(&[OLD, MID, NEW], "U[U1] A[E] U[U2] A[A2]")]);
    check(&synthetic(""), &[(&[OLD, MID, NEW], "U[U1] A[E] U[U2] A[A2]")]);
    let flagged = "u U1\n a E {\"isApiErrorMessage\":true}\n u U2\n a A2";
    check(flagged, &[(&[OLD, MID, NEW], "U[U1] A[E] U[U2] A[A2]")]);
}

#[test]
fn replies_that_say_nothing_are_dropped() {
    let saying = |blocks: &[String]| format!("u U1\n a X {}\n u U2\n a A2", replying("x", blocks));
    let gone = "U[U1 | U2] A[A2]";
    check(&saying(&[text(r"\n\n")]), &[(&[OLD], "U[U1] U[U2] A[A2]"), (&[MID, NEW], gone)]);
    check(&saying(&[thinking()]), &[(&[OLD], "U[U1] A[thinking] U[U2] A[A2]"), (&[MID, NEW], gone)]);
    check(
        &saying(&[thinking(), text(r"\n")]),
        &[(&[OLD, MID], "U[U1] A[thinking | \n] U[U2] A[A2]"), (&[NEW], gone)],
    );
    check(
        &saying(&[text(""), text("y")]),
        &[(&[OLD, MID], "U[U1] A[ | y] U[U2] A[A2]"), (&[NEW], "U[U1] A[y] U[U2] A[A2]")],
    );
    check(&saying(&[]), &[(&[OLD], gone), (&[MID, NEW], "U[U1] A[(no content)] U[U2] A[A2]")]);
    check(&saying(&[text("x"), thinking()]), &[(&[OLD, MID, NEW], "U[U1] A[x | thinking] U[U2] A[A2]")]);
    let split = format!("u U1\n a X {}\n a A1 mid=x\n u U2\n a A2", replying("x", &[thinking()]));
    check(&split, &[(&[OLD, MID, NEW], "U[U1] A[thinking | A1] U[U2] A[A2]")]);
    let blank_line = format!("u U1\n a X {}\n t T1 mid=x\n r T1\n a A2", replying("x", &[text(r"\n")]));
    check(&blank_line, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
}

#[test]
fn prompts_without_content() {
    let asked =
        |content: &str| format!("u U1\n a A1\n u U2 {{\"message\":{{\"content\":{content}}}}}\n a A2");
    check(&asked("\"\""), &[(&[OLD, MID, NEW], "U[U1] A[A1] A[A2]")]);
    check(&asked("[]"), &[(&[OLD, MID, NEW], "U[U1] A[A1] A[A2]")]);
    check(&asked("\"  \""), &[(&[OLD, MID, NEW], "U[U1] A[A1] U[  ] A[A2]")]);
    check(&asked(&format!("[{}]", text(""))), &[(&[NEW], "U[U1] A[A1] U[(no content)] A[A2]")]);
    let refused = "refused: a message has no content, or content that this client cannot read";
    check(&asked("null"), &[(&[OLD, MID], refused), (&[NEW], "U[U1] A[A1] A[A2]")]);
    let string_reply = "u U1\n a A1 {\"message\":{\"content\":\"words\"}}\n u U2\n a A2";
    check(string_reply, &[(&[OLD, MID], refused), (&[NEW], "U[U1] A[words] U[U2] A[A2]")]);
}

#[test]
fn calls_without_a_result_go() {
    check("u U1\n t T1\n u U2\n a A2", &[(&[OLD, MID, NEW], "U[U1 | U2] A[A2]")]);
    check("u U1\n a A1 mid=m\n t T1 mid=m\n u U2\n a A2", &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    let one_line = format!("u U1\n a X {}\n u U2\n a A2", replying("x", &[text("x"), call("T1")]));
    check(&one_line, &[(&[OLD], "U[U1] A[x] U[U2] A[A2]"), (&[MID, NEW], "U[U1 | U2] A[A2]")]);
    let half = format!("u U1\n a X {}\n r T1\n a A2", replying("x", &[call("T1"), call("T2")]));
    check(
        &half,
        &[
            (&[OLD], "U[U1] A[call T1] U[result T1] A[A2]"),
            (&[MID, NEW], "U[U1] A[call T1 | call T2] U[result T2! | result T1] A[A2]"),
        ],
    );
}

#[test]
fn calls_open_at_the_end_stay_with_an_error() {
    let end = "U[U1] A[call T1] U[result T1!] A[No response requested.]";
    let gone = "U[U1] A[No response requested.]";
    check("u U1\n t T1", &[(&[OLD, MID], gone), (&[NEW], end)]);
    check("u U1\n t T1\n s:turn_duration S", &[(&[OLD], "U[U1]"), (&[MID], gone), (&[NEW], end)]);
    check("u U1\n t T1\n u U2", &[(&[MID, NEW], "U[U1 | U2] A[No response requested.]")]);
    check("u U1\n t T1\n t T2", &[(&[NEW], "U[U1] A[call T2] U[result T2!] A[No response requested.]")]);
    let partly = "u U1\n t T1 mid=m\n t T2 mid=m\n r T1";
    check(
        partly,
        &[
            (&[OLD], "U[U1] A[call T1] U[result T1] A[No response requested.]"),
            (
                &[MID],
                "U[U1] A[call T1] U[result T1 | Continue from where you left off.] A[No response requested.]",
            ),
            (&[NEW], "U[U1] A[call T1 | call T2] U[result T1 | result T2!] A[No response requested.]"),
        ],
    );
}

#[test]
fn calls_passed_over_in_an_open_turn_stay() {
    let start = "u U1\n t T1\n t T2\n r T2\n";
    let open = "U[U1] A[call T1] U[result T1!] A[call T2] U[result T2]";
    check(start, &[(&[NEW], &format!("{open} A[No response requested.]"))]);
    check(
        &format!("{start} t T3"),
        &[(&[NEW], &format!("{open} A[call T3] U[result T3!] A[No response requested.]"))],
    );
    check(&format!("{start} a A2"), &[(&[NEW], "U[U1] A[call T2] U[result T2] A[A2]")]);
    check(
        &format!("{start} u U2"),
        &[(&[NEW], "U[U1] A[call T2] U[result T2 | U2] A[No response requested.]")],
    );
}

#[test]
fn the_reply_to_the_last_message_stands_before_slash_commands() {
    let file = "u U1\n s:local_command S {\"content\":\"LC\"}";
    check(
        file,
        &[(&[MID], "U[U1] A[No response requested.]"), (&[NEW], "U[U1] A[No response requested.] U[LC]")],
    );
    let attached = "u U1\n x:critical_system_reminder X";
    check(attached, &[(&[NEW], "U[reminder | U1] A[No response requested.]")]);
    let commands = r#"u U1
        a A1
        u C {"isMeta":true,"message":{"content":"<local-command-caveat>c"}}
        u N {"message":{"content":"<command-name>/exit"}}
        u O {"message":{"content":"<local-command-stdout>bye"}}"#;
    let sent = "U[U1] A[A1] U[<local-command-caveat>c | <command-name>/exit | <local-command-stdout>bye]";
    check(commands, &[(&[OLD, MID], &format!("{sent} A[No response requested.]")), (&[NEW], sent)]);
}

#[test]
fn results_must_stand_behind_their_calls() {
    let orphan = "u U1\n a A1\n r GONE\n a A2";
    check(
        orphan,
        &[(&[OLD], "U[U1] A[A1] U[result GONE] A[A2]"), (&[MID, NEW], "U[U1] A[A1] U[(no content)] A[A2]")],
    );
    check(
        "r GONE\n a A1",
        &[(&[MID], "A[A1]"), (&[NEW], "U[[Orphaned tool result removed due to conversation resume]] A[A1]")],
    );
    let twice = "u U1\n t T1\n r T1\n u X {\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"T1\"}]}}\n a A2";
    check(twice, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
    let repeated = format!(
        "u U1\n t T1\n r T1\n a X {}\n u Y {}\n a A2",
        replying("x", &[call("T1")]),
        asking(&[result("T1")])
    );
    check(
        &repeated,
        &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[[Tool use interrupted]] U[(no content)] A[A2]")],
    );
    let much_later = "u U1\n t T1\n u U2\n a A1\n r T1\n a A2";
    check(much_later, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1! | U2] A[A1] U[(no content)] A[A2]")]);
    check(
        "u U1\n t T1\n u U2\n r T1\n a A2",
        &[(&[OLD, MID, NEW], "U[U1] A[call T1] U[result T1 | U2] A[A2]")],
    );
}

#[test]
fn one_client_puts_results_just_before_their_call_behind_it() {
    let before = "u U1\n r T1\n t T1\n a A2";
    check(
        before,
        &[
            (&[OLD], "U[result T1 | U1] A[call T1] A[A2]"),
            (&[MID], "U[U1] A[call T1] U[result T1!] A[A2]"),
            (&[NEW], "U[U1] A[call T1] U[result T1] A[A2]"),
        ],
    );
    let two = "u U1\n r T1\n r T2\n t T1 mid=m\n t T2 mid=m\n a A2";
    check(two, &[(&[NEW], "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2]")]);
    check("u U1\n r T1\n u U2\n t T1\n a A2", &[(&[NEW], "U[U1 | U2] A[call T1] U[result T1!] A[A2]")]);
}

#[test]
fn lines_of_a_response_find_each_other_over_results() {
    let joined = "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2]";
    for between in ["", "s:turn_duration S", "x:command_permissions X"] {
        let file = format!("u U1\n t T1 mid=m\n r T1\n {between}\n t T2 mid=m\n r T2\n a A2");
        check(&file, &[(&[OLD, MID, NEW], joined)]);
    }
    let other_between = "u U1\n t T1 mid=m\n r T1\n a B\n t T2 mid=m\n r T2\n a A2";
    check(
        other_between,
        &[
            (&[OLD], "U[U1] A[call T1] U[result T1] A[B] A[call T2] U[result T2] A[A2]"),
            (&[MID, NEW], "U[U1] A[call T1 | call T2] U[result T2! | result T1] A[B] U[(no content)] A[A2]"),
        ],
    );
    let text_after_call = "u U1\n t T1 mid=m\n r T1\n a Y mid=m\n u U2\n a A2";
    check(
        text_after_call,
        &[
            (&[MID], "U[U1] A[call T1 | Y] U[result T1 | U2] A[A2]"),
            (&[NEW], "U[U1] A[Y | call T1] U[result T1 | U2] A[A2]"),
        ],
    );
}

#[test]
fn attachments_go_before_the_prompt_and_behind_results() {
    let known =
        "u U1\n x:critical_system_reminder X\n a A1\n t T1\n r T1\n x:critical_system_reminder Y\n a A2";
    check(known, &[(&[OLD, MID, NEW], "U[reminder | U1] A[A1] A[call T1] U[result T1 | reminder] A[A2]")]);
    let by_client = [("date_change", [false, true, true]), ("task_reminder", [false, false, true])];
    let more = [
        ("todo_reminder", [true, true, false]),
        ("command_permissions", [false; 3]),
        ("of_the_future", [false; 3]),
    ];
    for (word, sent) in by_client.into_iter().chain(more) {
        let file = session(&format!("u U1\n x:{word} X\n a A1"));
        for (client, is_sent) in [OLD, MID, NEW].into_iter().zip(sent) {
            let expected = if is_sent { "U[reminder | U1] A[A1]" } else { "U[U1] A[A1]" };
            assert_eq!(condensed(&file, client), expected, "{word} {client}");
        }
    }
    let image = r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#;
    let queued = format!(
        "u U1\n x:q X {{\"attachment\":{{\"type\":\"queued_command\",\"prompt\":[{image}]}}}}\n a A1"
    );
    check(&queued, &[(&[OLD], "U[reminder | U1] A[A1]"), (&[MID, NEW], "U[reminder | image | U1] A[A1]")]);
}

#[test]
fn blocks_of_the_file_keep_their_bytes() {
    let block = r#"{ "type":"thinking",  "thinking":"\u00e4 \ud83d","signature":"a\/b" }"#;
    let file = session(&format!(
        "u U1\n a X {}\n t T1 mid=x\n r T1\n a A2\n u S {{\"message\":{{\"content\":\"half \\ud83d\"}}}}",
        replying("x", &[block.to_owned()])
    ));
    let transcript = Transcript::parse(&file);
    for (client, half) in [(OLD, r"half \ud83d"), (MID, r"half \ud83d"), (NEW, r"half \ufffd")] {
        let mut json = Vec::new();
        resume(&transcript, client).write_json(&mut json);
        let json = String::from_utf8(json).unwrap();
        assert!(json.contains(block), "{client}: {json}");
        assert!(json.contains(r#""input":{"n":1.50}"#), "{client}");
        assert!(json.contains(half), "{client}");
    }
}

#[test]
fn whatever_is_left_out_has_a_reason() {
    let file = session(
        r#"u U1
        a A1
        u OTHER
        p P
        x:command_permissions X <A1
        s:turn_duration N
        u SIDE <- {"isSidechain":true}
        u APART <- @100
        u U2 <N @300
        a A2"#,
    );
    let transcript = Transcript::parse(&file);
    let resumed = resume(&transcript, NEW);
    let reasons: Vec<_> =
        resumed.left_out.iter().map(|left| (left.uuid.unwrap().decode().into_owned(), left.reason)).collect();
    let expected = [
        ("OTHER", OmissionReason::OtherBranch),
        ("P", OmissionReason::Progress),
        ("X", OmissionReason::AttachmentNotWorded),
        ("N", OmissionReason::Notice),
        ("SIDE", OmissionReason::Sidechain),
        ("APART", OmissionReason::NotConnected),
    ];
    assert_eq!(reasons, expected.map(|(id, reason)| (id.to_owned(), reason)));
    let first = &resumed.outcome.as_ref().unwrap()[0].blocks[0];
    assert_eq!(first.origin, BlockOrigin::Record(NodeIndex::FIRST));
}

#[test]
fn a_large_file_is_read_from_its_last_plain_boundary() {
    let file = |padding: usize| {
        let content = "x".repeat(padding);
        format!(
            "u U1\n a A1\n u PAD {{\"message\":{{\"content\":\"{content}\"}}}}\n a A2\n b B\n m SUM\n u U3 <A2\n a A3"
        )
    };
    let limit = 5 * 1024 * 1024;
    let padding = limit - session(&file(0)).len();
    let cut = "U[SUM | U3] A[A3]";
    for client in [MID, NEW] {
        assert_ne!(condensed(&session(&file(padding)), client), cut);
        assert_eq!(condensed(&session(&file(padding + 1)), client), cut);
    }
    assert_ne!(condensed(&session(&file(padding + 1)), OLD), cut);
}
