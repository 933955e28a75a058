//! What clients send of a file, to check that a fix never makes it less.

use std::collections::HashSet;

use annals_json::{Value, compact};
use annals_store::digest::sha256_bytes;
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

    /// The first client that sends less `after`: fewer messages, not every record, or nothing at all.
    pub(super) fn less_in(&self, after: &Self) -> Option<Client> {
        let is_less = |before: &Option<_>, after: &Option<_>| match (before, after) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some((messages, records)), Some((now, there))) => {
                let records: &HashSet<Vec<u8>> = records;
                now < messages || !records.is_subset(there)
            }
        };
        let clients = Client::ALL.iter().zip(self.clients.iter().zip(&after.clients));
        clients.filter(|(_, (before, after))| is_less(before, after)).map(|(client, _)| *client).next()
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
            // A record over several lines is written on one.
            None => {
                let mut raw = Vec::new();
                compact(Value::from_checked(transcript.fields(index).raw()), &mut raw);
                sha256_bytes(&raw).to_vec()
            }
        });
    }
    Some((messages.len(), records))
}
