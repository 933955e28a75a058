//! What comes while a turn runs: prompts are recorded and absorbed between tool calls, settings apply to the next request.

use annals_json::{RawJson, object};
use annals_policy::Mode;
use annals_store::session::AppendError;
use annals_store::source::new_uuid;
use annals_transcript::draft::{Draft, QueueStep};
use annals_transcript::time::format_millis;

use super::agent::Agent;
use super::state::TurnState;
use crate::api::call::RetryClock;
use crate::api::request::{Thinking, ThinkingDisplay};
use crate::api::transport::Transport;
use crate::protocol::{Command, Commands, Event, EventSink, Prompt, QueueChange, TypedText, WrittenLine};

/// Tokens for thinking, for models that need a budget.
const DEFAULT_THINKING: u64 = 16_000;

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Records prompts that were queued meanwhile, and those that were removed again.
    pub(super) fn append_queued_prompts(&mut self, commands: &mut Commands) -> Result<(), AppendError> {
        if !self.conversation.is_open() {
            return Ok(());
        }
        // What a sub-agent is sent is recorded when it gets it.
        let is_main = self.conversation.is_main();
        for change in commands.take_queued().into_iter().filter(|_| is_main) {
            let (step, prompt) = match &change {
                QueueChange::Enqueue(prompt) => (QueueStep::Enqueue, prompt),
                QueueChange::Remove(prompt) => (QueueStep::PopAll, prompt),
            };
            // Of images, the queue has the marks.
            let content = match prompt.typed().is_some_and(|typed| !typed.images.is_empty()) {
                true => RawJson::string(&prompt.text()).raw().to_vec(),
                false => prompt.content(),
            };
            self.conversation.append(Draft::queue_operation(step, Some(&content)))?;
            self.queued = match change {
                QueueChange::Enqueue(_) => self.queued + 1,
                QueueChange::Remove(_) => self.queued.saturating_sub(1),
            };
        }
        Ok(())
    }

    /// Gives the prompts that wait to the model, behind the results of its calls.
    pub(super) fn absorb_prompts(
        &mut self,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        if !self.should_absorb_prompts {
            return Ok(());
        }
        self.append_queued_prompts(commands)?;
        for prompt in commands.take_prompts() {
            if let Prompt::Message(_) = &prompt {
                self.conversation.append_message(&prompt.text())?;
                continue;
            }
            let content = prompt.content();
            if self.queued > 0 {
                self.queued -= 1;
                let reason = RawJson::string("absorbed_mid_turn");
                let removed = Draft::queue_operation(QueueStep::Remove, None).field("reason", reason.raw());
                self.conversation.append(removed)?;
            }
            let now = format_millis(self.conversation.store().source.now());
            let attachment = object(|attachment| {
                attachment.string("type", "queued_command").raw("prompt", &content);
                attachment.string("commandMode", "prompt").string("timestamp", &now);
                if let Some(numbers) = prompt.typed().and_then(TypedText::image_numbers) {
                    attachment.raw("imagePasteIds", &numbers);
                }
            });
            self.conversation.append(Draft::attachment(&attachment))?;
            self.conversation.mark_stale();
            if let Some(typed) = prompt.typed() {
                self.conversation.set_typed(Some(typed.clone()));
                self.conversation.append_history(&typed.display);
            }
            let message = object(|message| {
                message.string("role", "user").raw("content", &content);
            });
            let uuid =
                prompt.uuid().map_or_else(|| new_uuid(self.conversation.store().source), str::to_owned);
            report(Event::Absorbed(WrittenLine { uuid, message, result: Vec::new(), request: None }));
        }
        Ok(())
    }

    /// Applies the settings that came while the turn ran.
    pub(super) fn apply_settings(&mut self, state: &mut TurnState, commands: &mut Commands) {
        for setting in commands.take_settings() {
            if let Command::SetModel(model) = &setting {
                state.model = Some(model.clone());
            }
            self.apply(setting);
        }
    }

    /// Applies a setting; other commands are none.
    pub(super) fn apply(&mut self, setting: Command) {
        match setting {
            Command::SetModel(model) => self.turn_config.model = model,
            Command::SetMode(mode) => self.set_mode(mode),
            Command::SetThinking(tokens) => {
                self.turn_config.thinking = match tokens {
                    None => Thinking::On { budget: DEFAULT_THINKING, display: ThinkingDisplay::Default },
                    Some(0) => Thinking::Off,
                    Some(budget) => Thinking::Budget(budget),
                };
            }
            _ => {}
        }
    }

    /// Changes the permission mode.
    pub(super) fn set_mode(&mut self, mode: Mode) {
        if mode == Mode::Plan && self.policy.mode != Mode::Plan {
            self.before_plan = self.policy.mode;
        }
        self.policy.mode = mode;
    }
}
