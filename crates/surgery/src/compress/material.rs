//! The text that a model summarizes: messages in full, calls and results shortened.

use annals_transcript::content::{Block, Content};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{Speaker, prompt_text};

/// The maximum length, about half of a small context window.
const MAX_BYTES: usize = 400_000;

const LEFT_OUT: &str = "[the beginning is left out]";

/// How much of calls and results is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct InputDetail {
    call: usize,
    result: usize,
}

/// From most to least.
const DETAILS: [InputDetail; 3] = [
    InputDetail { call: 2000, result: 4000 },
    InputDetail { call: 400, result: 400 },
    InputDetail { call: 100, result: 0 },
];

/// The text of records; if it is too long, less of calls and results, and finally only the newest part.
pub(super) fn of(transcript: &Transcript<'_>, nodes: &[NodeIndex]) -> String {
    let mut text = String::new();
    for detail in DETAILS {
        text = text_of(transcript, nodes, detail);
        if text.len() <= MAX_BYTES {
            return text;
        }
    }
    let from = (text.len() - MAX_BYTES..text.len()).find(|&at| text.is_char_boundary(at));
    format!("{LEFT_OUT}\n{}", &text[from.unwrap_or(0)..])
}

fn text_of(transcript: &Transcript<'_>, nodes: &[NodeIndex], detail: InputDetail) -> String {
    let mut parts = Vec::new();
    for &node in nodes {
        match transcript.record(node) {
            Record::User(user) => add_user(&user, detail, &mut parts),
            Record::Assistant(reply) => add_reply(&reply, detail, &mut parts),
            _ => {}
        }
    }
    parts.join("\n\n")
}

fn add_user(user: &User<'_>, detail: InputDetail, parts: &mut Vec<String>) {
    let content = user.content();
    match Speaker::of(user) {
        Speaker::Summary => parts.push(format!("# An earlier summary\n\n{}", content.plain_text())),
        speaker if speaker.opens_turn() => parts.push(format!("# The person\n\n{}", prompt_text(user))),
        Speaker::Interrupt => parts.push("[the person interrupted]".to_owned()),
        Speaker::Tool => {
            for block in content.blocks() {
                let Block::ToolResult(result) = block else { continue };
                let text = result.content().as_ref().map(Content::plain_text).unwrap_or_default();
                let label = if result.is_error() == Some(true) { "it failed" } else { "result" };
                if detail.result > 0 {
                    parts.push(format!("[{label}: {}]", beginning(&text, detail.result)));
                }
            }
        }
        _ => {}
    }
}

fn add_reply(reply: &Assistant<'_>, detail: InputDetail, parts: &mut Vec<String>) {
    for block in reply.content().blocks() {
        match &block {
            Block::Text(_) => {
                let text = block.plain_text().unwrap_or_default();
                if !text.trim().is_empty() {
                    parts.push(format!("# The assistant\n\n{text}"));
                }
            }
            Block::ToolUse(call) => {
                let name = call.name().map(|name| name.to_string()).unwrap_or_default();
                let input = call.input().map(|input| String::from_utf8_lossy(input.raw()).into_owned());
                parts.push(format!(
                    "[call of {name}: {}]",
                    beginning(&input.unwrap_or_default(), detail.call)
                ));
            }
            _ => {}
        }
    }
}

/// The first `most` characters of a text.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_prompts(prompts: usize, result: usize) -> String {
        let mut file = String::new();
        for number in 0..prompts {
            file.push_str(&format!(
                r#"{{"type":"user","uuid":"p{number}","message":{{"role":"user","content":"prompt {number} {}"}}}}"#,
                "ä".repeat(500)
            ));
            file.push('\n');
            file.push_str(&format!(
                r#"{{"type":"user","uuid":"r{number}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":"{}"}}]}}}}"#,
                "x".repeat(result)
            ));
            file.push('\n');
        }
        let transcript = Transcript::parse(file.as_bytes());
        let nodes: Vec<_> = transcript.indices().collect();
        of(&transcript, &nodes)
    }

    #[test]
    fn results_give_way_before_words_do() {
        let all = of_prompts(10, 9000);
        assert!(all.contains("prompt 0 ") && all.contains(&format!("{}…", "x".repeat(4000))));
        let less = of_prompts(200, 9000);
        assert!(less.len() <= MAX_BYTES && (0..200).all(|at| less.contains(&format!("prompt {at} "))));
        assert!(less.contains("xxxx"));
        let newest = of_prompts(2000, 9000);
        assert!(newest.starts_with(LEFT_OUT) && newest.len() <= MAX_BYTES + LEFT_OUT.len() + 1);
        assert!(newest.contains("prompt 1999 ") && !newest.contains("prompt 0 "));
    }
}
