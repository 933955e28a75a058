//! What a record has that annals does not recognise: its type, its subtype, its blocks, the shape of a tool's result, its fields.
//! The format changes with every release of the client, and this is how a change is noticed.
//!
//! A key is recognised if a view has a method for it.

mod outline;

pub use outline::outline;

use annals_json::{Field, Fields, Value};

use crate::content::{Block, Content};
use crate::record::{
    Assistant, AssistantMessage, AttachmentBody, AttachmentKind, CompactMetadata, Envelope, ProgressData,
    ProgressKind, Record, SystemKind, User, UserMessage,
};
use crate::tool_result::ToolUseResult;
use crate::usage::Usage;

/// The keys of an unknown shape that its name lists.
const MAX_SHAPE_KEYS: usize = 6;
/// How deep blocks within results are looked at.
const MAX_DEPTH: usize = 4;

/// What is not recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NoveltyKind {
    /// The `type` of a record.
    Record,
    /// The `subtype` of a system record, or the type of an attachment or of progress.
    Subtype,
    /// The type of a content block.
    Block,
    /// The keys of a `toolUseResult`.
    Result,
    /// A key.
    Field,
}

impl NoveltyKind {
    /// Returns its stable name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Subtype => "subtype",
            Self::Block => "block",
            Self::Result => "result",
            Self::Field => "field",
        }
    }
}

/// Something in a record that annals does not recognise.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Novelty<'a> {
    /// What it is.
    pub kind: NoveltyKind,
    /// Where it stands, such as `assistant.message.usage.speed` or `system.away_summary`.
    pub place: String,
    /// What stands there.
    pub value: Value<'a>,
}

/// Returns what annals does not recognise in a record.
pub fn novelties<'a>(record: &Record<'a>) -> Vec<Novelty<'a>> {
    let mut search = Search { found: Vec::new() };
    search.record(record);
    search.found
}

struct Search<'a> {
    found: Vec<Novelty<'a>>,
}

impl<'a> Search<'a> {
    fn add(&mut self, kind: NoveltyKind, place: String, value: Value<'a>) {
        self.found.push(Novelty { kind, place, value });
    }

    fn record(&mut self, record: &Record<'a>) {
        let fields = record.fields();
        let name = record.type_name().map_or_else(|| "(none)".to_owned(), |name| name.to_string());
        let whole = Value::from_checked(fields.raw());
        match record {
            Record::Unknown(_) => return self.add(NoveltyKind::Record, name, whole),
            // Requests as they were sent: their fields are those of the API.
            Record::ApiRequest(_) => return,
            Record::System(system) if SystemKind::of(system.subtype()) == SystemKind::Unknown => {
                let subtype = system.subtype().map(|text| text.to_string()).unwrap_or_default();
                return self.add(NoveltyKind::Subtype, format!("{name}.{subtype}"), whole);
            }
            _ => {}
        }
        let envelope = if record.kind().is_chain() { Envelope::KNOWN_KEYS } else { &[] };
        self.fields(&name, fields, &[record.known_keys(), envelope]);
        match record {
            Record::User(user) => self.user(user),
            Record::Assistant(assistant) => self.assistant(assistant),
            Record::System(system) => {
                if let Some(metadata) = system.compact_metadata() {
                    self.fields("system.compactMetadata", metadata.fields(), &[CompactMetadata::KNOWN_KEYS]);
                }
            }
            Record::Attachment(attachment) => {
                if let Some(body) = attachment.body() {
                    let is_known = AttachmentKind::of(body.fields().text("type")) != AttachmentKind::Unknown;
                    self.variant("attachment", body.fields(), AttachmentBody::KNOWN_KEYS, is_known);
                }
            }
            Record::Progress(progress) => {
                if let Some(data) = progress.data() {
                    let is_known = ProgressKind::of(data.fields().text("type")) != ProgressKind::Unknown;
                    self.variant("progress", data.fields(), ProgressData::KNOWN_KEYS, is_known);
                }
            }
            _ => {}
        }
    }

    /// An object whose `type` says which keys it has.
    fn variant(&mut self, name: &str, fields: &Fields<'a>, known: &'static [&'static str], is_known: bool) {
        let kind = fields.text("type").map(|text| text.to_string()).unwrap_or_default();
        let place = format!("{name}.{kind}");
        match is_known {
            true => self.fields(&place, fields, &[known]),
            false => self.add(NoveltyKind::Subtype, place, Value::from_checked(fields.raw())),
        }
    }

    fn user(&mut self, user: &User<'a>) {
        if let Some(message) = user.message() {
            self.fields("user.message", message.fields(), &[UserMessage::KNOWN_KEYS]);
        }
        self.blocks(&user.content(), 0);
        // The structured result of an MCP tool has the keys that its author likes.
        let is_foreign = user.fields().get("mcpMeta").is_some();
        match user.tool_use_result() {
            Some(ToolUseResult::Unknown(fields)) if !is_foreign => {
                let mut keys: Vec<String> = fields.iter().map(|field| field.key.to_string()).collect();
                keys.sort_unstable();
                keys.truncate(MAX_SHAPE_KEYS);
                let place = format!("result {{{}}}", keys.join(", "));
                self.add(NoveltyKind::Result, place, Value::from_checked(fields.raw()));
            }
            Some(result) => {
                if let Some(fields) = result.fields().filter(|_| !is_foreign) {
                    self.fields(&format!("result.{}", result.shape()), fields, &[result.known_keys()]);
                }
            }
            None => {}
        }
    }

    fn assistant(&mut self, assistant: &Assistant<'a>) {
        if let Some(message) = assistant.message() {
            self.fields("assistant.message", message.fields(), &[AssistantMessage::KNOWN_KEYS]);
            if let Some(usage) = message.fields().object("usage") {
                self.fields("assistant.message.usage", &usage, &[Usage::KNOWN_KEYS]);
            }
        }
        self.blocks(&assistant.content(), 0);
    }

    fn blocks(&mut self, content: &Content<'a>, depth: usize) {
        for block in content.blocks() {
            let name = block.type_name().map(|name| name.to_string()).unwrap_or_default();
            let whole = Value::from_checked(block.raw());
            if let Block::Unknown(value) = block {
                self.add(NoveltyKind::Block, format!("block.{name}"), value);
                continue;
            }
            if let Some(fields) = whole.fields() {
                self.fields(&format!("block.{name}"), &fields, &[block.known_keys()]);
            }
            if let (Block::ToolResult(result), true) = (&block, depth < MAX_DEPTH) {
                self.blocks(&result.content().unwrap_or(Content::Absent), depth + 1);
            }
        }
    }

    /// The keys of an object that are in none of these lists.
    fn fields(&mut self, place: &str, fields: &Fields<'a>, known: &[&[&str]]) {
        for Field { key, value } in fields.iter() {
            let key = key.to_string();
            let is_known = key == "type" || known.iter().any(|keys| keys.contains(&key.as_str()));
            if !is_known {
                self.add(NoveltyKind::Field, format!("{place}.{key}"), value);
            }
        }
    }
}
