//! Continued sessions: resumed, forked, truncated anywhere, in memory, and with another writer.

use annals_agent::conversation::{Conversation, ConversationStart, OpenError, Persistence};
use annals_agent::protocol::{TurnEnd, TurnError};
use annals_store::session::NewSession;

use super::holds::resumed;
use super::{Stage, say};

const TOOLS: &str = r#"[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"Peek","input":{"say":"1"}},
    {"type":"tool_use","name":"Change","input":{"say":"2"}}],[{"type":"text","text":"fine"}]"#;

#[tokio::test]
async fn a_session_is_resumed_where_it_stood() {
    let stage = Stage::new(TOOLS);
    stage.turn().await;
    let before = std::fs::read(stage.file()).unwrap();
    let agent = stage.resumed();
    assert_eq!(agent.conversation.model(), Some("claude-opus-4-8"));
    drop(agent);
    assert_eq!(std::fs::read(stage.file()).unwrap(), before, "opening writes nothing");
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "@@a@@ again").await.is_done());
    drop(agent);
    assert!(std::fs::read(stage.file()).unwrap().starts_with(&before));
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn responses_without_an_id_of_their_own_stay_apart() {
    for id in ["", "msg_always_the_same"] {
        let step = |text: &str| format!(r#"{{"id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}"#);
        let call = format!(
            r#"{{"id":"{id}","content":[{{"type":"tool_use","name":"Peek","input":{{}}}}]}},{}"#,
            step("1")
        );
        let stage = Stage::scripts(&format!(r#"{{"a":[{call}],"b":[{}],"c":[{}]}}"#, step("2"), step("3")));
        let mut agent = stage.new_agent();
        assert!(say(&mut agent, "@@a@@").await.is_done());
        assert!(say(&mut agent, "@@b@@").await.is_done());
        drop(agent);
        let mut agent = stage.resumed();
        assert!(say(&mut agent, "@@c@@").await.is_done());
        drop(agent);
        stage.holds();
        stage.only_grew();
        assert_eq!(resumed(&std::fs::read(stage.file()).unwrap()).len(), 8, "{id:?}");
    }
}

#[tokio::test]
async fn nothing_is_made_before_the_first_prompt() {
    let stage = Stage::new("");
    let agent = stage.new_agent();
    assert!(agent.conversation.path().is_none() && stage.files().is_empty());
    let id = agent.conversation.session().to_owned();
    drop(agent);
    let new = NewSession { id: Some(id.clone()), ..NewSession::default() };
    let mut agent = stage.agent(ConversationStart::New(new), Persistence::File);
    say(&mut agent, "hello").await;
    assert!(stage.file().ends_with(format!("{id}.jsonl")));
    let bad = ConversationStart::New(NewSession { id: Some("mine".into()), ..NewSession::default() });
    let refused = Conversation::open(stage.store(), bad, stage.home.path(), Persistence::File);
    assert!(matches!(refused, Err(OpenError::Append(_))));
}

#[tokio::test]
async fn a_fork_leaves_the_first_as_it_is() {
    let stage = Stage::new(TOOLS);
    stage.turn().await;
    let first = stage.file();
    let before = std::fs::read(&first).unwrap();
    let mut agent = stage.agent(ConversationStart::Fork { path: first.clone(), id: None }, Persistence::File);
    assert!(say(&mut agent, "elsewhere").await.is_done());
    assert_ne!(agent.conversation.path(), Some(first.as_path()));
    drop(agent);
    assert_eq!(std::fs::read(&first).unwrap(), before);
    let sent = stage.sent();
    assert!(sent[2].starts_with(&sent[1]), "{sent:#?}");
    for request in stage.api.requests() {
        assert_eq!(request.violations, []);
    }
}

#[tokio::test]
async fn without_persistence_the_same_is_sent_and_nothing_is_written() {
    let stage = Stage::new(TOOLS);
    let mut agent = stage.agent(ConversationStart::New(NewSession::default()), Persistence::Memory);
    assert!(say(&mut agent, "@@a@@").await.is_done());
    assert!(say(&mut agent, "more").await.is_done());
    drop(agent);
    assert!(stage.files().is_empty() && !stage.home.config_dir().join("history.jsonl").exists());
    let sent = stage.sent();
    assert!(sent.windows(2).all(|pair| pair[1].starts_with(&pair[0])), "{sent:#?}");
    stage.holds();
}

#[tokio::test]
async fn s5_f20_a_session_that_was_cut_anywhere_goes_on() {
    let stage = Stage::new(TOOLS);
    stage.turn().await;
    let (path, whole) = (stage.file(), std::fs::read(stage.file()).unwrap());
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').map(|at| at + 1).collect();
    // After every line, and inside each of them.
    let inside = ends.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) / 2);
    for cut in ends.iter().copied().chain(inside) {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let requests = stage.api.requests().len();
        let mut agent = stage.resumed();
        let told = say(&mut agent, "what now?").await;
        assert!(told.is_done(), "{cut}: {:?}", told.finished.ending);
        drop(agent);
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(&whole[..cut]));
        let sent = stage.sent();
        assert!(sent.len() > requests);
        assert!(resumed(&bytes).starts_with(sent.last().unwrap()), "{cut}");
        for request in stage.api.requests() {
            assert_eq!(request.violations, [], "{cut}: {}", String::from_utf8_lossy(&request.body));
        }
    }
}

#[tokio::test]
async fn another_writer_ends_the_turn_and_harms_nothing() {
    let stage = Stage::new(r#"[{"type":"text","text":"one"}]"#);
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let second = Conversation::open(
        stage.store(),
        ConversationStart::Resume(stage.file()),
        stage.home.path(),
        Persistence::File,
    );
    assert!(matches!(second, Err(OpenError::Append(_))), "one of ours has it");
    // A client that knows nothing of our locks.
    let mut bytes = std::fs::read(stage.file()).unwrap();
    let foreign = String::from_utf8(bytes.clone()).unwrap();
    let line = foreign.lines().find(|line| line.contains(r#""type":"user""#)).unwrap();
    let uuid = line.split(r#""uuid":""#).nth(1).unwrap().split('"').next().unwrap();
    bytes.extend_from_slice(line.replace(uuid, "11111111-2222-4333-8444-555555555555").as_bytes());
    bytes.push(b'\n');
    std::fs::write(stage.file(), &bytes).unwrap();
    let told = say(&mut agent, "mine").await;
    assert!(
        matches!(told.finished.ending, TurnEnd::Failed(TurnError::Session(_))),
        "{:?}",
        told.finished.ending
    );
    drop(agent);
    assert_eq!(std::fs::read(stage.file()).unwrap(), bytes);
}

#[tokio::test]
async fn a_session_that_cannot_be_written_goes_on_in_memory() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new(TOOLS);
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let file = stage.file();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().append(true).open(&file).is_ok() {
        // The superuser writes to everything: a folder in the file's place is what is left.
        std::fs::rename(&file, file.with_extension("aside")).unwrap();
        let told = say(&mut agent, "unheard").await;
        assert!(!told.notices().is_empty(), "{:?}", told.finished.ending);
        return;
    }
    let told = say(&mut agent, "unheard").await;
    assert!(told.is_done() && told.notices()[0].contains("continuing in memory"), "{:?}", told.notices());
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let told = say(&mut agent, "heard").await;
    assert!(told.notices().iter().any(|notice| notice.contains("written again")), "{:?}", told.notices());
    drop(agent);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("unheard") && text.contains("heard"));
    stage.holds();
}

#[tokio::test]
async fn a_client_that_goes_on_from_the_last_message_is_not_overlooked() {
    let stage = Stage::new(r#"[{"type":"text","text":"one"}]"#);
    stage.turn().await;
    let text = std::fs::read_to_string(stage.file()).unwrap();
    let line = text.lines().find(|line| line.contains(r#""type":"user""#)).unwrap();
    let uuid_of =
        |line: &str| line.split(r#""uuid":""#).nth(1).unwrap().split('"').next().unwrap().to_owned();
    let answer = uuid_of(text.lines().rfind(|line| line.contains(r#""type":"assistant""#)).unwrap());
    // As some releases do: the line behind the last message is nobody's parent.
    let theirs = line
        .replace(&uuid_of(line), "11111111-2222-4333-8444-555555555555")
        .replace(r#""parentUuid":null"#, &format!(r#""parentUuid":"{answer}""#))
        .replace("do @@a@@", "theirs");
    std::fs::write(stage.file(), format!("{text}{theirs}\n")).unwrap();
    let messages = resumed(&std::fs::read(stage.file()).unwrap());
    assert!(messages[2].contains("theirs"), "{messages:#?}");
}

#[tokio::test]
async fn files_are_kept_before_a_turn_changes_them_first() {
    let stage = Stage::new("");
    let file = stage.home.work_dir().join("a.txt");
    let call = |said: &str| {
        format!(
            r#"[{{"type":"tool_use","name":"Change","input":{{"say":"{said}","change":"{}"}}}}]"#,
            file.display()
        )
    };
    let end = r#"[{"type":"text","text":"fine"}]"#;
    let script = format!(r#"{{"a":[{},{},{end}],"b":[{},{end}]}}"#, call("1"), call("2"), call("3"));
    let stage = Stage::in_home(stage.home, &script);
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    drop(agent);
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "@@b@@").await.is_done());
    let session = agent.conversation.session().to_owned();
    drop(agent);
    stage.holds();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    let snapshots: Vec<_> = text.lines().filter(|line| line.contains("file-history-snapshot")).collect();
    // A turn that made the file, once for both changes; the next one knows it, and its copy holds what it was then.
    assert_eq!(snapshots.len(), 3, "{snapshots:#?}");
    assert!(snapshots[1].contains(r#""a.txt":{"backupFileName":null,"version":1"#), "{}", snapshots[1]);
    assert!(snapshots[1].contains(r#""isSnapshotUpdate":true"#));
    assert!(snapshots[2].contains(r#""version":2"#) && !snapshots[2].contains("null"), "{}", snapshots[2]);
    let folder = stage.home.config_dir().join("file-history").join(session);
    let kept: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read_to_string(kept[0].path()).unwrap(), "2");
}

#[tokio::test]
async fn files_that_the_newest_client_told_of_one_by_one_are_known() {
    let stage = Stage::new("");
    let (old, changed) = (stage.home.work_dir().join("old.txt"), stage.home.work_dir().join("new.txt"));
    std::fs::write(&old, "as it is").unwrap();
    let end = r#"[{"type":"text","text":"fine"}]"#;
    let script = format!(
        r#"{{"a":[{end}],"b":[[{{"type":"tool_use","name":"Change","input":{{"say":"3","change":"{}"}}}}],{end}]}}"#,
        changed.display()
    );
    let stage = Stage::in_home(stage.home, &script);
    let mut agent = stage.new_agent();
    assert!(say(&mut agent, "@@a@@").await.is_done());
    let session = agent.conversation.session().to_owned();
    drop(agent);
    // As that client writes them: one relative, one absolute.
    let mut text = std::fs::read_to_string(stage.file()).unwrap();
    for (path, version) in [("new.txt", 7), (&*old.to_string_lossy(), 2)] {
        text.push_str(&format!(
            r#"{{"type":"file-history-delta","messageId":"m","snapshotMessageId":"s","trackingPath":"{path}","backup":{{"backupFileName":null,"version":{version},"backupTime":"2026-01-31T00:00:00.000Z"}},"timestamp":"2026-01-31T00:00:00.000Z"}}"#
        ));
        text.push('\n');
    }
    std::fs::write(stage.file(), text).unwrap();
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "@@b@@").await.is_done());
    drop(agent);
    stage.holds();
    let text = std::fs::read_to_string(stage.file()).unwrap();
    let snapshot = text.lines().rfind(|line| line.contains("file-history-snapshot")).unwrap();
    // One is still not there, and so it is what it was; the other has come into being: its next version.
    assert!(snapshot.contains(r#""new.txt":{"backupFileName":null,"version":7"#), "{snapshot}");
    assert!(snapshot.contains(r#"@v3","version":3"#), "{snapshot}");
    let folder = stage.home.config_dir().join("file-history").join(session);
    let kept: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(std::fs::read_to_string(kept[0].path()).unwrap(), "as it is");
}
