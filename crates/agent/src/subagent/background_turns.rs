//! The turns of a sub-agent that works in the background: its task, and then each message that it gets.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::spawn::result_of;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::protocol::{Command, Commands, Event, Prompt};
use crate::tools::agent::{AgentResult, SpawnError};
use crate::tools::background::{BackgroundAgent, BackgroundAgents};
use crate::turn::Agent;

/// The turns of a sub-agent in the background: its task, and then each message that it gets.
pub(super) struct BackgroundTurns<'a, T, S> {
    pub(super) agent: Agent<'a, T, S>,
    pub(super) entry: Arc<BackgroundAgent>,
    pub(super) commands: Commands,
    pub(super) agents: Arc<BackgroundAgents>,
}

impl<T: Transport, S: RetryClock> BackgroundTurns<'_, T, S> {
    /// Runs turns as long as the conversation lasts, beginning with this prompt.
    pub(super) async fn run(mut self, first: Option<Prompt>) {
        let (mut waiting, mut tool_uses) = (VecDeque::from_iter(first), 0);
        loop {
            let prompt = match waiting.pop_front() {
                Some(prompt) => prompt,
                None => match self.commands.next().await {
                    Some(Command::Prompt(prompt)) => prompt,
                    Some(Command::Quit) | None => return,
                    Some(_) => continue,
                },
            };
            let mut result = self.turn(&prompt, &mut tool_uses).await;
            self.take_messages(&mut waiting).await;
            // A message that came behind its last call: nothing that it said before is lost.
            while result != Err(SpawnError::Interrupted)
                && let Some(prompt) = waiting.pop_front()
            {
                let earlier = result.map_or_else(|error| error.to_string(), |done| done.answer);
                result = self.turn(&prompt, &mut tool_uses).await;
                if let Ok(done) = &mut result {
                    done.answer = format!("{earlier}\n\n{}", done.answer);
                }
                self.take_messages(&mut waiting).await;
            }
            // One that was stopped continues if it got a message before it had ended.
            if waiting.is_empty() {
                self.agents.end(&self.entry, result);
            }
        }
    }

    /// Takes the messages that wait. Those from before it was stopped were meant for that work.
    async fn take_messages(&mut self, waiting: &mut VecDeque<Prompt>) {
        while !self.commands.is_empty() {
            if let Some(Command::Prompt(prompt)) = self.commands.next().await {
                waiting.push_back(prompt);
            }
        }
        let meant = self.entry.messages.load(Ordering::Relaxed);
        let old = waiting.len().saturating_sub(meant);
        waiting.drain(..old);
    }

    async fn turn(&mut self, prompt: &Prompt, tool_uses: &mut u64) -> Result<AgentResult, SpawnError> {
        let (agents, entry) = (&self.agents, &self.entry);
        let mut report = |event: Event| {
            *tool_uses += u64::from(matches!(event, Event::ToolDone { .. }));
            entry.progress.add(&event);
            if is_told_later(&event) {
                let (call, agent) = (entry.call(), entry.id.clone());
                agents.push_event(Event::Subagent { call, agent, event: Box::new(event) });
            }
        };
        let finished = self.agent.turn(prompt, &mut self.commands, &mut report).await;
        result_of(self.entry.id.clone(), finished, *tool_uses)
    }
}

/// Returns whether the caller is told of an event of a sub-agent in the background: of what it spends, was denied and opened.
fn is_told_later(event: &Event) -> bool {
    matches!(
        event.innermost(),
        Event::Usage { .. } | Event::Denied(_) | Event::Notice(_) | Event::PullRequestOpened(_)
    )
}
