//! Items of attachments.

use annals_json::{Items, Text, ValueKind};
use annals_transcript::record::{Attachment as Line, AttachmentBody, AttachmentKind};

use super::item::{AttachmentNote, HookRun, ItemBody, Note, NoteKind, PromptItem, PromptKind};
use super::side::queued_text;
use super::text::{opening, value_text};

/// What an attachment is to a reader.
pub(super) fn of_attachment(line: &Line<'_>) -> ItemBody {
    let Some(body) = line.body() else {
        return ItemBody::Attachment(AttachmentNote { kind: "(none)".to_owned(), headline: String::new() });
    };
    let kind = line.attachment_kind();
    match kind {
        AttachmentKind::QueuedCommand => queued(&body),
        AttachmentKind::HookAdditionalContext
        | AttachmentKind::HookSuccess
        | AttachmentKind::HookSystemMessage
        | AttachmentKind::HookNonBlockingError
        | AttachmentKind::HookBlockingError => ItemBody::Hook(hook(&body, kind)),
        _ => {
            let name = body.kind_name().map(|name| name.to_string()).unwrap_or_default();
            ItemBody::Attachment(AttachmentNote { kind: name, headline: headline(&body, kind) })
        }
    }
}

fn owned(text: Option<Text<'_>>) -> String {
    text.map(|text| text.to_string()).unwrap_or_default()
}

fn queued(body: &AttachmentBody<'_>) -> ItemBody {
    let (text, images) = body.prompt().map(queued_text).unwrap_or_default();
    if text.trim_start().starts_with("<task-notification") {
        return ItemBody::Note(Note { kind: NoteKind::TaskNotification, label: None, text });
    }
    match body.command_mode() {
        Some(mode) if !mode.is("prompt") && !mode.is("bash") => {
            ItemBody::Note(Note { kind: NoteKind::Client, label: Some(mode.to_string()), text })
        }
        _ => ItemBody::Prompt(PromptItem {
            text,
            images,
            first_image: 0,
            documents: 0,
            author: PromptKind::Queued,
        }),
    }
}

fn hook(body: &AttachmentBody<'_>, kind: AttachmentKind) -> HookRun {
    let content = body.content().filter(|content| !content.is_null());
    let said = match content {
        Some(content) if content.kind() == ValueKind::Array => {
            content.items().map(value_text).collect::<Vec<_>>().join("\n")
        }
        Some(content) => value_text(content),
        None => String::new(),
    };
    let blocking =
        body.blocking_error().and_then(|error| error.text("blockingError")).map(|text| text.to_string());
    let candidates = [blocking.unwrap_or_default(), said, owned(body.stderr()), owned(body.stdout())];
    let text = candidates.into_iter().find(|text| !text.trim().is_empty()).unwrap_or_default();
    let is_error = matches!(kind, AttachmentKind::HookNonBlockingError | AttachmentKind::HookBlockingError);
    HookRun { name: owned(body.hook_name().or(body.hook_event())), text: text.trim().to_owned(), is_error }
}

fn headline(body: &AttachmentBody<'_>, kind: AttachmentKind) -> String {
    let count = |items: Option<Items<'_>>| items.into_iter().flatten().count();
    let path = || owned(body.display_path().or(body.filename()).or(body.path()));
    let changed = |added: usize, removed: usize| match (added, removed) {
        (added, 0) => format!("{added} added"),
        (added, removed) => format!("{added} added, {removed} removed"),
    };
    match kind {
        AttachmentKind::TaskReminder | AttachmentKind::TodoReminder => {
            format!("{} tasks", body.item_count().unwrap_or(0))
        }
        AttachmentKind::DeferredToolsDelta | AttachmentKind::McpInstructionsDelta => {
            changed(count(body.added_names()), count(body.removed_names()))
        }
        AttachmentKind::AgentListingDelta => changed(count(body.added_types()), count(body.removed_types())),
        AttachmentKind::SkillListing => format!("{} skills", body.skill_count().unwrap_or(0)),
        AttachmentKind::CommandPermissions => {
            let tools: Vec<_> = body.allowed_tools().into_iter().flatten().map(value_text).collect();
            opening(&tools.join(", "), 80)
        }
        AttachmentKind::DateChange => owned(body.new_date()),
        AttachmentKind::PlanMode | AttachmentKind::PlanModeExit => owned(body.plan_file_path()),
        AttachmentKind::PromptSnapshot | AttachmentKind::AutoMode => String::new(),
        _ => {
            let path = path();
            let content =
                || body.content().map(|content| opening(&value_text(content), 80)).unwrap_or_default();
            if path.is_empty() { content() } else { path }
        }
    }
}
