//! One API response as the client stores it: a line a block, one message id, usage that grows from line to line.

use annals_json::ObjectWriter;

/// A content block of a response.
#[derive(Clone, Debug)]
pub enum Block {
    /// Text for the person.
    Text(String),
    /// Thinking, with a made-up signature.
    Thinking(String),
    /// A tool call: id, name, and its input as JSON.
    ToolUse {
        /// What its result will name.
        id: String,
        /// The tool.
        name: String,
        /// The input, JSON as written in the file.
        input: String,
    },
}

#[derive(Clone, Debug)]
pub struct Response {
    number: u32,
    blocks: Vec<Block>,
}

impl Response {
    pub(super) fn new(number: u32) -> Self {
        Self { number, blocks: Vec::new() }
    }

    /// Adds a text block.
    pub fn text(self, text: &str) -> Self {
        self.block(Block::Text(text.to_owned()))
    }

    /// Adds a thinking block.
    pub fn thinking(self, text: &str) -> Self {
        self.block(Block::Thinking(text.to_owned()))
    }

    /// Adds a tool call with a new id; `input` is JSON.
    pub fn tool_use(self, name: &str, input: &str) -> Self {
        let id = tool_id(self.number, self.blocks.len());
        self.block(Block::ToolUse { id, name: name.to_owned(), input: input.to_owned() })
    }

    /// Adds any block.
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(super) fn last_tool(&self) -> Option<&str> {
        self.blocks.iter().rev().find_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id.as_str()),
            _ => None,
        })
    }

    /// Writes the fields of the line that holds the block at this place.
    pub(super) fn write(&self, line: &mut ObjectWriter<'_>, place: usize, model: &str) {
        let Some(block) = self.blocks.get(place) else { return };
        line.object("message", |message| {
            message.string("model", model).string("id", &message_id(self.number));
            message.string("type", "message").string("role", "assistant");
            message.array("content", |content| {
                content.object(|object| write_block(object, block));
            });
            message
                .string_or_null("stop_reason", self.stop_reason(place))
                .string_or_null("stop_sequence", None);
            message.object("usage", |usage| {
                usage.number("input_tokens", 10_u32).number("cache_creation_input_tokens", 20_u32);
                usage
                    .number("cache_read_input_tokens", 30_u32)
                    .number("output_tokens", place as i128 * 5 + 5);
            });
        });
        line.string("requestId", &format!("req_{:024}", self.number));
    }

    fn stop_reason(&self, place: usize) -> Option<&'static str> {
        let last = place + 1 == self.blocks.len();
        last.then_some(if self.last_tool().is_some() { "tool_use" } else { "end_turn" })
    }
}

fn write_block(object: &mut ObjectWriter<'_>, block: &Block) {
    match block {
        Block::Text(text) => object.string("type", "text").string("text", text),
        Block::Thinking(text) => {
            object.string("type", "thinking").string("thinking", text).string("signature", "c2lnbmVk")
        }
        Block::ToolUse { id, name, input } => object
            .string("type", "tool_use")
            .string("id", id)
            .string("name", name)
            .raw("input", input.as_bytes()),
    };
}

/// The message id of the response with this number; the first is 1.
fn message_id(number: u32) -> String {
    format!("msg_{number:024}")
}

fn tool_id(number: u32, place: usize) -> String {
    format!("toolu_{number:012}{place:012}")
}
