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

const GUARD: &str = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"exit 2"}]}],
    "Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}"#;

#[test]
fn every_feature_is_reported_in_one_line() {
    let all = r#"{"outputStyle":"Explanatory","statusLine":{"type":"command","command":"x"},"sandbox":{"enabled":true},
        "enabledPlugins":{"p@m":true,"q@m":false},"mcpServers":{"calc":{}}}"#;
    let folders = Folders::new(&[
        ("config/settings.json", GUARD),
        ("managed.json", all),
        ("config/skills/deploy/SKILL.md", "x"),
        ("config/skills/empty/README.md", "x"),
        (".claude.json", r#"{"mcpServers":{"db":{}},"projects":{"/elsewhere":{"mcpServers":{"no":{}}}}}"#),
    ]);
    assert_eq!(
        folders.found(None, Trust::Untrusted),
        [
            "hooks that decide about tool calls are not run: PreToolUse (config/settings.json)",
            "hooks are not run: Stop (config/settings.json)",
            "MCP servers in settings files have no effect, as in the original (annals mcp add adds one): calc (managed.json)",
            "plugins are not loaded, and neither are their hooks: p@m (managed.json)",
            "commands do not run in a sandbox (managed.json)",
            "skills are not loaded: deploy (config/skills)",
            "the output style is not used: Explanatory (managed.json)",
            "the status line is not shown (managed.json)",
        ]
    );
}

#[test]
fn a_project_counts_where_it_is_trusted() {
    let folders = Folders::new(&[
        ("work/.claude/settings.local.json", GUARD),
        ("work/.mcp.json", r#"{"mcpServers":{"calc":{"command":"x"}}}"#),
        ("work/.claude/skills/s/SKILL.md", "x"),
    ]);
    assert_eq!(folders.found(None, Trust::Untrusted), [""; 0]);
    let found = folders.found(None, Trust::Trusted);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].contains("PreToolUse (work/.claude/settings.local.json)"), "{found:?}");
}

#[test]
fn what_is_given_on_the_command_line_counts() {
    let folders = Folders::new(&[("work/mine.json", GUARD)]);
    for given in [GUARD, "mine.json"] {
        assert!(folders.found(Some(given), Trust::Untrusted)[0].contains("PreToolUse"), "{given}");
    }
}

#[test]
fn what_sets_nothing_is_not_reported() {
    for nothing in [
        "",
        "[]",
        "{",
        r#"{"hooks":{}}"#,
        r#"{"hooks":{"PreToolUse":[]}}"#,
        r#"{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[]}]}}"#,
        r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"outputStyle":"default","statusLine":null,"sandbox":{"enabled":false},"mcpServers":{}}"#,
    ] {
        let folders = Folders::new(&[("config/settings.json", nothing), (".claude.json", nothing)]);
        assert_eq!(folders.found(None, Trust::Trusted), [""; 0], "{nothing}");
    }
    // A form that is not known may be a guard.
    let odd = Folders::new(&[("config/settings.json", r#"{"hooks":{"PermissionRequest":{"command":"x"}}}"#)]);
    assert!(odd.found(None, Trust::Untrusted)[0].contains("PermissionRequest"));
}

#[test]
fn hooks_in_front_matter_are_reported() {
    let agent = "---\nname: a\ndescription: b\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./check\n  Stop:\n    - hooks: []\nmodel: x\n---\nDo it.\n";
    let skill = "---\nname: s\nhooks: {\"PreToolUse\": [{\"matcher\": \"*\"}]}\n---\ntext\n";
    let folders = Folders::new(&[
        ("config/agents/a.md", agent),
        ("config/skills/s/SKILL.md", skill),
        ("work/.claude/agents/b.md", "---\nname: b\nhooks: [odd]\n---\nx\n"),
    ]);
    assert_eq!(
        folders.found(None, Trust::Untrusted),
        [
            "hooks that decide about tool calls are not run: PreToolUse (config/agents/a.md)",
            "hooks are not run: Stop, PreToolUse (config/agents/a.md, config/skills/s/SKILL.md)",
            "skills are not loaded: s (config/skills)",
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
