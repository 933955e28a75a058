//! Steps of scenes in which sub-agents work.

use crate::era::Era;
use crate::generator::SessionGenerator;
use crate::json;
use crate::response::{BlockPosition, tokens_of};
use crate::tools::agents;
use crate::transcript::TranscriptWriter;

/// One agent in two files: it starts in the project's folder and continues in that of its worktree.
pub(super) fn worktree_agent(a: &mut SessionGenerator) {
    let id = a.agent_id();
    let mut agent = a.agent(id, 3);
    let worktree = format!("{}/.claude/worktrees/agent-{}", a.transcript.envelope.cwd, &agent.id()[..8]);
    let mut envelope = agent.transcript.envelope.clone();
    envelope.cwd.clone_from(&worktree);
    envelope.branch = format!("worktree-agent-{}", &agent.id()[..8]);
    let mut rest = TranscriptWriter::new(envelope, agent.transcript.now, a.transcript.random.fork(6));
    rest.parent = agent.transcript.parent;
    let report = agent.report.clone();
    let rest = a.in_file(rest, |a| {
        a.step();
        a.transcript.attach("task_reminder", None, |o| {
            o.raw("content", b"[]").raw("itemCount", b"0");
        });
        a.step();
        a.transcript.reply(a.model, &report);
    });
    agent.transcript.now = rest.now;
    let mut tool = agents::completed(a.era(), &agent.task_report());
    tool.result.pop();
    let place = format!(",\"worktreePath\":\"{worktree}\",\"worktreeBranch\":\"{}\"}}", rest.envelope.branch);
    tool.result.extend_from_slice(place.as_bytes());
    let called = a.send(&tool, rest.now);
    let folder =
        format!("projects/{}/{}/subagents", crate::slug::slug(&worktree), a.transcript.envelope.session);
    a.write_agent(agent, &called);
    a.bundle.agent(&folder, rest);
}

/// An agent with messages that are repeated in the session as progress.
pub(super) fn agent_with_progress(a: &mut SessionGenerator) {
    let id = a.agent_id();
    let agent = a.agent(id, 4);
    let tool = agents::completed(Era::Progress, &agent.task_report());
    let mut response = a.transcript.response(a.model, 90, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    for line in agent.transcript.out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let Some(message) = super::repeated(line) else { continue };
        a.transcript.progress("agent-progress-0", &called.id, |o| {
            o.raw("message", &message).raw("normalizedMessages", b"[]").string("type", "agent_progress");
            o.string("prompt", &agent.prompt).string("agentId", agent.id());
        });
    }
    a.transcript.now = a.transcript.now.max(agent.transcript.now);
    a.transcript.answer(&called, &tool);
    a.write_agent(agent, &called);
}

/// An agent that runs hooks: progress lines in a sub-agent's file.
pub(super) fn agent_with_hooks(a: &mut SessionGenerator) {
    let id = a.agent_id();
    let mut agent = a.agent(id, 2);
    let own = a.transcript.random.uuid();
    agent.transcript.progress(own.as_str(), own.as_str(), |o| {
        o.string("type", "hook_progress").string("hookEvent", "PostToolUseFailure");
        o.string("hookName", "PostToolUseFailure:Bash").string("command", "./tools/note.sh");
    });
    let output = format!("/tmp/claude-1000/tasks/{}.output", agent.id());
    let tool = agents::launched(Era::Progress, &agent.task_report(), &output);
    let now = a.transcript.now;
    let called = a.send(&tool, now);
    a.transcript.now = a.transcript.now.max(agent.transcript.now);
    let note = agents::notification(&agent.task_report(), &called.id, &output);
    a.write_agent(agent, &called);
    a.conclude();
    a.transcript.user(&json::string(&note), &[], &[]);
}

/// Agents that the client runs internally, without references.
pub(super) fn helpers(a: &mut SessionGenerator) {
    for kind in ["acompact", "aprompt_suggestion", "aside_question"] {
        let id = format!("{kind}-{}", a.transcript.random.hex(6));
        let mut agent = a.agent(id, 1);
        if kind == "acompact" {
            // The history was copied without its progress lines: the first parent is not there.
            let (lost, out) =
                (a.transcript.random.uuid(), String::from_utf8_lossy(&agent.transcript.out).into_owned());
            let named = format!("{{\"parentUuid\":\"{lost}\"");
            agent.transcript.out = out.replacen("{\"parentUuid\":null", &named, 1).into_bytes();
        }
        if kind == "aprompt_suggestion" {
            agent.transcript.interrupted(false, &[]);
        }
        let folder = format!("{}/{}/subagents", a.folder(), a.transcript.envelope.session);
        a.bundle.agent(&folder, agent.transcript);
    }
}

/// An agent that was started ahead of need and never used.
pub(super) fn warm_up(a: &mut SessionGenerator, folder: &str, reply: Option<&str>) {
    let id = a.agent_id();
    let mut envelope = a.transcript.envelope.clone();
    envelope.agent = Some(id);
    let random = a.transcript.random.fork(9);
    let mut stub = TranscriptWriter::new(envelope, a.transcript.now + 50, random);
    if let Some(reply) = reply {
        let mut response = stub.response(Era::Second.models()[2], tokens_of(reply), "end_turn");
        stub.write_block(&mut response, BlockPosition::Last, &json::text(reply));
    } else {
        stub.user(&json::string("Warmup"), &[], &[]);
    }
    a.bundle.agent(folder, stub);
}

/// A run of three agents with a journal.
pub(super) fn workflow_run(a: &mut SessionGenerator) {
    let run = format!("wf_{}", a.transcript.random.hex(8));
    let (folder, session) = (a.folder(), a.transcript.envelope.session);
    let place = format!("{folder}/{session}/subagents/workflows/{run}");
    let transcript = "export const meta = { name: 'review', description: 'Review by area' };\n";
    let result = json::object(|o| {
        o.boolean("isAsync", true).string("status", "async_launched").string("runId", &run);
        o.string("taskId", "task_review")
            .string("transcriptDir", &format!("{session}/subagents/workflows/{run}"));
        o.string("scriptPath", &format!("{session}/workflows/scripts/review.js"));
    });
    let input = json::object(|o| {
        o.string("script", transcript);
    });
    let tool = crate::turn::ToolCall {
        name: "Workflow".into(),
        input,
        content: json::string("Workflow launched in background. Task ID: task_review"),
        result,
        ..Default::default()
    };
    a.respond(&[tool]);
    let mut journal = Vec::new();
    for at in 0..3 {
        let id = a.agent_id();
        let agent = a.agent(id, 2);
        let record = |kind: &str, result: Option<&str>| {
            json::object(|o| {
                o.string("type", kind).string("key", &format!("v2:step{at}")).string("agentId", agent.id());
                if let Some(result) = result {
                    o.string("result", result);
                }
            })
        };
        for line in [record("started", None), record("result", Some(&agent.report))] {
            journal.extend_from_slice(&line);
            journal.push(b'\n');
        }
        let meta = json::object(|o| {
            o.string("agentType", "workflow-subagent")
                .string("description", &agent.short)
                .raw("spawnDepth", b"1");
        });
        a.bundle.file(format!("{place}/agent-{}.meta.json", agent.id()), meta, agent.transcript.now);
        a.bundle.agent(&place, agent.transcript);
    }
    let now = a.transcript.now;
    a.bundle.file(format!("{place}/journal.jsonl"), journal, now);
    let state = json::object(|o| {
        o.string("runId", &run).string("name", "review").string("status", "completed").raw("agents", b"3");
    });
    a.bundle.file(format!("{folder}/{session}/workflows/{run}.json"), state, now);
    a.bundle.file(format!("{folder}/{session}/workflows/scripts/review.js"), transcript, now);
}

/// An agent that is sent off and heard of later.
pub(super) fn background(a: &mut SessionGenerator) {
    let id = a.agent_id();
    let agent = a.agent(id, 4);
    let output = format!("/tmp/claude-1000/tasks/{}.output", agent.id());
    let tool = agents::launched(Era::Newest, &agent.task_report(), &output);
    let now = a.transcript.now;
    let called = a.send(&tool, now);
    a.conclude_with("The agent is on its way; I'll report when it is back.");
    a.transcript.now = a.transcript.now.max(agent.transcript.now);
    let note = agents::notification(&agent.task_report(), &called.id, &output);
    a.transcript.queue("enqueue", Some(&json::string(&note)));
    a.transcript.queue("dequeue", None);
    let extras: &[(&str, &[u8])] = &[
        ("permissionMode", b"\"default\""),
        ("origin", br#"{"kind":"task-notification"}"#),
        ("promptSource", b"\"system\""),
    ];
    a.transcript.user(&json::string(&note), &[], extras);
    a.write_agent(agent, &called);
    a.conclude();
}

/// An agent that starts an agent: only the meta file of the second names its parent.
pub(super) fn nested(a: &mut SessionGenerator) {
    a.ask("Who reviewed the price list?");
    let (outer_id, inner_id) = (a.agent_id(), a.agent_id());
    let outer = a.agent(outer_id, 2);
    let folder = format!("{}/{}/subagents", a.folder(), a.transcript.envelope.session);
    let mut inner = None;
    let outer_script = a.in_file(outer.transcript, |a| {
        let agent = a.agent(inner_id, 2);
        let tool = agents::completed(Era::Newest, &agent.task_report());
        let called = a.send(&tool, agent.transcript.now);
        let text = a.writer.answer(1);
        a.transcript.reply(a.model, &text);
        inner = Some((agent, called));
    });
    let outer = crate::delegate::Subagent { transcript: outer_script, ..outer };
    if let Some((agent, called)) = inner {
        let meta = json::object(|o| {
            o.string("agentType", "general-purpose").string("description", &agent.short);
            o.string("toolUseId", &called.id).raw("spawnDepth", b"2").string("parentAgentId", outer.id());
        });
        a.bundle.file(format!("{folder}/agent-{}.meta.json", agent.id()), meta, agent.transcript.now);
        a.bundle.agent(&folder, agent.transcript);
    }
    let tool = agents::completed(Era::Newest, &outer.task_report());
    let called = a.send(&tool, outer.transcript.now);
    a.write_agent(outer, &called);
}
