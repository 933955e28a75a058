//! Progress of running calls: reported to the caller, and recorded in the session where the original does.

use annals_json::ObjectWriter;
use annals_transcript::draft::Draft;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::pull_request::pull_request_record;
use crate::conversation::Conversation;
use crate::protocol::{Event, EventSink, ToolProgress, UsageStorage};

/// The most output in a progress record, in characters.
const MAX_OUTPUT_CHARS: usize = 2000;

/// The most of a sub-agent's prompt in a progress record, in characters. The record holds it twice and must stay short.
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
    log: ProgressLog,
    conversation: &mut Conversation<'_>,
    report: &mut EventSink<'_>,
) {
    while let Some((call, progress)) = receiver.recv().await {
        handle_progress(&call, progress, log, conversation, report);
    }
    std::future::pending::<()>().await;
}

/// Handles one progress report: command output and the start of sub-agents are recorded, everything is reported.
pub(super) fn handle_progress(
    call: &str,
    progress: ToolProgress,
    log: ProgressLog,
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
        ToolProgress::Output { .. } => {
            // A progress record that cannot be written does not stop a command; its result does.
            if log == ProgressLog::Session {
                let _ = conversation.append(Draft::progress(&output_data(&progress), &call, &call));
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

fn output_data(progress: &ToolProgress) -> Vec<u8> {
    let mut data = Vec::new();
    let mut object = ObjectWriter::begin(&mut data);
    if let ToolProgress::Output { new, whole, lines, millis } = progress {
        object.string("type", "bash_progress").string("output", tail_of(new));
        object.string("fullOutput", tail_of(whole));
        object.number("elapsedTimeSeconds", millis / 1000).number("totalLines", *lines);
    }
    object.end();
    data
}

fn tail_of(text: &str) -> &str {
    let from = text.char_indices().rev().nth(MAX_OUTPUT_CHARS - 1).map_or(0, |(at, _)| at);
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
}
