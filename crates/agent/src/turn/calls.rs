//! Tool calls of a response: approval, attempt, result. Every call gets exactly one result.

use annals_json::{ArrayWriter, RawJson};
use annals_policy::Mode;
use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, PlacementError, ToolOutcome, ToolResultDraft};

use super::agent::Agent;
use super::approve::{Approval, failed};
use super::attempt::RunOutcome;
use super::hooks::{AnsweredCall, CallVerdict};
use super::pending::PendingCall;
use super::progress::ProgressLog;
use super::pull_request::{pull_request, pull_request_record};
use crate::api::call::RetryClock;
use crate::api::request::Role;
use crate::api::transport::Transport;
use crate::conversation::{Grouping, failed_result};
use crate::protocol::{Commands, Event, EventSink, INTERRUPTED_CALL, PastCall};
use crate::tools::{CallOrder, Outcome, ToolContent, plan};

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Runs calls and writes their results, in order.
    pub(super) async fn run_calls(
        &mut self,
        calls: &[PendingCall],
        commands: &mut Commands,
        report: &mut EventSink<'_>,
    ) -> Result<RunOutcome, AppendError> {
        let mut rest = calls;
        let mut grouping = Grouping::NewMessage;
        let (mut answered, mut is_deferred) = (Vec::new(), false);
        self.used_skills.clear();
        self.forked_skills.clear();
        while !rest.is_empty() {
            let (group, after) = rest.split_at(self.group(rest));
            let mut approvals = Vec::new();
            let verdicts = match self.before_calls(group, commands, report).await {
                Some(verdicts) => verdicts,
                None => {
                    self.answer_all(rest, INTERRUPTED_CALL, grouping, report)?;
                    return Ok(RunOutcome::Interrupted);
                }
            };
            for (call, verdict) in group.iter().zip(verdicts) {
                if self.is_headless && matches!(verdict, CallVerdict::Deferred) {
                    self.note_deferred(call);
                    approvals.push(Approval::Deferred);
                    is_deferred = true;
                    continue;
                }
                let approval = self.approve(call, verdict, commands, report).await;
                let approval = self.expand_skill(call, approval, commands, report).await;
                if matches!(approval, Approval::Interrupted) {
                    self.answer_all(rest, INTERRUPTED_CALL, grouping, report)?;
                    return Ok(RunOutcome::Interrupted);
                }
                approvals.push(approval);
            }
            self.change_mode(group, &approvals, report);
            let folder = self.hook_folder();
            let (mut outcomes, mut ran) =
                self.attempt(group, &approvals, ProgressLog::Session, commands, report).await;
            self.save_plans(&approvals, &mut outcomes, report);
            self.observe(group, &outcomes);
            self.update_surroundings();
            // What hooks said before the calls comes before the results.
            self.append_remarks()?;
            let mut links = Vec::new();
            let with_result = group.iter().zip(outcomes).zip(&approvals);
            for ((call, outcome), approval) in
                with_result.filter(|(_, approval)| !matches!(approval, Approval::Deferred))
            {
                links.extend(
                    outcome.iter().filter_map(|(outcome, _)| pull_request(&call.name, &call.input, outcome)),
                );
                let outcome = match outcome {
                    Some((outcome, millis)) if approval.is_run() && ran == RunOutcome::All => {
                        let told = self.after_call((call, millis), outcome.clone(), commands, report).await;
                        if told.is_none() {
                            ran = RunOutcome::Interrupted;
                        }
                        Some(told.unwrap_or(outcome))
                    }
                    outcome => outcome.map(|(outcome, _)| outcome),
                };
                let outcome = outcome.unwrap_or_else(|| failed(INTERRUPTED_CALL));
                self.answer(call, result(&call.id, &outcome), grouping, report)?;
                answered.push(AnsweredCall::new(call, &outcome));
                grouping = Grouping::SameMessage;
            }
            self.conversation.append_backups()?;
            self.append_remarks()?;
            if ran == RunOutcome::All && self.after_move(&folder, commands, report).await.is_none() {
                ran = RunOutcome::Interrupted;
            }
            for link in links {
                self.conversation.append_metadata(pull_request_record(&link))?;
                // A sub-agent's file does not hold it: its parent records it.
                report(Event::PullRequestOpened(link));
            }
            if ran == RunOutcome::Interrupted {
                self.answer_all(after, INTERRUPTED_CALL, grouping, report)?;
                return Ok(ran);
            }
            rest = after;
        }
        if is_deferred {
            // The calls wait, and so does what follows them.
            self.append_used_skills()?;
            return Ok(RunOutcome::Deferred);
        }
        let told = self.after_batch(&answered, commands, report).await;
        self.append_remarks()?;
        self.append_used_skills()?;
        let told = told.and(self.append_nested_memory(commands, report).await?);
        Ok(if told.is_some() { RunOutcome::All } else { RunOutcome::Interrupted })
    }

    /// Begins or ends plan mode, as approved calls say.
    fn change_mode(&mut self, calls: &[PendingCall], approvals: &[Approval], report: &mut EventSink<'_>) {
        for (call, approval) in calls.iter().zip(approvals) {
            let mode = match approval {
                Approval::LeavePlan(_) => approval.mode().unwrap_or(self.before_plan),
                Approval::Run(_) if call.name == plan::ENTER => Mode::Plan,
                _ => continue,
            };
            self.set_mode(mode);
            report(Event::ModeChanged(mode));
        }
    }

    /// Tells the tools which files commands have shown to the model.
    fn observe(&self, calls: &[PendingCall], outcomes: &[Option<(Outcome, u64)>]) {
        let done = calls.iter().zip(outcomes).filter_map(|(call, done)| Some((call, &done.as_ref()?.0)));
        for (call, outcome) in done.filter(|(call, outcome)| call.name == "Bash" && !outcome.is_error) {
            for context in self.contexts() {
                context.observe(&PastCall {
                    tool: call.name.clone(),
                    input: call.input.clone(),
                    kept: outcome.kept.clone(),
                    cwd: context.current(),
                    millis: None,
                });
            }
        }
    }

    /// Writes errors for calls that do not run.
    pub(super) fn answer_all(
        &mut self,
        calls: &[PendingCall],
        why: &str,
        first: Grouping,
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        let mut grouping = first;
        for call in calls {
            self.answer(call, failed_result(&call.id, why), grouping, report)?;
            grouping = Grouping::SameMessage;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        call: &PendingCall,
        draft: Draft,
        grouping: Grouping,
        report: &mut EventSink<'_>,
    ) -> Result<(), AppendError> {
        let line = match self.conversation.append_and_send(draft, Role::User, grouping) {
            // The model used an id twice: the second call gets no result.
            Err(AppendError::Place(PlacementError::AlreadyAnswered(_))) => {
                self.conversation.mark_stale();
                return Ok(());
            }
            result => result?,
        };
        report(Event::ToolDone { call: call.id.clone(), line });
        Ok(())
    }

    /// Returns how many of the next calls run together: those that may run concurrently, or one.
    fn group(&self, calls: &[PendingCall]) -> usize {
        let is_beside = |call: &&PendingCall| {
            self.tool(&call.name).is_some_and(|tool| tool.order() == CallOrder::Parallel)
        };
        calls.iter().take_while(is_beside).count().max(1)
    }
}

fn result(call: &str, outcome: &Outcome) -> Draft {
    let content = match &outcome.shown {
        ToolContent::Text(text) => RawJson::string(text).raw().to_vec(),
        ToolContent::Blocks(blocks) => {
            let mut json = Vec::new();
            let mut list = ArrayWriter::begin(&mut json);
            for block in blocks {
                list.item().extend_from_slice(block);
            }
            list.end();
            json
        }
    };
    let ended = if outcome.is_error { ToolOutcome::Failed } else { ToolOutcome::Done };
    let shown = Some(&outcome.kept[..]).filter(|kept| !kept.is_empty());
    let draft =
        Draft::tool_result(ToolResultDraft { tool_use: call, content: &content, outcome: ended, shown });
    if outcome.meta.is_empty() { draft } else { draft.field("mcpMeta", &outcome.meta) }
}
