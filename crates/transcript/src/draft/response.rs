//! Drafts of a model response: one record per content block, with the same ids; stop reason and usage on the last.

use super::{Draft, checked};
use crate::record::RecordKind;
use annals_json::{ObjectWriter, Value};

/// A response of the API.
#[derive(Clone, Copy, Debug)]
pub struct ResponseDraft<'a> {
    /// `message.id`.
    pub message: &'a str,
    /// `requestId`.
    pub request: Option<&'a str>,
    /// The model.
    pub model: &'a str,
    /// The content blocks, each a JSON object; invalid JSON is written as text.
    pub blocks: &'a [&'a [u8]],
    /// Why it stopped.
    pub stop_reason: Option<&'a str>,
    /// The final usage: a JSON object.
    pub usage: Option<&'a [u8]>,
}

impl ResponseDraft<'_> {
    /// Returns one draft per block, in order. As in files of the client, earlier records have the usage of a response that has
    /// just begun, so that readers that sum records count the output once.
    pub fn drafts(&self) -> Vec<Draft> {
        let last = self.blocks.len().saturating_sub(1);
        self.blocks.iter().enumerate().map(|(at, block)| self.line(block, at == last)).collect()
    }

    /// Returns the draft of one block of a response that is still streaming.
    pub fn open_block(&self, block: &[u8]) -> Draft {
        self.line(block, false)
    }

    fn line(&self, block: &[u8], is_last: bool) -> Draft {
        let mut content = b"[".to_vec();
        content.extend_from_slice(&checked(block).unwrap_or_else(|| text_block(block)));
        content.push(b']');
        let usage = if is_last { self.final_usage() } else { self.first_usage() };
        let draft = Draft::made(RecordKind::Assistant).object("message", |message| {
            message.string("id", self.message).string("type", "message").string("role", "assistant");
            message.string("model", self.model).raw("content", &content);
            message.string_or_null("stop_reason", self.stop_reason.filter(|_| is_last));
            message.raw("stop_sequence", b"null").raw("usage", &usage);
        });
        draft.string_if("requestId", self.request)
    }

    fn final_usage(&self) -> Vec<u8> {
        let given = self.usage.filter(|json| Value::parse(json).is_ok_and(|value| value.fields().is_some()));
        given.and_then(checked).unwrap_or_else(|| br#"{"input_tokens":0,"output_tokens":0}"#.to_vec())
    }

    fn first_usage(&self) -> Vec<u8> {
        let whole = self.final_usage();
        let Some(fields) = Value::parse(&whole).ok().and_then(Value::fields) else { return whole };
        let mut out = Vec::new();
        let mut object = ObjectWriter::begin(&mut out);
        for field in fields.iter() {
            let key = field.key.decode();
            if &*key == "output_tokens" {
                let begun = field.value.count().unwrap_or(0).min(1);
                object.number(&key, begun);
            } else {
                object.raw(&key, field.value.raw());
            }
        }
        object.end();
        out
    }
}

fn text_block(said: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", "text").string("text", &String::from_utf8_lossy(said));
    object.end();
    out
}
