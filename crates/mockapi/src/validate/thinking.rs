//! Rules about thinking: a client gives back exactly what it was given, or leaves it out.

use super::super::sign;
use super::body::{ContentBlock, RequestBody};
use super::{Rule, Violation};

pub(super) fn unchanged(body: &RequestBody<'_>) -> Vec<Violation> {
    body.blocks().filter_map(check).collect()
}

pub(super) fn not_last(body: &RequestBody<'_>) -> Vec<Violation> {
    let turns = body.turns();
    let of_assistant = turns.iter().filter(|turn| turn.role == "assistant");
    let last = of_assistant.filter_map(|turn| turn.blocks.last().copied());
    let thinking = last.filter(|block| ["thinking", "redacted_thinking"].contains(&block.kind.as_str()));
    let say = |block: &ContentBlock<'_>| {
        let text = format!("The final block in an assistant message cannot be `{}`.", block.kind);
        Violation::new(Rule::ThinkingNotLast, &block.place, text)
    };
    thinking.map(say).collect()
}

fn check(block: &ContentBlock<'_>) -> Option<Violation> {
    let (holds, rule, text) = match block.kind.as_str() {
        "thinking" => (
            block.fields.text("thinking").is_some()
                && block.text("signature") == sign::signature(&block.text("thinking")),
            Rule::ThinkingUnchanged,
            "Invalid `signature` in `thinking` block",
        ),
        "redacted_thinking" => (
            sign::is_redacted_here(&block.text("data")),
            Rule::RedactedUnchanged,
            "Invalid `data` in `redacted_thinking` block",
        ),
        _ => return None,
    };
    (!holds).then(|| Violation::new(rule, &block.place, text))
}

#[cfg(test)]
mod tests {
    use super::super::super::sign;
    use super::super::tests::broken;

    fn after(blocks: &str) -> Vec<String> {
        broken(&format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{blocks},{TEXT}]}},{{"role":"user","content":"y"}}]"#
        ))
    }

    const TEXT: &str = r#"{"type":"text","text":"t"}"#;

    #[test]
    fn thinking_leads_to_something() {
        let thought =
            format!(r#"{{"type":"thinking","thinking":"a","signature":"{}"}}"#, sign::signature("a"));
        let sealed = format!(r#"{{"type":"redacted_thinking","data":"{}"}}"#, sign::redacted("x"));
        let alone = |blocks: &[&str]| {
            broken(&format!(
                r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{}]}},{{"role":"user","content":"y"}}]"#,
                blocks.join(",")
            ))
        };
        assert_eq!(alone(&[&thought, TEXT]), [""; 0]);
        assert_eq!(alone(&[&thought]), ["thinking_not_last messages.1.content.0"]);
        assert_eq!(alone(&[TEXT, &sealed]), ["thinking_not_last messages.1.content.1"]);
    }

    #[test]
    fn thinking_comes_back_as_it_was() {
        let block = |thinking: &str, signature: &str| {
            format!(r#"{{"type":"thinking","thinking":"{thinking}","signature":"{signature}"}}"#)
        };
        let signature = sign::signature("plan é\n");
        assert_eq!(after(&block("plan é\\n", &signature)), [""; 0]);
        assert_eq!(after(&block("plan \\u00e9\\n", &signature)), [""; 0], "the text counts, not its escapes");
        assert_eq!(after(&block("", &sign::signature(""))), [""; 0]);
        for (thinking, signature) in [("plan", signature.as_str()), ("plan é\\n", ""), ("", &signature)] {
            assert_eq!(
                after(&block(thinking, signature)),
                ["thinking_unchanged messages.1.content.0"],
                "{thinking}"
            );
        }
        assert_eq!(
            after(&format!(r#"{{"type":"thinking","signature":"{}"}}"#, sign::signature(""))),
            ["thinking_unchanged messages.1.content.0"]
        );
    }

    #[test]
    fn redacted_thinking_is_ours() {
        let block = |data: &str| format!(r#"{{"type":"redacted_thinking","data":"{data}"}}"#);
        assert_eq!(after(&block(&sign::redacted("x"))), [""; 0]);
        assert_eq!(after(&block("c29tZXRoaW5n")), ["redacted_unchanged messages.1.content.0"]);
    }
}
