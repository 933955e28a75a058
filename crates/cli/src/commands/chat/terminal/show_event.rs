//! Draws events of the conversation as they arrive: streaming text, calls and their results, notices.

use std::time::Instant;

use annals_agent::api::stream::{BlockKind, StreamEvent};
use annals_agent::protocol::{Event, ToolProgress, TurnEnd, TurnReport, WrittenLine};
use annals_json::Value;
use annals_store::todos::TodoItem;
use annals_ui::TerminalText;
use annals_ui::chat::TermCaps;
use annals_ui::figures;
use annals_ui::terminal::{RenderOptions, Style, clip};
use annals_ui::view::{CallPhase, Conversation, LiveCall};

use super::terminal_ui::{ERROR, TerminalUi, WARNING};

/// Returns the calls of a response: id, tool and input.
pub(super) fn tool_calls(line: &WrittenLine) -> Vec<(String, (String, Vec<u8>))> {
    let content = Value::parse(&line.message).ok().and_then(|message| message.get("content"));
    let call = |block: Value<'_>| {
        let text = |key: &str| block.get(key).and_then(Value::text).map(|text| text.to_string());
        text("type").filter(|kind| kind == "tool_use")?;
        let input = block.get("input").map_or_else(Vec::new, |input| input.raw().to_vec());
        Some((text("id")?, (text("name")?, input)))
    };
    content.iter().flat_map(|content| content.items()).filter_map(call).collect()
}

impl TerminalUi {
    /// Draws an event.
    pub(super) fn show_event(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Streamed(streamed) => self.stream(streamed),
            Event::Restarted => {
                self.thinking.clear();
                self.end_text();
                self.print_note(Style::DIM, "(the response was cut off and starts over)");
            }
            Event::Replied(line) => {
                if let Some(work) = &mut self.work {
                    work.has_output = true;
                }
                self.note_calls(&line);
            }
            Event::ToolStarted { call, tool, input, .. } => {
                if let Some(work) = &mut self.work {
                    work.tool_event(&tool, now);
                }
                self.end_text();
                self.draw_call(&call, &tool, &input);
                self.calls.insert(call, (tool, input));
            }
            Event::ToolProgress { call, progress: ToolProgress::Output { whole, .. } } => {
                let tool = self.calls.get(&call).map(|(tool, _)| tool.clone()).unwrap_or_default();
                let last = whole.trim_end().rsplit('\n').next().unwrap_or_default();
                let last = clip(last, self.screen.width() / 2);
                if let Some(work) = &mut self.work {
                    work.tool_event(&format!("{tool}: {last} "), now);
                }
            }
            Event::ToolDone { call, line } => self.tool_done(&call, &line, now),
            Event::Retrying(retry) => {
                if self.screen.caps() == TermCaps::Lines {
                    self.print_note(Style::DIM, &retry.schedule());
                }
                self.end_text();
                self.print_note(WARNING, &retry.failure.to_string());
                if let Some(work) = &mut self.work {
                    work.retry(retry.wait, retry.attempt, retry.max_retries, now);
                }
            }
            Event::Notice(notice) => {
                self.end_text();
                self.print_note(WARNING, &notice.to_string());
            }
            Event::Compacted { tokens_before, .. } => {
                self.end_text();
                let before = match tokens_before {
                    0 => String::new(),
                    count => format!(" ({} before)", figures::tokens(count)),
                };
                self.print_note(Style::DIM, &format!("conversation compacted{before}"));
            }
            Event::BackgroundEnded(ended) => {
                self.end_text();
                self.print_note(Style::DIM, &ended.summary);
            }
            Event::Subagent { event, .. } => self.show_agent_event(&event, 1),
            Event::Finished(finished) => self.finish(&finished),
            Event::Usage { .. } => {
                self.print_thought();
                self.end_text();
            }
            // A denial is shown as the result of the call.
            _ => {}
        }
    }

    fn stream(&mut self, streamed: StreamEvent) {
        let now = Instant::now();
        let what = match &streamed {
            StreamEvent::ThinkingDelta { .. } | StreamEvent::BlockStart { kind: BlockKind::Thinking, .. } => {
                "thinking"
            }
            _ => "working",
        };
        if let Some(work) = &mut self.work {
            work.api_event(what, now);
        }
        match streamed {
            StreamEvent::BlockStart { kind, .. } => {
                self.print_thought();
                self.end_text();
                if kind == BlockKind::Text {
                    self.screen.gap();
                    self.page.interrupt();
                    self.last_call = None;
                }
            }
            StreamEvent::TextDelta { text, .. } => self.stream_text(&text),
            StreamEvent::ThinkingDelta { thinking, .. } => self.thinking.push_str(&thinking),
            _ => {}
        }
    }

    /// Prints the first line of a thought.
    fn print_thought(&mut self) {
        let thought = std::mem::take(&mut self.thinking);
        let first = thought.trim().lines().next().unwrap_or_default();
        if !first.is_empty() {
            let ellipsis = if thought.trim().lines().nth(1).is_some() { " …" } else { "" };
            let short = clip(first, self.screen.width().saturating_sub(6));
            self.print_note(Style::DIM, &format!("∴ {short}{ellipsis}"));
        }
    }

    /// Draws the model's text as far as it is complete. A terminal without cursor movement gets it as it comes.
    fn stream_text(&mut self, text: &str) {
        if self.screen.caps() == TermCaps::Lines {
            return self.screen.stream(text);
        }
        let lines = self.markdown.push(text, self.screen.width(), &self.options);
        if !lines.is_empty() {
            self.screen.rendered(&lines);
        }
    }

    /// Draws items of a sub-agent that is this deep; 0 for the conversation itself.
    pub(super) fn draw(&mut self, conversation: &Conversation, depth: usize) {
        let options = RenderOptions { width: self.screen.width(), ..self.options };
        let mut page = TerminalText::default();
        self.page.draw_nested(conversation, depth, &options, &mut page);
        self.screen.page(&page);
    }

    /// Notes the calls of a response: one that never starts, because it is denied or invalid, is drawn with its result.
    fn note_calls(&mut self, line: &WrittenLine) {
        self.calls.extend(tool_calls(line));
    }

    fn draw_call(&mut self, id: &str, tool: &str, input: &[u8]) {
        let call = LiveCall { id, tool, input, cwd: &self.cwd };
        let started = call.started();
        self.draw(&started, 0);
        self.last_call = Some(id.to_owned());
    }

    fn tool_done(&mut self, id: &str, line: &WrittenLine, now: Instant) {
        if let Some(work) = &mut self.work {
            work.has_output = true;
            work.api_event("working", now);
        }
        self.end_text();
        let (tool, input) = self.calls.remove(id).unwrap_or_default();
        // If several calls ran at once, each result names its call again.
        let is_below = self.last_call.as_deref() == Some(id);
        let phase = if is_below { CallPhase::Finished } else { CallPhase::Whole };
        let call = LiveCall { id, tool: &tool, input: &input, cwd: &self.cwd };
        let finished = call.finished(&line.message, &line.result, phase);
        self.draw(&finished, 0);
        self.last_call = None;
        if tool == "TodoWrite"
            && let Ok(result) = Value::parse(&line.result)
            && let Some(list) = result.get("newTodos").and_then(|list| TodoItem::list(list.raw()).ok())
        {
            self.todos = list;
        }
    }

    fn finish(&mut self, finished: &TurnReport) {
        self.end_text();
        match &finished.ending {
            TurnEnd::Done => {}
            TurnEnd::MaxResponses => {
                self.print_note(WARNING, &format!("stopped after {} responses", finished.responses));
            }
            TurnEnd::BudgetSpent => self.print_note(WARNING, "stopped: the budget is spent"),
            TurnEnd::PromptBlocked(why) => {
                self.print_note(WARNING, &format!("a hook refused the prompt: {why}"))
            }
            TurnEnd::Interrupted => self.print_note(WARNING, "interrupted"),
            TurnEnd::Failed(error) => self.print_note(ERROR, &error.to_string()),
        }
    }
}
