//! Writes the JSON form of a message.

use super::{Message, RecordTemplate};
use annals_json::{ArrayWriter, ObjectWriter, RawJson};

impl Message {
    /// Appends the JSON form, on one line; absent fields are left out.
    ///
    /// `{"role","content","model"?,"usage"?,"stop_reason"?,"timestamp"?,"id"?,"requestId"?,"uuid"?,"parentUuid"?,"metadata"?,
    /// …,"records"?}`
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        object.string("role", self.role.name());
        self.content.write(object.key("content"));
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
                object.raw(key, value.raw());
            }
        }
        for (key, value) in &self.other {
            object.raw_key(key.raw()).extend_from_slice(value.raw());
        }
        if !self.records.is_empty() {
            object.array("records", |list| self.records.iter().for_each(|shell| write_shell(shell, list)));
        }
        object.end();
    }
}

fn write_shell(shell: &RecordTemplate, list: &mut ArrayWriter<'_>) {
    list.object(|object| {
        object.number("blocks", shell.blocks() as u64);
        object.array("omitted", |list| {
            for part in shell.omitted() {
                list.string(part.name());
            }
        });
        object.raw("record", shell.record().raw());
    });
}
