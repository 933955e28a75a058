//! 2.1.9x to 2.1.13x on a command line: attachments in the chain, tasks, titles, an agent in a worktree.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::json;
use crate::random::Random;
use crate::script::Script;
use crate::tools::{self, agents, gallery, lists};
use crate::words::projects::{SHOP, TIDE};

/// Nearly every kind of attachment, and side records between them.
pub(super) fn attachments(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.123", at(2026, 4, 20, 9, 15));
    a.script.note("permission-mode", "permissionMode", "default");
    a.script.note("agent-name", "agentName", "tax-table");
    super::hooks::session_start(&mut a);
    a.ask("Tax rates are still in code. Move them into a table, with one row for each region.");
    listing(&mut a);
    a.attach_file("docs/tax.md");
    tasks(&mut a);
    a.script.attach("plan_mode", None, |o| {
        o.string("reminderType", "full").boolean("isSubAgent", false);
        o.string("planFilePath", "/home/mira/.claude/plans/quiet-folding-heron.md")
            .boolean("planExists", false);
    });
    super::plan_file(&mut a);
    a.script.attach("plan_mode_exit", None, |o| {
        o.string("planFilePath", "/home/mira/.claude/plans/quiet-folding-heron.md")
            .boolean("planExists", true);
    });
    a.script.note("permission-mode", "permissionMode", "acceptEdits");
    worktree_agent(&mut a);
    queued(&mut a);
    a.work(3);
    super::hooks::around_edit(&mut a);
    a.conclude();
    let title = a.scribe.title();
    a.script.note("ai-title", "aiTitle", &title);
    a.script.note_last_prompt();
    a.script.wait(50_000_000, 60_000_000);
    a.script.system("away_summary", |o, mark| {
        o.string("content", "The tax table is in place; the tests for two regions still fail.");
        mark.time_and_uuid(o);
        o.boolean("isMeta", false);
    });
    a.script.attach("date_change", None, |o| {
        o.string("newDate", "2026-04-21");
    });
    custom_command(&mut a);
    a.ask("Go on with the two regions.");
    let path = a.path.clone();
    let snippet = a.scribe.piece();
    a.script.attach("edited_text_file", None, |o| {
        o.string("filename", &path).string("snippet", &snippet).string("displayPath", "src/cart/tax.ts");
    });
    a.work(4);
    a.script.note("custom-title", "customTitle", "Tax table");
    a.script.note("tag", "tag", "tax");
    a.script.note_last_prompt();
    a.script.pr_link(131, SHOP.repository);
    a.finish()
}

/// What the model may use and should know.
fn listing(a: &mut Actor) {
    a.script.attach("skill_listing", None, |o| {
        o.string("content", "- release-notes: write the notes of a release\n- tidy: sort imports");
        o.raw("skillCount", b"2").boolean("isInitial", true).raw("names", br#"["release-notes","tidy"]"#);
    });
    a.script.attach("deferred_tools_delta", None, |o| {
        let names = json::strings(["CronCreate", "CronDelete", "WebFetch", "WebSearch"]);
        o.raw("addedNames", &names).raw("addedLines", &names).raw("removedNames", b"[]");
        o.raw("readdedNames", b"[]").raw("pendingMcpServers", b"[]").raw("needsAuthMcpServers", b"[]");
    });
    let path = "/home/mira/work/lantern-shop/src/CLAUDE.md";
    a.script.attach("nested_memory", None, |o| {
        o.string("path", path).object("content", |c| {
            c.string("path", path)
                .string("type", "Project")
                .string("content", "Prices are integers, in cents.");
            c.raw("globs", br#"["**/*.ts"]"#).boolean("contentDiffersFromDisk", false);
        });
        o.string("displayPath", "src/CLAUDE.md");
    });
    a.script.attach("command_permissions", None, |o| {
        o.raw("allowedTools", br#"["Bash(npm test:*)"]"#);
    });
}

/// Tasks, in the session and on disk.
fn tasks(a: &mut Actor) {
    let list = lists::todos(&mut a.scribe, 1);
    for (at, todo) in list.iter().enumerate() {
        let id = at as u64 + 1;
        let description = a.scribe.one("Look after the {adj} {noun} in {area}, see {ticket}.");
        a.respond(&[lists::task_create(id, todo, &description)]);
        super::task_file(a, id, todo, &description);
    }
    a.respond(&[lists::task_update(1, "pending", "in_progress")]);
    a.respond(&[lists::task_update(1, "in_progress", "completed")]);
    let session = a.script.head.session;
    a.bundle.file(format!("tasks/{session}/.lock"), Vec::new(), a.script.now);
    let first = list[0].content.clone();
    a.script.attach("task_reminder", None, |o| {
        o.array("content", |items| {
            items.object(|item| {
                item.string("id", "1").string("subject", &first).string("status", "completed");
                item.raw("blocks", b"[]").raw("blockedBy", b"[]");
            });
        });
        o.raw("itemCount", b"1");
    });
}

/// One agent in two files: it begins in the project's folder and goes on in that of its worktree.
fn worktree_agent(a: &mut Actor) {
    let id = a.agent_id();
    let mut agent = a.agent(id, 3);
    let worktree = format!("{}/.claude/worktrees/agent-{}", a.script.head.cwd, &agent.id()[..8]);
    let mut head = agent.script.head.clone();
    head.cwd.clone_from(&worktree);
    head.branch = format!("worktree-agent-{}", &agent.id()[..8]);
    let mut rest = Script::new(head, agent.script.now, a.script.random.fork(6));
    rest.parent = agent.script.parent;
    let report = agent.report.clone();
    let rest = a.in_file(rest, |a| {
        a.step();
        a.script.attach("task_reminder", None, |o| {
            o.raw("content", b"[]").raw("itemCount", b"0");
        });
        a.step();
        a.script.reply(a.model, &report);
    });
    agent.script.now = rest.now;
    let mut tool = agents::completed(a.era(), &agent.errand());
    tool.result.pop();
    let place = format!(",\"worktreePath\":\"{worktree}\",\"worktreeBranch\":\"{}\"}}", rest.head.branch);
    tool.result.extend_from_slice(place.as_bytes());
    let called = a.send(&tool, rest.now);
    let folder = format!("projects/{}/{}/subagents", crate::slug::slug(&worktree), a.script.head.session);
    a.put_agent(agent, &called);
    a.bundle.agent(&folder, rest);
}

/// A command that the team wrote: a tagged prompt, its text as a meta line, and what it may use.
fn custom_command(a: &mut Actor) {
    let call = "<command-message>tidy is running…</command-message>\n<command-name>/tidy</command-name>";
    a.ask(call);
    let text = json::text("Sort the imports of every file that changed, and nothing else.");
    a.script.user(&json::list([text.as_slice()]), &["isMeta"], &[]);
    a.script.attach("command_permissions", None, |o| {
        o.raw("allowedTools", br#"["Edit"]"#);
    });
    a.work(1);
}

/// A prompt that waits while a tool runs.
fn queued(a: &mut Actor) {
    let text = "While you are at it: the free delivery limit moves there, too.";
    a.script.queue("enqueue", Some(&json::string(text)));
    a.step();
    a.script.queue("remove", None);
    let stamp = a.script.stamp();
    let source = a.script.random.uuid();
    a.script.attach("queued_command", None, |o| {
        o.string("prompt", text).string("commandMode", "prompt").string("timestamp", stamp.as_str());
        o.string("source_uuid", source.as_str()).raw("origin", br#"{"kind":"human"}"#);
    });
}

/// Two clients at one session, neither knowing of the other; one shows itself on a phone.
pub(super) fn two_clients(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &TIDE, "2.1.112", at(2026, 4, 14, 16, 45));
    a.script.system("bridge_status", |o, mark| {
        o.string("content", "Remote control is active.").string("url", "https://remote.example.com/s/41");
        o.string("upgradeNudge", "").boolean("isMeta", false);
        mark.time_and_uuid(o);
    });
    a.ask("Which quality flags does nobody read?");
    a.work(3);
    let shared = a.script.parent;
    a.ask("Remove the two that nobody reads.");
    a.step();
    let mine = a.script.parent;
    a.script.parent = shared;
    a.ask("List where the flags are set, as a table.");
    a.step();
    let other = a.script.parent;
    a.script.parent = mine;
    a.conclude();
    a.script.parent = other;
    a.work(1);
    a.ask("Which of these are set twice?");
    // This client keeps the beginning of a cut-off answer in its own name.
    a.script.synthetic("Three of them are set", &[("isApiErrorMessage", b"false")]);
    a.script.interrupted(false, &[]);
    a.ask("Only those in the ingest job, I mean.");
    a.work(1);
    a.finish()
}

/// A day on which little works, with a tool for every way to fail and every rare way to succeed.
pub(super) fn unlucky(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.205", at(2026, 7, 6, 9, 40));
    a.ask("Limit vouchers to two for each basket. Ask okke if anything is unclear.");
    for failure in gallery::FAILED_LATE {
        a.respond(&[tools::failure(failure)]);
    }
    a.delegate(2);
    a.conclude();
    a.ask("Oh dear. Once more, step by step.");
    for piece in gallery::RARE {
        a.respond(&[tools::piece(piece)]);
    }
    let mut push = tools::shell::ran("git push", "Publish", "Everything up-to-date");
    let seen = "{\"meta\":{\"repoVisibility\":{\"visibility\":\"private\"}}}\n";
    push.extras.push(("classifierMetaLines", json::string(seen)));
    a.respond(&[push]);
    a.script.system("informational", |o, mark| {
        o.string("content", "A new version of the client is available.").string("level", "info");
        o.boolean("isMeta", false);
        mark.time_and_uuid(o);
    });
    let mut response = a.script.response(a.model, 90, "end_turn");
    response.extras.push(("attributionSkill", json::string("house:tidy")));
    response.extras.push(("attributionPlugin", json::string("house")));
    response.extras.push(("attributionAgent", json::string("general-purpose")));
    a.script.say(
        &mut response,
        crate::response::Place::Last,
        &json::text("Done: at most two vouchers for each basket."),
    );
    let picture = super::picture(&mut a, 16);
    let content = json::list([json::text("like this").as_slice(), json::image(&picture).as_slice()]);
    a.script.attach("queued_command", None, |o| {
        o.raw("prompt", &content).string("commandMode", "prompt").raw("imagePasteIds", b"[2]");
    });
    a.conclude();
    a.script.queue("enqueue", None);
    a.script.queue("remove", Some(&json::string("like this")));
    a.script.overloaded(1);
    a.ask("Thanks.");
    a.conclude();
    a.script.note_last_prompt();
    a.finish()
}
