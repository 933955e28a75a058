//! Skills that run in a sub-agent of their own (`context: fork`): their text is its task, and its answer is the result.

use annals_json::object;
use annals_store::source::new_uuid;

use super::agent::Agent;
use super::approve::Approval;
use super::attempt::RunOutcome;
use super::custom_command::CommandStart;
use super::pending::PendingCall;
use super::progress::ProgressLog;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::commands::Invocation;
use crate::protocol::{Commands, Event, EventSink, INTERRUPTED_CALL, Notice, TurnError, WrittenLine};
use crate::tools::agent::{AgentPlace, AgentTask, SpawnError};
use crate::tools::{CallContext, Outcome, Tool, ToolContent, ToolFuture, skill};

/// A skill that runs in a sub-agent.
pub(super) struct ForkedSkill {
    /// The call that uses it.
    pub(super) call: String,
    name: String,
    task: AgentTask,
}

impl ForkedSkill {
    pub(super) fn new(call: &str, invocation: &Invocation, kind: &str, text: String) -> Self {
        let command = &invocation.command;
        let source = command.author.source();
        let task = AgentTask {
            description: format!("/{}", command.name),
            prompt: text,
            kind: kind.to_owned(),
            model: command.model.clone(),
            place: AgentPlace::Foreground,
            rules: command.rules().into_iter().map(|rule| (rule, source)).collect(),
        };
        Self { call: call.to_owned(), name: command.name.clone(), task }
    }

    /// Returns the input of the call that callers are told of: one that starts a sub-agent.
    pub(super) fn input(&self) -> Vec<u8> {
        object(|input| {
            input.string("description", &self.task.description).string("prompt", &self.task.prompt);
            input.string("subagent_type", &self.task.kind);
        })
    }

    /// Runs it with the tool that starts sub-agents.
    pub(super) fn run<'t>(
        &'t self,
        starter: Option<&'t dyn Tool>,
        scene: &'t CallContext<'t>,
    ) -> ToolFuture<'t> {
        Box::pin(async move {
            let Some(running) = starter.and_then(|tool| tool.run_agent(&self.task, scene)) else {
                let why = format!("the skill {} runs in an agent, and none can be started here", self.name);
                return Outcome::failed(why.clone(), &why);
            };
            match running.await {
                Ok(done) => {
                    let shown = format!(
                        "Skill \"{}\" completed (forked execution).\n\nResult:\n{}",
                        self.name, done.answer
                    );
                    let kept = object(|kept| {
                        kept.boolean("success", true).string("commandName", &self.name);
                        kept.string("status", "forked").string("agentId", &done.agent);
                        kept.string("result", &done.answer);
                    });
                    Outcome::text(shown, kept)
                }
                Err(SpawnError::Interrupted) => Outcome::failed(INTERRUPTED_CALL, INTERRUPTED_CALL),
                Err(SpawnError::Failed(why)) => {
                    let why = format!("the skill {} failed: {why}", self.name);
                    Outcome::failed(why.clone(), &why)
                }
            }
        })
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Runs a skill that the person uses. Its answer is the output of the command; the model of the session is not asked.
    pub(super) async fn run_forked(
        &mut self,
        invocation: &Invocation,
        (kind, text): (&str, String),
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<CommandStart, TurnError> {
        let line = self.conversation.append_own_command(invocation)?;
        let id = format!("command-{}", new_uuid(self.conversation.store().source));
        let call = PendingCall::from_command(id, skill::NAME, b"{}".to_vec());
        self.forked_skills = vec![ForkedSkill::new(&call.id, invocation, kind, text)];
        let approvals = [Approval::Run(Default::default())];
        let calls = std::slice::from_ref(&call);
        let (mut outcomes, ran) = self.attempt(calls, &approvals, ProgressLog::Off, commands, report).await;
        let outcome = outcomes.pop().flatten().map(|(outcome, _)| outcome);
        let Some(outcome) = outcome.filter(|_| ran == RunOutcome::All) else {
            self.append_interruption(INTERRUPTED_CALL, report)?;
            return Ok(CommandStart::Interrupted);
        };
        let ToolContent::Text(said) = outcome.shown else { return Ok(CommandStart::Interrupted) };
        // Callers were told that a sub-agent works, so they are told that it has ended.
        let message = object(|message| {
            message.string("role", "user").array("content", |list| {
                list.object(|block| {
                    block.string("type", "tool_result").string("tool_use_id", &call.id);
                    block.string("content", &said);
                });
            });
        });
        let uuid = new_uuid(self.conversation.store().source);
        let done = WrittenLine { uuid, message, result: outcome.kept, request: None };
        report(Event::ToolDone { call: call.id.clone(), line: done });
        if outcome.is_error {
            self.conversation.append_command_output("stderr", &said)?;
            return Ok(CommandStart::Failed(line, TurnError::Command(said)));
        }
        let answer = said.split_once("Result:\n").map_or(said.as_str(), |(_, answer)| answer).to_owned();
        self.conversation.append_command_output("stdout", &answer)?;
        if !self.is_headless {
            // Elsewhere it is the result of the turn.
            report(Event::Notice(Notice::Skill(answer.clone())));
        }
        Ok(CommandStart::Answered(line, answer))
    }
}
