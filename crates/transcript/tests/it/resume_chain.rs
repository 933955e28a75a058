//! From the leaf to the root, what a compaction leaves of the chain, and what parallel calls add to it.

use crate::resume::{MID, NEW, OLD, check};

#[test]
fn a_missing_parent_is_bridged_over_five_seconds_of_time() {
    let gap = |second: &str| format!("u U1\n a A1\n u U2 <GONE @{second}\n a A2");
    check(&gap("7"), &[(&[OLD], "U[U2] A[A2]"), (&[MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    check(&gap("7.001"), &[(&[MID, NEW], "U[U2] A[A2]")]);
    check(&gap("2"), &[(&[MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    check("u U1\n a A1\n u U2 <GONE @-\n a A2 @4", &[(&[MID, NEW], "U[U2] A[A2]")]);
}

#[test]
fn a_bridge_goes_to_the_nearest_line_in_time_wherever_it_stands() {
    let later_in_file =
        "u U1 @1\n a A1 @2\n u U3 <GONE @10\n a A3 @11\n u V <A1 @8\n a VA @9\n u U4 <A3 @12\n a A4 @13";
    check(later_in_file, &[(&[MID, NEW], "U[U1] A[A1] U[V] A[VA] U[U3] A[A3] U[U4] A[A4]")]);
    let own_child = "u U1 @1\n a A1 @2\n u U3 <GONE @6\n a A3 @5\n u U4 @12";
    check(own_child, &[(&[MID, NEW], "U[U1] A[A1] U[U3] A[A3] U[U4] A[No response requested.]")]);
    let tie = "u U1 @1\n a A1 @2\n u U2 @2\n u V <A1 @2\n u U3 <GONE @6\n a A3";
    check(tie, &[(&[MID, NEW], "U[U1] A[A1] U[U3] A[A3]")]);
    let sidechain = r#"u U1 @1
        a A1 @2
        u S <- @3 {"isSidechain":true}
        u U3 <GONE @6
        a A3"#;
    check(sidechain, &[(&[MID, NEW], "U[U1] A[A1] U[U3] A[A3]")]);
}

#[test]
fn chains_run_through_progress() {
    let file = "u U1\n t T1\n p P1\n p P2\n r T1\n a A1";
    check(file, &[(&[OLD], "U[result T1] A[A1]"), (&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A1]")]);
    check("p P1 <P2 @1\n p P2 <P1 @2\n u U1 <P1 @3\n a A1 @4", &[(&[MID, NEW], "U[U1] A[A1]")]);
}

#[test]
fn a_later_line_with_the_same_id_replaces_the_earlier() {
    let file = r#"u U1
        a A1
        u U2
        a A2
        u U2 <A1 {"message":{"content":"again"}}"#;
    check(
        file,
        &[
            (&[OLD, NEW], "U[U1] A[A1] U[again] A[No response requested.]"),
            (&[MID], "U[U1] A[A1] U[again] A[A2]"),
        ],
    );
}

#[test]
fn of_two_objects_on_a_line_one_client_reads_the_first() {
    let two = |first: &str, second: &str| format!("u U1\n={}{}\n", line(first), line(second)) + "a A2 <U2 @4";
    fn line(name: &str) -> String {
        let (kind, parent) = if name == "A1" { ("assistant", "U1") } else { ("user", "A1") };
        let second = if name == "A1" { 2 } else { 3 };
        format!(
            r#"{{"type":"{kind}","uuid":"{name}","parentUuid":"{parent}","timestamp":"2026-11-01T00:00:0{second}.000Z","message":{{"id":"m","content":[{{"type":"text","text":"{name}"}}]}}}}"#
        )
    }
    check(&two("A1", "U2"), &[(&[OLD], "A[A2]"), (&[MID], "U[U1] A[A2]"), (&[NEW], "U[U1] A[A1] A[A2]")]);
}

const BEFORE: &str = "u U1\n a A1\n u U2\n a A2\n";

fn segment(head: &str, anchor: &str, tail: &str) -> String {
    format!(
        r#"{{"compactMetadata":{{"preservedSegment":{{"headUuid":"{head}","anchorUuid":"{anchor}","tailUuid":"{tail}"}}}}}}"#
    )
}

fn messages(anchor: &str, uuids: &[&str]) -> String {
    let list: Vec<_> = uuids.iter().map(|id| format!("\"{id}\"")).collect();
    let list = list.join(",");
    format!(
        r#"{{"compactMetadata":{{"preservedMessages":{{"anchorUuid":"{anchor}","uuids":[{list}],"allUuids":[{list}]}}}}}}"#
    )
}

#[test]
fn history_starts_at_the_last_boundary_on_the_chain() {
    check(&format!("{BEFORE} b B\n m SUM\n u U3\n a A3"), &[(&[OLD, MID, NEW], "U[SUM | U3] A[A3]")]);
    check(&format!("{BEFORE} b B <A2\n m SUM\n u U3\n a A3"), &[(&[OLD, MID, NEW], "U[SUM | U3] A[A3]")]);
    check(
        &format!("{BEFORE} b B\n m SUM\n u U3 <A2\n a A3"),
        &[(&[OLD, MID, NEW], "U[U1] A[A1] U[U2] A[A2] U[U3] A[A3]")],
    );
    check(&format!("{BEFORE} b B"), &[(&[OLD], ""), (&[MID, NEW], "U[U1] A[A1] U[U2] A[A2]")]);
    check(&format!("{BEFORE} b B <A2"), &[(&[OLD, NEW], ""), (&[MID], "U[U1] A[A1] U[U2] A[A2]")]);
}

#[test]
fn a_preserved_segment_is_put_behind_its_anchor() {
    let with = |metadata: &str, rest: &str| format!("{BEFORE} b B {metadata}\n m SUM\n {rest}");
    let kept = "U[SUM | U2] A[A2] U[U3] A[A3]";
    check(
        &with(&segment("U2", "SUM", "A2"), "u U3\n a A3"),
        &[(&[OLD], "U[SUM | U3] A[A3]"), (&[MID, NEW], kept)],
    );
    check(&with(&segment("U2", "SUM", "A2"), "u U3 <A2\n a A3"), &[(&[MID, NEW], kept)]);
    check(&with(&segment("U2", "B", "A2"), "u U3\n a A3"), &[(&[MID, NEW], "U[U2] A[A2] U[SUM | U3] A[A3]")]);
    check(&with(&segment("U2", "SUM", "A2"), ""), &[(&[MID, NEW], "U[SUM | U2] A[A2]")]);
    // A segment that the file does not have changes nothing.
    for broken in [segment("GONE", "SUM", "A2"), segment("U2", "SUM", "GONE"), segment("A2", "SUM", "U1")] {
        check(&with(&broken, "u U3\n a A3"), &[(&[MID, NEW], "U[SUM | U3] A[A3]")]);
        check(&with(&broken, "u U3 <A2\n a A3"), &[(&[MID, NEW], "U[U1] A[A1] U[U2] A[A2] U[U3] A[A3]")]);
    }
}

#[test]
fn what_a_keeping_compaction_did_not_keep_is_forgotten() {
    let file = format!("{BEFORE} b B {}\n m SUM\n u U3 <A1 @70\n a A3", segment("U2", "SUM", "A2"));
    check(&file, &[(&[MID], "U[U3] A[A3]"), (&[NEW], "U[SUM | U2] A[A2] U[U3] A[A3]")]);
    let file = format!("{file}\n lp A1");
    check(&file, &[(&[NEW], "U[SUM | U2] A[A2] U[U3] A[A3]")]);
    // A later compaction that kept nothing forgets what the earlier one kept.
    let later = format!(
        "{BEFORE} b B {}\n m SUM\n u U3\n a A3\n b B2\n m SUM2\n u U4\n a A4\n u U5 <A3 @90\n a A5",
        segment("U2", "SUM", "A2")
    );
    check(&later, &[(&[MID, NEW], "U[U5] A[A5]")]);
}

#[test]
fn preserved_messages_are_a_list_that_one_client_knows() {
    let with = |metadata: &str| format!("{BEFORE} b B {metadata}\n m SUM\n u U3\n a A3");
    check(
        &with(&messages("SUM", &["U2", "A2"])),
        &[(&[MID], "U[SUM | U3] A[A3]"), (&[NEW], "U[SUM | U2] A[A2] U[U3] A[A3]")],
    );
    check(&with(&messages("SUM", &["A2", "U2"])), &[(&[NEW], "U[SUM] A[A2] U[U2 | U3] A[A3]")]);
    check(&with(&messages("SUM", &["U1", "A2"])), &[(&[NEW], "U[SUM | U1] A[A2] U[U3] A[A3]")]);
    check(&with(&messages("SUM", &["U2", "GONE"])), &[(&[NEW], "U[SUM | U3] A[A3]")]);
    check(&with(&messages("SUM", &[])), &[(&[NEW], "U[SUM | U3] A[A3]")]);
}

#[test]
fn calls_of_one_response_are_gathered_from_other_branches() {
    let own = "u U1\n t T1 mid=m\n t T2 mid=m\n r T1 <T1\n r T2 <T2\n a A2";
    let all = "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2]";
    check(own, &[(&[OLD], "U[U1] A[call T2] U[result T2] A[A2]"), (&[MID, NEW], all)]);
    let interleaved = "u U1\n t T1 mid=m\n r T1\n t T2 <T1 mid=m\n r T2\n a A2";
    check(interleaved, &[(&[OLD], "U[U1] A[call T2] U[result T2] A[A2]"), (&[MID, NEW], all)]);
    let serial = "u U1\n t T1 mid=m\n t T2 mid=m\n r T1\n r T2\n a A2";
    check(serial, &[(&[OLD, MID, NEW], all)]);
    let siblings = "u U1\n t T1 <U1 mid=m\n t T2 <U1 mid=m\n r T1 <T1\n r T2 <T2\n a A2";
    check(siblings, &[(&[MID, NEW], "U[U1] A[call T2 | call T1] U[result T1 | result T2] A[A2]")]);
    let prompt_beside = "u U1\n t T1 mid=m\n t T2 mid=m\n u X <T1\n r T2 <T2\n a A2";
    check(prompt_beside, &[(&[MID, NEW], "U[U1] A[call T2] U[result T2] A[A2]")]);
}

#[test]
fn gathered_results_come_by_time_or_by_file() {
    let file =
        "u U1\n t T1 mid=m\n t T2 mid=m\n t T3 mid=m\n r T1 <T1 @20\n r T2 <T2 @10\n r T3 <T3 @15\n a A2 @30";
    check(
        file,
        &[
            (&[MID], "U[U1] A[call T1 | call T2 | call T3] U[result T2 | result T1 | result T3] A[A2]"),
            (&[NEW], "U[U1] A[call T1 | call T2 | call T3] U[result T1 | result T2 | result T3] A[A2]"),
        ],
    );
    let late =
        "u U1\n t T1 mid=m\n t T2 mid=m\n r T2 <T2 @10\n a A2 @11\n r T1 <T1 @20\n u U3 <A2 @30\n a A3";
    check(
        late,
        &[
            (&[MID], "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2] U[U3] A[A3]"),
            (&[NEW], "U[U1] A[call T1 | call T2] U[result T2 | result T1] A[A2] U[U3] A[A3]"),
        ],
    );
}

#[test]
fn one_client_follows_notices_and_results_down_to_further_results() {
    let one = "U[U1] A[call T2] U[result T2] A[A2]";
    let both = "U[U1] A[call T1 | call T2] U[result T1 | result T2] A[A2]";
    let notice = "u U1\n t T1 mid=m\n t T2 mid=m\n s:informational S <T1\n r T1\n r T2 <T2\n a A2";
    check(notice, &[(&[MID], one), (&[NEW], both)]);
    let chained = "u U1\n t T1 mid=m\n t T2 mid=m\n t T3 mid=m\n r T1 <T1\n r T2 <RT1\n r T3 <T3\n a A2";
    check(
        chained,
        &[
            (&[MID], "U[U1] A[call T1 | call T3] U[result T1 | result T3] A[A2]"),
            (&[NEW], "U[U1] A[call T1 | call T2 | call T3] U[result T1 | result T2 | result T3] A[A2]"),
        ],
    );
    let boundary = "u U1\n t T1 mid=m\n b B <T1\n r T1 <T1\n a A2";
    check(boundary, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
}

#[test]
fn one_client_puts_results_behind_the_stretch_that_has_their_call() {
    let file = "u U1\n t T1 mid=m\n u U2\n r T1 <T1\n a A1 <U2 mid=m";
    check(file, &[(&[NEW], "U[U1] A[A1 | call T1] U[result T1 | U2]")]);
    let interleaved = "u U1\n t T1 mid=m\n t T2 mid=m\n r T1 <T1\n r T2 <T2\n t T3 mid=m\n r T3\n a A2";
    let calls = "U[U1] A[call T1 | call T2 | call T3]";
    check(
        interleaved,
        &[
            (&[MID], &format!("{calls} U[result T2 | result T1 | result T3] A[A2]")),
            (&[NEW], &format!("{calls} U[result T1 | result T2 | result T3] A[A2]")),
        ],
    );
}

#[test]
fn one_client_finds_results_by_the_call_they_name() {
    let elsewhere = "u U1\n a A1\n u V\n r T1\n a VA\n u W <A1\n t T1\n u U2\n a A2";
    check(
        elsewhere,
        &[
            (&[MID], "U[U1] A[A1] U[W | U2] A[A2]"),
            (&[NEW], "U[U1] A[A1] U[W] A[call T1] U[result T1 | U2] A[A2]"),
        ],
    );
}

#[test]
fn one_client_takes_along_what_hangs_beside_and_leads_nowhere() {
    let command = "s:local_command S <T1 {\"content\":\"LC\"}";
    let dead_end = format!("u U1\n t T1\n {command}\n r T1 <T1\n a A2");
    check(
        &dead_end,
        &[
            (&[MID], "U[U1] A[call T1] U[result T1] A[A2]"),
            (&[NEW], "U[U1] A[call T1] U[result T1 | LC] A[A2]"),
        ],
    );
    let leads_on = format!("u U1\n t T1\n {command}\n a B\n r T1 <T1\n a A2");
    check(&leads_on, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
    let own_words = "u M1 <T1 {\"isMeta\":true}";
    let beside = format!("u U1\n t T1\n {own_words}\n r T1 <T1\n a A2");
    check(
        &beside,
        &[
            (&[MID], "U[U1] A[call T1] U[result T1] A[A2]"),
            (&[NEW], "U[U1] A[call T1] U[result T1 | M1] A[A2]"),
        ],
    );
    let answered = format!("u U1\n t T1\n {own_words}\n a B\n r T1 <T1\n a A2");
    check(&answered, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
    let prompted = "u U1\n t T1\n u P1 <T1\n r T1 <T1\n a A2";
    check(prompted, &[(&[MID, NEW], "U[U1] A[call T1] U[result T1] A[A2]")]);
}

#[test]
fn what_one_client_says_beside_parallel_results_comes_in_the_order_of_the_file() {
    let own_words = |name: &str, parent: &str| format!("u {name} <{parent} {{\"isMeta\":true}}");
    let (first, second) = (own_words("M1", "RT1"), own_words("M2", "RT2"));
    let calls = "u U1\n t T1 mid=m\n t T2 mid=m";
    let (one, two) = (format!("r T1 <T1\n {first}"), format!("r T2 <T2\n {second}"));
    for (file, said) in [
        (format!("{calls}\n {one}\n {two}\n a A2 <M2"), "result T1 | result T2 | M1 | M2"),
        (format!("{calls}\n {two}\n {one}\n a A2 <M2"), "result T2 | result T1 | M2 | M1"),
    ] {
        check(&file, &[(&[NEW], &format!("U[U1] A[call T1 | call T2] U[{said}] A[A2]"))]);
    }
}
