//! Blocks of single lines, as they are indexed: for those who have a place and want its text.

use annals_json::Value;
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;

use super::kinds::FileRole;
use super::meaning::{Meaning, Place};
use super::rows::{Batch, Change, MessageRow, Subject};
use crate::cursor::{Cursor, Look};

/// Reads lines of sessions for their blocks alone, many of them quickly.
#[derive(Debug)]
pub(crate) struct LineBlocks(Batch);

impl LineBlocks {
    pub(crate) fn new() -> Self {
        let nobody = Subject {
            path: String::new(),
            role: FileRole::Session,
            slug: String::new(),
            session: String::new(),
            agent: None,
        };
        let cursor = Cursor::start(Look { identity: 0, bytes: 0, modified: 0 });
        Self(Batch::new(&nobody, Change::Begins, cursor))
    }

    /// The blocks of one line, as they are indexed.
    pub(crate) fn of(&mut self, line: &[u8]) -> Vec<MessageRow> {
        let place = Place { line: 0, offset: 0, length: 0 };
        for line in annals_transcript::line::lines(line).take(1) {
            let found = |fields, _| {
                Meaning::take(&mut self.0, place, &Record::new(fields));
            };
            read_objects(&line, found, |_| ());
        }
        self.0.calls.clear();
        self.0.sides.clear();
        self.0.facts.clear();
        std::mem::take(&mut self.0.messages)
    }
}

/// The text of one block of a line, or of a file that is one text.
pub(crate) fn text_of_block(role: FileRole, bytes: &[u8], block: u32) -> Option<String> {
    match role {
        FileRole::Output | FileRole::Plan => Some(String::from_utf8_lossy(bytes).into_owned()),
        FileRole::History => {
            let line = Value::parse(bytes).ok()?;
            Some(line.get("display").and_then(Value::text)?.to_string())
        }
        _ => LineBlocks::new().of(bytes).into_iter().find(|row| row.block == block).map(|row| row.text),
    }
}
