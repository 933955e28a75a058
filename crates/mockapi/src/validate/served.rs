//! What the script serves may come back as it is: signatures and data of its own, and a response that it paused.

use annals_json::{Fields, Value};

use super::body::{ContentBlock, RequestBody};
use super::{Rule, Violation};
use crate::script::Script;

const PAUSE: &str = "pause_turn";

/// Removes violations by what the script itself has served.
pub(crate) fn excuse_served(found: &mut Vec<Violation>, body: &[u8], script: &Script) {
    let Some(body) = RequestBody::parse(body) else { return };
    found.retain(|violation| match violation.rule {
        Rule::ThinkingUnchanged | Rule::RedactedUnchanged => {
            let block = body.blocks().find(|block| block.place == violation.place);
            !block.is_some_and(|block| is_of_script(block, script))
        }
        Rule::EndsWithUser => !was_paused(&body, script),
        _ => true,
    });
}

/// Whether a block of the script has this text with this signature, or this data.
fn is_of_script(block: &ContentBlock<'_>, script: &Script) -> bool {
    let keys: &[&str] = if block.kind == "thinking" { &["thinking", "signature"] } else { &["data"] };
    let is_same = |served: &Fields<'_>| {
        let text = |key: &str| served.text(key).map(|text| text.to_string());
        text("type").is_some_and(|kind| kind == block.kind)
            && keys.iter().all(|key| text(key).is_some_and(|text| text == block.text(key)))
    };
    let served = script.steps().flat_map(|step| &step.content).filter_map(|block| fields(block));
    served.into_iter().any(|served| is_same(&served))
}

/// Whether the request ends with a response that the script paused: the client sends it back to have it continued.
fn was_paused(body: &RequestBody<'_>, script: &Script) -> bool {
    let turns = body.turns();
    let Some(last) = turns.last().filter(|turn| turn.role == "assistant") else { return false };
    let paused = script.steps().filter(|step| step.stop_reason.as_deref() == Some(PAUSE));
    let ends_with = |content: &[Vec<u8>]| {
        let Some(from) = last.blocks.len().checked_sub(content.len()) else { return false };
        let served = content.iter().map(|block| fields(block));
        !content.is_empty() && served.zip(&last.blocks[from..]).all(|(served, block)| is_like(served, block))
    };
    paused.into_iter().any(|step| ends_with(&step.content))
}

/// Whether a block is the served one; what the API adds to it does not count.
fn is_like(served: Option<Fields<'_>>, block: &ContentBlock<'_>) -> bool {
    let Some(served) = served else { return false };
    let keys = ["type", "text", "thinking", "id", "name", "tool_use_id"];
    let text = |key: &str| served.text(key).map(|text| text.to_string());
    keys.iter().all(|key| text(key).is_none_or(|text| text == block.text(key)))
}

fn fields(block: &[u8]) -> Option<Fields<'_>> {
    Value::parse(block).ok().and_then(Value::fields)
}

#[cfg(test)]
mod tests {
    use super::super::validate;
    use super::*;

    fn broken(script: &str, messages: &str) -> Vec<String> {
        let script = Script::parse(script, "/w").unwrap();
        let body = format!(r#"{{"model":"m","max_tokens":9,"messages":{messages}}}"#);
        let mut found = validate(body.as_bytes());
        excuse_served(&mut found, body.as_bytes(), &script);
        found.iter().map(|broken| broken.rule.name().to_owned()).collect()
    }

    fn after(script: &str, block: &str) -> Vec<String> {
        let text = r#"{"type":"text","text":"t"}"#;
        broken(
            script,
            &format!(
                r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{block},{text}]}},{{"role":"user","content":"y"}}]"#
            ),
        )
    }

    #[test]
    fn signatures_of_the_script_are_known_again() {
        let block = |text: &str, signature: &str| {
            format!(r#"{{"type":"thinking","thinking":"{text}","signature":"{signature}"}}"#)
        };
        let sealed = |data: &str| format!(r#"{{"type":"redacted_thinking","data":"{data}"}}"#);
        let script = format!(r#"{{"a":[[{},{}]]}}"#, block("hm", "mine"), sealed("c2VjcmV0"));
        assert_eq!(after(&script, &block("hm", "mine")), [""; 0]);
        assert_eq!(after(&script, &block("hm", "theirs")), ["thinking_unchanged"]);
        assert_eq!(after(&script, &block("ha", "mine")), ["thinking_unchanged"]);
        assert_eq!(after(&script, &sealed("c2VjcmV0")), [""; 0]);
        assert_eq!(after(&script, &sealed("b3RoZXI=")), ["redacted_unchanged"]);
    }

    #[test]
    fn a_paused_response_comes_back_as_it_is() {
        let script = r#"{"a":[{"content":[{"type":"text","text":"wait"}],"stop_reason":"pause_turn"},
            [{"type":"text","text":"done"}]]}"#;
        let ends = |text: &str| {
            let last = format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#);
            broken(script, &format!(r#"[{{"role":"user","content":"x"}},{last}]"#))
        };
        assert_eq!(ends("wait"), [""; 0]);
        assert_eq!(ends("done"), ["ends_with_user"]);
    }
}
