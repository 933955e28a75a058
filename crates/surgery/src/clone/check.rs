//! Checks before anything is written that clients read the clone like the original.

use std::path::Path;

use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::ClonePlanError;
use super::id_map::IdMap;
use super::rewrite::LineRewriter;

/// Clients read larger files differently: see docs/resume.md.
const LARGE_FILE: usize = 5 * 1024 * 1024;

/// Compares the copy of a session's lines with the original: the same records and problems, and for each client the same
/// messages except for ids. Returns a note per client.
pub(super) fn check_same(
    path: &Path,
    old: &[u8],
    new: &[u8],
    names: &IdMap,
) -> Result<Vec<String>, ClonePlanError> {
    let is_large = |bytes: &[u8]| bytes.len() > LARGE_FILE;
    let crossed = is_large(old) != is_large(new);
    let (old, new) = (Transcript::parse(old), Transcript::parse(new));
    let faults = |transcript: &Transcript<'_>| {
        transcript.problems().iter().map(|problem| (problem.kind, problem.line)).collect::<Vec<_>>()
    };
    let kinds =
        |transcript: &Transcript<'_>| transcript.nodes().iter().map(|node| node.kind).collect::<Vec<_>>();
    if kinds(&old) != kinds(&new) || faults(&old) != faults(&new) {
        return Err(ClonePlanError::Records { path: path.to_path_buf() });
    }
    let mut notes = Vec::new();
    for &client in Client::ALL {
        let (before, after) = (sent(&old, client), sent(&new, client));
        let renamed = before.as_ref().map(|(_, json)| LineRewriter::of(names).mentions(json));
        let is_same = renamed.as_ref() == after.as_ref().map(|(_, json)| json);
        match (&after, is_same) {
            (Some((count, _)), true) => notes.push(format!("{client} sends {count} messages")),
            (None, true) => notes.push(format!("{client} refuses it, like the original")),
            (_, false) if crossed => {
                notes.push(format!("{client} reads it differently: it crosses the size of 5 MiB"));
            }
            (_, false) => return Err(ClonePlanError::Differs { path: path.to_path_buf(), client }),
        }
    }
    Ok(notes)
}

/// How many messages a client sends, and their JSON.
fn sent(transcript: &Transcript<'_>, client: Client) -> Option<(usize, Vec<u8>)> {
    let resumed = resume(transcript, client);
    let messages = resumed.outcome.as_ref().ok()?;
    let mut json = b"[".to_vec();
    for message in messages {
        if json.len() > 1 {
            json.push(b',');
        }
        message.write_json(&mut json);
    }
    json.push(b']');
    Some((messages.len(), json))
}
