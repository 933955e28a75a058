//! A second session that says what the first says, under ids of its own: session, records and sub-agents.
//!
//! What identifies a response of the API stays: `message.id`, `requestId` and the ids of calls. Usage is counted once over a
//! store by them, so a clone costs nothing.

mod check;
mod names;
mod places;
mod rewrite;
mod tokens;

use std::path::{Path, PathBuf};

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::{ConfigDir, Slug, Source};
use annals_transcript::resume::Client;
use annals_transcript::transcript::Transcript;

pub use names::Names;
pub(crate) use rewrite::{Lineage, RewriteFault, Rewriting, blocks};

use crate::belongings::Belonging;
use crate::moved::{self, Moved};
use crate::plan::Plan;
use crate::session::{Agent, Session};

/// Where a clone goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Into {
    /// Beside the session that it comes from.
    SameProject,
    /// Into the project of this working directory.
    Project {
        /// The store.
        config: ConfigDir,
        /// The working directory: absolute, and real, as the client resolves it.
        cwd: String,
    },
}

/// A clone that is planned.
#[derive(Clone, Debug)]
pub struct Cloned {
    /// What is to be done.
    pub plan: Plan,
    /// The new ids.
    pub names: Names,
    /// The new session's file.
    pub path: PathBuf,
    /// How many records it has.
    pub records: usize,
    /// The store and the project that it goes to; none outside a store.
    pub home: Option<(ConfigDir, Slug)>,
    moved: Option<Moved>,
}

/// Why a session cannot be cloned.
#[derive(Debug, thiserror::Error)]
pub enum ClonePlanError {
    /// A sub-agent's file, which is a part of a session.
    #[error("{}: a sub-agent's file cannot be cloned without its session", path.display())]
    SubAgent {
        /// The file.
        path: PathBuf,
    },
    /// A working directory that a session cannot have.
    #[error("{cwd:?}: the working directory of a project must be an absolute path")]
    NotAbsolute {
        /// The folder.
        cwd: String,
    },
    /// A record that could not be rewritten.
    #[error("{}: line {line}: {source}", path.display())]
    Edit {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u32,
        /// Why.
        source: EditError,
    },
    /// The clone would not have as many records, or other faults.
    #[error("{}: the clone would not have the same records", path.display())]
    Records {
        /// The session's file.
        path: PathBuf,
    },
    /// A client would make something else of the clone.
    #[error("{}: {client} would not send the same messages of the clone", path.display())]
    Differs {
        /// The session's file.
        path: PathBuf,
        /// The client.
        client: Client,
    },
}

/// Plans a clone of a session and of all that belongs to it.
pub fn plan(
    session: &Session,
    belongings: &[Belonging],
    into: &Into,
    source: &dyn Source,
) -> Result<Cloned, ClonePlanError> {
    let mut cloned = Cloned::begin(session, belongings, into, source, "clone")?;
    cloned.add_lines(session, &session.bytes, Lineage::Forgotten)?;
    for agent in &session.agents {
        cloned.add_agent(session, agent)?;
    }
    for belonging in belongings {
        cloned.add_belonging(session, belonging);
    }
    Ok(cloned)
}

impl Cloned {
    /// A plan that makes nothing yet: the new ids, and the place that they go to.
    pub(crate) fn begin(
        session: &Session,
        belongings: &[Belonging],
        into: &Into,
        source: &dyn Source,
        verb: &str,
    ) -> Result<Self, ClonePlanError> {
        if session.key.as_str().starts_with("agent-") {
            return Err(ClonePlanError::SubAgent { path: session.path.clone() });
        }
        let mut names = Names::new(session, belongings, source);
        let (home, moved) = match into {
            Into::SameProject => (session.home.clone(), None),
            Into::Project { cwd, .. } if !moved::is_absolute(cwd) => {
                return Err(ClonePlanError::NotAbsolute { cwd: cwd.clone() });
            }
            Into::Project { config, cwd } => {
                let slug = Slug::of_path(cwd);
                if let Some((_, old)) = &session.home {
                    names.move_project(old, &slug);
                }
                (Some((config.clone(), slug)), rewrite::moved_to(session, cwd))
            }
        };
        let path = match (into, &home) {
            (Into::Project { .. }, Some((config, slug))) => config.session(slug, names.session()),
            _ => session.path.with_file_name(format!("{}.jsonl", names.session())),
        };
        let root = match &home {
            Some((config, _)) => config.path(),
            None => path.parent().unwrap_or(Path::new("")),
        };
        let plan = Plan::new(format!("{verb} {} as {}", session.key, names.session()), root);
        Ok(Self { plan, names, path, records: 0, home, moved })
    }

    /// Adds the session's file: these lines of it, under the new ids.
    pub(crate) fn add_lines(
        &mut self,
        session: &Session,
        lines: &[u8],
        lineage: Lineage,
    ) -> Result<(), ClonePlanError> {
        let rewriting = Rewriting { names: &self.names, lineage, moved: self.moved.as_ref() };
        let bytes = rewriting.file(lines).map_err(|fault| fault.at(&session.path))?;
        let sent = check::same(&session.path, lines, &bytes, &self.names)?;
        self.plan.notes.extend(sent);
        self.records = Transcript::parse(&bytes).nodes().len();
        self.plan.changes.push(Change::Create { path: self.path.clone(), bytes });
        Ok(())
    }

    /// Adds a sub-agent's file.
    pub(crate) fn add_agent(&mut self, session: &Session, agent: &Agent) -> Result<(), ClonePlanError> {
        // An agent of another project works in a folder of its own, and stays there.
        let is_moved = session.home.as_ref().is_some_and(|(_, slug)| *slug == agent.entry.slug);
        let moved = self.moved.as_ref().filter(|_| is_moved);
        let rewriting = Rewriting { names: &self.names, lineage: Lineage::Forgotten, moved };
        let bytes = rewriting.file(&agent.bytes).map_err(|fault| fault.at(&agent.entry.path))?;
        let path = places::of_agent(session, &agent.entry, self);
        self.plan.changes.push(Change::Create { path, bytes });
        Ok(())
    }

    /// Adds a side file.
    pub(crate) fn add_belonging(&mut self, session: &Session, belonging: &Belonging) {
        let Some(path) = places::of_belonging(session, belonging, self) else { return };
        let bytes = match places::speaks_of_the_session(belonging) {
            true => Rewriting::of(&self.names).any(&belonging.bytes),
            false => belonging.bytes.clone(),
        };
        self.plan.changes.push(Change::Create { path, bytes });
    }
}
