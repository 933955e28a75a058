//! What a headless conversation does next: commands, and what has ended in the background.

use std::future::Future as _;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use annals_agent::protocol::{Command, Commands};
use annals_agent::tools::background::BackgroundAgents;

/// Longer than anybody waits.
const FOREVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Where the next command comes from.
pub(super) struct CommandSource {
    agents: Arc<BackgroundAgents>,
    /// Whether no more commands come: what still runs is waited for.
    is_over: bool,
    /// How long it is waited for; `None` for as long as it takes.
    limit: Option<Duration>,
}

impl CommandSource {
    pub(super) fn new(agents: &Arc<BackgroundAgents>, limit: Option<Duration>) -> Self {
        Self { agents: Arc::clone(agents), is_over: false, limit }
    }

    /// Returns the next command; `None` after the last one. What ends in the background while nothing else waits opens a turn. After
    /// the last command what still runs is waited for, up to the limit, unless an interrupt comes.
    pub(super) async fn next(&mut self, commands: &mut Commands) -> Option<Command> {
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
    use annals_agent::protocol::Prompt;

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
