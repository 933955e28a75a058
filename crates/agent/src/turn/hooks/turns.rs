//! Hooks around a turn: its start, its prompt, its texts, its end, a compaction.

use annals_json::ObjectWriter;
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{CompactionTrigger, Draft, PromptContent};

use super::super::agent::Agent;
use super::super::memory::LoadCause;
use super::super::state::{Step, TurnInput, TurnState};
use super::HookSubject;
use super::records::{CallRemarks, RecordSubject};
use super::stop::StopOutcome;
use crate::api::call::RetryClock;
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::commands::Author;
use crate::conversation::Grouping;
use crate::hooks::{HookEvent, HookOutcome};
use crate::protocol::{Commands, Event, EventSink, Notice, Prompt, TerminalReason, TurnEnd, TurnError};

const OUTPUT_REQUEST: &str = "The answer is not complete: give it by calling StructuredOutput.";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks that the conversation, or a sub-agent, starts. What they say is written before the prompt. `None` if the
    /// person interrupts.
    pub(in super::super) async fn at_start(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        if std::mem::replace(&mut self.has_started, true) {
            return Some(());
        }
        let (event, value) = match &self.subagent {
            Some((_, kind)) => (HookEvent::SubagentStart, kind.clone()),
            None if self.conversation.is_open() => (HookEvent::SessionStart, "resume".to_owned()),
            None => (HookEvent::SessionStart, "startup".to_owned()),
        };
        let fill = |input: &mut ObjectWriter<'_>| {
            if event == HookEvent::SessionStart {
                input.string("source", &value);
            }
        };
        let outcome = self.tell(HookSubject::new(event, &value), fill, commands, report).await?;
        self.start_remarks = self.remarks_of(event, &value, &outcome);
        self.tell_memory(LoadCause::Start, commands, report).await
    }

    /// Writes what hooks said at the start.
    pub(in super::super) fn append_start(&mut self) -> Result<(), AppendError> {
        let remarks = std::mem::take(&mut self.start_remarks);
        if remarks.attachments.is_empty() {
            self.remarks.extend(remarks);
            return Ok(());
        }
        self.conversation.answer_open_calls()?;
        self.append_hook_lines(remarks)
    }

    /// Returns the records of an event that is not about a call.
    fn remarks_of(&self, event: HookEvent, value: &str, outcome: &HookOutcome) -> CallRemarks {
        if outcome.reports.is_empty() {
            return CallRemarks::default();
        }
        let (folder, id) = (self.conversation.overflow_folder(), new_uuid(self.conversation.store().source));
        RecordSubject { event, value, id: &id, folder: folder.as_deref() }.remarks(outcome)
    }

    /// Tells hooks of a prompt, and of the command that it names. `None` if the person interrupts, an error if it is refused.
    pub(in super::super) async fn before_prompt(
        &mut self,
        input: TurnInput<'_>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Result<CallRemarks, TurnEnd>> {
        let mut remarks = CallRemarks::default();
        if !self.conversation.is_main() {
            return Some(Ok(remarks));
        }
        self.name_prompt(report);
        if self.hooks.is_empty() {
            return Some(Ok(remarks));
        }
        let text = input.prompt().map(Prompt::text).unwrap_or_default();
        let submit = |input: &mut ObjectWriter<'_>| {
            input.string("prompt", &text);
        };
        let event = HookEvent::UserPromptSubmit;
        let outcome = self.tell(HookSubject::new(event, ""), submit, commands, report).await?;
        remarks.extend(self.remarks_of(event, "", &outcome));
        if let Some(why) = outcome.blocks.last() {
            return Some(Err(TurnEnd::PromptBlocked(why.clone())));
        }
        self.hook_stop = outcome.stop;
        if let TurnInput::Command(_, invocation) = input {
            let (event, name) = (HookEvent::UserPromptExpansion, invocation.command.name.clone());
            let expand = |input: &mut ObjectWriter<'_>| {
                input.string("expansion_type", "slash_command").string("command_name", &name);
                input.string("command_args", &invocation.arguments);
                let source = match invocation.command.author {
                    Author::Person => "userSettings",
                    Author::Project => "projectSettings",
                };
                input.string("command_source", source).string("prompt", &text);
            };
            let outcome = self.tell(HookSubject::new(event, &name), expand, commands, report).await?;
            remarks.extend(self.remarks_of(event, &name, &outcome));
            if let Some(why) = outcome.blocks.last() {
                return Some(Err(TurnEnd::PromptBlocked(why.clone())));
            }
            self.hook_stop = self.hook_stop.take().or(outcome.stop);
        }
        Some(Ok(remarks))
    }

    /// Gives what the person asked for an id, for hooks and the status line.
    pub(in super::super) fn name_prompt(&mut self, report: &mut EventSink<'_>) {
        if !self.hooks.is_empty() || self.names_prompts {
            let id = new_uuid(self.conversation.store().source);
            self.prompt_id = Some(id.clone());
            report(Event::PromptNamed(id));
        }
    }

    /// Writes what hooks said.
    pub(in super::super) fn append_hook_lines(&mut self, remarks: CallRemarks) -> Result<(), AppendError> {
        self.remarks.extend(remarks);
        self.append_remarks()
    }

    /// Tells hooks that a text of the model is complete.
    pub(in super::super) async fn after_text(
        &mut self,
        text: &str,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<()> {
        let event = HookEvent::MessageDisplay;
        if text.is_empty() || self.subagent.is_some() || !self.hooks.has(event) {
            return Some(());
        }
        let turn = self.prompt_id.clone().unwrap_or_default();
        let message = new_uuid(self.conversation.store().source);
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("turn_id", &turn).string("message_id", &message).number("index", 0);
            input.boolean("final", true).string("delta", text);
        };
        self.tell(HookSubject::new(event, ""), fill, commands, report).await.map(drop)
    }

    /// Tells hooks that a turn is about to end. They may keep it going, and so may an output that is missing.
    pub(in super::super) async fn before_end(
        &mut self,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        let is_missing = self.structured.as_ref().is_some_and(|slot| !slot.is_filled());
        if is_missing {
            // As the original: once, and then the text is the answer.
            if !std::mem::replace(&mut state.is_output_requested, true) {
                return self.go_on(OUTPUT_REQUEST);
            }
            report(Event::Notice(Notice::NoStructuredOutput));
        }
        let is_main = self.subagent.is_none();
        let event = if is_main { HookEvent::Stop } else { HookEvent::SubagentStop };
        let value = self.subagent.as_ref().map(|(_, kind)| kind.clone()).unwrap_or_default();
        let (is_active, text) = (state.stop_blocks > 0, state.finished.text.clone());
        let own = self.conversation.path().map(|path| path.display().to_string());
        let running = if is_main { self.background.running_agents() } else { Vec::new() };
        let fill = |input: &mut ObjectWriter<'_>| {
            input.boolean("stop_hook_active", is_active);
            if !is_main {
                input.string_if("agent_transcript_path", own.as_deref());
            }
            input.string("last_assistant_message", &text);
            input.array("background_tasks", |list| running.iter().for_each(|agent| agent.describe(list)));
            input.array("session_crons", |_| {});
        };
        let Some(outcome) = self.tell(HookSubject::new(event, &value), fill, commands, report).await else {
            return self.stop(report);
        };
        if outcome.reports.is_empty() {
            return Ok(Step::End(TurnEnd::Done));
        }
        let stop = StopOutcome::new(event, new_uuid(self.conversation.store().source), outcome);
        if let Some(why) = &stop.outcome.stop {
            state.finished.reason = TerminalReason::StopHookPrevented;
            report(Event::Notice(Notice::Hook(format!("a hook ended the turn: {why}"))));
            self.append_stop(&stop)?;
            return Ok(Step::End(TurnEnd::Done));
        }
        let feedback = stop.feedback();
        if feedback.is_empty() || state.stop_blocks == self.max_stop_blocks {
            if !feedback.is_empty() {
                let why =
                    format!("hooks kept the turn from ending {} times; it ends now", self.max_stop_blocks);
                report(Event::Notice(Notice::Hook(why)));
                state.finished.text.clear();
            }
            self.append_stop(&stop)?;
            return Ok(Step::End(TurnEnd::Done));
        }
        state.stop_blocks += 1;
        let step = self.go_on(&format!("Stop hook feedback:\n{}", feedback.join("\n")))?;
        self.append_stop(&stop)?;
        Ok(step)
    }

    /// Continues a turn that was about to end.
    fn go_on(&mut self, words: &str) -> Result<Step, TurnError> {
        let draft = Draft::meta_prompt(PromptContent::Text(words));
        self.conversation.append_and_send(draft, Role::User, Grouping::NewMessage)?;
        Ok(Step::Request)
    }

    /// Tells hooks of a compaction; the reason if they prevent it. `None` if the person interrupts.
    pub(in super::super) async fn before_compaction(
        &mut self,
        trigger: CompactionTrigger,
        focus: Option<&str>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Result<(), String>> {
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("trigger", trigger.name()).string_or_null("custom_instructions", focus);
        };
        let subject = HookSubject::new(HookEvent::PreCompact, trigger.name());
        let outcome = self.tell(subject, fill, commands, report).await?;
        let blocked = outcome.blocks.into_iter().next_back().or(outcome.stop);
        Some(blocked.map_or(Ok(()), |why| Err(format!("a hook prevented it: {why}"))))
    }

    /// Tells hooks that the conversation was compacted, and starts over from the summary.
    pub(in super::super) async fn after_compaction(
        &mut self,
        trigger: CompactionTrigger,
        summary: &str,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        let model = self.turn_config.model.clone();
        let start = |input: &mut ObjectWriter<'_>| {
            input.string("source", "compact").string("model", &model);
        };
        let subject = HookSubject::new(HookEvent::SessionStart, "compact");
        if self.subagent.is_none()
            && let Some(outcome) = self.tell(subject, start, commands, report).await
        {
            let remarks = self.remarks_of(HookEvent::SessionStart, "compact", &outcome);
            self.append_hook_lines(remarks)?;
        }
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("trigger", trigger.name()).string("compact_summary", summary);
        };
        let subject = HookSubject::new(HookEvent::PostCompact, trigger.name());
        // Whatever they say, it is done.
        let _ = self.tell(subject, fill, commands, report).await;
        Ok(())
    }
}
