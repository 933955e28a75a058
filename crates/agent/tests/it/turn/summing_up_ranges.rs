//! Summaries of one side of a prompt: the other side stays, in the form of the original, and clients send what we send.

use annals_agent::protocol::{Command, Commands, Event, SummaryDirection, SummaryRange, TurnEnd};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::holds::resumed;
use super::{Stage, say};

const SCRIPTS: &str = r#"{
    "a":[[{"type":"text","text":"one"}]],
    "b":[[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"Peek","input":{"say":"1"}},
          {"type":"tool_use","name":"Peek","input":{"say":"2"}}],[{"type":"text","text":"two"}]],
    "c":[[{"type":"text","text":"three"}]],
    "d":[[{"type":"text","text":"four"}]],
    "e":[[{"type":"text","text":"five"}]]}"#;

/// Summarizes one side of the second of three prompts, and says another; returns what was sent last.
async fn summarized(stage: &Stage, direction: SummaryDirection) -> Vec<String> {
    let mut agent = stage.new_agent();
    // The model is told how the prompt begins; the scripted API must not take that for a prompt.
    let second = format!("second {}@@b@@", "word ".repeat(30));
    for words in ["first @@a@@", &second, "third @@c@@"] {
        assert!(say(&mut agent, words).await.is_done());
    }
    let before = std::fs::read(stage.file()).unwrap();
    let prompt = agent.conversation.turns().unwrap()[1].prompt.clone();
    let (_sender, mut commands) = Commands::channel();
    let range = SummaryRange { prompt, direction };
    let report = agent.handle(Command::Summarize(range), &mut commands, &mut |_| {}).await;
    assert_eq!(report.unwrap().ending, TurnEnd::Done);
    assert!(std::fs::read(stage.file()).unwrap().starts_with(&before), "lines are only added");
    assert!(say(&mut agent, "fourth @@d@@").await.is_done());
    drop(agent);
    stage.holds();
    let sent = stage.sent().pop().unwrap();
    let file = std::fs::read(stage.file()).unwrap();
    assert!(resumed(&file).starts_with(&sent), "{sent:#?}\n{:#?}", resumed(&file));
    sent
}

/// What 2.1.112 would send, as one text.
fn sent_by_112(stage: &Stage) -> String {
    let bytes = std::fs::read(stage.file()).unwrap();
    let transcript = Transcript::parse(&bytes);
    let mut json = Vec::new();
    for message in resume(&transcript, Client::V2_1_112).messages() {
        message.write_json(&mut json);
    }
    String::from_utf8(json).unwrap()
}

#[tokio::test]
async fn from_a_prompt_on_the_earlier_part_stays() {
    let stage = Stage::scripts(SCRIPTS);
    let sent = summarized(&stage, SummaryDirection::From).await.concat();
    let request = stage.sent().into_iter().rev().nth(1).unwrap();
    assert!(
        request.concat().contains("third")
            && request.last().unwrap().contains("The prompt begins: second word"),
        "{request:#?}"
    );
    let at = |words: &str| sent.find(words).unwrap_or_else(|| panic!("{words}: {sent}"));
    assert!(at("first") < at("one") && at("one") < at("done c after 1 steps"), "{sent}");
    assert!(at("done c after 1 steps") < at("fourth"));
    assert!(!sent.contains("second") && !sent.contains("three"), "{sent}");
    let old = sent_by_112(&stage);
    assert!(old.contains("first") && old.contains("done c after") && !old.contains("second"), "{old}");
    let file = std::fs::read_to_string(stage.file()).unwrap();
    assert!(
        file.contains(r#""direction":"from"}"#) && file.contains(r#""preservedMessages":{"anchorUuid":"#),
        "{file}"
    );
}

#[tokio::test]
async fn up_to_a_prompt_the_later_part_stays() {
    let stage = Stage::scripts(SCRIPTS);
    let sent = summarized(&stage, SummaryDirection::UpTo).await.concat();
    let request = stage.sent().into_iter().rev().nth(1).unwrap().concat();
    assert!(request.contains("first") && !request.contains("second"), "{request}");
    let at = |words: &str| sent.find(words).unwrap_or_else(|| panic!("{words}: {sent}"));
    assert!(at("done a after 1 steps") < at("second") && at("second") < at("two"), "{sent}");
    assert!(at("two") < at("third") && at("third") < at("fourth"), "{sent}");
    assert!(!sent.contains("first"), "{sent}");
    let old = sent_by_112(&stage);
    assert!(old.contains("done a after") && old.contains("three") && !old.contains("first"), "{old}");
    let file = std::fs::read_to_string(stage.file()).unwrap();
    assert!(file.contains(r#""summarizeMetadata":{"messagesSummarized":2,"direction":"up_to"}"#), "{file}");
}

#[tokio::test]
async fn a_second_summary_keeps_the_first() {
    let stage = Stage::scripts(SCRIPTS);
    summarized(&stage, SummaryDirection::From).await;
    let mut agent = stage.resumed();
    let turns = agent.conversation.turns().unwrap();
    let prompt = turns.iter().find(|turn| turn.text.starts_with("fourth")).unwrap().prompt.clone();
    let (_sender, mut commands) = Commands::channel();
    let range = SummaryRange { prompt, direction: SummaryDirection::From };
    let report = agent.handle(Command::Summarize(range), &mut commands, &mut |_| {}).await;
    assert_eq!(report.unwrap().ending, TurnEnd::Done);
    assert!(say(&mut agent, "fifth @@e@@").await.is_done());
    drop(agent);
    stage.holds();
    let sent = stage.sent().pop().unwrap();
    assert!(resumed(&std::fs::read(stage.file()).unwrap()).starts_with(&sent), "{sent:#?}");
    let sent = sent.concat();
    for words in ["first", "one", "done c after 1 steps", "left out.\\n\\nfour", "fifth"] {
        assert!(sent.contains(words), "{words}: {sent}");
    }
    assert!(!sent.contains("fourth"), "{sent}");
}

#[tokio::test]
async fn a_summary_that_fails_changes_nothing() {
    let stage = Stage::scripts(SCRIPTS);
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "first @@a@@").await.is_done());
    let before = std::fs::read(stage.file()).unwrap();
    let (_sender, mut commands) = Commands::channel();
    let prompt = agent.conversation.turns().unwrap()[0].prompt.clone();
    for (prompt, direction) in [("gone", SummaryDirection::From), (prompt.as_str(), SummaryDirection::UpTo)] {
        let range = SummaryRange { prompt: prompt.to_owned(), direction };
        let report = agent.handle(Command::Summarize(range), &mut commands, &mut |_| {}).await;
        assert!(matches!(report.unwrap().ending, TurnEnd::Failed(_)), "nothing to summarize");
    }
    assert_eq!(std::fs::read(stage.file()).unwrap(), before);
    assert!(say(&mut agent, "second @@b@@").await.is_done());
    assert!(stage.sent().pop().unwrap().concat().contains("first"));
}

#[tokio::test]
async fn a_summary_that_cannot_be_written_leaves_the_conversation_as_it_was() {
    let stage = Stage::scripts(SCRIPTS);
    let mut agent = stage.new_agent();
    for words in ["first @@a@@", "second @@b@@", "third @@c@@"] {
        assert!(say(&mut agent, words).await.is_done());
    }
    let turns = agent.conversation.turns().unwrap();
    let (_sender, mut commands) = Commands::channel();
    let range = SummaryRange { prompt: turns[1].prompt.clone(), direction: SummaryDirection::From };
    // Another program writes to the session while the summary is made.
    let file = stage.file();
    let foreign = std::fs::read_to_string(&file).unwrap();
    let line = foreign.lines().find(|line| line.contains(r#""type":"user""#)).unwrap();
    let uuid = line.split(r#""uuid":""#).nth(1).unwrap().split('"').next().unwrap();
    let line = line.replace(uuid, "11111111-2222-4333-8444-555555555555");
    let mut report = |event: Event| {
        if matches!(event, Event::Compacting) {
            let whole = format!("{}{line}\n", std::fs::read_to_string(&file).unwrap());
            std::fs::write(&file, whole).unwrap();
        }
    };
    let report = agent.handle(Command::Summarize(range), &mut commands, &mut report).await.unwrap();
    assert!(matches!(report.ending, TurnEnd::Failed(_)), "{:?}", report.ending);
    assert_eq!(agent.conversation.turns().unwrap(), turns);
    assert!(!agent.conversation.is_rewound());
    assert!(!std::fs::read_to_string(&file).unwrap().contains("compact_boundary"));
}
