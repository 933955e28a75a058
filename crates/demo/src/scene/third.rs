//! 2.1.0 to 2.1.29: branches, retries, commands, searches, a small compaction.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::json;
use crate::random::Random;
use crate::response::Place;
use crate::tools::{self, search, shell};
use crate::turn::Exchange;
use crate::words::projects::{FERRITE, HARBOR, QUILL};

/// A rewind, a prompt cancelled before any output, retries, and an answer that never came.
pub(super) fn rewound(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &HARBOR, "2.1.12", at(2026, 2, 16, 9, 30));
    a.script.local_command("mcp", "Connected to tickets.");
    a.ask("The certificate of the gateway runs out on Friday. How do we rotate it without an outage?");
    search_the_web(&mut a);
    a.work(3);
    let fork = a.script.parent;
    a.ask("Do it with the new module then.");
    a.work(4);
    a.script.parent = fork;
    a.ask("Wait, not the new module. Use scripts/rotate-certs.sh as it is, only with a dry run first.");
    for attempt in 1..=3 {
        a.script.overloaded(attempt);
    }
    a.work(5);
    let fork = a.script.parent;
    a.ask("And the staging cluster too");
    a.script.parent = fork;
    a.ask("And the staging cluster too, but only plan it.");
    a.script.no_network(1);
    a.script.no_network(2);
    let said = "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
    a.script.synthetic(said, &[("error", b"\"unknown\""), ("isApiErrorMessage", b"true")]);
    a.ask("try again");
    mcp(&mut a);
    a.work(2);
    a.script.stop_hooks("./scripts/notify.sh", 0);
    a.finish()
}

/// A search of the web, with the progress lines of its time.
fn search_the_web(a: &mut Actor) {
    let id = a.script.random.token("srvtoolu_01", 22);
    let tool = search::web_search(&mut a.scribe, &id);
    let query = a.scribe.one("{pkg} certificate rotation without downtime");
    let mut response = a.script.response(a.model, 70, "tool_use");
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.progress("search-progress-1", &called.id, |o| {
        o.string("type", "query_update").string("query", &query);
    });
    a.script.progress("search-progress-2", &called.id, |o| {
        o.string("type", "search_results_received").raw("resultCount", b"8").string("query", &query);
    });
    a.script.answer(&called, &tool);
}

/// A tool of another server.
pub(super) fn mcp(a: &mut Actor) {
    let answer = json::text("DEV-2210: rotate the gateway certificate (open, Tomas)");
    let list = json::list([answer.as_slice()]);
    let tool = Exchange {
        name: "mcp__tickets__get_issue".into(),
        input: br#"{"id":"DEV-2210"}"#.to_vec(),
        content: list.clone(),
        result: list,
        ..Exchange::default()
    };
    let mut response = a.script.response(a.model, 40, "tool_use");
    let called = a.script.call(&mut response, Place::Last, &tool);
    for (status, took) in [("started", None), ("completed", Some(412))] {
        a.script.progress("mcp-progress-1", &called.id, |o| {
            o.string("type", "mcp_progress").string("status", status);
            o.string("serverName", "tickets").string("toolName", "get_issue");
            if let Some(took) = took {
                o.number("elapsedTimeMs", took);
            }
        });
    }
    a.script.answer(&called, &tool);
}

/// Old tool results are dropped from the context; a leaf without an answer; a title that names its leaf.
pub(super) fn microcompact(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &FERRITE, "2.1.22", at(2026, 2, 24, 17, 2));
    a.ask("Measure how long the index takes for a million chunks and make a table of it.");
    let mut ids = Vec::new();
    for _ in 0..5 {
        let printed = a.scribe.log(2_500);
        let calls = a.respond(&[shell::ran("cargo bench --bench index", "Measure the index", &printed)]);
        ids.extend(calls.into_iter().map(|called| called.id));
    }
    a.script.system("microcompact_boundary", |o, mark| {
        o.string("content", "Context microcompacted").boolean("isMeta", false);
        mark.time_and_uuid(o);
        o.string("level", "info").object("microcompactMetadata", |m| {
            m.string("trigger", "auto").raw("preTokens", b"50745").raw("tokensSaved", b"26741");
            m.raw("compactedToolIds", &json::strings(&ids)).raw("clearedAttachmentUUIDs", b"[]");
        });
    });
    let leaf = a.conclude();
    a.script.synthetic("No response requested.", &[("isApiErrorMessage", b"false")]);
    a.ask("Good. And with a cold cache?");
    a.work(3);
    a.respond(&[tools::failed(
        "Grep",
        br#"{"pattern":"cold","path":"benches/none"}"#.to_vec(),
        "Path does not exist: benches/none",
    )]);
    a.conclude();
    a.script.side("summary", |o| {
        o.string("summary", "Index benchmark with a million chunks").string("leafUuid", leaf.as_str());
    });
    a.finish()
}

/// A session that only ever saw a command, the start of a real one after `/clear`, and two that stayed empty.
pub(super) fn small_ones(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &QUILL, "2.1.29", at(2026, 3, 2, 8, 1));
    a.script.head.entrypoint = "cli";
    let folder = a.folder();
    for minute in [0, 3] {
        let (id, moment) = (random.uuid(), at(2026, 3, 2, 7, minute));
        a.bundle.session_bytes(format!("{folder}/{id}.jsonl"), Vec::new(), moment);
    }
    let mut only = Actor::begin(random, &QUILL, "2.1.29", at(2026, 3, 2, 7, 30));
    only.script.local_command("hooks", "No hooks are configured.");
    a.bundle.merge(only.finish());
    a.script.user(
        &json::string("<local-command-caveat>Printed by a command.</local-command-caveat>"),
        &["isMeta"],
        &[],
    );
    a.script.truth.prompts += 1;
    a.script.user(&json::string("<command-name>/clear</command-name>"), &[], &[]);
    a.script.user(&json::string("<local-command-stdout></local-command-stdout>"), &[], &[]);
    a.ask("What does `quill sync --once` do when the network is gone?");
    a.work(2);
    a.finish()
}
