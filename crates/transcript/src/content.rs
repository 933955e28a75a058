//! Content of messages: a string, or blocks.

use crate::id::ToolUseId;
use crate::view::{FromValue, views};
use annals_json::{Fields, Items, Kind, Text, Value};

/// What stands in `content`.
#[derive(Clone, Debug)]
pub enum Content<'a> {
    /// No content at all, or `null`.
    Absent,
    /// A string.
    Text(Text<'a>),
    /// A list of blocks.
    Blocks(Items<'a>),
    /// Something that no known version writes.
    Unknown(Value<'a>),
}

impl<'a> Content<'a> {
    /// Reads a content value.
    pub fn new(value: Value<'a>) -> Self {
        match value.kind() {
            Kind::Null => Self::Absent,
            Kind::String => value.text().map_or(Self::Unknown(value), Self::Text),
            Kind::Array => Self::Blocks(value.items()),
            _ => Self::Unknown(value),
        }
    }

    /// The blocks; a string has none of its own.
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
}

macro_rules! blocks {
    ($($(#[$doc:meta])* $name:ident($view:ident) = $word:literal;)*) => {
        /// One content block.
        #[derive(Clone, Debug)]
        pub enum Block<'a> {
            $($(#[$doc])* $name($view<'a>),)*
            /// A block that annals does not know, or a list item that is no object.
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

            /// The block as it stands in the file.
            pub fn raw(&self) -> &'a [u8] {
                match self {
                    $(Self::$name(view) => view.fields().raw(),)*
                    Self::Unknown(value) => value.raw(),
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
    /// Text.
    Text(TextBlock) = "text";
    /// What the model thought, signed.
    Thinking(Thinking) = "thinking";
    /// What the model thought, sealed.
    RedactedThinking(RedactedThinking) = "redacted_thinking";
    /// A call of a tool.
    ToolUse(ToolUse) = "tool_use";
    /// A tool's result.
    ToolResult(ToolResult) = "tool_result";
    /// An image.
    Image(Image) = "image";
    /// A document.
    Document(Document) = "document";
    /// A call of a tool that the API runs itself.
    ServerToolUse(ServerToolUse) = "server_tool_use";
    /// The result of a web search that the API ran.
    WebSearchToolResult(WebSearchToolResult) = "web_search_tool_result";
    /// The API went on with another model.
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

    /// What the model thought, signed.
    Thinking {
        /// The thought; empty in a quarter of the data.
        thinking: Text<'a> = "thinking";
        /// The signature over it: neither may change by a byte.
        signature: Text<'a> = "signature";
    }

    /// What the model thought, sealed.
    RedactedThinking {
        /// The sealed thought.
        data: Text<'a> = "data";
    }

    /// A call of a tool.
    ToolUse {
        /// The call's id, which its result names.
        id: ToolUseId<'a> = "id";
        /// The tool.
        name: Text<'a> = "name";
        /// What it is asked.
        input: Fields<'a> = "input";
        /// Who calls.
        caller: Fields<'a> = "caller";
    }

    /// A tool's result, as the model sees it.
    ToolResult {
        /// The call that it answers.
        tool_use: ToolUseId<'a> = "tool_use_id";
        /// A string or blocks.
        content: Content<'a> = "content";
        /// Whether the tool failed.
        is_error: bool = "is_error";
    }

    /// An image.
    Image {
        /// Where the bytes are.
        source: Source<'a> = "source";
    }

    /// A document.
    Document {
        /// Where the bytes are.
        source: Source<'a> = "source";
        /// Its title.
        title: Text<'a> = "title";
    }

    /// The bytes of an image or document.
    Source {
        /// `base64`, `url`, `file`, `text`.
        kind: Text<'a> = "type";
        /// The media type.
        media_type: Text<'a> = "media_type";
        /// The bytes in base 64.
        data: Text<'a> = "data";
        /// Where else they are.
        url: Text<'a> = "url";
    }

    /// A call of a tool that the API runs itself.
    ServerToolUse {
        /// The call's id.
        id: ToolUseId<'a> = "id";
        /// The tool.
        name: Text<'a> = "name";
        /// What it is asked.
        input: Fields<'a> = "input";
    }

    /// The result of a web search that the API ran.
    WebSearchToolResult {
        /// The call that it answers.
        tool_use: ToolUseId<'a> = "tool_use_id";
        /// What was found, or an error.
        content: Value<'a> = "content";
    }

    /// The API went on with another model.
    Fallback {
        /// The model that refused.
        from: Fields<'a> = "from";
        /// The model that went on.
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
