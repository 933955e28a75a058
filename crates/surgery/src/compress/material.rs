//! What a model reads that shall sum turns up: what was said, word for word; of calls and results the beginnings.

use annals_transcript::content::{Block, Content};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::{NodeIndex, Transcript};
use annals_transcript::turn::{Speaker, prompt_text};

/// So many bytes a model is given at most: about half of a small window.
const MOST_BYTES: usize = 400_000;

const LEFT_OUT: &str = "[the beginning is left out]";

/// How much stays of calls and results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Detail {
    call: usize,
    result: usize,
}

/// From much to nothing.
const DETAILS: [Detail; 3] =
    [Detail { call: 2000, result: 4000 }, Detail { call: 400, result: 400 }, Detail { call: 100, result: 0 }];

/// The words of records, in their order; where they are too many, less of calls and results, then the newest.
pub(super) fn of(transcript: &Transcript<'_>, nodes: &[NodeIndex]) -> String {
    let mut text = String::new();
    for detail in DETAILS {
        text = words(transcript, nodes, detail);
        if text.len() <= MOST_BYTES {
            return text;
        }
    }
    let from = (text.len() - MOST_BYTES..text.len()).find(|&at| text.is_char_boundary(at));
    format!("{LEFT_OUT}\n{}", &text[from.unwrap_or(0)..])
}

fn words(transcript: &Transcript<'_>, nodes: &[NodeIndex], detail: Detail) -> String {
    let mut parts = Vec::new();
    for &node in nodes {
        match transcript.record(node) {
            Record::User(user) => hear(&user, detail, &mut parts),
            Record::Assistant(reply) => listen(&reply, detail, &mut parts),
            _ => {}
        }
    }
    parts.join("\n\n")
}

fn hear(user: &User<'_>, detail: Detail, parts: &mut Vec<String>) {
    let content = user.content();
    match Speaker::of(user) {
        Speaker::Summary => parts.push(format!("# An earlier summary\n\n{}", content.plain_text())),
        speaker if speaker.opens_turn() => parts.push(format!("# The person\n\n{}", prompt_text(user))),
        Speaker::Interrupt => parts.push("[the person interrupted]".to_owned()),
        Speaker::Tool => {
            for block in content.blocks() {
                let Block::ToolResult(result) = block else { continue };
                let said = result.content().as_ref().map(Content::plain_text).unwrap_or_default();
                let label = if result.is_error() == Some(true) { "it failed" } else { "result" };
                if detail.result > 0 {
                    parts.push(format!("[{label}: {}]", beginning(&said, detail.result)));
                }
            }
        }
        _ => {}
    }
}

fn listen(reply: &Assistant<'_>, detail: Detail, parts: &mut Vec<String>) {
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

/// The beginning of a text, at a character's end.
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
        let nodes: Vec<_> = (0..transcript.nodes().len()).collect();
        of(&transcript, &nodes)
    }

    #[test]
    fn results_give_way_before_words_do() {
        let all = of_prompts(10, 9000);
        assert!(all.contains("prompt 0 ") && all.contains(&format!("{}…", "x".repeat(4000))));
        let less = of_prompts(200, 9000);
        assert!(less.len() <= MOST_BYTES && (0..200).all(|at| less.contains(&format!("prompt {at} "))));
        assert!(less.contains("xxxx"));
        let newest = of_prompts(2000, 9000);
        assert!(newest.starts_with(LEFT_OUT) && newest.len() <= MOST_BYTES + LEFT_OUT.len() + 1);
        assert!(newest.contains("prompt 1999 ") && !newest.contains("prompt 0 "));
    }
}
