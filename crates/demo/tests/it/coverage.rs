//! Everything in the catalogue occurs in the showcase.

use std::collections::BTreeSet;

use crate::json::Json;
use crate::reader::{blocks, is_session, records, showcase};

const TYPES: &[&str] = &[
    "user",
    "assistant",
    "system",
    "attachment",
    "progress",
    "file-history-snapshot",
    "file-history-delta",
    "summary",
    "queue-operation",
    "pr-link",
    "custom-title",
    "ai-title",
    "last-prompt",
    "tag",
    "mode",
    "permission-mode",
    "agent-name",
    "frame-link",
    "cost-state",
    "worktree-state",
    "relocated",
    "bridge-session",
    "content-replacement",
    "fork-context-ref",
    "tools-used",
    "atis-latch",
    "api-request",
    "api-request-shape",
    "api-request-blob",
    "agent-setting",
    "mood-ring",
];

const SUBTYPES: &[&str] = &[
    "compact_boundary",
    "microcompact_boundary",
    "turn_duration",
    "local_command",
    "stop_hook_summary",
    "api_error",
    "away_summary",
    "bridge_status",
    "model_refusal_fallback",
    "informational",
];

const ATTACHMENTS: &[&str] = &[
    "task_reminder",
    "hook_additional_context",
    "deferred_tools_delta",
    "nested_memory",
    "hook_success",
    "edited_text_file",
    "skill_listing",
    "command_permissions",
    "mcp_instructions_delta",
    "hook_system_message",
    "agent_listing_delta",
    "file",
    "queued_command",
    "auto_mode",
    "hook_non_blocking_error",
    "date_change",
    "compact_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "hook_blocking_error",
    "environment",
    "model",
    "session_context",
    "date",
    "remote_session_change",
    "prompt_snapshot",
    "silent_turn_reminder",
];

const PROGRESS: &[&str] = &[
    "hook_progress",
    "bash_progress",
    "agent_progress",
    "mcp_progress",
    "query_update",
    "search_results_received",
    "waiting_for_task",
];

const BLOCKS: &[&str] = &[
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "tool_result",
    "image",
    "document",
    "server_tool_use",
    "web_search_tool_result",
    "fallback",
    "tool_reference",
];

const STOPS: &[&str] = &[
    "tool_use",
    "end_turn",
    "stop_sequence",
    "max_tokens",
    "refusal",
    "pause_turn",
    "model_context_window_exceeded",
];

const TOOLS: &[&str] = &[
    "Bash",
    "Read",
    "Edit",
    "Grep",
    "Write",
    "TodoWrite",
    "Glob",
    "PowerShell",
    "Agent",
    "TaskUpdate",
    "Skill",
    "Task",
    "TaskCreate",
    "WebSearch",
    "WebFetch",
    "AskUserQuestion",
    "MultiEdit",
    "TaskOutput",
    "ToolSearch",
    "ExitPlanMode",
    "LS",
    "BashOutput",
    "TaskStop",
    "SendMessage",
    "ReportFindings",
    "ScheduleWakeup",
    "KillShell",
    "NotebookEdit",
    "EnterPlanMode",
    "TaskList",
    "TaskGet",
    "KillBash",
    "LSP",
    "Artifact",
    "Monitor",
    "Workflow",
];

const USER_KEYS: &[&str] = &[
    "toolUseResult",
    "sourceToolAssistantUUID",
    "promptId",
    "permissionMode",
    "thinkingMetadata",
    "todos",
    "isMeta",
    "origin",
    "promptSource",
    "sourceToolUseID",
    "classifierMetaLines",
    "isCompactSummary",
    "teamName",
    "isVisibleInTranscriptOnly",
    "imagePasteIds",
    "toolDenialKind",
    "planContent",
    "forkedFrom",
    "interruptedMessageId",
    "summarizeMetadata",
    "userFeedback",
];

fn missing<'a>(wanted: &[&'a str], found: &BTreeSet<String>) -> Vec<&'a str> {
    wanted.iter().filter(|name| !found.contains(**name)).copied().collect()
}

fn found(pick: impl Fn(&Json) -> Vec<String>) -> BTreeSet<String> {
    showcase().transcripts().flat_map(records).flat_map(|record| pick(&record)).collect()
}

fn texts<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Vec<String> {
    values.into_iter().flatten().map(str::to_owned).collect()
}

#[test]
fn every_kind_of_record() {
    let none: Vec<&str> = Vec::new();
    assert_eq!(missing(TYPES, &found(|r| texts([r.text("type")]))), none);
    assert_eq!(missing(SUBTYPES, &found(|r| texts([r.text("subtype")]))), none);
    let kinds = found(|r| texts([r.get("attachment").and_then(|a| a.text("type"))]));
    assert_eq!(missing(ATTACHMENTS, &kinds), none);
    assert_eq!(missing(PROGRESS, &found(|r| texts([r.get("data").and_then(|d| d.text("type"))]))), none);
}

#[test]
fn every_kind_of_block_and_ending() {
    let none: Vec<&str> = Vec::new();
    let all = found(|r| {
        let inner = blocks(r).iter().flat_map(|block| block.items("content"));
        texts(blocks(r).iter().chain(inner).map(|block| block.text("type")))
    });
    assert_eq!(missing(BLOCKS, &all), none);
    assert_eq!(
        missing(STOPS, &found(|r| texts([r.get("message").and_then(|m| m.text("stop_reason"))]))),
        none
    );
}

#[test]
fn every_tool_and_key() {
    let none: Vec<&str> = Vec::new();
    assert_eq!(missing(TOOLS, &found(|r| texts(blocks(r).iter().map(|block| block.text("name"))))), none);
    let keys = found(|r| match r.text("type") {
        Some("user") => r.keys().into_iter().map(str::to_owned).collect(),
        _ => Vec::new(),
    });
    assert_eq!(missing(USER_KEYS, &keys), none);
}

#[test]
fn every_age_of_the_client() {
    let versions = found(|r| texts([r.text("version")]));
    for prefix in
        ["1.0.4", "1.0.9", "2.0.", "2.1.1", "2.1.2", "2.1.4", "2.1.6", "2.1.12", "2.1.18", "2.1.21", "2.1.32"]
    {
        assert!(versions.iter().any(|version| version.starts_with(prefix)), "{prefix}");
    }
}

#[test]
fn every_kind_of_file() {
    let store = showcase();
    let has = |part: &str| store.files.iter().any(|file| file.path.contains(part));
    for part in [
        "history.jsonl",
        "stats-cache.json",
        "settings.json",
        "sessions-index.json",
        "todos/",
        "tasks/",
        "/.lock",
        "file-history/",
        "@v2",
        "paste-cache/",
        "plans/",
        "session-env/",
        "image-cache/",
        "sessions/",
        "memory/MEMORY.md",
        "/tool-results/",
        "/subagents/agent-",
        "/subagents/workflows/wf_",
        "journal.jsonl",
        ".meta.json",
        "custom-title.json",
        "agent-acompact-",
        "agent-aprompt_suggestion-",
    ] {
        assert!(has(part), "{part}");
    }
    let beside = |path: &str| path.matches('/').count() == 2 && path.contains("/agent-");
    assert!(store.files.iter().any(|file| beside(&file.path)));
    assert!(store.files.iter().any(|file| is_session(&file.path) && file.bytes.is_empty()));
}

#[test]
fn one_agent_lies_under_two_slugs() {
    let store = showcase();
    let mut names: Vec<&str> = store
        .transcripts()
        .filter(|file| !is_session(&file.path))
        .filter_map(|file| file.path.rsplit('/').next())
        .collect();
    names.sort_unstable();
    assert_eq!(names.windows(2).filter(|pair| pair[0] == pair[1]).count(), 1);
}
