//! How a passage is drawn.

use annals_index::MessageKind;
use annals_index::recall::Passage;

use crate::memory::moment;

/// The kinds that make up a conversation. The others are shown if somebody asks for all.
pub(super) fn is_conversation(passage: &Passage) -> bool {
    matches!(
        passage.kind,
        MessageKind::Prompt
            | MessageKind::Response
            | MessageKind::ToolCall
            | MessageKind::ToolResult
            | MessageKind::Error
            | MessageKind::Plan
    )
}

/// Who produced something, in words. Names of tools come from transcripts.
pub(super) fn speaker(kind: MessageKind, tool: Option<&str>, is_error: bool) -> String {
    let tool: String = tool
        .unwrap_or("tool")
        .chars()
        .take(40)
        .map(|letter| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '?' })
        .collect();
    let failed = if is_error { " failed" } else { "" };
    match kind {
        MessageKind::Prompt => "user".to_owned(),
        MessageKind::Response => "assistant".to_owned(),
        MessageKind::Thinking => "assistant, thinking".to_owned(),
        MessageKind::ToolCall => format!("call {tool}"),
        MessageKind::ToolResult => format!("result {tool}{failed}"),
        MessageKind::Context => "context".to_owned(),
        MessageKind::Error => "error".to_owned(),
        MessageKind::Title => "title".to_owned(),
        MessageKind::Plan => "plan".to_owned(),
        MessageKind::Memory => "memory file".to_owned(),
    }
}

/// The line of ours above a passage of a session that is already named.
pub(super) fn passage_head(passage: &Passage) -> String {
    let who = speaker(passage.kind, passage.tool.as_deref(), passage.is_error);
    format!("line {} · {who} · {}", passage.line, moment(passage.millis))
        .trim_end_matches([' ', '·'])
        .to_owned()
}
