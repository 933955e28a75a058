//! What is kept of a file: rows without a database.

use std::collections::BTreeMap;

use annals_transcript::problem::ProblemKind;
use annals_transcript::usage::ResponseUsage;

use super::kinds::{FactKind, FileRole, Keep, Kind, Role};
use super::sides::SideRow;
use crate::cursor::Cursor;

/// So many bytes of one block can be searched for; what is longer says so.
pub const INDEXED_BYTES: usize = 256 * 1024;

/// How often a value was met, and on which lines first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) count: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Whose lines they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Below the config dir.
    pub(crate) path: String,
    pub(crate) role: FileRole,
    pub(crate) slug: String,
    pub(crate) session: String,
    pub(crate) agent: Option<String>,
}

/// What a batch does to what is known of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It comes behind it.
    Continues,
    /// It takes its place.
    Begins,
}

/// One block that somebody said.
#[derive(Clone, Debug)]
pub(crate) struct MessageRow {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) block: u32,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    pub(crate) millis: Option<i64>,
    pub(crate) uuid: Option<Vec<u8>>,
    pub(crate) tool: Option<String>,
    /// The call that it is, or that it answers: its tool and its file are the call's.
    pub(crate) call: Option<String>,
    pub(crate) is_error: bool,
    pub(crate) bytes: u64,
    pub(crate) text: String,
    /// The text as it is searched for, and how long it was: made by those who read, not by the one who writes.
    pub(crate) words: String,
    pub(crate) indexed: u64,
}

/// What a batch tells of a call: the call, its result, or both.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallRow {
    pub(crate) tool: Option<String>,
    pub(crate) called: Option<u64>,
    pub(crate) answered: Option<u64>,
    pub(crate) started: Option<i64>,
    pub(crate) ended: Option<i64>,
    pub(crate) is_error: bool,
    pub(crate) path: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) prompt: Option<i64>,
    pub(crate) input: u64,
    pub(crate) result: u64,
}

/// A stretch of a file's lines, read: written as one, cursor included.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) subject: Subject,
    pub(crate) change: Change,
    /// Where it starts: where the last one ended.
    pub(crate) from: u64,
    /// Where it ends.
    pub(crate) cursor: Cursor,
    pub(crate) messages: Vec<MessageRow>,
    pub(crate) calls: BTreeMap<String, CallRow>,
    pub(crate) responses: Vec<(u64, ResponseUsage)>,
    pub(crate) facts: BTreeMap<(FactKind, String), Met>,
    pub(crate) sides: Vec<SideRow>,
    pub(crate) problems: Vec<(u64, u64, u64, ProblemKind)>,
}

impl Batch {
    pub(crate) fn new(subject: &Subject, change: Change, cursor: Cursor) -> Self {
        Self {
            subject: subject.clone(),
            change,
            from: cursor.offset,
            cursor,
            messages: Vec::new(),
            calls: BTreeMap::new(),
            responses: Vec::new(),
            facts: BTreeMap::new(),
            sides: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// How many bytes of its file it stands for.
    pub(crate) fn bytes(&self) -> u64 {
        self.cursor.offset.saturating_sub(self.from)
    }

    /// Notes what a line says.
    pub(crate) fn fact(&mut self, kind: FactKind, value: &str, line: u64) {
        let once = Met { count: 1, first: line, last: line };
        if kind.keep() != Keep::Each {
            let known = self.facts.range((kind, String::new())..).next().map(|(key, _)| key.clone());
            let known = known.filter(|(known, _)| *known == kind);
            let stays = known.as_ref().is_some_and(|(_, known)| match kind.keep() {
                Keep::First => true,
                Keep::Greatest => known.as_str() >= value,
                Keep::Last | Keep::Each => false,
            });
            if stays {
                return;
            }
            if let Some(known) = known {
                self.facts.remove(&known);
            }
            self.facts.insert((kind, value.to_owned()), once);
            return;
        }
        match self.facts.get_mut(&(kind, value.to_owned())) {
            Some(met) => {
                met.count += 1;
                met.last = line;
            }
            None => drop(self.facts.insert((kind, value.to_owned()), once)),
        }
    }
}
