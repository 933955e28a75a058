//! Windows: built from a few records, they hold the same items as the whole conversation.

use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_transcript::transcript::Transcript;
use annals_ui::view::{Conversation, ConversationMap, Item, ViewOptions};

/// The items of all windows, each built from nothing but the bytes that it names.
fn windowed(bytes: &[u8], map: &ConversationMap) -> Vec<Item> {
    let mut items = Vec::new();
    for plan in &map.windows {
        let span =
            |offset: u64, length: u32| bytes[offset as usize..offset as usize + length as usize].to_vec();
        let records: Vec<_> = plan.records.iter().map(|record| span(record.offset, record.length)).collect();
        let window = map.window(plan, &records);
        items.extend(window.items);
    }
    items
}

fn check(bytes: &[u8], name: &str) -> usize {
    let transcript = Transcript::parse(bytes);
    let mut seen = 0;
    let map = ConversationMap::build(&transcript, None, &mut |_, _| seen += 1);
    let whole = Conversation::build(&transcript, &[], ViewOptions::default()).items;
    assert_eq!(seen, whole.len(), "{name}");
    let parts = windowed(bytes, &map);
    for (at, (part, whole)) in parts.iter().zip(&whole).enumerate() {
        assert_eq!(part, whole, "{name}, item {at}");
    }
    assert_eq!(parts.len(), whole.len(), "{name}");
    map.windows.len()
}

#[test]
fn the_windows_of_every_session_are_the_whole_conversation() {
    let Some(corpus) = corpus::or_skip("the_windows_of_every_session_are_the_whole_conversation") else {
        return;
    };
    let files = corpus.sample();
    let most = files.iter().map(|path| check(&std::fs::read(path).unwrap(), &corpus.name_of(path)));
    assert!(most.max().unwrap_or_default() > 3, "no session has several windows");
}

#[test]
fn a_call_far_from_its_result_is_shown_with_it_and_once() {
    let mut session = Session::new().prompt("go").tool_use("Bash", r#"{"command":"sleep 1"}"#);
    for number in 0..300 {
        session = session.meta(&format!("note {number}\n{}", "line\n".repeat(9)));
    }
    let bytes = session.tool_result("late").reply("done").into_bytes();
    assert!(check(&bytes, "late result") > 1);
}

#[test]
fn another_branch_has_a_map_of_its_own() {
    let session = Session::new().prompt("first").reply("one");
    let fork = session.last_uuid().unwrap().to_owned();
    let session = session.prompt("left way").reply("left answer");
    let bytes = session.parent(Some(&fork)).prompt("right way").reply("right answer").into_bytes();
    let transcript = Transcript::parse(&bytes);
    let texts = |through| {
        let mut all = String::new();
        ConversationMap::build(&transcript, through, &mut |item, _| {
            all.push_str(&format!("{:?}", item.body))
        });
        all
    };
    let left = transcript.position(|node| node.line == 4);
    assert!(texts(None).contains("right answer") && !texts(None).contains("left answer"));
    assert!(texts(left).contains("left answer") && !texts(left).contains("right answer"));
    assert!(texts(left).contains("right way"), "the other way is named where it begins");
}

#[test]
fn a_file_that_was_rewritten_gives_an_empty_window() {
    let bytes = Session::new().prompt("go").reply("done").into_bytes();
    let map = ConversationMap::build(&Transcript::parse(&bytes), None, &mut |_, _| ());
    assert!(map.window(&map.windows[0], &[b"not json".to_vec()]).items.is_empty());
}
