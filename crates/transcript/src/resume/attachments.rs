//! Attachments as reminders: which kinds a client words for the model, and our words for them.
//!
//! The client's wording is its own and changes with every release. What the file holds of an attachment is given here
//! in full, under a heading of ours.

use super::api::{ApiBlock, Body};
use super::rules::{QueuedImageRule, Rules};
use crate::content::Block;
use crate::record::{Attachment, AttachmentBody};
use crate::transcript::NodeIndex;
use annals_json::{Kind, Text, Value};

/// Kinds that every known client words for the model.
const WORDED_BY_ALL: &[&str] = &[
    "agent_mention",
    "compact_file_reference",
    "critical_system_reminder",
    "diagnostics",
    "directory",
    "edited_text_file",
    "file",
    "hook_additional_context",
    "hook_blocking_error",
    "hook_stopped_continuation",
    "hook_success",
    "invoked_skills",
    "mcp_resource",
    "nested_memory",
    "opened_file_in_ide",
    "output_style",
    "plan_mode",
    "plan_mode_exit",
    "queued_command",
    "selected_lines_in_ide",
    "task_status",
    "token_usage",
];

/// The blocks that an attachment becomes; none where this client makes nothing of it.
pub(super) fn blocks<'a>(index: NodeIndex, attachment: &Attachment<'a>, rules: &Rules) -> Vec<ApiBlock<'a>> {
    let Some(body) = attachment.body() else { return Vec::new() };
    if !is_worded(&body, rules) {
        return Vec::new();
    }
    let rendered = attachment.rendered().and_then(Value::text).map(|text| text.decode().into_owned());
    let words = rendered.unwrap_or_else(|| in_our_words(&body));
    let reminder = Body::Reminder(format!("<system-reminder>\n{words}\n</system-reminder>"));
    let mut blocks = vec![ApiBlock::of_record(index, reminder)];
    blocks.extend(images(index, &body, rules));
    blocks
}

fn is_worded(body: &AttachmentBody<'_>, rules: &Rules) -> bool {
    let Some(word) = body.kind_name() else { return false };
    if !WORDED_BY_ALL.iter().chain(rules.attachments).any(|known| word.is(known)) {
        return false;
    }
    let has_items = |key: &str| body.fields().get(key).is_some_and(|list| list.items().next().is_some());
    if word.is("hook_success") {
        // Only these two events speak to the model; for others the output is for people.
        let speaks =
            body.hook_event().is_some_and(|event| event.is("SessionStart") || event.is("UserPromptSubmit"));
        return speaks && body.content().and_then(Value::text).is_some_and(|text| !text.is_empty());
    }
    match () {
        () if word.is("diagnostics") => has_items("files"),
        () if word.is("relevant_memories") => has_items("memories"),
        () => true,
    }
}

/// A heading with the kind, and under it whatever text the attachment holds.
fn in_our_words(body: &AttachmentBody<'_>) -> String {
    let kind = body.kind_name().map(Text::decode).unwrap_or_default();
    let mut words = format!("Attachment ({kind})");
    for key in ["displayPath", "filename", "path", "uri", "hookName", "agentType", "newDate"] {
        if let Some(text) = body.fields().text(key) {
            words.push_str(&format!(" {}", text.decode()));
            break;
        }
    }
    let mut texts = Vec::new();
    for field in body.fields().iter() {
        let is_text =
            ["content", "snippet", "prompt", "message", "description", "style", "stdout", "blockingError"]
                .iter()
                .chain(&[
                    "addedLines",
                    "addedBlocks",
                    "removedNames",
                    "removedTypes",
                    "skills",
                    "memories",
                    "files",
                ])
                .any(|key| field.key.is(key));
        if is_text {
            collect_texts(field.value, &mut texts);
        }
    }
    texts.dedup();
    for text in texts {
        words.push('\n');
        words.push_str(&text);
    }
    words
}

/// Every text inside a value that is not the data of an image.
fn collect_texts(value: Value<'_>, texts: &mut Vec<String>) {
    match value.kind() {
        Kind::String => {
            if let Some(text) = value.text().filter(|text| !text.is_empty()) {
                texts.push(text.decode().into_owned());
            }
        }
        Kind::Array => value.items().for_each(|item| collect_texts(item, texts)),
        Kind::Object => {
            for field in value.fields().iter().flat_map(|fields| fields.iter().collect::<Vec<_>>()) {
                let is_text = [
                    "text",
                    "content",
                    "contents",
                    "file",
                    "message",
                    "blockingError",
                    "subject",
                    "diagnostics",
                ]
                .iter()
                .any(|key| field.key.is(key));
                if is_text {
                    collect_texts(field.value, texts);
                }
            }
        }
        Kind::Null | Kind::Boolean | Kind::Number => {}
    }
}

/// Images that go beside the reminder.
fn images<'a>(index: NodeIndex, body: &AttachmentBody<'a>, rules: &Rules) -> Vec<ApiBlock<'a>> {
    let mut images = Vec::new();
    if let Some(prompt) = body.prompt()
        && rules.queued_images == QueuedImageRule::Sent
    {
        let blocks = prompt.items().map(Block::new).filter(|block| matches!(block, Block::Image(_)));
        images.extend(blocks.map(|block| ApiBlock::of_block(index, &block)));
    }
    if let Some(content) = body.content()
        && content.get("type").and_then(Value::text).is_some_and(|kind| kind.is("image"))
        && let Some(file) = content.get("file").and_then(Value::fields)
        && let (Some(media_type), Some(data)) = (file.text("type"), file.text("base64"))
    {
        images.push(ApiBlock::of_record(index, Body::Image { media_type, data }));
    }
    images
}
