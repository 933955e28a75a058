//! 2.1.30 to 2.1.69: chains that run through progress lines, agents in the session's folder, outputs too large for a line.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::era::Era;
use crate::json;
use crate::notices::Compaction;
use crate::random::Random;
use crate::response::Place;
use crate::tools::{self, agents, gallery, shell};
use crate::words::projects::{HARBOR, SHOP};

/// Every kind of progress, a picture in a prompt, a plan carried over, a manual compaction.
pub(super) fn progress(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.42", at(2026, 3, 9, 10, 0));
    let start = a.script.random.uuid();
    a.script.progress(start.as_str(), start.as_str(), |o| {
        o.string("type", "hook_progress").string("hookEvent", "SessionStart");
        o.string("hookName", "SessionStart:startup").string("command", "./tools/hello.sh");
    });
    let plan = "# Tax by region\n\n1. rates come from a table\n2. the basket asks once per address";
    let content = json::string(&format!("Implement the following plan:\n\n{plan}"));
    a.script.prompt_blocks("Implement the following plan", &content, &[("planContent", &json::string(plan))]);
    build_with_progress(&mut a);
    agent_with_progress(&mut a);
    a.work(3);
    let picture = super::picture(&mut a, 32);
    let text = "The banner covers the button on small screens, see the picture.";
    let content = json::list([json::image(&picture).as_slice(), json::text(text).as_slice()]);
    a.script.prompt_blocks(text, &content, &[("imagePasteIds", b"[1]")]);
    super::third::mcp(&mut a);
    for piece in &gallery::MIDDLE[1..] {
        a.respond(&[tools::piece(piece)]);
    }
    for failure in gallery::FAILED {
        a.respond(&[tools::failure(failure)]);
    }
    a.conclude();
    a.script.local_command("compact", "Compacted.");
    let told = a.scribe.answer(4);
    a.script.compact(&Compaction { trigger: "manual", before: 163_509, summary: &told, kept: None });
    a.ask("Go on with the second half of the plan.");
    a.work(5);
    agent_with_hooks(&mut a);
    a.conclude();
    helpers(&mut a);
    a.script.pr_link(118, SHOP.repository);
    a.finish()
}

/// A build that takes a while, with hooks around it.
fn build_with_progress(a: &mut Actor) {
    let printed = a.scribe.log(3_000);
    let tool = shell::ran("npm run build", "Build for production", &printed);
    let mut response = a.script.response(a.model, 50, "tool_use");
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.progress(&called.id, &called.id, |o| {
        o.string("type", "hook_progress").string("hookEvent", "PreToolUse");
        o.string("hookName", "PreToolUse:Bash").string("command", "./tools/guard.sh");
    });
    for second in 3..7_u64 {
        let shown = &printed[..printed.floor_char_boundary(second as usize * 400)];
        a.script.progress("bash-progress-0", &called.id, |o| {
            o.string("type", "bash_progress").string("output", shown).string("fullOutput", shown);
            o.number("elapsedTimeSeconds", second).number("totalLines", shown.lines().count() as u64);
            o.number("totalBytes", shown.len() as u64)
                .string("taskId", "bn1zed6q1")
                .raw("timeoutMs", b"120000");
        });
    }
    a.script.progress("task-wait-0", &called.id, |o| {
        o.string("type", "waiting_for_task").string("taskDescription", "Build for production");
        o.string("taskType", "local_bash");
    });
    a.script.answer(&called, &tool);
    a.script.progress(&called.id, &called.id, |o| {
        o.string("type", "hook_progress").string("hookEvent", "PostToolUse");
        o.string("hookName", "PostToolUse:Bash").string("command", "./tools/size.sh");
    });
}

/// An agent whose messages are repeated in the session as progress.
fn agent_with_progress(a: &mut Actor) {
    let id = a.agent_id();
    let agent = a.agent(id, 4);
    let tool = agents::completed(Era::Progress, &agent.errand());
    let mut response = a.script.response(a.model, 90, "tool_use");
    let called = a.script.call(&mut response, Place::Last, &tool);
    for line in agent.script.out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let Some(message) = super::repeated(line) else { continue };
        a.script.progress("agent-progress-0", &called.id, |o| {
            o.raw("message", &message).raw("normalizedMessages", b"[]").string("type", "agent_progress");
            o.string("prompt", &agent.prompt).string("agentId", agent.id());
        });
    }
    a.script.now = a.script.now.max(agent.script.now);
    a.script.answer(&called, &tool);
    a.put_agent(agent, &called);
}

/// An agent that runs hooks of its own: progress lines in a sub-agent's file.
fn agent_with_hooks(a: &mut Actor) {
    let id = a.agent_id();
    let mut agent = a.agent(id, 2);
    let own = a.script.random.uuid();
    agent.script.progress(own.as_str(), own.as_str(), |o| {
        o.string("type", "hook_progress").string("hookEvent", "PostToolUseFailure");
        o.string("hookName", "PostToolUseFailure:Bash").string("command", "./tools/note.sh");
    });
    let output = format!("/tmp/claude-1000/tasks/{}.output", agent.id());
    let tool = agents::launched(Era::Progress, &agent.errand(), &output);
    let now = a.script.now;
    let called = a.send(&tool, now);
    a.script.now = a.script.now.max(agent.script.now);
    let note = agents::notification(&agent.errand(), &called.id, &output);
    a.put_agent(agent, &called);
    a.conclude();
    a.script.user(&json::string(&note), &[], &[]);
}

/// Agents that the client runs for itself, which nobody refers to.
fn helpers(a: &mut Actor) {
    for kind in ["acompact", "aprompt_suggestion", "aside_question"] {
        let id = format!("{kind}-{}", a.script.random.hex(6));
        let mut agent = a.agent(id, 1);
        if kind == "acompact" {
            // The history was copied without its progress lines: the first parent is not there.
            let (lost, out) =
                (a.script.random.uuid(), String::from_utf8_lossy(&agent.script.out).into_owned());
            let named = format!("{{\"parentUuid\":\"{lost}\"");
            agent.script.out = out.replacen("{\"parentUuid\":null", &named, 1).into_bytes();
        }
        if kind == "aprompt_suggestion" {
            agent.script.interrupted(false, &[]);
        }
        let folder = format!("{}/{}/subagents", a.folder(), a.script.head.session);
        a.bundle.agent(&folder, agent.script);
    }
}

/// Outputs that live in `tool-results/`, an agent of a team, a session that forks without a trace.
pub(super) fn overflow(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &HARBOR, "2.1.62", at(2026, 3, 25, 14, 10));
    a.ask("Something fills the disk of the log shipper every night. Read today's log, all of it.");
    for size in [36_686, 61_000] {
        large(&mut a, size);
    }
    a.work(3);
    a.script.head.team = Some("night-shift");
    a.ask("Ask the others whether they saw it too.");
    a.delegate(3);
    a.work(1);
    a.script.head.team = None;
    let mut copy = super::forks::fork(&a, random, super::forks::Trace::None);
    a.ask("Write it up as a runbook.");
    a.work(2);
    copy.ask("How much space would a shorter rotation save?");
    copy.work(2);
    let mut bundle = a.finish();
    bundle.merge(copy.finish());
    bundle
}

fn large(a: &mut Actor, size: usize) {
    let printed = a.scribe.log(size);
    let name = a.script.random.token("b", 8).to_lowercase();
    let folder = format!("{}/{}", a.folder(), a.script.head.session);
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
    a.bundle.file(path, printed, a.script.now);
    a.respond(&[tool]);
}
