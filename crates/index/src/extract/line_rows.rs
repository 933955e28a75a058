//! Rows of a single line or file, for those who store rows elsewhere: they mean the same there as in the index.

use std::path::Path;

use annals_store::{AgentLocation, FileRole};
use annals_transcript::objects::read_objects;
use annals_transcript::record::Record;
use annals_transcript::record_lines::record_lines;
use annals_transcript::usage::{ResponseUsage, UsageCollector};

use super::kinds::{FactKind, IndexedFileRole};
use super::record::{LineSpan, RecordExtractor};
use super::rows::{Batch, BatchMode, CallRow, IndexedFile, MAX_INDEXED_BYTES, MessageRow};
use super::sides::SideRow;
use super::texts::TextCollector;
use crate::cursor::{Cursor, FileStamp};

/// The rows of one line, or of one file that is replaced as a whole.
#[derive(Clone, Debug, Default)]
pub struct LineRows {
    /// The blocks of its messages.
    pub messages: Vec<MessageRow>,
    /// Its tool calls and results, by the id of the call.
    pub calls: Vec<(String, CallRow)>,
    /// Its responses with usage.
    pub responses: Vec<ResponseUsage>,
    /// The facts that it states.
    pub facts: Vec<(FactKind, String)>,
    /// The newest time of its records, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// The session that it names.
    pub session: Option<String>,
    /// The session that it was copied from by a fork.
    pub forked_from: Option<String>,
}

impl IndexedFile {
    /// A file by its path below the config dir; `None` if it is not indexed. Only the lines of a sub-agent beside its session
    /// say which session that is.
    pub fn of_relative(path: &str) -> Option<Self> {
        let file = |role, slug: &str, session: &str, agent: Option<&str>| {
            let [slug, session] = [slug, session].map(str::to_owned);
            Some(Self { path: path.to_owned(), role, slug, session, agent: agent.map(str::to_owned) })
        };
        let owner = |place: &AgentLocation| match place {
            AgentLocation::Under { session, .. } => session.as_str().to_owned(),
            AgentLocation::Beside => String::new(),
        };
        match &FileRole::of_relative(Path::new(path)) {
            FileRole::Session { slug, session, .. } => {
                file(IndexedFileRole::Session, slug.as_str(), session.as_str(), None)
            }
            FileRole::SubAgent { slug, place, agent } => {
                file(IndexedFileRole::Agent, slug.as_str(), &owner(place), Some(agent.as_str()))
            }
            FileRole::SubAgentMeta { slug, place, agent } => {
                file(IndexedFileRole::AgentMeta, slug.as_str(), &owner(place), Some(agent.as_str()))
            }
            FileRole::ToolResult { slug, session, .. } => {
                file(IndexedFileRole::Output, slug.as_str(), session.as_str(), None)
            }
            FileRole::CustomTitleFile { slug, session } => {
                file(IndexedFileRole::CustomTitle, slug.as_str(), session.as_str(), None)
            }
            FileRole::Memory { slug, .. } => file(IndexedFileRole::Memory, slug.as_str(), "", None),
            FileRole::PasteCache { .. } => file(IndexedFileRole::Paste, "", "", None),
            FileRole::Plan { .. } => file(IndexedFileRole::Plan, "", "", None),
            FileRole::Todos { session, agent } => {
                let agent = Some(agent.as_str()).filter(|agent| *agent != session.as_str());
                file(IndexedFileRole::Todos, "", session.as_str(), agent)
            }
            FileRole::Task { session, .. } => file(IndexedFileRole::Task, "", session.as_str(), None),
            FileRole::History => file(IndexedFileRole::History, "", "", None),
            _ => None,
        }
    }

    /// The rows of one line of it; `line` and `offset` say where the line is.
    pub fn line_rows(&self, bytes: &[u8], line: u64, offset: u64) -> LineRows {
        let span = LineSpan { line, offset, length: bytes.len() as u64 };
        let (mut batch, mut usage) = (self.empty_batch(), UsageCollector::new());
        let (mut millis, mut session, mut forked_from) = (None, None, None);
        for line in record_lines(bytes).take(1) {
            if self.role == IndexedFileRole::History {
                batch.history_line(&line, span);
                continue;
            }
            let found = |fields, _| {
                let record = Record::new(fields);
                usage.feed(span.line as usize, record.fields());
                let named = || record.fields().text("sessionId").map(|id| id.to_string());
                session = session.take().or_else(named);
                let origin = || Some(record.fields().object("forkedFrom")?.text("sessionId")?.to_string());
                forked_from = forked_from.take().or_else(origin);
                millis = millis.max(RecordExtractor::take(&mut batch, span, &record));
            };
            read_objects(&line, found, |_| ());
        }
        let rows =
            LineRows { responses: usage.finish(), millis, session, forked_from, ..LineRows::default() };
        rows.with(batch)
    }

    /// The rows of all of it, if it is replaced as a whole; `millis` is its time.
    pub fn file_rows(&self, bytes: &[u8], millis: i64) -> LineRows {
        let mut batch = self.empty_batch();
        match self.role {
            IndexedFileRole::Output
            | IndexedFileRole::Plan
            | IndexedFileRole::Memory
            | IndexedFileRole::Paste => {
                // One byte more than can be searched, so that a cut is noticed.
                let head = &bytes[..bytes.len().min(MAX_INDEXED_BYTES + 1)];
                let mut texts = TextCollector::default();
                texts.push(&String::from_utf8_lossy(head));
                texts.bytes = bytes.len() as u64;
                let (role, kind) = self.role.message();
                let span = LineSpan { line: 1, offset: 0, length: bytes.len() as u64 };
                batch.text(span, role, kind, texts, Some(millis as f64));
            }
            IndexedFileRole::Todos
            | IndexedFileRole::Task
            | IndexedFileRole::AgentMeta
            | IndexedFileRole::CustomTitle => batch.document(bytes, millis),
            IndexedFileRole::Session | IndexedFileRole::Agent | IndexedFileRole::History => {}
        }
        LineRows { millis: Some(millis), ..LineRows::default() }.with(batch)
    }

    fn empty_batch(&self) -> Batch {
        let cursor = Cursor::start(FileStamp { identity: 0, bytes: 0, modified: 0 });
        Batch::new(self, BatchMode::Replace, cursor)
    }
}

impl LineRows {
    fn with(mut self, batch: Batch) -> Self {
        for side in &batch.sides {
            if let SideRow::Prompt { session, millis, .. } = side {
                self.session = Some(session.clone()).filter(|session| !session.is_empty());
                self.millis = *millis;
            }
        }
        self.messages = batch.messages;
        self.calls = batch.calls.into_iter().collect();
        let sides = batch.sides.iter().enumerate().filter_map(|(place, side)| side.fact(place));
        self.facts = batch.facts.into_keys().chain(sides).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_and_prompts_are_facts_each_with_its_place() {
        let session = "33333333-cccc-4ccc-8ccc-000000000003";
        let file = |path: &str| IndexedFile::of_relative(path).unwrap();
        let item = r#"{"content":"Look","status":"pending","activeForm":"Looking"}"#;
        let todos = file(&format!("todos/{session}-agent-{session}.json"))
            .file_rows(format!("[{item},{item}]").as_bytes(), 7)
            .facts;
        let expected = |place| {
            let json =
                format!(r#"{{"place":{place},"content":"Look","status":"pending","active_form":"Looking"}}"#);
            (FactKind::TodoItem, json)
        };
        assert_eq!(todos, [expected(0), expected(1)]);
        let line = format!(r#"{{"display":"go on","timestamp":9,"project":"/w","sessionId":"{session}"}}"#);
        let rows = file("history.jsonl").line_rows(line.as_bytes(), 3, 50);
        let json =
            format!(r#"{{"offset":50,"length":{},"millis":9,"cwd":"/w","words":"go on"}}"#, line.len());
        assert_eq!(rows.facts, [(FactKind::HistoryPrompt, json)]);
    }
}
