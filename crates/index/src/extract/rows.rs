//! Rows, independent of the database.

use std::collections::BTreeMap;

use annals_transcript::problem::ProblemKind;
use annals_transcript::usage::ResponseUsage;

use super::kinds::{FactKind, FactPolicy, IndexedFileRole, MessageKind, MessageRole};
use super::sides::SideRow;
use crate::cursor::Cursor;

/// How many bytes of a block are searchable; longer ones are marked as cut.
pub const MAX_INDEXED_BYTES: usize = 256 * 1024;

/// How often a value occurs, and its first and last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrences {
    pub(crate) count: u64,
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// The file that rows belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedFile {
    /// Relative to the config dir.
    pub path: String,
    pub role: IndexedFileRole,
    /// The folder of its project.
    pub slug: String,
    /// Its session; empty if its path does not say which.
    pub session: String,
    /// The sub-agent that it is of.
    pub agent: Option<String>,
}

/// How a batch changes what the index has of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BatchMode {
    /// It adds to it.
    Append,
    Replace,
}

/// One block of a message.
#[derive(Clone, Debug)]
pub struct MessageRow {
    /// The line, counted from 1.
    pub line: u64,
    /// The offset of the line in the file.
    pub offset: u64,
    /// The length of the line.
    pub length: u64,
    /// The number of the block in its line, from 0.
    pub block: u32,
    /// Who produced it.
    pub role: MessageRole,
    pub kind: MessageKind,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// The record's id: the sixteen bytes of a UUID, else as it is written.
    pub uuid: Option<Vec<u8>>,
    /// The id of the record before it.
    pub parent: Option<Vec<u8>>,
    /// The tool that is called.
    pub tool: Option<String>,
    /// The id of the call that it is or answers, from which it gets tool and path.
    pub call: Option<String>,
    pub is_error: bool,
    /// The bytes of its text, also of what is too long to be searched.
    pub bytes: u64,
    pub text: String,
    /// The searchable text, and the length of the original: made by the reading threads, not by the writer.
    pub(crate) words: String,
    pub(crate) indexed: u64,
}

/// What a batch knows of a tool call: the call, its result, or both.
#[derive(Clone, Debug, Default)]
pub struct CallRow {
    pub tool: Option<String>,
    /// The line of the call.
    pub called: Option<u64>,
    /// The line of the result.
    pub answered: Option<u64>,
    /// When it was called, in milliseconds since 1970.
    pub started: Option<i64>,
    /// When the result came.
    pub ended: Option<i64>,
    /// Whether the result is an error.
    pub is_error: bool,
    /// The file that it is about.
    pub path: Option<String>,
    /// The sub-agent that it started.
    pub agent: Option<String>,
    /// The fingerprint of a sub-agent's prompt.
    pub prompt: Option<i64>,
    /// The bytes of its input.
    pub input: u64,
    /// The bytes of its result.
    pub result: u64,
}

/// The rows of a range of lines, written in one transaction with the cursor.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    pub(crate) indexed_file: IndexedFile,
    pub(crate) mode: BatchMode,
    /// Whether the file was shortened or rewritten since it was last read.
    pub(crate) is_restarted: bool,
    /// The offset where it starts, which is where the last batch ended.
    pub(crate) from: u64,
    /// The cursor after it.
    pub(crate) cursor: Cursor,
    pub(crate) messages: Vec<MessageRow>,
    pub(crate) calls: BTreeMap<String, CallRow>,
    pub(crate) responses: Vec<(u64, ResponseUsage)>,
    pub(crate) facts: BTreeMap<(FactKind, String), Occurrences>,
    pub(crate) sides: Vec<SideRow>,
    pub(crate) problems: Vec<(u64, u64, u64, ProblemKind)>,
}

impl Batch {
    pub(crate) fn new(indexed_file: &IndexedFile, mode: BatchMode, cursor: Cursor) -> Self {
        Self {
            indexed_file: indexed_file.clone(),
            mode,
            is_restarted: false,
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

    /// How many bytes of the file it covers.
    pub(crate) fn bytes(&self) -> u64 {
        self.cursor.offset.saturating_sub(self.from)
    }

    /// Adds a fact that a line states.
    pub(crate) fn fact(&mut self, kind: FactKind, value: &str, line: u64) {
        let once = Occurrences { count: 1, first: line, last: line };
        if kind.keep() != FactPolicy::All {
            let known = self.facts.range((kind, String::new())..).next().map(|(key, _)| key.clone());
            let known = known.filter(|(known, _)| *known == kind);
            let stays = known.as_ref().is_some_and(|(_, known)| match kind.keep() {
                FactPolicy::First => true,
                FactPolicy::Max => known.as_str() >= value,
                FactPolicy::Last | FactPolicy::All => false,
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
            Some(occurrences) => {
                occurrences.count += 1;
                occurrences.last = line;
            }
            None => drop(self.facts.insert((kind, value.to_owned()), once)),
        }
    }
}
