//! A record without the values that its message has, and how to fill them in again.

use super::content::{is_block, write_array};
use super::{Message, MessageError, MessageField, MessageRole};
use crate::record::RecordKind;
use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{Fields, RawJson, Value, ValueKind};

/// A record without the values that its message has.
///
/// Values that are equal in the message are `null` and listed as omitted. A value that differs (the usage of an earlier
/// record of a response, content with white space between tokens) stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordTemplate {
    record: Box<[u8]>,
    blocks: usize,
    omitted: Vec<MessageField>,
}

pub(super) enum RecordContent<'a> {
    /// No content that a message can hold.
    Nothing,
    /// A string.
    Text(Value<'a>),
    /// Blocks, with their indexes.
    Blocks(Vec<(usize, Value<'a>)>),
}

impl<'a> RecordContent<'a> {
    pub(super) fn of(value: Option<Value<'a>>) -> Self {
        match value {
            Some(value) if value.kind() == ValueKind::String => Self::Text(value),
            Some(value) if value.kind() == ValueKind::Array => {
                Self::Blocks(value.items().enumerate().filter(|(_, item)| is_block(*item)).collect())
            }
            _ => Self::Nothing,
        }
    }

    /// The number of blocks; a string is one.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text(_) => 1,
            Self::Blocks(list) => list.len(),
        }
    }

    pub(super) fn as_blocks(&self) -> Vec<RawJson> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Text(text) => vec![text_block(*text)],
            Self::Blocks(list) => list.iter().map(|(_, block)| RawJson::of(*block)).collect(),
        }
    }
}

/// Makes a text block of a string.
fn text_block(text: Value<'_>) -> RawJson {
    RawJson::from_checked([&br#"{"type":"text","text":"#[..], text.raw(), b"}"].concat())
}

/// The part of a message's content that belongs to one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentShare<'m> {
    /// A string.
    Text(&'m RawJson),
    Blocks(&'m [RawJson]),
}

impl ContentShare<'_> {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => out.extend_from_slice(text.raw()),
            Self::Blocks(list) => write_array(list, out),
        }
    }

    /// Whether it is written like this.
    fn is(self, json: &[u8]) -> bool {
        let list = match self {
            Self::Text(text) => return json == text.raw(),
            Self::Blocks(list) => list,
        };
        let Some(mut rest) = json.strip_prefix(b"[") else { return false };
        for (at, block) in list.iter().enumerate() {
            let after_comma = if at == 0 { Some(rest) } else { rest.strip_prefix(b",") };
            match after_comma.and_then(|rest| rest.strip_prefix(block.raw())) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest == b"]"
    }
}

impl RecordTemplate {
    /// Omits the values that the message has; `share` is the content that came from the record.
    pub(super) fn of(
        record: &Fields<'_>,
        kind: RecordKind,
        message: &Message,
        blocks: usize,
        share: ContentShare<'_>,
    ) -> Self {
        // A record over several lines is one line of output.
        if memchr::memchr(b'\n', record.raw()).is_some() {
            let compact = RawJson::of(Value::from_checked(record.raw()));
            return Self::of(&Fields::from_checked(compact.raw()), kind, message, blocks, share);
        }
        let whole = || Self { record: record.raw().into(), blocks, omitted: Vec::new() };
        let Ok(mut editor) = Editor::new(record.raw()) else { return whole() };
        let mut omitted = Vec::new();
        for part in MessageField::ALL {
            let is_said = part.find(kind, record).is_some_and(|own| match part {
                MessageField::Content => share.is(own.raw()),
                _ => message.part(part).map(RawJson::raw) == Some(own.raw()),
            });
            if let Some(path) = part.path(kind, record).filter(|_| is_said)
                && editor.replace(&path, b"null").is_ok()
            {
                omitted.push(part);
            }
        }
        match editor.finish() {
            Ok(emptied) => Self { record: emptied.into(), blocks, omitted },
            Err(_) => whole(),
        }
    }

    /// Makes a template from its parts. A record with newlines is made compact, because it has one line in a file.
    pub(super) fn from_parts(record: Value<'_>, blocks: usize, omitted: Vec<MessageField>) -> Self {
        let record = if record.raw().contains(&b'\n') {
            RawJson::of(record).raw().into()
        } else {
            record.raw().into()
        };
        Self { record, blocks, omitted }
    }

    /// The bytes of the record, with `null` for omitted values.
    pub(super) fn raw(&self) -> &[u8] {
        &self.record
    }

    /// The record, with `null` for omitted values.
    pub fn record(&self) -> Fields<'_> {
        Fields::from_checked(&self.record)
    }

    /// The number of content blocks that belong to the record; a string counts as one.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The omitted fields.
    pub fn omitted(&self) -> &[MessageField] {
        &self.omitted
    }

    /// Fills in the omitted values. `at` is the index of the template, for errors.
    pub(super) fn fill(
        &self,
        at: usize,
        message: &Message,
        share: ContentShare<'_>,
    ) -> Result<Vec<u8>, MessageError> {
        let edit = |error: EditError| MessageError::Edit { at, error };
        let record = self.record();
        let kind = RecordKind::of(record.text("type"));
        if MessageRole::of(kind) != Some(message.role) {
            return Err(MessageError::OtherRole { at, role: message.role });
        }
        let mut editor = Editor::new(&self.record).map_err(edit)?;
        for part in MessageField::ALL {
            let is_omitted = self.omitted.contains(&part);
            let Some(path) = part.path(kind, &record) else { continue };
            match (part, message.part(part)) {
                (MessageField::Content, _) if is_omitted => {
                    put(&mut editor, &path, share).map_err(edit)?;
                }
                (MessageField::Content, _) => {
                    let own = RecordContent::of(part.find(kind, &record));
                    put_changes(&mut editor, &path, &own, share).map_err(edit)?;
                }
                (_, Some(said)) if is_omitted => {
                    editor.replace(&path, said.raw()).map_err(edit)?;
                }
                (_, None) if is_omitted => return Err(MessageError::Missing { at, part }),
                _ => {}
            }
        }
        for field in message.metadata_fields().iter().flat_map(Fields::iter) {
            editor.set(&[], &field.key.decode(), field.value.raw()).map_err(edit)?;
        }
        editor.finish().map_err(edit)
    }
}

fn put(editor: &mut Editor<'_>, path: &[PathStep<'_>], share: ContentShare<'_>) -> Result<(), EditError> {
    let mut json = Vec::new();
    share.write(&mut json);
    editor.replace(path, &json).map(drop)
}

/// Writes content into a record that did not omit its own; only blocks that differ are changed.
fn put_changes(
    editor: &mut Editor<'_>,
    path: &[PathStep<'_>],
    own: &RecordContent<'_>,
    share: ContentShare<'_>,
) -> Result<(), EditError> {
    match (own, share) {
        // The message cannot hold this content, so nothing changes.
        (RecordContent::Nothing, _) => Ok(()),
        (RecordContent::Blocks(list), ContentShare::Blocks(blocks)) => {
            for ((place, own), block) in list.iter().zip(blocks) {
                if RawJson::of(*own) != *block {
                    let path: Vec<_> = path.iter().copied().chain([PathStep::Item(*place)]).collect();
                    editor.replace(&path, block.raw())?;
                }
            }
            Ok(())
        }
        (RecordContent::Text(own), ContentShare::Text(text)) if own.raw() == text.raw() => Ok(()),
        (RecordContent::Text(_), ContentShare::Blocks(blocks)) if own.as_blocks() == blocks => Ok(()),
        _ => put(editor, path, share),
    }
}
