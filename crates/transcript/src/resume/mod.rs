//! Predicts what a client sends to the API when it resumes a session file, and why it leaves the rest out.
//!
//! Each step is a module and reads the rules of the client, so that no step depends on a version. The rules were found by
//! testing the clients.

mod api;
mod attachments;
mod branch;
mod calls;
mod chain;
mod client;
mod compaction;
mod empty;
mod end;
mod entries;
mod join;
mod leaf;
mod lines;
mod omission;
mod outside;
mod pairing;
mod parallel;
mod refusal;
mod rules;
mod surrogates;
mod v2_0_76;
mod v2_1_112;
mod v2_1_325;

pub use api::{ApiBlock, ApiMessage, BlockBody, BlockOrigin, Filler, Role};
pub use branch::{branch, branch_to};
pub use client::{Client, UnknownClient};
pub use compaction::{LARGE_FILE_BYTES, starts_large_file};
pub use omission::{OmissionReason, OmittedRecord};
pub use refusal::Refusal;

use crate::transcript::{NodeIndex, Transcript};
use annals_json::ObjectWriter;
use lines::ClientLines;
use omission::OmissionLog;
use rules::ClientRules;

/// What a client sends when it resumes a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResumeResult<'a> {
    /// The release whose rules were applied.
    pub client: Client,
    /// The messages, or why the client refuses the file.
    pub outcome: Result<Vec<ApiMessage<'a>>, Refusal>,
    /// The chain records, or parts of them, that are not sent, in the order of the file.
    pub left_out: Vec<OmittedRecord<'a>>,
}

/// Rebuilds the conversation as a client does.
pub fn resume<'a>(transcript: &Transcript<'a>, client: Client) -> ResumeResult<'a> {
    let mut omissions = OmissionLog::default();
    let outcome = rebuild(transcript, ClientRules::of(client), &mut omissions);
    let left_out = match outcome {
        Ok(_) => omissions.into_sorted(),
        // Of a refused file everything is left out.
        Err(_) => Vec::new(),
    };
    let left_out = left_out
        .into_iter()
        .map(|(node, reason)| OmittedRecord { uuid: transcript.nodes()[node].uuid, node, reason })
        .collect();
    ResumeResult { client, outcome, left_out }
}

/// Returns the record from which a client would continue; `None` if it refuses the file.
pub fn leaf(transcript: &Transcript<'_>, client: Client) -> Option<NodeIndex> {
    let rules = ClientRules::of(client);
    let mut lines = ClientLines::read(transcript, rules);
    compaction::restore_preserved(&mut lines, rules);
    leaf::choose(&lines, rules).ok()
}

fn rebuild<'a>(
    transcript: &Transcript<'a>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) -> Result<Vec<ApiMessage<'a>>, Refusal> {
    let mut lines = ClientLines::read(transcript, rules);
    compaction::restore_preserved(&mut lines, rules);
    let leaf = leaf::choose(&lines, rules)?;
    let chain = chain::walk(&lines, rules, leaf);
    let mut whole = parallel::gather_parallel(&lines, rules, chain);
    let history = whole.split_off(compaction::start_of_history(&lines, &whole));
    whole.extend(branch::before_compactions(transcript, rules, &history));
    outside::note(&lines, &whole, &history, omissions);

    let mut entries = entries::read(&lines, rules, &history, omissions)?;
    calls::drop_unanswered(&mut entries, rules, omissions);
    empty::drop_lines(&mut entries, rules, omissions);
    let mut entries = calls::move_results_after_calls(entries, rules);
    end::fill(&mut entries, rules);
    let mut messages = join::join(join::lift_reminders(entries), rules);
    empty::drop_messages(&mut messages, rules, omissions);
    let mut messages = pairing::repair(messages, rules, omissions);
    for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
        block.rename_tool(rules.renamed_tools);
    }
    Ok(messages)
}

impl ResumeResult<'_> {
    /// The messages; empty if the file is refused.
    pub fn messages(&self) -> &[ApiMessage<'_>] {
        self.outcome.as_deref().unwrap_or_default()
    }

    /// Appends the result as JSON: `{"client","messages","left_out"}`, or `{"client","messages":[],"refused"}`.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.string("client", self.client.version()).array("messages", |messages| {
            for message in self.messages() {
                message.write_json(messages.item());
            }
        });
        match &self.outcome {
            Ok(_) => {
                object.array("left_out", |list| {
                    for left in &self.left_out {
                        list.object(|entry| {
                            match left.uuid {
                                Some(uuid) => api::write_raw_string(entry.key("uuid"), uuid.text().raw()),
                                None => entry.key("uuid").extend_from_slice(b"null"),
                            }
                            entry.string("reason", left.reason.sentence());
                        });
                    }
                });
            }
            Err(refusal) => {
                object.string("refused", refusal.sentence());
            }
        }
        object.end();
    }
}
