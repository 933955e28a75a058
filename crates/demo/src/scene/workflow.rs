//! 2.1.312: a workflow with agents of its own, agents of agents, and one that reports later.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::era::Era;
use crate::json;
use crate::random::Random;
use crate::tools::{self, agents};
use crate::words::projects::SHOP;

/// Agents in the background, in a run, and below each other.
pub(super) fn workflow(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.312", at(2026, 10, 5, 10, 30));
    a.ask("Review everything that changed since release 4.2, in parallel if you can.");
    super::requests::opening(&mut a);
    run(&mut a);
    background(&mut a);
    nested(&mut a);
    a.work(2);
    a.script.note("ai-title", "aiTitle", "Review since release 4.2");
    a.script.note("custom-title", "customTitle", "Review 4.2");
    a.script.note_last_prompt();
    let (folder, session) = (a.folder(), a.script.head.session);
    let title = br#"{"customTitle":"Review 4.2"}"#.to_vec();
    a.bundle.file(format!("{folder}/{session}/custom-title.json"), title, a.script.now);
    a.finish()
}

/// A run of three agents with a journal.
fn run(a: &mut Actor) {
    let run = format!("wf_{}", a.script.random.hex(8));
    let (folder, session) = (a.folder(), a.script.head.session);
    let place = format!("{folder}/{session}/subagents/workflows/{run}");
    let script = "export const meta = { name: 'review', description: 'Review by area' };\n";
    let result = json::object(|o| {
        o.boolean("isAsync", true).string("status", "async_launched").string("runId", &run);
        o.string("taskId", "task_review")
            .string("transcriptDir", &format!("{session}/subagents/workflows/{run}"));
        o.string("scriptPath", &format!("{session}/workflows/scripts/review.js"));
    });
    let input = json::object(|o| {
        o.string("script", script);
    });
    let tool = crate::turn::Exchange {
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
        a.bundle.file(format!("{place}/agent-{}.meta.json", agent.id()), meta, agent.script.now);
        a.bundle.agent(&place, agent.script);
    }
    let now = a.script.now;
    a.bundle.file(format!("{place}/journal.jsonl"), journal, now);
    let state = json::object(|o| {
        o.string("runId", &run).string("name", "review").string("status", "completed").raw("agents", b"3");
    });
    a.bundle.file(format!("{folder}/{session}/workflows/{run}.json"), state, now);
    a.bundle.file(format!("{folder}/{session}/workflows/scripts/review.js"), script, now);
}

/// An agent that is sent off and heard of later.
fn background(a: &mut Actor) {
    let id = a.agent_id();
    let agent = a.agent(id, 4);
    let output = format!("/tmp/claude-1000/tasks/{}.output", agent.id());
    let tool = agents::launched(Era::Newest, &agent.errand(), &output);
    let now = a.script.now;
    let called = a.send(&tool, now);
    a.conclude_with("The agent is on its way; I'll report when it is back.");
    a.script.now = a.script.now.max(agent.script.now);
    let note = agents::notification(&agent.errand(), &called.id, &output);
    a.script.queue("enqueue", Some(&json::string(&note)));
    a.script.queue("dequeue", None);
    let extras: &[(&str, &[u8])] = &[
        ("permissionMode", b"\"default\""),
        ("origin", br#"{"kind":"task-notification"}"#),
        ("promptSource", b"\"system\""),
    ];
    a.script.user(&json::string(&note), &[], extras);
    a.put_agent(agent, &called);
    a.conclude();
}

/// An agent that sends an agent: the second knows its parent by its meta file alone.
fn nested(a: &mut Actor) {
    a.ask("Who reviewed the price list?");
    let (outer_id, inner_id) = (a.agent_id(), a.agent_id());
    let outer = a.agent(outer_id, 2);
    let folder = format!("{}/{}/subagents", a.folder(), a.script.head.session);
    let mut inner = None;
    let outer_script = a.in_file(outer.script, |a| {
        let agent = a.agent(inner_id, 2);
        let tool = agents::completed(Era::Newest, &agent.errand());
        let called = a.send(&tool, agent.script.now);
        let text = a.scribe.answer(1);
        a.script.reply(a.model, &text);
        inner = Some((agent, called));
    });
    let outer = crate::delegate::Agent { script: outer_script, ..outer };
    if let Some((agent, called)) = inner {
        let meta = json::object(|o| {
            o.string("agentType", "general-purpose").string("description", &agent.short);
            o.string("toolUseId", &called.id).raw("spawnDepth", b"2").string("parentAgentId", outer.id());
        });
        a.bundle.file(format!("{folder}/agent-{}.meta.json", agent.id()), meta, agent.script.now);
        a.bundle.agent(&folder, agent.script);
    }
    let tool = agents::completed(Era::Newest, &outer.errand());
    let called = a.send(&tool, outer.script.now);
    a.put_agent(outer, &called);
    let message = tools::fixed(
        "SendMessage",
        r#"{"to":"reviewer","message":"Thank you."}"#,
        r#"{"success":true,"message":"Agent \"reviewer\" had no active task; resumed"}"#,
        r#"{"success":true,"message":"Agent had no active task; resumed","resumedAgentId":"reviewer","pin":{"id":"reviewer","name":"reviewer","ref":"967e7a"}}"#,
    );
    a.respond(&[message]);
}
