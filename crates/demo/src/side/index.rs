//! `sessions-index.json`: one that is right, one that is out of date.

use annals_json::ObjectWriter;

use crate::bundle::IndexEntry;
use crate::clock::Timestamp;
use crate::json;
use crate::random::Random;

fn write(o: &mut ObjectWriter<'_>, entry: &IndexEntry) {
    o.string("sessionId", entry.session.as_str());
    o.string("fullPath", &format!("/Users/tomas/.claude/{}", entry.path)).number("fileMtime", entry.modified);
    o.string("firstPrompt", &entry.first_prompt).number("messageCount", entry.messages);
    o.string("created", Timestamp::of(entry.created).as_str())
        .string("modified", Timestamp::of(entry.modified).as_str());
    o.string("gitBranch", &entry.branch).string("projectPath", &entry.cwd).boolean("isSidechain", false);
}

fn file(entries: &[IndexEntry], path: &str) -> Vec<u8> {
    json::object(|o| {
        o.raw("version", b"1").array("entries", |list| {
            for entry in entries {
                list.object(|o| write(o, entry));
            }
        });
        o.string("originalPath", path);
    })
}

/// All sessions of a project as they are.
pub(super) fn good(entries: &[IndexEntry], cwd: &str) -> Vec<u8> {
    let of_project: Vec<IndexEntry> = entries.iter().filter(|entry| entry.cwd == cwd).cloned().collect();
    file(&of_project, cwd)
}

/// The first two sessions, shorter than they are, and one that is gone.
pub(super) fn stale(random: &mut Random, entries: &[IndexEntry], cwd: &str) -> Vec<u8> {
    let mut some: Vec<IndexEntry> =
        entries.iter().filter(|entry| entry.cwd == cwd).take(2).cloned().collect();
    for entry in &mut some {
        entry.messages /= 2;
        entry.modified -= 600_000;
    }
    if let Some(mut gone) = some.first().cloned() {
        gone.session = random.uuid();
        gone.path = gone.path.replace(some[0].session.as_str(), gone.session.as_str());
        gone.first_prompt = "A session that somebody deleted".to_owned();
        some.push(gone);
    }
    file(&some, cwd)
}
