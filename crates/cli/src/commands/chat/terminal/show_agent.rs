//! Events of sub-agents: their calls, indented below the call that started them, and what they changed. Their texts are not
//! shown: the last one is the result of the call.

use std::time::Instant;

use annals_agent::protocol::Event;
use annals_ui::view::{CallPhase, LiveCall};

use super::terminal_ui::{TerminalUi, WARNING};

/// Tools with results that are shown, since they change files.
const CHANGING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

impl TerminalUi {
    /// Draws an event of a sub-agent that is this deep.
    pub(super) fn show_agent_event(&mut self, event: &Event, depth: usize) {
        let now = Instant::now();
        match event {
            Event::Subagent { event, .. } => self.show_agent_event(event, depth + 1),
            Event::ToolStarted { call, tool, input, .. } => {
                if let Some(work) = &mut self.work {
                    work.tool_event(&format!("agent: {tool}"), now);
                }
                self.end_text();
                let started = LiveCall { id: call, tool, input, cwd: &self.cwd }.started();
                self.draw(&started, depth);
                self.last_call = None;
                self.calls.insert(call.clone(), (tool.clone(), input.clone()));
            }
            Event::Denied(denial) => {
                self.end_text();
                let (id, tool, input) = (&denial.call, &denial.tool, &denial.input);
                self.draw(&LiveCall { id, tool, input, cwd: &self.cwd }.started(), depth);
                self.last_call = None;
                self.print_note(WARNING, &format!("agent: denied: {}", denial.why));
            }
            Event::ToolDone { call, line } => {
                let (tool, input) = self.calls.remove(call).unwrap_or_default();
                if CHANGING.contains(&tool.as_str()) {
                    self.end_text();
                    let call = LiveCall { id: call, tool: &tool, input: &input, cwd: &self.cwd };
                    let finished = call.finished(&line.message, &line.result, CallPhase::Finished);
                    self.draw(&finished, depth);
                }
            }
            Event::Notice(notice) => {
                self.end_text();
                self.print_note(WARNING, &format!("agent: {notice}"));
            }
            Event::Streamed(_) => {
                if let Some(work) = &mut self.work {
                    work.api_event("working", now);
                }
            }
            _ => {}
        }
    }
}
