//! The fields of records that hold no text: ids, types and paths, and signatures, images and documents.

use annals_json::{Fields, Text, Value};

use super::haystack::is_data;
use super::visit::JsonContext;

/// Structural fields of records: ids, types and paths. A value with white space is text.
const STRUCTURAL_FIELDS: [&str; 40] = [
    "type",
    "subtype",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "sessionId",
    "session_id",
    "agentId",
    "requestId",
    "id",
    "tool_use_id",
    "toolUseID",
    "toolUseId",
    "parentToolUseID",
    "sourceToolUseID",
    "sourceToolAssistantUUID",
    "messageId",
    "leafUuid",
    "snapshotMessageId",
    "timestamp",
    "backupTime",
    "backupFileName",
    "cwd",
    "gitBranch",
    "version",
    "role",
    "model",
    "slug",
    "userType",
    "entrypoint",
    "level",
    "stop_reason",
    "stop_sequence",
    "service_tier",
    "media_type",
    "status",
    "promptId",
    "contentHash",
    "fullPath",
    "projectPath",
];
/// Structural fields that are structural in tool data too.
const ALWAYS_STRUCTURAL_FIELDS: [&str; 6] =
    ["type", "agentId", "tool_use_id", "uuid", "sessionId", "media_type"];
/// Structural fields that are paths, which may have white space.
const PATH_FIELDS: [&str; 3] = ["cwd", "fullPath", "projectPath"];

/// Whether a field is structural: its value stays.
pub(super) fn is_structure(name: &str, value: Value<'_>, context: JsonContext) -> bool {
    let is_named = match context {
        JsonContext::Record => STRUCTURAL_FIELDS.contains(&name),
        JsonContext::ToolData => ALWAYS_STRUCTURAL_FIELDS.contains(&name),
        JsonContext::ScanOnly => false,
    };
    let is_word = |text: Text<'_>| !text.decode().contains(char::is_whitespace);
    is_named && value.text().is_some_and(|text| PATH_FIELDS.contains(&name) || is_word(text))
}

/// Whether a field holds data instead of text: a signature, an image, a document.
pub(super) fn is_sealed(name: &str, kind: &str, value: Value<'_>, beside: &Fields<'_>) -> bool {
    let is_solid = |text: Text<'_>| {
        text.raw().iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_\\nr".contains(byte))
    };
    let Some(text) = value.text().filter(|text| is_solid(*text)) else { return false };
    match name {
        "signature" | "thinkingSignature" => ["thinking", "signature_delta"].contains(&kind),
        "data" => ["base64", "image", "audio", "document", "redacted_thinking"].contains(&kind),
        "base64" | "blob" => has_media_type(beside) || is_data(&text.decode()),
        _ => false,
    }
}

/// Whether a sibling field names a media type, such as `image/png`.
fn has_media_type(fields: &Fields<'_>) -> bool {
    ["type", "media_type", "mediaType", "mimeType"]
        .iter()
        .any(|name| fields.text(name).is_some_and(|kind| kind.raw().contains(&b'/')))
}
