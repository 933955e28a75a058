//! Rows beside the conversation: todos, tasks, file copies, prompts of `history.jsonl`, facts about sub-agents.

use annals_json::{ObjectWriter, Text, Value};
use annals_store::file_history::{BackupState, TrackedFile};
use annals_transcript::title::shorten;

use super::blocks::custom_title;
use super::kinds::{FactKind, IndexedFileRole};
use super::record::LineSpan;
use super::rows::Batch;
use super::texts::TextCollector;
use crate::cursor::fingerprint;

/// How many characters of a prompt are looked at for its short form.
const MAX_SHORTENED: usize = 16 * 1024;

/// A row of a side table.
#[derive(Clone, Debug)]
pub(crate) enum SideRow {
    /// An item of a todo list, or a task.
    Todo {
        span: LineSpan,
        number: Option<String>,
        content: String,
        status: String,
        active_form: Option<String>,
        priority: Option<String>,
    },
    /// A copy of a file made before an edit. A content that the record itself has gets a number below zero.
    Version { span: LineSpan, path: String, version: i64, copy: Option<String>, time: Option<String> },
    /// A prompt of `history.jsonl`.
    Prompt { span: LineSpan, millis: Option<i64>, project: String, session: String, words: String },
}

impl SideRow {
    /// The row as a fact, for those who have no table for it. `place` is its place among the rows of the file. Copies of files are left
    /// out: every snapshot lists all of them again.
    pub(super) fn fact(&self, place: usize) -> Option<(FactKind, String)> {
        let (kind, json) = match self {
            Self::Todo { number, content, status, active_form, priority, .. } => {
                let fill = |object: &mut ObjectWriter<'_>| {
                    object.number("place", place as u64).string_if("number", number.as_deref());
                    object.string("content", content).string("status", status);
                    object.string_if("active_form", active_form.as_deref());
                    object.string_if("priority", priority.as_deref());
                };
                (FactKind::TodoItem, annals_json::object(fill))
            }
            Self::Prompt { span, millis, project, words, .. } => {
                let fill = |object: &mut ObjectWriter<'_>| {
                    object.number("offset", span.offset).number("length", span.length);
                    if let Some(millis) = millis {
                        object.number("millis", *millis);
                    }
                    object.string("cwd", project).string("words", words);
                };
                (FactKind::HistoryPrompt, annals_json::object(fill))
            }
            Self::Version { .. } => return None,
        };
        Some((kind, String::from_utf8_lossy(&json).into_owned()))
    }
}

impl Batch {
    /// Adds the rows of a file that is one JSON value; `millis` is its time.
    pub(super) fn document(&mut self, bytes: &[u8], millis: i64) {
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
            IndexedFileRole::CustomTitle => {
                let Some(title) = custom_title(bytes) else { return };
                self.fact(FactKind::CustomTitle, &title, 1);
                let mut texts = TextCollector::default();
                texts.push(&title);
                let (role, kind) = self.indexed_file.role.message();
                let span = LineSpan { line: 1, offset: 0, length: bytes.len() as u64 };
                self.text(span, role, kind, texts, Some(millis as f64));
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
        self.sides.push(SideRow::Todo {
            span,
            number: text("id"),
            content,
            status,
            active_form: text("activeForm"),
            priority: text("priority"),
        });
    }

    /// Adds the file copies that a record lists.
    pub(super) fn versions(&mut self, tracked: &[TrackedFile<'_>], span: LineSpan) {
        for file in tracked {
            let (version, copy) = match file.kept {
                BackupState::Copy { name, version } => (version, Some(name.to_string())),
                BackupState::DidNotExist { version } => (version, None),
                BackupState::Content(content) => {
                    // The same content in the next snapshot is the same version.
                    let number = -1 - (fingerprint(content.decode().as_bytes()) & (i64::MAX >> 1));
                    self.version(file, number, None, None, span);
                    continue;
                }
                _ => continue,
            };
            let Some(version) = version.and_then(|version| i64::try_from(version).ok()) else { continue };
            self.version(file, version, copy, file.time, span);
        }
    }

    fn version(
        &mut self,
        file: &TrackedFile<'_>,
        version: i64,
        copy: Option<String>,
        time: Option<Text<'_>>,
        span: LineSpan,
    ) {
        let time = time.map(|time| time.to_string());
        self.sides.push(SideRow::Version { span, path: file.path.to_string(), version, copy, time });
    }

    /// Adds a line of `history.jsonl`.
    pub(super) fn history_prompt(&mut self, line: Value<'_>, display: Text<'_>, span: LineSpan) {
        let text = |key: &str| line.get(key).and_then(Value::text).map(|text| text.to_string());
        self.sides.push(SideRow::Prompt {
            span,
            millis: line.get("timestamp").and_then(Value::number).map(|millis| millis as i64),
            project: text("project").unwrap_or_default(),
            session: text("sessionId").unwrap_or_default(),
            words: shorten(&display.head(MAX_SHORTENED)),
        });
    }
}
