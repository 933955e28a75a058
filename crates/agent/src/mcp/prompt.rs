//! Prompts of a server: commands for the person, `/mcp__SERVER__PROMPT`.

use std::sync::Arc;

use annals_json::Value;

use super::message::text;
use super::server::McpServer;
use super::tool::{clean, plain};

/// The longest description that is shown, in characters.
const MAX_DESCRIPTION: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptDefinition {
    /// The name that the server gave it.
    name: String,
    /// The name of the command.
    pub(super) full_name: String,
    pub(super) about: String,
    /// The names of its arguments.
    arguments: Vec<String>,
}

impl PromptDefinition {
    pub(super) fn read(server: &str, prompt: Value<'_>) -> Result<Self, String> {
        let name = text(prompt, "name").filter(|name| !name.is_empty()).ok_or("a prompt without a name")?;
        let full_name = format!("mcp__{}__{}", plain(server), plain(&name));
        let about = clean(&text(prompt, "description").unwrap_or_default());
        let arguments = prompt.get("arguments").into_iter().flat_map(Value::items);
        Ok(Self {
            name,
            full_name,
            about: about.chars().take(MAX_DESCRIPTION).collect(),
            arguments: arguments.filter_map(|argument| text(argument, "name")).collect(),
        })
    }

    /// Returns the hint about its arguments.
    pub(super) fn hint(&self) -> Option<String> {
        let names = self.arguments.iter().map(|name| format!("[{}]", clean(name)));
        Some(names.collect::<Vec<_>>().join(" ")).filter(|hint| !hint.is_empty())
    }
}

impl McpServer {
    /// Fills in a prompt and returns its texts. Arguments are separated by spaces, and quotes mean nothing, as in the original.
    pub(super) async fn fill_prompt(
        self: &Arc<Self>,
        prompt: &PromptDefinition,
        arguments: &str,
    ) -> Result<Vec<String>, String> {
        self.live_transport().await.map_err(|error| error.to_string())?;
        let filled = self.request("prompts/get", |params| {
            params.string("name", &prompt.name).object("arguments", |object| {
                for (name, value) in prompt.arguments.iter().zip(arguments.split_whitespace()) {
                    object.string(name, value);
                }
            });
        });
        let filled = filled.await.map_err(|error| error.to_string())?;
        let texts = texts(&filled);
        if texts.is_empty() { Err("the prompt has no text".to_owned()) } else { Ok(texts) }
    }
}

/// Returns the texts of all messages; of a resource its text, of anything else its kind.
fn texts(filled: &[u8]) -> Vec<String> {
    let Ok(filled) = Value::parse(filled) else { return Vec::new() };
    let messages = filled.get("messages").into_iter().flat_map(Value::items);
    let words = |message: Value<'_>| {
        let content = message.get("content")?;
        let resource = content.get("resource");
        let words = text(content, "text").or_else(|| resource.and_then(|resource| text(resource, "text")));
        words.or_else(|| {
            text(content, "type").map(|kind| format!("[content of type {kind:?} is not supported]"))
        })
    };
    messages.filter_map(words).filter(|words| !words.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_commands() {
        let json = br#"{"name":"greet me","description":"Says\u001b[31m hi","arguments":[{"name":"who"},{"name":"how"}]}"#;
        let prompt = PromptDefinition::read("a.b", Value::parse(json).unwrap()).unwrap();
        assert_eq!((prompt.full_name.as_str(), prompt.about.as_str()), ("mcp__a_b__greet_me", "Says[31m hi"));
        assert_eq!(prompt.hint().as_deref(), Some("[who] [how]"));
        assert!(PromptDefinition::read("a", Value::from_checked(b"{}")).is_err());
    }

    #[test]
    fn all_messages_are_texts() {
        let json = br#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}},
            {"role":"user","content":{"type":"resource","resource":{"uri":"u","text":"c"}}},{"role":"user","content":{"type":"image","data":"x"}}]}"#;
        let texts = texts(json);
        assert_eq!(texts[..3], ["a", "b", "c"]);
        assert!(texts[3].contains("image"));
    }
}
