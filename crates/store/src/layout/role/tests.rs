//! Every path of a config dir, there and back.

use super::*;
use crate::layout::ConfigDir;

fn check(relative: &str, expected: &str) {
    let role = FileRole::of_relative(Path::new(relative));
    assert_eq!(format!("{role:?}"), expected, "{relative}");
}

#[test]
fn files_of_a_project() {
    check("projects/-x/abc.jsonl", r#"Session { slug: Slug(-x), folder: "", session: SessionKey(abc) }"#);
    check("projects/-x/y/abc.jsonl", r#"Session { slug: Slug(-x), folder: "y", session: SessionKey(abc) }"#);
    check("projects/-x/agent-a1.jsonl", "SubAgent { slug: Slug(-x), place: Beside, agent: AgentKey(a1) }");
    check(
        "projects/-x/s/subagents/workflows/wf_1/agent-acompact-0f.jsonl",
        r#"SubAgent { slug: Slug(-x), place: Under { session: SessionKey(s), nested: "workflows/wf_1" }, agent: AgentKey(acompact-0f) }"#,
    );
    check(
        "projects/-x/s/subagents/agent-a.meta.json",
        r#"SubAgentMeta { slug: Slug(-x), place: Under { session: SessionKey(s), nested: "" }, agent: AgentKey(a) }"#,
    );
    check(
        "projects/-x/s/subagents/workflows/wf_1/journal.jsonl",
        r#"WorkflowJournal { slug: Slug(-x), session: SessionKey(s), nested: "workflows/wf_1" }"#,
    );
    check(
        "projects/-x/s/workflows/wf_1.json",
        r#"Workflow { slug: Slug(-x), session: SessionKey(s), name: "wf_1.json" }"#,
    );
    check(
        "projects/-x/s/tool-results/toolu_1.txt",
        r#"ToolResult { slug: Slug(-x), session: SessionKey(s), name: "toolu_1.txt" }"#,
    );
    check("projects/-x/s/custom-title.json", "CustomTitleFile { slug: Slug(-x), session: SessionKey(s) }");
    check("projects/-x/sessions-index.json", "SessionsIndex { slug: Slug(-x) }");
    check("projects/-x/memory/a/b.md", r#"Memory { slug: Slug(-x), name: "a/b.md" }"#);
}

#[test]
fn files_beside_the_projects() {
    check("todos/s-1-agent-a.json", "Todos { session: SessionKey(s-1), agent: AgentKey(a) }");
    check("tasks/s/3.json", r#"Task { session: SessionKey(s), id: "3" }"#);
    check("tasks/s/.lock", "Lock");
    check("history.jsonl.lock", "Lock");
    check(
        "file-history/s/0123456789abcdef@v12",
        r#"FileHistory { session: SessionKey(s), hash: "0123456789abcdef", version: 12 }"#,
    );
    check("history.jsonl", "History");
    check("paste-cache/0f.txt", r#"PasteCache { hash: "0f" }"#);
    check("sessions/17.json", "RunningClient { pid: 17 }");
    check("plans/a-b.md", r#"Plan { name: "a-b" }"#);
    check("stats-cache.json", "StatsCache");
    check("settings.json", "Settings");
    check("session-env/s", "SessionEnv { session: SessionKey(s) }");
    check("image-cache/s/1.png", r#"ImageCache { session: SessionKey(s), name: "1.png" }"#);
}

#[test]
fn the_rest_is_unknown() {
    for path in ["", "x", "projects/-x", "projects/x.jsonl", "projects/-x/notes.txt", "todos/x.json"] {
        check(path, "Unknown");
    }
    for path in ["projects/-x/.jsonl", "file-history/s/x", "sessions/x.json", "../projects/-x/a.jsonl"] {
        check(path, "Unknown");
    }
    assert_eq!(ConfigDir::new("/a").role(Path::new("/b/history.jsonl")), FileRole::Unknown);
}

#[test]
fn typed_paths_are_read_back() {
    let config = ConfigDir::new("/c");
    let (slug, session, agent) = (Slug::from("-x"), SessionKey::from("s"), AgentKey::from("a"));
    let named = [
        config.session(&slug, &session),
        config.project(&slug).join("agent-a.jsonl"),
        config.subagents(&slug, &session).join("agent-a.jsonl"),
        config.tool_results(&slug, &session).join("1.txt"),
        config.custom_title(&slug, &session),
        config.sessions_index(&slug),
        config.memory(&slug),
        config.todo(&session, &agent),
        config.task(&session, "1"),
        config.file_history_of(&session).join("00@v1"),
        config.history(),
        config.history_lock(),
        config.paste("0f"),
        config.running().join("7.json"),
        config.plan("p"),
        config.stats_cache(),
        config.settings(),
        config.session_env(&session),
        config.image_cache(&session),
    ];
    let mut roles: Vec<_> = named.iter().map(|path| config.role(path)).collect();
    roles.sort();
    roles.dedup();
    assert_eq!(roles.len(), named.len());
    assert!(!roles.contains(&FileRole::Unknown));
}
