//! What sub-agents do, as it goes by: their calls moved in below the call that started them, and what they changed. What they
//! say is between them and the model: its last text is the call's result.

use std::time::Instant;

use annals_agent::event::Event;

use super::desk::Desk;
use super::screen::Ink;
use super::tool_lines;

/// How far the calls of a sub-agent are moved in, and of one that it started itself.
const STEP: usize = 4;
/// Tools whose results are shown, too: what they changed.
const CHANGING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

impl Desk {
    /// Says what a sub-agent did.
    pub(super) fn tell_of_agent(&mut self, event: &Event, depth: usize) {
        let now = Instant::now();
        match event {
            Event::OfAgent { event, .. } => self.tell_of_agent(event, depth + 1),
            Event::ToolStarted { call, tool, input } => {
                if let Some(work) = &mut self.work {
                    work.run(&format!("agent: {tool}"), now);
                }
                self.screen.end_line();
                let said = tool_lines::call(tool, input, &self.cwd);
                self.screen.lines(depth * STEP, &[said]);
                self.last_call = None;
                self.calls.insert(call.clone(), (tool.clone(), input.clone()));
            }
            Event::ToolDone { call, line } => {
                let (tool, _) = self.calls.remove(call).unwrap_or_default();
                if CHANGING.contains(&tool.as_str()) {
                    self.screen.end_line();
                    self.screen.lines(depth * STEP + STEP, &tool_lines::result(&tool, line));
                }
            }
            Event::Noticed(notice) => {
                self.screen.end_line();
                self.note(Ink::Yellow, &format!("agent: {notice}"));
            }
            Event::Streamed(_) => {
                if let Some(work) = &mut self.work {
                    work.hear("working", now);
                }
            }
            _ => {}
        }
    }
}
