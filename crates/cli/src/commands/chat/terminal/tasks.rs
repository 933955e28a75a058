//! Commands and sub-agents in the background, for people: `/tasks` lists them, follows them and stops them.

use std::sync::Arc;

use annals_agent::tools::background::BackgroundAgents;
use annals_agent::tools::bash::{BackgroundStatus, Shells};
use annals_ui::figures;
use annals_ui::terminal::Style;

use super::chat_ui::ChatUi;
use super::setup_reports;
use super::terminal_ui::WARNING;

/// The end of an output that is listed.
const MAX_LISTED: usize = 16 << 10;

/// What is in the background.
#[derive(Clone)]
pub(super) struct TaskWatch {
    pub(super) shells: Arc<Shells>,
    pub(super) agents: Arc<BackgroundAgents>,
}

impl TaskWatch {
    /// Returns how far each is, with at most this much of what commands have printed.
    pub(super) fn statuses(&self, max_bytes: usize) -> Vec<BackgroundStatus> {
        let mut tasks = self.shells.background(max_bytes);
        tasks.extend(self.agents.statuses());
        tasks
    }

    /// Stops one; whether there was one that ran.
    pub(super) fn stop(&self, id: &str) -> bool {
        self.shells.stop(id) || self.agents.stop(id)
    }

    /// Shows what is in the background, or stops one.
    pub(super) fn show(&self, wanted: Option<String>, ui: &mut impl ChatUi) {
        let Some(wanted) = wanted else {
            let tasks = self.statuses(MAX_LISTED);
            if tasks.is_empty() || !ui.open_tasks() {
                ui.report("background", &setup_reports::tasks(&tasks));
            }
            return;
        };
        match wanted.strip_prefix("stop ").map(str::trim) {
            Some(id) if self.stop(id) => ui.note(Style::PLAIN, &format!("{id} is being stopped")),
            Some(id) => ui.note(WARNING, &format!("no task {id} runs in the background")),
            None => ui.note(WARNING, "/tasks shows what runs in the background, /tasks stop ID stops one"),
        }
    }
}

/// How long a task took, and what a sub-agent used.
pub(super) fn facts(task: &BackgroundStatus) -> String {
    let millis = u64::try_from(task.elapsed.as_millis()).unwrap_or(u64::MAX);
    let mut facts = vec![figures::duration(millis)];
    if let Some((calls, tokens)) = task.used {
        facts.push(figures::counted(usize::try_from(calls).unwrap_or(usize::MAX), "tool call"));
        facts.push(figures::tokens(tokens));
    }
    facts.join(" · ")
}
