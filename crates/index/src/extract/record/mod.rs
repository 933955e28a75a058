//! Turns a record into rows: messages, calls, facts.

mod conversation;

use annals_json::{Text, Value};
use annals_store::file_history::{tracked_by_delta, tracked_by_snapshot};
use annals_transcript::problem::ProblemKind;
use annals_transcript::record::{ProgressKind, Record, RecordKind, System, SystemKind};
use annals_transcript::time::Timestamp;

use super::kinds::{FactKind, MessageKind, MessageRole};
use super::rows::{Batch, MessageRow};
use super::texts::TextCollector;

/// Where a line is in its file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineSpan {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// Adds the rows of one record to a batch.
pub(super) struct RecordExtractor<'b> {
    batch: &'b mut Batch,
    span: LineSpan,
    millis: Option<i64>,
    uuid: Option<Vec<u8>>,
    parent: Option<Vec<u8>>,
    block: u32,
}

impl<'b> RecordExtractor<'b> {
    pub(super) fn take(batch: &'b mut Batch, span: LineSpan, record: &Record<'_>) -> Option<i64> {
        let fields = record.fields();
        let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
        let [uuid, parent] = ["uuid", "parentUuid"]
            .map(|key| fields.text(key).filter(|id| !id.is_empty()).map(|id| short_uuid(&id.decode())));
        let mut extractor = Self { batch, span, millis, uuid, parent, block: 0 };
        extractor.envelope(record);
        extractor.check_complete(record);
        match record {
            Record::User(user) => extractor.user(user),
            Record::Assistant(assistant) => extractor.assistant(assistant),
            Record::System(system) => extractor.system(system),
            Record::Attachment(attachment) => {
                if let Some(body) = attachment.body() {
                    let value = Value::parse(body.fields().raw()).ok();
                    extractor.message(
                        MessageRole::System,
                        MessageKind::Context,
                        value.map(TextCollector::of).unwrap_or_default(),
                    );
                }
            }
            Record::CustomTitle(title) => {
                extractor.title(FactKind::CustomTitle, title.title(), MissingTitle::Clears)
            }
            Record::AiTitle(title) => {
                extractor.title(FactKind::AiTitle, title.title(), MissingTitle::Ignored)
            }
            Record::LastPrompt(last) => {
                if let Some(prompt) = last.prompt() {
                    extractor.batch.fact(FactKind::LastPrompt, &prompt.decode(), span.line);
                }
            }
            Record::Tag(tag) => {
                let tag = tag.tag().map(|tag| tag.to_string()).unwrap_or_default();
                extractor.batch.fact(FactKind::Tag, &tag, span.line);
            }
            Record::Summary(summary) => {
                if let (Some(leaf), Some(text)) = (summary.leaf(), summary.summary()) {
                    extractor.batch.fact(FactKind::Summary, &format!("{leaf} {text}"), span.line);
                    extractor.text_message(MessageRole::System, MessageKind::Title, text);
                }
            }
            Record::Progress(progress) if progress.progress_kind() == ProgressKind::Agent => {
                let agent = progress.data().and_then(|data| data.agent());
                if let (Some(call), Some(agent)) = (progress.parent_tool_use(), agent) {
                    extractor.batch.fact(FactKind::AgentProgress, &format!("{agent}\t{call}"), span.line);
                }
            }
            Record::FileHistorySnapshot(history) => {
                extractor.batch.versions(&tracked_by_snapshot(history), span);
            }
            Record::FileHistoryDelta(delta) => {
                extractor.batch.versions(&tracked_by_delta(delta), span);
            }
            Record::PrLink(link) => {
                let number = link.number().map(|number| number.to_string()).unwrap_or_default();
                let [url, repository] = [link.url(), link.repository()]
                    .map(|text| text.map(|text| text.to_string()).unwrap_or_default());
                extractor.batch.fact(
                    FactKind::PullRequest,
                    &format!("{number}\t{repository}\t{url}"),
                    span.line,
                );
            }
            _ => {}
        }
        extractor.bare_record(record);
        millis
    }

    /// Notes a record of the conversation that has no message of its own: a summary gives its title to any of them.
    fn bare_record(&mut self, record: &Record<'_>) {
        let LineSpan { line, offset, length } = self.span;
        let has_message = self.batch.messages.last().is_some_and(|message| message.line == line);
        // Records of progress are many, and no summary is given to them.
        let can_be_named = record.kind().is_chain() && record.kind() != RecordKind::Progress;
        let id = record.fields().text("uuid").filter(|id| !id.is_empty());
        if let Some(id) = id.filter(|_| can_be_named && !has_message) {
            let place = format!("{} {offset} {}", id.decode(), offset + length);
            self.batch.fact(FactKind::BareRecord, &place, line);
        }
    }

    /// Adds the facts that any record may state.
    fn envelope(&mut self, record: &Record<'_>) {
        let (kind, line) = (record.kind(), self.span.line);
        for field in record.fields().iter() {
            let Some(text) = field.value.text().filter(|text| !text.is_empty()) else { continue };
            let fact = match field.key.raw() {
                b"cwd" if kind != RecordKind::Relocated => FactKind::Cwd,
                b"gitBranch" => FactKind::GitBranch,
                b"version" if kind.is_chain() => FactKind::Version,
                b"entrypoint" => FactKind::Entrypoint,
                b"slug" if kind.is_chain() => FactKind::PlanName,
                b"timestamp" => FactKind::Created,
                _ => continue,
            };
            self.batch.fact(fact, &text.decode(), line);
        }
    }

    /// Notes a record that lacks what clients need: the newest ones refuse the file for it.
    fn check_complete(&mut self, record: &Record<'_>) {
        let (kind, fields) = (record.kind(), record.fields());
        let needs_message = matches!(kind, RecordKind::User | RecordKind::Assistant);
        let is_complete = fields.text("uuid").is_some()
            && fields.text("timestamp").is_some()
            && (!needs_message || fields.object("message").is_some());
        if kind.is_chain() && !is_complete {
            let LineSpan { line, offset, length } = self.span;
            self.batch.problems.push((line, offset, length, ProblemKind::IncompleteRecord));
        }
    }

    fn title(&mut self, kind: FactKind, title: Option<Text<'_>>, missing: MissingTitle) {
        match (title, missing) {
            (Some(title), _) => {
                self.batch.fact(kind, &title.decode(), self.span.line);
                self.text_message(MessageRole::System, MessageKind::Title, title);
            }
            (None, MissingTitle::Clears) => self.batch.fact(kind, "", self.span.line),
            (None, MissingTitle::Ignored) => {}
        }
    }

    fn system(&mut self, system: &System<'_>) {
        let kind = match system.system_kind() {
            SystemKind::ApiError => MessageKind::Error,
            _ => MessageKind::Context,
        };
        let mut texts = TextCollector::default();
        if let Some(text) = system.text() {
            texts.push(&text);
        }
        if kind == MessageKind::Error
            && let Some(error) = system.error()
        {
            let more = TextCollector::of(error);
            texts.push(&more.text);
        }
        self.message(MessageRole::System, kind, texts);
    }

    fn text_message(&mut self, role: MessageRole, kind: MessageKind, text: Text<'_>) {
        let mut texts = TextCollector::default();
        texts.push_text(text);
        self.message(role, kind, texts);
    }

    fn message(&mut self, role: MessageRole, kind: MessageKind, texts: TextCollector) {
        self.row(role, kind, texts, ToolRef::Nothing, kind == MessageKind::Error);
    }

    fn row(
        &mut self,
        role: MessageRole,
        kind: MessageKind,
        texts: TextCollector,
        tool_ref: ToolRef,
        is_error: bool,
    ) {
        let block = self.block;
        self.block += 1;
        if texts.bytes == 0 && tool_ref == ToolRef::Nothing {
            return;
        }
        let (tool, call) = match tool_ref {
            ToolRef::Nothing => (None, None),
            ToolRef::Tool(tool, call) => (tool, call),
            ToolRef::Call(call) => (None, call),
        };
        self.batch.messages.push(MessageRow {
            line: self.span.line,
            offset: self.span.offset,
            length: self.span.length,
            block,
            role,
            kind,
            millis: self.millis,
            uuid: self.uuid.clone(),
            parent: self.parent.clone(),
            tool,
            call,
            is_error,
            bytes: texts.bytes,
            text: texts.text,
            words: String::new(),
            indexed: 0,
        });
    }
}

/// The tool that a row refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ToolRef {
    Nothing,
    Tool(Option<String>, Option<String>),
    Call(Option<String>),
}

/// What a title record without a title means.
#[derive(Clone, Copy)]
enum MissingTitle {
    Clears,
    Ignored,
}

/// The sixteen bytes of a UUID; other ids unchanged.
pub(crate) fn short_uuid(id: &str) -> Vec<u8> {
    let digits: Vec<u8> = id.bytes().filter(|&byte| byte != b'-').collect();
    let is_uuid = id.len() == 36
        && digits.len() == 32
        && [8, 13, 18, 23].iter().all(|&at| id.as_bytes()[at] == b'-')
        && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_uuid {
        return id.as_bytes().to_vec();
    }
    let value = |digit: u8| if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 };
    digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
