//! What hooks did at the end of a turn, as records: the reasons to continue, and a summary.

use annals_store::session::AppendError;
use annals_transcript::draft::{Draft, StopHookSummaryDraft};

use super::super::agent::Agent;
use super::records::RecordSubject;
use crate::api::call::RetryClock;
use crate::api::transport::Transport;
use crate::hooks::{HookEvent, HookOutcome, HookOutput};

/// What hooks did at the end of a turn.
pub(super) struct StopOutcome {
    event: HookEvent,
    /// The id of the firing.
    id: String,
    pub(super) outcome: HookOutcome,
}

impl StopOutcome {
    pub(super) fn new(event: HookEvent, id: String, outcome: HookOutcome) -> Self {
        Self { event, id, outcome }
    }

    /// Returns why the turn should continue.
    pub(super) fn feedback(&self) -> Vec<String> {
        self.outcome.blocks.iter().chain(&self.outcome.contexts).cloned().collect()
    }

    fn summary(&self) -> Draft {
        let reports = &self.outcome.reports;
        let duration = |at: usize| {
            let reply = reports[at].result.as_ref().ok().filter(|reply| !reply.answer.is_block)?;
            u64::try_from(reply.output.as_ref()?.duration?.as_millis()).ok()
        };
        let hooks = reports.iter().enumerate().map(|(at, report)| (report.name.as_str(), duration(at)));
        let has_output = reports.iter().any(|report| {
            report.result.as_ref().map_or(true, |reply| {
                reply
                    .output
                    .as_ref()
                    .is_some_and(|output| !output.stdout.is_empty() || !output.stderr.is_empty())
                    || reply.answer.is_block
            })
        });
        Draft::stop_hook_summary(&StopHookSummaryDraft {
            hooks: hooks.collect(),
            errors: self.outcome.blocks.iter().map(String::as_str).collect(),
            contexts: self.outcome.contexts.iter().map(String::as_str).collect(),
            stop: self.outcome.stop.as_deref(),
            has_output,
            id: &self.id,
        })
    }
}

impl<T: Transport, S: RetryClock> Agent<'_, T, S> {
    /// Writes what hooks did at the end of a turn.
    pub(super) fn append_stop(&mut self, stop: &StopOutcome) -> Result<(), AppendError> {
        let folder = self.conversation.overflow_folder();
        // The original gives these records the name of the event alone.
        let subject = RecordSubject { event: stop.event, value: "", id: &stop.id, folder: folder.as_deref() };
        let mut outcome = stop.outcome.clone();
        // Contexts are part of the feedback.
        for report in &mut outcome.reports {
            report.result.iter_mut().for_each(|reply| reply.answer.context = None);
        }
        let mut remarks = subject.remarks(&outcome);
        for report in &stop.outcome.reports {
            let reply = report.result.as_ref().ok().filter(|reply| reply.answer.is_block);
            // A command that blocks by its exit code has said so in the feedback.
            let by_answer = reply.filter(|reply| !reply.output.as_ref().is_some_and(HookOutput::is_blocking));
            let reason = by_answer.and_then(|reply| reply.answer.reason.as_deref());
            remarks.attachments.extend(reason.map(|why| subject.blocking_error(why, &report.name)));
        }
        self.append_hook_lines(remarks)?;
        if stop.event == HookEvent::Stop {
            self.conversation.append(stop.summary())?;
        }
        Ok(())
    }
}
