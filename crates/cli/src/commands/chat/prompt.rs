//! Checks of prompts: what the API refuses would stay in the session, and every later request would be refused as well.

use std::fmt;

use annals_agent::protocol::Prompt;
use annals_json::{Value, ValueKind};

/// Blocks that a prompt may have in addition to text.
const BESIDE_WORDS: [&str; 3] = ["image", "document", "search_result"];

/// Why a message is refused; blocks are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The message is empty.
    Nothing,
    /// An entry is not a block.
    NoBlock(usize),
    /// A block of a type that prompts cannot have.
    Unsayable(usize, String),
    /// A block lacks a required field.
    Without(usize, &'static str),
    /// A built-in command that only the terminal has.
    TerminalOnly(&'static str),
    /// A line of the stream that is not JSON, counted from 1: what follows cannot be trusted either.
    NotJson(usize),
    /// A message without content, or with content that is neither text nor blocks.
    NoContent,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => out.write_str("the message is empty: it needs text, an image or a document"),
            Self::NoBlock(at) => write!(out, "block {at} of the message is not an object with a type"),
            Self::Unsayable(at, kind) => {
                write!(out, "block {at} of the message has a type that prompts cannot have: {kind}")
            }
            Self::Without(at, key) => write!(out, "block {at} of the message has no {key}"),
            Self::TerminalOnly(name) => write!(out, "/{name} works only in the terminal"),
            Self::NotJson(line) => {
                write!(out, "line {line} of standard input is not JSON; nothing after it is read")
            }
            Self::NoContent => {
                out.write_str("the message has no content: it needs a string or a list of blocks")
            }
        }
    }
}

/// Returns the content of a message as a prompt.
pub(super) fn of(content: Value<'_>) -> Option<Result<Prompt, Refusal>> {
    match content.text() {
        Some(words) => {
            let words = words.to_string();
            Some(if is_blank(&words) { Err(Refusal::Nothing) } else { Ok(Prompt::Text(words)) })
        }
        None if content.kind() == ValueKind::Array => {
            Some(checked(content).map(|()| Prompt::Blocks(content.raw().to_vec())))
        }
        None => None,
    }
}

fn is_blank(words: &str) -> bool {
    words.trim().is_empty()
}

fn checked(blocks: Value<'_>) -> Result<(), Refusal> {
    let mut count = 0;
    for (at, block) in blocks.items().enumerate() {
        let text = |key: &str| block.get(key).and_then(Value::text).map(|text| text.to_string());
        let kind = text("type").filter(|_| block.kind() == ValueKind::Object).ok_or(Refusal::NoBlock(at))?;
        match kind.as_str() {
            // A blank block is invalid even with others.
            "text" => match text("text") {
                Some(words) if is_blank(&words) => return Err(Refusal::Nothing),
                Some(_) => {}
                None => return Err(Refusal::Without(at, "text")),
            },
            kind if !BESIDE_WORDS.contains(&kind) => return Err(Refusal::Unsayable(at, kind.to_owned())),
            _ if block.get("source").is_none() => return Err(Refusal::Without(at, "source")),
            _ => {}
        }
        count += 1;
    }
    if count == 0 { Err(Refusal::Nothing) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(content: &str) -> Option<Refusal> {
        of(Value::parse(content.as_bytes()).unwrap()).unwrap().err()
    }

    #[test]
    fn what_would_be_refused_for_good_is_not_said() {
        for nothing in [r#""""#, r#"" \n\t""#, "[]", r#"[{"type":"text","text":"  "}]"#] {
            assert_eq!(refused(nothing), Some(Refusal::Nothing), "{nothing}");
        }
        let mixed = r#"[{"type":"text","text":"words"},{"type":"text","text":""}]"#;
        assert_eq!(refused(mixed), Some(Refusal::Nothing));
        for no_block in [r#"["x"]"#, "[null]", "[[]]", "[{}]", r#"[{"type":7}]"#] {
            assert_eq!(refused(no_block), Some(Refusal::NoBlock(0)), "{no_block}");
        }
        let answer = r#"[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"t","content":"x"}]"#;
        assert_eq!(refused(answer), Some(Refusal::Unsayable(1, "tool_result".to_owned())));
        assert_eq!(refused(r#"[{"type":"text"}]"#), Some(Refusal::Without(0, "text")));
        assert_eq!(refused(r#"[{"type":"image"}]"#), Some(Refusal::Without(0, "source")));
    }

    #[test]
    fn what_can_be_said_is_said_as_it_is() {
        let image = r#"[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}]"#;
        for said in [r#"[{"type":"text","text":" hi "}]"#, image] {
            let prompt = of(Value::parse(said.as_bytes()).unwrap()).unwrap();
            assert_eq!(prompt, Ok(Prompt::Blocks(said.into())));
        }
        let prompt = of(Value::parse(br#"" hi ""#).unwrap());
        assert_eq!(prompt, Some(Ok(Prompt::Text(" hi ".to_owned()))));
        assert_eq!(of(Value::parse(b"7").unwrap()), None);
    }
}
