//! Sessions that begin as a copy of another: same lines, same uuids, same message ids, another session.

use crate::actor::Actor;
use crate::bundle::Bundle;
use crate::random::Random;
use crate::script::Script;
use crate::text::Scribe;

/// What tells a fork from its source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trace {
    /// Nothing but the session's id: `--fork-session`.
    None,
    /// Every line names the line it was copied from: `/branch`.
    ForkedFrom,
}

/// A session that goes on from where `source` stands now.
pub(super) fn fork(source: &Actor, random: &mut Random, trace: Trace) -> Actor {
    let mut head = source.script.head.clone();
    head.session = random.uuid();
    let mut script = Script::new(head, source.script.now + 60_000, random.fork(4));
    script.out = copy(source, &script, trace);
    script.parent = source.script.parent;
    script.context = source.script.context;
    script.fresh = source.script.fresh;
    let mut bundle = Bundle::default();
    bundle.copied += source.script.truth;
    Actor {
        script,
        scribe: Scribe::new(random.fork(5), source.scribe.project),
        model: source.model,
        path: source.path.clone(),
        text: source.text.clone(),
        bulk: source.bulk,
        bundle,
        backups: None,
        turn_began: source.turn_began,
        todos: Vec::new(),
    }
}

fn copy(source: &Actor, target: &Script, trace: Trace) -> Vec<u8> {
    let (old, new) = (source.script.head.session, target.head.session);
    let (from, to) = (format!("\"sessionId\":\"{old}\""), format!("\"sessionId\":\"{new}\""));
    let mut out = Vec::with_capacity(source.script.out.len() + 4_096);
    for line in String::from_utf8_lossy(&source.script.out).lines() {
        let chain = line.starts_with("{\"parentUuid\"");
        if !chain && trace == Trace::ForkedFrom {
            continue;
        }
        let line = line.replace(&from, &to);
        let uuid = line.split("\"uuid\":\"").nth(1).and_then(|rest| rest.get(..36));
        match (trace, uuid) {
            (Trace::ForkedFrom, Some(uuid)) => {
                out.extend_from_slice(&line.as_bytes()[..line.len() - 1]);
                let link =
                    format!(",\"forkedFrom\":{{\"sessionId\":\"{old}\",\"messageUuid\":\"{uuid}\"}}}}");
                out.extend_from_slice(link.as_bytes());
            }
            _ => out.extend_from_slice(line.as_bytes()),
        }
        out.push(b'\n');
    }
    out
}
