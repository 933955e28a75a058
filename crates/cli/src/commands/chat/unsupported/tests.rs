//! Tests: what is reported of settings that have no effect.

use annals_testkit::temp::TempDir;

use super::*;

struct Folders {
    temp: TempDir,
    config: ConfigDir,
}

impl Folders {
    fn new(files: &[(&str, &str)]) -> Self {
        let temp = TempDir::new("unsupported");
        for (name, content) in files {
            temp.write(Path::new(name), content);
        }
        let config = ConfigDir::new(temp.path().join("config"));
        Self { temp, config }
    }

    fn found(&self, given: Option<&str>, trust: Trust) -> Vec<String> {
        let root = self.temp.path();
        let found = find(&SettingsPlaces {
            managed: &root.join("managed.json"),
            config: &self.config,
            cwd: &root.join("work"),
            given,
            trust,
        });
        let prefix = format!("{}/", root.display());
        found.iter().map(|setting| setting.to_string().replace(&prefix, "")).collect()
    }
}

#[test]
fn every_feature_is_reported_in_one_line() {
    let all = r#"{"statusLine":{"type":"command","command":"x"},"sandbox":{"enabled":true,"excludedCommands":["docker"]},
        "mcpServers":{"calc":{}}}"#;
    let folders = Folders::new(&[
        ("managed.json", all),
        (".claude.json", r#"{"mcpServers":{"db":{}},"projects":{"/elsewhere":{"mcpServers":{"no":{}}}}}"#),
    ]);
    assert_eq!(
        folders.found(None, Trust::Untrusted),
        [
            "MCP servers in settings files have no effect, as in the original (annals mcp add adds one): calc (managed.json)",
            "sandbox settings have no effect: excludedCommands (managed.json)",
        ]
    );
}

#[test]
fn a_project_counts_where_it_is_trusted() {
    let folders = Folders::new(&[
        ("work/.claude/settings.json", r#"{"mcpServers":{"calc":{}}}"#),
        ("work/.mcp.json", r#"{"mcpServers":{"calc":{"command":"x"}}}"#),
    ]);
    assert_eq!(folders.found(None, Trust::Untrusted), [""; 0]);
    let found = folders.found(None, Trust::Trusted);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("calc (work/.claude/settings.json)"), "{found:?}");
}

#[test]
fn what_is_given_on_the_command_line_counts() {
    let servers = r#"{"mcpServers":{"calc":{}}}"#;
    let folders = Folders::new(&[("work/mine.json", servers)]);
    for given in [servers, "mine.json"] {
        assert!(folders.found(Some(given), Trust::Untrusted)[0].contains("calc"), "{given}");
    }
}

#[test]
fn what_sets_nothing_is_not_reported() {
    for nothing in [
        "",
        "[]",
        "{",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"statusLine":null,"sandbox":{"enabled":false},"mcpServers":{}}"#,
    ] {
        let folders = Folders::new(&[("config/settings.json", nothing), (".claude.json", nothing)]);
        assert_eq!(folders.found(None, Trust::Trusted), [""; 0], "{nothing}");
    }
}
