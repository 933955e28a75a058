//! Rows beside the conversation: todos, tasks, file copies, prompts of `history.jsonl`, facts about sub-agents.

use annals_json::{Fields, Text, Value};
use annals_transcript::record::FileBackup;
use annals_transcript::title::shorten;

use super::kinds::{FactKind, IndexedFileRole};
use super::record::LineSpan;
use super::rows::Batch;

/// A row of a side table.
#[derive(Clone, Debug)]
pub(crate) enum SideRow {
    /// An item of a todo list, or a task.
    Todo { span: LineSpan, number: Option<String>, content: String, status: String },
    /// A copy of a file made before an edit.
    Version { span: LineSpan, path: String, version: u64, copy: Option<String>, time: Option<String> },
    /// A prompt of `history.jsonl`.
    Prompt { span: LineSpan, millis: Option<i64>, project: String, session: String, words: String },
}

impl Batch {
    /// Adds the rows of a file that is one JSON value.
    pub(super) fn document(&mut self, bytes: &[u8]) {
        let Ok(value) = Value::parse(bytes) else { return };
        match self.indexed_file.role {
            IndexedFileRole::Todos => {
                for item in value.items() {
                    // Items borrow from the file's bytes, so the distance of the pointers is the offset.
                    let offset =
                        (item.raw().as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize) as u64;
                    self.todo(item, LineSpan { line: 1, offset, length: item.raw().len() as u64 });
                }
            }
            IndexedFileRole::Task => {
                self.todo(value, LineSpan { line: 1, offset: 0, length: bytes.len() as u64 })
            }
            IndexedFileRole::AgentMeta => {
                for (key, kind) in [("toolUseId", FactKind::SpawnedBy), ("agentType", FactKind::AgentType)] {
                    if let Some(text) = value.get(key).and_then(Value::text) {
                        self.fact(kind, &text.decode(), 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn todo(&mut self, item: Value<'_>, span: LineSpan) {
        let text = |key: &str| item.get(key).and_then(Value::text).map(|text| text.to_string());
        let Some(content) = text("content").or_else(|| text("subject")) else { return };
        let status = text("status").unwrap_or_default();
        self.sides.push(SideRow::Todo { span, number: text("id"), content, status });
    }

    /// Adds the file copies that a record lists by the path of the original.
    pub(super) fn versions(&mut self, tracked: Option<Fields<'_>>, span: LineSpan) {
        for field in tracked.iter().flat_map(Fields::iter) {
            let Some(backup) = field.value.fields().map(FileBackup::new) else { continue };
            let Some(version) = backup.version() else { continue };
            let copy = backup.backup_file_name().map(|name| name.to_string());
            let time = backup.backup_time().map(|time| time.text().to_string());
            self.sides.push(SideRow::Version { span, path: field.key.to_string(), version, copy, time });
        }
    }

    /// Adds a line of `history.jsonl`.
    pub(super) fn history_prompt(&mut self, line: Value<'_>, display: Text<'_>, span: LineSpan) {
        let text = |key: &str| line.get(key).and_then(Value::text).map(|text| text.to_string());
        self.sides.push(SideRow::Prompt {
            span,
            millis: line.get("timestamp").and_then(Value::number).map(|millis| millis as i64),
            project: text("project").unwrap_or_default(),
            session: text("sessionId").unwrap_or_default(),
            words: shorten(&display.decode()),
        });
    }
}
