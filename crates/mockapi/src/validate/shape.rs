//! Rules about the outline of a request: what must be there, the order of roles, and that no message is empty.

use annals_json::{Value, ValueKind};

use super::body::{RequestBody, RequestMessage};
use super::{Rule, Violation};

pub(super) fn model_given(body: &RequestBody<'_>) -> Vec<Violation> {
    let given = body.fields.text("model").is_some_and(|model| !model.is_empty());
    if given { vec![] } else { vec![Violation::new(Rule::ModelGiven, "model", "Field required")] }
}

pub(super) fn max_tokens_given(body: &RequestBody<'_>) -> Vec<Violation> {
    let given = body.fields.count("max_tokens").is_some_and(|count| count > 0);
    if given { vec![] } else { vec![Violation::new(Rule::MaxTokensGiven, "max_tokens", "Field required")] }
}

pub(super) fn messages_not_empty(body: &RequestBody<'_>) -> Vec<Violation> {
    if body.messages.is_empty() {
        return vec![Violation::new(Rule::MessagesNotEmpty, "messages", "at least one message is required")];
    }
    vec![]
}

pub(super) fn roles_known(body: &RequestBody<'_>) -> Vec<Violation> {
    let known =
        |message: &&RequestMessage<'_>| ["user", "assistant", "system"].contains(&message.role.as_str());
    let strange = body.messages.iter().filter(|message| !known(message));
    let say = |message: &RequestMessage<'_>| {
        let text = format!("Unexpected role \"{}\"", message.role);
        Violation::new(Rule::RolesKnown, format!("{}.role", message.place), text)
    };
    strange.map(say).collect()
}

pub(super) fn first_is_user(body: &RequestBody<'_>) -> Vec<Violation> {
    let first = body.messages.iter().find(|message| !message.is_directive);
    let first = first.filter(|message| message.role != "user");
    let say = |message: &RequestMessage<'_>| {
        Violation::new(Rule::FirstIsUser, &message.place, "first message must use the \"user\" role")
    };
    first.map(say).into_iter().collect()
}

pub(super) fn ends_with_user(body: &RequestBody<'_>) -> Vec<Violation> {
    let last = body.messages.iter().rfind(|message| message.role != "system");
    let say = |message: &RequestMessage<'_>| {
        let text = "This model does not support assistant message prefill. The conversation must end with a user message.";
        Violation::new(Rule::EndsWithUser, &message.place, text)
    };
    last.filter(|message| message.role == "assistant" && !has_paused(message)).map(say).into_iter().collect()
}

/// Whether the server was at work when the answer paused: that is sent back as it is, to be continued.
fn has_paused(message: &RequestMessage<'_>) -> bool {
    let last = message.content.and_then(|content| content.items().last());
    let kind = last.and_then(|block| block.get("type")?.text());
    kind.is_some_and(|kind| ["server_tool_use", "web_search_tool_result"].iter().any(|name| kind.is(name)))
}

/// Newer models take system messages in mid-conversation: right after a user message (or another system message), and
/// then nothing, or the assistant, follows.
pub(super) fn system_placed(body: &RequestBody<'_>) -> Vec<Violation> {
    let messages: Vec<_> = body.messages.iter().filter(|message| !message.is_directive).collect();
    let role = |at: usize| messages.get(at).map(|message| message.role.as_str());
    let mut found = Vec::new();
    for (at, message) in messages.iter().enumerate().filter(|(_, message)| message.role == "system") {
        let before = at.checked_sub(1).and_then(role);
        let follows = matches!(before, Some("user" | "system"));
        let leads = matches!(role(at + 1), None | Some("assistant" | "system"));
        if !follows || !leads {
            let text =
                "a system message must follow a user message and precede an assistant message or the end";
            found.push(Violation::new(Rule::SystemPlaced, &message.place, text));
        }
    }
    found
}

pub(super) fn content_not_empty(body: &RequestBody<'_>) -> Vec<Violation> {
    let empty = body.messages.iter().filter(|message| !message.is_directive && is_empty(message.content));
    let say = |message: &RequestMessage<'_>| {
        Violation::new(Rule::ContentNotEmpty, &message.place, "all messages must have non-empty content")
    };
    empty.map(say).collect()
}

fn is_empty(content: Option<Value<'_>>) -> bool {
    let Some(content) = content else { return true };
    match content.kind() {
        ValueKind::String => content.text().is_none_or(|text| text.decode().trim().is_empty()),
        ValueKind::Array => content.items().next().is_none(),
        _ => true,
    }
}

pub(super) fn text_not_empty(body: &RequestBody<'_>) -> Vec<Violation> {
    let inner = body.blocks().flat_map(|block| block.inner());
    let places = inner.map(|block| (block.place.clone(), block.kind.clone(), block.text("text")));
    let outer = body.blocks().map(|block| (block.place.clone(), block.kind.clone(), block.text("text")));
    let empty = outer.chain(places).filter(|(_, kind, text)| kind == "text" && text.trim().is_empty());
    let say = |(place, _, text): (String, String, String)| {
        let what = if text.is_empty() { "be non-empty" } else { "contain non-whitespace text" };
        Violation::new(Rule::TextNotEmpty, place, format!("text content blocks must {what}"))
    };
    empty.map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{broken, broken_body};

    const NONE: [&str; 0] = [];

    #[test]
    fn model_limit_and_messages_are_required() {
        assert_eq!(
            broken_body("{}"),
            ["max_tokens_given max_tokens", "model_given model", "messages_not_empty messages"]
        );
        assert_eq!(
            broken_body(r#"{"model":"","max_tokens":0,"messages":[{"role":"user","content":"x"}]}"#),
            ["max_tokens_given max_tokens", "model_given model"]
        );
    }

    #[test]
    fn roles_are_known_and_the_user_comes_first() {
        assert_eq!(
            broken(r#"[{"role":"tool","content":"x"},{"role":"user","content":"x"}]"#),
            ["roles_known messages.0.role", "first_is_user messages.0"]
        );
        assert_eq!(
            broken(r#"[{"role":"assistant","content":"x"},{"role":"user","content":"x"}]"#),
            ["first_is_user messages.0"]
        );
        assert_eq!(broken(r#"[{"role":"user","content":"x"},{"role":"user","content":"x"}]"#), NONE);
    }

    #[test]
    fn the_user_has_the_last_word() {
        assert_eq!(
            broken(r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#),
            ["ends_with_user messages.1"]
        );
        // What the server began goes back as it is.
        let paused = |last: &str| {
            let call = r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}"#;
            let content = [&[call], &[last][..]].concat().join(",").trim_end_matches(',').to_owned();
            broken(&format!(
                r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{content}]}}]"#
            ))
        };
        assert_eq!(paused(""), NONE);
        assert_eq!(paused(r#"{"type":"text","text":"x"}"#), ["ends_with_user messages.1"]);
        assert_eq!(broken(r#"[{"role":"user","content":"x"},{"role":"system","content":"y"}]"#), NONE);
    }

    #[test]
    fn system_messages_have_their_places() {
        let (user, assistant, system) = (
            r#"{"role":"user","content":"x"}"#,
            r#"{"role":"assistant","content":"y"}"#,
            r#"{"role":"system","content":"z"}"#,
        );
        let list = |messages: &[&str]| broken(&format!("[{}]", messages.join(",")));
        assert_eq!(list(&[user, system, system, assistant, user, system]), NONE);
        assert_eq!(list(&[system, user]), ["first_is_user messages.0", "system_placed messages.0"]);
        assert_eq!(list(&[user, system, user]), ["system_placed messages.1"]);
        assert_eq!(list(&[user, assistant, system, assistant, user]), ["system_placed messages.2"]);
    }

    #[test]
    fn a_directive_may_stand_anywhere() {
        let (user, assistant) = (r#"{"role":"user","content":"x"}"#, r#"{"role":"assistant","content":"y"}"#);
        let directive = r#"{"role":"system","content":[],"output_config":{"effort":"low"}}"#;
        assert_eq!(
            broken(&format!("[{directive},{user},{directive},{user},{assistant},{directive},{user}]")),
            NONE
        );
        for bare in [
            r#"{"role":"system","content":[]}"#,
            r#"{"role":"user","content":[],"output_config":{"effort":"low"}}"#,
        ] {
            assert_eq!(broken(&format!("[{user},{bare}]")), ["content_not_empty messages.1"]);
        }
    }

    #[test]
    fn nobody_says_nothing() {
        for empty in [r#""""#, r#"" ""#, "[]", "null", "{}"] {
            let messages = format!(r#"[{{"role":"user","content":{empty}}}]"#);
            assert_eq!(broken(&messages), ["content_not_empty messages.0"], "{empty}");
        }
        assert_eq!(broken(r#"[{"role":"user"}]"#), ["content_not_empty messages.0"]);
    }

    #[test]
    fn text_blocks_have_text() {
        assert_eq!(
            broken(
                r#"[{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":""},{"type":"text","text":"\n"}]}]"#
            ),
            ["text_not_empty messages.0.content.1", "text_not_empty messages.0.content.2"]
        );
        assert_eq!(
            broken(
                r#"[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":""}]}]}]"#
            ),
            ["text_not_empty messages.2.content.0.content.0"]
        );
    }
}
