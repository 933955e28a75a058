//! Finds the session that an address names: by its id among those that the store lists, never by a path.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use annals_store::AgentEntry;

use super::PageError;
use crate::library::{Library, ListedSession, Listing, OpenSession, RemoteSessions, agents_of, listed};

/// The query of an address; of a name that comes twice, the first counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(HashMap<String, String>);

impl Params {
    pub(crate) fn parse(query: Option<&str>) -> Self {
        Self::of(form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned())
    }

    /// The fields of a form.
    pub(crate) fn of(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut found = HashMap::new();
        for (name, value) in pairs {
            found.entry(name).or_insert(value);
        }
        Self(found)
    }

    /// A value that is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// A value as it is: names of folders may begin or end with white space.
    fn exact(&self, name: &str) -> Option<String> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }
}

/// A session that was asked for, and which view of it.
#[derive(Clone, Debug)]
pub(crate) struct SessionRequest {
    pub(crate) id: String,
    /// The project's folder, where several have a session of this id.
    pub(crate) slug: Option<String>,
    /// The sub-agent whose file it is about.
    pub(crate) agent: Option<String>,
    /// The record that the branch goes through.
    pub(crate) branch: Option<String>,
    /// How much of the file the page shows: what was appended since comes by itself.
    pub(crate) bytes: Option<u64>,
}

pub(crate) struct FoundSession {
    pub(crate) listed: ListedSession,
    pub(crate) agents: Vec<AgentEntry>,
    /// The file that is shown: the session's, or that of one of its sub-agents.
    pub(crate) path: PathBuf,
}

/// Whether a name from an address is that of a folder; forms have names without control characters.
fn is_slug(wanted: &str, slug: &str) -> bool {
    wanted == slug || wanted == annals_ui::one_line(slug)
}

impl SessionRequest {
    pub(crate) fn new(id: String, params: &Params) -> Self {
        let (slug, agent, branch) = (params.exact("in"), params.exact("agent"), params.exact("branch"));
        Self { id, slug, agent, branch, bytes: params.number("bytes") }
    }

    /// Finds it as it is now.
    pub(crate) fn find(&self, library: &Library) -> Result<FoundSession, PageError> {
        if let Some(remote) = &library.remote {
            return self.find_elsewhere(library, &**remote);
        }
        match self.find_in(&library.listing()) {
            // It may have begun a moment ago.
            Err(_) => {
                library.forget_listing();
                self.find_in(&library.listing())
            }
            found => found,
        }
    }

    /// Finds it for a part of a page: where its file is does not change, and listing a large store takes longer than the part.
    pub(crate) fn find_again(&self, library: &Library) -> Result<FoundSession, PageError> {
        if !library.is_local() {
            return self.find(library);
        }
        match self.find_in(&library.known_listing()) {
            Ok(found) if found.path.exists() => Ok(found),
            _ => self.find(library),
        }
    }

    fn find_in(&self, listing: &Listing) -> Result<FoundSession, PageError> {
        let is_wanted = |session: &&ListedSession| {
            let slug = session.entry.slug.as_str();
            session.entry.key.as_str() == self.id
                && self.slug.as_deref().is_none_or(|wanted| is_slug(wanted, slug))
        };
        let listed = listing.sessions.iter().find(is_wanted).cloned();
        let listed = listed.ok_or_else(|| PageError::not_found("The store has no such session."))?;
        let discovery = &listing.discoveries[listed.store];
        let agents = agents_of(discovery, &listed.entry.key);
        self.with_path(listed, agents)
    }

    fn find_elsewhere(
        &self,
        library: &Library,
        remote: &dyn RemoteSessions,
    ) -> Result<FoundSession, PageError> {
        let found = remote.open(&self.id, self.slug.as_deref());
        let found = found.map_err(|error| PageError::busy(error.to_string()))?;
        let found =
            found.ok_or_else(|| PageError::not_found("There is no such session that you may see."))?;
        let session = listed(found.session, library.known_usage(&self.id));
        self.with_path(ListedSession { withheld: found.withheld, ..session }, found.agents)
    }

    fn with_path(&self, listed: ListedSession, agents: Vec<AgentEntry>) -> Result<FoundSession, PageError> {
        let path = match &self.agent {
            None => listed.entry.path.clone(),
            Some(key) => {
                let agent = agents.iter().find(|agent| agent.key.as_str() == key);
                let agent =
                    agent.ok_or_else(|| PageError::not_found("The session has no such sub-agent."))?;
                agent.path.clone()
            }
        };
        Ok(FoundSession { listed, agents, path })
    }

    /// Finds and opens it, for a part of a page.
    pub(crate) fn open(&self, library: &Library) -> Result<(FoundSession, Arc<OpenSession>), PageError> {
        let found = self.find_again(library)?;
        let opened = library.open(&found.path, &found.agents, self.branch.as_deref(), self.bytes);
        let opened = opened.map_err(|error| PageError::unreadable(&error))?;
        Ok((found, opened))
    }

    /// The query that names the same view.
    pub(crate) fn query(&self, bytes: u64) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let pairs = [("in", &self.slug), ("agent", &self.agent), ("branch", &self.branch)];
        for (name, value) in pairs {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        query.append_pair("bytes", &bytes.to_string());
        query.finish()
    }
}
