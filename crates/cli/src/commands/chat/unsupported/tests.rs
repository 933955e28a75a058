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

const GUARD: &str = "---\nname: a\nhooks:\n  PreToolUse:\n    - hooks: []\n---\nx\n";

#[test]
fn every_feature_is_reported_in_one_line() {
    let all = r#"{"statusLine":{"type":"command","command":"x"},"sandbox":{"enabled":true,"excludedCommands":["docker"]},
        "enabledPlugins":{"p@m":true,"q@m":false},"mcpServers":{"calc":{}}}"#;
    let folders = Folders::new(&[
        ("config/agents/a.md", GUARD),
        ("managed.json", all),
        (".claude.json", r#"{"mcpServers":{"db":{}},"projects":{"/elsewhere":{"mcpServers":{"no":{}}}}}"#),
    ]);
    assert_eq!(
        folders.found(None, Trust::Untrusted),
        [
            "hooks in front matter that decide about tool calls are not run: PreToolUse (config/agents/a.md)",
            "MCP servers in settings files have no effect, as in the original (annals mcp add adds one): calc (managed.json)",
            "plugins are not loaded, and neither are their hooks: p@m (managed.json)",
            "settings of the sandbox have no effect: excludedCommands (managed.json)",
        ]
    );
}

#[test]
fn a_project_counts_where_it_is_trusted() {
    let folders = Folders::new(&[
        ("work/.claude/agents/a.md", GUARD),
        ("work/.mcp.json", r#"{"mcpServers":{"calc":{"command":"x"}}}"#),
    ]);
    assert_eq!(folders.found(None, Trust::Untrusted), [""; 0]);
    let found = folders.found(None, Trust::Trusted);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("PreToolUse (work/.claude/agents/a.md)"), "{found:?}");
}

#[test]
fn what_is_given_on_the_command_line_counts() {
    let plugins = r#"{"enabledPlugins":{"p@m":true}}"#;
    let folders = Folders::new(&[("work/mine.json", plugins)]);
    for given in [plugins, "mine.json"] {
        assert!(folders.found(Some(given), Trust::Untrusted)[0].contains("p@m"), "{given}");
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

#[test]
fn hooks_in_front_matter_are_reported() {
    let agent = "---\nname: a\ndescription: b\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./check\n  Stop:\n    - hooks: []\nmodel: x\n---\nDo it.\n";
    let command = "---\nhooks: {\"PostToolUse\": [{\"matcher\": \"*\"}]}\n---\ntext\n";
    let folders = Folders::new(&[
        ("config/agents/a.md", agent),
        ("config/commands/s.md", command),
        ("work/.claude/agents/b.md", "---\nname: b\nhooks: [odd]\n---\nx\n"),
    ]);
    assert_eq!(
        folders.found(None, Trust::Untrusted),
        [
            "hooks in front matter that decide about tool calls are not run: PreToolUse (config/agents/a.md)",
            "hooks in front matter are not run: Stop, PostToolUse (config/agents/a.md, config/commands/s.md)",
        ]
    );
    let trusted = folders.found(None, Trust::Trusted);
    assert!(
        trusted[0].contains("work/.claude/agents/b.md"),
        "a form that is not known may be a guard: {trusted:?}"
    );
}

#[test]
fn front_matter_without_hooks_is_not_reported() {
    for text in [
        "hooks:\n  PreToolUse: x\n",
        "---\nname: a\n---\nhooks:\n  PreToolUse: x\n",
        "---\nname: a\nhooks:\n---\n",
        "---\nname: a\nhooks: {}\nmodel: x\n---\n",
        "---\nname: hooks: no\n---\n",
        "",
    ] {
        let folders = Folders::new(&[("config/agents/a.md", text)]);
        assert_eq!(folders.found(None, Trust::Trusted), [""; 0], "{text:?}");
    }
}
