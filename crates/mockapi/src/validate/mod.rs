//! Requests that the Messages API rejects, as rules: each a small function that returns where it is violated.
//!
//! The rules are those that the API documents or was publicly seen to enforce. A rule that a real client violates without
//! an error would be a bug here: the harness in `interop/` runs real clients against them.

mod body;
mod cache;
mod headers;
mod images;
mod served;
mod shape;
mod thinking;
mod tools;

use annals_json::ObjectWriter;

use body::RequestBody;
pub(super) use headers::check as check_headers;
pub(super) use served::excuse_served;

/// A rule of the Messages API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The body is a JSON object.
    BodyIsJson,
    /// `model` is there.
    ModelGiven,
    /// `max_tokens` is there.
    MaxTokensGiven,
    /// There are messages.
    MessagesNotEmpty,
    /// Roles are user, assistant or (in newer models) system.
    RolesKnown,
    /// The first message is the user's.
    FirstIsUser,
    /// The last message, except system messages, is the user's.
    EndsWithUser,
    /// A system message follows a user message and is the last or before an assistant message.
    SystemPlaced,
    /// A message has content.
    ContentNotEmpty,
    /// A text block has text.
    TextNotEmpty,
    /// Tool calls and thinking are in assistant messages, results in user messages.
    BlockInItsRole,
    /// Each tool call is answered in the next user message.
    ToolUseAnswered,
    /// Each result answers a call of the assistant message before.
    ToolResultAsked,
    /// No call and no answer comes twice.
    ToolIdsUnique,
    /// Results come first in their message.
    ResultsFirst,
    /// The input of a call is an object.
    InputIsObject,
    /// An error result has content.
    ErrorResultSaysSomething,
    /// Thinking carries the signature of its text.
    ThinkingUnchanged,
    /// Thinking is never the last block of an assistant turn.
    ThinkingNotLast,
    /// Redacted thinking is what the API gave.
    RedactedUnchanged,
    /// At most four cache marks in all.
    FewCacheMarks,
    /// No cache mark on thinking.
    CacheMarkAllowed,
    /// An image is of a kind that the API takes.
    ImageKindKnown,
    /// An image is base 64 of an image of its kind.
    ImageDecodes,
    /// The `anthropic-version` header is there.
    VersionHeader,
    /// A key or a token is there.
    KeyHeader,
}

impl Rule {
    /// The rule's name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::BodyIsJson => "body_is_json",
            Self::ModelGiven => "model_given",
            Self::MaxTokensGiven => "max_tokens_given",
            Self::MessagesNotEmpty => "messages_not_empty",
            Self::RolesKnown => "roles_known",
            Self::FirstIsUser => "first_is_user",
            Self::EndsWithUser => "ends_with_user",
            Self::SystemPlaced => "system_placed",
            Self::ContentNotEmpty => "content_not_empty",
            Self::TextNotEmpty => "text_not_empty",
            Self::BlockInItsRole => "block_in_its_role",
            Self::ToolUseAnswered => "tool_use_answered",
            Self::ToolResultAsked => "tool_result_asked",
            Self::ToolIdsUnique => "tool_ids_unique",
            Self::ResultsFirst => "results_first",
            Self::InputIsObject => "input_is_object",
            Self::ErrorResultSaysSomething => "error_result_says_something",
            Self::ThinkingUnchanged => "thinking_unchanged",
            Self::ThinkingNotLast => "thinking_not_last",
            Self::RedactedUnchanged => "redacted_unchanged",
            Self::FewCacheMarks => "few_cache_marks",
            Self::CacheMarkAllowed => "cache_mark_allowed",
            Self::ImageKindKnown => "image_kind_known",
            Self::ImageDecodes => "image_decodes",
            Self::VersionHeader => "version_header",
            Self::KeyHeader => "key_header",
        }
    }
}

/// A rule that a request breaks, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    /// The place, as the API names it: `messages.3.content.0`.
    pub place: String,
    /// The API's error message.
    pub message: String,
}

impl Violation {
    fn new(rule: Rule, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule, place: place.into(), message: message.into() }
    }

    pub(super) fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string("rule", self.rule.name()).string("place", &self.place);
        object.string("message", &self.message);
    }
}

/// A rule's check.
type Check = fn(&RequestBody<'_>) -> Vec<Violation>;

const RULES: [Check; 21] = [
    shape::max_tokens_given,
    shape::model_given,
    shape::messages_not_empty,
    shape::roles_known,
    shape::first_is_user,
    shape::ends_with_user,
    shape::system_placed,
    shape::content_not_empty,
    shape::text_not_empty,
    tools::block_in_its_role,
    tools::ids_unique,
    tools::use_answered,
    tools::result_asked,
    tools::results_first,
    tools::input_is_object,
    tools::error_says_something,
    thinking::unchanged,
    thinking::not_last,
    cache::few_marks,
    cache::mark_allowed,
    images::acceptable,
];

/// Every rule that the body of `POST /v1/messages` breaks.
pub fn validate(body: &[u8]) -> Vec<Violation> {
    match RequestBody::parse(body) {
        Some(body) => RULES.iter().flat_map(|rule| rule(&body)).collect(),
        None => vec![Violation::new(Rule::BodyIsJson, "body", "The request body is not a JSON object.")],
    }
}

/// Every rule that the body of `POST /v1/messages/count_tokens` breaks: nothing is made there, so nothing is limited.
pub fn validate_count(body: &[u8]) -> Vec<Violation> {
    let mut found = validate(body);
    found.retain(|violation| violation.rule != Rule::MaxTokensGiven);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The violations in a request with these messages, as `rule place`.
    pub(super) fn broken(messages: &str) -> Vec<String> {
        broken_body(&format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#))
    }

    /// The violations in this body, as `rule place`.
    pub(super) fn broken_body(body: &str) -> Vec<String> {
        let found = validate(body.as_bytes());
        found.iter().map(|broken| format!("{} {}", broken.rule.name(), broken.place)).collect()
    }

    #[test]
    fn a_sound_conversation_breaks_nothing() {
        let sound = r#"[{"role":"user","content":"hello"},
            {"role":"assistant","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"a","name":"X","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"},{"type":"text","text":"more"}]}]"#;
        assert_eq!(broken(sound), [""; 0]);
    }

    #[test]
    fn what_is_no_json_object_is_refused_as_such() {
        for body in ["", "[]", "{\"model\":", "{} {}"] {
            assert_eq!(broken_body(body), ["body_is_json body"]);
        }
    }

    #[test]
    fn counting_needs_no_limit() {
        let body = br#"{"model":"m","messages":[{"role":"user","content":"hello"}]}"#;
        assert_eq!(validate_count(body), []);
        assert_eq!(validate(body)[0].rule, Rule::MaxTokensGiven);
    }
}
