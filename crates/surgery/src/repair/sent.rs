//! What clients send of a file, to check that a fix never makes it less.

use std::collections::HashSet;

use annals_transcript::record::RecordKind;
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::Transcript;

/// What each client sends.
#[derive(Debug)]
pub(super) struct SentMessages {
    /// The number of messages and their user and assistant records; `None` if the client refuses the file.
    clients: Vec<Option<(usize, HashSet<Vec<u8>>)>>,
}

impl SentMessages {
    pub(super) fn of(transcript: &Transcript<'_>) -> Self {
        Self { clients: Client::ALL.iter().map(|&client| sent(transcript, client)).collect() }
    }

    /// Whether `after` has at least as many messages and every record.
    pub(super) fn is_subset_of(&self, after: &Self) -> bool {
        self.clients.iter().zip(&after.clients).all(|(before, after)| match (before, after) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some((messages, records)), Some((now, there))) => now >= messages && records.is_subset(there),
        })
    }
}

fn sent(transcript: &Transcript<'_>, client: Client) -> Option<(usize, HashSet<Vec<u8>>)> {
    let messages = resume(transcript, client).outcome.ok()?;
    let mut records = HashSet::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        let BlockOrigin::Record(index) = block.origin else { continue };
        let node = transcript.node(index);
        if !matches!(node.kind, RecordKind::User | RecordKind::Assistant) {
            continue;
        }
        records.insert(match node.uuid {
            Some(uuid) => uuid.text().raw().to_vec(),
            None => transcript.fields(index).raw().to_vec(),
        });
    }
    Some((messages.len(), records))
}
