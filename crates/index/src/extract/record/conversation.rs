//! Rows of user and assistant records: messages, tool calls and results.

use annals_json::{Fields, Text, Value};
use annals_store::overflow::named_paths;
use annals_transcript::content::{Block, Content, ToolResult};
use annals_transcript::record::{Assistant, User};
use annals_transcript::title::shorten;
use annals_transcript::tool_result::ToolUseResult;
use annals_transcript::turn::{Speaker, prompt_opening, prompt_text};

use super::super::kinds::{FactKind, IndexedFileRole, MessageKind, MessageRole};
use super::super::rows::CallRow;
use super::super::texts::TextCollector;
use super::{RecordExtractor, ToolRef};
use crate::cursor::fingerprint;

/// Keys under which results keep a file as it was before an edit: of edits, of older edits, of notebooks.
const ORIGINALS: [&str; 3] = ["originalFile", "originalFileContents", "original_file"];

impl RecordExtractor<'_> {
    pub(super) fn user(&mut self, user: &User<'_>) {
        let speaker = Speaker::of(user);
        if self.batch.indexed_file.role == IndexedFileRole::Agent
            && user.fields().get("toolUseResult").is_none()
        {
            // If nothing else links a sub-agent to the call that started it, the equal prompt does.
            let fingerprint_of_prompt = fingerprint(prompt_text(user).trim().as_bytes());
            self.batch.fact(FactKind::AgentPrompt, &fingerprint_of_prompt.to_string(), self.span.line);
        }
        if speaker.opens_turn() && !user.fields().is_true("isSidechain") {
            let first =
                if speaker == Speaker::Command { FactKind::FirstCommand } else { FactKind::FirstPrompt };
            let words = shorten(&prompt_opening(user));
            if !words.is_empty() {
                self.batch.fact(first, &words, self.span.line);
            }
        }
        let (role, kind) = match speaker {
            speaker if speaker.opens_turn() => (MessageRole::Human, MessageKind::Prompt),
            _ => (MessageRole::System, MessageKind::Context),
        };
        match user.content() {
            Content::Text(text) => self.text_message(role, kind, text),
            content => {
                for block in content.blocks() {
                    match block {
                        Block::Text(text) => {
                            if let Some(text) = text.text() {
                                self.text_message(role, kind, text);
                            }
                        }
                        Block::ToolResult(result) => self.result(user, &result),
                        Block::Document(document) => {
                            self.text_message(role, kind, document.title().unwrap_or(Text::from_raw(b"")));
                        }
                        _ => self.block += 1,
                    }
                }
            }
        }
    }

    fn result(&mut self, user: &User<'_>, result: &ToolResult<'_>) {
        let mut texts = TextCollector::default();
        match result.content() {
            Some(Content::Text(text)) => texts.push_text(text),
            Some(content) => {
                for block in content.blocks() {
                    if let Block::Text(text) = block {
                        text.text().into_iter().for_each(|text| texts.push_text(text));
                    }
                }
            }
            None => {}
        }
        let is_error = result.is_error() == Some(true);
        let shown = texts.bytes;
        // The content of a file before an edit is only here.
        if let Some(kept) = user.fields().object("toolUseResult") {
            ORIGINALS.iter().filter_map(|key| kept.text(key)).for_each(|text| texts.push_text(text));
        }
        if let Some(id) = result.tool_use() {
            let call = self.batch.calls.entry(id.to_string()).or_default();
            // A second result adds nothing.
            if call.answered.is_none() {
                call.answered = Some(self.span.line);
                call.ended = self.millis;
                call.is_error = is_error;
                call.result = shown;
                if let Some(ToolUseResult::Agent(agent)) = user.tool_use_result() {
                    call.agent = agent.agent().map(|agent| agent.to_string());
                }
            }
        }
        let call = result.tool_use().map(|id| id.to_string());
        if let Some(call) = &call {
            self.output_files(user, call);
        }
        self.row(MessageRole::Tool, MessageKind::ToolResult, texts, ToolRef::Call(call), is_error);
    }

    /// Notes which call the files belong to that hold the whole of an output.
    fn output_files(&mut self, user: &User<'_>, call: &str) {
        for path in named_paths(user) {
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
            self.batch.fact(FactKind::Output, &format!("{name}\t{call}"), self.span.line);
        }
    }

    pub(super) fn assistant(&mut self, assistant: &Assistant<'_>) {
        let is_error = assistant.fields().is_true("isApiErrorMessage");
        if let Some(model) = assistant.model()
            && !model.is_empty()
            && !model.is("<synthetic>")
        {
            self.batch.fact(FactKind::Model, &model.decode(), self.span.line);
        }
        let kind = if is_error { MessageKind::Error } else { MessageKind::Response };
        if let Content::Text(text) = assistant.content() {
            self.text_message(MessageRole::Assistant, kind, text);
        }
        for block in assistant.content().blocks() {
            match block {
                Block::Text(text) => {
                    if let Some(text) = text.text() {
                        self.text_message(MessageRole::Assistant, kind, text);
                    }
                }
                Block::Thinking(thought) => {
                    let text = thought.thinking().unwrap_or(Text::from_raw(b""));
                    self.text_message(MessageRole::Assistant, MessageKind::Thinking, text);
                }
                Block::ToolUse(call) => {
                    self.call(call.id().map(|id| id.to_string()), call.name(), call.input());
                }
                Block::ServerToolUse(call) => {
                    self.call(call.id().map(|id| id.to_string()), call.name(), call.input());
                }
                Block::WebSearchToolResult(result) => {
                    let texts = result.content().map(TextCollector::of).unwrap_or_default();
                    if let Some(id) = result.tool_use() {
                        let call = self.batch.calls.entry(id.to_string()).or_default();
                        call.answered = call.answered.or(Some(self.span.line));
                        call.ended = call.ended.or(self.millis);
                        call.result = texts.bytes;
                    }
                    let call = result.tool_use().map(|id| id.to_string());
                    self.row(MessageRole::Tool, MessageKind::ToolResult, texts, ToolRef::Call(call), false);
                }
                _ => self.block += 1,
            }
        }
    }

    fn call(&mut self, id: Option<String>, name: Option<Text<'_>>, input: Option<Fields<'_>>) {
        let name = name.map(|name| name.to_string());
        let value = input.as_ref().and_then(|input| Value::parse(input.raw()).ok());
        let texts = value.map(TextCollector::of).unwrap_or_default();
        if let Some(id) = id.clone() {
            let (millis, line) = (self.millis, self.span.line);
            let known = self.batch.calls.entry(id).or_default();
            let path = ["file_path", "notebook_path", "path"];
            let path = path.iter().find_map(|key| input.as_ref()?.text(key)).map(|text| text.to_string());
            let prompt = input.as_ref().and_then(|input| input.text("prompt"));
            // A copied line repeats its calls; the later line counts.
            *known = CallRow {
                tool: name.clone(),
                called: Some(line),
                started: millis,
                path,
                prompt: prompt.map(|prompt| fingerprint(prompt.decode().trim().as_bytes())),
                // As if they came in two updates.
                input: input.as_ref().map_or(0, |input| input.raw().len() as u64).max(known.input),
                ..known.clone()
            };
        }
        self.row(MessageRole::Assistant, MessageKind::ToolCall, texts, ToolRef::Tool(name, id), false);
    }
}
