//! `annals mcp`: servers are added, listed and removed where the original keeps them, and nothing else changes.

use annals_testkit::home::Home;
use annals_testkit::mcp::McpScript;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

/// The client's state, with a spelling that no other program has.
const STATE: &str = "{\n  \"numStartups\": 1.0e1,\n  \"theme\":\"\\u00e9\",\n  \"mcpServers\": {\n    \"old\": {\"command\": \"x\",  \"args\": []}\n  },\n  \"projects\": { \"/other\": {\"allowedTools\":[]} }\n}\n";

fn state(home: &Home) -> String {
    std::fs::read_to_string(home.path().join(".claude.json")).unwrap()
}

fn home() -> Home {
    let home = Home::new();
    std::fs::write(home.path().join(".claude.json"), STATE).unwrap();
    home
}

#[test]
fn adding_and_removing_change_one_entry_and_are_reverted() {
    let home = home();
    let add =
        ["mcp", "add", "-s", "user", "-e", "A=b=c", "--yes", "new", "--", "npx", "-y", "server", "--flag"];
    let said = annals_exits(&home, &add, 0).out;
    assert!(
        said.contains("added MCP server new (user)") && said.contains("to revert: annals undo"),
        "{said}"
    );
    let entry = "\"new\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"server\",\n        \"--flag\"\n      ],\n      \"env\": {\n        \"A\": \"b=c\"\n      }\n    }";
    let added = STATE.replace("\"args\": []}", &format!("\"args\": []}},\n    {entry}"));
    assert_eq!(state(&home), added);
    annals_exits(&home, &["mcp", "remove", "new", "--yes"], 0);
    assert_eq!(state(&home), STATE, "removing leaves what was there");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(state(&home), added);
    let local = ["mcp", "add", "--yes", "-t", "http", "-H", "X-Key: v", "web", "https://mcp.example.com/mcp"];
    annals_exits(&home, &local, 0);
    let work = home.work_dir().canonicalize().unwrap();
    let definition = "\"web\": {\n          \"type\": \"http\",\n          \"url\": \"https://mcp.example.com/mcp\",\n          \"headers\": {\n            \"X-Key\": \"v\"\n          }\n        }";
    let project = format!(
        "\"{}\": {{\n      \"mcpServers\": {{\n        {definition}\n      }}\n    }}",
        work.display()
    );
    assert!(state(&home).contains(&project), "{}", state(&home));
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(state(&home), added);
}

#[test]
fn a_project_gets_a_file_of_its_own() {
    let home = home();
    let path = home.work_dir().join(".mcp.json");
    annals_exits(
        &home,
        &[
            "mcp",
            "add-json",
            "-s",
            "project",
            "--yes",
            "srv",
            r#"{"type":"sse","url":"http://127.0.0.1:1/sse"}"#,
        ],
        0,
    );
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        written,
        "{\n  \"mcpServers\": {\n    \"srv\": {\n      \"type\": \"sse\",\n      \"url\": \"http://127.0.0.1:1/sse\"\n    }\n  }\n}\n"
    );
    assert_eq!(state(&home), STATE);
    annals_exits(&home, &["undo", "--yes"], 0);
    assert!(!path.exists());
}

#[test]
fn nothing_is_changed_without_a_yes_or_for_a_wrong_name() {
    let home = home();
    annals_exits(&home, &["mcp", "add", "srv", "server"], 2);
    let said = annals_exits(&home, &["mcp", "add", "--dry-run", "srv", "server"], 0).out;
    assert!(said.contains("would add MCP server srv (local)"), "{said}");
    for wrong in [
        &["mcp", "add", "--yes", "a b", "server"][..],
        &["mcp", "add", "--yes", "workspace", "server"],
        &["mcp", "add", "--yes", "-e", "novalue", "srv", "server"],
        &["mcp", "add", "--yes", "-H", "a: b", "srv", "server"],
        &["mcp", "add", "--yes", "-t", "http", "srv", "http://127.0.0.1:1", "more"],
        &["mcp", "add", "--yes", "-t", "ws", "srv", "x"],
        &["mcp", "add-json", "--yes", "srv", "{"],
        &["mcp", "add-json", "--yes", "srv", r#"{"url":"http://h"}"#],
    ] {
        annals_exits(&home, wrong, 2);
    }
    let missing = annals(&home, &["mcp", "remove", "--yes", "nobody"]);
    assert!(missing.code == Some(1) && missing.error.contains("servers are: old"), "{}", missing.error);
    assert_eq!(state(&home), STATE);
    std::fs::write(home.path().join(".claude.json"), "{ damaged").unwrap();
    annals_exits(&home, &["mcp", "add", "--yes", "-s", "user", "srv", "server"], 2);
    assert_eq!(state(&home), "{ damaged");
}

#[test]
fn a_list_says_which_servers_answer() {
    let home = Home::new();
    assert!(annals_exits(&home, &["mcp", "list"], 1).out.contains("no MCP servers"));
    let script = McpScript::new(&home.path().join("server"));
    let (program, args) = script.command();
    annals_exits(&home, &["mcp", "add", "--yes", "-e", "TOKEN=secret", "good", "--", &program, &args[0]], 0);
    annals_exits(&home, &["mcp", "add", "--yes", "-s", "user", "bad", "--", "/no/such/program"], 0);
    annals_exits(&home, &["mcp", "add", "--yes", "-s", "project", "theirs", "--", "/no/such/program"], 0);
    let listed = annals_exits(&home, &["mcp", "list"], 3);
    let row = |name: &str| listed.out.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("good").contains("local") && row("good").contains("connected"), "{}", listed.out);
    assert!(
        row("bad").contains("failed") && listed.out.contains("bad: the server cannot be reached"),
        "{}",
        listed.out
    );
    assert!(row("theirs").contains("pending approval"), "{}", listed.out);
    assert!(!listed.out.contains("secret"));
    let json = annals_exits(&home, &["mcp", "list", "--json"], 3);
    keep_schema("mcp-list", &[json.out.trim().as_bytes()], "mcp list --json");
    assert!(json.out.contains(r#""tools":["echo"]"#) && !json.out.contains("secret"), "{}", json.out);
    let unchecked = annals_exits(&home, &["mcp", "list", "--no-check"], 0);
    assert!(unchecked.out.contains("not checked"), "{}", unchecked.out);
    let shown = annals_exits(&home, &["mcp", "get", "good"], 0).out;
    assert!(shown.contains("variables  TOKEN") && !shown.contains("secret"), "{shown}");
    let json = annals_exits(&home, &["mcp", "get", "good", "--json"], 0);
    keep_schema("mcp-list", &[json.out.trim().as_bytes()], "mcp get --json");
    annals_exits(&home, &["mcp", "get", "nobody"], 1);
}

#[test]
fn a_name_in_two_scopes_needs_one_named() {
    let home = home();
    annals_exits(&home, &["mcp", "add", "--yes", "old", "server"], 0);
    let said = annals_exits(&home, &["mcp", "remove", "--yes", "old"], 2).error;
    assert!(said.contains("local, user") && said.contains("--scope"), "{said}");
    annals_exits(&home, &["mcp", "remove", "--yes", "-s", "user", "old"], 0);
    annals_exits(&home, &["mcp", "remove", "--yes", "old"], 0);
}

#[test]
fn another_program_that_writes_is_not_overwritten() {
    let home = home();
    std::fs::create_dir(home.path().join(".claude.json.lock")).unwrap();
    let held = annals_exits(&home, &["mcp", "add", "--yes", "-s", "user", "srv", "server"], 4);
    assert!(held.error.contains("locked by another program"), "{}", held.error);
    assert_eq!(state(&home), STATE);
}
