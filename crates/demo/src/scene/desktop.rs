//! 2.1.205 to 2.1.219 in the desktop application: listings, denials, a refusal with its fallback, forks, kept segments.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::json;
use crate::notices::{Compaction, Kept};
use crate::plan::Tokens;
use crate::random::Random;
use crate::response::Place;
use crate::tools::{self, gallery, shell};
use crate::turn::Exchange;
use crate::words::projects::QUILL;

/// A long session about conflicts in a notes application, which is later branched.
pub(super) fn desktop(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &QUILL, "2.1.217", at(2026, 7, 14, 9, 0));
    let text = "Two devices change the same note while both are offline. Today one change is lost. Fix that.";
    a.script.queue("enqueue", Some(&json::string(text)));
    a.script.queue("dequeue", None);
    super::hooks::session_start(&mut a);
    a.ask(text);
    listings(&mut a);
    a.script.note("mode", "mode", "normal");
    a.step();
    tool_search(&mut a);
    for piece in gallery::LATE {
        a.respond(&[tools::piece(piece)]);
    }
    skill(&mut a);
    a.conclude();
    a.script.stop_hooks("go vet ./...", 1_204);
    let mut branch = super::forks::fork(&a, random, super::forks::Trace::ForkedFrom);
    denial(&mut a);
    refusal(&mut a);
    let (session, stamp) = (a.script.head.session, a.script.stamp());
    a.script.side("frame-link", |o| {
        o.string("sessionId", session.as_str())
            .string("path", "C:\\Users\\ines\\AppData\\Local\\Temp\\sync-report.html");
        o.string("frameUrl", "https://artifacts.example.com/7e76d82e").string("title", "Sync conflicts");
        o.string("timestamp", stamp.as_str());
    });
    a.script.note("custom-title", "customTitle", "Sync conflicts");
    a.script.note_last_prompt();
    a.script.pr_link(57, QUILL.repository);
    branch.ask("What if we ask the person instead of merging?");
    branch.work(4);
    branch.script.note("custom-title", "customTitle", "Sync conflicts (Branch)");
    branch.script.note_last_prompt();
    let mut bundle = a.finish();
    bundle.merge(branch.finish());
    bundle
}

fn listings(a: &mut Actor) {
    a.script.attach("agent_listing_delta", None, |o| {
        o.raw("addedTypes", br#"["general-purpose","reader"]"#);
        o.raw("addedLines", br#"["- general-purpose: any errand","- reader: reads and reports"]"#);
        o.raw("removedTypes", b"[]").boolean("isInitial", true).boolean("showConcurrencyNote", true);
    });
    a.script.attach("mcp_instructions_delta", None, |o| {
        o.raw("addedNames", br#"["tickets"]"#);
        o.raw("addedBlocks", br###"["## tickets\nAsk for an issue by its number."]"###)
            .raw("removedNames", b"[]");
    });
    a.script.attach("auto_mode", None, |o| {
        o.boolean("autoModeConsentFlow", false);
    });
    a.script.attach("task_reminder", None, |o| {
        o.raw("content", b"[]").raw("itemCount", b"0");
    });
}

/// A tool is found by name before it is used.
fn tool_search(a: &mut Actor) {
    let found = Exchange {
        name: "ToolSearch".into(),
        input: br#"{"query":"select:WebFetch","max_results":1}"#.to_vec(),
        content: br#"[{"type":"tool_reference","tool_name":"WebFetch"}]"#.to_vec(),
        result: br#"{"matches":["WebFetch"],"query":"select:WebFetch","total_deferred_tools":41}"#.to_vec(),
        ..Exchange::default()
    };
    a.respond(&[found]);
    let mut response = a.script.response(a.model, 61, "tool_use");
    response.extras.push(("attributionMcpServer", json::string("browser")));
    response.extras.push(("attributionMcpTool", json::string("screenshot")));
    let picture = super::picture(a, 40);
    let content = json::list([json::image(&picture).as_slice()]);
    let tool = Exchange {
        name: "mcp__browser__screenshot".into(),
        input: b"{}".to_vec(),
        content: content.clone(),
        result: content,
        ..Exchange::default()
    };
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.answer(&called, &tool);
}

/// A skill is launched: a result, what it says as a meta line, and what it may do.
fn skill(a: &mut Actor) {
    let tool = tools::fixed(
        "Skill",
        r#"{"skill":"conflict-tests"}"#,
        "Launching skill: conflict-tests",
        r#"{"success":true,"commandName":"conflict-tests"}"#,
    );
    let calls = a.respond(&[tool]);
    let text = json::text("Write a table of cases first, then one test for each row.");
    let source = json::string(&calls[0].id);
    a.script.user(&json::list([text.as_slice()]), &["isMeta"], &[("sourceToolUseID", &source)]);
    a.script.attach("command_permissions", None, |o| {
        o.raw("allowedTools", b"[]");
    });
    let mut response = a.script.response(a.model, 140, "tool_use");
    response.extras.push(("attributionSkill", json::string("conflict-tests")));
    let printed = a.scribe.tests(700, crate::text::compose::Failing::None);
    let tool = shell::named("PowerShell", "go test ./internal/sync", "Run the sync tests", &printed);
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.answer(&called, &tool);
}

/// The person refuses a tool and says what to do instead.
fn denial(a: &mut Actor) {
    a.ask("Publish it.");
    let mut response = a.script.response(a.model, 80, "tool_use");
    let mut tool = tools::denied("PowerShell", shell::input("git push --force", "Publish"));
    tool.extras.push(("toolDenialKind", json::string("user-rejected")));
    tool.extras.push(("userFeedback", json::string("Never force.")));
    let called = a.script.call(&mut response, Place::Last, &tool);
    a.script.answer(&called, &tool);
    a.script.interrupted(true, &[]);
    a.ask("Not with force. Make a branch and a pull request.");
    a.work(2);
}

/// The model declines, another one takes over.
fn refusal(a: &mut Actor) {
    let prompt = a.ask("Does our key derivation hold up against somebody who has the vault file?");
    let request = a.script.random.token("req_011C", 20);
    a.script.system("model_refusal_fallback", |o, mark| {
        o.string("direction", "retry").string("content", "The model declined; another one answers.");
        o.string("level", "warning").string("trigger", "refusal");
        o.string("originalModel", "claude-fable-5").string("fallbackModel", "claude-opus-4-8");
        o.string("requestId", &request).string("apiRefusalCategory", "cyber");
        o.raw("apiRefusalExplanation", b"null").boolean("isMeta", false);
        mark.time_and_uuid(o);
        o.string("refusedUserMessageUuid", prompt.as_str());
    });
    let text = a.scribe.answer(2);
    let mut response = a.script.response("claude-opus-4-8", 600, "end_turn");
    let block = br#"{"type":"fallback","from":{"model":"claude-fable-5"},"to":{"model":"claude-opus-4-8"}}"#;
    a.script.say(&mut response, Place::More, block);
    a.script.say(&mut response, Place::Last, &json::text(&text));
}

/// A very long conversation is compacted; its last turn stays word for word, and the next prompt hangs on that.
pub(super) fn preserved(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &QUILL, "2.1.219", at(2026, 7, 28, 11, 30));
    a.script.head.slug = Some("amber-tracing-yarrow".to_owned());
    a.ask("Rewrite the documentation of the sync protocol, chapter by chapter.");
    a.work(4);
    a.script.context = 238_000;
    a.ask("Next chapter.");
    a.work(3);
    let from = a.script.out.len();
    a.ask("Keep the table of error codes as it is.");
    a.conclude();
    let all = super::ids_since(&a.script, from);
    let tail = a.script.parent;
    let told = a.scribe.answer(4);
    let kept = Kept { all, ahead: false };
    a.script.compact(&Compaction { trigger: "manual", before: 297_190, summary: &told, kept: Some(kept) });
    let path = "C:\\Users\\ines\\src\\Quill Notes\\docs\\sync.md";
    a.script.attach("compact_file_reference", None, |o| {
        o.string("filename", path).string("displayPath", "docs\\sync.md");
    });
    a.attach_file("docs/errors.md");
    a.script.parent = tail;
    a.ask("Now the chapter on conflicts.");
    a.work(4);
    a.ask("One paragraph for people in a hurry, please.");
    let tokens =
        Tokens { input: 12, output: 900, cache_read: 231_000, cache_write_1h: 4_000, ..Tokens::default() };
    let text = a.scribe.answer(3);
    let mut response = a.script.response_with("claude-sonnet-5", tokens, "end_turn");
    response.speed = "fast";
    a.script.say(&mut response, Place::Last, &json::text(&text));
    a.script.note("custom-title", "customTitle", "Sync chapter");
    a.script.note("custom-title", "customTitle", "");
    let title = a.scribe.title();
    a.script.note("ai-title", "aiTitle", &title);
    a.script.note_last_prompt();
    a.finish()
}
