//! The sub-agents of a session: which call started which, and what they used.

use std::collections::HashMap;

use annals_store::agents::details;
use annals_store::read::read_file;
use annals_store::{AgentEntry, Discovery, SessionKey};
use annals_transcript::agents::{AgentLink, link, spawns};
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
        let entries: Vec<&AgentEntry> = entries.iter().collect();
        let (details, _) = details(&entries);
        let mut found = SubAgents::default();
        let mut calls = spawns(main);
        // One file at a time: their text is not kept.
        for entry in &entries {
            let Ok(bytes) = read_file(&entry.path) else { continue };
            let transcript = Transcript::parse(&bytes);
            calls.extend(spawns(&transcript));
            found.responses.push(responses_usage(&transcript));
        }
        let facts: Vec<_> = details.iter().map(|details| details.facts.clone()).collect();
        for ((entry, details), link) in entries.iter().zip(&details).zip(link(&calls, &facts)) {
            let meta = details.meta().and_then(Result::ok);
            let label = meta.and_then(|meta| meta.description().or(meta.agent_type()));
            let label = label.map(|text| self.clean(&text.to_string()).into_owned());
            let agent = AgentRef { key: entry.key.to_string(), label };
            match link {
                AgentLink::Linked { spawn, .. } => {
                    found.linked.entry(calls[spawn].tool_use.clone()).or_default().push(agent);
                }
                AgentLink::Unlinked(_) => found.loose.push(agent),
            }
        }
        found
    }
}

/// The sub-agents of a session.
pub(crate) fn agents_of(discovery: &Discovery, session: &SessionKey) -> Vec<AgentEntry> {
    discovery.agents_of(session).cloned().collect()
}
