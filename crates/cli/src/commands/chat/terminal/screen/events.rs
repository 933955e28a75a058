//! Events of the conversation on the chat screen: streaming text, calls and their results, sub-agents, notices.

use std::time::Instant;

use annals_agent::api::stream::{BlockKind, StreamEvent};
use annals_agent::protocol::{Event, ToolProgress, TurnEnd, TurnReport, WrittenLine};
use annals_json::Value;
use annals_store::source::Clock;
use annals_store::todos::TodoItem;
use annals_tui::chat::{AgentStep, AnswerSignature};
use annals_ui::figures;
use annals_ui::terminal::Style;
use annals_ui::view::{CallPhase, LiveCall, LiveRecord, LiveRecordBody, LiveSession};

use super::super::chat_ui::ChatUi;
use super::super::session_commands::text_of_answer;
use super::super::show_event::tool_calls;
use super::super::terminal_ui::{ERROR, WARNING};
use super::ScreenUi;
use super::tasks::items_of;
use crate::source::SystemSource;

impl ScreenUi {
    pub(super) fn show_event(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Streamed(streamed) => self.stream(streamed, now),
            Event::Restarted => {
                self.screen.drop_thought();
                self.screen.end_text();
                self.screen.note(Style::DIM, "(the response was cut off and starts over)");
            }
            Event::Replied(line) => {
                if let Some(work) = self.screen.work() {
                    work.has_output = true;
                }
                self.note_calls(&line);
                self.sign_answer(&line);
            }
            Event::Attached(attached) => self.show_attached(&attached),
            Event::ToolStarted { call, tool, input, .. } => {
                if let Some(work) = self.screen.work() {
                    work.tool_event(&tool, now);
                }
                let started = LiveCall { id: &call, tool: &tool, input: &input, cwd: &self.cwd }.started();
                self.screen.start_call(started);
                self.calls.insert(call, (tool, input));
            }
            Event::ToolProgress { call, progress: ToolProgress::Output { whole, .. } } => {
                self.screen.show_output(&call, &whole);
            }
            Event::ToolDone { call, line } => self.tool_done(&call, &line, now),
            Event::Absorbed(line) => {
                self.screen.absorbed(&said(&line));
                self.screen.add_pictures(self.painter.paint_message(&line.message));
            }
            Event::Retrying(retry) => {
                self.screen.end_text();
                self.screen.note(WARNING, &retry.failure.to_string());
                if let Some(work) = self.screen.work() {
                    work.retry(retry.wait, retry.attempt, retry.max_retries, now);
                }
            }
            Event::Notice(notice) => {
                self.screen.end_text();
                self.screen.note(WARNING, &notice.to_string());
            }
            Event::Compacted { tokens_before, .. } => {
                self.screen.end_text();
                let before = match tokens_before {
                    0 => String::new(),
                    count => format!(" ({} before)", figures::tokens(count)),
                };
                self.screen.note(Style::DIM, &format!("conversation compacted{before}"));
            }
            Event::BackgroundEnded(ended) => {
                self.screen.end_text();
                let about = if ended.note.is_some() { " · /tasks shows what it printed" } else { "" };
                self.screen.note(Style::DIM, &format!("{}{about}", ended.summary));
            }
            Event::Subagent { call, agent, event } => {
                self.show_agent_event(&mut vec![AgentStep { call, agent }], &event);
            }
            Event::ModeChanged(mode) => self.show_mode(mode),
            Event::Finished(finished) => self.finish(&finished),
            Event::Usage { usage, .. } => {
                self.screen.end_thought();
                self.screen.end_text();
                self.screen.add_tokens(usage.output());
            }
            // A denial is shown as the result of the call.
            _ => {}
        }
    }

    fn stream(&mut self, streamed: StreamEvent, now: Instant) {
        let what = match &streamed {
            StreamEvent::ThinkingDelta { .. } | StreamEvent::BlockStart { kind: BlockKind::Thinking, .. } => {
                "thinking"
            }
            _ => "working",
        };
        if let Some(work) = self.screen.work() {
            work.api_event(what, now);
        }
        match streamed {
            StreamEvent::BlockStart { kind, .. } => {
                self.screen.end_thought();
                self.screen.end_text();
                if kind == BlockKind::Text {
                    self.screen.start_text();
                }
            }
            StreamEvent::TextDelta { text, .. } => self.screen.add_text(&text),
            StreamEvent::ThinkingDelta { thinking, .. } => self.screen.add_thought(&thinking),
            _ => {}
        }
    }

    /// Notes the calls of a response: one that never starts, because it is denied or invalid, is shown with its result.
    fn note_calls(&mut self, line: &WrittenLine) {
        self.calls.extend(tool_calls(line));
    }

    fn tool_done(&mut self, id: &str, line: &WrittenLine, now: Instant) {
        if let Some(work) = self.screen.work() {
            work.has_output = true;
            work.api_event("working", now);
        }
        let (tool, input) = self.calls.remove(id).unwrap_or_default();
        let call = LiveCall { id, tool: &tool, input: &input, cwd: &self.cwd };
        let finished = call.finished(&line.message, &line.result, CallPhase::Whole);
        self.screen.finish_call(id, finished);
        self.screen.add_call_pictures(id, self.painter.paint_message(&line.message));
        if tool == "TodoWrite"
            && let Ok(result) = Value::parse(&line.result)
            && let Some(list) = result.get("newTodos").and_then(|list| TodoItem::list(list.raw()).ok())
        {
            self.set_todos(list);
        }
    }

    /// Says which model gave an answer.
    fn sign_answer(&mut self, line: &WrittenLine) {
        let Ok(message) = Value::parse(&line.message) else { return };
        let blocks = message.get("content");
        let is_text =
            blocks.iter().flat_map(|blocks| blocks.items()).any(|block| text_of_answer(block).is_some());
        if is_text {
            let model = message.get("model").and_then(Value::text).map(|model| model.to_string());
            self.screen.sign_answer(AnswerSignature { model, millis: Some(Clock::now(&SystemSource)) });
        }
    }

    /// Adds what was attached to the transcript. What waited is shown when it reaches the model.
    fn show_attached(&mut self, attached: &[u8]) {
        let kind = Value::parse(attached).ok().and_then(|attached| attached.get("type")?.text());
        if kind.is_some_and(|kind| kind.is("queued_command")) {
            return;
        }
        let (millis, body) = (Clock::now(&SystemSource), LiveRecordBody::Attachment(attached));
        let items = LiveRecord { cwd: &self.cwd, millis, body }.items(&mut LiveSession::new());
        items.into_iter().for_each(|item| self.screen.add_detail(item));
    }

    /// Shows an event of the sub-agent at the end of this way, below the call that started the outermost.
    fn show_agent_event(&mut self, way: &mut Vec<AgentStep>, event: &Event) {
        let (Some(first), Some(last)) = (way.first(), way.last()) else { return };
        let (call, agent) = (first.call.clone(), last.agent.clone());
        let items = items_of(event, &self.cwd, self.agent_sessions.entry(agent).or_default());
        if !items.is_empty() {
            self.screen.add_agent_items(way, items);
        }
        match event {
            Event::Subagent { call, agent, event } => {
                way.push(AgentStep { call: call.clone(), agent: agent.clone() });
                self.show_agent_event(way, event);
            }
            Event::ToolStarted { call: id, tool, input, .. } => {
                if let Some(work) = self.screen.work() {
                    work.tool_event(&format!("agent: {tool}"), Instant::now());
                }
                let started = LiveCall { id, tool, input, cwd: &self.cwd }.started();
                started.items.iter().for_each(|step| self.screen.add_step(&call, way.len(), step));
            }
            Event::Denied(denial) => {
                let (id, tool, input) = (&denial.call, &denial.tool, &denial.input);
                let denied = LiveCall { id, tool, input, cwd: &self.cwd }.started();
                let why = &denial.why;
                denied.items.iter().for_each(|step| self.screen.add_denied_step(&call, way.len(), step, why));
            }
            Event::Usage { usage, .. } => self.screen.add_agent_tokens(&call, usage.output()),
            Event::Notice(notice) => self.screen.note(WARNING, &format!("agent: {notice}")),
            Event::Streamed(_) => {
                if let Some(work) = self.screen.work() {
                    work.api_event("working", Instant::now());
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, finished: &TurnReport) {
        self.screen.end_thought();
        self.screen.end_text();
        if let Some(prompt) = &finished.prompt {
            self.screen.set_prompt_id(prompt);
        }
        match &finished.ending {
            TurnEnd::Done if finished.responses > 0 => {
                let mut facts = vec![figures::duration(finished.millis)];
                let written: u64 = finished.spent.values().map(|tokens| tokens.output).sum();
                facts.extend((written > 0).then(|| figures::tokens(written)));
                self.screen.note(Style::DIM, &format!("── {}", facts.join(" · ")));
            }
            TurnEnd::Done => {}
            TurnEnd::MaxResponses => {
                self.screen.note(WARNING, &format!("stopped after {} responses", finished.responses));
            }
            TurnEnd::BudgetSpent => self.screen.note(WARNING, "stopped: the budget is spent"),
            TurnEnd::PromptBlocked(why) => {
                self.screen.note(WARNING, &format!("a hook refused the prompt: {why}"));
            }
            TurnEnd::Interrupted => self.screen.note(WARNING, "interrupted"),
            TurnEnd::Failed(error) => self.screen.note(ERROR, &error.to_string()),
        }
    }
}

/// Returns the text of a prompt that was written.
fn said(line: &WrittenLine) -> String {
    let content = Value::parse(&line.message).ok().and_then(|message| message.get("content"));
    let Some(content) = content else { return String::new() };
    match content.text() {
        Some(text) => text.to_string(),
        None => {
            let texts =
                content.items().filter_map(|block| block.get("text")?.text().map(|text| text.to_string()));
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}
