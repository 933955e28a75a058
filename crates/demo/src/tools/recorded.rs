//! Rare tool calls and results, read from `data/tools/`: one JSON object per line, with `name`, `input` and either `content`
//! (what the model reads) and `result` (`toolUseResult`) or `error`.

use annals_json::Value;

use super::failed;
use crate::turn::ToolCall;

/// A file of tool calls, by its name.
pub(crate) fn file(name: &str) -> Option<&'static str> {
    Some(match name {
        // 1.0.x.
        "first" => include_str!("../../data/tools/first.jsonl"),
        // 2.0.x to 2.1.6x.
        "middle" => include_str!("../../data/tools/middle.jsonl"),
        // 2.1.9x and later.
        "late" => include_str!("../../data/tools/late.jsonl"),
        // Results that only a few lines have, 2.1.9x and later.
        "rare" => include_str!("../../data/tools/rare.jsonl"),
        // Calls that fail, until 2.1.6x and later.
        "failed" => include_str!("../../data/tools/failed.jsonl"),
        "failed_late" => include_str!("../../data/tools/failed_late.jsonl"),
        _ => return None,
    })
}

/// The tool calls of a file.
pub(crate) fn calls(lines: &str) -> impl Iterator<Item = ToolCall> {
    lines.lines().filter_map(|line| Value::parse(line.as_bytes()).ok().map(call))
}

fn call(value: Value<'_>) -> ToolCall {
    let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
    let raw = |key: &str| value.get(key).map(|value| value.raw().to_vec()).unwrap_or_default();
    let name = text("name").unwrap_or_default();
    match text("error") {
        Some(message) => failed(&name, raw("input"), &message),
        None => ToolCall {
            name,
            input: raw("input"),
            content: raw("content"),
            result: raw("result"),
            ..ToolCall::default()
        },
    }
}
