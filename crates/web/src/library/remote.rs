//! Sessions that are elsewhere, such as in a team's engine: what pages ask of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use annals_index::search::{Query, SessionLimits, SessionResults};
use annals_store::{AgentEntry, Summary};
use annals_transcript::usage::{UsageItem, UsageRow, UsageSource};

use super::listing::{ListedSession, Listing, Spending};

/// How long a listing of sessions elsewhere is good for.
pub(super) const MAX_REMOTE_AGE: Duration = Duration::from_secs(10);

/// Why sessions elsewhere cannot be shown, in words for the reader.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct RemoteError(pub String);

/// A session elsewhere.
#[derive(Clone, Debug)]
pub struct RemoteSession {
    /// What is known of it; its path counts only once it is opened.
    pub summary: Summary,
    /// How many sub-agents have files of their own.
    pub sub_agents: usize,
    /// Whose it is, if that is known.
    pub person: Option<String>,
}

/// The sessions that a reader may see.
#[derive(Clone, Debug, Default)]
pub struct RemoteListing {
    /// The newest of them.
    pub sessions: Vec<RemoteSession>,
    /// How many older ones there are.
    pub left_out: u64,
}

/// A session whose files were fetched.
#[derive(Clone, Debug)]
pub struct RemoteFiles {
    /// The session; its summary names the file.
    pub session: RemoteSession,
    /// The files of its sub-agents.
    pub agents: Vec<AgentEntry>,
    /// How many lines their sender withheld.
    pub withheld: u64,
}

/// What was used, and by which files.
pub type RemoteUsage = (Vec<UsageSource>, Vec<UsageItem>);

/// Calls of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCount {
    pub tool: String,
    /// How often it was called.
    pub calls: u64,
    /// How often it failed.
    pub failures: u64,
}

/// Sessions elsewhere, as one reader may see them. Everything may block.
pub trait RemoteSessions: std::fmt::Debug + Send + Sync + 'static {
    /// The newest sessions.
    fn sessions(&self) -> Result<RemoteListing, RemoteError>;

    /// Fetches a session, if this reader may see it; of several projects that have it, the one of this folder.
    fn open(&self, session: &str, slug: Option<&str>) -> Result<Option<RemoteFiles>, RemoteError>;

    /// The sessions that match, best first.
    fn search(&self, query: &Query, limits: SessionLimits, now: i64) -> Result<SessionResults, RemoteError>;

    /// What these sessions used.
    fn usage_of(&self, sessions: &[String]) -> Result<RemoteUsage, RemoteError>;

    /// Everything that was used.
    fn usage(&self) -> Result<Arc<RemoteUsage>, RemoteError>;

    /// The calls of each tool.
    fn tool_counts(&self) -> Result<Vec<ToolCount>, RemoteError>;
}

/// Lists them, with what each cost: those that are listed, however many others there are.
pub(super) fn list(remote: &dyn RemoteSessions) -> Listing {
    let asked = remote.sessions().and_then(|found| {
        let ids: Vec<String> = found.sessions.iter().map(|one| one.summary.session.to_string()).collect();
        Ok((found, remote.usage_of(&ids)?))
    });
    let (found, (sources, items)) = match asked {
        Ok(found) => found,
        Err(error) => return Listing { failure: Some(error), ..Listing::default() },
    };
    let mut spending = Spending::of(&sources, &items);
    let mut models: HashMap<&str, Vec<String>> = HashMap::new();
    for item in &items {
        let (Some(source), Some(model)) = (sources.get(item.file.get()), &item.model) else { continue };
        let known = models.entry(&source.session).or_default();
        if !known.iter().any(|name| **name == **model) {
            known.push(model.to_string());
        }
    }
    let mut listing = Listing { has_usage: true, left_out: found.left_out, ..Listing::default() };
    for mut session in found.sessions {
        let id = session.summary.session.to_string();
        session.summary.models = models.remove(id.as_str()).unwrap_or_default();
        session.summary.models.sort();
        let usage = spending.usage.remove(&id);
        let spark = spending.sparks.remove(&id).unwrap_or_default();
        listing.sessions.push(ListedSession { spark, ..listed(session, usage) });
    }
    listing.sort();
    listing
}

/// A session elsewhere as lists have it.
pub(crate) fn listed(session: RemoteSession, usage: Option<UsageRow>) -> ListedSession {
    let RemoteSession { summary, sub_agents, person } = session;
    ListedSession {
        entry: summary.entry(),
        summary,
        store: 0,
        sub_agents,
        usage,
        spark: Vec::new(),
        has_errors: false,
        is_archived: false,
        person,
        withheld: 0,
    }
}
