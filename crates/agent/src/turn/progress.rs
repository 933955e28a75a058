//! Progress of running calls: reported to the caller, and recorded in the session where the original does.

use std::collections::HashMap;

use annals_json::ObjectWriter;
use annals_transcript::draft::Draft;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::pull_request::pull_request_record;
use crate::conversation::Conversation;
use crate::protocol::{Event, EventSink, Notice, ToolProgress, UsageStorage};

/// The most progress records of one command: with pauses that double, they reach over ten minutes.
const MAX_RECORDS: usize = 10;

/// The most bytes of all progress records of one command.
const MAX_RECORD_BYTES: usize = 16 << 10;

/// What a record has beside its data, without the names of folder and branch.
const ENVELOPE_BYTES: usize = 600;

/// The most of a sub-agent's prompt, or of a search, in a progress record, in characters. The record holds it twice and must stay short.
const MAX_PROMPT_CHARS: usize = 1000;

/// The id of a call and its progress.
pub(super) type TaggedProgress = (String, ToolProgress);

/// Whether progress is recorded in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgressLog {
    Session,
    /// Not recorded: the call belongs to a command that is not written yet.
    Off,
}

/// Records the progress of calls, within limits: what a command prints is in its result.
#[derive(Debug)]
pub(super) struct ProgressRecorder {
    log: ProgressLog,
    commands: HashMap<String, RecordedProgress>,
}

/// What was recorded of one command.
#[derive(Clone, Copy, Debug, Default)]
struct RecordedProgress {
    records: usize,
    bytes: usize,
    /// The running time before which nothing more is recorded, in milliseconds.
    next: u64,
}

impl ProgressRecorder {
    pub(super) fn new(log: ProgressLog) -> Self {
        Self { log, commands: HashMap::new() }
    }

    /// Returns the data to record; `None` if it is too early or there is enough. `beside` is the size of what all lines have.
    fn output_data(&mut self, call: &str, progress: &ToolProgress, beside: usize) -> Option<Vec<u8>> {
        let ToolProgress::Output { millis, .. } = progress else { return None };
        let recorded = self.commands.entry(call.to_owned()).or_default();
        if self.log == ProgressLog::Off || recorded.records == MAX_RECORDS || *millis < recorded.next {
            return None;
        }
        let share = (MAX_RECORD_BYTES - recorded.bytes) / (MAX_RECORDS - recorded.records);
        let data = fitting_data(progress, share.checked_sub(ENVELOPE_BYTES + beside)?)?;
        recorded.records += 1;
        recorded.bytes += data.len() + ENVELOPE_BYTES + beside;
        recorded.next = millis.saturating_mul(2);
        Some(data)
    }
}

/// Returns a callback that sends the progress of a call.
pub(super) fn progress_sender(
    call: &str,
    sender: &UnboundedSender<TaggedProgress>,
) -> impl Fn(ToolProgress) + Send + Sync + use<> {
    let (id, sender) = (call.to_owned(), sender.clone());
    move |progress| {
        // The receiver is gone if the call was interrupted.
        let _ = sender.send((id.clone(), progress));
    }
}

/// Handles progress until the calls end.
pub(super) async fn handle_all(
    receiver: &mut UnboundedReceiver<TaggedProgress>,
    recorder: &mut ProgressRecorder,
    conversation: &mut Conversation<'_>,
    report: &mut EventSink<'_>,
) {
    while let Some((call, progress)) = receiver.recv().await {
        handle_progress(&call, progress, recorder, conversation, report);
    }
    std::future::pending::<()>().await;
}

/// Handles one progress report: command output and the start of sub-agents are recorded, everything is reported.
pub(super) fn handle_progress(
    call: &str,
    progress: ToolProgress,
    recorder: &mut ProgressRecorder,
    conversation: &mut Conversation<'_>,
    report: &mut EventSink<'_>,
) {
    let call = call.to_owned();
    report(match progress {
        ToolProgress::SubagentEvent { agent, event } => {
            // A sub-agent may run for long: its changes can be undone from now on. A write error comes up again with the
            // result.
            match event.innermost() {
                Event::ToolDone { .. } => drop(conversation.append_backups()),
                Event::PullRequestOpened(link) => {
                    drop(conversation.append_metadata(pull_request_record(link)))
                }
                _ => {}
            }
            Event::Subagent { call, agent, event }
        }
        ToolProgress::HookMessage(message) => Event::Notice(Notice::Hook(message)),
        ToolProgress::Usage { model, usage } => Event::Usage { model, usage, storage: UsageStorage::None },
        ToolProgress::SubagentStarted { ref agent, ref prompt } => {
            // After a kill, this record tells which sub-agent worked for the call.
            let _ = conversation.append(Draft::progress(
                &subagent_data(agent, prompt),
                &format!("agent_{agent}"),
                &call,
            ));
            Event::ToolProgress { call, progress }
        }
        ToolProgress::SearchStarted { .. } | ToolProgress::SearchDone { .. } => {
            if recorder.log == ProgressLog::Session {
                let _ = conversation.append(Draft::progress(&search_data(&progress), &call, &call));
            }
            Event::ToolProgress { call, progress }
        }
        ToolProgress::Output { .. } => {
            // A progress record that cannot be written does not stop a command; its result does.
            if let Some(data) = recorder.output_data(&call, &progress, conversation.surroundings_size()) {
                let _ = conversation.append(Draft::progress(&data, &call, &call));
            }
            Event::ToolProgress { call, progress }
        }
    });
}

fn subagent_data(agent: &str, prompt: &str) -> Vec<u8> {
    let prompt = prompt.char_indices().nth(MAX_PROMPT_CHARS).map_or(prompt, |(end, _)| &prompt[..end]);
    let mut data = Vec::new();
    let mut object = ObjectWriter::begin(&mut data);
    object.object("message", |line| {
        line.string("type", "user").object("message", |message| {
            message.string("role", "user").array("content", |blocks| {
                blocks.object(|block| {
                    block.string("type", "text").string("text", prompt);
                });
            });
        });
    });
    object.array("normalizedMessages", |_| {}).string("type", "agent_progress");
    object.string("prompt", prompt).string("agentId", agent);
    object.end();
    data
}

fn search_data(progress: &ToolProgress) -> Vec<u8> {
    let short = |query: &str| query.chars().take(MAX_PROMPT_CHARS).collect::<String>();
    let mut data = Vec::new();
    let mut object = ObjectWriter::begin(&mut data);
    match progress {
        ToolProgress::SearchStarted { query } => {
            object.string("type", "query_update").string("query", &short(query));
        }
        ToolProgress::SearchDone { query, pages } => {
            object.string("type", "search_results_received").number("resultCount", *pages);
            object.string("query", &short(query));
        }
        _ => {}
    }
    object.end();
    data
}

/// Returns the end of the output, as much as fits; `None` if not even an empty record fits.
fn fitting_data(progress: &ToolProgress, max_bytes: usize) -> Option<Vec<u8>> {
    let shorter = std::iter::successors(Some(max_bytes / 2), |chars| (*chars > 0).then_some(chars / 2));
    shorter.map(|chars| output_data(progress, chars)).find(|data| data.len() <= max_bytes)
}

fn output_data(progress: &ToolProgress, max_chars: usize) -> Vec<u8> {
    let mut data = Vec::new();
    let mut object = ObjectWriter::begin(&mut data);
    if let ToolProgress::Output { new, whole, lines, millis } = progress {
        object.string("type", "bash_progress").string("output", tail_of(new, max_chars));
        object.string("fullOutput", tail_of(whole, max_chars));
        object.number("elapsedTimeSeconds", millis / 1000).number("totalLines", *lines);
    }
    object.end();
    data
}

fn tail_of(text: &str, max_chars: usize) -> &str {
    let from = text.char_indices().rev().take(max_chars).last().map_or(text.len(), |(at, _)| at);
    &text[from..]
}

#[cfg(test)]
mod tests {
    use annals_store::durable::MAX_PROGRESS_BYTES;

    use super::*;

    #[test]
    fn however_long_a_prompt_is_its_note_is_short_enough_to_be_written() {
        for letter in ["a", "\u{1}", "😀"] {
            let data = subagent_data("a0123456789abcdef", &letter.repeat(100_000));
            assert!(data.len() + 2000 < MAX_PROGRESS_BYTES, "{}", data.len());
        }
    }

    #[test]
    fn however_long_a_command_runs_and_prints_little_is_recorded() {
        for (letter, beside) in [("a", 40), ("\u{1}", 200), ("😀", 40), ("", 0), ("x", 5000)] {
            let mut recorder = ProgressRecorder::new(ProgressLog::Session);
            let (mut records, mut bytes, mut last) = (0, 0, 0);
            for second in 1..=3600 {
                let text = letter.repeat(2000);
                let progress = ToolProgress::Output {
                    new: text.clone(),
                    whole: text,
                    lines: second,
                    millis: second * 1000,
                };
                if let Some(data) = recorder.output_data("a", &progress, beside) {
                    (records, bytes, last) =
                        (records + 1, bytes + data.len() + ENVELOPE_BYTES + beside, second);
                }
            }
            assert!(records <= MAX_RECORDS && bytes <= MAX_RECORD_BYTES, "{records} {bytes}");
            assert!(beside == 5000 || (records == MAX_RECORDS && last == 512), "{records} to {last}");
        }
    }
}
