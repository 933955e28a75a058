//! Copies a session under new ids: session, records and sub-agents.
//!
//! Ids of API responses stay: `message.id`, `requestId` and the ids of calls. Usage is counted once per store by them, so a
//! clone adds no cost.

mod check;
mod id_map;
mod places;
mod rewrite;
mod tokens;

use std::path::{Path, PathBuf};

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::{ConfigDir, Slug, Source};
use annals_transcript::resume::Client;
use annals_transcript::transcript::Transcript;

pub use id_map::IdMap;
pub(crate) use rewrite::{ForkOrigin, LineRewriter, RewriteError, blocks, moved_to};

use crate::folder_move::{self, FolderMove};
use crate::plan::Plan;
use crate::session::{AgentFile, Session};
use crate::session_files::{SessionFile, SkippedEntry, skipped_entries};

/// Where to put a clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloneTarget {
    /// Beside the original.
    SameProject,
    /// Into the project of a working directory.
    Project {
        /// The store of the project.
        config: ConfigDir,
        /// The working directory: absolute, with links resolved as the client does.
        cwd: String,
    },
}

/// A planned clone.
#[derive(Clone, Debug)]
pub struct ClonePlan {
    /// The changes to make.
    pub plan: Plan,
    /// The new ids.
    pub names: IdMap,
    /// The new session's file.
    pub path: PathBuf,
    /// How many records it has.
    pub records: usize,
    /// The store and project that it goes to; `None` outside a store.
    pub home: Option<(ConfigDir, Slug)>,
    moved: Option<FolderMove>,
}

/// Why a session cannot be cloned.
#[derive(Debug, thiserror::Error)]
pub enum ClonePlanError {
    /// The file belongs to a sub-agent, which is a part of a session.
    #[error("{}: a sub-agent's file cannot be cloned without its session", path.display())]
    SubAgent { path: PathBuf },
    /// The working directory is not absolute.
    #[error("{cwd:?}: the working directory of a project must be an absolute path")]
    NotAbsolute {
        /// The folder as given.
        cwd: String,
    },
    /// A record could not be rewritten.
    #[error("{}: line {line}: {source}", path.display())]
    Edit {
        /// The path of the file.
        path: PathBuf,
        /// The line number.
        line: u32,
        source: EditError,
    },
    /// The clone would have other records or other problems.
    #[error("{}: the clone would not have the same records", path.display())]
    Records {
        /// The session's file.
        path: PathBuf,
    },
    /// A client would send other messages for the clone.
    #[error("{}: {client} would send other messages for the clone", path.display())]
    Differs {
        /// The session's file.
        path: PathBuf,
        client: Client,
    },
}

/// Plans a clone of a session and its files.
pub fn plan(
    session: &Session,
    session_files: &[SessionFile],
    into: &CloneTarget,
    source: &dyn Source,
) -> Result<ClonePlan, ClonePlanError> {
    let mut clone_plan = ClonePlan::begin(session, session_files, into, source, "clone")?;
    clone_plan.add_lines(session, &session.bytes, ForkOrigin::Remove)?;
    for agent in &session.agents {
        clone_plan.add_agent(session, agent)?;
    }
    for session_file in session_files {
        clone_plan.add_session_file(session, session_file);
    }
    Ok(clone_plan)
}

impl ClonePlan {
    /// A plan without changes yet: the new ids and the path.
    pub(crate) fn begin(
        session: &Session,
        session_files: &[SessionFile],
        into: &CloneTarget,
        source: &dyn Source,
        verb: &str,
    ) -> Result<Self, ClonePlanError> {
        if session.key.as_str().starts_with("agent-") {
            return Err(ClonePlanError::SubAgent { path: session.path.clone() });
        }
        let mut names = IdMap::new(session, session_files, source);
        let (home, moved) = match into {
            CloneTarget::SameProject => (session.home.clone(), None),
            CloneTarget::Project { cwd, .. } if !folder_move::is_absolute(cwd) => {
                return Err(ClonePlanError::NotAbsolute { cwd: cwd.clone() });
            }
            CloneTarget::Project { config, cwd } => {
                let slug = Slug::of_path(cwd);
                if let Some((_, old)) = &session.home {
                    names.move_project(old, &slug);
                }
                (Some((config.clone(), slug)), rewrite::moved_to(session, cwd))
            }
        };
        let path = match (into, &home) {
            (CloneTarget::Project { .. }, Some((config, slug))) => config.session(slug, names.session()),
            _ => session.path.with_file_name(format!("{}.jsonl", names.session())),
        };
        let root = match &home {
            Some((config, _)) => config.path(),
            None => path.parent().unwrap_or(Path::new("")),
        };
        let mut plan = Plan::new(format!("{verb} {} as {}", session.key, names.session()), root);
        let agents = session.agents.iter().map(|agent| agent.entry.path.as_path());
        let covered = agents.chain(session_files.iter().map(|file| file.path.as_path()));
        plan.notes.extend(skipped_entries(session, covered).iter().map(SkippedEntry::to_string));
        Ok(Self { plan, names, path, records: 0, home, moved })
    }

    /// A plan without changes yet for ids, a project and a move that are known already.
    pub(crate) fn of_names(
        names: IdMap,
        home: (ConfigDir, Slug),
        moved: Option<FolderMove>,
        what: String,
    ) -> Self {
        let path = home.0.session(&home.1, names.session());
        let plan = Plan::new(what, home.0.path());
        Self { plan, names, path, records: 0, home: Some(home), moved }
    }

    /// Adds the session's file: these lines of it under the new ids.
    pub(crate) fn add_lines(
        &mut self,
        session: &Session,
        lines: &[u8],
        fork_origin: ForkOrigin,
    ) -> Result<(), ClonePlanError> {
        let rewriter = LineRewriter { names: &self.names, fork_origin, moved: self.moved.as_ref() };
        let bytes = rewriter.file(lines).map_err(|fault| fault.at(&session.path))?;
        let sent = check::check_same(&session.path, lines, &bytes, &self.names)?;
        self.plan.notes.extend(sent);
        self.records = Transcript::parse(&bytes).nodes().len();
        self.plan.changes.push(Change::Create { path: self.path.clone(), bytes: bytes.into(), mode: None });
        Ok(())
    }

    /// Adds a sub-agent's file.
    pub(crate) fn add_agent(&mut self, session: &Session, agent: &AgentFile) -> Result<(), ClonePlanError> {
        // A sub-agent of another project works in its own folder and stays there.
        let is_moved = session.home.as_ref().is_some_and(|(_, slug)| *slug == agent.entry.slug);
        let moved = self.moved.as_ref().filter(|_| is_moved);
        let rewriter = LineRewriter { names: &self.names, fork_origin: ForkOrigin::Remove, moved };
        let bytes = rewriter.file(&agent.bytes).map_err(|fault| fault.at(&agent.entry.path))?;
        let path = places::of_agent(session, &agent.entry, self);
        self.plan.changes.push(Change::Create { path, bytes: bytes.into(), mode: None });
        Ok(())
    }

    /// Adds a side file.
    pub(crate) fn add_session_file(&mut self, session: &Session, session_file: &SessionFile) {
        let Some(path) = places::of_session_file(session, session_file, self) else { return };
        let bytes = match places::is_about_session(session_file) {
            true => LineRewriter::of(&self.names).any(&session_file.bytes).into(),
            false => session_file.bytes.clone(),
        };
        self.plan.changes.push(Change::Create { path, bytes, mode: None });
    }
}
