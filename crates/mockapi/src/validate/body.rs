//! The body of a request, opened far enough for the rules: messages, their blocks, and the name of each place.

use annals_json::{Fields, Value, ValueKind};

pub(super) struct RequestBody<'b> {
    pub(super) fields: Fields<'b>,
    pub(super) messages: Vec<RequestMessage<'b>>,
}

pub(super) struct RequestMessage<'b> {
    pub(super) place: String,
    pub(super) role: String,
    pub(super) content: Option<Value<'b>>,
    /// Whether it has no content and only changes settings for the following turns (`output_config`): only the system may,
    /// at any position.
    pub(super) is_directive: bool,
    pub(super) blocks: Vec<ContentBlock<'b>>,
}

/// One content block, of a message or inside a tool result.
pub(super) struct ContentBlock<'b> {
    pub(super) place: String,
    pub(super) kind: String,
    pub(super) fields: Fields<'b>,
}

impl<'b> RequestBody<'b> {
    /// Returns `None` if the bytes are not a JSON object.
    pub(super) fn parse(bytes: &'b [u8]) -> Option<Self> {
        let fields = Value::parse(bytes).ok()?.fields()?;
        let list = fields.get("messages");
        let messages = list.iter().flat_map(|list| list.items()).enumerate();
        let messages = messages.map(|(number, message)| read_message(number, message)).collect();
        Some(Self { fields, messages })
    }

    /// Every block of every message.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &ContentBlock<'b>> {
        self.messages.iter().flat_map(|message| &message.blocks)
    }

    /// The messages of user and assistant in turns: the API joins neighbours of one role before it validates them.
    pub(super) fn turns(&self) -> Vec<RoleTurn<'_, 'b>> {
        let mut turns: Vec<RoleTurn<'_, 'b>> = Vec::new();
        for message in self.messages.iter().filter(|message| message.role != "system") {
            match turns.last_mut() {
                Some(turn) if turn.role == message.role => turn.blocks.extend(&message.blocks),
                _ => turns.push(RoleTurn {
                    place: &message.place,
                    role: &message.role,
                    blocks: message.blocks.iter().collect(),
                }),
            }
        }
        turns
    }
}

/// Neighbouring messages of one role.
pub(super) struct RoleTurn<'m, 'b> {
    pub(super) place: &'m str,
    pub(super) role: &'m str,
    pub(super) blocks: Vec<&'m ContentBlock<'b>>,
}

impl RoleTurn<'_, '_> {
    /// The ids that its blocks of this kind hold under this key, with their places.
    pub(super) fn ids(&self, kind: &str, key: &str) -> Vec<(String, &str)> {
        let of_kind = self.blocks.iter().filter(|block| block.kind == kind);
        of_kind.map(|block| (block.text(key), block.place.as_str())).collect()
    }
}

impl<'b> ContentBlock<'b> {
    /// A string of the block; empty if absent.
    pub(super) fn text(&self, key: &str) -> String {
        self.fields.text(key).map_or_else(String::new, |text| text.to_string())
    }

    /// The blocks inside a tool result.
    pub(super) fn inner(&self) -> Vec<ContentBlock<'b>> {
        let content = self.fields.get("content").filter(|_| self.kind == "tool_result");
        content.map_or_else(Vec::new, |content| read_blocks(&self.place, content))
    }
}

fn read_message(number: usize, value: Value<'_>) -> RequestMessage<'_> {
    let place = format!("messages.{number}");
    let fields = value.fields();
    let get = |key: &str| fields.as_ref().and_then(|fields| fields.get(key));
    let content = get("content");
    let role = get("role").and_then(Value::text).map_or_else(String::new, |role| role.to_string());
    let blocks = content.map_or_else(Vec::new, |content| read_blocks(&place, content));
    let says_nothing = content.is_some_and(|content| content.kind() == ValueKind::Array) && blocks.is_empty();
    let sets = get("output_config").is_some_and(|setting| setting.kind() == ValueKind::Object);
    let is_directive = role == "system" && says_nothing && sets;
    RequestMessage { place, role, content, is_directive, blocks }
}

fn read_blocks<'b>(above: &str, content: Value<'b>) -> Vec<ContentBlock<'b>> {
    let objects = content.items().enumerate().filter(|(_, item)| item.kind() == ValueKind::Object);
    let blocks = objects.filter_map(|(number, item)| {
        let fields = item.fields()?;
        let kind = fields.text("type").map_or_else(String::new, |kind| kind.to_string());
        Some(ContentBlock { place: format!("{above}.content.{number}"), kind, fields })
    });
    blocks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_role_are_one_turn() {
        let body = br#"{"messages":[{"role":"user","content":"a"},{"role":"system","content":"s"},
            {"role":"user","content":[{"type":"text"}]},{"role":"assistant","content":[{"type":"x"},{"type":"y"}]}]}"#;
        let body = RequestBody::parse(body).unwrap();
        let turns: Vec<_> =
            body.turns().iter().map(|turn| (turn.place.to_owned(), turn.blocks.len())).collect();
        assert_eq!(turns, [("messages.0".to_owned(), 1), ("messages.3".to_owned(), 2)]);
        assert_eq!(body.blocks().last().unwrap().place, "messages.3.content.1");
    }

    #[test]
    fn a_result_has_blocks_inside() {
        let body =
            br#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image"}]},
            {"type":"text","content":[{"type":"image"}]}]}]}"#;
        let body = RequestBody::parse(body).unwrap();
        let inner: Vec<_> = body.blocks().flat_map(ContentBlock::inner).map(|block| block.place).collect();
        assert_eq!(inner, ["messages.0.content.0.content.0"]);
    }
}
