//! What stands beside the conversation: todos, tasks, copies of edited files, prompts of all sessions, what is known of
//! sub-agents.

use annals_json::{Fields, Text, Value};
use annals_transcript::record::FileBackup;
use annals_transcript::title::shorten;

use super::kinds::{FactKind, FileRole};
use super::meaning::Place;
use super::rows::Batch;

/// A row of a table of its own.
#[derive(Clone, Debug)]
pub(crate) enum SideRow {
    /// A thing to do, of a list or a file of its own.
    Todo { place: Place, number: Option<String>, content: String, status: String },
    /// A copy of a file, before it was edited.
    Version { place: Place, path: String, version: u64, copy: Option<String>, time: Option<String> },
    /// A prompt of any session, as the history has it.
    Prompt { place: Place, millis: Option<i64>, project: String, session: String, words: String },
}

impl Batch {
    /// A file that is one JSON value.
    pub(super) fn document(&mut self, bytes: &[u8]) {
        let Ok(value) = Value::parse(bytes) else { return };
        match self.subject.role {
            FileRole::Todos => {
                for item in value.items() {
                    // Items borrow from the file's bytes, so their distance is their offset.
                    let offset =
                        (item.raw().as_ptr() as usize).saturating_sub(bytes.as_ptr() as usize) as u64;
                    self.todo(item, Place { line: 1, offset, length: item.raw().len() as u64 });
                }
            }
            FileRole::Task => self.todo(value, Place { line: 1, offset: 0, length: bytes.len() as u64 }),
            FileRole::AgentMeta => {
                for (key, kind) in [("toolUseId", FactKind::SpawnedBy), ("agentType", FactKind::AgentType)] {
                    if let Some(text) = value.get(key).and_then(Value::text) {
                        self.fact(kind, &text.decode(), 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn todo(&mut self, item: Value<'_>, place: Place) {
        let text = |key: &str| item.get(key).and_then(Value::text).map(|text| text.to_string());
        let Some(content) = text("content").or_else(|| text("subject")) else { return };
        let status = text("status").unwrap_or_default();
        self.sides.push(SideRow::Todo { place, number: text("id"), content, status });
    }

    /// The copies that a record lists, each by the path of what it is a copy of.
    pub(super) fn versions(&mut self, tracked: Option<Fields<'_>>, place: Place) {
        for field in tracked.iter().flat_map(Fields::iter) {
            let Some(backup) = field.value.fields().map(FileBackup::new) else { continue };
            let Some(version) = backup.version() else { continue };
            let copy = backup.backup_file_name().map(|name| name.to_string());
            let time = backup.backup_time().map(|time| time.text().to_string());
            self.sides.push(SideRow::Version { place, path: field.key.to_string(), version, copy, time });
        }
    }

    /// A line of the history of prompts.
    pub(super) fn asked(&mut self, line: Value<'_>, display: Text<'_>, place: Place) {
        let text = |key: &str| line.get(key).and_then(Value::text).map(|text| text.to_string());
        self.sides.push(SideRow::Prompt {
            place,
            millis: line.get("timestamp").and_then(Value::number).map(|millis| millis as i64),
            project: text("project").unwrap_or_default(),
            session: text("sessionId").unwrap_or_default(),
            words: shorten(&display.decode()),
        });
    }
}
