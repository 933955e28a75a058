//! Writes the JSON form of a message.

use std::convert::Infallible;

use super::{Message, MessageContent};
use annals_json::{ArrayWriter, ObjectWriter, RawJson};

impl Message {
    /// Appends the JSON form, on one line; absent fields are left out.
    ///
    /// `{"role","content","model"?,"usage"?,"stop_reason"?,"timestamp"?,"id"?,"requestId"?,"uuid"?,"parentUuid"?,"metadata"?,
    /// …,"records"?}`
    pub fn write(&self, out: &mut Vec<u8>) {
        let written: Result<(), Infallible> = self.write_pieces(|piece| {
            out.extend_from_slice(piece);
            Ok(())
        });
        let Ok(()) = written;
    }

    /// Calls `each` with the pieces of the JSON form, up to its first error. A piece ends between two tokens; what may be
    /// long, content and records, is not copied.
    pub fn write_pieces<E>(&self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut frame = Frame::default();
        self.write_frame(&mut frame);
        let mut at = 0;
        for (place, json) in frame.inserted {
            each(&frame.bytes[at..place])?;
            each(json)?;
            at = place;
        }
        each(&frame.bytes[at..])
    }

    fn write_frame<'m>(&'m self, frame: &mut Frame<'m>) {
        let Frame { bytes, inserted } = frame;
        let mut object = ObjectWriter::begin(bytes);
        object.string("role", self.role.name());
        match &self.content {
            MessageContent::Text(text) => inserted.push((object.key("content").len(), text.raw())),
            MessageContent::Blocks(blocks) => {
                object.array("content", |list| list_blocks(blocks, list, inserted));
            }
        }
        let fields: [(&str, Option<&RawJson>); 9] = [
            ("model", self.model.as_ref()),
            ("usage", self.usage.as_ref()),
            ("stop_reason", self.stop_reason.as_ref()),
            ("timestamp", self.timestamp.as_ref()),
            ("id", self.id.as_ref()),
            ("requestId", self.request_id.as_ref()),
            ("uuid", self.uuid.as_ref()),
            ("parentUuid", self.parent_uuid.as_ref()),
            ("metadata", self.metadata.as_ref()),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                inserted.push((object.key(key).len(), value.raw()));
            }
        }
        for (key, value) in &self.other {
            inserted.push((object.raw_key(key.raw()).len(), value.raw()));
        }
        if !self.records.is_empty() {
            object.array("records", |list| {
                for template in &self.records {
                    list.object(|object| {
                        object.number("blocks", template.blocks() as u64);
                        object.array("omitted", |list| {
                            for part in template.omitted() {
                                list.string(part.name());
                            }
                        });
                        inserted.push((object.key("record").len(), template.raw()));
                    });
                }
            });
        }
        object.end();
    }
}

/// The JSON form without its long values.
#[derive(Default)]
struct Frame<'m> {
    bytes: Vec<u8>,
    /// The values, each with its place, in order.
    inserted: Vec<(usize, &'m [u8])>,
}

fn list_blocks<'m>(blocks: &'m [RawJson], list: &mut ArrayWriter<'_>, inserted: &mut Vec<(usize, &'m [u8])>) {
    for block in blocks {
        inserted.push((list.item().len(), block.raw()));
    }
}
