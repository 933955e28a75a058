//! The line that a conversation ends with.

use annals_transcript::resume::{Client, Refusal, resume};
use annals_transcript::transcript::Transcript;

use crate::resume::{MID, NEW, OLD, check};

/// Two branches; the one that is newer stands first in the file.
const BRANCHES: &str = "
    u U1
    a A1
    u U2a @50
    a A2a @51
    u U2b <A1 @10
    a A2b @11
";

#[test]
fn newest_by_time_once_and_last_in_the_file_since() {
    check(BRANCHES, &[(&[OLD], "U[U1] A[A1] U[U2a] A[A2a]"), (&[MID, NEW], "U[U1] A[A1] U[U2b] A[A2b]")]);
    let roots = "u U1 @50\n a A1 @51\n u U2 <- @10\n a A2 @11";
    check(roots, &[(&[OLD], "U[U1] A[A1]"), (&[MID, NEW], "U[U2] A[A2]")]);
}

#[test]
fn attachments_and_notices_choose_a_branch_and_sidechains_and_progress_do_not() {
    for line in ["x:date_change X <A2a @60", "s:turn_duration X <A2a @60"] {
        check(&format!("{BRANCHES}\n{line}"), &[(&[MID], "U[U1] A[A1] U[U2a] A[A2a]")]);
    }
    for line in [r#"u X <A2a @60 {"isSidechain":true}"#, "p X <A2a @60"] {
        check(&format!("{BRANCHES}\n{line}"), &[(&[MID, NEW], "U[U1] A[A1] U[U2b] A[A2b]")]);
    }
}

#[test]
fn a_lone_tip_wins_wherever_it_stands() {
    let backwards = "a A2 <U2 @4\n u U2 <A1 @3\n a A1 <U1 @2\n u U1 <- @1";
    check(backwards, &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    // A second tip, be it a sub-agent's, sends 2.1.112 to the last line; 2.1.325 looks below it.
    let with_sidechain = format!("{backwards}\n{}", r#"u S <- @5 {"isSidechain":true}"#);
    check(
        &with_sidechain,
        &[(&[MID], "U[U1] A[No response requested.]"), (&[NEW], "U[U1] A[A1] U[U2] A[A2]")],
    );
    // Progress and unknown types are no tips.
    check(&format!("p P <U1 @9\n{backwards}"), &[(&[MID], "U[U1] A[A1] U[U2] A[A2]")]);
}

#[test]
fn below_the_last_line_only_what_is_not_older_counts() {
    let older = "u U2 <A1 @1\n a A2 @2\n u U1 <- @3\n a A1 @4";
    check(older, &[(&[MID], "U[U1] A[A1] U[U2] A[A2]"), (&[NEW], "U[U1] A[A1]")]);
    let peak_inside = "u U2 <A1 @8\n a A2 @6\n u U1 <- @3\n a A1 @4";
    check(peak_inside, &[(&[NEW], "U[U1] A[A1] U[U2] A[No response requested.]")]);
    let equal = "u U2 <A1 @5\n a A2 @6\n u V2 <A1 @5\n a B2 @6\n u U1 <- @3\n a A1 @4";
    check(equal, &[(&[MID], "U[U1] A[A1]"), (&[NEW], "U[U1] A[A1] U[V2] A[B2]")]);
}

#[test]
fn a_last_line_without_a_message_above_it_gives_way_to_the_newest_tip() {
    let lone_boundary = format!("{BRANCHES}\n b B @12");
    check(&lone_boundary, &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2a] A[A2a]")]);
    let only_notices = "s:local_command S {\"content\":\"LC\"}";
    check(
        only_notices,
        &[(&[OLD], ""), (&[MID], "refused: the file has no message to resume from"), (&[NEW], "U[LC]")],
    );
}

#[test]
fn one_client_ends_with_the_last_message() {
    let notice = "u U1\n a A1\n s:local_command S {\"content\":\"LC\"}";
    check(notice, &[(&[OLD, MID], "U[U1] A[A1]"), (&[NEW], "U[U1] A[A1] U[LC]")]);
}

#[test]
fn last_prompt_names_a_branch_or_nothing() {
    let said = |leaf: &str| format!("{BRANCHES}\n{leaf}");
    let a = "U[U1] A[A1] U[U2a] A[A2a]";
    let b = "U[U1] A[A1] U[U2b] A[A2b]";
    check(&said("lp A2a"), &[(&[MID], b), (&[NEW], a)]);
    // Where it stands does not matter, nor what comes later on the other branch or behind it.
    check(&format!("lp A2a\n{BRANCHES}"), &[(&[NEW], a)]);
    check(&said("lp A2a\n u U3 <A2a\n a A3\n u U4 <A2b\n a A4"), &[(&[NEW], a)]);
    check(&said("lp U2a"), &[(&[NEW], "U[U1] A[A1] U[U2a] A[No response requested.]")]);
    // A line of the conversation moves to its end.
    check(&said("lp A1"), &[(&[NEW], b)]);
    check(&said("lp NOWHERE"), &[(&[NEW], b)]);
    // The last word counts; one without a leaf says nothing, one with an unknown leaf takes the earlier back.
    check(&said("lp A2a\n lp -"), &[(&[NEW], a)]);
    check(
        &said(
            r#"lp A2a
        lp - {"leafUuid":null}"#,
        ),
        &[(&[NEW], a)],
    );
    check(&said("lp A2a\n lp NOWHERE"), &[(&[NEW], b)]);
    check(
        &said(
            r#"lp A2a
        lp 00000000-0000-0000-0000-000000000000 {"explicit":true}"#,
        ),
        &[(&[NEW], b)],
    );
}

#[test]
fn an_explicit_last_prompt_is_exact_until_something_follows_it() {
    let base = "u U1\n a A1\n u U2\n a A2\n";
    let explicit = r#"lp A1 {"explicit":true}"#;
    let said = |more: &str| format!("{base}{explicit}\n{more}");
    let (short, long) = ("U[U1] A[A1]", "U[U1] A[A1] U[U2] A[A2]");
    check(&said(""), &[(&[MID], long), (&[NEW], short)]);
    check(&said("u U3 <A2\n a A3"), &[(&[NEW], "U[U1] A[A1] U[U2] A[A2] U[U3] A[A3]")]);
    check(&said("u U3 <A1\n a A3"), &[(&[NEW], "U[U1] A[A1] U[U3] A[A3]")]);
    check(&said("s:turn_duration S <A2"), &[(&[NEW], long)]);
    check(&said(r#"u S <A2 {"isSidechain":true}"#), &[(&[NEW], short)]);
    // An echo without the mark does not take the mark away; another leaf does.
    check(&said("lp A1"), &[(&[NEW], short)]);
    check(&said("lp U1"), &[(&[NEW], long)]);
    check(&said("lp NOWHERE"), &[(&[NEW], long)]);
    check(&format!("{base}lp A1"), &[(&[NEW], long)]);
}

#[test]
fn a_compaction_takes_the_last_prompt_back() {
    let file = "u U1\n a A1\n u V\n a VA\n u W <A1\n a WA\n lp VA\n b B <WA\n m SUM\n u N\n a NA";
    check(file, &[(&[NEW], "U[SUM | N] A[NA]")]);
    let after = "u U1\n a A1\n b B\n m SUM\n u N\n a NA\n lp A1";
    check(after, &[(&[NEW], "U[U1] A[A1]")]);
}

#[test]
fn a_last_prompt_at_a_parallel_result_is_on_the_conversation() {
    let parallel = "u U1\n t T1 mid=m\n t T2 mid=m\n r T1 <T1\n r T2 <T2\n a A2\n";
    let all = "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2]";
    check(&format!("{parallel} lp RT1"), &[(&[NEW], all)]);
    check(
        &format!("{parallel} {}", r#"lp RT1 {"explicit":true}"#),
        &[(&[NEW], "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[No response requested.]")],
    );
}

#[test]
fn files_that_are_refused() {
    check("", &[(&[OLD, MID, NEW], "refused: the file has no message to resume from")]);
    let sidechains = r#"u S1 {"isSidechain":true}
        a S2 {"isSidechain":true}"#;
    check(sidechains, &[(&[OLD, MID, NEW], "refused: every line belongs to a sub-agent")]);
    let untimed = "u U1\n a A1\n u U2 @-";
    check(untimed, &[(&[MID, NEW], "refused: the last line has no readable timestamp")]);
    check("u U1\n a A1 @-\n u U2\n a A2", &[(&[MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    let in_sidechain = "u U1\n a A1\n u S <A1 {\"isSidechain\":true}";
    check(
        in_sidechain,
        &[(&[MID], "refused: the conversation ends in a line of a sub-agent"), (&[NEW], "U[U1] A[A1]")],
    );
    check(
        &format!("{in_sidechain}\n lp S"),
        &[(&[NEW], "refused: the conversation ends in a line of a sub-agent")],
    );
}

#[test]
fn circles_end() {
    let circle = "u U1 <A2\n a A1\n u U2\n a A2";
    check(
        circle,
        &[
            (&[MID], "refused: the parents of the lines form a cycle, so no line is the last"),
            (&[NEW], "U[U1] A[A1] U[U2] A[A2]"),
        ],
    );
    // What was passed already is as good as missing, and a missing parent is bridged.
    let itself = "u U1\n a A1\n u U2 <U2";
    check(itself, &[(&[MID], "U[U1] A[A1]"), (&[NEW], "U[U1] A[A1] U[U2] A[No response requested.]")]);
    let apart = "u U1\n a A1\n u C1 <C2 @20\n a C2 @21";
    check(apart, &[(&[MID], "U[U1] A[A1]"), (&[NEW], "U[C1] A[C2]")]);
}

#[test]
fn the_file_of_a_sub_agent_is_a_conversation_only_when_read_as_one() {
    let line = |uuid: &str, parent: &str, kind: &str, said: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":true,"agentId":"a1","type":"{kind}","message":{{"role":"{kind}","content":[{{"type":"text","text":"{said}"}}]}},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s"}}"#
        )
    };
    let file = [line("u", "null", "user", "dig"), line("v", "\"u\"", "assistant", "dug")].join("\n");
    let transcript = Transcript::parse(file.as_bytes());
    assert_eq!(resume(&transcript, Client::NEWEST).outcome.err(), Some(Refusal::OnlySidechains));
    let transcript = transcript.of_agent();
    let resumed = resume(&transcript, Client::NEWEST);
    assert_eq!(resumed.messages().len(), 2, "{resumed:?}");
    assert_eq!(transcript.bytes(), file.as_bytes());
}
