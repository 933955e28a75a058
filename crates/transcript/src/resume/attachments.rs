//! Attachments as reminders: which kinds a client renders for the model.
//!
//! The wording of the client changes with every release. Here the texts of an attachment are given in full, under a
//! heading.

mod hooks;

use super::api::{ApiBlock, BlockBody};
use super::rules::{ClientRules, QueuedImageRule};
use crate::content::Block;
use crate::record::{Attachment, AttachmentBody};
use crate::transcript::NodeIndex;
use annals_json::{MAX_WALK_DEPTH, Nesting, Text, Value, ValueKind, strings};

/// Kinds that every known client renders.
const RENDERED_BY_ALL: &[&str] = &[
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

/// Returns the blocks of an attachment; empty if the client does not render it.
pub(super) fn blocks<'a>(
    index: NodeIndex,
    attachment: &Attachment<'a>,
    rules: &ClientRules,
) -> Vec<ApiBlock<'a>> {
    let Some(body) = attachment.body() else { return Vec::new() };
    if !is_rendered(&body, rules) {
        return Vec::new();
    }
    let rendered = attachment.rendered().and_then(Value::text).map(|text| text.decode().into_owned());
    let said = rendered.map(|words| vec![words]).or_else(|| hooks::words(&body));
    let reminder = |words: String| {
        let text = format!("<system-reminder>\n{words}\n</system-reminder>");
        ApiBlock::of_record(index, BlockBody::Reminder(text))
    };
    let mut blocks: Vec<_> =
        said.unwrap_or_else(|| vec![describe(&body)]).into_iter().map(reminder).collect();
    blocks.extend(images(index, &body, rules));
    blocks
}

fn is_rendered(body: &AttachmentBody<'_>, rules: &ClientRules) -> bool {
    let Some(word) = body.kind_name() else { return false };
    if !RENDERED_BY_ALL.iter().chain(rules.attachments).any(|known| word.is(known)) {
        return false;
    }
    let has_items = |key: &str| body.fields().get(key).is_some_and(|list| list.items().next().is_some());
    if word.is("hook_success") {
        // Only these events are shown to the model; other output is for the user.
        let events = ["SessionStart", "UserPromptSubmit", "UserPromptExpansion"];
        let speaks = body.hook_event().is_some_and(|event| events.iter().any(|known| event.is(known)));
        return speaks && body.content().and_then(Value::text).is_some_and(|text| !text.is_empty());
    }
    match () {
        () if word.is("diagnostics") => has_items("files"),
        () if word.is("relevant_memories") => has_items("memories"),
        () => true,
    }
}

/// A heading with the kind, and all texts of the attachment.
fn describe(body: &AttachmentBody<'_>) -> String {
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
            collect_texts(field.value, &Nesting::of(field.value), 0, &mut texts);
        }
    }
    texts.dedup();
    for text in texts {
        words.push('\n');
        words.push_str(&text);
    }
    words
}

/// Collects the texts of a value, without image data.
fn collect_texts<'a>(value: Value<'a>, nesting: &Nesting<'a>, depth: usize, texts: &mut Vec<String>) {
    match value.kind() {
        ValueKind::Array | ValueKind::Object if depth >= MAX_WALK_DEPTH => {
            let values = strings(value).filter(|string| !string.is_key);
            texts.extend(values.map(|string| string.text.to_string()));
        }
        ValueKind::String => {
            if let Some(text) = value.text().filter(|text| !text.is_empty()) {
                texts.push(text.decode().into_owned());
            }
        }
        ValueKind::Array => {
            nesting.items(value).for_each(|item| collect_texts(item, nesting, depth + 1, texts));
        }
        ValueKind::Object => {
            let Some(fields) = nesting.fields(value) else { return };
            for field in fields.iter() {
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
                    collect_texts(field.value, nesting, depth + 1, texts);
                }
            }
        }
        ValueKind::Null | ValueKind::Boolean | ValueKind::Number => {}
    }
}

/// Images that are sent beside the reminder.
fn images<'a>(index: NodeIndex, body: &AttachmentBody<'a>, rules: &ClientRules) -> Vec<ApiBlock<'a>> {
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
        images.push(ApiBlock::of_record(index, BlockBody::Image { media_type, data }));
    }
    images
}
