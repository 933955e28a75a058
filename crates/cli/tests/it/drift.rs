//! `annals drift` over a store with a new field, a new record and nothing else.

use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

const ID: &str = "0d21f700-0000-4000-8000-000000000001";

fn line(more: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w","sessionId":"{ID}","version":"9.9.9","gitBranch":"","type":"user","message":{{"role":"user","content":"hi"}},"uuid":"a","timestamp":"2026-11-01T10:00:00.000Z"{more}}}
"#
    )
}

#[test]
fn what_is_new_is_listed_with_an_example_that_says_nothing() {
    let home = Home::new();
    let path = format!("projects/-w/{ID}.jsonl");
    home.write(&path, line(""));
    assert!(
        annals_exits(&home, &["drift"], 0).out.contains("annals recognises everything: 1 record in 1 file")
    );

    let novel = r#"{"type":"hologram","text":"my secret plan","depth":3}"#;
    home.write(&path, line("") + &line(r#","mood":{"word":"my secret mood"}"#) + novel + "\n");
    let shown = annals_exits(&home, &["drift"], 3).out;
    for part in ["field user.mood", "record hologram", "client 9.9.9", ".jsonl:2", ".jsonl:3", r#""depth":3"#]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let found = annals(&home, &["drift", ID, "--json"]);
    keep_schema("drift", &[found.out.trim_end().as_bytes()], "drift --json");
    assert!(!found.out.contains("secret") && !shown.contains("secret"), "{}", found.out);
}

#[test]
fn the_demo_store_has_only_the_novelties_that_it_invents() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let shown = annals_exits(&home, &["drift"], 3).out;
    let found: Vec<&str> = shown
        .lines()
        .filter(|line| {
            ["record ", "subtype ", "block ", "result ", "field "].iter().any(|kind| line.starts_with(kind))
        })
        .collect();
    assert_eq!(
        found,
        [
            "record (none)",
            "record mood-ring",
            "subtype attachment.tea_break",
            "subtype system.weather_report"
        ]
    );
}
