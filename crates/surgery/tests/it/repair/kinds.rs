//! One small file for each kind of repair: the edits by line, and what the newest client sends afterwards.

use annals_surgery::repair::{RepairKind, RepairOptions, repair};
use annals_testkit::builder::{SESSION_ID, Session, uuid};
use annals_transcript::graph::Graph;
use annals_transcript::loss::losses;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::{check_not_worse, count, plan, reasons, repaired, session};

/// Checks the edits of a repair, and how many messages the newest client sends before and after.
fn check(bytes: &[u8], expected: &[&str], messages: (usize, usize)) {
    assert_eq!(reasons(&plan(bytes)), expected);
    let after = check_not_worse(bytes, "a small file");
    let newest = |bytes: &[u8]| count(bytes, Client::NEWEST).unwrap();
    assert_eq!((newest(bytes), newest(&after)), messages);
}

fn two_turns() -> Session {
    Session::new().prompt("one").reply("first").prompt("two").reply("second")
}

#[test]
fn damaged_lines_keep_what_is_whole() {
    let whole = two_turns().into_bytes();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let torn = [lines[0], lines[1], &lines[2][..40], lines[3]].concat();
    check(
        &torn,
        &["3 ~ spliced-line: the complete record is kept, the rest is removed; \
             dangling-parent: it follows line 2: the nearest line in time"],
        (2, 3),
    );
    let glued = [lines[0], &lines[1][..lines[1].len() - 1], lines[2], lines[3]].concat();
    check(
        &glued,
        &["2 ~ two-objects: each record gets its own line", "2 + two-objects: each record gets its own line"],
        (3, 4),
    );
    assert_eq!(repaired(&glued), whole);
    let noise = [lines[0], b"\0\0\0\n", lines[1], b"what\n", lines[2], lines[3], b"{\"type\":\"us"].concat();
    check(
        &noise,
        &[
            "2 - nul-run: the line has no complete record",
            "4 - not-json: the line has no complete record",
            "7 - torn-tail: the line has no complete record",
        ],
        (4, 4),
    );
    assert_eq!(repaired(&noise), whole);
}

#[test]
fn a_chain_that_is_cut_at_progress_is_joined() {
    let bytes = Session::new()
        .prompt("one")
        .reply("first")
        .parent(None)
        .chained("progress", |fields| _ = fields.string("toolUseID", "toolu_1"))
        .reply("second")
        .into_bytes();
    check(&bytes, &["3 ~ null-parent: it follows line 2: the nearest line in time"], (1, 3));
}

#[test]
fn what_was_cut_off_follows_the_end_of_a_branch_not_its_newest_line() {
    // Records of the client itself have the time at which they were begun: before the result that they follow.
    let begun = Session::new().prompt("one").tool_use("Skill", "{}").wait(3).tool_result("launching");
    let result = String::from_utf8(begun.clone().into_bytes()).unwrap();
    let (_, time) = result.lines().nth(1).unwrap().split_once("\"timestamp\":").unwrap();
    let own_words = format!(
        "{{\"parentUuid\":\"{}\",\"uuid\":\"own-words\",\"isMeta\":true,\"type\":\"user\",\
         \"message\":{{\"role\":\"user\",\"content\":\"the skill\"}},\"timestamp\":{time}\n",
        uuid(3)
    );
    let bytes = begun.raw(own_words.as_bytes()).parent(None).reply("done").into_bytes();
    check(&bytes, &["5 ~ null-parent: it follows line 4: the nearest line in time"], (1, 4));
}

/// The text with another value of a field in every line.
fn with_field(bytes: &[u8], field: &str, value: &str) -> Vec<u8> {
    let key = format!("\"{field}\":");
    let line = |line: &str| match line.split_once(&key) {
        Some((before, after)) => {
            let end = after.find([',', '}']).unwrap();
            format!("{before}{key}{value}{}\n", &after[end..])
        }
        None => format!("{line}\n"),
    };
    String::from_utf8(bytes.to_vec()).unwrap().lines().map(line).collect::<String>().into_bytes()
}

#[test]
fn records_of_one_time_are_attached_in_the_order_of_the_file() {
    let talk = Session::new().prompt("one").tool_use("Read", "{}").tool_result("text").reply("two");
    let talk = talk.prompt("three").prompt("four").reply("five").into_bytes();
    let at_once = with_field(&talk, "timestamp", "\"2026-01-01T00:00:00.000Z\"");
    let cut = with_field(&at_once, "parentUuid", "null");
    assert_ne!(cut, at_once);
    assert_eq!(String::from_utf8(repaired(&cut)).unwrap(), String::from_utf8(at_once).unwrap());
}

#[test]
fn what_was_cut_off_beside_the_live_branch_is_attached() {
    let line = |kind: &str, uuid: &str, parent: &str, second: u32| {
        format!(
            r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":false,"timestamp":"2026-01-01T00:00:{second:02}.000Z","sessionId":"{SESSION_ID}","message":{{"id":"{uuid}","role":"{kind}","content":[{{"type":"text","text":"{uuid}"}}]}}}}"#
        ) + "\n"
    };
    let session = |cut: &str| {
        let lines = [
            line("user", "u1", "null", 1),
            line("assistant", "a1", "\"u1\"", 2),
            line("user", "u2", "\"a1\"", 3),
            line("assistant", "a2", cut, 4),
            // The user went back, and asked something else.
            line("user", "u3", "\"a1\"", 5),
            line("assistant", "a3", "\"u3\"", 6),
        ];
        lines.concat().into_bytes()
    };
    let lost = |bytes: &[u8]| {
        let transcript = Transcript::parse(bytes);
        losses(&transcript, &Graph::new(&transcript), &resume(&transcript, Client::NEWEST)).len()
    };
    let (whole, cut) = (session("\"u2\""), session("null"));
    assert_eq!((lost(&whole), lost(&cut)), (0, 1));
    assert_eq!(repaired(&cut), whole);
}

#[test]
fn cut_chains_are_joined() {
    let late = |parent: Option<&str>| {
        Session::new().prompt("one").reply("first").wait(900).parent(parent).prompt("two").reply("second")
    };
    check(
        &late(Some("gone")).into_bytes(),
        &["3 ~ dangling-parent: it follows line 2: the line before it"],
        (2, 4),
    );
    check(&late(None).into_bytes(), &["3 ~ null-parent: it follows line 2: the line before it"], (2, 4));
    let again = Session::new().prompt("one").reply("first").parent(None).prompt("one").reply("second");
    let left = plan(&again.clone().into_bytes());
    assert!(left.is_empty() && left.notes[0].contains("started over"), "{:?}", left.notes);
    let circle =
        Session::new().parent(Some(&uuid(4))).prompt("one").reply("first").prompt("two").reply("second");
    check(&circle.into_bytes(), &["1 ~ cycle: the cycle starts here"], (4, 4));
}

#[test]
fn what_is_ambiguous_is_said_and_left() {
    // By position it follows the second reply, by time the first.
    let lines = two_turns().wait(500).prompt("three").reply("third").into_bytes();
    let text = String::from_utf8(lines).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let strayed = lines[2].replace(&uuid(2), "gone").replace("00:00:02", "00:08:00");
    let moved = lines[3].replace("00:00:03", "00:08:01");
    let file = [lines[0], lines[1], lines[4], lines[5], &strayed, &moved].join("\n") + "\n";
    let file = file.replace(&format!("\"parentUuid\":\"{}\"", uuid(4)), "\"parentUuid\":\"lost\"");
    let plan = plan(file.as_bytes());
    assert!(
        plan.notes.iter().any(|note| note.contains("time and position in the file disagree")),
        "{:?}",
        plan.notes
    );
}

#[test]
fn results_and_calls_get_their_other_half() {
    let open = Session::new().prompt("one").tool_use("Bash", "{}").prompt("two").reply("second");
    check(
        &open.into_bytes(),
        &[
            "3 ~ unanswered-tool-use: an error result is inserted for toolu_000000000001000000000000",
            "2 + unanswered-tool-use: an error result is inserted for toolu_000000000001000000000000",
        ],
        (2, 4),
    );
    let orphan =
        Session::new().prompt("one").reply("first").result_of("nobody", "what it said").reply("second");
    let bytes = orphan.into_bytes();
    check(&bytes, &["3 ~ orphan-tool-result: its call is not in the file, so it becomes text"], (4, 4));
    assert!(String::from_utf8(repaired(&bytes)).unwrap().contains("not in this file]\\nwhat it said"));
    let thought = Session::new().prompt("one").response(|response| response.thinking("hm")).prompt("two");
    check(
        &thought.reply("second").into_bytes(),
        &["2 ~ thinking-only: a note says that the reply broke off"],
        (2, 4),
    );
}

#[test]
fn a_lost_parallel_branch_goes_into_the_chain() {
    // Two calls of one response; the first result continued by itself, then the second did, and only that is resumed.
    let start = Session::new()
        .prompt("one")
        .response(|response| response.tool_use("Bash", "{}").tool_use("Read", "{}"));
    let file = start
        .result_of("toolu_000000000001000000000000", "a")
        .reply("of a")
        .parent(Some(&uuid(3)))
        .result_of("toolu_000000000001000000000001", "b");
    let bytes = file.reply("of b").into_bytes();
    let after = check_not_worse(&bytes, "lost branch");
    for &client in Client::ALL {
        assert!(!sent(&bytes, client).contains("of a") && sent(&after, client).contains("of a"), "{client}");
    }
}

/// All that a client sends, as JSON.
fn sent(bytes: &[u8], client: Client) -> String {
    let transcript = Transcript::parse(bytes);
    let mut json = Vec::new();
    resume(&transcript, client).write_json(&mut json);
    String::from_utf8(json).unwrap()
}

#[test]
fn lines_before_their_parents_are_moved() {
    let whole = two_turns().into_bytes();
    let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    let shuffled = [lines[2], lines[0], lines[1], lines[3]].concat();
    assert_eq!(repaired(&shuffled), whole);
    let reversed = [lines[3], lines[2], lines[1], lines[0]].concat();
    check_not_worse(&reversed, "reversed");
}

#[test]
fn a_cut_without_a_summary_goes() {
    let whole =
        Session::new().prompt("one").reply("first").compaction("so far").prompt("two").reply("second");
    let bytes = whole.into_bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    check(
        &[lines[0], lines[1], lines[2]].concat(),
        &["3 - boundary-without-summary: it hid history without a summary"],
        (2, 2),
    );
    let oldest = |bytes: &[u8]| count(bytes, Client::ALL[0]);
    let cut = [lines[0], lines[1], lines[2]].concat();
    assert_eq!((oldest(&cut), oldest(&repaired(&cut))), (Some(0), Some(2)));
    assert!(plan(&bytes).is_empty());
}

#[test]
fn copies_go_and_namesakes_get_their_own_id() {
    let bytes = two_turns().into_bytes();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let copied = [lines[0], lines[1], lines[1], lines[2], lines[3]].concat();
    check(&copied, &["2 - duplicate-uuid: line 3 is the same"], (4, 4));
    assert_eq!(repaired(&copied), bytes);
    let namesake = String::from_utf8(lines[0].to_vec()).unwrap().replace("\"one\"", "\"another\"");
    let file = [namesake.as_bytes(), &bytes].concat();
    check(
        &file,
        &[
            "1 ~ duplicate-uuid: it differs from the later line and gets a new id",
            "2 ~ null-parent: it follows line 1: the nearest line in time",
        ],
        (4, 4),
    );
}

#[test]
fn a_line_that_is_too_large_is_cut() {
    let data = "A".repeat(11 * 1024 * 1024);
    let image = format!(
        r#"[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}},{{"type":"text","text":"look"}}]"#
    );
    let bytes = Session::new()
        .user(|message| {
            message.raw("content", image.as_bytes());
        })
        .reply("I see")
        .into_bytes();
    let after = check_not_worse(&bytes, "oversize");
    assert!(after.len() < 4096 && String::from_utf8(after).unwrap().contains("look"));
}

#[test]
fn only_what_is_named_is_repaired() {
    let bytes =
        [b"what\n".to_vec(), Session::new().prompt("one").tool_use("Bash", "{}").into_bytes()].concat();
    let only = |kind: RepairKind| {
        let options = RepairOptions { only: [kind].into(), ..RepairOptions::default() };
        reasons(&repair(&session(&bytes), &options).unwrap()).len()
    };
    assert_eq!(
        (only(RepairKind::Lines), only(RepairKind::UnansweredToolUse), only(RepairKind::Cycle)),
        (1, 1, 0)
    );
}
