//! What a conversation tells, as it goes by: text while it streams, calls and what came of them, notices.

use std::time::Instant;

use annals_agent::api::stream::{BlockKind, Event as Streamed};
use annals_agent::event::{Event, Line};
use annals_agent::tools::Told;
use annals_agent::turn::{Ending, Finished};
use annals_json::Value;
use annals_store::todos::TodoItem;
use annals_ui::figures;

use super::desk::Desk;
use super::screen::{Ink, clipped};
use super::tool_lines;
use super::tty::Skill;

impl Desk {
    /// Says what happened.
    pub(super) fn tell(&mut self, event: Event) {
        let now = Instant::now();
        match event {
            Event::Streamed(streamed) => self.stream(streamed),
            Event::Restarted => {
                self.thinking.clear();
                self.screen.end_line();
                self.note(Ink::Dim, "(the response broke off and begins anew)");
            }
            Event::Replied(_) => {
                if let Some(work) = &mut self.work {
                    work.produced = true;
                }
            }
            Event::ToolStarted { call, tool, input } => {
                if let Some(work) = &mut self.work {
                    work.run(&tool, now);
                }
                self.screen.end_line();
                self.say_call(&call, &tool, &input);
                self.calls.insert(call, (tool, input));
            }
            Event::ToolTold { call, told: Told::Output { whole, .. } } => {
                let tool = self.calls.get(&call).map(|(tool, _)| tool.clone()).unwrap_or_default();
                let last = whole.trim_end().rsplit('\n').next().unwrap_or_default();
                let last = clipped(last, self.screen.width() / 2);
                if let Some(work) = &mut self.work {
                    work.run(&format!("{tool}: {last} "), now);
                }
            }
            Event::ToolDone { call, line } => self.tool_done(&call, &line, now),
            Event::Retrying(retry) => {
                if self.screen.skill() == Skill::Lines {
                    let seconds = retry.wait.as_secs_f64().ceil();
                    let words =
                        format!("retrying in {seconds} s · attempt {} of {}", retry.attempt, retry.most);
                    self.note(Ink::Dim, &words);
                }
                self.screen.end_line();
                self.note(Ink::Yellow, &retry.failure.to_string());
                if let Some(work) = &mut self.work {
                    work.wait_for(&retry, now);
                }
            }
            Event::Noticed(notice) => {
                self.screen.end_line();
                self.note(Ink::Yellow, &notice.to_string());
            }
            Event::Compacted { tokens_before } => {
                self.screen.end_line();
                let before = match tokens_before {
                    0 => String::new(),
                    count => format!(" ({} before)", figures::tokens(count)),
                };
                self.note(Ink::Dim, &format!("the conversation was summed up{before}"));
            }
            Event::OfAgent { event, .. } => self.tell_of_agent(&event, 1),
            Event::Finished(finished) => self.finish(&finished),
            Event::Counted { .. } => {
                self.say_thought();
                self.screen.end_line();
            }
            // A refusal comes as the call's result.
            _ => {}
        }
    }

    fn stream(&mut self, streamed: Streamed) {
        let now = Instant::now();
        let what = match &streamed {
            Streamed::ThinkingDelta { .. } | Streamed::BlockStart { kind: BlockKind::Thinking, .. } => {
                "thinking"
            }
            _ => "working",
        };
        if let Some(work) = &mut self.work {
            work.hear(what, now);
        }
        match streamed {
            Streamed::BlockStart { kind, .. } => {
                self.say_thought();
                self.screen.end_line();
                if kind == BlockKind::Text {
                    self.screen.gap();
                    self.last_call = None;
                }
            }
            Streamed::TextDelta { text, .. } => self.screen.stream(&text),
            Streamed::ThinkingDelta { thinking, .. } => self.thinking.push_str(&thinking),
            _ => {}
        }
    }

    /// Of what was thought, the first line.
    fn say_thought(&mut self) {
        let thought = std::mem::take(&mut self.thinking);
        let first = thought.trim().lines().next().unwrap_or_default();
        if !first.is_empty() {
            let rest = if thought.trim().lines().nth(1).is_some() { " …" } else { "" };
            let short = clipped(first, self.screen.width().saturating_sub(6));
            self.note(Ink::Dim, &format!("∴ {short}{rest}"));
        }
    }

    fn say_call(&mut self, call: &str, tool: &str, input: &[u8]) {
        let said = tool_lines::call(tool, input, &self.cwd);
        self.screen.lines(0, &[said]);
        self.last_call = Some(call.to_owned());
    }

    fn tool_done(&mut self, call: &str, line: &Line, now: Instant) {
        if let Some(work) = &mut self.work {
            work.produced = true;
            work.hear("working", now);
        }
        self.screen.end_line();
        let (tool, input) = self.calls.remove(call).unwrap_or_default();
        // Of several that ran beside each other, each result says whose it is.
        if self.last_call.as_deref() != Some(call) && !tool.is_empty() {
            self.say_call(call, &tool, &input);
        }
        let lines = tool_lines::result(&tool, line);
        self.screen.lines(4, &lines);
        if tool == "TodoWrite"
            && let Ok(result) = Value::parse(&line.result)
            && let Some(list) = result.get("newTodos").and_then(|list| TodoItem::list(list.raw()).ok())
        {
            self.todos = list;
        }
    }

    fn finish(&mut self, finished: &Finished) {
        self.screen.end_line();
        match &finished.ending {
            Ending::Done => {}
            Ending::MostResponses => {
                self.note(Ink::Yellow, &format!("stopped after {} responses", finished.responses));
            }
            Ending::Interrupted => self.note(Ink::Yellow, "interrupted"),
            Ending::Failed(error) => self.note(Ink::Red, &error.to_string()),
        }
    }
}
