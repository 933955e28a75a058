//! The records of the chain as entries, before they are joined into messages.

use super::api::{ApiBlock, BlockBody, BlockKind, Filler, Role};
use super::attachments;
use super::lines::ClientLines;
use super::omission::{OmissionLog, OmissionReason};
use super::refusal::Refusal;
use super::rules::{
    ClientRules, ContentRule, FallbackRule, LocalCommandRule, NotificationRule, SurrogateRule,
};
use crate::content::Content;
use crate::id::MessageId;
use crate::record::{Assistant, Record, System, SystemKind, User};
use crate::transcript::NodeIndex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    /// A line of the user or the model.
    Message,
    /// An error report of the client: not sent, but it ends the conversation like a reply.
    ApiError,
    /// A slash command that the client answered itself.
    LocalCommand,
    /// An attachment.
    Reminder,
    /// A notice, which is not sent.
    Notice,
    /// Filler text: a separate message.
    Filler,
}

/// What one record would send.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) index: NodeIndex,
    pub(super) kind: EntryKind,
    pub(super) role: Role,
    /// The response that it belongs to.
    pub(super) response: Option<MessageId<'a>>,
    pub(super) blocks: Vec<ApiBlock<'a>>,
}

impl<'a> Entry<'a> {
    /// The calls that it makes.
    pub(super) fn calls(&self) -> impl Iterator<Item = crate::id::ToolUseId<'a>> + '_ {
        self.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Call(id) => Some(id),
            _ => None,
        })
    }

    /// The calls that it answers.
    pub(super) fn results(&self) -> impl Iterator<Item = crate::id::ToolUseId<'a>> + '_ {
        self.blocks.iter().filter_map(|block| match block.kind {
            BlockKind::Result(id) => Some(id),
            _ => None,
        })
    }

    /// Whether it is a line of this role.
    pub(super) fn is_message_of(&self, role: Role) -> bool {
        self.kind == EntryKind::Message && self.role == role
    }
}

/// Reads the lines of the chain.
pub(super) fn read<'a>(
    lines: &ClientLines<'_, 'a>,
    rules: &ClientRules,
    chain: &[NodeIndex],
    omissions: &mut OmissionLog,
) -> Result<Vec<Entry<'a>>, Refusal> {
    let mut entries = Vec::with_capacity(chain.len());
    for &index in chain {
        let entry = match lines.transcript.record(index) {
            Record::User(user) => read_user(index, &user, rules)?,
            Record::Assistant(assistant) => read_assistant(index, &assistant, rules, omissions)?,
            Record::System(system) => read_system(index, &system, rules, omissions),
            Record::Attachment(attachment) => {
                let blocks = attachments::blocks(index, &attachment, rules);
                if blocks.is_empty() {
                    omissions.note(index, OmissionReason::AttachmentNotWorded);
                }
                Entry { index, kind: EntryKind::Reminder, role: Role::User, response: None, blocks }
            }
            _ => continue,
        };
        entries.push(entry);
    }
    if rules.surrogates == SurrogateRule::Replaced {
        entries.iter_mut().flat_map(|entry| &mut entry.blocks).for_each(ApiBlock::replace_surrogates);
    }
    Ok(entries)
}

fn read_user<'a>(index: NodeIndex, user: &User<'a>, rules: &ClientRules) -> Result<Entry<'a>, Refusal> {
    let mut blocks = match user.content() {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![ApiBlock::of_text(index, text)],
        content @ Content::Blocks(_) => {
            content.blocks().map(|block| ApiBlock::of_block(index, &block)).collect()
        }
        Content::Absent | Content::Unknown(_) if rules.content == ContentRule::Strict => {
            return Err(Refusal::UnreadableContent);
        }
        Content::Absent | Content::Unknown(_) => Vec::new(),
    };
    let is_notification = || {
        user.origin().and_then(|origin| origin.text("kind")).is_some_and(|kind| kind.is("task-notification"))
    };
    if rules.notification == NotificationRule::Reminder && is_notification() {
        for block in &mut blocks {
            wrap(block);
        }
    }
    Ok(Entry { index, kind: EntryKind::Message, role: Role::User, response: None, blocks })
}

/// Turns a text into a reminder with the same bytes.
fn wrap(block: &mut ApiBlock<'_>) {
    match block.body {
        BlockBody::Text(text) => block.body = BlockBody::Wrapped(text),
        BlockBody::Block(raw) => {
            let text = annals_json::Value::from_checked(raw).get("text").and_then(annals_json::Value::text);
            if let (Some(text), BlockKind::Text) = (text, block.kind) {
                block.body = BlockBody::Wrapped(text);
            }
        }
        _ => {}
    }
}

fn read_assistant<'a>(
    index: NodeIndex,
    assistant: &Assistant<'a>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) -> Result<Entry<'a>, Refusal> {
    let mut blocks: Vec<_> = match assistant.content() {
        content @ Content::Blocks(_) => {
            content.blocks().map(|block| ApiBlock::of_block(index, &block)).collect()
        }
        _ if rules.content == ContentRule::Strict => return Err(Refusal::UnreadableContent),
        Content::Text(text) => vec![ApiBlock::of_text(index, text)],
        Content::Absent | Content::Unknown(_) => {
            omissions.note(index, OmissionReason::Empty);
            let response = assistant.message().and_then(|message| message.id());
            return Ok(Entry {
                index,
                kind: EntryKind::Notice,
                role: Role::Assistant,
                response,
                blocks: Vec::new(),
            });
        }
    };
    let mut is_mark_alone = false;
    if rules.fallback == FallbackRule::Dropped {
        is_mark_alone = !blocks.is_empty() && blocks.iter().all(|block| block.kind == BlockKind::Fallback);
        blocks.retain(|block| {
            let is_sent = block.kind != BlockKind::Fallback;
            if !is_sent {
                omissions.note(index, OmissionReason::Fallback);
            }
            is_sent
        });
    }
    let is_error = assistant.is_api_error() == Some(true) && assistant.is_synthetic();
    if is_error {
        omissions.note(index, OmissionReason::ApiError);
    }
    let kind = match (is_error, is_mark_alone) {
        (true, _) => EntryKind::ApiError,
        (false, true) => EntryKind::Notice,
        (false, false) => EntryKind::Message,
    };
    let response = assistant.message().and_then(|message| message.id());
    Ok(Entry { index, kind, role: Role::Assistant, response, blocks })
}

fn read_system<'a>(
    index: NodeIndex,
    system: &System<'a>,
    rules: &ClientRules,
    omissions: &mut OmissionLog,
) -> Entry<'a> {
    let is_sent =
        system.system_kind() == SystemKind::LocalCommand && rules.local_command == LocalCommandRule::UserText;
    let (kind, blocks) = match system.content().filter(|text| !text.is_empty()) {
        Some(text) if is_sent => (EntryKind::LocalCommand, vec![ApiBlock::of_text(index, text)]),
        None if is_sent => (EntryKind::LocalCommand, vec![ApiBlock::filler(Filler::NoContent)]),
        _ => {
            omissions.note(index, OmissionReason::Notice);
            (EntryKind::Notice, Vec::new())
        }
    };
    Entry { index, kind, role: Role::User, response: None, blocks }
}
