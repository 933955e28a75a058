//! The loop of a turn: a prompt, then responses and tool calls until the model is done or something else ends it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PromptContent, QueueStep};
use annals_transcript::usage::Tokens;

use super::agent::Agent;
use super::compact::{CompactionError, CompactionOutcome, CompactionRequest};
use super::custom_command::CommandStart;
use super::pending::PendingCall;
use super::respond::ResponseOutcome;
use super::state::{Step, TurnInput, TurnState};
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::commands::Invocation;
use crate::conversation::Grouping;
use crate::protocol::{
    Command, Commands, Event, EventSink, INTERRUPTED_CALL, Notice, Prompt, TaskNotification, TerminalReason,
    TurnEnd, TurnError, TurnReport, tokens,
};

/// What a compaction by hand answers.
const COMPACTED: &str = "Compacted";

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Executes a command. Commands that come during a turn are queued, except interrupts.
    pub async fn handle(
        &mut self,
        command: Command,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Option<TurnReport> {
        match command {
            Command::Prompt(prompt) => return Some(self.turn(&prompt, commands, report).await),
            setting @ (Command::SetModel(_) | Command::SetMode(_) | Command::SetThinking(_)) => {
                self.apply(setting)
            }
            Command::RunDeferred => return Some(self.run_deferred(commands, report).await),
            Command::Compact(focus) => {
                let order = CompactionRequest::manual(focus.as_deref());
                return Some(self.compact_by_hand(order, commands, report).await);
            }
            Command::Summarize(range) => {
                let order = CompactionRequest::of_range(&range);
                return Some(self.compact_by_hand(order, commands, report).await);
            }
            // Nothing runs, and no request is open.
            Command::Interrupt | Command::Permit { .. } | Command::Unqueue | Command::Quit => {}
        }
        None
    }

    /// Compacts because the person asked for it. The report says whether it succeeded.
    async fn compact_by_hand(
        &mut self,
        order: CompactionRequest<'_>,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> TurnReport {
        let (began, mut counted) = (Instant::now(), Vec::new());
        let is_interrupted = self.at_start(commands, report).await.is_none();
        self.name_prompt(report);
        let summed = if is_interrupted {
            Ok(CompactionOutcome::Interrupted)
        } else {
            let mut report = |event: Event| {
                if let Event::Usage { model, usage, .. } = &event {
                    counted.push((model.clone(), tokens(usage)));
                }
                report(event);
            };
            self.compact(order, commands, &mut report).await
        };
        let ending = match summed {
            Ok(CompactionOutcome::Done) => TurnEnd::Done,
            Ok(CompactionOutcome::Interrupted) => {
                report(Event::Notice(Notice::NotCompacted("it was interrupted".to_owned())));
                TurnEnd::Interrupted
            }
            Err(CompactionError::Failed(why)) => {
                report(Event::Notice(Notice::NotCompacted(why.clone())));
                TurnEnd::Failed(TurnError::NotCompacted(why))
            }
            Err(CompactionError::Session(error)) => TurnEnd::Failed(error.into()),
        };
        let arguments = order.focus.unwrap_or_default();
        let noted = match ending {
            // The original notes nothing about one side of a prompt.
            TurnEnd::Done if order.range.is_none() => {
                self.conversation.append_local_command("compact", arguments, COMPACTED)
            }
            _ => Ok(()),
        };
        let noted = noted.and_then(|()| self.append_queued_prompts(commands));
        self.report_notices(report);
        let ending = match (ending, noted) {
            (TurnEnd::Done, Err(error)) => TurnEnd::Failed(error.into()),
            (ending, _) => ending,
        };
        let millis = millis(began.elapsed());
        let text = if ending == TurnEnd::Done { COMPACTED.to_owned() } else { String::new() };
        TurnReport { ending, text, millis, api_millis: millis, ..TurnReport::empty() }.with_usage(counted)
    }

    /// Runs a turn.
    pub async fn turn(
        &mut self,
        prompt: &Prompt,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> TurnReport {
        let (began, mut state) = (Instant::now(), TurnState::new());
        self.conversation.set_typed(prompt.typed().cloned());
        self.mcp.settle().await;
        let invocation = Invocation::of(prompt, &self.custom);
        let invocation = invocation.or_else(|| Invocation::of(prompt, &self.mcp.commands()));
        let input = match &invocation {
            Some(invocation) => TurnInput::Command(prompt, invocation),
            None => TurnInput::Prompt(prompt),
        };
        self.whole_turn(input, began, &mut state, commands, report).await
    }

    /// Runs a turn that was prepared, and reports it.
    pub(super) async fn whole_turn(
        &mut self,
        input: TurnInput<'_>,
        began: Instant,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> TurnReport {
        // A fallback model holds for the rest of the turn.
        let model = self.turn_config.model.clone();
        let saved = match input {
            TurnInput::Command(_, invocation) => Some(self.apply_command(invocation)),
            TurnInput::Prompt(_) | TurnInput::Deferred(_) => None,
        };
        let (mut denials, mut counted) = (Vec::new(), Vec::<(String, Tokens)>::new());
        let ending = {
            // Usage and denials of sub-agents are included.
            let mut report = |event: Event| {
                match event.innermost() {
                    Event::Denied(denial) => denials.push(denial.clone()),
                    Event::Usage { model, usage, .. } => counted.push((model.clone(), tokens(usage))),
                    _ => {}
                }
                report(event);
            };
            let ran = match input {
                TurnInput::Deferred(calls) => self.run_open(calls, state, commands, &mut report).await,
                input => self.run(input, state, commands, &mut report).await,
            };
            let ending = match ran {
                Ok(ending) => ending,
                Err(error) => TurnEnd::Failed(error),
            };
            // Hooks are told of requests that failed, not of output that does not fit.
            if let TurnEnd::Failed(error) = &ending
                && !matches!(error, TurnError::Output { .. })
            {
                self.after_failure(error, commands, &mut report).await;
            }
            ending
        };
        saved.into_iter().for_each(|saved| self.restore(saved));
        if self.conversation.is_main() {
            self.grants.end_turn();
        }
        // Unless the caller has chosen another one meanwhile.
        if let Some(model) = state.model.take().or(Some(model)) {
            self.turn_config.model = model;
        }
        let millis = millis(began.elapsed());
        let ended = self.append_queued_prompts(commands).and_then(|()| self.conversation.end_turn(millis));
        self.report_notices(report);
        let ending = match (ending, ended) {
            (TurnEnd::Done, Err(error)) => TurnEnd::Failed(error.into()),
            (ending, _) => ending,
        };
        let reason = reason_of(&ending, state.finished.reason);
        let structured = self.structured.as_ref().and_then(|slot| slot.take());
        let finished = std::mem::replace(&mut state.finished, TurnReport::empty());
        let finished = TurnReport { ending, millis, denials, reason, structured, ..finished };
        let finished = finished.with_usage(counted);
        report(Event::Finished(finished.clone()));
        finished
    }

    /// Tells the model what happened in the background since its last request.
    fn append_notices(&mut self) -> Result<(), AppendError> {
        if !self.conversation.is_main() {
            return Ok(());
        }
        let notices: Vec<String> = self.tools.iter().flat_map(|tool| tool.take_notices()).collect();
        self.conversation.append_reminders(&notices)
    }

    async fn run(
        &mut self,
        input: TurnInput<'_>,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<TurnEnd, TurnError> {
        self.sync()?;
        if self.is_full() && self.auto_compact(commands, report).await == CompactionOutcome::Interrupted {
            // Nothing is written yet: the prompt goes back to the person.
            return Ok(TurnEnd::Interrupted);
        }
        if self.at_start(commands, report).await.is_none() {
            return Ok(TurnEnd::Interrupted);
        }
        let Some(prompt) = input.prompt() else { return Ok(TurnEnd::Done) };
        let hooked = match self.before_prompt(input, commands, report).await {
            None => return Ok(TurnEnd::Interrupted),
            Some(Err(ending)) => {
                if let TurnEnd::PromptBlocked(why) = &ending {
                    // Programs know these words.
                    let prompt = prompt.text();
                    state.finished.text = format!(
                        "UserPromptSubmit operation blocked by hook:\n{why}\n\nOriginal prompt: {prompt}"
                    );
                }
                return Ok(ending);
            }
            Some(Ok(remarks)) => remarks,
        };
        if let Prompt::Notification(ended) = prompt.plain() {
            report(Event::BackgroundEnded(TaskNotification::clone(ended)));
        } else if self.queued > 0 {
            self.queued -= 1;
            self.conversation.append(Draft::queue_operation(QueueStep::Dequeue, None))?;
        }
        self.append_start()?;
        match input {
            TurnInput::Prompt(prompt) => {
                let Some(line) = self.open_prompt(prompt, commands, report).await? else {
                    return Ok(TurnEnd::Interrupted);
                };
                state.finished.prompt = Some(line.uuid.clone());
                report(Event::Prompted(line));
            }
            TurnInput::Command(_, invocation) => match self.begin(invocation, commands, report).await? {
                CommandStart::Started(line) => {
                    state.finished.prompt = Some(line.uuid.clone());
                    report(Event::Prompted(line));
                }
                CommandStart::Answered(line, answer) => {
                    (state.finished.prompt, state.finished.text) = (Some(line.uuid), answer);
                    return Ok(TurnEnd::Done);
                }
                CommandStart::Failed(line, error) => {
                    state.finished.prompt = Some(line.uuid);
                    return Ok(TurnEnd::Failed(error));
                }
                CommandStart::Interrupted => return Ok(TurnEnd::Interrupted),
            },
            TurnInput::Deferred(_) => {}
        }
        if let Some(title) = self.title.take() {
            self.conversation.set_title(&title)?;
        }
        self.append_hook_lines(hooked)?;
        if let Some(why) = self.hook_stop.take() {
            let words = format!("Operation stopped by hook: {why}");
            self.conversation.append(Draft::meta_prompt(PromptContent::Text(&words)))?;
            self.conversation.mark_stale();
            (state.finished.reason, state.finished.text) = (TerminalReason::HookStopped, words);
            return Ok(TurnEnd::Done);
        }
        self.respond_until_done(state, commands, report).await
    }

    /// Asks the model and runs its calls until it is done.
    pub(super) async fn respond_until_done(
        &mut self,
        state: &mut TurnState,
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<TurnEnd, TurnError> {
        loop {
            self.append_notices()?;
            self.append_notifications(report)?;
            self.mcp.wait_for_lists().await;
            self.offer_server_tools();
            self.append_instructions()?;
            self.append_skill_listing()?;
            self.append_plan_mode()?;
            self.append_queued_prompts(commands)?;
            self.report_notices(report);
            if self.turn_config.max_responses.is_some_and(|max| state.finished.responses >= max) {
                return Ok(TurnEnd::MaxResponses);
            }
            if self.is_budget_spent.load(Ordering::Relaxed) {
                return Ok(TurnEnd::BudgetSpent);
            }
            self.apply_settings(state, commands);
            let (outcome, took) = self.respond(commands, report).await?;
            state.finished.api_millis += millis(took);
            let next = match outcome {
                ResponseOutcome::Answered(answer) => {
                    self.after_response(&answer, state, commands, report).await?
                }
                ResponseOutcome::Interrupted(calls) => {
                    let calls: Vec<_> = calls.iter().map(PendingCall::from_block).collect();
                    self.answer_all(&calls, INTERRUPTED_CALL, Grouping::NewMessage, report)?;
                    state.finished.reason = TerminalReason::AbortedStreaming;
                    self.stop(report)?
                }
                ResponseOutcome::Failed(error) => self.recover(error, state, commands, report).await?,
            };
            let next = match next {
                Step::End(TurnEnd::Done) if state.finished.reason == TerminalReason::Completed => {
                    self.before_end(state, commands, report).await?
                }
                next => next,
            };
            if let Step::End(ending) = next {
                return Ok(ending);
            }
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Returns why a turn is over.
fn reason_of(ending: &TurnEnd, noted: TerminalReason) -> TerminalReason {
    match ending {
        TurnEnd::Done => noted,
        TurnEnd::Interrupted if noted == TerminalReason::AbortedTools => noted,
        TurnEnd::Interrupted => TerminalReason::AbortedStreaming,
        TurnEnd::MaxResponses => TerminalReason::MaxTurns,
        TurnEnd::BudgetSpent => TerminalReason::Budget,
        TurnEnd::PromptBlocked(_) => TerminalReason::PromptBlocked,
        TurnEnd::Failed(TurnError::Call(_)) => TerminalReason::ApiError,
        TurnEnd::Failed(TurnError::Output { .. }) => TerminalReason::OutputAttempts,
        TurnEnd::Failed(_) => TerminalReason::Error,
    }
}
