//! Scenes that need more than the verbs of a scene file.

use crate::bundle::Bundle;
use crate::clock::at;
use crate::generator::SessionGenerator;
use crate::json;
use crate::random::Random;
use crate::tools::{self, shell};
use crate::words::{FERRITE, QUILL};

/// Old tool results are dropped from the context; a leaf without an answer; a title that names its leaf.
pub(super) fn microcompact(random: &mut Random) -> Bundle {
    let mut a = SessionGenerator::begin(random, &FERRITE, "2.1.22", at(2026, 2, 24, 17, 2));
    a.ask("Measure how long the index takes for a million chunks and make a table of it.");
    let mut ids = Vec::new();
    for _ in 0..5 {
        let printed = a.writer.log(2_500);
        let calls = a.respond(&[shell::ran("cargo bench --bench index", "Measure the index", &printed)]);
        ids.extend(calls.into_iter().map(|called| called.id));
    }
    a.transcript.system("microcompact_boundary", |o, identity| {
        o.string("content", "Context microcompacted").boolean("isMeta", false);
        identity.time_and_uuid(o);
        o.string("level", "info").object("microcompactMetadata", |m| {
            m.string("trigger", "auto").raw("preTokens", b"50745").raw("tokensSaved", b"26741");
            m.raw("compactedToolIds", &json::strings(&ids)).raw("clearedAttachmentUUIDs", b"[]");
        });
    });
    let leaf = a.conclude();
    a.transcript.synthetic("No response requested.", &[("isApiErrorMessage", b"false")]);
    a.ask("Good. And with a cold cache?");
    a.work(3);
    a.respond(&[tools::failed(
        "Grep",
        br#"{"pattern":"cold","path":"benches/none"}"#.to_vec(),
        "Path does not exist: benches/none",
    )]);
    a.conclude();
    a.transcript.side("summary", |o| {
        o.string("summary", "Index benchmark with a million chunks").string("leafUuid", leaf.as_str());
    });
    a.finish()
}

/// A session with only a command, the start of a real one after `/clear`, and two empty ones.
pub(super) fn small_ones(random: &mut Random) -> Bundle {
    let mut a = SessionGenerator::begin(random, &QUILL, "2.1.29", at(2026, 3, 2, 8, 1));
    a.transcript.envelope.entrypoint = "cli";
    let folder = a.folder();
    for minute in [0, 3] {
        let (id, moment) = (random.uuid(), at(2026, 3, 2, 7, minute));
        a.bundle.session_bytes(format!("{folder}/{id}.jsonl"), Vec::new(), moment);
    }
    let mut only = SessionGenerator::begin(random, &QUILL, "2.1.29", at(2026, 3, 2, 7, 30));
    only.transcript.local_command("hooks", "No hooks are configured.");
    a.bundle.merge(only.finish());
    a.transcript.user(
        &json::string("<local-command-caveat>Printed by a command.</local-command-caveat>"),
        &["isMeta"],
        &[],
    );
    a.transcript.truth.prompts += 1;
    a.transcript.user(&json::string("<command-name>/clear</command-name>"), &[], &[]);
    a.transcript.user(&json::string("<local-command-stdout></local-command-stdout>"), &[], &[]);
    a.ask("What does `quill sync --once` do when the network is gone?");
    a.work(2);
    a.finish()
}
