//! `annals chat --replay`: the demo store replayed without a key, in each format; the store stays unchanged.

use annals_demo::Plan;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::tree::tree;

use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn home() -> Home {
    let home = Home::new();
    let session = Session::new().id(ID).folder("/w").prompt("one\nand more").reply("The first.");
    let session = session.prompt("two").tool_use("Bash", r#"{"command":"rm -rf /"}"#).tool_result("gone");
    home.write(format!("projects/-w/{ID}.jsonl"), session.reply("The \u{1b}[2Jsecond.").into_bytes());
    home
}

#[test]
fn people_see_the_conversation_as_it_was() {
    let home = home();
    let before = tree(home.path());
    let shown = annals_exits(&home, &["chat", "--replay", "3f2a"], 0);
    let expected = "\
> one
> and more

The first.

> two

[Bash] {\"command\":\"rm -rf /\"}
The second.

[EOF]";
    expect(&shown.out, expected);
    assert_eq!(
        annals_exits(&home, &["chat", "-p", "--replay", "3f2a", "--replay-speed", "0"], 0).out,
        shown.out
    );
    assert_eq!(tree(home.path()), before, "nothing is written");
}

#[test]
fn programs_get_the_usual_lines() {
    let home = home();
    let out =
        annals_exits(&home, &["chat", "-p", "--replay", "3f2a", "--output-format", "stream-json"], 0).out;
    let kinds: Vec<_> = out.lines().map(|line| line.split('"').nth(3).unwrap()).collect();
    assert_eq!(kinds, ["system", "assistant", "result", "assistant", "user", "assistant", "result"]);
    assert!(out.contains("gone") && out.contains(ID), "{out}");
    let out = annals_exits(&home, &["chat", "-p", "--replay", "3f2a", "--output-format", "json"], 0).out;
    assert_eq!(out.lines().count(), 2);
    assert!(out.lines().all(|line| line.contains(r#""subtype":"success""#)), "{out}");
}

#[test]
fn every_demo_session_can_be_played() {
    let home = Home::new();
    home.fill(&Plan::default());
    let before = tree(&home.config_dir());
    let mut played = 0;
    for path in before.keys().filter(|path| path.extension().is_some_and(|end| end == "jsonl")) {
        let is_session =
            path.parent().and_then(|project| project.parent()).is_some_and(|up| up.ends_with("projects"));
        let name = path.file_stem().unwrap().to_string_lossy();
        if is_session && !name.starts_with("agent-") {
            let file = path.display().to_string();
            let answer = crate::annals(&home, &["chat", "--replay", &file]);
            assert!(matches!(answer.code, Some(0 | 1)), "{file}: {}", answer.error);
            played += usize::from(answer.code == Some(0));
        }
    }
    assert!(played > 15, "{played}");
    assert_eq!(tree(&home.config_dir()), before);
}

#[test]
fn what_cannot_be_played_is_refused() {
    let home = home();
    annals_exits(&home, &["chat", "--replay", "ffff"], 1);
    annals_exits(&home, &["chat", "--replay", "3f2a", "--resume", "3f2a"], 2);
    annals_exits(&home, &["chat", "--replay-speed", "5"], 2);
}
