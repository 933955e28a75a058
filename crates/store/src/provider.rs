//! The store as a provider: all that a program needs that keeps its conversations here, in one place.
//!
//! ```
//! use annals_store::provider::Provider;
//! use annals_store::session::NewSession;
//! use annals_store::source::{Clock, Source};
//! use annals_transcript::draft::{Draft, Said};
//! use annals_transcript::query::Filter;
//!
//! # #[derive(Debug)] struct Machine;
//! # impl Clock for Machine { fn now(&self) -> i64 { 1_767_225_600_000 } fn pause(&self, _: u64) {} }
//! # impl Source for Machine { fn random(&self) -> [u8; 16] { [7; 16] } }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("annals-provider-{}", std::process::id()));
//! # let (config, data, work) = (folder.join("config"), folder.join("data"), folder.join("work"));
//! let provider = Provider::new(config, data, Machine);
//! let mut session = provider.new_session(NewSession { cwd: work, ..NewSession::default() })?;
//! let hello = session.append_settled(&Draft::prompt(Said::Text("hello")))?;
//!
//! let conversation = provider.read(session.path())?;
//! assert_eq!(conversation.messages(&Filter::default())[0].text(), "hello");
//! assert_eq!(conversation.message(hello.uuid.as_deref().unwrap_or_default()).unwrap().text(), "hello");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```

use std::path::{Path, PathBuf};

use annals_transcript::draft::Draft;
use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, messages};
use annals_transcript::query::{self, Counts, Filter};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::data_dir::DataDir;
use crate::journal::{Entry, Journal, UndoError};
use crate::key::Slug;
use crate::problem::FileProblem;
use crate::read::{ReadError, read_file};
use crate::reset::{self, ResetError};
use crate::scan::Store;
use crate::session::{AppendError, ForkError, Forked, NewSession, Patience, Receipt, SessionWriter, fork};
use crate::source::Source;
use crate::summary::Summary;

/// A store to keep conversations in.
#[derive(Debug)]
pub struct Provider<S> {
    store: Store,
    data: DataDir,
    source: S,
}

impl<S: Source> Provider<S> {
    /// Over a config dir and a folder of our own, for locks and the journal.
    pub fn new(config_dir: impl Into<PathBuf>, data_dir: impl Into<PathBuf>, source: S) -> Self {
        Self { store: Store::open(config_dir), data: DataDir::new(data_dir), source }
    }

    /// The store that is read.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Our own folder.
    pub fn data_dir(&self) -> &DataDir {
        &self.data
    }

    /// Begins a session.
    pub fn new_session(&self, new: NewSession) -> Result<SessionWriter<'_>, AppendError> {
        SessionWriter::create(self.store.config_dir(), &self.data, &self.source, new)
    }

    /// Goes on with a session; one that somebody else writes to is refused.
    pub fn go_on(&self, path: &Path) -> Result<SessionWriter<'_>, AppendError> {
        SessionWriter::open(path, &self.data, &self.source, Patience::Refuse)
    }

    /// Makes a session that goes on from a record of another, or from its end.
    pub fn fork(&self, path: &Path, at: Option<&str>) -> Result<Forked, ForkError> {
        fork(path, at, &self.source)
    }

    /// Gives a session a title; an empty one takes it back.
    pub fn rename(&self, path: &Path, title: &str) -> Result<Receipt, AppendError> {
        self.append_aside(path, &Draft::custom_title(title))
    }

    /// Gives a session a tag; an empty one takes it back.
    pub fn tag(&self, path: &Path, tag: &str) -> Result<Receipt, AppendError> {
        self.append_aside(path, &Draft::tag(tag))
    }

    fn append_aside(&self, path: &Path, draft: &Draft) -> Result<Receipt, AppendError> {
        SessionWriter::open(path, &self.data, &self.source, Patience::Append)?.append_settled(draft)
    }

    /// All sessions, and what could not be read.
    pub fn list(&self) -> (Vec<Summary>, Vec<FileProblem>) {
        self.store.summaries(&self.store.discover())
    }

    /// Reads a session, to ask it things.
    pub fn read(&self, path: &Path) -> Result<Conversation, ReadError> {
        read_file(path).map(|bytes| Conversation { bytes })
    }

    /// Moves the sessions of a project to the trash, with all that belongs to them.
    pub fn reset_project(&self, slug: &Slug) -> Result<Entry, ResetError> {
        let plan = reset::plan(&self.store.discover(), self.store.config_dir(), slug);
        reset::apply(&plan, self.store.config_dir(), &self.data, &self.source)
    }

    /// Takes a change back.
    pub fn undo(&self, entry: Entry) -> Result<Entry, UndoError> {
        Journal::new(&self.data).undo(entry)
    }
}

/// A session in memory, as it was when it was read.
#[derive(Clone, Debug)]
pub struct Conversation {
    bytes: Vec<u8>,
}

impl Conversation {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its records, for whoever wants the format itself.
    pub fn transcript(&self) -> Transcript<'_> {
        Transcript::parse(&self.bytes)
    }

    /// The messages that pass a filter, as plain chat messages; the usual filter takes the live branch.
    pub fn messages(&self, filter: &Filter) -> Vec<Message> {
        let transcript = self.transcript();
        let chosen = query::select(&transcript, &Graph::new(&transcript), filter);
        messages(&transcript, chosen)
    }

    /// The last messages of the live branch.
    pub fn last(&self, count: usize) -> Vec<Message> {
        let transcript = self.transcript();
        query::last(&transcript, &Graph::new(&transcript), count)
    }

    /// The message of a record.
    pub fn message(&self, uuid: &str) -> Option<Message> {
        let transcript = self.transcript();
        messages(&transcript, query::by_uuid(&transcript, uuid)).pop()
    }

    /// The messages from the first one to a record, by its parents.
    pub fn ancestry(&self, uuid: &str) -> Option<Vec<Message>> {
        let transcript = self.transcript();
        let nodes = query::ancestry(&transcript, &Graph::new(&transcript), uuid)?;
        Some(messages(&transcript, nodes))
    }

    /// How many of everything there are, and how many tokens.
    pub fn counts(&self) -> Counts {
        let transcript = self.transcript();
        Counts::of(&transcript, &Graph::new(&transcript))
    }

    /// What a client would send on resume, as JSON: `{"client","messages","left_out"}`.
    pub fn resume(&self, client: Client) -> Vec<u8> {
        let mut out = Vec::new();
        resume(&self.transcript(), client).write_json(&mut out);
        out
    }
}
