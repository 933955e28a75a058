//! What a record says that its message does not: the record with values taken out, and the way to put them back.

use super::content::{is_block, write_array};
use super::{Message, MessageFault, Part, Role};
use crate::record::RecordKind;
use annals_json::edit::{EditError, Editor, Step};
use annals_json::{Fields, Kind, RawJson, Value};

/// A record without what its message says already.
///
/// The values that the message says byte for byte are `null` in their place and listed as omitted. A value that differs
/// (the usage of an earlier line of a response, content with white space between its parts) stays in the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    record: Box<[u8]>,
    blocks: usize,
    omitted: Vec<Part>,
}

/// What a record's own content value is to a message.
pub(super) enum Own<'a> {
    /// Nothing that a message could say.
    Nothing,
    /// A string.
    Text(Value<'a>),
    /// Blocks, with their places among the items.
    Blocks(Vec<(usize, Value<'a>)>),
}

impl<'a> Own<'a> {
    pub(super) fn of(value: Option<Value<'a>>) -> Self {
        match value {
            Some(value) if value.kind() == Kind::String => Self::Text(value),
            Some(value) if value.kind() == Kind::Array => {
                Self::Blocks(value.items().enumerate().filter(|(_, item)| is_block(*item)).collect())
            }
            _ => Self::Nothing,
        }
    }

    /// How many blocks it is; a string is one.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Text(_) => 1,
            Self::Blocks(list) => list.len(),
        }
    }

    /// The same as blocks.
    pub(super) fn as_blocks(&self) -> Vec<RawJson> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Text(text) => vec![text_block(*text)],
            Self::Blocks(list) => list.iter().map(|(_, block)| RawJson::of(*block)).collect(),
        }
    }
}

/// A string as the block that says the same.
fn text_block(text: Value<'_>) -> RawJson {
    let mut json = br#"{"type":"text","text":"#.to_vec();
    json.extend_from_slice(text.raw());
    json.push(b'}');
    RawJson::of(Value::from_checked(&json))
}

/// The part of a message's content that one record has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share<'m> {
    /// A string.
    Text(&'m RawJson),
    /// Blocks.
    Blocks(&'m [RawJson]),
}

impl Share<'_> {
    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Text(text) => out.extend_from_slice(text.raw()),
            Self::Blocks(list) => write_array(list, out),
        }
    }
}

impl Shell {
    /// Takes out of a record what the message says; `share` is the content that the record gave it.
    pub(super) fn of(
        record: &Fields<'_>,
        kind: RecordKind,
        message: &Message,
        blocks: usize,
        share: Share<'_>,
    ) -> Self {
        let whole = || Self { record: record.raw().into(), blocks, omitted: Vec::new() };
        let Ok(mut editor) = Editor::new(record.raw()) else { return whole() };
        let mut content = Vec::new();
        share.write(&mut content);
        let mut omitted = Vec::new();
        for part in Part::ALL {
            let said = match part {
                Part::Content => Some(content.as_slice()),
                _ => message.part(part).map(RawJson::raw),
            };
            let is_said = part.find(kind, record).is_some_and(|own| Some(own.raw()) == said);
            if let Some(path) = part.path(kind).filter(|_| is_said)
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

    /// A shell from its parts. A record that is spread over several lines is made compact: in a file it has one.
    pub(super) fn from_parts(record: Value<'_>, blocks: usize, omitted: Vec<Part>) -> Self {
        let record = if record.raw().contains(&b'\n') {
            RawJson::of(record).raw().into()
        } else {
            record.raw().into()
        };
        Self { record, blocks, omitted }
    }

    /// The record, with `null` for what the message says.
    pub fn record(&self) -> Fields<'_> {
        Fields::of_checked(&self.record)
    }

    /// How many blocks of the message's content are the record's; a string counts as one.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The values that were taken out.
    pub fn omitted(&self) -> &[Part] {
        &self.omitted
    }

    /// The record again. `at` is the place of the shell, for faults.
    pub(super) fn fill(
        &self,
        at: usize,
        message: &Message,
        share: Share<'_>,
    ) -> Result<Vec<u8>, MessageFault> {
        let edit = |error: EditError| MessageFault::Edit { at, error };
        let record = self.record();
        let kind = RecordKind::of(record.text("type"));
        if Role::of(kind) != Some(message.role) {
            return Err(MessageFault::OtherRole { at, role: message.role });
        }
        let mut editor = Editor::new(&self.record).map_err(edit)?;
        for part in Part::ALL {
            let is_omitted = self.omitted.contains(&part);
            let Some(path) = part.path(kind) else { continue };
            match (part, message.part(part)) {
                (Part::Content, _) if is_omitted => {
                    put(&mut editor, &path, share).map_err(edit)?;
                }
                (Part::Content, _) => {
                    let own = Own::of(part.find(kind, &record));
                    put_changes(&mut editor, &path, &own, share).map_err(edit)?;
                }
                (_, Some(said)) if is_omitted => {
                    editor.replace(&path, said.raw()).map_err(edit)?;
                }
                (_, None) if is_omitted => return Err(MessageFault::Missing { at, part }),
                _ => {}
            }
        }
        for field in message.metadata_fields().iter().flat_map(Fields::iter) {
            editor.set(&[], &field.key.decode(), field.value.raw()).map_err(edit)?;
        }
        editor.finish().map_err(edit)
    }
}

fn put(editor: &mut Editor<'_>, path: &[Step<'_>], share: Share<'_>) -> Result<(), EditError> {
    let mut json = Vec::new();
    share.write(&mut json);
    editor.replace(path, &json).map(drop)
}

/// Puts content into a record that has kept its own: only what differs is touched.
fn put_changes(
    editor: &mut Editor<'_>,
    path: &[Step<'_>],
    own: &Own<'_>,
    share: Share<'_>,
) -> Result<(), EditError> {
    match (own, share) {
        // The message could say nothing of this content, so it has nothing to change.
        (Own::Nothing, _) => Ok(()),
        (Own::Blocks(list), Share::Blocks(blocks)) => {
            for ((place, own), block) in list.iter().zip(blocks) {
                if RawJson::of(*own) != *block {
                    let path: Vec<_> = path.iter().copied().chain([Step::Item(*place)]).collect();
                    editor.replace(&path, block.raw())?;
                }
            }
            Ok(())
        }
        (Own::Text(own), Share::Text(text)) if own.raw() == text.raw() => Ok(()),
        (Own::Text(_), Share::Blocks(blocks)) if own.as_blocks() == blocks => Ok(()),
        _ => put(editor, path, share),
    }
}
