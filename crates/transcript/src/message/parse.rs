//! Parses the JSON form of a message.

use super::content::is_block;
use super::{Message, MessageContent, MessageError, MessageField, MessageRole, RecordTemplate};
use annals_json::{Field, Fields, RawJson, Value, ValueKind};

/// The expected type of a field.
#[derive(Clone, Copy)]
enum FieldShape {
    String,
    StringOrNull,
    Object,
}

impl FieldShape {
    fn fits(self, kind: ValueKind) -> bool {
        match self {
            Self::String => kind == ValueKind::String,
            Self::StringOrNull => matches!(kind, ValueKind::String | ValueKind::Null),
            Self::Object => kind == ValueKind::Object,
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
    /// Parses the JSON form. The last of repeated keys counts; unknown keys are kept.
    ///
    /// ```
    /// use annals_json::Fields;
    /// use annals_transcript::message::{Message, MessageRole};
    ///
    /// let (fields, _) = Fields::scan(br#"{"role":"user","content":"hello"}"#).unwrap();
    /// let message = Message::parse(&fields).unwrap();
    /// assert_eq!((message.role, message.text().as_str()), (MessageRole::User, "hello"));
    /// ```
    pub fn parse(fields: &Fields<'_>) -> Result<Self, MessageError> {
        let mut message = Self::new(role(fields)?, content(fields)?);
        for field in fields.iter() {
            message.take(field)?;
        }
        message.records = records(fields)?;
        Ok(message)
    }

    fn take(&mut self, field: Field<'_>) -> Result<(), MessageError> {
        let key = field.key.decode();
        let (place, name, shape) = match &*key {
            ROLE | CONTENT | RECORDS => return Ok(()),
            "model" => (&mut self.model, "model", FieldShape::String),
            "usage" => (&mut self.usage, "usage", FieldShape::Object),
            "stop_reason" => (&mut self.stop_reason, "stop_reason", FieldShape::String),
            "timestamp" => (&mut self.timestamp, "timestamp", FieldShape::String),
            "id" => (&mut self.id, "id", FieldShape::String),
            "requestId" => (&mut self.request_id, "requestId", FieldShape::String),
            "uuid" => (&mut self.uuid, "uuid", FieldShape::String),
            "parentUuid" => (&mut self.parent_uuid, "parentUuid", FieldShape::StringOrNull),
            "metadata" => (&mut self.metadata, "metadata", FieldShape::Object),
            _ => {
                self.other.push((RawJson::of_text(field.key), RawJson::of(field.value)));
                return Ok(());
            }
        };
        *place = match field.value.kind() {
            kind if shape.fits(kind) => Some(RawJson::of(field.value)),
            // `null` counts as absent.
            ValueKind::Null => None,
            _ => return Err(MessageError::Field { field: name, expected: shape.words() }),
        };
        Ok(())
    }
}

fn role(fields: &Fields<'_>) -> Result<MessageRole, MessageError> {
    let word = fields.text(ROLE);
    let role = word.and_then(MessageRole::named);
    role.ok_or_else(|| MessageError::MessageRole { found: word.map(|word| word.head(40).into_owned()) })
}

fn content(fields: &Fields<'_>) -> Result<MessageContent, MessageError> {
    let fault = MessageError::Field { field: CONTENT, expected: "a string or an array of blocks" };
    let value = fields.get(CONTENT).ok_or(fault.clone())?;
    match value.kind() {
        ValueKind::String => Ok(MessageContent::Text(RawJson::of(value))),
        ValueKind::Array => {
            let block = |(at, item): (usize, Value<'_>)| {
                if is_block(item) { Ok(RawJson::of(item)) } else { Err(MessageError::Block { at }) }
            };
            value.items().enumerate().map(block).collect::<Result<_, _>>().map(MessageContent::Blocks)
        }
        _ => Err(fault),
    }
}

fn records(fields: &Fields<'_>) -> Result<Vec<RecordTemplate>, MessageError> {
    let Some(list) = fields.get(RECORDS).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
    if list.kind() != ValueKind::Array {
        return Err(MessageError::Field { field: RECORDS, expected: "an array" });
    }
    list.items().enumerate().map(|(at, item)| shell(at, item)).collect()
}

fn shell(at: usize, item: Value<'_>) -> Result<RecordTemplate, MessageError> {
    let fault = |field: &'static str, expected: &'static str| MessageError::Record { at, field, expected };
    let record = item.get("record").filter(|record| record.kind() == ValueKind::Object);
    let record = record.ok_or(fault("record", "an object"))?;
    let blocks = item.get("blocks").and_then(Value::count).and_then(|count| usize::try_from(count).ok());
    let blocks = blocks.ok_or(fault("blocks", "a whole number"))?;
    let omitted = item.get("omitted").filter(|list| list.kind() == ValueKind::Array);
    let omitted = omitted.ok_or(fault("omitted", "an array"))?;
    let named = |word: Value<'_>| word.text().and_then(MessageField::named);
    let expected = "names of values that a message has";
    let omitted = omitted.items().map(|word| named(word).ok_or(fault("omitted", expected)));
    Ok(RecordTemplate::from_parts(record, blocks, omitted.collect::<Result<_, _>>()?))
}
