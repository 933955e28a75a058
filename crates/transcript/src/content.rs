//! The content of messages: a string, or blocks.

use crate::id::ToolUseId;
use crate::view::{FromValue, views};
use annals_json::{Fields, Items, Text, Value, ValueKind};

/// The value of `content`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Content<'a> {
    /// No content at all, or `null`.
    Absent,
    /// A string.
    Text(Text<'a>),
    /// A list of blocks.
    Blocks(Items<'a>),
    /// Any other value.
    Unknown(Value<'a>),
}

impl<'a> Content<'a> {
    /// Reads a content value.
    pub fn new(value: Value<'a>) -> Self {
        match value.kind() {
            ValueKind::Null => Self::Absent,
            ValueKind::String => value.text().map_or(Self::Unknown(value), Self::Text),
            ValueKind::Array => Self::Blocks(value.items()),
            _ => Self::Unknown(value),
        }
    }

    /// Iterates over the blocks; empty for a string.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let mut items = match self {
            Self::Blocks(items) => items.clone(),
            _ => Value::from_checked(b"[]").items(),
        };
        std::iter::from_fn(move || {
            Some(match items.next_fields()? {
                Ok(fields) => Block::of_fields(fields),
                Err(value) => Block::Unknown(value),
            })
        })
    }

    /// The string, or all text blocks joined by blank lines.
    pub fn plain_text(&self) -> String {
        match self {
            Self::Text(text) => text.decode().into_owned(),
            _ => {
                let texts: Vec<_> = self.blocks().filter_map(|block| block.plain_text()).collect();
                texts.join("\n\n")
            }
        }
    }

    /// The first text: the string itself, or the first text block.
    pub fn first_text(&self) -> Option<Text<'a>> {
        match self {
            Self::Text(text) => Some(*text),
            _ => self.blocks().find_map(|block| match block {
                Block::Text(text) => text.text(),
                _ => None,
            }),
        }
    }
}

impl<'a> FromValue<'a> for Content<'a> {
    fn from_value(value: Value<'a>) -> Option<Self> {
        Some(Self::new(value))
    }

    fn from_field(fields: &Fields<'a>, key: &str) -> Option<Self> {
        match Self::new(fields.get(key)?) {
            Self::Blocks(items) => Some(Self::Blocks(fields.items(key).unwrap_or(items))),
            other => Some(other),
        }
    }
}

macro_rules! blocks {
    ($($(#[$doc:meta])* $name:ident($view:ident) = $word:literal;)*) => {
        /// One content block.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Block<'a> {
            $($(#[$doc])* $name($view<'a>),)*
            /// A block of unknown type, or a list item that is not an object.
            Unknown(Value<'a>),
        }

        impl<'a> Block<'a> {
            /// Reads a block.
            pub fn new(value: Value<'a>) -> Self {
                value.fields().map_or(Self::Unknown(value), Self::of_fields)
            }

            fn of_fields(fields: Fields<'a>) -> Self {
                match fields.text("type").map(Text::raw) {
                    $(Some(raw) if raw == $word.as_bytes() => Self::$name($view::new(fields)),)*
                    _ => Self::Unknown(Value::from_checked(fields.raw())),
                }
            }

            /// The bytes of the block.
            pub fn raw(&self) -> &'a [u8] {
                match self {
                    $(Self::$name(view) => view.fields().raw(),)*
                    Self::Unknown(value) => value.raw(),
                }
            }

            /// The keys that the block's view has a name for.
            pub fn known_keys(&self) -> &'static [&'static str] {
                match self {
                    $(Self::$name(_) => $view::KNOWN_KEYS,)*
                    Self::Unknown(_) => &[],
                }
            }

            /// The block's type, as written.
            pub fn type_name(&self) -> Option<Text<'a>> {
                match self {
                    $(Self::$name(view) => view.fields().text("type"),)*
                    Self::Unknown(value) => value.get("type")?.text(),
                }
            }
        }
    };
}

blocks! {
    /// What the user or the model wrote.
    Text(TextBlock) = "text";
    /// Thinking, with a signature.
    Thinking(Thinking) = "thinking";
    /// Encrypted thinking.
    RedactedThinking(RedactedThinking) = "redacted_thinking";
    /// A tool call.
    ToolUse(ToolUse) = "tool_use";
    /// What a tool returned to the model.
    ToolResult(ToolResult) = "tool_result";
    /// A picture, usually base64.
    Image(Image) = "image";
    /// A PDF or a text, as a file.
    Document(Document) = "document";
    /// A call of a tool that the API runs.
    ServerToolUse(ServerToolUse) = "server_tool_use";
    /// The result of a web search that the API ran.
    WebSearchToolResult(WebSearchToolResult) = "web_search_tool_result";
    /// The API continued with another model.
    Fallback(Fallback) = "fallback";
    /// The name of a tool that was loaded.
    ToolReference(ToolReference) = "tool_reference";
}

views! {
    /// Text.
    TextBlock {
        /// The text itself.
        text: Text<'a> = "text";
        /// Sources.
        citations: Value<'a> = "citations";
    }

    /// Thinking, with a signature.
    Thinking {
        /// The text; empty in a quarter of the data.
        thinking: Text<'a> = "thinking";
        /// The signature of the text; neither may change by a byte.
        signature: Text<'a> = "signature";
    }

    /// Encrypted thinking.
    RedactedThinking {
        /// The encrypted text.
        data: Text<'a> = "data";
    }

    /// A tool call.
    ToolUse {
        /// The call's id, which its result names.
        id: ToolUseId<'a> = "id";
        /// The tool.
        name: Text<'a> = "name";
        /// The arguments.
        input: Fields<'a> = "input";
        caller: Fields<'a> = "caller";
    }

    /// A tool result, as the model sees it.
    ToolResult {
        /// The call that it answers.
        tool_use: ToolUseId<'a> = "tool_use_id";
        /// A string or blocks.
        content: Content<'a> = "content";
        /// Whether the tool failed.
        is_error: bool = "is_error";
    }

    /// A picture in a message or in the result of a tool.
    Image {
        /// The bytes, or their location.
        source: MediaSource<'a> = "source";
    }

    /// A PDF or a text that the model was given as a file.
    Document {
        /// The bytes, or their location.
        source: MediaSource<'a> = "source";
        title: Text<'a> = "title";
    }

    /// The bytes of an image or document.
    MediaSource {
        /// `base64`, `url`, `file`, `text`.
        kind: Text<'a> = "type";
        media_type: Text<'a> = "media_type";
        /// The bytes, in base64.
        data: Text<'a> = "data";
        /// The URL, for `url` sources.
        url: Text<'a> = "url";
    }

    /// A call of a tool that the API runs.
    ServerToolUse {
        /// The call's id.
        id: ToolUseId<'a> = "id";
        /// The tool.
        name: Text<'a> = "name";
        /// The arguments.
        input: Fields<'a> = "input";
    }

    /// The result of a web search that the API ran.
    WebSearchToolResult {
        /// The call that it answers.
        tool_use: ToolUseId<'a> = "tool_use_id";
        /// What was found, or an error.
        content: Value<'a> = "content";
    }

    /// The API continued with another model.
    Fallback {
        /// The model that refused.
        from: Fields<'a> = "from";
        /// The model that continued.
        to: Fields<'a> = "to";
    }

    /// The name of a tool that was loaded.
    ToolReference {
        /// The tool.
        tool_name: Text<'a> = "tool_name";
    }
}

impl<'a> Block<'a> {
    /// The text of a text block.
    pub fn plain_text(&self) -> Option<String> {
        match self {
            Self::Text(block) => block.text().map(|text| text.decode().into_owned()),
            _ => None,
        }
    }
}
