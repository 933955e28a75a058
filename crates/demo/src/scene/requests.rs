//! What only the newest clients write: the environment as attachments, requests by hash, costs, latches.

use crate::actor::Actor;
use crate::id::Id;
use crate::json;
use crate::sha256;

/// The attachments that follow a first prompt, and the first request.
pub(super) fn opening(a: &mut Actor) {
    let (cwd, model) = (a.script.head.cwd.clone(), a.model);
    let date = a.script.stamp();
    a.script.attach("environment", Some("Linux, bash, a git repository."), |o| {
        o.object("snapshot", |s| {
            s.string("workingDirectory", &cwd).boolean("isWorktree", false).boolean("isGitRepo", true);
            s.raw("additionalWorkingDirectories", b"[]").string("platform", "linux").string("shell", "bash");
            s.string("osVersion", "Linux 6.12");
        });
    });
    a.script.attach("model", Some("The model of this session."), |o| {
        o.object("identity", |i| {
            i.string("modelId", model).string("marketingName", "Opus").string("knowledgeCutoff", "June 2026");
        });
        o.string("text", "The model of this session.");
    });
    a.script.attach("session_context", None, |o| {
        o.raw("context", b"{}");
    });
    a.script.attach("date", Some("The date is known."), |o| {
        o.string("date", date.date());
    });
    a.script.attach("remote_session_change", Some("Commits name their author."), |o| {
        o.raw("url", b"null").string("commit", "Co-Authored-By: a model").string("pr", "Made with a model");
        o.boolean("sendUserFileHint", false).boolean("managedCommit", false).boolean("managedPr", false);
    });
    a.script.attach("prompt_snapshot", None, |o| {
        o.raw("systemPrompt", br#"["You help with a demo shop."]"#).boolean("reminderFold", false);
        o.boolean("echoWireToolInputs", false).string("contextRendering", "announced");
    });
    a.script.note("atis-latch", "atis", "");
    request(a, None);
}

/// One request: its shape, its messages by hash, and what was asked for. Gives its id.
pub(super) fn request(a: &mut Actor, base: Option<Id>) -> Id {
    let (session, version, model) = (a.script.head.session, a.script.head.version, a.model);
    let (stamp, id) = (a.script.stamp(), a.script.random.uuid());
    let shape = sha256::hex(b"demo shape", 64);
    let message = json::object(|o| {
        o.string("role", "user").raw("content", &json::list([json::text(&a.script.last_prompt).as_slice()]));
    });
    let blob = sha256::hex(&message, 64);
    if base.is_none() {
        a.script.side("api-request-shape", |o| {
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
    a.script.side("api-request-blob", |o| {
        o.string("sessionId", session.as_str()).string("hash", &blob).raw("message", &message);
    });
    a.script.side("api-request", |o| {
        o.string("sessionId", session.as_str()).string("id", id.as_str()).string("timestamp", stamp.as_str());
        o.string("version", version).string("querySource", "repl_main_thread").string("shapeHash", &shape);
        o.object("params", |p| {
            p.string("model", model).raw("betas", b"[]").raw("max_tokens", b"64000");
        });
        o.string_if("base", base.as_ref().map(Id::as_str));
        o.number("keep", u64::from(base.is_some())).raw("tail", &json::strings([&blob]));
        o.raw("cacheControl", b"[]").string("requestDigest", &sha256::hex(blob.as_bytes(), 64));
    });
    id
}

/// What the session cost, by the client's own count.
pub(super) fn cost_state(a: &mut Actor) {
    let (session, started, now, model) = (a.script.head.session, a.script.started, a.script.now, a.model);
    let t = a.script.truth.tokens;
    a.script.side("cost-state", |o| {
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
