//! The turns that can be gone back to.

use std::collections::BTreeSet;

use annals_transcript::graph::Graph;
use annals_transcript::record::Record;
use annals_transcript::transcript::NodeIndex;
use annals_transcript::turn;

use super::RewindError;
use super::edited::edits;
use crate::session::Session;

/// A prompt and what followed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number, from 1, as `annals show --as turns` lists them.
    pub number: usize,
    /// The prompt's record; none where it has no id.
    pub uuid: Option<String>,
    /// When it was sent, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The prompt.
    pub prompt: String,
    /// How many files tools changed in it.
    pub files: usize,
    /// The record that the next prompt follows once the conversation is back; none where nothing comes before.
    pub goes_on_from: Option<String>,
    pub(super) node: NodeIndex,
}

/// A turn, as people name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// By its number, from 1.
    Number(usize),
    /// By the beginning of its prompt's id.
    Record(String),
    /// The last one.
    Last,
}

/// The turns of a session, in the order of its file, those of other branches included.
pub fn turns(session: &Session) -> Vec<Turn> {
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
        let id = |node: NodeIndex| transcript.nodes()[node].uuid.map(|uuid| uuid.to_string());
        Turn {
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

/// The turn that is meant.
pub fn find(session: &Session, to: &To) -> Result<Turn, RewindError> {
    let mut turns = turns(session);
    let count = turns.len();
    let path = || session.path.clone();
    let missing = |to: String| RewindError::NoSuchTurn { path: path(), to, turns: count };
    match to {
        To::Last => turns.pop().ok_or_else(|| missing("at all".to_owned())),
        To::Number(number) => {
            turns.into_iter().find(|turn| turn.number == *number).ok_or_else(|| missing(number.to_string()))
        }
        To::Record(beginning) => {
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
