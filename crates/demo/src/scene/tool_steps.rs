//! Steps of scenes that compute what they write: outputs, tasks, requests, costs.

use crate::digest::sha256;
use crate::generator::SessionGenerator;
use crate::id::Uuid;
use crate::json;
use crate::response::BlockPosition;
use crate::tools::{lists, search, shell};
use crate::turn::ToolCall;
use crate::words::FERRITE;

/// Tasks, in the session and on disk.
pub(super) fn tasks(a: &mut SessionGenerator) {
    let list = lists::todos(&mut a.writer, 1);
    for (at, todo) in list.iter().enumerate() {
        let id = at as u64 + 1;
        let description = a.writer.one("Look after the {adj} {noun} in {area}, see {ticket}.");
        a.respond(&[lists::task_create(id, todo, &description)]);
        super::task_file(a, id, todo, &description);
    }
    a.respond(&[lists::task_update(1, "pending", "in_progress")]);
    a.respond(&[lists::task_update(1, "in_progress", "completed")]);
    let session = a.transcript.envelope.session;
    a.bundle.file(format!("tasks/{session}/.lock"), Vec::new(), a.transcript.now);
    let first = list[0].content.clone();
    a.transcript.attach("task_reminder", None, |o| {
        o.array("content", |items| {
            items.object(|item| {
                item.string("id", "1").string("subject", &first).string("status", "completed");
                item.raw("blocks", b"[]").raw("blockedBy", b"[]");
            });
        });
        o.raw("itemCount", b"1");
    });
}

/// A build that takes a while, with hooks around it.
pub(super) fn build_with_progress(a: &mut SessionGenerator) {
    let printed = a.writer.log(3_000);
    let tool = shell::ran("npm run build", "Build for production", &printed);
    let mut response = a.transcript.response(a.model, 50, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    a.transcript.progress(&called.id, &called.id, |o| {
        o.string("type", "hook_progress").string("hookEvent", "PreToolUse");
        o.string("hookName", "PreToolUse:Bash").string("command", "./tools/guard.sh");
    });
    for second in 3..7_u64 {
        let shown = &printed[..printed.floor_char_boundary(second as usize * 400)];
        a.transcript.progress("bash-progress-0", &called.id, |o| {
            o.string("type", "bash_progress").string("output", shown).string("fullOutput", shown);
            o.number("elapsedTimeSeconds", second).number("totalLines", shown.lines().count() as u64);
            o.number("totalBytes", shown.len() as u64)
                .string("taskId", "bn1zed6q1")
                .raw("timeoutMs", b"120000");
        });
    }
    a.transcript.progress("task-wait-0", &called.id, |o| {
        o.string("type", "waiting_for_task").string("taskDescription", "Build for production");
        o.string("taskType", "local_bash");
    });
    a.transcript.answer(&called, &tool);
    a.transcript.progress(&called.id, &called.id, |o| {
        o.string("type", "hook_progress").string("hookEvent", "PostToolUse");
        o.string("hookName", "PostToolUse:Bash").string("command", "./tools/size.sh");
    });
}

pub(super) fn large(a: &mut SessionGenerator, size: usize) {
    let printed = a.writer.log(size);
    let name = a.transcript.random.token("b", 8).to_lowercase();
    let folder = format!("{}/{}", a.folder(), a.transcript.envelope.session);
    let path = format!("{folder}/tool-results/{name}.txt");
    let shown = &printed[..printed.floor_char_boundary(2_000)];
    let said = format!(
        "<persisted-output>\nOutput too large ({}KB). Full output saved to: /Users/tomas/.claude/{path}\n\nPreview (first 2KB):\n{shown}\n...\n</persisted-output>",
        size / 1_024
    );
    let kept = &printed[..printed.floor_char_boundary(29_900)];
    let mut tool = shell::ran("cat /var/log/shipper/today.log", "Read today's log", kept);
    tool.content = json::string(&said);
    let tool = shell::with(tool, "persistedOutputPath", &format!("\"/Users/tomas/.claude/{path}\""));
    let tool = shell::with(tool, "persistedOutputSize", &printed.len().to_string());
    a.bundle.file(path, printed, a.transcript.now);
    a.respond(&[tool]);
}

/// A search of the web, with the progress lines of its time.
pub(super) fn search_the_web(a: &mut SessionGenerator) {
    let id = a.transcript.random.token("srvtoolu_01", 22);
    let tool = search::web_search(&mut a.writer, &id);
    let query = a.writer.one("{pkg} certificate rotation without downtime");
    let mut response = a.transcript.response(a.model, 70, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    a.transcript.progress("search-progress-1", &called.id, |o| {
        o.string("type", "query_update").string("query", &query);
    });
    a.transcript.progress("search-progress-2", &called.id, |o| {
        o.string("type", "search_results_received").raw("resultCount", b"8").string("query", &query);
    });
    a.transcript.answer(&called, &tool);
}

/// A tool of another server.
pub(super) fn mcp(a: &mut SessionGenerator) {
    let answer = json::text("DEV-2210: rotate the gateway certificate (open, Tomas)");
    let list = json::list([answer.as_slice()]);
    let tool = ToolCall {
        name: "mcp__tickets__get_issue".into(),
        input: br#"{"id":"DEV-2210"}"#.to_vec(),
        content: list.clone(),
        result: list,
        ..ToolCall::default()
    };
    let mut response = a.transcript.response(a.model, 40, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    for (status, took) in [("started", None), ("completed", Some(412))] {
        a.transcript.progress("mcp-progress-1", &called.id, |o| {
            o.string("type", "mcp_progress").string("status", status);
            o.string("serverName", "tickets").string("toolName", "get_issue");
            if let Some(took) = took {
                o.number("elapsedTimeMs", took);
            }
        });
    }
    a.transcript.answer(&called, &tool);
}

/// A copy of a file, in the newest form: what changed since the last record.
pub(super) fn deltas(a: &mut SessionGenerator) {
    let session = a.transcript.envelope.session;
    let name = format!("{}@v1", crate::digest::sha256(a.path.as_bytes(), 16));
    let (text, now, stamp) = (a.text.clone(), a.transcript.now, a.transcript.stamp());
    let message = a.transcript.parent;
    let tool = a.edit();
    a.respond(&[tool]);
    let key = a.path.strip_prefix(FERRITE.cwd).unwrap_or(&a.path).trim_start_matches('/').to_owned();
    a.transcript.side("file-history-delta", |o| {
        o.string_if("messageId", message.as_ref().map(crate::id::Uuid::as_str));
        o.string("sessionId", session.as_str()).object("trackedFileBackups", |files| {
            files.object(&key, |file| {
                file.string("backupFileName", &name)
                    .raw("version", b"1")
                    .string("backupTime", stamp.as_str());
            });
        });
        o.string("timestamp", stamp.as_str());
    });
    a.bundle.file(format!("file-history/{session}/{name}"), text, now);
}

/// One request: its shape, its messages by hash, and its parameters. Returns its id.
pub(super) fn request(a: &mut SessionGenerator, base: Option<Uuid>) -> Uuid {
    let (session, version, model) = (a.transcript.envelope.session, a.transcript.envelope.version, a.model);
    let (stamp, id) = (a.transcript.stamp(), a.transcript.random.uuid());
    let shape = sha256(b"demo shape", 64);
    let message = json::object(|o| {
        o.string("role", "user")
            .raw("content", &json::list([json::text(&a.transcript.last_prompt).as_slice()]));
    });
    let blob = sha256(&message, 64);
    if base.is_none() {
        a.transcript.side("api-request-shape", |o| {
            o.string("sessionId", session.as_str()).string("shapeHash", &shape);
            o.string("timestamp", stamp.as_str()).string("version", version).object("shape", |s| {
                s.raw("system", br#"[{"type":"text","text":"You help with a demo shop."}]"#);
                s.raw(
                    "tools",
                    br#"[{"name":"Bash","description":"Runs a command.","input_schema":{"type":"object"}}]"#,
                );
            });
        });
    }
    a.transcript.side("api-request-blob", |o| {
        o.string("sessionId", session.as_str()).string("hash", &blob).raw("message", &message);
    });
    a.transcript.side("api-request", |o| {
        o.string("sessionId", session.as_str()).string("id", id.as_str()).string("timestamp", stamp.as_str());
        o.string("version", version).string("querySource", "repl_main_thread").string("shapeHash", &shape);
        o.object("params", |p| {
            p.string("model", model).raw("betas", b"[]").raw("max_tokens", b"64000");
        });
        o.string_if("base", base.as_ref().map(Uuid::as_str));
        o.number("keep", u64::from(base.is_some())).raw("tail", &json::strings([&blob]));
        o.raw("cacheControl", b"[]").string("requestDigest", &sha256(blob.as_bytes(), 64));
    });
    id
}

/// What the session cost, by the client's own count.
pub(super) fn cost_state(a: &mut SessionGenerator) {
    let (session, started, now, model) =
        (a.transcript.envelope.session, a.transcript.started, a.transcript.now, a.model);
    let t = a.transcript.truth.tokens;
    a.transcript.side("cost-state", |o| {
        o.string("sessionId", session.as_str())
            .float("totalCostUSD", 1.375)
            .number("totalAPIDuration", 188_000);
        o.number("totalAPIDurationWithoutRetries", 151_000).number("totalToolDuration", 58_000);
        o.number("totalLinesAdded", 41)
            .number("totalLinesRemoved", 12)
            .number("totalDuration", now - started);
        o.number("startTime", started).object("modelUsage", |m| {
            m.object(model, |u| {
                u.number("inputTokens", t.input).number("outputTokens", t.output).raw("thinkingTokens", b"0");
                u.number("cacheReadInputTokens", t.cache_read);
                u.number("cacheCreationInputTokens", t.cache_write_5m + t.cache_write_1h);
                u.number("cacheCreationEphemeral5mInputTokens", t.cache_write_5m);
                u.number("cacheCreationEphemeral1hInputTokens", t.cache_write_1h);
                u.number("webSearchRequests", t.web_searches).float("costUSD", 1.375);
            });
        });
        o.boolean("hasUnknownModelCost", false);
    });
}
