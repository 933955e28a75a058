//! Rewinding to an earlier prompt: it writes nothing, the next prompt follows the line before, and the request is what the
//! newest client would send.

use annals_agent::conversation::{ConversationStart, Persistence, RewindError};
use annals_agent::protocol::{Command, Commands};
use annals_store::session::NewSession;

use super::holds::resumed;
use super::{Stage, say};

const TOOLS: &str = r#"[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"Peek","input":{"say":"1"}},
    {"type":"tool_use","name":"Change","input":{"say":"2"}}],[{"type":"text","text":"fine"}]"#;

fn parent_of(file: &str, words: &str) -> Option<String> {
    let line = file.lines().find(|line| line.contains(words) && line.contains(r#""type":"user""#)).unwrap();
    let after = line.split(r#""parentUuid":"#).nth(1).unwrap();
    after.strip_prefix('"').map(|id| id.split('"').next().unwrap().to_owned())
}

#[tokio::test]
async fn what_is_sent_after_going_back_is_what_the_file_says() {
    for persistence in [Persistence::File, Persistence::Memory] {
        let stage = Stage::new(TOOLS);
        let mut agent = stage.agent(ConversationStart::New(NewSession::default()), persistence);
        for words in ["first @@a@@", "second @@a@@", "third @@a@@"] {
            assert!(say(&mut agent, words).await.is_done());
        }
        let turns = agent.conversation.turns().unwrap();
        let texts: Vec<_> = turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(texts, ["first @@a@@", "second @@a@@", "third @@a@@"]);
        let before = stage.sent();
        let bytes = stage.files().first().map(|file| std::fs::read(file).unwrap());
        agent.conversation.rewind_to(&turns[1].prompt).unwrap();
        assert_eq!(
            bytes,
            stage.files().first().map(|file| std::fs::read(file).unwrap()),
            "nothing is written"
        );
        assert_eq!(agent.conversation.turns().unwrap(), turns[..1]);
        assert_eq!(agent.conversation.messages().unwrap().len(), 4);
        assert!(say(&mut agent, "other @@a@@").await.is_done());
        let sent = stage.sent();
        // Two requests a turn: the first one of the second turn had all that stands before it, and its prompt.
        let (old, new) = (&before[2], &sent[6]);
        assert_eq!(old[..old.len() - 1], new[..new.len() - 1]);
        assert!(new.last().unwrap().contains("other") && !new.concat().contains("second"), "{new:#?}");
        let texts: Vec<_> = agent.conversation.turns().unwrap().into_iter().map(|turn| turn.text).collect();
        assert_eq!(texts, ["first @@a@@", "other @@a@@"]);
        drop(agent);
        stage.holds();
        if persistence == Persistence::Memory {
            continue;
        }
        let text = std::fs::read_to_string(stage.file()).unwrap();
        assert_eq!(parent_of(&text, "second"), parent_of(&text, "other"));
        assert!(resumed(text.as_bytes()).starts_with(sent.last().unwrap()));
        // A client that resumes continues there.
        let mut agent = stage.resumed();
        assert!(say(&mut agent, "and on").await.is_done());
        drop(agent);
        let sent = stage.sent();
        assert!(sent[8].starts_with(&sent[7]), "{sent:#?}");
    }
}

#[tokio::test]
async fn back_to_the_beginning_and_twice_over() {
    let stage = Stage::new(r#"[{"type":"text","text":"one"}]"#);
    let mut agent = stage.new_agent();
    for words in ["a", "b", "c"] {
        assert!(say(&mut agent, words).await.is_done());
    }
    let turns = agent.conversation.turns().unwrap();
    agent.conversation.rewind_to(&turns[2].prompt).unwrap();
    agent.conversation.rewind_to(&turns[0].prompt).unwrap();
    assert!(agent.conversation.messages().unwrap().is_empty());
    assert!(say(&mut agent, "again").await.is_done());
    assert_eq!(stage.sent().last().unwrap().len(), 1);
    let turns = agent.conversation.turns().unwrap();
    assert_eq!(turns.len(), 1);
    assert!(matches!(agent.conversation.rewind_to("nobody"), Err(RewindError::NoSuchPrompt(_))));
    drop(agent);
    stage.holds();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    assert_eq!(parent_of(&text, "again"), None);
    assert!(resumed(text.as_bytes()).starts_with(stage.sent().last().unwrap()));
}

#[tokio::test]
async fn a_summary_after_going_back_sums_up_what_is_left() {
    let stage = Stage::new(r#"[{"type":"text","text":"one"}]"#);
    let mut agent = stage.new_agent();
    for words in ["early", "late"] {
        assert!(say(&mut agent, words).await.is_done());
    }
    let turns = agent.conversation.turns().unwrap();
    agent.conversation.rewind_to(&turns[1].prompt).unwrap();
    let (_sender, mut commands) = Commands::channel();
    agent.handle(Command::Compact(None), &mut commands, &mut |_| {}).await;
    let asked = stage.sent().last().unwrap().concat();
    assert!(asked.contains("early") && !asked.contains("late"), "{asked}");
    assert!(say(&mut agent, "on").await.is_done());
    let texts: Vec<_> = agent.conversation.turns().unwrap().into_iter().map(|turn| turn.text).collect();
    assert_eq!(texts, ["early", "on"]);
    drop(agent);
    stage.holds();
    let bytes = std::fs::read(stage.file()).unwrap();
    assert!(resumed(&bytes).starts_with(stage.sent().last().unwrap()));
}

#[tokio::test]
async fn in_a_large_session_the_turns_since_its_compaction_can_be_gone_back_to() {
    let line = |uuid: &str, parent: &str, kind: &str, body: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}","uuid":"{uuid}","sessionId":"s","cwd":"/w","version":"2.1.112","timestamp":"2026-01-01T00:00:00.000Z",{body}}}"#
        ) + "\n"
    };
    let said = |words: &str| format!(r#""message":{{"role":"user","content":"{words}"}}"#);
    let replied = |words: &str| {
        format!(
            r#""message":{{"id":"m{words}","role":"assistant","model":"claude-opus-4-8","content":[{{"type":"text","text":"{words}"}}]}}"#
        )
    };
    let mut text = line("old", "null", "user", &said(&"long ago ".repeat(700_000)));
    text += &line(
        "b",
        "null",
        "system",
        r#""subtype":"compact_boundary","logicalParentUuid":"old","content":"c","compactMetadata":{"trigger":"auto"}"#,
    );
    text += &line("s", r#""b""#, "user", &(said("summary") + r#","isCompactSummary":true"#));
    text += &line("1", r#""s""#, "assistant", &replied("one"));
    text += &line("p2", r#""1""#, "user", &said("second"));
    text += &line("2", r#""p2""#, "assistant", &replied("two"));
    let stage = Stage::new("");
    let folder = stage.config.projects().join("-w");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("aaaaaaaa-0000-4000-8000-000000000000.jsonl");
    std::fs::write(&path, &text).unwrap();
    let mut agent = stage.resumed();
    let turns = agent.conversation.turns().unwrap();
    assert_eq!(turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>(), ["second"]);
    agent.conversation.rewind_to("p2").unwrap();
    assert!(say(&mut agent, "another way").await.is_done());
    drop(agent);
    let sent = stage.sent();
    let last = sent.last().unwrap();
    assert!(
        last.iter().any(|message| message.contains("one")) && !last.concat().contains("second"),
        "{last:#?}"
    );
    assert!(resumed(&std::fs::read(&path).unwrap()).starts_with(last), "{last:#?}");
}
