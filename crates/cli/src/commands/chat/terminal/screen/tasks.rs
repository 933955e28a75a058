//! The list of what is in the background on the chat screen, as it is now: rows with the end of each output, and all of the one that
//! is read.

use std::collections::HashMap;

use annals_agent::protocol::Event;
use annals_agent::tools::bash::BackgroundStatus;
use annals_store::source::Clock;
use annals_tui::chat::TaskRow;
use annals_ui::terminal::{Passage, RenderOptions, Span, Style, StyledLine};
use annals_ui::view::{Conversation, LiveRecord, LiveRecordBody, LiveSession};

use super::super::tasks::{TaskWatch, facts};
use super::super::terminal_ui::WARNING;
use super::ScreenUi;
use crate::source::SystemSource;
use crate::words;

/// The end of an output that is listed, in bytes.
const MAX_LISTED: usize = 16 << 10;
/// The end of an output that is read, in bytes.
const MAX_READ: usize = 4 << 20;
/// The last items of a sub-agent that are listed.
const MAX_ITEMS: usize = 12;

/// What sub-agents in the background said and did, as far as it was looked at.
#[derive(Default)]
pub(super) struct AgentViews(HashMap<String, AgentView>);

#[derive(Default)]
struct AgentView {
    seen: usize,
    session: LiveSession,
    conversation: Conversation,
}

/// Returns the items of an event of a sub-agent; none for an event that its session does not hold.
pub(super) fn items_of(event: &Event, cwd: &str, session: &mut LiveSession) -> Vec<annals_ui::view::Item> {
    let body = match event {
        Event::Prompted(line) => LiveRecordBody::Said(&line.message, &line.result),
        Event::Replied(line) => LiveRecordBody::Answer(&line.message),
        Event::ToolDone { line, .. } => LiveRecordBody::Said(&line.message, &line.result),
        Event::Attached(attached) => LiveRecordBody::Attachment(attached),
        _ => return Vec::new(),
    };
    LiveRecord { cwd, millis: Clock::now(&SystemSource), body }.items(session)
}

impl AgentViews {
    /// The lines of what a sub-agent said and did; of one that is not read, the last.
    fn lines(
        &mut self,
        task: &BackgroundStatus,
        watch: &TaskWatch,
        (cwd, is_read): (&str, bool),
        options: &RenderOptions<'_>,
    ) -> Vec<StyledLine> {
        let view = self.0.entry(task.id.clone()).or_default();
        let events = watch.agents.events_from(&task.id, view.seen);
        view.seen += events.len();
        for event in &events {
            let items = items_of(event, cwd, &mut view.session);
            view.conversation.add_live(items);
        }
        let items = &view.conversation.items;
        let first = if is_read { 0 } else { items.len().saturating_sub(MAX_ITEMS) };
        let passage =
            Passage { before: None, stamped: None, items: &items[first..], depth: 0, is_agent: true };
        let mut lines = passage.lines(&RenderOptions { full: is_read, unfold_hint: "", ..*options });
        // One that failed has said why nowhere else.
        if task.status == "failed" {
            lines.extend(task.output.lines().map(|line| vec![Span::new(line, WARNING)]));
        }
        lines
    }
}

impl ScreenUi {
    /// What is in the background now; nothing before a session is open.
    fn task_rows(&mut self) -> Vec<TaskRow> {
        let Some(watch) = self.tasks.clone() else { return Vec::new() };
        let read = self.screen.read_task().map(str::to_owned);
        let options = self.screen.task_options();
        let mut rows = Vec::new();
        for task in watch.statuses(MAX_LISTED) {
            let is_read = read.as_ref() == Some(&task.id);
            let output = match task.used {
                Some(_) => self.agent_views.lines(&task, &watch, (&self.cwd, is_read), &options),
                None if is_read => whole_output(&task.id, &watch),
                None => plain_lines(&task.output),
            };
            let is_running = task.status == "running";
            let state = format!("{} · {}", task.status, facts(&task));
            rows.push(TaskRow { state, id: task.id, is_running, what: task.command, output });
        }
        rows
    }

    /// Opens the list of what is in the background.
    pub(super) fn show_tasks(&mut self) {
        let rows = self.task_rows();
        self.screen.open_tasks(rows);
    }

    /// Follows what is in the background, if its list is open.
    pub(super) fn follow_tasks(&mut self) {
        if self.screen.shows_tasks() {
            let rows = self.task_rows();
            self.screen.update_tasks(rows);
        }
    }

    /// Stops what is in the background.
    pub(super) fn stop_task(&mut self, id: &str) {
        if let Some(watch) = &self.tasks {
            watch.stop(id);
        }
        self.follow_tasks();
    }
}

/// All that a command has printed, as far as it can be read here.
fn whole_output(id: &str, watch: &TaskWatch) -> Vec<StyledLine> {
    let Some((text, before)) = watch.shells.printed(id, MAX_READ) else { return Vec::new() };
    let mut lines = plain_lines(&text);
    if before > 0 {
        let text = format!("(first {} omitted)", words::bytes(before));
        lines.insert(0, vec![Span::new(text, Style::DIM)]);
    }
    lines
}

fn plain_lines(text: &str) -> Vec<StyledLine> {
    text.trim_end().lines().map(|line| vec![Span::plain(line.replace('\t', "    "))]).collect()
}
