//! Hooks around a turn: its start, its prompt, its end, a compaction.

use annals_json::ObjectWriter;
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{CompactionTrigger, Draft, PromptContent};

use super::super::agent::Agent;
use super::super::state::{Step, TurnState};
use super::HookSubject;
use super::records::{CallRemarks, remarks};
use crate::api::call::RetryClock;
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::conversation::Grouping;
use crate::hooks::HookEvent;
use crate::protocol::{Commands, Event, EventSink, Notice, Prompt, TerminalReason, TurnEnd, TurnError};

/// How often hooks may keep a turn from ending.
const MAX_STOP_BLOCKS: u32 = 8;
/// How often the model is asked for the output of the schema.
const MAX_OUTPUT_REQUESTS: u32 = 5;

const OUTPUT_REQUEST: &str = "The answer is not complete: give it by calling StructuredOutput.";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Tells hooks that the conversation, or a sub-agent, starts. What they say comes before the prompt or behind it.
    pub(in super::super) async fn at_start(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Option<CallRemarks>, AppendError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(Some(CallRemarks::default()));
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
        let Some(outcome) = self.tell(HookSubject::new(event, &value), fill, commands, report).await else {
            return Ok(None);
        };
        Ok(Some(remarks(event, &value, event.name(), &outcome)))
    }

    /// Tells hooks of a prompt. `Ok(None)` if the person interrupts, an error if the prompt is refused.
    pub(in super::super) async fn before_prompt(
        &mut self,
        prompt: &Prompt,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<Result<CallRemarks, TurnEnd>> {
        if !self.conversation.is_main() {
            return Some(Ok(CallRemarks::default()));
        }
        let event = HookEvent::UserPromptSubmit;
        let text = prompt.text();
        let fill = |input: &mut ObjectWriter<'_>| {
            input.string("prompt", &text);
        };
        let outcome = self.tell(HookSubject::new(event, ""), fill, commands, report).await?;
        if let Some(why) = outcome.blocks.last().or(outcome.stop.as_ref()) {
            return Some(Err(TurnEnd::PromptBlocked(why.clone())));
        }
        let id = format!("hook-{}", new_uuid(self.conversation.store().source));
        Some(Ok(remarks(event, "", &id, &outcome)))
    }

    /// Writes what hooks said.
    pub(in super::super) fn append_hook_lines(&mut self, remarks: CallRemarks) -> Result<(), AppendError> {
        self.remarks.extend(remarks);
        self.append_remarks()
    }

    /// Tells hooks that a turn is about to end. They may keep it going, and so may an output that is missing.
    pub(in super::super) async fn before_end(
        &mut self,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<Step, TurnError> {
        let is_missing = self.structured.as_ref().is_some_and(|slot| !slot.is_filled());
        if is_missing && state.output_requests < MAX_OUTPUT_REQUESTS {
            state.output_requests += 1;
            return self.go_on(OUTPUT_REQUEST);
        }
        let is_main = self.subagent.is_none();
        let event = if is_main { HookEvent::Stop } else { HookEvent::SubagentStop };
        let value = self.subagent.as_ref().map(|(_, kind)| kind.clone()).unwrap_or_default();
        let (is_active, text) = (state.stop_blocks > 0, state.finished.text.clone());
        let fill = |input: &mut ObjectWriter<'_>| {
            input.boolean("stop_hook_active", is_active).string("last_assistant_message", &text);
            input.array("background_tasks", |_| {}).array("session_crons", |_| {});
        };
        let Some(outcome) = self.tell(HookSubject::new(event, &value), fill, commands, report).await else {
            return self.stop(report);
        };
        if let Some(why) = outcome.stop {
            state.finished.reason = TerminalReason::StopHookPrevented;
            report(Event::Notice(Notice::Hook(format!("a hook ended the turn: {why}"))));
            return Ok(Step::End(TurnEnd::Done));
        }
        let feedback: Vec<String> = outcome.blocks.into_iter().chain(outcome.contexts).collect();
        if feedback.is_empty() {
            return Ok(Step::End(TurnEnd::Done));
        }
        if state.stop_blocks == MAX_STOP_BLOCKS {
            let why = format!("hooks kept the turn from ending {MAX_STOP_BLOCKS} times; it ends now");
            report(Event::Notice(Notice::Hook(why)));
            return Ok(Step::End(TurnEnd::Done));
        }
        state.stop_blocks += 1;
        self.go_on(&format!("{} hook feedback:\n{}", event.name(), feedback.join("\n")))
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
}
