//! `annals mcp install`: what is shown is written, nothing else changes, and it is reverted.

use std::fs;

use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

const CURSOR: &str = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";

fn read(home: &Home, path: &str) -> String {
    fs::read_to_string(home.path().join(path)).unwrap_or_default()
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    let home = Home::new();
    let shown = annals_exits(&home, &["mcp", "install", "--dry-run"], 0).out;
    for part in [
        ".claude.json (new)",
        "+     \"annals\": {",
        "SKILL.md (new)",
        "+ name: annals-memory",
        "would write 2 files",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!home.path().join(".claude.json").exists() && !home.config_dir().join("skills").exists());
    // Without a terminal nobody can be asked.
    assert_ne!(annals(&home, &["mcp", "install"]).code, Some(0));
}

#[test]
fn every_client_is_registered_in_one_change_that_is_reverted() {
    let home = Home::new();
    fs::create_dir_all(home.path().join(".cursor")).unwrap();
    fs::create_dir_all(home.path().join(".codex")).unwrap();
    fs::write(home.path().join(".cursor/mcp.json"), CURSOR).unwrap();
    let toml = "# mine\nmodel = \"m\"\n";
    fs::write(home.path().join(".codex/config.toml"), toml).unwrap();
    let clients = ["claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini"];
    let arguments: Vec<&str> = ["mcp", "install", "--yes"].into_iter().chain(clients).collect();
    let said = annals_exits(&home, &arguments, 0).out;
    assert!(said.contains("wrote 7 files") && said.contains("to revert: annals undo"), "{said}");
    let cursor = read(&home, ".cursor/mcp.json");
    assert!(cursor.contains("\"other\": {\"command\": \"x\"}") && cursor.contains("\"serve\""), "{cursor}");
    let codex = read(&home, ".codex/config.toml");
    assert!(
        codex.starts_with(toml)
            && codex.contains("[mcp_servers.annals]")
            && codex.contains("\"mcp\", \"serve\""),
        "{codex}"
    );
    assert!(read(&home, ".gemini/settings.json").contains("mcpServers"));
    let desktop = if cfg!(target_os = "macos") { "Library/Application Support" } else { "config" };
    assert!(read(&home, &format!("{desktop}/Claude/claude_desktop_config.json")).contains("annals"));
    assert!(read(&home, &format!("{desktop}/Code/User/mcp.json")).contains("\"servers\""));
    let again = annals_exits(&home, &arguments, 0).out;
    assert!(again.contains("nothing to change"), "{again}");
    let listed = annals_exits(&home, &["mcp", "list"], 0).out;
    assert!(listed.contains("annals") && listed.contains("connected"), "{listed}");
    annals_exits(&home, &["undo", "--yes"], 0);
    assert_eq!(read(&home, ".cursor/mcp.json"), CURSOR);
    assert_eq!(read(&home, ".codex/config.toml"), toml);
    assert!(!home.config_dir().join("skills/annals-memory/SKILL.md").exists());
}

#[test]
fn a_file_that_is_not_understood_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.path().join(".cursor")).unwrap();
    fs::write(home.path().join(".cursor/mcp.json"), "{ // comment\n}").unwrap();
    let refused = annals(&home, &["mcp", "install", "cursor", "--yes"]);
    assert!(refused.code != Some(0) && refused.error.contains("not JSON"), "{}", refused.error);
    assert_eq!(read(&home, ".cursor/mcp.json"), "{ // comment\n}");
    let done = annals_exits(&home, &["mcp", "install", "--yes", "--json"], 0);
    keep_schema("change", &[done.out.trim().as_bytes()], "mcp install --json");
}
