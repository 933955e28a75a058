//! Ordinary sessions, as many as one likes: what a store is mostly made of.

use crate::actor::Actor;
use crate::backups::Backups;
use crate::bundle::Bundle;
use crate::clock::{DAY, FIRST_DAY, LAST_DAY};
use crate::era::Era;
use crate::image;
use crate::json;
use crate::notices::Compaction;
use crate::random::Random;
use crate::tools::{files, shell};
use crate::turn::Exchange;
use crate::words::projects;

/// One session with its sub-agents, on some day of the year.
pub(crate) fn session(random: &mut Random) -> Bundle {
    let days = ((LAST_DAY - FIRST_DAY) / DAY) as u64;
    let day = random.below(days);
    let era = match day * 100 / days {
        0..=4 => Era::First,
        5..=12 => Era::Second,
        13..=24 => Era::Third,
        25..=42 => Era::Progress,
        43..=76 => Era::Attachments,
        _ => Era::Newest,
    };
    let started = FIRST_DAY + day as i64 * DAY + random.between(7 * 3_600_000, 19 * 3_600_000) as i64;
    let project = *random.pick(&projects::ALL);
    let version = random.word(era.versions());
    let mut actor = Actor::begin(random, project, version, started);
    actor.bulk = 1 + random.skewed(0, 5);
    if era.keeps_backups() && random.chance(12) {
        actor.backups = Some(Backups::default());
    }
    open(&mut actor);
    let turns = 1 + random.skewed(1, 38);
    for turn in 0..turns {
        let prompt = if turn == 0 { actor.scribe.opening() } else { actor.scribe.follow_up() };
        before_prompt(&mut actor, &prompt);
        make_room(&mut actor);
        actor.ask(&prompt);
        for _ in 0..random.skewed(1, 26) {
            match random.below(1_000) {
                0..=24 => {
                    let steps = random.skewed(4, 84);
                    actor.delegate(steps);
                }
                25..=34 => picture(&mut actor, random),
                35..=37 => large_output(&mut actor, random),
                _ => actor.step(),
            }
        }
        actor.conclude();
        actor.script.wait(20_000, 900_000);
    }
    close(&mut actor);
    actor.finish()
}

/// What the client writes before anybody has said a word.
fn open(actor: &mut Actor) {
    let session = actor.script.head.session;
    match actor.era() {
        Era::First | Era::Second if actor.scribe.random.chance(30) => {
            let (title, leaf) = (actor.scribe.title(), actor.script.random.uuid());
            actor.script.side("summary", |o| {
                o.string("summary", &title).string("leafUuid", leaf.as_str());
            });
        }
        Era::Attachments => {
            actor.script.note("permission-mode", "permissionMode", "acceptEdits");
            actor.script.attach("deferred_tools_delta", None, |a| {
                let names =
                    json::strings(["CronCreate", "CronDelete", "NotebookEdit", "WebFetch", "WebSearch"]);
                a.raw("addedNames", &names).raw("addedLines", &names).raw("removedNames", b"[]");
            });
        }
        Era::Newest => actor.script.side("mode", |o| {
            o.string("mode", "normal").string("sessionId", session.as_str());
        }),
        _ => {}
    }
}

fn before_prompt(actor: &mut Actor, prompt: &str) {
    if actor.script.head.entrypoint == "claude-desktop" && actor.era() >= Era::Attachments {
        actor.script.queue("enqueue", Some(&json::string(prompt)));
        actor.script.queue("dequeue", None);
    }
}

/// Nobody's context is endless: what grew too long is compacted.
fn make_room(actor: &mut Actor) {
    if actor.script.context < 140_000 {
        return;
    }
    if actor.era() == Era::First {
        (actor.script.context, actor.script.fresh) = (12_000, 3_000);
        return;
    }
    let (before, told) = (actor.script.context, actor.scribe.answer(4));
    let trigger = if actor.scribe.random.chance(70) { "auto" } else { "manual" };
    actor.script.compact(&Compaction { trigger, before, summary: &told, kept: None });
}

/// Titles and where the conversation stands.
fn close(actor: &mut Actor) {
    if actor.era() >= Era::Attachments {
        let title = actor.scribe.title();
        actor.script.note_last_prompt();
        actor.script.note("ai-title", "aiTitle", &title);
        if actor.scribe.random.chance(20) {
            let title = actor.scribe.title();
            actor.script.note("custom-title", "customTitle", &title);
        }
    }
}

fn picture(actor: &mut Actor, random: &mut Random) {
    let side = random.skewed(40, 350) as u32;
    let data = image::png(&mut actor.scribe.random, side, side);
    let path = format!("{}.png", actor.scribe.path());
    let tool = files::read_image(&path, &image::base64(&data), data.len());
    actor.respond(&[tool]);
}

fn large_output(actor: &mut Actor, random: &mut Random) {
    let size = random.skewed(30_000, 400_000) as usize;
    let printed = actor.scribe.log(size);
    let tool = if actor.era() < Era::Progress {
        shell::ran("journalctl -u gateway --since today", "Read the log", &printed)
    } else {
        let content = json::list([json::text(&printed).as_slice()]);
        let input = br#"{"service":"gateway","since":"today"}"#.to_vec();
        Exchange {
            name: "mcp__logs__query".into(),
            input,
            content: content.clone(),
            result: content,
            ..Exchange::default()
        }
    };
    actor.respond(&[tool]);
}
