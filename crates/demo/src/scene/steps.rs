//! The steps that scene files name by `run`, and the first line of a scene.

use super::player::Player;
use super::{agent_steps, plan_file, tool_steps};
use crate::backups::Backups;
use crate::clock::at;
use crate::era::Era;
use crate::generator::SessionGenerator;
use crate::id::Uuid;
use crate::json;
use crate::plan::Tokens;
use crate::random::Random;
use crate::response::BlockPosition;
use crate::tools::{files, lists};
use crate::words::{FERRITE, HARBOR, QUILL, SHOP, TIDE};

/// Begins a session: `session PROJECT VERSION YEAR MONTH DAY HOUR MINUTE`.
pub(super) fn begin(random: &mut Random, line: &'static str) -> SessionGenerator {
    let words: Vec<&'static str> = line.split(' ').collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or_default();
    let project = match words.get(1) {
        Some(&"ferrite") => &FERRITE,
        Some(&"harbor") => &HARBOR,
        Some(&"quill") => &QUILL,
        Some(&"tide") => &TIDE,
        _ => &SHOP,
    };
    let version = words.get(2).copied().unwrap_or_default();
    SessionGenerator::begin(
        random,
        project,
        version,
        at(number(3), number(4), number(5), number(6), number(7)),
    )
}

/// Runs a step by its name; `None` if there is none.
pub(super) fn run(name: &str, player: &mut Player<'_>) -> Option<()> {
    let a = &mut player.session;
    match name {
        "first-request" => return player.play(include_str!("../../scenes/first_request.part")),
        "session-start-hooks" => return player.play(include_str!("../../scenes/session_start_hooks.part")),
        "hooks-around-edit" => return player.play(include_str!("../../scenes/hooks_around_edit.part")),
        "request" => {
            let base = player.variables.get("base").and_then(|base| Uuid::parse(base));
            tool_steps::request(&mut player.session, base);
        }
        "call-edit" => call_edit(player),
        "first-todos" => first_todos(a),
        "two-tools" => several_tools(a, 2),
        "three-tools" => several_tools(a, 3),
        "multi-edit" => multi_edit(a),
        "create-test" => create_test(a),
        "fast-answer" => fast_answer(a),
        "keep-backups" => a.backups = Some(Backups::default()),
        "plan-file" => plan_file(a),
        "custom-title-file" => {
            let path = format!("{}/{}/custom-title.json", a.folder(), a.transcript.envelope.session);
            a.bundle.file(path, br#"{"customTitle":"Review 4.2"}"#.to_vec(), a.transcript.now);
        }
        "tasks" => tool_steps::tasks(a),
        "build-with-progress" => tool_steps::build_with_progress(a),
        "large-outputs" => [36_686, 61_000].into_iter().for_each(|size| tool_steps::large(a, size)),
        "web-search" => tool_steps::search_the_web(a),
        "mcp-call" => tool_steps::mcp(a),
        "file-history-delta" => tool_steps::deltas(a),
        "cost-state" => tool_steps::cost_state(a),
        "warm-up-stubs" => {
            let folder = a.folder();
            agent_steps::warm_up(a, &folder, None);
            agent_steps::warm_up(
                a,
                &folder,
                Some("I can search this shop's code. What are you looking for?"),
            );
        }
        "worktree-agent" => agent_steps::worktree_agent(a),
        "agent-with-progress" => agent_steps::agent_with_progress(a),
        "agent-with-hooks" => agent_steps::agent_with_hooks(a),
        "helpers" => agent_steps::helpers(a),
        "workflow-run" => agent_steps::workflow_run(a),
        "background-agent" => agent_steps::background(a),
        "nested-agents" => agent_steps::nested(a),
        _ => return None,
    }
    Some(())
}

/// An edit followed by hooks: `called` and `result` are its lines.
fn call_edit(player: &mut Player<'_>) {
    let a = &mut player.session;
    let tool = a.edit();
    let mut response = a.transcript.response(a.model, 200, "tool_use");
    let called = a.transcript.call(&mut response, BlockPosition::Last, &tool);
    let result = a.transcript.answer(&called, &tool);
    player.variables.insert("called", called.line.to_string());
    player.variables.insert("result", result.to_string());
    player.variables.insert("call", called.id);
}

fn first_todos(a: &mut SessionGenerator) {
    let list = lists::todos(&mut a.writer, 0);
    a.respond(&[lists::todo_write(Era::First, &[], &list)]);
    a.write_todos_file(&list);
}

fn several_tools(a: &mut SessionGenerator, count: usize) {
    let tools: Vec<_> = (0..count).map(|_| a.some_tool()).collect();
    a.respond(&tools);
}

fn multi_edit(a: &mut SessionGenerator) {
    let piece = a.writer.piece();
    let change = files::FileChange::within(&mut a.writer.random, &a.text, piece);
    let tool = files::multi_edit(&a.path, &change, &a.text);
    a.respond(&[tool]);
}

/// Writes a test, which becomes the file that is being worked on.
fn create_test(a: &mut SessionGenerator) {
    let path = crate::text::names::join(&a.transcript.envelope.cwd, "tests/test_autumn_hour.py");
    let text = a.writer.source(900);
    if let Some(backups) = &mut a.backups {
        backups.before_create(&mut a.transcript, &path, &text);
    }
    let tool = files::write(a.era(), &path, &text, None);
    a.respond(&[tool]);
    (a.path, a.text) = (path, text);
}

/// An answer at the fast speed, of another model.
fn fast_answer(a: &mut SessionGenerator) {
    let tokens =
        Tokens { input: 12, output: 900, cache_read: 231_000, cache_write_1h: 4_000, ..Tokens::default() };
    let text = a.writer.answer(3);
    let mut response = a.transcript.response_with("claude-sonnet-5", tokens, "end_turn");
    response.speed = "fast";
    a.transcript.write_block(&mut response, BlockPosition::Last, &json::text(&text));
}
