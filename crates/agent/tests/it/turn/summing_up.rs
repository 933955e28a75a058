//! Compaction: manual, automatic, and after failures.

use std::sync::Arc;

use annals_agent::protocol::{Command, Commands, Event, TurnEnd};

use annals_agent::tools::{Edit, Read, ToolContext};
use annals_policy::Mode;
use annals_testkit::home::Home;
use annals_transcript::draft::CompactionTrigger;

use super::holds::resumed;
use super::{Stage, interrupting, say, say_with};

const SUMMARY: &str = r#"[{"type":"text","text":"they said hello"}]"#;
const TOO_LONG: &str = r#""status":400,"error":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum""#;

fn output_of(event: &Event) -> Option<u64> {
    match event {
        Event::Usage { usage, .. } => Some(usage.output()),
        _ => None,
    }
}

fn compacted(stage: &Stage) -> Vec<String> {
    let messages = resumed(&std::fs::read(stage.file()).unwrap());
    assert!(messages[0].contains("they said hello"), "{messages:#?}");
    messages
}

#[tokio::test]
async fn asked_for_with_a_word_about_what_matters() {
    let stage = Stage::new(&format!(
        r#"[{{"type":"text","text":"hello"}}],{SUMMARY},[{{"type":"text","text":"on"}}]"#
    ));
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let (_sender, mut commands) = Commands::channel();
    let mut events = Vec::new();
    let focus = Command::Compact(Some("the greeting".into()));
    let before = std::fs::read(stage.file()).unwrap();
    let report = agent.handle(focus, &mut commands, &mut |event| events.push(event)).await;
    assert_eq!(report.unwrap().ending, TurnEnd::Done);
    assert!(
        matches!(events[..], [Event::Compacting, Event::Usage { .. }, Event::Compacted { .. }]),
        "{events:?}"
    );
    assert!(stage.sent()[1].last().unwrap().contains("the greeting"));
    assert!(std::fs::read(stage.file()).unwrap().starts_with(&before), "lines are only added");
    assert!(say(&mut agent, "and?").await.is_done());
    drop(agent);
    stage.holds();
    let messages = compacted(&stage);
    assert!(messages.starts_with(stage.sent().last().unwrap()), "{messages:#?}");
}

#[tokio::test]
async fn by_itself_when_the_window_is_nearly_full() {
    let full =
        r#"{"content":[{"type":"tool_use","name":"Peek","input":{}}],"usage":{"input_tokens":950000}}"#;
    let stage = Stage::new(&format!("{full},{SUMMARY}"));
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    assert!(
        told.events.contains(&Event::Compacted { tokens_before: 950_020, trigger: CompactionTrigger::Auto }),
        "{:?}",
        told.events
    );
    // The summary counts, though it is no response of the turn and no line of the file.
    let counted = told.events.iter().filter(|event| matches!(event, Event::Usage { .. })).count();
    assert_eq!((counted, told.finished.responses), (3, 2));
    let output: u64 = told.events.iter().filter_map(output_of).sum();
    assert_eq!(told.finished.spent["claude-opus-4-8"].output, output);
    compacted(&stage);
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_summed_up_and_tried_again() {
    // The first request is refused once; what follows is the summary, then the answer to it.
    let stage = Stage::new(&format!(
        r#"{{{TOO_LONG},"times":1,"content":[{{"type":"text","text":"they said hello"}}]}}"#
    ));
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    compacted(&stage);
}

#[tokio::test]
async fn after_three_failures_nothing_is_tried_unasked() {
    let stage = Stage::new(&format!("{{{TOO_LONG}}}"));
    let mut agent = stage.new_agent();
    for turn in 0..4 {
        let told = say(&mut agent, "@@a@@").await;
        assert!(matches!(told.finished.ending, TurnEnd::Failed(_)));
        assert_eq!(told.notices().is_empty(), turn == 3, "{turn}: {:?}", told.notices());
    }
    drop(agent);
    stage.holds();
}

#[tokio::test]
async fn where_even_the_summary_is_too_long_the_newer_half_is_summed_up() {
    // Four turns; the fifth is refused, and so is the first request for a summary.
    let refused =
        format!(r#"{{{TOO_LONG},"times":2,"content":[{{"type":"text","text":"they said hello"}}]}}"#);
    let stage = Stage::scripts(&format!(r#"{{"a":[{refused}]}}"#));
    let mut agent = stage.new_agent();
    for turn in ["one", "two", "three", "four"] {
        assert!(say(&mut agent, turn).await.is_done());
    }
    let told = say(&mut agent, "five @@a@@").await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    drop(agent);
    stage.holds();
    let sent = stage.sent();
    let (all, half) = (&sent[5], &sent[6]);
    assert!(all[0].contains("one") && half.len() < all.len() && !half[0].contains("one"), "{half:#?}");
    compacted(&stage);
}

#[tokio::test]
async fn a_full_window_is_summed_up_and_the_turn_goes_on() {
    let full = r#"{"content":[{"type":"text","text":"a bit"},{"type":"tool_use","name":"Change","input":{"say":"x"}}],
        "stop_reason":"model_context_window_exceeded"}"#;
    let stage = Stage::new(&format!("{full},{SUMMARY}"));
    let told = stage.turn().await;
    assert!(told.is_done(), "{:?}", told.finished.ending);
    assert!(stage.done().is_empty(), "a call of a response that was cut does not run");
    assert_eq!(stage.sent().len(), 3);
    compacted(&stage);
}

#[tokio::test]
async fn an_interrupt_while_it_is_summed_up_ends_the_turn() {
    let full =
        r#"{"content":[{"type":"tool_use","name":"Peek","input":{}}],"usage":{"input_tokens":950000}}"#;
    let stage = Stage::new(&format!(r#"{full},{{"content":[],"play":["head","stall"]}}"#));
    let mut agent = stage.new_agent();
    let (sender, mut commands) = Commands::channel();
    let is_answered = |event: &Event| matches!(event, Event::ToolDone { .. });
    let told = say_with(&mut agent, "do @@a@@", &mut commands, interrupting(sender, is_answered)).await;
    assert_eq!(told.finished.ending, TurnEnd::Interrupted);
    drop(agent);
    stage.holds();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    assert!(text.contains("[Request interrupted by user]") && !text.contains("compact_boundary"), "{text}");
}

#[tokio::test]
async fn what_is_no_whole_summary_leaves_everything_as_it_was() {
    let words = r#"{"type":"text","text":"Let me check one more file first."}"#;
    for (step, why) in [
        (format!(r#"[{words},{{"type":"tool_use","name":"Peek","input":{{}}}}]"#), "called a tool"),
        (
            format!(
                r#"{{"content":[{words},{{"type":"tool_use","name":"Peek","input":{{}}}}],"stop_reason":"end_turn"}}"#
            ),
            "called a tool",
        ),
        (format!(r#"{{"content":[{words}],"stop_reason":"refusal"}}"#), "refusal"),
        (format!(r#"{{"content":[{words}],"stop_reason":"max_tokens"}}"#), "max_tokens"),
        // 0 start · 1–5 text · 6 reason
        (format!(r#"{{"content":[{words}],"play":["head",{{"events":[0,6]}}]}}"#), "cut off"),
    ] {
        let hello = r#"[{"type":"text","text":"hello"}]"#;
        let stage = Stage::scripts(&format!(r#"{{"a":[{hello},{step}],"b":[{hello}]}}"#));
        let mut agent = stage.new_agent();
        assert!(say(&mut agent, "@@a@@").await.is_done());
        let before = std::fs::read(stage.file()).unwrap();
        let (_sender, mut commands) = Commands::channel();
        let mut events = Vec::new();
        agent.handle(Command::Compact(None), &mut commands, &mut |event| events.push(event)).await;
        let [Event::Compacting, Event::Usage { .. }, Event::Notice(notice)] = &events[..] else {
            panic!("{events:?}")
        };
        assert!(notice.to_string().contains(why), "{notice}");
        assert_eq!(std::fs::read(stage.file()).unwrap(), before, "{why}: nothing is written");
        assert!(say(&mut agent, "and? @@b@@").await.is_done());
        assert_eq!(stage.sent().last().unwrap().len(), 3, "{why}: the conversation is still there");
        drop(agent);
        stage.holds();
    }
}

#[tokio::test]
async fn after_a_compaction_a_file_must_be_read_again_before_it_is_edited() {
    const UNREAD: &str = "has not been read";
    for (tokens, is_compacted) in [(10, false), (950_000, true)] {
        let home = Home::new();
        let path = home.work_dir().canonicalize().unwrap().join("a.txt");
        std::fs::write(&path, "alpha\n").unwrap();
        let file = path.display();
        let read = format!(r#"{{"type":"tool_use","name":"Read","input":{{"file_path":"{file}"}}}}"#);
        let edit = format!(
            r#"{{"type":"tool_use","name":"Edit","input":{{"file_path":"{file}","old_string":"alpha","new_string":"beta"}}}}"#
        );
        let first = format!(r#"{{"content":[{read}],"usage":{{"input_tokens":{tokens}}}}}"#);
        let second = match is_compacted {
            true => r#"[{"type":"text","text":"they said hello @@b@@"}]"#.to_owned(),
            false => format!("[{edit}]"),
        };
        let stage = Stage::in_home(
            home,
            &format!(
                r#"{{"a":[{first},{second}],"b":[[{edit}],[{read}],[{edit}],[{{"type":"text","text":"x"}}]]}}"#
            ),
        );
        let mut agent = stage.new_agent();
        let context = Arc::new(ToolContext::new(stage.workspace.clone(), Box::new(()), Box::new(())));
        agent.tools.retain(|tool| tool.spec().name != "Read");
        agent.tools.push(Box::new(Read::new(Arc::clone(&context))));
        agent.tools.push(Box::new(Edit::new(context)));
        agent.policy.mode = Mode::AcceptEdits;
        let told = say(&mut agent, "do @@a@@").await;
        assert!(told.is_done(), "{:?}", told.finished.ending);
        let is_summed_up = |event: &Event| matches!(event, Event::Compacted { .. });
        assert_eq!(told.events.iter().any(is_summed_up), is_compacted);
        let results = told.events.iter().filter_map(|event| match event {
            Event::ToolDone { line, .. } => Some(String::from_utf8_lossy(&line.message).into_owned()),
            _ => None,
        });
        let refused: Vec<bool> = results.map(|result| result.contains(UNREAD)).collect();
        let expected: &[bool] = if is_compacted { &[false, true, false, false] } else { &[false, false] };
        assert_eq!(refused, expected, "read, then edit{}", if is_compacted { ", read, edit" } else { "" });
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "beta\n");
        drop(agent);
        stage.holds();
    }
}
