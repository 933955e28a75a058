//! What hooks said, as the model is told. These sentences are the same in all known clients.

use crate::record::AttachmentBody;
use annals_json::{Text, Value};

/// Returns the sentences of a hook's attachment; `None` if it is another one.
pub(super) fn words(body: &AttachmentBody<'_>) -> Option<Vec<String>> {
    let kind = body.kind_name()?;
    let name = body.fields().text("hookName").map(Text::decode).unwrap_or_default();
    let text = |value: Option<Value<'_>>| {
        value.and_then(Value::text).map(|text| text.decode().into_owned()).unwrap_or_default()
    };
    let sentence = match () {
        () if kind.is("hook_success") => format!("{name} hook success: {}", text(body.content())),
        () if kind.is("hook_additional_context") => {
            let content = body.content();
            let listed = content.into_iter().flat_map(Value::items).map(|item| text(Some(item)));
            let all = match content.and_then(Value::text) {
                Some(one) => one.decode().into_owned(),
                None => listed.collect::<Vec<_>>().join("\n"),
            };
            format!("{name} hook additional context: {all}")
        }
        () if kind.is("hook_blocking_error") => {
            let error = body.fields().get("blockingError");
            let part = |key: &str| text(error.and_then(|error| error.get(key)));
            let (command, why) = (part("command"), part("blockingError"));
            format!("{name} hook blocking error from command: \"{command}\": {why}")
        }
        () if kind.is("hook_stopped_continuation") => {
            format!("{name} hook stopped continuation: {}", text(body.fields().get("message")))
        }
        () if kind.is("async_hook_response") => {
            let response = body.fields().get("response");
            let specific = response.and_then(|response| response.get("hookSpecificOutput"));
            let parts = [
                text(response.and_then(|response| response.get("systemMessage"))),
                text(specific.and_then(|specific| specific.get("additionalContext"))),
            ];
            return Some(parts.into_iter().filter(|part| !part.is_empty()).collect());
        }
        () => return None,
    };
    Some(vec![sentence])
}

#[cfg(test)]
mod tests {
    use annals_json::Fields;

    use super::*;

    fn said(json: &str) -> Option<Vec<String>> {
        words(&AttachmentBody::new(Fields::scan(json.as_bytes()).unwrap().0))
    }

    #[test]
    fn hooks_speak_in_the_sentences_of_the_client() {
        for (json, sentences) in [
            (
                r#"{"type":"hook_success","hookName":"SessionStart:startup","content":"A"}"#,
                vec!["SessionStart:startup hook success: A"],
            ),
            (
                r#"{"type":"hook_additional_context","hookName":"PreToolUse:Bash","content":["A","B"]}"#,
                vec!["PreToolUse:Bash hook additional context: A\nB"],
            ),
            (
                r#"{"type":"hook_blocking_error","hookName":"PostToolUse:Bash","blockingError":{"blockingError":"[x]: no","command":"x"}}"#,
                vec![r#"PostToolUse:Bash hook blocking error from command: "x": [x]: no"#],
            ),
            (
                r#"{"type":"hook_stopped_continuation","hookName":"PostToolUse:Bash","message":"ENOUGH"}"#,
                vec!["PostToolUse:Bash hook stopped continuation: ENOUGH"],
            ),
            (
                r#"{"type":"async_hook_response","hookName":"X","response":{"systemMessage":"S","hookSpecificOutput":{"additionalContext":"C"}}}"#,
                vec!["S", "C"],
            ),
            (r#"{"type":"async_hook_response","hookName":"X","response":{}}"#, vec![]),
        ] {
            assert_eq!(said(json).unwrap(), sentences, "{json}");
        }
        assert_eq!(said(r#"{"type":"file","filename":"a"}"#), None);
    }
}
