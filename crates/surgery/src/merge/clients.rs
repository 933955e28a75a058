//! Checks what clients will send: all messages of the first, then those that only the second has.

use std::collections::HashSet;

use annals_transcript::pairing::ToolPairs;
use annals_transcript::record::{RecordKind, SystemKind};
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::{Node, NodeIndex, Transcript};

use super::comparison::Comparison;
use super::{MergePlanError, SessionPair};
use crate::edit::FileEdit;

/// Clients read larger files differently: see docs/resume.md.
const LARGE_FILE: usize = 5 * 1024 * 1024;

/// Compares what each client sends of the result with what it sends of both sessions. Returns a note per client.
pub(super) fn check(
    pair: &SessionPair,
    comparison: &Comparison<'_>,
    edit: &FileEdit,
) -> Result<Vec<String>, MergePlanError> {
    let after = edit.result();
    let merged = Transcript::parse(&after);
    let is_crossing =
        pair.first.bytes.len().max(pair.second.bytes.len()) <= LARGE_FILE && after.len() > LARGE_FILE;
    let unanswered = unanswered(comparison.one);
    let mut notes = Vec::new();
    for &client in Client::ALL {
        let Some((messages, now)) = sent(&merged, client) else {
            notes.push(format!("{client} refuses it, like the first"));
            continue;
        };
        let first = sent(comparison.one, client).map(|(_, sent)| sent).unwrap_or_default();
        let second = sent(comparison.two, client).map(|(_, sent)| sent).unwrap_or_default();
        let own: Vec<&String> = second.iter().filter(|uuid| !comparison.has_first(uuid)).collect();
        // If the client cuts the second session before its start, for example at a compaction, it also cuts off the first.
        let reaches =
            own.is_empty() || comparison.own_root().is_none_or(|root| begins(comparison, root, &second));
        let existing: HashSet<&String> = now.iter().collect();
        let lost = |wanted: &[&String]| wanted.iter().filter(|uuid| !existing.contains(*uuid)).count();
        let of_first: Vec<_> = first.iter().filter(|uuid| reaches && !unanswered.contains(*uuid)).collect();
        for (wanted, session) in [(&of_first, &pair.first.key), (&own, &pair.second.key)] {
            let lost = lost(wanted);
            match lost {
                0 => {}
                _ if is_crossing => {
                    notes.push(format!("{client} reads it differently: its size crosses 5 MiB"))
                }
                // This client continues from the newest line by time, so the order of lines does not help.
                _ if client == Client::V2_0_76 => {
                    notes.push(format!("{client} orders by time and leaves out {lost} records of {session}"));
                }
                _ => return Err(MergePlanError::Lost { client, lost, session: session.clone() }),
            }
        }
        let from_first = now.iter().filter(|uuid| comparison.has_first(uuid)).count();
        let from_second = now.len() - from_first;
        notes.push(format!(
            "{client} sends {messages} messages: {from_first} records of the first, {from_second} of the second"
        ));
    }
    Ok(notes)
}

/// The user and assistant records that a client sends, in order, and how many messages they make.
fn sent(transcript: &Transcript<'_>, client: Client) -> Option<(usize, Vec<String>)> {
    let messages = resume(transcript, client).outcome.ok()?;
    let mut records: Vec<String> = Vec::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        let BlockOrigin::Record(index) = block.origin else { continue };
        let node = transcript.node(index);
        if !matches!(node.kind, RecordKind::User | RecordKind::Assistant) {
            continue;
        }
        let Some(uuid) = node.uuid.map(|uuid| uuid.to_string()) else { continue };
        if records.last() != Some(&uuid) {
            records.push(uuid);
        }
    }
    Some((messages.len(), records))
}

/// The lines of responses with an unanswered call: clients drop them once something follows.
fn unanswered(transcript: &Transcript<'_>) -> HashSet<String> {
    let pairs = ToolPairs::new(transcript);
    let nodes = transcript.nodes();
    let messages: HashSet<String> =
        pairs.unanswered().filter_map(|pair| nodes[pair.call].message.map(|id| id.to_string())).collect();
    let is_theirs = |message: &str| messages.contains(message);
    nodes
        .iter()
        .filter(|node| node.message.is_some_and(|id| is_theirs(&id.to_string())))
        .filter_map(|node| Some(node.uuid?.to_string()))
        .collect()
}

/// Whether a client sends the second session from its start, without a compaction.
fn begins(comparison: &Comparison<'_>, root: NodeIndex, sent: &[String]) -> bool {
    let nodes = comparison.two.nodes();
    let first_message = root.until(comparison.two.end()).find(|index| {
        comparison.own.contains(index)
            && matches!(nodes[*index].kind, RecordKind::User | RecordKind::Assistant)
            && !nodes[*index].is_sidechain
    });
    let is_sent = |node: &Node<'_>| node.uuid.is_some_and(|uuid| sent.contains(&uuid.to_string()));
    let is_boundary = nodes[root].system == Some(SystemKind::CompactBoundary);
    // Messages that a compaction preserved may reach back to the start; the rest is still summarized.
    let is_compacted = nodes.iter().any(|node| node.is_compact_summary && is_sent(node));
    !is_boundary && !is_compacted && first_message.is_none_or(|first_message| is_sent(&nodes[first_message]))
}
