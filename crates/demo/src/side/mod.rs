//! Side files of the whole store.

mod index;
mod orphans;
mod stats;

use crate::bundle::{Bundle, IndexEntry};
use crate::clock::{LAST_DAY, at};
use crate::digest::sha256;
use crate::image;
use crate::json;
use crate::random::Random;
use crate::slug::slug;
use crate::text::TextWriter;
use crate::words::{FERRITE, SHOP, TIDE};

/// Files of the store as a whole.
pub(crate) fn closing(seed: u64, history: &[u8], entries: &[IndexEntry]) -> Bundle {
    let mut random = Random::new(seed ^ 0x7369_6465);
    let mut bundle = Bundle::default();
    prompts(&mut bundle, &mut random, history);
    bundle.file(
        format!("projects/{}/sessions-index.json", slug(TIDE.cwd)),
        index::good(entries, TIDE.cwd),
        LAST_DAY,
    );
    let stale = index::stale(&mut random, entries, FERRITE.cwd);
    bundle.file(format!("projects/{}/sessions-index.json", slug(FERRITE.cwd)), stale, at(2026, 2, 25, 8, 0));
    bundle.file("stats-cache.json", stats::cache(entries), at(2026, 10, 31, 9, 0));
    let settings = "{\n  \"cleanupPeriodDays\": 3650,\n  \"permissions\": {\n    \"allow\": [\"Bash(git log:*)\"]\n  }\n}\n";
    bundle.file("settings.json", settings, at(2026, 1, 4, 20, 0));
    let memory = "# Lantern shop\n\n- prices are integers, in cents\n- gift cards are not vouchers\n";
    bundle.file(format!("projects/{}/memory/MEMORY.md", slug(SHOP.cwd)), memory, at(2026, 9, 1, 12, 0));
    beside_sessions(&mut bundle, &mut random, entries);
    orphans::all(&mut bundle, &mut random);
    bundle
}

/// The prompt history, with two prompts that carry pastes.
fn prompts(bundle: &mut Bundle, random: &mut Random, history: &[u8]) {
    let mut writer = TextWriter::new(random.fork(1), &TIDE);
    let long = writer.log(6_000);
    let hash = sha256(long.as_bytes(), 16);
    let mut all = history.to_vec();
    let pastes = [
        json::object(|o| {
            o.object("1", |p| {
                p.raw("id", b"1")
                    .string("type", "text")
                    .string("content", "gauge 41: drift 3 mm\ngauge 42: drift 7 mm");
            });
        }),
        json::object(|o| {
            o.object("2", |p| {
                p.raw("id", b"2").string("type", "text").string("contentHash", &hash);
            });
        }),
    ];
    for (number, pasted) in pastes.iter().enumerate() {
        let display = format!("what is wrong with these? [Pasted text #{} +2 lines]", number + 1);
        let line = json::object(|o| {
            o.string("display", &display).raw("pastedContents", pasted);
            o.number("timestamp", at(2026, 11, 10, 20, number as i64)).string("project", TIDE.cwd);
        });
        all.extend_from_slice(&line);
        all.push(b'\n');
    }
    bundle.file("history.jsonl", all, at(2026, 11, 10, 20, 5));
    bundle.file(format!("paste-cache/{hash}.txt"), long, at(2026, 11, 10, 20, 1));
}

/// Small things that hang on single sessions.
fn beside_sessions(bundle: &mut Bundle, random: &mut Random, entries: &[IndexEntry]) {
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return };
    let id = first.session;
    let agent = random.hex(8);
    bundle.file(format!("todos/{id}-agent-{agent}.json"), "[]", first.modified);
    for entry in [first, last] {
        let path = format!("session-env/{}/sessionstart-hook-0.sh", entry.session);
        bundle.file(path, "export SHOP_ENV=dev\n", entry.created);
    }
    let picture = image::png(random, 24, 24);
    bundle.file(format!("image-cache/{}/1.png", last.session), picture, last.modified);
    // No system has such a large process id: this client is not running.
    let running = json::object(|o| {
        o.raw("pid", b"99999999").string("sessionId", last.session.as_str()).string("cwd", &last.cwd);
        o.number("startedAt", last.created).string("kind", "interactive").string("entrypoint", "cli");
        o.raw("bridgeSessionId", b"null").string("name", "");
    });
    bundle.file("sessions/99999999.json", running, last.modified);
}
