//! The JSON form of a message, as programs send it.

use super::content::is_block;
use super::{Message, MessageContent, MessageFault, Part, Role, Shell};
use annals_json::{Field, Fields, Kind, RawJson, Value};

/// What a field has to be.
#[derive(Clone, Copy)]
enum Shape {
    String,
    StringOrNull,
    Object,
}

impl Shape {
    fn fits(self, kind: Kind) -> bool {
        match self {
            Self::String => kind == Kind::String,
            Self::StringOrNull => matches!(kind, Kind::String | Kind::Null),
            Self::Object => kind == Kind::Object,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::StringOrNull => "a string or null",
            Self::Object => "an object",
        }
    }
}

const ROLE: &str = "role";
const CONTENT: &str = "content";
const RECORDS: &str = "records";

impl Message {
    /// Reads the JSON form. Of keys that repeat the last counts; keys that mean nothing here are kept.
    ///
    /// ```
    /// use annals_json::Fields;
    /// use annals_transcript::message::{Message, Role};
    ///
    /// let (fields, _) = Fields::scan(br#"{"role":"user","content":"hello"}"#).unwrap();
    /// let message = Message::parse(&fields).unwrap();
    /// assert_eq!((message.role, message.text().as_str()), (Role::User, "hello"));
    /// ```
    pub fn parse(fields: &Fields<'_>) -> Result<Self, MessageFault> {
        let mut message = Self::new(role(fields)?, content(fields)?);
        for field in fields.iter() {
            message.take(field)?;
        }
        message.records = records(fields)?;
        Ok(message)
    }

    fn take(&mut self, field: Field<'_>) -> Result<(), MessageFault> {
        let key = field.key.decode();
        let (place, name, shape) = match &*key {
            ROLE | CONTENT | RECORDS => return Ok(()),
            "model" => (&mut self.model, "model", Shape::String),
            "usage" => (&mut self.usage, "usage", Shape::Object),
            "stop_reason" => (&mut self.stop_reason, "stop_reason", Shape::String),
            "timestamp" => (&mut self.timestamp, "timestamp", Shape::String),
            "id" => (&mut self.id, "id", Shape::String),
            "requestId" => (&mut self.request_id, "requestId", Shape::String),
            "uuid" => (&mut self.uuid, "uuid", Shape::String),
            "parentUuid" => (&mut self.parent_uuid, "parentUuid", Shape::StringOrNull),
            "metadata" => (&mut self.metadata, "metadata", Shape::Object),
            _ => {
                self.other.push((RawJson::of_text(field.key), RawJson::of(field.value)));
                return Ok(());
            }
        };
        *place = match field.value.kind() {
            kind if shape.fits(kind) => Some(RawJson::of(field.value)),
            // A field that says nothing is as good as none.
            Kind::Null => None,
            _ => return Err(MessageFault::Field { field: name, expected: shape.words() }),
        };
        Ok(())
    }
}

fn role(fields: &Fields<'_>) -> Result<Role, MessageFault> {
    let word = fields.text(ROLE);
    let role = word.and_then(Role::named);
    role.ok_or_else(|| MessageFault::Role { found: word.map(|word| word.head(40).into_owned()) })
}

fn content(fields: &Fields<'_>) -> Result<MessageContent, MessageFault> {
    let fault = MessageFault::Field { field: CONTENT, expected: "a string or an array of blocks" };
    let value = fields.get(CONTENT).ok_or(fault.clone())?;
    match value.kind() {
        Kind::String => Ok(MessageContent::Text(RawJson::of(value))),
        Kind::Array => {
            let block = |(at, item): (usize, Value<'_>)| {
                if is_block(item) { Ok(RawJson::of(item)) } else { Err(MessageFault::Block { at }) }
            };
            value.items().enumerate().map(block).collect::<Result<_, _>>().map(MessageContent::Blocks)
        }
        _ => Err(fault),
    }
}

fn records(fields: &Fields<'_>) -> Result<Vec<Shell>, MessageFault> {
    let Some(list) = fields.get(RECORDS).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
    if list.kind() != Kind::Array {
        return Err(MessageFault::Field { field: RECORDS, expected: "an array" });
    }
    list.items().enumerate().map(|(at, item)| shell(at, item)).collect()
}

fn shell(at: usize, item: Value<'_>) -> Result<Shell, MessageFault> {
    let fault = |field: &'static str, expected: &'static str| MessageFault::Record { at, field, expected };
    let record = item.get("record").filter(|record| record.kind() == Kind::Object);
    let record = record.ok_or(fault("record", "an object"))?;
    let blocks = item.get("blocks").and_then(Value::count).and_then(|count| usize::try_from(count).ok());
    let blocks = blocks.ok_or(fault("blocks", "a whole number"))?;
    let omitted = item.get("omitted").filter(|list| list.kind() == Kind::Array);
    let omitted = omitted.ok_or(fault("omitted", "an array"))?;
    let named = |word: Value<'_>| word.text().and_then(Part::named);
    let expected = "names of values that a message has";
    let omitted = omitted.items().map(|word| named(word).ok_or(fault("omitted", expected)));
    Ok(Shell::from_parts(record, blocks, omitted.collect::<Result<_, _>>()?))
}
