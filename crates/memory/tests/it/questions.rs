//! Twenty questions over the demo store whose answers are known: each is found within three calls and 4,000 tokens.

use annals_demo::Plan;
use annals_testkit::home::Home;

use crate::support::{TestServer, quoted};

const MAX_CALLS: usize = 3;
const MAX_TOKENS: usize = 4000;

/// Questions in plain words, and what the answer must say. An agent would search, read around the best hit, and ask for the topic.
const QUESTIONS: [(&str, &str); 14] = [
    ("What did Tilda ask for in DEV-2846?", "8312"),
    ("Which ticket is about rotating the gateway certificate?", "DEV-2210"),
    ("Why did the backup job stop at three in the morning?", "89abb3f5-6382-4938-9d79-7a85d4ffbd5a"),
    ("How many vouchers may be stacked for each basket?", "at most two"),
    ("Where does the time go when restoring hard links?", "0024bbf5-091e-4839-b0be-f9e8fd6222fb"),
    ("What does backfill 2019 drop?", "hour that happens twice in autumn"),
    ("Whom to ask about vouchers if anything is unclear?", "okke"),
    ("What does quill sync --once do without a network?", "b37332ac"),
    ("Which log did we read because the disk of the log shipper was full?", "today's log"),
    ("two devices change the same note while offline", "one change is lost"),
    ("Which commit did batch the broken water level?", "f7bf2d39"),
    ("When does the limit reset?", "resets 7pm"),
    ("stress test of the pack writer", "526fac9f-62d5-43e5-9b90-c5623089fed4"),
    ("table of the index benchmark with a million chunks", "662f3668-20f6-4726-9e4a-11e2307cc6dc"),
];

/// Questions for one tool.
const CALLS: [(&str, &str, &str); 6] = [
    ("file_history", r#"{"path":"tide/export/resample_window.py"}"#, "Which quality flags does nobody read?"),
    ("todos_and_plans", r#"{"project":"ferrite"}"#, "render the dense progress bar in src/index"),
    ("todos_and_plans", r#"{"project":"tide_pipeline"}"#, "Releasing the outlier: tests and docs"),
    ("usage", r#"{"session":"a1a97c5a"}"#, "$4.84, 194 responses"),
    ("before_compaction", r#"{"session":"75a5d269"}"#, "was compacted at line"),
    ("topic", r#"{"topic":"certificate Wanda","project":"harbor.infra"}"#, "Wanda should look at"),
];

fn is_answered(server: &mut TestServer, question: &str, wanted: &str) -> bool {
    let found =
        server.call("search_sessions", &format!(r#"{{"query":{},"project":"all"}}"#, quoted(question)));
    if found.contains(wanted) {
        return true;
    }
    let hit =
        found.split("annals show ").nth(1).and_then(|rest| rest.split(" · ").next()).unwrap_or_default();
    if let Some((session, line)) =
        hit.split_once(" --around ").filter(|(session, _)| !session.starts_with("agent-"))
    {
        let read = server.call("read_session", &format!(r#"{{"session":"{session}","around":"{line}"}}"#));
        if read.contains(wanted) {
            return true;
        }
    }
    server.call("topic", &format!(r#"{{"topic":{},"project":"all"}}"#, quoted(question))).contains(wanted)
}

#[test]
fn known_answers_are_found_with_few_calls_and_few_tokens() {
    let home = Home::new();
    home.fill(&Plan::default());
    let mut server = TestServer::new(&home, None, None);
    let mut missed = Vec::new();
    for (question, wanted) in QUESTIONS {
        (server.calls, server.tokens) = (0, 0);
        if !is_answered(&mut server, question, wanted) {
            missed.push(question);
        }
        assert!(server.calls <= MAX_CALLS && server.tokens <= MAX_TOKENS, "{question}: {}", server.tokens);
    }
    for (tool, arguments, wanted) in CALLS {
        (server.calls, server.tokens) = (0, 0);
        if !server.call(tool, arguments).contains(wanted) {
            missed.push(arguments);
        }
        assert!(server.tokens <= MAX_TOKENS, "{arguments}: {}", server.tokens);
    }
    assert_eq!(missed, [""; 0]);
}
