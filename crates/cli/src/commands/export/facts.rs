//! What stands above an exported conversation.

use std::collections::BTreeSet;

use annals_store::{SessionEntry, Summary};
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::Speaker;
use annals_transcript::usage::{FileIndex, UsageLedger, group, responses_usage};
use annals_ui::figures;
use annals_ui::html::PageHeader;

use super::redaction::Redaction;
use crate::context::Context;
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::words;

/// What is known about a session as a whole.
pub(super) struct SessionFacts {
    pub(super) title: String,
    pub(super) id: String,
    pub(super) project: String,
    branch: String,
    first: String,
    pub(super) last: String,
    models: String,
    pub(super) turns: String,
    pub(super) cost: String,
    agents: usize,
}

impl SessionFacts {
    pub(super) fn of(
        target: &ResolvedSession,
        family: &SessionWithAgents<'_>,
        redaction: Option<&mut Redaction>,
        context: &Context,
    ) -> Self {
        let entry = SessionEntry::of_path(&target.path).ok();
        let summary = entry.and_then(|entry| Summary::read(&entry).ok());
        let summary = summary.as_ref();
        let mut ledger = UsageLedger::new();
        let transcripts = std::iter::once(&family.main).chain(family.agents.iter().map(|(_, said, _)| said));
        for (at, transcript) in transcripts.enumerate() {
            ledger.add_file(FileIndex::new(at), responses_usage(transcript));
        }
        let usage = group(ledger.charges(), &context.prices, |_, _| Some(String::new())).total;
        let models: BTreeSet<&str> = usage.models.iter().map(|model| figures::model(model)).collect();
        let moment = |millis: Option<i64>| {
            millis.map(|millis| words::moment(millis, &context.zone)).unwrap_or_default()
        };
        let mut facts = Self {
            title: summary
                .and_then(|summary| summary.display_title())
                .map(annals_ui::one_line)
                .unwrap_or_else(|| target.key.to_string()),
            id: target.key.to_string(),
            project: summary
                .and_then(|summary| summary.project.as_ref())
                .map(|project| project.path.clone())
                .unwrap_or_default(),
            branch: summary
                .and_then(|summary| summary.git_branch.clone())
                .filter(|branch| branch != "HEAD")
                .unwrap_or_default(),
            first: moment(summary.and_then(|summary| summary.created_millis)),
            last: moment(summary.and_then(Summary::last_activity)),
            models: models.into_iter().collect::<Vec<_>>().join(", "),
            turns: words::count(turns(&family.main)),
            cost: words::dollars(usage.cost.dollars()),
            agents: family.agents.len(),
        };
        if let Some(redaction) = redaction {
            for text in [&mut facts.title, &mut facts.project, &mut facts.branch] {
                *text = redaction.text(text);
            }
        }
        facts
    }

    /// The header of a page.
    pub(super) fn header(&self) -> PageHeader {
        let when = match (self.first.as_str(), self.last.as_str()) {
            (first, last) if first == last || last.is_empty() => first.to_owned(),
            ("", last) => last.to_owned(),
            (first, last) => format!("{first} to {last}"),
        };
        let agents = if self.agents > 0 { self.agents.to_string() } else { String::new() };
        let facts = [
            ("Session", self.id.clone()),
            ("Project", self.project.clone()),
            ("Branch", self.branch.clone()),
            ("When", when),
            ("Models", self.models.clone()),
            ("Turns", self.turns.clone()),
            ("Cost", self.cost.clone()),
            ("Sub-agents", agents),
        ];
        PageHeader {
            title: self.title.clone(),
            facts: facts.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
        }
    }

    /// What a list says about it.
    pub(super) fn row(&self) -> [String; 6] {
        [&self.id, &self.title, &self.project, &self.last, &self.turns, &self.cost].map(String::clone)
    }
}

fn turns(transcript: &Transcript<'_>) -> u64 {
    let opens = |(index, node): (_, &annals_transcript::transcript::Node<'_>)| {
        node.kind == RecordKind::User
            && !node.is_sidechain
            && matches!(transcript.record(index), Record::User(user) if Speaker::of(&user).opens_turn())
    };
    transcript.indexed_nodes().filter(|&(index, node)| opens((index, node))).count() as u64
}
