//! Checks before anything is written that clients read the clone like the original.

use std::path::Path;

use annals_transcript::resume::{ApiBlock, ApiMessage, Client, resume};
use annals_transcript::transcript::Transcript;

use super::ClonePlanError;
use super::id_map::IdMap;
use super::rewrite::LineRewriter;

/// Clients read larger files differently: see docs/resume.md.
const LARGE_FILE: usize = 5 * 1024 * 1024;

/// Longer blocks are compared piece by piece where they are.
const MAX_COPIED_BYTES: usize = 64 * 1024;

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
    let rewriter = LineRewriter::of(names);
    let mut notes = Vec::new();
    for &client in Client::ALL {
        let (before, after) = (resume(&old, client).outcome.ok(), resume(&new, client).outcome.ok());
        let is_same = match (&before, &after) {
            (Some(before), Some(after)) => are_renamed(before, after, &rewriter),
            (before, after) => before.is_none() && after.is_none(),
        };
        match (&after, is_same) {
            (Some(messages), true) => notes.push(format!("{client} sends {} messages", messages.len())),
            (None, true) => notes.push(format!("{client} refuses it, like the original")),
            (_, false) if crossed => {
                notes.push(format!("{client} reads it differently: its size crosses 5 MiB"));
            }
            (_, false) => return Err(ClonePlanError::Differs { path: path.to_path_buf(), client }),
        }
    }
    Ok(notes)
}

/// Whether messages are the same but for their ids.
fn are_renamed(old: &[ApiMessage<'_>], new: &[ApiMessage<'_>], rewriter: &LineRewriter<'_>) -> bool {
    let is_renamed = |(old, new): (&ApiMessage<'_>, &ApiMessage<'_>)| {
        let mut blocks = old.blocks.iter().zip(&new.blocks);
        old.role == new.role
            && old.blocks.len() == new.blocks.len()
            && blocks.all(|(old, new)| is_block_renamed(old, new, rewriter))
    };
    old.len() == new.len() && old.iter().zip(new).all(is_renamed)
}

fn is_block_renamed(old: &ApiBlock<'_>, new: &ApiBlock<'_>, rewriter: &LineRewriter<'_>) -> bool {
    let (old, new) = (old.json_pieces(), new.json_pieces());
    let length: usize = old.iter().map(|piece| piece.len()).sum();
    // A text that is nothing but an id is known by the quotes around it.
    if length <= MAX_COPIED_BYTES {
        return rewriter.renames(&old.concat(), &new.concat());
    }
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| rewriter.renames(old, new))
}
