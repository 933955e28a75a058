//! Plugins: what they bring is used under their name.

use annals_testkit::mcp::McpScript;

use super::{ChatFixture, text};

const SCRIPT: &str = r#"{"touch":[[{"type":"tool_use","name":"Bash","input":{"command":"touch {{CWD}}/made"}}],[{"type":"text","text":"Fine."}]],
    "agent":[[{"type":"tool_use","name":"Agent","input":{"subagent_type":"demo:looker","description":"d","prompt":"look @@inner@@"}}],[{"type":"text","text":"Done."}]],
    "inner":[[{"type":"text","text":"Inner."}]],"hello":[[{"type":"text","text":"Hello."}]]}"#;
const STREAM: [&str; 2] = ["--output-format", "stream-json"];

/// A plugin in a folder of the home; its hook notes its variables, and denies calls of Bash if there is a file `deny`.
fn plugin(fixture: &ChatFixture, folder: &str) -> String {
    let root = fixture.home.path().join(folder);
    let write = |name: &str, text: &str| {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(".claude-plugin/plugin.json", r#"{"name":"demo","version":"1.2.0"}"#);
    write(
        "commands/greet.md",
        "---\ndescription: Greets\n---\nGreet $0 from ${CLAUDE_PLUGIN_ROOT} @@hello@@\n",
    );
    write("skills/careful/SKILL.md", "---\ndescription: Careful\n---\nBe careful. @@hello@@\n");
    write("agents/looker.md", "---\nname: looker\ndescription: Looks\n---\nLook in ${CLAUDE_PLUGIN_ROOT}.\n");
    let script =
        format!("env > {}/env; [ ! -e \\\"${{CLAUDE_PLUGIN_ROOT}}/deny\\\" ] || exit 2", root.display());
    let hooks = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{{"type":"command","command":"{script}"}}]}}]}}}}"#
    );
    write("hooks/hooks.json", &hooks);
    let server = McpScript::with(&root, "");
    write(".mcp.json", &format!(r#"{{"mcpServers":{{"srv":{}}}}}"#, server.definition()));
    root.display().to_string()
}

fn made(fixture: &ChatFixture) -> bool {
    fixture.home.work_dir().join("made").exists()
}

#[test]
fn a_plugin_of_a_folder_brings_commands_agents_hooks_and_servers() {
    let fixture = ChatFixture::in_folder(SCRIPT);
    let root = plugin(&fixture, "demo");
    let run = |more: &[&str], prompt: &str| {
        let arguments =
            [&["--plugin-dir", &root, "--allowedTools", "Bash,Agent"], &STREAM[..], more, &["--", prompt]];
        fixture.exits(&arguments.concat(), 0)
    };
    let answer = run(&[], "/demo:greet Ann");
    let init = answer.out.lines().next().unwrap();
    for part in [
        r#""slash_commands":["demo:careful","demo:greet""#,
        r#""demo:looker"]"#,
        r#""skills":["demo:careful"]"#,
        r#""name":"plugin:demo:srv","status":"connected","source":"plugin""#,
        r#""source":"demo@inline","version":"1.2.0"}]"#,
        "mcp__plugin_demo_srv__echo",
    ] {
        assert!(init.contains(part), "{part}: {init}");
    }
    let real = std::fs::canonicalize(&root).unwrap();
    assert!(fixture.last().contains(&format!("Greet Ann from {} ", real.display())), "{}", fixture.last());
    assert!(fixture.last().contains("- demo:careful: Careful"), "{}", fixture.last());
    run(&[], "@@agent@@");
    let inner = fixture.api.requests().into_iter().map(|request| String::from_utf8(request.body).unwrap());
    let prompt = format!("Look in {}.", real.display());
    assert!(inner.into_iter().any(|body| body.contains(&prompt)));
    run(&[], "@@touch@@");
    let environment = std::fs::read_to_string(real.join("env")).unwrap();
    assert!(environment.contains(&format!("CLAUDE_PLUGIN_ROOT={}", real.display())), "{environment}");
    assert!(made(&fixture) && environment.contains("plugins/data/demo-inline"), "{environment}");
    // A plugin's hook is a guard like any other.
    std::fs::remove_file(fixture.home.work_dir().join("made")).unwrap();
    std::fs::write(real.join("deny"), "").unwrap();
    run(&[], "@@touch@@");
    assert!(!made(&fixture));
    let answer = run(&["--ignore-hooks"], "@@touch@@");
    assert!(made(&fixture) && answer.error.contains("plugins are not run"), "{}", answer.error);
}

#[test]
fn plugins_that_settings_enable_are_used_if_they_are_installed() {
    let fixture = ChatFixture::in_folder(SCRIPT);
    let root = plugin(&fixture, "cache/mkt/demo/1.2.0");
    fixture
        .home
        .write("settings.json", r#"{"enabledPlugins":{"demo@mkt":true,"gone@mkt":true,"off@mkt":false}}"#);
    let installed =
        format!(r#"{{"version":2,"plugins":{{"demo@mkt":[{{"scope":"user","installPath":"{root}"}}]}}}}"#);
    let folder = fixture.home.config_dir().join("plugins");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("installed_plugins.json"), installed).unwrap();
    let answer = fixture.exits(&[&STREAM[..], &["@@hello@@"]].concat(), 0);
    let init = answer.out.lines().next().unwrap();
    assert!(init.contains(r#""source":"demo@mkt""#), "{init}");
    assert!(answer.error.contains("plugin gone@mkt is enabled but not installed"), "{}", answer.error);
    assert!(!answer.error.contains("off@mkt"), "{}", answer.error);
    // Nearer settings switch it off; those of a project count once it is trusted.
    let project = fixture.home.work_dir().join(".claude");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("settings.json"), r#"{"enabledPlugins":{"demo@mkt":false}}"#).unwrap();
    let has_plugin = |arguments: &[&str]| {
        let answer = fixture.exits(&[&STREAM[..], arguments, &["--", "@@hello@@"]].concat(), 0);
        answer.out.lines().next().unwrap().contains("demo@mkt")
    };
    assert!(has_plugin(&[]) && !has_plugin(&["--trust"]));
    let broken =
        fixture.exits(&["--plugin-dir", "/no/such/folder", "--output-format", "json", "--", "@@hello@@"], 0);
    assert!(broken.error.contains("plugin not loaded: /no/such/folder"), "{}", broken.error);
    assert_eq!(text(&broken.out, &["result"]), "Hello.");
}
