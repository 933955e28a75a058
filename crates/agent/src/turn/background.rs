//! Sub-agents in the background: what the model and the caller are told of them.

use annals_store::session::AppendError;

use super::agent::Agent;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::protocol::{Event, EventSink, TaskNotification};

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells the model of sub-agents that have ended, and the caller what they did since the last time.
    pub(super) fn append_notifications(&mut self, report: &mut EventSink<'_>) -> Result<(), AppendError> {
        if !self.conversation.is_main() {
            return Ok(());
        }
        self.report_background(report);
        for ended in self.background.take_ended() {
            self.conversation.append_notification(&ended.text())?;
            report(Event::BackgroundEnded(ended));
        }
        Ok(())
    }

    /// Tells the caller what sub-agents in the background did since the last time.
    pub fn report_background(&mut self, report: &mut EventSink<'_>) {
        self.background.take_events().into_iter().for_each(report);
    }

    /// Waits for a sub-agent or a command that ends in the background, which opens a turn; `None` if none runs.
    pub async fn next_notification(&self) -> Option<TaskNotification> {
        self.background.next_end().await
    }
}
