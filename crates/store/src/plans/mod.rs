//! Plans: `plans/<name>.md`, and the sessions that name them in the `slug` field of their lines or of their sub-agents'.

mod write;

use std::path::PathBuf;

pub use write::write;

use crate::key::SessionKey;
use crate::layout::FileRole;
use crate::parallel;
use crate::read::{ReadError, read_file};
use crate::scan::Discovery;
use crate::summary::Summary;

/// A plan's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// The file name without `.md`.
    pub name: String,
    /// The sub-agent that wrote it, if the name has the form `<session's name>-agent-<agent>`.
    pub agent: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified: Option<i64>,
    /// The sessions that name it.
    pub sessions: Vec<SessionKey>,
}

impl Plan {
    /// The plan's text; invalid UTF-8 reads as U+FFFD.
    pub fn text(&self) -> Result<String, ReadError> {
        read_file(&self.path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// All plans, by name, with their sessions.
pub fn plans(discovery: &Discovery, summaries: &[Summary]) -> Vec<Plan> {
    let mut found = Vec::new();
    let names_of_agents = parallel::map(&discovery.agents, |agent| match &agent.session {
        Some(session) => {
            let names = Summary::read(&agent.as_session()).map(|summary| summary.plan_names);
            Some((session.clone(), names.ok()?))
        }
        None => None,
    });
    let of_agents = || names_of_agents.iter().flatten().map(|(session, names)| (session, names));
    let of_sessions = || summaries.iter().map(|summary| (&summary.session, &summary.plan_names));
    for file in discovery.plans() {
        let FileRole::Plan { name } = &file.role else { continue };
        let (of_session, agent) = match name.split_once("-agent-") {
            Some((of_session, agent)) => (of_session, Some(agent.to_owned())),
            None => (name.as_str(), None),
        };
        let names_it = |names: &[String]| {
            names.iter().any(|known| known == name || (agent.is_some() && known == of_session))
        };
        let mut sessions: Vec<SessionKey> = Vec::new();
        for (session, names) in of_sessions().chain(of_agents()) {
            if names_it(names) && !sessions.contains(session) {
                sessions.push(session.clone());
            }
        }
        found.push(Plan {
            name: name.clone(),
            agent,
            path: file.path.clone(),
            bytes: file.bytes,
            modified: file.modified,
            sessions,
        });
    }
    found
}
