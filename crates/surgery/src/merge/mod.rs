//! Joins the two halves of a split session: appends the records that only the second has to the first.
//!
//! The first keeps its id, its file and every line. The files of the second are moved over; the second goes to the trash.

mod clients;
mod comparison;
mod lines;
mod session_files;

use std::path::{Path, PathBuf};

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::read::ReadError;
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::resume::Client;

use crate::clone::IdMap;
use crate::plan::Plan;
use crate::session::Session;
use crate::session_files::{SessionFile, load};
use comparison::Comparison;

/// Which sessions may be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeMode {
    /// Halves of one conversation: the second continues the first, or starts after it ended.
    Halves,
    /// Any two, even if they diverged or ran at the same time.
    Anyway,
}

/// Two sessions with their files.
#[derive(Clone, Debug)]
pub struct SessionPair {
    /// The session that stays.
    pub first: Session,
    /// The side files of the first.
    pub of_first: Vec<SessionFile>,
    /// The session that is merged into it.
    pub second: Session,
    /// The side files of the second.
    pub of_second: Vec<SessionFile>,
    /// `history.jsonl` of the second's store: path and bytes.
    pub history: Option<(PathBuf, Vec<u8>)>,
    /// The sessions index of the second's project: path and bytes.
    pub index: Option<(PathBuf, Vec<u8>)>,
}

/// A planned merge.
#[derive(Clone, Debug)]
pub struct MergePlan {
    /// The changes to make.
    pub plan: Plan,
    /// How many records are appended.
    pub brought: usize,
    /// How many records both have.
    pub shared: usize,
}

/// Why two sessions cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergePlanError {
    /// Both paths name one session.
    #[error("{}: both arguments name this session", path.display())]
    Same { path: PathBuf },
    /// The file belongs to a sub-agent.
    #[error("{}: a sub-agent's file is not a session", path.display())]
    SubAgent { path: PathBuf },
    /// The second session has no conversation.
    #[error("{}: the session has no conversation", path.display())]
    Empty { path: PathBuf },
    /// The second ended before the first started.
    #[error("{second} ended before {first} started")]
    Order {
        /// The first session.
        first: SessionKey,
        /// The second session.
        second: SessionKey,
    },
    /// They ran at the same time and share no record.
    #[error("{first} and {second} ran at the same time and share no record: these are two conversations")]
    AtOnce {
        /// The first session.
        first: SessionKey,
        /// The second session.
        second: SessionKey,
    },
    /// Both continued from a shared record.
    #[error(
        "they diverged at record {uuid}: {first} messages of the first and {second} of the second follow it"
    )]
    Apart {
        /// The last shared record.
        uuid: String,
        /// How many messages follow it in the first.
        first: usize,
        /// How many messages follow it in the second.
        second: usize,
    },
    /// Two different records have one id.
    #[error("record {uuid} differs between the two sessions")]
    Differs {
        /// The id.
        uuid: String,
    },
    /// Both have a file of one name with different bytes.
    #[error("{}: {} already exists with other content", from.display(), to.display())]
    Clash {
        /// The file of the second.
        from: PathBuf,
        /// The file of the first.
        to: PathBuf,
    },
    /// A client would not send all messages.
    #[error("{client} would lose {lost} messages of {session}")]
    Lost {
        /// The client release.
        client: Client,
        /// How many are lost.
        lost: usize,
        /// The session that they are from.
        session: SessionKey,
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
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl SessionPair {
    /// Reads two sessions with their files, in the same store, in different ones, or in none.
    pub fn load(first: &Path, second: &Path) -> Result<Self, ReadError> {
        let (first, of_first) = load(first)?;
        let (second, of_second) = load(second)?;
        let (history, index) = match &second.home {
            Some((config, slug)) => {
                let read = |path: PathBuf| Ok(config.read_if_there(&path)?.map(|bytes| (path, bytes)));
                (read(config.history())?, read(config.sessions_index(slug))?)
            }
            None => (None, None),
        };
        Ok(Self { first, of_first, second, of_second, history, index })
    }

    /// Whether both have one id in one store, and so share the files that are stored by id.
    pub(crate) fn share_name(&self) -> bool {
        self.first.key == self.second.key && config_of(&self.first) == config_of(&self.second)
    }

    /// The ids under which the lines of the second are appended.
    fn names(&self) -> IdMap {
        let project = match (&self.second.home, &self.first.home) {
            (Some((_, old)), Some((_, new))) => Some((old.clone(), new.clone())),
            _ => None,
        };
        IdMap::of_session(self.second.key.clone(), self.first.key.clone(), project)
    }
}

fn config_of(session: &Session) -> Option<&ConfigDir> {
    session.home.as_ref().map(|(config, _)| config)
}

/// Plans a merge.
pub fn plan(pair: &SessionPair, mode: MergeMode) -> Result<MergePlan, MergePlanError> {
    let (first, second) = (&pair.first, &pair.second);
    for session in [first, second] {
        if session.key.as_str().starts_with("agent-") {
            return Err(MergePlanError::SubAgent { path: session.path.clone() });
        }
    }
    if first.path == second.path {
        return Err(MergePlanError::Same { path: first.path.clone() });
    }
    let (one, two) = (first.transcript(), second.transcript());
    let comparison = Comparison::new(pair, &one, &two)?;
    let attach_point = comparison.attach_point_for(mode)?;
    let mut plan = Plan::new(format!("merge {} into {}", second.key, first.key), &first.root());
    let renamed = session_files::renamed_copies(pair);
    let names = pair.names();
    let edit = lines::edit(pair, &comparison, attach_point, &names, &renamed)?;
    plan.notes.extend(clients::check(pair, &comparison, &edit)?);
    plan.edit(edit);
    plan.depend_on(&second.path, &second.bytes);
    plan.locked.extend([first, second].map(|session| session.path.clone()));
    plan.locked.sort();
    plan.locked.dedup();
    session_files::agents(pair, &names, &mut plan)?;
    session_files::prompts_and_index(pair, &mut plan);
    session_files::side_files(pair, &renamed, &mut plan)?;
    plan.changes.push(Change::Discard { path: second.path.clone() });
    session_files::emptied_folders(pair, &mut plan);
    Ok(MergePlan { plan, brought: comparison.own.len(), shared: comparison.shared })
}
