//! One of each kind of file without a session.

use crate::bundle::Bundle;
use crate::clock::at;
use crate::digest::sha256;
use crate::era::Era;
use crate::generator::SessionGenerator;
use crate::random::Random;
use crate::tools::lists;
use crate::words::SHOP;

/// The remains of a deleted session.
pub(super) fn all(bundle: &mut Bundle, random: &mut Random) {
    let moment = at(2026, 8, 3, 10, 0);
    let mut gone = SessionGenerator::begin(random, &SHOP, "2.1.205", moment);
    let session = gone.transcript.envelope.session;
    let folder = format!("{}/{session}", gone.folder());
    let list = lists::todos(&mut gone.writer, 1);
    bundle.file(
        format!("todos/{session}-agent-{session}.json"),
        lists::as_json(Era::Progress, &list),
        moment,
    );
    let task = br#"{"id":"1","subject":"Measure the basket","description":"","activeForm":"Measuring the basket","status":"pending","blocks":[],"blockedBy":[]}"#;
    bundle.file(format!("tasks/{session}/1.json"), task.as_slice(), moment);
    bundle.file(format!("{folder}/tool-results/toolu_orphan.txt"), gone.writer.log(32_000), moment);
    let name = format!("{}@v2", sha256(gone.path.as_bytes(), 16));
    bundle.file(format!("file-history/{session}/{name}"), gone.text.as_bytes(), moment);
    bundle.file(format!("session-env/{session}/sessionstart-hook-0.sh"), "export SHOP_ENV=dev\n", moment);
    bundle.file("plans/pale-resting-anchor.md", "# A plan that nobody remembers\n", moment);
    bundle.file(format!("paste-cache/{}.txt", sha256(b"a paste", 16)), "a paste", moment);
    let id = gone.agent_id();
    let agent = gone.agent(id, 3);
    bundle.file(format!("{folder}/subagents/agent-{}.meta.json", agent.id()), agent.meta(""), moment);
    bundle.agent(&format!("{folder}/subagents"), agent.transcript);
}
