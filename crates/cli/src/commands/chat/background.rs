//! What a headless conversation does next: commands, and what has ended in the background.

use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use annals_agent::protocol::{Command, Commands, Prompt};
use annals_agent::tools::background::BackgroundAgents;

use super::ChatAgent;
use super::input::is_turn;
use crate::error::Fault;

/// Longer than anybody waits.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Where the next command comes from.
pub(super) struct CommandSource {
    agents: Arc<BackgroundAgents>,
    /// Whether no more commands come, so that only what still runs is left.
    is_over: bool,
    /// How long to wait for it; `None` for as long as it takes.
    limit: Option<Duration>,
    /// The prompt that comes after the calls that a hook has left for later.
    held: Option<Command>,
    /// Whether the first prompt has come.
    has_begun: bool,
}

impl CommandSource {
    pub(super) fn new(agents: &Arc<BackgroundAgents>, limit: Option<Duration>) -> Self {
        Self { agents: Arc::clone(agents), is_over: false, limit, held: None, has_begun: false }
    }

    /// Returns what runs in place of a command: before the first prompt of a session whose calls a hook has left for later, these
    /// calls, as in the original. The prompt is the next command then.
    pub(super) fn after_deferred(
        &mut self,
        command: Command,
        agent: &mut ChatAgent<'_>,
    ) -> Result<Command, Fault> {
        let is_prompt = !matches!(command, Command::Prompt(Prompt::Notification(_))) && is_turn(&command);
        if !is_prompt || std::mem::replace(&mut self.has_begun, true) || command == Command::RunDeferred {
            return Ok(command);
        }
        if !agent.has_deferred_calls()? {
            return Ok(command);
        }
        self.held = Some(command);
        Ok(Command::RunDeferred)
    }

    /// Returns whether a prompt is held back.
    pub(super) fn has_held(&self) -> bool {
        self.held.is_some()
    }

    /// Drops a prompt that is held back: the person interrupted what comes before it.
    pub(super) fn drop_held(&mut self) {
        self.held = None;
    }

    /// Returns the next command; `None` after the last one. What ends in the background while nothing else waits opens a turn. After
    /// the last command, waits for what still runs, up to the limit, unless an interrupt comes.
    pub(super) async fn next(&mut self, commands: &mut Commands) -> Option<Command> {
        if let Some(command) = self.held.take() {
            return Some(command);
        }
        loop {
            let (mut command, mut end) = (pin!(commands.next()), pin!(self.agents.next_end()));
            let mut is_waiting = true;
            let (is_over, mut is_closed) = (self.is_over, false);
            let mut late = pin!(tokio::time::sleep(self.limit.unwrap_or(FOREVER)));
            let next = std::future::poll_fn(|context| {
                if !is_closed && let Poll::Ready(command) = command.as_mut().poll(context) {
                    match command {
                        None => is_closed = true,
                        Some(command) => return Poll::Ready(Some(command)),
                    }
                    if !is_over {
                        return Poll::Ready(None);
                    }
                }
                if is_waiting && let Poll::Ready(ended) = end.as_mut().poll(context) {
                    is_waiting = false;
                    if is_over || ended.is_some() {
                        return Poll::Ready(ended.map(|ended| Command::Prompt(ended.into_prompt())));
                    }
                }
                if is_over && late.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                Poll::Pending
            })
            .await;
            match next {
                Some(Command::Interrupt) if self.is_over => return None,
                Some(command) if command != Command::Quit => return Some(command),
                None if self.is_over => return None,
                _ => self.is_over = true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn commands_come_in_order_and_then_there_are_no_more() {
        let (sender, mut commands) = Commands::channel();
        let mut source = CommandSource::new(&Arc::default(), None);
        let prompt = Command::Prompt(Prompt::Text("x".to_owned()));
        sender.send(prompt.clone()).unwrap();
        sender.send(Command::Quit).unwrap();
        assert_eq!(source.next(&mut commands).await, Some(prompt.clone()));
        assert_eq!(source.next(&mut commands).await, None, "nothing runs in the background");
        let mut source = CommandSource::new(&Arc::default(), None);
        sender.send(prompt.clone()).unwrap();
        drop(sender);
        assert_eq!(source.next(&mut commands).await, Some(prompt));
        assert_eq!(source.next(&mut commands).await, None);
    }
}
