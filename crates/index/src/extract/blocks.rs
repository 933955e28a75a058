//! The text of single blocks, as they are indexed.

use annals_json::{Text, Value};
use annals_store::history::HistoryEntry;
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::record_lines::record_lines;

use super::kinds::IndexedFileRole;
use super::record::{LineSpan, RecordExtractor};
use super::rows::{Batch, BatchMode, IndexedFile, MessageRow};
use crate::cursor::{Cursor, FileStamp};

/// Reads the blocks of single lines; reused for speed.
#[derive(Debug)]
pub(crate) struct LineBlocks(Batch);

impl LineBlocks {
    pub(crate) fn new() -> Self {
        let no_file = IndexedFile {
            path: String::new(),
            role: IndexedFileRole::Session,
            slug: String::new(),
            session: String::new(),
            agent: None,
        };
        let cursor = Cursor::start(FileStamp { identity: 0, bytes: 0, modified: 0 });
        Self(Batch::new(&no_file, BatchMode::Replace, cursor))
    }

    pub(crate) fn of(&mut self, line: &[u8]) -> Vec<MessageRow> {
        let span = LineSpan { line: 0, offset: 0, length: 0 };
        for line in record_lines(line).take(1) {
            let found = |fields, _| {
                RecordExtractor::take(&mut self.0, span, &Record::new(fields));
            };
            read_objects(&line, found, |_| ());
        }
        self.0.calls.clear();
        self.0.sides.clear();
        self.0.facts.clear();
        self.0.problems.clear();
        std::mem::take(&mut self.0.messages)
    }
}

/// A prompt of `history.jsonl` with the pastes that its line has; longer ones are files of their own.
pub(crate) fn prompt_with_pastes(line: Value<'_>, display: Text<'_>) -> String {
    let mut text = display.to_string();
    for (_, paste) in line.fields().map(HistoryEntry::new).iter().flat_map(HistoryEntry::pastes) {
        if let Some(content) = paste.content() {
            text.push('\n');
            text.push_str(&content.decode());
        }
    }
    text
}

/// The title that a `custom-title.json` gives.
pub(super) fn custom_title(bytes: &[u8]) -> Option<String> {
    Value::parse(bytes).ok()?.get("customTitle")?.text().map(|title| title.to_string())
}

/// The text of one block of a line, or of a file that is one text or has one.
pub(crate) fn text_of_block(role: IndexedFileRole, bytes: &[u8], block: u32) -> Option<String> {
    match role {
        IndexedFileRole::Output
        | IndexedFileRole::Plan
        | IndexedFileRole::Memory
        | IndexedFileRole::Paste => Some(String::from_utf8_lossy(bytes).into_owned()),
        IndexedFileRole::History => {
            let line = Value::parse(bytes).ok()?;
            let display = line.get("display").and_then(Value::text)?;
            Some(prompt_with_pastes(line, display))
        }
        IndexedFileRole::CustomTitle => custom_title(bytes),
        _ => LineBlocks::new().of(bytes).into_iter().find(|row| row.block == block).map(|row| row.text),
    }
}
