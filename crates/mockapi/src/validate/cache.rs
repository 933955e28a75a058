//! Rules about cache marks: few of them, and not on blocks that cannot be cached.

use annals_json::Value;

use super::body::{ContentBlock, RequestBody};
use super::{Rule, Violation};

const MAX_MARKS: usize = 4;

pub(super) fn few_marks(body: &RequestBody<'_>) -> Vec<Violation> {
    let listed = |key: &str| {
        let list = body.fields.get(key);
        list.map_or(0, |list| list.items().filter(|item| is_marked(*item)).count())
    };
    let inner = body.blocks().flat_map(ContentBlock::inner).filter(|block| has_mark(block)).count();
    let outer = body.blocks().filter(|block| has_mark(block)).count();
    let marks = listed("system") + listed("tools") + outer + inner;
    if marks <= MAX_MARKS {
        return vec![];
    }
    let text = format!("A maximum of {MAX_MARKS} blocks with cache_control may be provided. Found {marks}.");
    vec![Violation::new(Rule::FewCacheMarks, "messages", text)]
}

pub(super) fn mark_allowed(body: &RequestBody<'_>) -> Vec<Violation> {
    let refusing =
        |block: &&ContentBlock<'_>| ["thinking", "redacted_thinking"].contains(&block.kind.as_str());
    let marked = body.blocks().filter(refusing).filter(|block| has_mark(block));
    let say = |block: &ContentBlock<'_>| {
        let text = format!("cache_control cannot be set on `{}` blocks", block.kind);
        Violation::new(Rule::CacheMarkAllowed, &block.place, text)
    };
    marked.map(say).collect()
}

fn is_marked(item: Value<'_>) -> bool {
    item.get("cache_control").is_some_and(|mark| !mark.is_null())
}

fn has_mark(block: &ContentBlock<'_>) -> bool {
    block.fields.get("cache_control").is_some_and(|mark| !mark.is_null())
}

#[cfg(test)]
mod tests {
    use super::super::super::sign;
    use super::super::tests::{broken, broken_body};

    const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;

    fn request(tools: usize, system: usize, texts: usize) -> Vec<String> {
        let list = |count: usize| {
            vec![format!(r#"{{"type":"text","text":"x","name":"x",{MARK}}}"#); count].join(",")
        };
        broken_body(&format!(
            r#"{{"model":"m","max_tokens":1,"tools":[{}],"system":[{}],"messages":[{{"role":"user","content":[{{"type":"text","text":"x"}},{}]}}]}}"#,
            list(tools),
            list(system),
            list(texts)
        ))
    }

    #[test]
    fn four_marks_are_enough() {
        assert_eq!(request(1, 2, 1), [""; 0]);
        assert_eq!(request(1, 2, 2), ["few_cache_marks messages"]);
        assert_eq!(request(0, 0, 5), ["few_cache_marks messages"]);
    }

    #[test]
    fn thinking_takes_no_mark() {
        let messages = format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{{"type":"thinking","thinking":"p","signature":"{}",{MARK}}},{{"type":"text","text":"t"}}]}},
            {{"role":"user","content":"y"}}]"#,
            sign::signature("p")
        );
        assert_eq!(broken(&messages), ["cache_mark_allowed messages.1.content.0"]);
    }
}
