//! Two halves of one session become one: the first gets the records that only the second has behind its own.
//!
//! The first keeps its id, its file and every line. What belongs to the second comes over; the second goes to the trash.

mod belongings;
mod halves;
mod lines;
mod promise;

use std::path::{Path, PathBuf};

use annals_json::edit::EditError;
use annals_store::changes::Change;
use annals_store::read::{ReadError, read_file};
use annals_store::{ConfigDir, SessionKey};
use annals_transcript::resume::Client;

use crate::belongings::{Belonging, load};
use crate::clone::Names;
use crate::plan::Plan;
use crate::session::Session;
use halves::Halves;

/// What may be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// Two halves of one conversation: the second goes on from the first, or begins when it has ended.
    Halves,
    /// Any two: one behind the other, also where they went apart or ran at the same time.
    Anyway,
}

/// Two sessions and all that belongs to them, read.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The session that stays.
    pub first: Session,
    /// What belongs to it.
    pub of_first: Vec<Belonging>,
    /// The session that goes.
    pub second: Session,
    /// What belongs to it.
    pub of_second: Vec<Belonging>,
    /// The prompts and the index of the second's store that speak of it.
    pub history: Option<(PathBuf, Vec<u8>)>,
    /// The index of the second's project.
    pub index: Option<(PathBuf, Vec<u8>)>,
}

/// A merge that is planned.
#[derive(Clone, Debug)]
pub struct Merging {
    /// What is to be done.
    pub plan: Plan,
    /// How many records come over.
    pub brought: usize,
    /// How many are in both.
    pub shared: usize,
}

/// Why two sessions cannot be merged so.
#[derive(Debug, thiserror::Error)]
pub enum MergePlanError {
    /// A session cannot be merged with itself.
    #[error("{}: this is one session, not two", path.display())]
    Same {
        /// The file.
        path: PathBuf,
    },
    /// A sub-agent's file, which is a part of a session.
    #[error("{}: a sub-agent's file is no session", path.display())]
    SubAgent {
        /// The file.
        path: PathBuf,
    },
    /// There is nothing in it.
    #[error("{}: there is no conversation in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The second ended before the first began.
    #[error("{second} had ended when {first} began: it is the first half, if they are halves")]
    Order {
        /// The first.
        first: SessionKey,
        /// The second.
        second: SessionKey,
    },
    /// Two conversations at the same time.
    #[error("{first} and {second} ran at the same time and share no record: these are two conversations")]
    AtOnce {
        /// The first.
        first: SessionKey,
        /// The second.
        second: SessionKey,
    },
    /// Both went on from a record that they share.
    #[error(
        "they went apart at record {uuid}: {first} messages of the first and {second} of the second follow it"
    )]
    Apart {
        /// The last record that they share.
        uuid: String,
        /// What follows it in the first.
        first: usize,
        /// What follows it in the second.
        second: usize,
    },
    /// One id, two records.
    #[error("record {uuid} says one thing in the first and another in the second")]
    Differs {
        /// The record.
        uuid: String,
    },
    /// A file that both have, with different bytes.
    #[error("{}: {} is there already, and says something else", from.display(), to.display())]
    Clash {
        /// The file.
        from: PathBuf,
        /// The file that is there.
        to: PathBuf,
    },
    /// A client would not send all of it.
    #[error("{client} would not send {lost} messages that it sends of {session} alone")]
    Lost {
        /// The client.
        client: Client,
        /// How many.
        lost: usize,
        /// Of which.
        session: SessionKey,
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
    /// A file could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Pair {
    /// Reads two sessions and all that belongs to them, in whatever stores they lie, or in none.
    pub fn load(first: &Path, second: &Path) -> Result<Self, ReadError> {
        let (first, of_first) = load(first)?;
        let (second, of_second) = load(second)?;
        let read = |path: PathBuf| match path.is_file() {
            true => read_file(&path).map(|bytes| Some((path, bytes))),
            false => Ok(None),
        };
        let (history, index) = match &second.home {
            Some((config, slug)) => (read(config.history())?, read(config.sessions_index(slug))?),
            None => (None, None),
        };
        Ok(Self { first, of_first, second, of_second, history, index })
    }

    /// Whether both go by one name in one store, and so share what is kept by that name.
    pub(crate) fn is_one_name(&self) -> bool {
        self.first.key == self.second.key && config_of(&self.first) == config_of(&self.second)
    }

    /// The names under which the second's lines come over.
    fn names(&self) -> Names {
        let project = match (&self.second.home, &self.first.home) {
            (Some((_, old)), Some((_, new))) => Some((old.clone(), new.clone())),
            _ => None,
        };
        Names::of_session(self.second.key.clone(), self.first.key.clone(), project)
    }
}

fn config_of(session: &Session) -> Option<&ConfigDir> {
    session.home.as_ref().map(|(config, _)| config)
}

/// Plans a merge.
pub fn plan(pair: &Pair, wish: Wish) -> Result<Merging, MergePlanError> {
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
    let halves = Halves::new(pair, &one, &two)?;
    let hung_at = halves.judge(wish)?;
    let mut plan = Plan::new(format!("merge {} into {}", second.key, first.key), &first.root());
    let renamed = belongings::renamed_copies(pair);
    let names = pair.names();
    let edit = lines::edit(pair, &halves, hung_at, &names, &renamed)?;
    plan.notes.extend(promise::hold(pair, &halves, &edit)?);
    plan.edit(edit);
    plan.rest_on(&second.path, &second.bytes);
    plan.locked.extend([first, second].map(|session| session.path.clone()));
    plan.locked.sort();
    plan.locked.dedup();
    belongings::agents(pair, &names, &mut plan)?;
    belongings::prompts_and_index(pair, &mut plan);
    belongings::side_files(pair, &renamed, &mut plan)?;
    plan.changes.push(Change::Discard { path: second.path.clone() });
    belongings::emptied_folders(pair, &mut plan);
    Ok(Merging { plan, brought: halves.own.len(), shared: halves.shared })
}
