//! Ordinary sessions, as many as one likes: what a store is mostly made of.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::backups::Backups;
use crate::bundle::Bundle;
use crate::clock::{DAY, FIRST_DAY, LAST_DAY};
use crate::era::Era;
use crate::generator::SessionGenerator;
use crate::image;
use crate::json;
use crate::notices::Compaction;
use crate::random::Random;
use crate::tools::{files, shell};
use crate::turn::ToolCall;
use crate::words::ALL;

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
    let project = random.pick(&ALL);
    let version = random.word(era.versions());
    let mut generator = SessionGenerator::begin(random, project, version, started);
    generator.bulk = 1 + random.skewed(0, 5);
    if era.keeps_backups() && random.chance(12) {
        generator.backups = Some(Backups::default());
    }
    open(&mut generator);
    let turns = 1 + random.skewed(1, 38);
    for turn in 0..turns {
        let prompt = if turn == 0 { generator.writer.opening() } else { generator.writer.follow_up() };
        before_prompt(&mut generator, &prompt);
        compact_if_large(&mut generator);
        generator.ask(&prompt);
        for _ in 0..random.skewed(1, 26) {
            match random.below(1_000) {
                0..=24 => {
                    let steps = random.skewed(4, 84);
                    generator.delegate(steps);
                }
                25..=34 => picture(&mut generator, random),
                35..=37 => large_output(&mut generator, random),
                _ => generator.step(),
            }
        }
        generator.conclude();
        generator.transcript.wait(20_000, 900_000);
    }
    close(&mut generator);
    generator.finish()
}

/// Writes the client's records before the first prompt.
fn open(generator: &mut SessionGenerator) {
    let session = generator.transcript.envelope.session;
    match generator.era() {
        Era::First | Era::Second if generator.writer.random.chance(30) => {
            let (title, leaf) = (generator.writer.title(), generator.transcript.random.uuid());
            generator.transcript.side("summary", |o| {
                o.string("summary", &title).string("leafUuid", leaf.as_str());
            });
        }
        Era::Attachments => {
            generator.transcript.note("permission-mode", "permissionMode", "acceptEdits");
            generator.transcript.attach("deferred_tools_delta", None, |a| {
                let names =
                    json::strings(["CronCreate", "CronDelete", "NotebookEdit", "WebFetch", "WebSearch"]);
                a.raw("addedNames", &names).raw("addedLines", &names).raw("removedNames", b"[]");
            });
        }
        Era::Newest => generator.transcript.side("mode", |o| {
            o.string("mode", "normal").string("sessionId", session.as_str());
        }),
        _ => {}
    }
}

fn before_prompt(generator: &mut SessionGenerator, prompt: &str) {
    if generator.transcript.envelope.entrypoint == "claude-desktop" && generator.era() >= Era::Attachments {
        generator.transcript.queue("enqueue", Some(&json::string(prompt)));
        generator.transcript.queue("dequeue", None);
    }
}

/// Compacts a conversation that grew too long.
fn compact_if_large(generator: &mut SessionGenerator) {
    if generator.transcript.context < 140_000 {
        return;
    }
    if generator.era() == Era::First {
        (generator.transcript.context, generator.transcript.fresh) = (12_000, 3_000);
        return;
    }
    let (before, summary) = (generator.transcript.context, generator.writer.answer(4));
    let trigger = if generator.writer.random.chance(70) { "auto" } else { "manual" };
    generator.transcript.compact(&Compaction { trigger, before, summary: &summary, kept: None });
}

/// Writes titles and the last prompt.
fn close(generator: &mut SessionGenerator) {
    if generator.era() >= Era::Attachments {
        let title = generator.writer.title();
        generator.transcript.note_last_prompt();
        generator.transcript.note("ai-title", "aiTitle", &title);
        if generator.writer.random.chance(20) {
            let title = generator.writer.title();
            generator.transcript.note("custom-title", "customTitle", &title);
        }
    }
}

fn picture(generator: &mut SessionGenerator, random: &mut Random) {
    let side = random.skewed(40, 350) as u32;
    let data = image::png(&mut generator.writer.random, side, side);
    let path = format!("{}.png", generator.writer.path());
    let tool = files::read_image(&path, &BASE64_STANDARD.encode(&data), data.len());
    generator.respond(&[tool]);
}

fn large_output(generator: &mut SessionGenerator, random: &mut Random) {
    let size = random.skewed(30_000, 400_000) as usize;
    let printed = generator.writer.log(size);
    let tool = if generator.era() < Era::Progress {
        shell::ran("journalctl -u gateway --since today", "Read the log", &printed)
    } else {
        let content = json::list([json::text(&printed).as_slice()]);
        let input = br#"{"service":"gateway","since":"today"}"#.to_vec();
        ToolCall {
            name: "mcp__logs__query".into(),
            input,
            content: content.clone(),
            result: content,
            ..ToolCall::default()
        }
    };
    generator.respond(&[tool]);
}
