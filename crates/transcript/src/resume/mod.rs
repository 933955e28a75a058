//! What a client would send to the API when it resumes a session file, and why it leaves the rest out.
//!
//! Owns the order of the steps; each step is a file of its own and reads the rules of the client, so that no step
//! asks for a version. Everything was found by asking the clients themselves: `docs/resume.md` tells what they answered.
//! Nothing here changes a file or judges whether a session is in order.

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
mod left_out;
mod lines;
mod outside;
mod pairing;
mod parallel;
mod refusal;
mod rules;
mod surrogates;
mod v2_0_76;
mod v2_1_112;
mod v2_1_325;

pub use api::{ApiBlock, ApiMessage, Body, Filler, Origin, Role};
pub use branch::{branch, branch_to};
pub use client::{Client, UnknownClient};
pub use compaction::{LARGE, starts_large_file};
pub use left_out::{LeftOut, Reason};
pub use refusal::Refusal;

use crate::transcript::{NodeIndex, Transcript};
use annals_json::ObjectWriter;
use left_out::Ledger;
use lines::Lines;
use rules::Rules;

/// What a client makes of a file.
#[derive(Clone, Debug)]
pub struct Resumed<'a> {
    /// The client.
    pub client: Client,
    /// The messages that it would send, or why it would send none.
    pub outcome: Result<Vec<ApiMessage<'a>>, Refusal>,
    /// Every record of the chain kinds, or part of one, that is not sent, in the order of the file.
    pub left_out: Vec<LeftOut<'a>>,
}

/// Rebuilds the conversation as a client would.
pub fn resume<'a>(transcript: &Transcript<'a>, client: Client) -> Resumed<'a> {
    let mut ledger = Ledger::default();
    let outcome = rebuild(transcript, Rules::of(client), &mut ledger);
    let left_out = match outcome {
        Ok(_) => ledger.into_sorted(),
        // Of a refused file everything is left out, for one reason.
        Err(_) => Vec::new(),
    };
    let left_out = left_out
        .into_iter()
        .map(|(node, reason)| LeftOut { uuid: transcript.nodes()[node].uuid, node, reason })
        .collect();
    Resumed { client, outcome, left_out }
}

/// The line that a client would go on from; none where it refuses the file or finds nothing in it.
pub fn leaf(transcript: &Transcript<'_>, client: Client) -> Option<NodeIndex> {
    let rules = Rules::of(client);
    let mut lines = Lines::read(transcript, rules);
    compaction::put_back_preserved(&mut lines, rules);
    leaf::choose(&lines, rules).ok()
}

fn rebuild<'a>(
    transcript: &Transcript<'a>,
    rules: &Rules,
    ledger: &mut Ledger,
) -> Result<Vec<ApiMessage<'a>>, Refusal> {
    let mut lines = Lines::read(transcript, rules);
    compaction::put_back_preserved(&mut lines, rules);
    let leaf = leaf::choose(&lines, rules)?;
    let chain = chain::walk(&lines, rules, leaf);
    let mut whole = parallel::pull_in(&lines, rules, chain);
    let history = whole.split_off(compaction::start_of_history(&lines, &whole));
    whole.extend(branch::before_compactions(transcript, rules, &history));
    outside::note(&lines, &whole, &history, ledger);

    let mut entries = entries::read(&lines, rules, &history, ledger)?;
    calls::settle(&mut entries, rules, ledger);
    empty::drop_lines(&mut entries, rules, ledger);
    let mut entries = calls::put_results_behind(entries, rules);
    end::fill(&mut entries, rules);
    let mut messages = join::join(join::lift_reminders(entries), rules);
    empty::drop_messages(&mut messages, rules, ledger);
    let mut messages = pairing::repair(messages, rules, ledger);
    for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
        block.rename_tool(rules.renamed_tools);
    }
    Ok(messages)
}

impl Resumed<'_> {
    /// The messages; none where the file is refused.
    pub fn messages(&self) -> &[ApiMessage<'_>] {
        self.outcome.as_deref().unwrap_or_default()
    }

    /// Appends the answer as JSON: `{"client","messages","left_out"}`, or `{"client","messages":[],"refused"}`.
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
