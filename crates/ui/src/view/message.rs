//! Items of user lines and responses.

use annals_json::Text;
use annals_transcript::content::{Block, ToolUse};
use annals_transcript::record::{Assistant, Record, User};
use annals_transcript::transcript::NodeIndex;
use annals_transcript::turn::{Speaker, prompt_text};

use super::builder::ThreadBuilder;
use super::item::{
    Compaction, Failure, ItemBody, ModelText, Note, NoteKind, PromptItem, PromptKind, UnknownEntry,
};
use super::output::{self, CallInput};
use super::system::command_output;
use super::text::{opening, value_text};
use super::tool::{FileAction, FileExcerpt, ToolCall, ToolCallResult, ToolOutput};
use super::{call, image};

impl<'a> ThreadBuilder<'_, '_, 'a, '_> {
    /// Adds the items of a user line.
    pub(super) fn user(&mut self, node: NodeIndex, user: &User<'a>) {
        let note = |kind: NoteKind, text: String| ItemBody::Note(Note { kind, label: None, text });
        let text = || user.content().plain_text();
        let speaker = self.source.transcript.node(node).speaker;
        let body = match speaker.unwrap_or_else(|| Speaker::of(user)) {
            Speaker::Person => prompt(user, PromptKind::Person),
            Speaker::Command => prompt(user, PromptKind::Command),
            Speaker::Shell => prompt(user, PromptKind::Shell),
            Speaker::CommandOutput => note(NoteKind::CommandOutput, command_output(&text())),
            Speaker::Tool => return self.results(node, user),
            Speaker::Client => note(NoteKind::Client, text()),
            Speaker::Summary => {
                ItemBody::Compaction(Compaction { summary: Some(text()), ..Compaction::default() })
            }
            Speaker::Interrupt => note(NoteKind::Interrupt, text()),
            Speaker::TaskNotification => note(NoteKind::TaskNotification, text()),
            Speaker::Teammate => note(NoteKind::Teammate, text()),
            Speaker::Empty => note(NoteKind::Notice, "a user line without content".to_owned()),
            _ => note(NoteKind::Notice, text()),
        };
        self.push(node, body);
    }

    /// Adds results, except those that are shown with their call.
    fn results(&mut self, node: NodeIndex, user: &User<'a>) {
        for (at, block) in user.content().blocks().enumerate() {
            match block {
                Block::ToolResult(result) => {
                    let pair = result.tool_use().and_then(|id| self.source.pairs.get(&id));
                    if pair.is_some_and(|pair| self.is_shown[pair.call] || self.turn_of[pair.call] > 0) {
                        continue;
                    }
                    let name = pair.and_then(|pair| pair.name).map(|name| name.to_string());
                    let input = pair.and_then(|pair| pair.input.as_ref());
                    let name = name.unwrap_or_else(|| "result without call".to_owned());
                    let id = result.tool_use().map(|id| id.to_string()).unwrap_or_default();
                    let mut call = call::of_input(id, name, input, self.cwd.as_deref());
                    let asked = CallInput { input, cwd: self.cwd.as_deref() };
                    let came = output::of_result(user, &result, &asked);
                    call.result = Some(ToolCallResult { line: self.source.position(node).line, ..came });
                    self.push(node, ItemBody::ToolCall(Box::new(call)));
                }
                Block::Text(text) => {
                    let text = text.text().map(Text::into_string).unwrap_or_default();
                    let interrupted = text.starts_with("[Request interrupted");
                    let kind = if interrupted { NoteKind::Interrupt } else { NoteKind::Client };
                    self.push(node, ItemBody::Note(Note { kind, label: None, text }));
                }
                Block::Image(_) => {
                    self.push(
                        node,
                        ItemBody::Prompt(PromptItem {
                            text: String::new(),
                            images: 1,
                            first_image: image::images_before(user, at),
                            documents: 0,
                            author: PromptKind::Person,
                        }),
                    );
                }
                other => self.push(node, unknown(&other)),
            }
        }
    }

    /// Adds a whole response at its first line: its other lines may be on other branches.
    pub(super) fn response(&mut self, node: NodeIndex) {
        let source = self.source;
        let turn = self.turn_of[node];
        let fits = |&line: &NodeIndex| match self.turn_of[line] {
            0 => turn != u32::MAX && !self.layout.is_left[line],
            of_line => of_line == turn || of_line == u32::MAX,
        };
        let response = source.response(node).filter(|response| response.message.is_some());
        let mut lines: Vec<_> =
            response.map(|found| found.nodes.iter().copied().filter(fits).collect()).unwrap_or_default();
        if !lines.contains(&node) {
            lines = vec![node];
        }
        lines.retain(|&line| !self.is_shown[line]);
        if let (Some(response), Some(&first)) = (response, lines.first())
            && !response.is_synthetic
            && turn != u32::MAX
            && response.nodes.first() == Some(&first)
        {
            let model = response.model.map(|model| model.to_string()).unwrap_or_default();
            if !self.turn.models.contains(&model) {
                self.turn.models.push(model);
            }
            self.turn.output_tokens += response.usage.as_ref().and_then(|usage| usage.output()).unwrap_or(0);
        }
        for line in lines {
            self.is_shown[line] = true;
            if let Record::Assistant(assistant) = source.transcript.record(line) {
                self.assistant(line, &assistant);
            }
        }
    }

    fn assistant(&mut self, node: NodeIndex, line: &Assistant<'a>) {
        if let Some(cwd) = line.fields().text("cwd")
            && !self.cwd.as_deref().is_some_and(|known| cwd.is(known))
        {
            self.cwd = Some(cwd.to_string());
        }
        let content = line.content();
        if line.is_api_error() == Some(true) {
            let failure = Failure {
                message: content.plain_text(),
                status: line.api_error_status(),
                ..Failure::default()
            };
            return self.push(node, ItemBody::Failure(failure));
        }
        let model = line.model().map(|model| model.to_string());
        let speech = |text: String| {
            ItemBody::Text(ModelText {
                text,
                model: model.clone(),
                is_cut_off: line.is_aborted_mid_stream() == Some(true),
            })
        };
        if let annals_transcript::content::Content::Text(text) = content {
            return self.push(node, speech(text.into_string()));
        }
        for block in content.blocks() {
            let body = match block {
                Block::Text(text) => {
                    let text = text.text().map(Text::into_string).unwrap_or_default();
                    if text.trim().is_empty() { continue } else { speech(text) }
                }
                Block::Thinking(thinking) => {
                    let text = thinking.thinking().map(Text::into_string);
                    ItemBody::Thinking(text.filter(|text| !text.trim().is_empty()))
                }
                Block::RedactedThinking(_) => ItemBody::Thinking(None),
                Block::ToolUse(call) => ItemBody::ToolCall(Box::new(self.call(node, &call))),
                Block::ServerToolUse(call) => {
                    let (id, name) =
                        (call.id().map(|id| id.to_string()), call.name().map(|name| name.to_string()));
                    let input = call.input();
                    let call = call::of_input(
                        id.unwrap_or_default(),
                        name.unwrap_or_default(),
                        input.as_ref(),
                        None,
                    );
                    ItemBody::ToolCall(Box::new(call))
                }
                Block::WebSearchToolResult(found) => {
                    if self.answer_server_call(node, &found) {
                        continue;
                    }
                    unknown(&Block::WebSearchToolResult(found))
                }
                Block::Fallback(change) => {
                    let model = |fields: Option<annals_json::Fields<'_>>| {
                        fields
                            .and_then(|fields| fields.text("model"))
                            .map(|text| text.to_string())
                            .unwrap_or_default()
                    };
                    let text = format!("{} to {}", model(change.from()), model(change.to()));
                    ItemBody::Note(Note {
                        kind: NoteKind::Notice,
                        label: Some("model fallback".to_owned()),
                        text,
                    })
                }
                other => unknown(&other),
            };
            self.push(node, body);
        }
    }

    fn call(&mut self, node: NodeIndex, block: &ToolUse<'a>) -> ToolCall {
        self.turn.tool_calls += 1;
        let source = self.source;
        let id = block.id().map(|id| id.to_string()).unwrap_or_default();
        let name = block.name().map(|name| name.to_string()).unwrap_or_default();
        let input = block.input();
        let mut call = call::of_input(id, name, input.as_ref(), self.cwd.as_deref());
        let pair = block.id().and_then(|id| source.pairs.get(&id));
        if let Some(pair) = pair.filter(|pair| pair.call == node)
            && let Some(at) = pair.result
            && let Record::User(user) = source.transcript.record(at)
        {
            let is_answer =
                |found: &Block<'a>| matches!(found, Block::ToolResult(r) if r.tool_use() == Some(pair.id));
            if let Some(Block::ToolResult(found)) = user.content().blocks().find(is_answer) {
                let asked = CallInput { input: input.as_ref(), cwd: self.cwd.as_deref() };
                let came = output::of_result(&user, &found, &asked);
                call.result = Some(ToolCallResult { line: source.position(at).line, ..came });
            }
            call.duration_ms = pair.duration_ms(source.transcript);
        }
        show_request(&mut call, input.as_ref(), self.cwd.as_deref());
        call.agents = self.agents.of_call(&call.id);
        if let Some(&at) = block.id().and_then(|id| self.layout.by_call.get(&id)) {
            call.agents.push(self.inline_agent(at));
        }
        call
    }

    /// Gives what the API found to the call of the same response.
    fn answer_server_call(
        &mut self,
        node: NodeIndex,
        found: &annals_transcript::content::WebSearchToolResult<'_>,
    ) -> bool {
        let line = self.source.position(node).line;
        let id = found.tool_use().map(|id| id.to_string());
        let call = self.items.iter_mut().rev().find_map(|item| match &mut item.body {
            ItemBody::ToolCall(call) if Some(&call.id) == id.as_ref() => Some(call),
            _ => None,
        });
        let (Some(call), Some(content)) = (call, found.content()) else { return false };
        let page = |value: annals_json::Value<'_>| {
            let fields = value.fields()?;
            Some(format!("{} {}", fields.text("title")?, fields.text("url")?))
        };
        let mut pages: Vec<_> = content.items().filter_map(page).collect();
        if pages.is_empty() {
            pages.push(value_text(content));
        }
        let outputs = vec![ToolOutput::Text(pages.join("\n"))];
        call.result = Some(ToolCallResult { line, outputs, ..ToolCallResult::default() });
        true
    }
}

/// If the result does not show the request, the call does.
fn show_request(call: &mut ToolCall, input: Option<&annals_json::Fields<'_>>, cwd: Option<&str>) {
    let Some(input) = input else { return };
    let outputs = call.result.as_ref().map(|result| result.outputs.as_slice()).unwrap_or_default();
    let has_todos = outputs.iter().any(|output| matches!(output, ToolOutput::Todos(_)));
    let plain = outputs.iter().all(|output| matches!(output, ToolOutput::Text(_)));
    let asked = match call.name.as_str() {
        "TodoWrite" if !has_todos => input.get("todos").map(|todos| output::of_todos(todos.items())),
        "Edit" | "MultiEdit" if plain && !call.is_error() => {
            super::diff::of_input(input, cwd).map(ToolOutput::Diff)
        }
        // Without the client's record of it, the request has the file.
        "Write" if plain && !call.is_error() => input.text("content").map(|text| {
            ToolOutput::File(FileExcerpt {
                act: FileAction::Written,
                path: call.headline.clone(),
                start_line: 1,
                total_lines: None,
                text: text.into_string(),
            })
        }),
        "ExitPlanMode" | "exit_plan_mode" if plain => {
            input.text("plan").map(|plan| ToolOutput::Markdown(plan.to_string()))
        }
        _ => None,
    };
    if let Some(asked) = asked {
        let result = call.result.get_or_insert_default();
        result.outputs.retain(|output| !matches!(output, ToolOutput::Text(_)) || result.is_error);
        result.outputs.insert(0, asked);
    }
}

fn prompt(user: &User<'_>, author: PromptKind) -> ItemBody {
    let count = |name: &str| {
        user.content().blocks().filter(|block| block.type_name().is_some_and(|kind| kind.is(name))).count()
    };
    ItemBody::Prompt(PromptItem {
        text: prompt_text(user),
        images: count("image"),
        first_image: 0,
        documents: count("document"),
        author,
    })
}

fn unknown(block: &Block<'_>) -> ItemBody {
    let type_name = block.type_name().map(|name| name.to_string()).unwrap_or_else(|| "(none)".to_owned());
    let raw = &block.raw()[..block.raw().len().min(400)];
    ItemBody::Unknown(UnknownEntry {
        what: "block",
        type_name,
        opening: opening(&String::from_utf8_lossy(raw), 120),
    })
}
