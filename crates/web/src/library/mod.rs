//! What is shown: stores, and what is known of their sessions. All of it blocks, so pages call it on a thread of its own.

mod agents;
mod archived;
mod branches;
mod files;
mod index;
mod listing;
mod open;
mod outline;
mod records;
mod redaction;
mod remote;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use annals_store::{Clock, DataDir, Source, Store};
use annals_transcript::price::Prices;
use annals_transcript::redact::SecretRules;
use jiff::tz::TimeZone;

pub(crate) use agents::{AgentRef, agents_of};
pub(crate) use archived::ArchivedSession;
pub(crate) use branches::{GraphNode, GraphNodeKind, SessionGraph};
pub(crate) use files::file_id;
pub(crate) use listing::{ListedSession, Listing};
pub(crate) use open::OpenSession;
pub(crate) use outline::{ContextShare, Outline, TurnRow};
pub(crate) use redaction::Redaction;
pub(crate) use remote::listed;
pub use remote::{
    RemoteError, RemoteFiles, RemoteListing, RemoteSession, RemoteSessions, RemoteUsage, ToolCount,
};

use crate::theme::Theme;
use index::Indexer;
use listing::ListingCache;
use open::SessionCache;

/// The stores that are shown, and everything that pages need besides them.
#[derive(Debug)]
pub struct Library {
    pub(crate) stores: Vec<Store>,
    /// Sessions elsewhere, which are shown instead of those of stores.
    pub(crate) remote: Option<Box<dyn RemoteSessions>>,
    pub(crate) data: DataDir,
    pub(crate) prices: Prices,
    pub(crate) zone: TimeZone,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) redaction: Option<Redaction>,
    pub(crate) theme: Theme,
    /// The user's own patterns of secrets, for the change that redacts a session.
    pub(crate) redaction_patterns: Vec<String>,
    listing: Mutex<ListingCache>,
    open: Mutex<SessionCache>,
    /// One at a time opens a session.
    opening: Mutex<()>,
    /// One at a time brings the index up to date; when that was last done.
    indexing: Mutex<Option<Instant>>,
    /// How often the index has been brought up to date.
    index_age: AtomicUsize,
    indexer: Option<Indexer>,
}

impl Library {
    /// A library of these stores; nothing is read yet.
    pub fn new(
        stores: Vec<Store>,
        data: DataDir,
        prices: Prices,
        zone: TimeZone,
        source: Arc<dyn Source>,
    ) -> Self {
        Self {
            stores,
            remote: None,
            data,
            prices,
            zone,
            source,
            redaction: None,
            theme: Theme::default(),
            redaction_patterns: Vec::new(),
            listing: Mutex::default(),
            open: Mutex::default(),
            opening: Mutex::default(),
            indexing: Mutex::default(),
            index_age: AtomicUsize::new(0),
            indexer: None,
        }
    }

    /// Shows sessions that are elsewhere, and lets nobody change them.
    pub fn with_remote(self, remote: impl RemoteSessions) -> Self {
        Self { remote: Some(Box::new(remote)), ..self }
    }

    /// Looks like this until a reader chooses something else.
    pub fn with_theme(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }

    /// Lets something else bring the index up to date at the start, such as another process: reading a large store takes
    /// memory that this one would keep.
    pub fn with_indexer(self, indexer: impl Fn() + Send + Sync + 'static) -> Self {
        Self { indexer: Some(Indexer(Box::new(indexer))), ..self }
    }

    /// Also redacts by the user's own patterns when a session is redacted from a page.
    pub fn with_redaction_patterns(self, redaction_patterns: Vec<String>) -> Self {
        Self { redaction_patterns, ..self }
    }

    /// Replaces secrets in everything that is shown, and refuses changes: for others than the owner.
    pub fn redacted_by(mut self, rules: SecretRules) -> Self {
        self.redaction = Some(Redaction::new(rules));
        self
    }

    /// Whether sessions may be changed from a page.
    pub(crate) fn is_changeable(&self) -> bool {
        self.redaction.is_none() && self.is_local()
    }

    /// Whether sessions are those of stores on this machine: then there are files, changes and an index.
    pub(crate) fn is_local(&self) -> bool {
        self.remote.is_none()
    }

    /// Now, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.source.now()
    }

    /// A text without secrets, if that was asked for.
    pub(crate) fn clean<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        match &self.redaction {
            Some(redaction) => redaction.text(text).into(),
            None => text.into(),
        }
    }

    /// The minutes from UTC at an instant.
    pub(crate) fn minutes_from_utc(&self, millis: i64) -> i32 {
        let instant = jiff::Timestamp::from_millisecond(millis);
        instant.map_or(0, |instant| self.zone.to_offset(instant).seconds() / 60)
    }
}
