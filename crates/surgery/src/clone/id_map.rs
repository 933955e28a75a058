//! The new ids of a clone: session, records, sub-agents.

use std::collections::{BTreeSet, HashMap};

use annals_json::Value;
use annals_store::layout::FileRole;
use annals_store::source::{new_agent_id, new_uuid};
use annals_store::{SessionKey, Slug, Source};
use annals_transcript::transcript::Transcript;

use super::tokens::is_distinctive;
use crate::session::Session;
use crate::session_files::SessionFile;

/// Maps old ids to new ones.
#[derive(Clone, Debug)]
pub struct IdMap {
    session: (SessionKey, SessionKey),
    records: HashMap<String, String>,
    agents: HashMap<String, String>,
    project: Option<(Slug, Slug)>,
}

impl IdMap {
    /// New ids for a session, its records and its sub-agents.
    pub fn new(session: &Session, session_files: &[SessionFile], source: &dyn Source) -> Self {
        let new = SessionKey::new(new_uuid(source));
        let mut names = Self {
            session: (session.key.clone(), new),
            records: HashMap::new(),
            agents: HashMap::new(),
            project: None,
        };
        let mut records = BTreeSet::new();
        let mut agents: BTreeSet<String> =
            session.agents.iter().map(|agent| agent.entry.key.to_string()).collect();
        let files = session.agents.iter().map(|agent| &agent.bytes);
        for bytes in std::iter::once(&session.bytes).chain(files) {
            collect_ids(bytes, &mut records, &mut agents);
        }
        agents.extend(session_files.iter().filter_map(|session_file| match &session_file.role {
            FileRole::Todos { agent, .. } => Some(agent.to_string()),
            _ => None,
        }));
        agents.retain(|agent| agent != session.key.as_str() && !agent.is_empty());
        for record in &records {
            names.records.insert(record.clone(), fresh(|| new_uuid(source), &records));
        }
        for agent in agents.iter().filter(|agent| !records.contains(*agent)) {
            names.agents.insert(agent.clone(), fresh(|| agent_like(agent, source), &agents));
        }
        names
    }

    /// A new id for the session only; its project folder may change, too.
    pub(crate) fn of_session(old: SessionKey, new: SessionKey, project: Option<(Slug, Slug)>) -> Self {
        Self { session: (old, new), records: HashMap::new(), agents: HashMap::new(), project }
    }

    /// The same ids in another project folder.
    pub(crate) fn in_project(self, project: Option<(Slug, Slug)>) -> Self {
        Self { project, ..self }
    }

    #[cfg(test)]
    pub(super) fn for_test<const R: usize, const A: usize>(
        session: (&str, &str),
        records: [(&str, &str); R],
        agents: [(&str, &str); A],
        project: (&str, &str),
    ) -> Self {
        let own = |(old, new): (&str, &str)| (old.to_owned(), new.to_owned());
        Self {
            session: (session.0.into(), session.1.into()),
            records: records.map(own).into(),
            agents: agents.map(own).into(),
            project: Some((project.0.into(), project.1.into())),
        }
    }

    /// Moves the session to another project: paths into its old folder are changed.
    pub(super) fn move_project(&mut self, old: &Slug, new: &Slug) {
        self.project = Some((old.clone(), new.clone()));
    }

    /// The new session's id.
    pub fn session(&self) -> &SessionKey {
        &self.session.1
    }

    /// The id of the original session.
    pub fn old_session(&self) -> &SessionKey {
        &self.session.0
    }

    /// The new id of a record.
    pub fn record(&self, old: &str) -> Option<&str> {
        self.records.get(old).map(String::as_str)
    }

    /// The new id of a sub-agent.
    pub fn agent(&self, old: &str) -> Option<&str> {
        self.agents.get(old).map(String::as_str)
    }

    /// The new project folder, if this is the old one.
    pub(super) fn project(&self, old: &str) -> Option<&Slug> {
        self.project.as_ref().filter(|(slug, _)| slug == old).map(|(_, new)| new)
    }

    /// The old ids of records and sub-agents.
    pub fn old(&self) -> impl Iterator<Item = &str> {
        self.records.keys().chain(self.agents.keys()).map(String::as_str)
    }

    /// The new id to write wherever this one occurs; an id that could be a common word is only replaced in known fields.
    pub(super) fn new_id(&self, id: &str) -> Option<&str> {
        self.record(id).or_else(|| self.agent(id)).filter(|_| is_distinctive(id))
    }
}

/// Collects the ids of the records of a file and of the sub-agents that they name.
fn collect_ids(bytes: &[u8], records: &mut BTreeSet<String>, agents: &mut BTreeSet<String>) {
    let transcript = Transcript::parse(bytes);
    for (index, node) in transcript.indexed_nodes() {
        records.extend(node.uuid.map(|id| id.to_string()).filter(|id| !id.is_empty()));
        let fields = transcript.fields(index);
        let places = [fields.get("agentId"), inside(&fields, "toolUseResult"), inside(&fields, "data")];
        agents.extend(places.into_iter().flatten().filter_map(Value::text).map(|text| text.to_string()));
    }
}

fn inside<'a>(fields: &annals_json::Fields<'a>, key: &str) -> Option<Value<'a>> {
    fields.get(key)?.get("agentId")
}

/// A new id that is not among the old ones.
fn fresh(make: impl Fn() -> String, old: &BTreeSet<String>) -> String {
    loop {
        let id = make();
        if !old.contains(&id) {
            return id;
        }
    }
}

/// A sub-agent id in the same format: the part before its digits says what the agent is for.
fn agent_like(old: &str, source: &dyn Source) -> String {
    let new = new_agent_id(source);
    match old.rsplit_once('-') {
        Some((purpose, digits)) => format!("{purpose}-{}", cut(&new[1..], digits)),
        None if old.len() == new.len() => new,
        None => cut(&new[1..], old).to_owned(),
    }
}

/// As many digits as the old id has, but enough to be unique.
fn cut<'n>(digits: &'n str, like: &str) -> &'n str {
    &digits[..like.len().clamp(7, digits.len())]
}
