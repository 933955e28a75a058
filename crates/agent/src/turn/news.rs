//! News of calls that run: told to whoever watches, and noted where the session keeps such things.

use annals_json::ObjectWriter;
use annals_transcript::draft::Draft;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::Report;
use super::links::record;
use crate::conversation::Conversation;
use crate::event::{Event, Standing};
use crate::tools::Told;

/// As much of a command's output is kept in a note of its progress, in characters.
const MOST_OF_PROGRESS: usize = 2000;

/// As much of a sub-agent's prompt is, twice: all of it stands in its own file, and a long line of progress is not written.
const MOST_OF_PROMPT: usize = 1000;

/// What a call says, and which.
pub(super) type News = (String, Told);

/// Whether the session is told of what a call prints while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Noting {
    /// It is: the call stands in it.
    Session,
    /// It is not: the call belongs to a command that is not said yet.
    Nowhere,
}

/// Tells for a call.
pub(super) fn teller(call: &str, tells: &UnboundedSender<News>) -> impl Fn(Told) + Send + Sync + use<> {
    let (id, tells) = (call.to_owned(), tells.clone());
    move |told| {
        // Nobody listens any more when a call was interrupted.
        let _ = tells.send((id.clone(), told));
    }
}

/// Takes the news of calls that run, for as long as they do.
pub(super) async fn listen(
    told: &mut UnboundedReceiver<News>,
    noting: Noting,
    conversation: &mut Conversation<'_>,
    report: &mut Report<'_>,
) {
    while let Some((call, news)) = told.recv().await {
        note(&call, news, noting, conversation, report);
    }
    std::future::pending::<()>().await;
}

/// Takes one of them: what a command prints, and that a sub-agent begins, is noted in the session; the rest is only told.
pub(super) fn note(
    call: &str,
    told: Told,
    noting: Noting,
    conversation: &mut Conversation<'_>,
    report: &mut Report<'_>,
) {
    let call = call.to_owned();
    report(match told {
        Told::Agent { agent, event } => {
            // It may work for long: what it has changed can be taken back from now on. Another writer shows itself with
            // the result.
            match event.innermost() {
                Event::ToolDone { .. } => drop(conversation.note_copies()),
                Event::Linked(link) => drop(conversation.note(record(link))),
                _ => {}
            }
            Event::OfAgent { call, agent, event }
        }
        Told::Counted { model, usage } => Event::Counted { model, usage, standing: Standing::Aside },
        Told::Begun { ref agent, ref prompt } => {
            // Whoever finds the session after a kill learns here which sub-agent worked for the call.
            let _ =
                conversation.record(Draft::progress(&begun(agent, prompt), &format!("agent_{agent}"), &call));
            Event::ToolTold { call, told }
        }
        Told::Output { .. } => {
            // News that cannot be kept are no reason to stop a command; its result is.
            if noting == Noting::Session {
                let _ = conversation.record(Draft::progress(&progress(&told), &call, &call));
            }
            Event::ToolTold { call, told }
        }
    });
}

fn begun(agent: &str, prompt: &str) -> Vec<u8> {
    let prompt = prompt.char_indices().nth(MOST_OF_PROMPT).map_or(prompt, |(end, _)| &prompt[..end]);
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

fn progress(told: &Told) -> Vec<u8> {
    let mut data = Vec::new();
    let mut object = ObjectWriter::begin(&mut data);
    if let Told::Output { new, whole, lines, millis } = told {
        object.string("type", "bash_progress").string("output", end_of(new));
        object.string("fullOutput", end_of(whole));
        object.number("elapsedTimeSeconds", millis / 1000).number("totalLines", *lines);
    }
    object.end();
    data
}

fn end_of(text: &str) -> &str {
    let from = text.char_indices().rev().nth(MOST_OF_PROGRESS - 1).map_or(0, |(at, _)| at);
    &text[from..]
}

#[cfg(test)]
mod tests {
    use annals_store::durable::MOST_PROGRESS_BYTES;

    use super::*;

    #[test]
    fn however_long_a_prompt_is_its_note_is_short_enough_to_be_written() {
        for letter in ["a", "\u{1}", "😀"] {
            let data = begun("a0123456789abcdef", &letter.repeat(100_000));
            assert!(data.len() + 2000 < MOST_PROGRESS_BYTES, "{}", data.len());
        }
    }
}
