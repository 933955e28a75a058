//! Token usage of a store, read from its files: every response once, in bounded memory, on every core.
//!
//! The rules of the account are those of `annals_transcript::usage`; here is only the way through the files.

mod comparison;
mod file;
mod progress;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, Thread, UsageItem, UsageLedger, UsageSource, items};

pub use comparison::{
    MismatchReason, StatsComparison, UsageComparison, compare_noted_costs, compare_stats_cache,
};
pub use file::{FileUsage, read_activity, read_noted, read_trail, read_usage};
pub use progress::{agents_with_files, read_usage_and_progress};

use crate::key::{SessionKey, Slug};
use crate::parallel;
use crate::problem::FileProblem;
use crate::project_path::{first_named, named_in_head};
use crate::read::ReadError;
use crate::scan::{Discovery, SessionEntry};

/// A file with responses that count: a session's or a sub-agent's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageFile {
    /// The file, as an entry; a sub-agent's is named `agent-<id>`.
    pub entry: SessionEntry,
    /// The session that it belongs to: for a sub-agent that of its caller, or its own name if that is unknown.
    pub session: SessionKey,
    /// The folder of the project that it belongs to.
    pub slug: Slug,
    /// The thread of the file.
    pub thread: Thread,
}

impl UsageFile {
    /// A session's file, which need not be in a store.
    pub fn of_session(path: &Path) -> Result<Self, ReadError> {
        let entry = SessionEntry::of_path(path)?;
        let (session, slug) = (entry.key.clone(), entry.slug.clone());
        Ok(Self { entry, session, slug, thread: Thread::Main })
    }

    /// All sessions, then all sub-agents, in the order of the discovery. A sub-agent belongs to the project of its session.
    pub fn all(discovery: &Discovery) -> Vec<Self> {
        let mut slugs: HashMap<(&Path, &SessionKey), Vec<&Slug>> = HashMap::new();
        for session in &discovery.sessions {
            let key = (projects_folder(&session.path, &session.slug), &session.key);
            slugs.entry(key).or_default().push(&session.slug);
        }
        let sessions = discovery.sessions.iter().map(|session| Self {
            entry: session.clone(),
            session: session.key.clone(),
            slug: session.slug.clone(),
            thread: Thread::Main,
        });
        let agents = discovery.agents.iter().map(|agent| {
            let entry = agent.as_session();
            let session = agent.session.clone().unwrap_or_else(|| entry.key.clone());
            let of_session = slugs.get(&(projects_folder(&agent.path, &agent.slug), &session));
            let slug =
                project_of_agent(&entry.slug, of_session.map(Vec::as_slice).unwrap_or_default()).clone();
            Self { entry, session, slug, thread: Thread::Agent(agent.key.as_str().into()) }
        });
        sessions.chain(agents).collect()
    }
}

/// The project that a sub-agent in the folder `own` belongs to: that of its session; of several that have it, the one that it lies
/// in, else the first.
pub fn project_of_agent<'s>(own: &'s Slug, of_session: &[&'s Slug]) -> &'s Slug {
    match of_session.first() {
        Some(&first) if !of_session.contains(&own) => first,
        _ => own,
    }
}

/// The token usage of a store.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct StoreUsage {
    /// The files, by their index in the ledger and in the items.
    pub sources: Vec<UsageSource>,
    /// Every response once.
    pub ledger: UsageLedger,
    /// What could not be read.
    pub problems: Vec<FileProblem>,
}

impl StoreUsage {
    /// Reads the files. `advance` is called with the number of bytes done, from any thread.
    ///
    /// Memory holds a chunk and a line for each core, and about 250 bytes per response.
    pub fn read(files: &[UsageFile], advance: impl Fn(u64) + Sync) -> Self {
        Self::read_with(files, advance, |file| Ok((read_usage(&file.entry)?, ()))).0
    }

    /// Reads the files in a way of the caller's, who may want more of each; what cannot be read has the default.
    pub fn read_with<T: Default + Send>(
        files: &[UsageFile],
        advance: impl Fn(u64) + Sync,
        each: impl Fn(&UsageFile) -> Result<(FileUsage, T), ReadError> + Sync,
    ) -> (Self, Vec<T>) {
        // Large files first, so that no thread is left alone with one at the end.
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(files[at].entry.bytes), at));
        let ledger = Mutex::new(UsageLedger::new());
        let read = parallel::map(&order, |&at| {
            let read = each(&files[at]);
            advance(files[at].entry.bytes);
            read.map(|(read, more)| {
                // The account does not depend on the order of files; a thread that panicked has left it whole.
                let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
                ledger.add_file(FileIndex::new(at), read.responses);
                more
            })
        });
        let ledger = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut usage = Self { ledger, ..Self::default() };
        let mut all: Vec<T> = Vec::new();
        let mut read: Vec<_> = order.into_iter().zip(read).collect();
        read.sort_unstable_by_key(|(at, _)| *at);
        for (_, read) in read {
            all.push(match read {
                Ok(more) => more,
                Err(error) => {
                    usage.problems.push(error.problem());
                    T::default()
                }
            });
        }
        let (mut names, paths) = (NameInterner::default(), project_paths(files));
        let path = |file: &UsageFile| paths.get(&project_folder(file)).map(String::as_str);
        usage.sources = files.iter().map(|file| names.source(file, path(file))).collect();
        (usage, all)
    }

    /// What reports are made of.
    pub fn items(&self, prices: &Prices) -> Vec<UsageItem> {
        items(&self.ledger, &self.sources, prices)
    }
}

/// The working directory of each project, by its folder.
fn project_paths(files: &[UsageFile]) -> HashMap<PathBuf, String> {
    let mut sessions: HashMap<PathBuf, (&Slug, Vec<&Path>)> = HashMap::new();
    for file in files.iter().filter(|file| file.thread == Thread::Main) {
        let project = sessions.entry(project_folder(file)).or_insert_with(|| (&file.slug, Vec::new()));
        project.1.push(&file.entry.path);
    }
    let named = |slug: &Slug, paths: Vec<&Path>| {
        // The first session settles it, most often: no other is read then.
        first_named(slug.as_str(), paths.into_iter().flat_map(named_in_head))
    };
    let paths = sessions.into_iter();
    paths.filter_map(|(folder, (slug, paths))| Some((folder, named(slug, paths)?))).collect()
}

/// The folder of the project that a file belongs to: stores may have projects of one slug.
fn project_folder(file: &UsageFile) -> PathBuf {
    projects_folder(&file.entry.path, &file.entry.slug).join(file.slug.as_str())
}

/// The folder that the folder of a file's project is in.
fn projects_folder<'p>(path: &'p Path, slug: &Slug) -> &'p Path {
    let is_project = |folder: &&Path| folder.file_name().is_some_and(|name| name == slug.as_str());
    path.ancestors().find(is_project).and_then(Path::parent).unwrap_or(path)
}

/// One copy of each name.
#[derive(Default)]
struct NameInterner(HashMap<String, Arc<str>>);

impl NameInterner {
    fn name(&mut self, text: &str) -> Arc<str> {
        match self.0.get(text) {
            Some(name) => Arc::clone(name),
            None => Arc::clone(self.0.entry(text.to_owned()).or_insert_with(|| text.into())),
        }
    }

    fn source(&mut self, file: &UsageFile, path: Option<&str>) -> UsageSource {
        UsageSource {
            session: self.name(file.session.as_str()),
            slug: self.name(file.slug.as_str()),
            project: path.map(|path| self.name(path)),
            thread: file.thread.clone(),
        }
    }
}
