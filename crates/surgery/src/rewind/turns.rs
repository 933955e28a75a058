//! The turns that a session can be rewound to.

use std::collections::BTreeSet;

use annals_transcript::graph::Graph;
use annals_transcript::record::Record;
use annals_transcript::transcript::NodeIndex;
use annals_transcript::turn;

use super::RewindError;
use super::tool_edits::edits;
use crate::session::Session;

/// A turn of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewindTurn {
    /// Its number, from 1, as `annals show --as turns` lists them.
    pub number: usize,
    /// The uuid of the prompt, if it has one.
    pub uuid: Option<String>,
    /// When it was sent, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The text of the prompt.
    pub prompt: String,
    /// How many files tools changed in it.
    pub files: usize,
    /// The parent of the next prompt after a rewind to this turn; `None` if nothing comes before.
    pub goes_on_from: Option<String>,
    pub(super) node: NodeIndex,
}

/// A reference to a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnRef {
    /// By its number, from 1.
    Number(usize),
    /// By a prefix of its prompt's uuid.
    Record(String),
    Last,
}

/// The turns of a session in the order of its file, including those on other branches.
pub fn turns(session: &Session) -> Vec<RewindTurn> {
    let transcript = session.transcript();
    let graph = Graph::new(&transcript);
    let edits = edits(session, &transcript);
    let found = turn::turns(&transcript);
    let describe = |(at, this): (usize, &turn::Turn)| {
        let until = found.get(at + 1).and_then(|next| next.started);
        let within = |time: Option<i64>| {
            time.zip(this.started).is_some_and(|(time, start)| time >= start)
                && until.is_none_or(|until| time.is_some_and(|time| time < until))
        };
        let changed = edits.iter().filter(|edit| match edit.node {
            Some(node) => (this.prompt..this.end).contains(&node),
            None => within(edit.time),
        });
        let prompt = match transcript.record(this.prompt) {
            Record::User(user) => turn::prompt_text(&user),
            _ => String::new(),
        };
        let id = |node: NodeIndex| transcript.node(node).uuid.map(|uuid| uuid.to_string());
        RewindTurn {
            number: at + 1,
            uuid: id(this.prompt),
            time: this.started,
            prompt,
            files: changed.map(|edit| &edit.path).collect::<BTreeSet<_>>().len(),
            goes_on_from: graph.parent(this.prompt).and_then(id),
            node: this.prompt,
        }
    };
    found.iter().enumerate().map(describe).collect()
}

/// Finds the turn that a reference names.
pub fn find(session: &Session, to: &TurnRef) -> Result<RewindTurn, RewindError> {
    let mut turns = turns(session);
    let count = turns.len();
    let path = || session.path.clone();
    let missing = |to: String| RewindError::NoSuchTurn { path: path(), to, turns: count };
    match to {
        TurnRef::Last => turns.pop().ok_or_else(|| missing("at all".to_owned())),
        TurnRef::Number(number) => {
            turns.into_iter().find(|turn| turn.number == *number).ok_or_else(|| missing(number.to_string()))
        }
        TurnRef::Record(beginning) => {
            turns.retain(|turn| turn.uuid.as_ref().is_some_and(|uuid| uuid.starts_with(beginning)));
            match (turns.pop(), turns.len()) {
                (Some(turn), 0) => Ok(turn),
                (None, _) => Err(missing(beginning.clone())),
                (Some(_), more) => {
                    Err(RewindError::Ambiguous { path: path(), to: beginning.clone(), count: more + 1 })
                }
            }
        }
    }
}
