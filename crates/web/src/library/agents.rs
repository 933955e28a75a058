//! The sub-agents of a session: which call started which, and what they used.

use std::collections::HashMap;

use annals_store::agents::{AgentCalls, details};
use annals_store::read::read_file;
use annals_store::{AgentEntry, Discovery, SessionKey};
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::{ResponseUsage, responses_usage};

use super::Library;

/// A sub-agent, as a page names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentRef {
    pub(crate) key: String,
    pub(crate) label: Option<String>,
}

/// The sub-agents of a session.
#[derive(Debug, Default)]
pub(super) struct SubAgents {
    /// By the call that started them.
    pub(super) linked: HashMap<String, Vec<AgentRef>>,
    /// Those that no call started.
    pub(super) loose: Vec<AgentRef>,
    /// The responses of each, in the order of the entries.
    pub(super) responses: Vec<Vec<ResponseUsage>>,
}

impl Library {
    /// Reads the files of sub-agents, and links each to the call that started it, in the session or in another sub-agent.
    pub(super) fn sub_agents(&self, main: &Transcript<'_>, entries: &[AgentEntry]) -> SubAgents {
        let (details, _) = details(&entries.iter().collect::<Vec<_>>());
        let mut found = SubAgents::default();
        if entries.is_empty() {
            return found;
        }
        let mut calls = AgentCalls::default();
        calls.add(None, main);
        // One file at a time: their text is not kept.
        for (at, entry) in entries.iter().enumerate() {
            let Ok(bytes) = read_file(&entry.path) else { continue };
            let transcript = Transcript::parse(&bytes);
            calls.add(Some(at), &transcript);
            found.responses.push(responses_usage(&transcript));
        }
        for ((entry, details), link) in entries.iter().zip(&details).zip(calls.link(&details)) {
            let label = details.label().map(|text| self.clean(&text).into_owned());
            let agent = AgentRef { key: entry.key.to_string(), label };
            match calls.call(&link) {
                Some((_, call)) => found.linked.entry(call.tool_use.clone()).or_default().push(agent),
                None => found.loose.push(agent),
            }
        }
        found
    }
}

/// The sub-agents of a session.
pub(crate) fn agents_of(discovery: &Discovery, session: &SessionKey) -> Vec<AgentEntry> {
    discovery.agents_of(session).cloned().collect()
}
