//! A record of a running conversation: converts what the client tells of a line to the items of a stored session.

use std::hash::{DefaultHasher, Hash, Hasher};

use annals_json::{Value, compact, object};
use annals_transcript::line::lines;
use annals_transcript::time::format_millis;

use super::Conversation;
use super::item::{Item, ItemBody};
use super::live::LiveSession;
use super::tool::{CallPhase, ToolCall};

/// What a record holds, as JSON.
#[derive(Clone, Copy, Debug)]
pub enum LiveRecordBody<'r> {
    /// The message of a response.
    Answer(&'r [u8]),
    /// The message of a prompt or of results, and `toolUseResult`, which may be empty.
    Said(&'r [u8], &'r [u8]),
    Attachment(&'r [u8]),
}

/// A record of a running conversation.
#[derive(Clone, Copy, Debug)]
pub struct LiveRecord<'r> {
    /// The working directory.
    pub cwd: &'r str,
    /// When it was written, in milliseconds since 1970.
    pub millis: i64,
    /// What it holds.
    pub body: LiveRecordBody<'r>,
}

impl LiveRecord<'_> {
    /// Returns the new items that it makes behind those of a session. A call comes when it is made, and again with its result.
    pub fn items(&self, session: &mut LiveSession) -> Vec<Item> {
        let (kind, key, json) = match self.body {
            LiveRecordBody::Answer(message) => ("assistant", "message", message),
            LiveRecordBody::Said(message, _) => ("user", "message", message),
            LiveRecordBody::Attachment(attachment) => ("attachment", "attachment", attachment),
        };
        let Some(content) = one_line(json) else { return Vec::new() };
        // Records of a session differ in their ids.
        let mut hasher = DefaultHasher::new();
        (kind, self.millis, &content).hash(&mut hasher);
        let uuid = format!("live-{:x}", hasher.finish());
        let mut record = object(|record| {
            record.string("type", kind).string("uuid", &uuid).raw("parentUuid", b"null");
            record.string("cwd", self.cwd).string("timestamp", &format_millis(self.millis));
            record.raw(key, &content);
            if let LiveRecordBody::Said(_, result) = self.body
                && let Some(result) = one_line(result)
            {
                record.raw("toolUseResult", &result);
            }
        });
        record.push(b'\n');
        lines(&record).flat_map(|line| session.add_line(&line).items).collect()
    }
}

/// Returns the JSON on one line; `None` for something else.
fn one_line(json: &[u8]) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    compact(Value::parse(json).ok()?, &mut line);
    Some(line)
}

impl Conversation {
    /// Adds items of a running conversation: the result of a call joins the call.
    pub fn add_live(&mut self, items: Vec<Item>) {
        for item in items {
            if let ItemBody::ToolCall(call) = &item.body
                && call.phase == CallPhase::Finished
                && let Some(made) = self.call_mut(&call.id)
            {
                (made.result, made.phase) = (call.result.clone(), CallPhase::Whole);
                continue;
            }
            self.items.push(item);
        }
    }

    /// Returns the last call with an id.
    pub fn call_mut(&mut self, id: &str) -> Option<&mut ToolCall> {
        self.items.iter_mut().rev().find_map(|item| match &mut item.body {
            ItemBody::ToolCall(call) if call.id == id => Some(&mut **call),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(conversation: &mut Conversation, session: &mut LiveSession, body: LiveRecordBody<'_>) {
        let items = LiveRecord { cwd: "/w", millis: 1_700_000_000_000, body }.items(session);
        conversation.add_live(items);
    }

    #[test]
    fn what_is_told_line_by_line_is_what_the_file_would_say() {
        let (mut said, mut session) = (Conversation::default(), LiveSession::new());
        let mut add = |body: LiveRecordBody<'_>| add(&mut said, &mut session, body);
        add(LiveRecordBody::Said(br#"{"role":"user","content":"Find beds"}"#, b""));
        add(LiveRecordBody::Answer(
            br#"{"id":"m","role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"I look."}]}"#,
        ));
        add(LiveRecordBody::Answer(
            br#"{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}"#,
        ));
        add(LiveRecordBody::Attachment(br#"{"type":"file","filename":"/w/a.txt","displayPath":"a.txt"}"#));
        add(LiveRecordBody::Said(
            br#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"bed 1\nbed 2"}]}"#,
            b"",
        ));
        add(LiveRecordBody::Said(b"no JSON", b""));
        let kinds: Vec<&str> = said
            .items
            .iter()
            .map(|item| match &item.body {
                ItemBody::Prompt(prompt) => prompt.text.as_str(),
                ItemBody::Text(text) => text.text.as_str(),
                ItemBody::ToolCall(call) => call.headline.as_str(),
                ItemBody::Attachment(attachment) => attachment.headline.as_str(),
                _ => "other",
            })
            .collect();
        assert_eq!(kinds, ["Find beds", "I look.", "ls", "a.txt"]);
        let call = said.call_mut("t").unwrap();
        assert_eq!(
            (call.phase, call.result.as_ref().map(|result| result.outputs.len())),
            (CallPhase::Whole, Some(1))
        );
        assert_eq!(said.items[1].position.millis, Some(1_700_000_000_000));
    }
}
