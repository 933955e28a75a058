//! Files and folders that a prompt mentions: attached as the original attaches them, as far as rules allow it.

use annals_agent::protocol::Event;
use annals_policy::rules::{Rule, RuleList, SettingsSource};

use super::custom::kinds;
use super::{Stage, say};

const DONE: &str = r#"[{"type":"text","text":"fine"}]"#;

#[tokio::test]
async fn files_and_folders_are_attached_behind_the_prompt() {
    let stage = Stage::scripts(&format!(r#"{{"a":[{DONE}],"b":[{DONE}]}}"#));
    let work = stage.home.work_dir();
    std::fs::create_dir_all(work.join("dir/sub")).unwrap();
    std::fs::write(work.join("dir/a.rs"), "fn a() {}\n").unwrap();
    std::fs::write(work.join("note.txt"), "first\nsecond\nthird\n").unwrap();
    let mut agent = stage.new_agent();
    let told = say(&mut agent, "see @note.txt, @dir and @missing.txt or me@note.txt @@a@@").await;
    assert!(told.is_done() && told.notices().is_empty(), "{:?}", told.events);
    assert!(
        !told.events.iter().any(|event| matches!(event, Event::ToolStarted { .. })),
        "nobody called a tool"
    );
    let lines = stage.lines();
    assert_eq!(kinds(&lines)[1..4], ["user", "attachment file", "attachment directory"]);
    let path = work.join("note.txt").display().to_string();
    assert!(
        lines[2].contains(&format!(
            r#""attachment":{{"type":"file","filename":"{path}","content":{{"type":"text""#
        ))
    );
    assert!(lines[2].contains(r#""displayPath":"note.txt""#), "{}", lines[2]);
    let path = work.join("dir").display().to_string();
    let folder =
        format!(r#"{{"type":"directory","path":"{path}","content":"a.rs\nsub","displayPath":"dir"}}"#);
    assert!(lines[3].contains(&folder), "{}", lines[3]);
    let sent = stage.sent();
    assert!(sent[0].iter().any(|message| message.contains("second")), "{:?}", sent[0]);
    drop(agent);
    let mut agent = stage.resumed();
    assert!(say(&mut agent, "lines @note.txt#L2-2 @@b@@").await.is_done());
    let last = stage.lines().into_iter().rfind(|line| line.contains(r#""type":"file""#)).unwrap();
    assert!(last.contains("second") && !last.contains("third"), "{last}");
    drop(agent);
    stage.holds();
    stage.only_grew();
}

#[tokio::test]
async fn what_rules_do_not_allow_stays_text_and_is_told() {
    let mut stage = Stage::new(DONE);
    stage.rules.extend([Rule::new("Read(secret.txt)", RuleList::Deny, SettingsSource::User)]);
    std::fs::write(stage.home.work_dir().join("secret.txt"), "hidden words\n").unwrap();
    std::fs::write(stage.home.path().join("outside.txt"), "outer words\n").unwrap();
    let outside = stage.home.path().join("outside.txt").display().to_string();
    let mut agent = stage.new_agent();
    let told = say(&mut agent, &format!("see @secret.txt and @{outside} @@a@@")).await;
    assert!(told.is_done());
    let why = "reading it needs a permission";
    assert_eq!(
        told.notices(),
        [format!("not attached: secret.txt: {why}"), format!("not attached: {outside}: {why}")]
    );
    drop(agent);
    let file = stage.lines().join("\n");
    assert!(!file.contains("hidden words") && !file.contains("outer words"));
    stage.holds();
}
