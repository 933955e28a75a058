//! Rules about tool calls and their results: their roles, pairing, and the position of results.

use std::collections::BTreeSet;

use annals_json::ValueKind;

use super::body::{ContentBlock, RequestBody, RoleTurn};
use super::{Rule, Violation};

/// Kinds of blocks that belong to one role.
const BELONGS: [(&str, &str); 4] = [
    ("tool_use", "assistant"),
    ("thinking", "assistant"),
    ("redacted_thinking", "assistant"),
    ("tool_result", "user"),
];

pub(super) fn block_in_its_role(body: &RequestBody<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for message in &body.messages {
        for block in &message.blocks {
            let owner = BELONGS.iter().find(|(kind, _)| *kind == block.kind).map(|(_, role)| *role);
            if let Some(role) = owner.filter(|role| *role != message.role) {
                let text = format!("`{}` blocks can only be in `{role}` messages", block.kind);
                found.push(Violation::new(Rule::BlockInItsRole, &block.place, text));
            }
        }
    }
    found
}

pub(super) fn ids_unique(body: &RequestBody<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (kind, key) in [("tool_use", "id"), ("tool_result", "tool_use_id")] {
        let mut seen = BTreeSet::new();
        for block in body.blocks().filter(|block| block.kind == kind) {
            let id = block.text(key);
            if id.is_empty() || !seen.insert(id.clone()) {
                let text = format!("`{kind}` ids must be given and unique: {id:?}");
                found.push(Violation::new(Rule::ToolIdsUnique, &block.place, text));
            }
        }
    }
    found
}

pub(super) fn use_answered(body: &RequestBody<'_>) -> Vec<Violation> {
    let turns = body.turns();
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.role == "assistant") {
        let answers = results(turns.get(at + 1));
        let open = turn.ids("tool_use", "id").into_iter().filter(|(id, _)| !answers.contains(id));
        found.extend(open.map(|(id, place)| {
            let text = format!(
                "`tool_use` ids were found without `tool_result` blocks immediately after: {id}. \
                 Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            );
            Violation::new(Rule::ToolUseAnswered, place, text)
        }));
    }
    found
}

fn results(turn: Option<&RoleTurn<'_, '_>>) -> BTreeSet<String> {
    let ids = turn.map_or_else(Vec::new, |turn| turn.ids("tool_result", "tool_use_id"));
    ids.into_iter().map(|(id, _)| id).collect()
}

pub(super) fn result_asked(body: &RequestBody<'_>) -> Vec<Violation> {
    let turns = body.turns();
    let mut found = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| turns.get(before));
        let asked = before.map_or_else(Vec::new, |turn| turn.ids("tool_use", "id"));
        for (id, place) in turn.ids("tool_result", "tool_use_id") {
            if !asked.iter().any(|(known, _)| *known == id) {
                let text = format!(
                    "unexpected `tool_use_id` found in `tool_result` blocks: {id}. \
                     Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                );
                found.push(Violation::new(Rule::ToolResultAsked, place, text));
            }
        }
    }
    found
}

pub(super) fn results_first(body: &RequestBody<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for turn in body.turns() {
        let is_result = |block: &&ContentBlock<'_>| block.kind == "tool_result";
        let late = turn.blocks.iter().copied().skip_while(is_result).filter(is_result);
        let say = |block: &ContentBlock<'_>| {
            let text = format!("`tool_result` blocks must come first in {}", turn.place);
            Violation::new(Rule::ResultsFirst, &block.place, text)
        };
        found.extend(late.map(say));
    }
    found
}

pub(super) fn input_is_object(body: &RequestBody<'_>) -> Vec<Violation> {
    let calls = body.blocks().filter(|block| block.kind == "tool_use");
    let odd = calls
        .filter(|block| block.fields.get("input").is_some_and(|input| input.kind() != ValueKind::Object));
    let say = |block: &ContentBlock<'_>| {
        let place = format!("{}.tool_use.input", block.place);
        Violation::new(Rule::InputIsObject, place, "Input should be a valid dictionary")
    };
    odd.map(say).collect()
}

pub(super) fn error_says_something(body: &RequestBody<'_>) -> Vec<Violation> {
    let errors =
        body.blocks().filter(|block| block.kind == "tool_result" && block.fields.is_true("is_error"));
    let silent = errors.filter(|block| block.text("content").is_empty() && block.inner().is_empty());
    let say = |block: &ContentBlock<'_>| {
        let text = "tool_result: content cannot be empty if `is_error` is true";
        Violation::new(Rule::ErrorResultSaysSomething, &block.place, text)
    };
    silent.map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;

    const NONE: [&str; 0] = [];

    /// A prompt, then an assistant message and a user message with these blocks.
    fn exchange(assistant: &str, user: &str) -> Vec<String> {
        broken(&format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{assistant}]}},{{"role":"user","content":[{user}]}}]"#
        ))
    }

    fn call(id: &str) -> String {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"X","input":{{}}}}"#)
    }

    fn answer(id: &str) -> String {
        format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#)
    }

    const TEXT: &str = r#"{"type":"text","text":"t"}"#;

    #[test]
    fn calls_and_answers_pair() {
        let (two, both) = ([call("a"), call("b")].join(","), [answer("b"), answer("a")].join(","));
        assert_eq!(exchange(&two, &both), NONE);
        assert_eq!(exchange(&two, &answer("b")), ["tool_use_answered messages.1.content.0"]);
        assert_eq!(
            exchange(&two, TEXT),
            ["tool_use_answered messages.1.content.0", "tool_use_answered messages.1.content.1"]
        );
        assert_eq!(exchange(&call("a"), &both), ["tool_result_asked messages.2.content.0"]);
    }

    #[test]
    fn an_answer_belongs_to_the_turn_before() {
        let late = format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{}]}},{{"role":"user","content":"no"}},
            {{"role":"assistant","content":"hm"}},{{"role":"user","content":[{}]}}]"#,
            call("a"),
            answer("a")
        );
        assert_eq!(
            broken(&late),
            ["tool_use_answered messages.1.content.0", "tool_result_asked messages.4.content.0"]
        );
    }

    #[test]
    fn neighbouring_messages_count_as_one() {
        let apart = format!(
            r#"[{{"role":"user","content":"x"}},{{"role":"assistant","content":[{}]}},{{"role":"assistant","content":[{}]}},
            {{"role":"user","content":[{}]}},{{"role":"user","content":[{}]}}]"#,
            call("a"),
            call("b"),
            answer("a"),
            answer("b")
        );
        assert_eq!(broken(&apart), NONE);
    }

    #[test]
    fn results_come_first() {
        let late = [&answer("a"), TEXT, &answer("b")].map(|block| block.to_owned()).join(",");
        assert_eq!(
            exchange(&[call("a"), call("b")].join(","), &late),
            ["results_first messages.2.content.2"]
        );
    }

    #[test]
    fn ids_come_once() {
        assert_eq!(
            exchange(&[call("a"), call("a")].join(","), &[answer("a"), answer("a")].join(",")),
            ["tool_ids_unique messages.1.content.1", "tool_ids_unique messages.2.content.1"]
        );
        assert_eq!(
            exchange(&call(""), &answer("")),
            ["tool_ids_unique messages.1.content.0", "tool_ids_unique messages.2.content.0"]
        );
    }

    #[test]
    fn blocks_keep_to_their_role() {
        assert_eq!(
            broken(r#"[{"role":"user","content":[{"type":"thinking","thinking":"","signature":"x"}]}]"#)[0],
            "block_in_its_role messages.0.content.0"
        );
        let swapped = broken(&format!(r#"[{{"role":"user","content":[{TEXT},{}]}}]"#, call("a")));
        assert_eq!(swapped, ["block_in_its_role messages.0.content.1"]);
    }

    #[test]
    fn an_input_is_an_object() {
        for input in ["[1,2]", "null", r#""x""#] {
            let odd = call("a").replace("{}", input);
            assert_eq!(
                exchange(&odd, &answer("a")),
                ["input_is_object messages.1.content.0.tool_use.input"],
                "{input}"
            );
        }
    }

    #[test]
    fn an_error_says_something() {
        let silent = r#"{"type":"tool_result","tool_use_id":"a","is_error":true,"content":CONTENT}"#;
        let with = |content: &str| exchange(&call("a"), &silent.replace("CONTENT", content));
        assert_eq!(with(r#""""#), ["error_result_says_something messages.2.content.0"]);
        assert_eq!(with("[]"), ["error_result_says_something messages.2.content.0"]);
        assert_eq!(with(r#""no""#), NONE);
        assert_eq!(with(r#"[{"type":"text","text":"no"}]"#), NONE);
    }
}
