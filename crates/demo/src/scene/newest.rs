//! 2.1.325: every side record of the newest clients, an answer cut off, a summary from the middle, a run without a person.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::clock::at;
use crate::json;
use crate::notices::{Compaction, Kept};
use crate::random::Random;
use crate::response::Place;
use crate::words::projects::{FERRITE, SHOP};

/// The session with the most kinds of records.
pub(super) fn newest(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &FERRITE, "2.1.325", at(2026, 11, 9, 9, 5));
    a.script.note("mode", "mode", "normal");
    a.script.note("agent-setting", "agentSetting", "general-purpose");
    a.ask("The dedup table grows without bound. Find out who holds on to it.");
    super::requests::opening(&mut a);
    a.script.note_tools(&["Read", "Bash"]);
    a.work(3);
    let base = a.script.random.uuid();
    a.ask("Show me the allocation sites, longest first.");
    super::requests::request(&mut a, Some(base));
    a.script.attach("silent_turn_reminder", Some("Say something now and then."), |o| {
        o.string("text", "Say something now and then.");
    });
    a.step();
    cut_off(&mut a);
    a.ask("Stop there. Drop the clone in the file that you have open.");
    deltas(&mut a);
    a.conclude();
    a.ask("Shorter, please: the first three.");
    a.work(2);
    places(&mut a);
    super::requests::cost_state(&mut a);
    a.script.note("tag", "tag", "memory");
    a.script.note("ai-title", "aiTitle", "Who holds on to the dedup table");
    a.script.note_last_prompt();
    rewound_to(&mut a);
    a.finish()
}

/// The person interrupts while the answer arrives: what was there is kept.
fn cut_off(a: &mut Actor) {
    let mut response = a.script.response(a.model, 40, "end_turn");
    response.extras.push(("isAbortedMidStream", b"true".to_vec()));
    response.extras.push(("session_id", b"null".to_vec()));
    response.extras.push(("advisorModel", b"null".to_vec()));
    let id = json::string(&response.id.clone());
    a.script.say(
        &mut response,
        Place::Last,
        &json::text("The longest list belongs to `merge_chunk`, which keeps"),
    );
    a.script.interrupted(false, &[("interruptedMessageId", &id)]);
}

/// A copy of a file, in the newest form: what changed since the last record.
fn deltas(a: &mut Actor) {
    let session = a.script.head.session;
    let name = format!("{}@v1", crate::sha256::hex(a.path.as_bytes(), 16));
    let (text, now, stamp) = (a.text.clone(), a.script.now, a.script.stamp());
    let message = a.script.parent;
    let tool = a.edit();
    a.respond(&[tool]);
    let key = a.path.strip_prefix(FERRITE.cwd).unwrap_or(&a.path).trim_start_matches('/').to_owned();
    a.script.side("file-history-delta", |o| {
        o.string_if("messageId", message.as_ref().map(crate::id::Id::as_str));
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

/// Where the session has been, and other notes that concern no message.
fn places(a: &mut Actor) {
    let session = a.script.head.session;
    let other = a.script.random.uuid();
    let text = session.as_str();
    a.script.side("worktree-state", |o| {
        o.string("sessionId", text).object("worktreeSession", |w| {
            w.string("originalCwd", FERRITE.cwd)
                .string("worktreePath", "/home/mira/work/ferrite/.claude/worktrees/dedup");
            w.string("worktreeName", "dedup").string("worktreeBranch", "worktree-dedup");
            w.string("originalHeadCommit", "4f0c2d9e")
                .string("sessionId", text)
                .boolean("enteredExisting", false);
        });
    });
    a.script.side("relocated", |o| {
        o.string("sessionId", text).string("from", "/home/mira/ferrite").string("to", FERRITE.cwd);
    });
    a.script.side("bridge-session", |o| {
        o.string("sessionId", text).string("bridgeSessionId", "bridge_41").raw("lastSequenceNum", b"17");
        o.raw("ownerAccountUuid", b"null").raw("ownerOrganizationUuid", b"null");
    });
    a.script.side("content-replacement", |o| {
        o.string("sessionId", text).array("replacements", |list| {
            list.object(|r| {
                r.string("kind", "tool-result")
                    .string("toolUseId", "toolu_demo")
                    .string("replacement", "[cleared]");
            });
        });
    });
    a.script.side("fork-context-ref", |o| {
        o.string("sessionId", text).string("parentSessionId", other.as_str());
        o.string("parentLastUuid", other.as_str()).raw("contextLength", b"12");
    });
}

/// The person went back to an earlier point and left: the note says where.
fn rewound_to(a: &mut Actor) {
    let session = a.script.head.session;
    let leaf = a.script.parent;
    a.script.side("last-prompt", |o| {
        o.string("lastPrompt", "Shorter, please: the first three.");
        o.string_if("leafUuid", leaf.as_ref().map(crate::id::Id::as_str));
        o.boolean("explicit", true).boolean("rewound", true).string("sessionId", session.as_str());
    });
}

/// "Summarise from here": the beginning stays, the rest becomes a summary behind it.
pub(super) fn from_here(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.325", at(2026, 11, 10, 13, 0));
    a.ask("Let's go through the open tickets of the shop, one at a time. First the wishlist.");
    a.work(2);
    let all = super::ids_since(&a.script, 0);
    a.ask("Next: the newsletter.");
    a.work(3);
    let told = a.scribe.answer(3);
    let kept = Kept { all, ahead: true };
    a.script.compact(&Compaction { trigger: "manual", before: 88_000, summary: &told, kept: Some(kept) });
    a.ask("Next: the delivery slots.");
    a.work(2);
    a.script.note_last_prompt();
    a.finish()
}

/// A run by a script: people's lists leave it out.
pub(super) fn headless(random: &mut Random) -> Bundle {
    let mut a = Actor::begin(random, &SHOP, "2.1.325", at(2026, 11, 8, 2, 0));
    a.script.head.entrypoint = "sdk-cli";
    let prompt = "Write the changelog for the commits of yesterday.";
    a.script.queue("enqueue", Some(&json::string(prompt)));
    a.script.queue("dequeue", None);
    a.ask(prompt);
    a.work(2);
    a.script.queue("popAll", Some(&json::string("and mail it")));
    super::requests::cost_state(&mut a);
    a.script.note_last_prompt();
    a.finish()
}

impl crate::script::Script {
    /// Which tools were used so far.
    fn note_tools(&mut self, tools: &[&str]) {
        let session = self.head.session;
        self.side("tools-used", |o| {
            o.raw("tools", &json::strings(tools)).string("sessionId", session.as_str());
        });
    }
}
