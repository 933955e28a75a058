//! Runs approved tool calls, concurrently if they allow it, until they end or are interrupted.

use std::future::Future;
use std::pin::Pin;
use std::time::Instant;

use tokio::sync::mpsc::unbounded_channel;

use super::agent::{Agent, find_tool};
use super::approve::Approval;
use super::pending::PendingCall;
use super::progress::{ProgressLog, ProgressRecorder, handle_all, handle_progress, progress_sender};
use super::wait::{BoundedTasks, Either, either};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::protocol::{Command, Commands, Event, EventSink, Relay};
use crate::tools::{CallContext, Outcome, Parent, Tool, ToolFuture, agent};

/// The most calls that run concurrently.
const MAX_CONCURRENT: usize = 10;

/// How the calls ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunOutcome {
    All,
    /// The person interrupted them; calls without a result get an error.
    Interrupted,
    /// A hook leaves the call to be run when the session is resumed: it has no result.
    Deferred,
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Runs the approved calls. The result of an interrupted call is `None`; each comes with its milliseconds.
    pub(super) async fn attempt(
        &mut self,
        calls: &[PendingCall],
        approvals: &[Approval],
        log: ProgressLog,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> (Vec<Option<(Outcome, u64)>>, RunOutcome) {
        let (relay, subagent_storage) = (Relay::default(), self.conversation.subagent_storage());
        let hook_scope = self.hook_scope();
        let parent = Parent {
            hook_scope: &hook_scope,
            policy: &self.policy,
            grants: &self.grants,
            turn_config: &self.turn_config,
            subagent_storage: &subagent_storage,
            relay: &relay,
            hooks: &self.hooks,
            permission_tool: self.permission_tool.as_ref(),
            prompt_id: self.prompt_id.as_deref(),
        };
        let (sender, mut receiver) = unbounded_channel();
        let sender: Vec<_> = calls.iter().map(|call| progress_sender(&call.id, &sender)).collect();
        let mut scenes = Vec::new();
        for ((call, tell), approval) in calls.iter().zip(&sender).zip(approvals) {
            let agreed = approval.agreed();
            scenes.push(CallContext { tool_use: &call.id, tell, agreed, parent: Some(&parent) });
        }
        let tools: &[Box<dyn Tool + '_>] = &self.tools;
        let forked = &self.forked_skills;
        let mut outcomes: Vec<Option<(Outcome, u64)>> = Vec::new();
        let (mut places, mut work) = (Vec::new(), Vec::new());
        for (number, (call, approval)) in calls.iter().zip(approvals).enumerate() {
            let fork = forked.iter().find(|fork| fork.call == call.id);
            if let (Approval::Run(_), Some(fork)) = (approval, fork) {
                report(Event::ToolStarted {
                    call: call.id.clone(),
                    tool: agent::NAME.to_owned(),
                    input: fork.input(),
                    because: approval.because().to_owned(),
                });
                places.push(number);
                work.push(timed(fork.run(find_tool(tools, agent::NAME), &scenes[number])));
                outcomes.push(None);
                continue;
            }
            outcomes.push(match (approval, find_tool(tools, &call.name)) {
                (Approval::Resolved(outcome), _) => Some((outcome.clone(), 0)),
                (Approval::Run(_) | Approval::LeavePlan(_), Some(tool)) => {
                    report(Event::ToolStarted {
                        call: call.id.clone(),
                        tool: call.name.clone(),
                        input: call.input.clone(),
                        because: approval.because().to_owned(),
                    });
                    places.push(number);
                    work.push(timed(tool.run(approval.input().unwrap_or(&call.input), &scenes[number])));
                    None
                }
                _ => None,
            });
        }
        let mut bounded = BoundedTasks::new(work, MAX_CONCURRENT);
        let mut recorder = ProgressRecorder::new(log);
        let first = {
            let progress = handle_all(&mut receiver, &mut recorder, &mut self.conversation, report);
            either(
                bounded.finish(),
                either(progress, commands.interrupt_forwarding(|command| relay.forward(command))),
            )
            .await
        };
        let ran = match first {
            Either::First(()) => RunOutcome::All,
            Either::Second(_) => {
                // Sub-agents end by themselves and complete their files; a second interrupt does not wait for them.
                relay.forward(&Command::Interrupt);
                bounded.retain(|piece| relay.has_listener(&calls[places[piece]].id));
                let progress = handle_all(&mut receiver, &mut recorder, &mut self.conversation, report);
                either(bounded.finish(), either(progress, commands.interrupt())).await;
                RunOutcome::Interrupted
            }
        };
        while let Ok((call, progress)) = receiver.try_recv() {
            handle_progress(&call, progress, &mut recorder, &mut self.conversation, report);
        }
        for (place, outcome) in places.into_iter().zip(bounded.into_results()) {
            outcomes[place] = outcome;
        }
        (outcomes, ran)
    }
}

type TimedFuture<'t> = Pin<Box<dyn Future<Output = (Outcome, u64)> + Send + 't>>;

/// Measures a call from its first step on.
fn timed<'t>(call: ToolFuture<'t>) -> TimedFuture<'t> {
    Box::pin(async move {
        let began = Instant::now();
        let outcome = call.await;
        (outcome, u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX))
    })
}
