//! Appends plain messages, for programs that do not use the record format; large outputs go to separate files.

use std::borrow::Cow;

use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{RawJson, Value};
use annals_transcript::content::Block;
use annals_transcript::draft::{Draft, DraftError, ResponseDefaults, drafts_from_message};
use annals_transcript::message::{Message, MessageContent, MessageRole};

use super::error::AppendError;
use super::writer::{Receipt, SessionWriter};
use crate::overflow::{is_too_large, save};
use crate::source::new_api_id;

impl SessionWriter<'_> {
    /// Appends a plain message: as the records that it came from, or as new ones, one line per result or block. If one of
    /// several fails, those before it are written, and the tip is the last of them.
    pub fn append_message(&mut self, message: &Message) -> Result<Vec<Receipt>, AppendError> {
        let defaults = match message.role {
            MessageRole::Assistant => ResponseDefaults {
                message: new_api_id("msg", &*self.source),
                request: new_api_id("req", &*self.source),
                model: self.state.model().unwrap_or("unknown").to_owned(),
            },
            MessageRole::User | MessageRole::System => ResponseDefaults::default(),
        };
        let message = self.with_outputs_apart(message)?;
        let drafts = drafts_from_message(&message, &defaults)?;
        match message.records.is_empty() {
            true => drafts.iter().map(|draft| self.append(draft)).collect(),
            false => self.append_restored(&drafts),
        }
    }

    /// Appends the records that a message came from. The parent of one may be none of the messages: progress, or what a
    /// filter left out. Then the record follows the last one. So it does if its parent is a result between two calls of one
    /// response, which comes after the whole response here; then the results follow each other, too.
    fn append_restored(&mut self, drafts: &[Draft]) -> Result<Vec<Receipt>, AppendError> {
        let mut receipts = Vec::new();
        for draft in drafts {
            let parent = draft.own_parent().flatten();
            let is_known = parent.is_none_or(|parent| self.state.knows(parent));
            let is_joined = parent.is_some_and(|parent| self.joined.contains(parent));
            let receipt = match is_known && !is_joined {
                true => self.append(draft)?,
                false => {
                    let tip = self.state.tip().map(str::to_owned);
                    self.append(&draft.clone().with_parent(tip.as_deref()))?
                }
            };
            if !is_known && !receipts.is_empty() {
                self.joined.extend(drafts.iter().filter_map(Draft::own_uuid).map(str::to_owned));
            }
            receipts.push(receipt);
        }
        Ok(receipts)
    }

    /// Moves outputs that are too large for a line to files; the line keeps a preview. A message made from records is
    /// unchanged.
    fn with_outputs_apart<'m>(&self, message: &'m Message) -> Result<Cow<'m, Message>, AppendError> {
        let MessageContent::Blocks(blocks) = &message.content else { return Ok(Cow::Borrowed(message)) };
        if !message.records.is_empty() {
            return Ok(Cow::Borrowed(message));
        }
        let apart: Vec<_> = blocks.iter().map(|block| self.output_apart(block)).collect::<Result<_, _>>()?;
        let mut message = message.clone();
        message.content = MessageContent::Blocks(apart);
        Ok(Cow::Owned(message))
    }

    fn output_apart(&self, block: &RawJson) -> Result<RawJson, AppendError> {
        let Block::ToolResult(result) = Block::new(block.value()) else { return Ok(block.clone()) };
        let text = result.fields().get("content").and_then(Value::text).map(|text| text.decode());
        let (Some(text), Some(id)) = (text.filter(|text| is_too_large(text)), result.tool_use()) else {
            return Ok(block.clone());
        };
        // A sub-agent's outputs are stored with those of its session.
        let file = self.path().with_extension("");
        let folder = match &self.origin.agent {
            Some(_) => file.ancestors().nth(2).unwrap_or(&file),
            None => &file,
        };
        let kept = save(folder, &id.decode(), text.as_bytes())?;
        let edited = Editor::new(block.raw()).and_then(|mut editor| {
            editor.replace_string(&[PathStep::Key("content")], &kept.preview)?;
            editor.finish()
        });
        let edited = edited.map_err(DraftError::Edit)?;
        Ok(RawJson::parse(&edited).map_err(|fault| DraftError::Edit(EditError::NotJson(fault)))?)
    }
}
