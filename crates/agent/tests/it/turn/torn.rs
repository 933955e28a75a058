//! Sessions truncated anywhere, and clocks that jump: complete records count, and none is lost.

use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use annals_agent::conversation::{Conversation, ConversationStart, Persistence, StoreContext};
use annals_json::Value;
use annals_store::source::{Clock, Source};
use annals_testkit::depth::stride;
use annals_testkit::source::CountingSource;

use super::holds::resumed;
use super::{Stage, say};

const TOOLS: &str = r#"[{"type":"thinking","thinking":"hm: é 漢 😀"},{"type":"tool_use","name":"Peek","input":{"say":"1"}},
    {"type":"tool_use","name":"Change","input":{"say":"2"}}],[{"type":"text","text":"fine"}]"#;

/// What the next request would begin with.
fn messages(stage: &Stage, path: &Path) -> Vec<String> {
    let start = ConversationStart::Resume(path.to_path_buf());
    let mut conversation =
        Conversation::open(stage.store(), start, &stage.home.work_dir(), Persistence::File).unwrap();
    let text = |block: &Vec<u8>| String::from_utf8(block.clone()).unwrap();
    conversation.messages().unwrap().iter().flat_map(|message| message.blocks.iter().map(text)).collect()
}

#[tokio::test]
async fn a_file_cut_at_any_byte_says_what_its_whole_lines_say() {
    let stage = Stage::new(TOOLS);
    stage.turn().await;
    let (path, whole) = (stage.file(), std::fs::read(stage.file()).unwrap());
    let mut last_whole = Vec::new();
    for cut in 0..=whole.len() {
        let is_whole = cut == 0 || whole[cut - 1] == b'\n';
        // A line that only lacks its line break is whole too.
        let lacks_break = whole.get(cut) == Some(&b'\n');
        std::fs::write(&path, &whole[..cut]).unwrap();
        let said = messages(&stage, &path);
        if is_whole || lacks_break {
            last_whole = said;
        } else {
            assert_eq!(said, last_whole, "cut at {cut}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), &whole[..cut], "opening writes nothing");
    }
}

#[tokio::test]
async fn after_any_cut_of_the_last_line_a_turn_goes_on_behind_it() {
    let stage = Stage::new(TOOLS);
    stage.turn().await;
    let (path, whole) = (stage.file(), std::fs::read(stage.file()).unwrap());
    let is_end = |at: &usize| whole[*at] == b'\n';
    let ends: Vec<usize> = (0..whole.len()).filter(is_end).map(|at| at + 1).collect();
    // The last line of all, and that of a call whose result never came.
    let call = ends.iter().position(|end| whole[..*end].ends_with(b"}\n") && is_call(&whole, *end)).unwrap();
    for last in [ends.len() - 1, call] {
        for cut in (ends[last - 1] + 1..ends[last]).step_by(stride()) {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut agent = stage.resumed();
            let told = say(&mut agent, "what now?").await;
            assert!(told.is_done(), "{cut}: {:?}", told.finished.ending);
            drop(agent);
            let bytes = std::fs::read(&path).unwrap();
            // Where a value would follow, a quote keeps the next line from being read as that value.
            let rest = bytes.strip_prefix(&whole[..cut]).unwrap();
            assert!(rest.starts_with(b"\n") || rest.starts_with(b"\"\n"), "cut at {cut}");
            assert!(resumed(&bytes).starts_with(stage.sent().last().unwrap()), "cut at {cut}");
        }
    }
    for request in stage.api.requests() {
        assert_eq!(request.violations, [], "{}", String::from_utf8_lossy(&request.body));
    }
}

fn is_call(whole: &[u8], end: usize) -> bool {
    let start = whole[..end - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    String::from_utf8_lossy(&whole[start..end]).contains(r#""type":"tool_use""#)
}

/// A clock that goes where it is told, and now and then an hour back.
#[derive(Debug, Default)]
struct Jumping {
    chance: CountingSource,
    now: AtomicI64,
}

impl Clock for Jumping {
    fn now(&self) -> i64 {
        // Back by an hour on every third question, as when summer time ends or a machine is set right.
        let asked = self.now.fetch_add(1, Ordering::Relaxed);
        1_767_225_600_000 + asked * 10 - if asked % 3 == 2 { 3_600_000 } else { 0 }
    }

    fn pause(&self, _: u64) {}
}

impl Source for Jumping {
    fn random(&self) -> [u8; 16] {
        self.chance.random()
    }
}

#[tokio::test]
async fn a_clock_that_jumps_neither_turns_lines_round_nor_durations() {
    let stage = Stage::new(TOOLS);
    let clock = Jumping::default();
    let store = StoreContext { source: &clock, ..stage.store() };
    let start = ConversationStart::New(Default::default());
    let mut agent = stage.new_agent();
    agent.conversation = Conversation::open(store, start, &stage.home.work_dir(), Persistence::File).unwrap();
    assert!(say(&mut agent, "do @@a@@").await.is_done());
    assert!(say(&mut agent, "and then?").await.is_done());
    drop(agent);
    stage.only_grew();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    let mut newest = String::new();
    for line in text.lines() {
        let value = Value::parse(line.as_bytes()).unwrap();
        let time = value.get("timestamp").and_then(Value::text).map(|time| time.to_string());
        if let Some(time) = time.filter(|_| value.get("uuid").is_some()) {
            assert!(time >= newest, "{time} behind {newest}");
            newest = time;
        }
        if let Some(took) = value.get("durationMs") {
            let took: u64 = String::from_utf8_lossy(took.raw()).parse().unwrap();
            assert!(took < 600_000, "{line}");
        }
    }
}
