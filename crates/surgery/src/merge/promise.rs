//! What clients will send: all that they sent of the first, then all of the second that it does not have. Else nothing is done.

use std::collections::HashSet;

use annals_transcript::pairing::Pairs;
use annals_transcript::record::{RecordKind, SystemKind};
use annals_transcript::resume::{Client, Origin, resume};
use annals_transcript::transcript::{Node, NodeIndex, Transcript};

use super::halves::Halves;
use super::{MergePlanError, Pair};
use crate::edit::FileEdit;

/// Clients read larger files in another way: see docs/resume.md.
const LARGE_FILE: usize = 5 * 1024 * 1024;

/// Holds what each client would send of the result against what it sends of the two, and says it.
pub(super) fn hold(pair: &Pair, halves: &Halves<'_>, edit: &FileEdit) -> Result<Vec<String>, MergePlanError> {
    let after = edit.result();
    let merged = Transcript::parse(&after);
    let is_crossing =
        pair.first.bytes.len().max(pair.second.bytes.len()) <= LARGE_FILE && after.len() > LARGE_FILE;
    let unanswered = unanswered(halves.one);
    let mut notes = Vec::new();
    for &client in Client::ALL {
        let Some((messages, now)) = sent(&merged, client) else {
            notes.push(format!("{client} refuses it, as it does the first"));
            continue;
        };
        let first = sent(halves.one, client).map(|(_, sent)| sent).unwrap_or_default();
        let second = sent(halves.two, client).map(|(_, sent)| sent).unwrap_or_default();
        let own: Vec<&String> = second.iter().filter(|uuid| !halves.has_first(uuid)).collect();
        // Where the client cuts the second off before its beginning, at a compaction for one, it cuts off the first as well.
        let reaches = own.is_empty() || halves.live_root().is_none_or(|root| begins(halves, root, &second));
        let there: HashSet<&String> = now.iter().collect();
        let lost = |wanted: &[&String]| wanted.iter().filter(|uuid| !there.contains(*uuid)).count();
        let of_first: Vec<_> = first.iter().filter(|uuid| reaches && !unanswered.contains(*uuid)).collect();
        for (wanted, session) in [(&of_first, &pair.first.key), (&own, &pair.second.key)] {
            let lost = lost(wanted);
            match lost {
                0 => {}
                _ if is_crossing => {
                    notes.push(format!("{client} reads it in another way: it crosses the size of 5 MiB"))
                }
                // This one goes on from the newest line by the clock, wherever it stands: no order of lines helps.
                _ if client == Client::V2_0_76 => {
                    notes.push(format!(
                        "{client} goes by the clock, and leaves out {lost} records of {session}"
                    ));
                }
                _ => return Err(MergePlanError::Lost { client, lost, session: session.clone() }),
            }
        }
        let from_first = now.iter().filter(|uuid| halves.has_first(uuid)).count();
        let from_second = now.len() - from_first;
        notes.push(format!(
            "{client} sends {messages} messages: {from_first} records of the first, {from_second} of the second"
        ));
    }
    Ok(notes)
}

/// The records of people and models that a client sends, in order, and how many messages they make.
fn sent(transcript: &Transcript<'_>, client: Client) -> Option<(usize, Vec<String>)> {
    let messages = resume(transcript, client).outcome.ok()?;
    let mut records: Vec<String> = Vec::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        let Origin::Record(index) = block.origin else { continue };
        let node = &transcript.nodes()[index];
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

/// The lines of responses with a call that was never answered: clients leave them out once something follows.
fn unanswered(transcript: &Transcript<'_>) -> HashSet<String> {
    let pairs = Pairs::new(transcript);
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

/// Whether what a client sends of the second goes back to the beginning of its conversation: not over a compaction.
fn begins(halves: &Halves<'_>, root: NodeIndex, sent: &[String]) -> bool {
    let nodes = halves.two.nodes();
    let said = (root..nodes.len()).find(|index| {
        halves.own.contains(index)
            && matches!(nodes[*index].kind, RecordKind::User | RecordKind::Assistant)
            && !nodes[*index].is_sidechain
    });
    let is_sent = |node: &Node<'_>| node.uuid.is_some_and(|uuid| sent.contains(&uuid.to_string()));
    let is_boundary = nodes[root].system == Some(SystemKind::CompactBoundary);
    // What a compaction kept may reach back to the beginning: what is before it is summed up all the same.
    let is_compacted = nodes.iter().any(|node| node.is_compact_summary && is_sent(node));
    !is_boundary && !is_compacted && said.is_none_or(|said| is_sent(&nodes[said]))
}
