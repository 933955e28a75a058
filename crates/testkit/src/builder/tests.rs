//! The builder's own tests: what it writes is what the client would have written, as far as tests lean on it.

use annals_json::Fields;

use super::*;

fn lines(bytes: &[u8]) -> Vec<Fields<'_>> {
    let whole = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    whole.map(|line| Fields::scan(line).unwrap().0).collect()
}

fn texts(lines: &[Fields<'_>], key: &str) -> Vec<String> {
    lines.iter().map(|line| line.text(key).map_or("-".to_owned(), |text| text.to_string())).collect()
}

#[test]
fn chains_lines_and_moves_time_on() {
    let bytes = Session::new().prompt("a").reply("b").wait(60).prompt("c").into_bytes();
    let lines = lines(&bytes);
    assert_eq!(texts(&lines, "parentUuid"), ["-".to_owned(), uuid(1), uuid(2)]);
    assert_eq!(texts(&lines, "type"), ["user", "assistant", "user"]);
    let times = texts(&lines, "timestamp");
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(times[2], "2026-06-01T00:01:02.000Z");
}

#[test]
fn a_response_shares_its_id_and_ends_once() {
    let session =
        Session::new().response(|response| response.thinking("hm").text("ah").tool_use("Read", "{}"));
    let bytes = session.tool_result("found").into_bytes();
    let lines = lines(&bytes);
    let messages: Vec<_> = lines.iter().map(|line| line.object("message").unwrap()).collect();
    assert_eq!(texts(&messages, "id")[..3], vec![message(1); 3]);
    assert_eq!(texts(&messages, "stop_reason"), ["-", "-", "tool_use", "-"]);
    let used = messages[2].get("content").unwrap().items().next().unwrap().get("id").unwrap();
    let answered = messages[3].get("content").unwrap().items().next().unwrap().get("tool_use_id").unwrap();
    assert_eq!(used.raw(), answered.raw());
}

fn message(number: u32) -> String {
    format!("msg_{number:024}")
}

#[test]
fn a_compaction_is_a_root_that_remembers() {
    let bytes = Session::new().prompt("a").compaction("so far").prompt("on").into_bytes();
    let lines = lines(&bytes);
    assert_eq!(texts(&lines, "parentUuid"), ["-".to_owned(), "-".to_owned(), uuid(2), uuid(3)]);
    assert_eq!(texts(&lines, "logicalParentUuid")[1], uuid(1));
    assert!(lines[2].is_true("isCompactSummary"));
}

#[test]
fn branches_sub_agents_and_broken_bytes() {
    let session = Session::new().prompt("a").reply("b").parent(Some(&uuid(1))).reply("c");
    let session = session.sub_agent("abc").prompt("inside").main_chain().meta("for the model");
    let session = session.side("summary", |line| {
        line.string("summary", "a title");
    });
    assert_eq!(session.last_uuid(), Some(uuid(5).as_str()));
    let bytes = session.raw(b"{\"torn").into_bytes();
    let whole = lines(&bytes[..bytes.len() - 6]);
    assert_eq!(texts(&whole, "parentUuid")[1..3], [uuid(1), uuid(1)]);
    assert!(whole[3].is_true("isSidechain") && !whole[4].is_true("isSidechain"));
    assert_eq!(texts(&whole, "agentId")[3], "abc");
    assert_eq!(texts(&whole, "type")[5], "summary");
}
