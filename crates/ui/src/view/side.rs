//! Facts about the session for people, and prompts that exist only in the queue.

use std::collections::{HashSet, VecDeque};

use annals_json::{Text, Value};
use annals_transcript::content::Content;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::prompt_text;

use super::item::{ItemBody, PromptItem, PromptKind, SessionFact};

/// The text of a prompt that is a string or blocks.
pub(super) fn queued_text(value: Value<'_>) -> (String, usize) {
    let content = Content::new(value);
    let images =
        content.blocks().filter(|block| block.type_name().is_some_and(|name| name.is("image"))).count();
    (content.plain_text(), images)
}

/// Entries of the queue that were sent while a tool ran and that no other record has, as older clients left them: neither
/// withdrawn, nor sent as a prompt or attachment of their own.
pub(super) fn unsent_prompts(transcript: &Transcript<'_>) -> HashSet<NodeIndex> {
    let mut queue: VecDeque<(NodeIndex, String)> = VecDeque::new();
    let mut gone: Vec<(NodeIndex, String)> = Vec::new();
    for (index, node) in transcript.indexed_nodes() {
        if node.kind != RecordKind::QueueOperation {
            continue;
        }
        let Record::QueueOperation(entry) = transcript.record(index) else { continue };
        let text = entry.content().map(|value| queued_text(value).0).unwrap_or_default().trim().to_owned();
        match entry.operation() {
            Some(word) if word.is("enqueue") => queue.push_back((index, text)),
            Some(word) if word.is("popAll") => queue.clear(),
            Some(word) if word.is("dequeue") || word.is("remove") => {
                let named = queue.iter().position(|(_, queued)| !text.is_empty() && *queued == text);
                gone.extend(queue.remove(named.unwrap_or(0)));
            }
            _ => {}
        }
    }
    gone.retain(|(_, text)| !text.is_empty() && !text.starts_with("<task-notification"));
    if gone.is_empty() {
        return HashSet::new();
    }
    let sent = sent_prompts(transcript);
    gone.into_iter().filter(|(_, text)| !sent.contains(text)).map(|(index, _)| index).collect()
}

/// Everything that went to the model as a prompt.
fn sent_prompts(transcript: &Transcript<'_>) -> HashSet<String> {
    let mut sent = HashSet::new();
    for (index, node) in transcript.indexed_nodes() {
        if !matches!(node.kind, RecordKind::User | RecordKind::Attachment) {
            continue;
        }
        match transcript.record(index) {
            Record::User(user) => {
                let whole = user.content().plain_text();
                // Several queued prompts may have gone as one.
                sent.extend(whole.split("\n").map(|line| line.trim().to_owned()));
                sent.insert(whole.trim().to_owned());
                sent.insert(prompt_text(&user).trim().to_owned());
            }
            Record::Attachment(line) => {
                let prompt = line.body().and_then(|body| body.prompt());
                sent.extend(prompt.map(|value| queued_text(value).0.trim().to_owned()));
            }
            _ => {}
        }
    }
    sent
}

/// The text of a side record; `None` if it is not new.
pub(super) fn of_record(record: &Record<'_>, title: &mut Option<String>) -> Option<ItemBody> {
    let owned = |text: Option<Text<'_>>| text.map(|text| text.to_string()).unwrap_or_default();
    let mut renamed = |text: Option<Text<'_>>| {
        let new = owned(text);
        let is_new = !new.is_empty() && title.as_ref() != Some(&new);
        *title = Some(new.clone());
        is_new.then_some(ItemBody::Fact(SessionFact::Title(new)))
    };
    match record {
        Record::CustomTitle(record) => renamed(record.title()),
        Record::AiTitle(record) => renamed(record.title()),
        Record::Tag(record) => {
            let tag = owned(record.tag());
            (!tag.is_empty()).then_some(ItemBody::Fact(SessionFact::Tag(tag)))
        }
        Record::PrLink(record) => {
            let number = record.number().map(|number| format!("#{number}")).unwrap_or_default();
            let name = format!("{}{number}", owned(record.repository()));
            Some(ItemBody::Fact(SessionFact::PullRequest { name, url: owned(record.url()) }))
        }
        Record::FrameLink(record) => {
            Some(ItemBody::Fact(SessionFact::Page { title: owned(record.title()), url: owned(record.url()) }))
        }
        Record::Relocated(record) => Some(ItemBody::Fact(SessionFact::Moved(owned(record.cwd())))),
        Record::QueueOperation(record) => {
            let (text, images) = queued_text(record.content()?);
            Some(ItemBody::Prompt(PromptItem {
                text,
                images,
                first_image: 0,
                documents: 0,
                author: PromptKind::Queued,
            }))
        }
        _ => None,
    }
}
