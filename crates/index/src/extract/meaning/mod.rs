//! What a record says: rows of messages, calls, facts.

mod talk;

use annals_json::{Text, Value};
use annals_transcript::record::{ProgressKind, Record, RecordKind, System, SystemKind};
use annals_transcript::time::Timestamp;

use super::kinds::{FactKind, Kind, Role};
use super::rows::{Batch, MessageRow};
use super::texts::Texts;

/// A line, and what every row of it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// Takes one record into a batch.
pub(super) struct Meaning<'b> {
    batch: &'b mut Batch,
    place: Place,
    millis: Option<i64>,
    uuid: Option<Vec<u8>>,
    block: u32,
}

impl<'b> Meaning<'b> {
    pub(super) fn take(batch: &'b mut Batch, place: Place, record: &Record<'_>) -> Option<i64> {
        let fields = record.fields();
        let millis = fields.text("timestamp").and_then(|text| Timestamp::new(text).millis());
        let uuid = fields.text("uuid").map(|text| short_uuid(&text.decode()));
        let mut meaning = Self { batch, place, millis, uuid, block: 0 };
        meaning.envelope(record);
        match record {
            Record::User(user) => meaning.user(user),
            Record::Assistant(assistant) => meaning.assistant(assistant),
            Record::System(system) => meaning.system(system),
            Record::Attachment(attachment) => {
                if let Some(body) = attachment.body() {
                    let value = Value::parse(body.fields().raw()).ok();
                    meaning.message(Role::System, Kind::Context, value.map(Texts::of).unwrap_or_default());
                }
            }
            Record::CustomTitle(title) => {
                meaning.title(FactKind::CustomTitle, title.title(), Missing::Clears)
            }
            Record::AiTitle(title) => meaning.title(FactKind::AiTitle, title.title(), Missing::IsNothing),
            Record::LastPrompt(last) => {
                if let Some(prompt) = last.prompt() {
                    meaning.batch.fact(FactKind::LastPrompt, &prompt.decode(), place.line);
                }
            }
            Record::Tag(tag) => {
                let tag = tag.tag().map(|tag| tag.to_string()).unwrap_or_default();
                meaning.batch.fact(FactKind::Tag, &tag, place.line);
            }
            Record::Summary(summary) => {
                if let (Some(leaf), Some(text)) = (summary.leaf(), summary.summary()) {
                    meaning.batch.fact(FactKind::Summary, &format!("{leaf} {text}"), place.line);
                    meaning.said(Role::System, Kind::Title, &text.decode());
                }
            }
            Record::Progress(progress) if progress.progress_kind() == ProgressKind::Agent => {
                let agent = progress.data().and_then(|data| data.agent());
                if let (Some(call), Some(agent)) = (progress.parent_tool_use(), agent) {
                    meaning.batch.fact(FactKind::AtWork, &format!("{agent}\t{call}"), place.line);
                }
            }
            Record::FileHistorySnapshot(history) => {
                let tracked = history.snapshot().and_then(|snapshot| snapshot.tracked_file_backups());
                meaning.batch.versions(tracked, place);
            }
            Record::FileHistoryDelta(delta) => {
                meaning.batch.versions(delta.tracked_file_backups(), place);
            }
            Record::PrLink(link) => {
                let number = link.number().map(|number| number.to_string()).unwrap_or_default();
                let [url, repository] = [link.url(), link.repository()]
                    .map(|text| text.map(|text| text.to_string()).unwrap_or_default());
                meaning.batch.fact(
                    FactKind::PullRequest,
                    &format!("{number}\t{repository}\t{url}"),
                    place.line,
                );
            }
            _ => {}
        }
        millis
    }

    /// What any line may carry.
    fn envelope(&mut self, record: &Record<'_>) {
        let (kind, line) = (record.kind(), self.place.line);
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

    fn title(&mut self, kind: FactKind, title: Option<Text<'_>>, missing: Missing) {
        match (title, missing) {
            (Some(title), _) => {
                let title = title.decode();
                self.batch.fact(kind, &title, self.place.line);
                self.said(Role::System, Kind::Title, &title);
            }
            (None, Missing::Clears) => self.batch.fact(kind, "", self.place.line),
            (None, Missing::IsNothing) => {}
        }
    }

    fn system(&mut self, system: &System<'_>) {
        let kind = match system.system_kind() {
            SystemKind::ApiError => Kind::Error,
            _ => Kind::Context,
        };
        let mut texts = Texts::default();
        if let Some(text) = system.content() {
            texts.push(&text.decode());
        }
        if kind == Kind::Error
            && let Some(error) = system.error()
        {
            let more = Texts::of(error);
            texts.push(&more.text);
        }
        self.message(Role::System, kind, texts);
    }

    fn said(&mut self, role: Role, kind: Kind, text: &str) {
        let mut texts = Texts::default();
        texts.push(text);
        self.message(role, kind, texts);
    }

    fn message(&mut self, role: Role, kind: Kind, texts: Texts) {
        self.row(role, kind, texts, About::Nothing, kind == Kind::Error);
    }

    fn row(&mut self, role: Role, kind: Kind, texts: Texts, about: About, is_error: bool) {
        let block = self.block;
        self.block += 1;
        if texts.bytes == 0 && about == About::Nothing {
            return;
        }
        let (tool, call) = match about {
            About::Nothing => (None, None),
            About::Tool(tool, call) => (tool, call),
            About::Call(call) => (None, call),
        };
        self.batch.messages.push(MessageRow {
            line: self.place.line,
            offset: self.place.offset,
            length: self.place.length,
            block,
            role,
            kind,
            millis: self.millis,
            uuid: self.uuid.clone(),
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

/// The tool that a row is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    Nothing,
    Tool(Option<String>, Option<String>),
    Call(Option<String>),
}

/// What a title record without a title does.
#[derive(Clone, Copy)]
enum Missing {
    Clears,
    IsNothing,
}

/// The sixteen bytes of a UUID; other ids as they are.
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
