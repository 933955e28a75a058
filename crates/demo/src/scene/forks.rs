//! Sessions that begin as a copy of another: same lines, same uuids, same message ids, another session.

use crate::bundle::Bundle;
use crate::generator::SessionGenerator;
use crate::random::Random;
use crate::text::TextWriter;
use crate::transcript::TranscriptWriter;

/// The difference between a fork and its source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ForkKind {
    /// Only the session's id: `--fork-session`.
    Session,
    /// Every line names the line it was copied from: `/branch`.
    Branch,
}

/// A session that continues `source` from its last line.
pub(super) fn fork(source: &SessionGenerator, random: &mut Random, trace: ForkKind) -> SessionGenerator {
    let mut envelope = source.transcript.envelope.clone();
    envelope.session = random.uuid();
    let mut transcript = TranscriptWriter::new(envelope, source.transcript.now + 60_000, random.fork(4));
    transcript.out = copy(source, &transcript, trace);
    transcript.parent = source.transcript.parent;
    transcript.context = source.transcript.context;
    transcript.fresh = source.transcript.fresh;
    let mut bundle = Bundle::default();
    bundle.copied += source.transcript.truth;
    SessionGenerator {
        transcript,
        writer: TextWriter::new(random.fork(5), source.writer.project),
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

fn copy(source: &SessionGenerator, target: &TranscriptWriter, trace: ForkKind) -> Vec<u8> {
    let (old, new) = (source.transcript.envelope.session, target.envelope.session);
    let (from, to) = (format!("\"sessionId\":\"{old}\""), format!("\"sessionId\":\"{new}\""));
    let mut out = Vec::with_capacity(source.transcript.out.len() + 4_096);
    for line in String::from_utf8_lossy(&source.transcript.out).lines() {
        let chain = line.starts_with("{\"parentUuid\"");
        if !chain && trace == ForkKind::Branch {
            continue;
        }
        let line = line.replace(&from, &to);
        let uuid = line.split("\"uuid\":\"").nth(1).and_then(|rest| rest.get(..36));
        match (trace, uuid) {
            (ForkKind::Branch, Some(uuid)) => {
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
