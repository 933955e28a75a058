//! A tool call of a running conversation: converts the client's data to the item of a stored session.

use annals_json::{Value, compact, object};
use annals_transcript::transcript::Transcript;

use super::item::{Item, ItemBody};
use super::tool::{CallPhase, ToolCall};
use super::{Conversation, ViewOptions};

/// A tool call in the client's form.
#[derive(Clone, Copy, Debug)]
pub struct LiveCall<'c> {
    pub id: &'c str,
    pub tool: &'c str,
    /// The input, a JSON object.
    pub input: &'c [u8],
    /// The working directory.
    pub cwd: &'c str,
}

impl LiveCall<'_> {
    /// Returns the call as it starts, without a result.
    pub fn started(&self) -> Conversation {
        self.conversation(self.record(), CallPhase::Started)
    }

    /// Returns the call with its result: the user message that answers it, and `toolUseResult`, which may be empty. With
    /// [`CallPhase::Finished`] a page that has just drawn the start adds the result only.
    pub fn finished(&self, message: &[u8], result: &[u8], phase: CallPhase) -> Conversation {
        let mut records = self.record();
        records.extend(object(|record| {
            record.string("type", "user").string("uuid", "result").string("parentUuid", "call");
            record.string("cwd", self.cwd).raw("message", &self.answer(message));
            if Value::parse(result).is_ok() {
                record.raw("toolUseResult", &valid(result));
            }
        }));
        records.push(b'\n');
        self.conversation(records, phase)
    }

    /// The message that answers the call. Of a line that the person had run, the output alone is written: a text with both parts.
    fn answer(&self, message: &[u8]) -> Vec<u8> {
        let text =
            Value::parse(message).ok().and_then(|message| Some(message.get("content")?.text()?.to_string()));
        let Some(text) = text else { return valid(message) };
        let parts = text.strip_prefix("<bash-stdout>").and_then(|rest| rest.strip_suffix("</bash-stderr>"));
        let output = match parts.and_then(|parts| parts.rsplit_once("</bash-stdout><bash-stderr>")) {
            Some((printed, "")) => printed.to_owned(),
            Some(("", failed)) => failed.to_owned(),
            Some((printed, failed)) => format!("{}\n{failed}", printed.trim_end_matches('\n')),
            None => text,
        };
        object(|message| {
            message.string("role", "user").array("content", |content| {
                content.object(|block| {
                    block
                        .string("type", "tool_result")
                        .string("tool_use_id", self.id)
                        .string("content", &output);
                });
            });
        })
    }

    /// Returns the record of the response that made the call.
    fn record(&self) -> Vec<u8> {
        let mut record = object(|record| {
            record.string("type", "assistant").string("uuid", "call").raw("parentUuid", b"null");
            record.string("cwd", self.cwd).object("message", |message| {
                message.string("role", "assistant").array("content", |content| {
                    content.object(|block| {
                        block.string("type", "tool_use").string("id", self.id).string("name", self.tool);
                        block.raw("input", &valid(self.input));
                    });
                });
            });
        });
        record.push(b'\n');
        record
    }

    fn conversation(&self, records: Vec<u8>, phase: CallPhase) -> Conversation {
        let whole = Conversation::build(&Transcript::parse(&records), &[], ViewOptions::default());
        let items = whole.items.into_iter().filter_map(|item| match item.body {
            ItemBody::ToolCall(call) if call.id == self.id => {
                // At the start nothing of a result is shown, not even what the call contains about it.
                let result = if phase == CallPhase::Started { None } else { call.result.clone() };
                Some(Item { body: ItemBody::ToolCall(Box::new(ToolCall { result, phase, ..*call })), ..item })
            }
            _ => None,
        });
        Conversation { items: items.collect() }
    }
}

/// Returns the JSON on one line, or an empty object in place of something else. Models write line breaks between values.
fn valid(json: &[u8]) -> Vec<u8> {
    let mut line = Vec::new();
    match Value::parse(json) {
        Ok(value) => compact(value, &mut line),
        Err(_) => line.extend(b"{}"),
    }
    line
}
