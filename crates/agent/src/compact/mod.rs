//! Compaction: the conversation so far becomes a summary that the model writes. Only lines are added, as the original adds
//! them; what was said before stays in the file.

mod pictures;

use annals_json::ObjectWriter;
use annals_transcript::draft::{CompactionTrigger, Draft};

use crate::api::call::{Answer, CallError, Ended, Surroundings};
use crate::api::request::{Request, Role, Thinking};
use crate::api::stream::{BlockKind, StopReason};
use crate::api::transport::Transport;
use crate::command::Commands;
use crate::conversation::Spoken;
use crate::event::{Event, Standing};
use crate::turn::{Agent, Either, Report, TurnError, either};

/// After so many failures in a row nothing is summed up unasked.
const MOST_FAILURES: u32 = 3;
/// How often the older half is left out where even the request for a summary is too long.
const MOST_HALVES: u32 = 3;

const ASK: &str = "Stop here and sum up this conversation, so that somebody who has read nothing but your summary can go \
on with the work. Say what was asked for, in the person's own words where they matter; what was done, with paths and \
names; what was found and decided, and why; what failed; what is unfinished, and the very next step. Call no tool. \
Write nothing but the summary.";
const OPENING: &str =
    "This conversation goes on from an earlier one, which was summed up because it became too long.";
const CLOSING: &str = "Go on with the work where it stopped. Do not ask again for what the summary answers.";

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compacted {
    /// The conversation is summed up.
    Done,
    /// A person stopped it; everything is as it was.
    Interrupted,
}

/// Why there is no summary.
enum Missing {
    Interrupted,
    Failed(String),
}

impl<T: Transport, S: Surroundings> Agent<'_, T, S> {
    /// Whether a summary is worth a try.
    pub(crate) fn may_compact(&self) -> bool {
        self.compactions_failed < MOST_FAILURES
    }

    /// Sums the conversation up. Where it fails, everything is as it was.
    pub(crate) async fn compact(
        &mut self,
        trigger: CompactionTrigger,
        focus: Option<&str>,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<Compacted, TurnError> {
        let messages = self.conversation.messages()?.to_vec();
        if messages.is_empty() {
            return Err(TurnError::TooLong("there is nothing to sum up".to_owned()));
        }
        let summed = self.summary(messages, focus, commands, report).await;
        let summary = match summed {
            Ok(summary) => summary,
            Err(Missing::Interrupted) => return Ok(Compacted::Interrupted),
            Err(Missing::Failed(why)) => {
                self.compactions_failed += 1;
                return Err(TurnError::TooLong(why));
            }
        };
        self.compactions_failed = 0;
        let tokens_before = self.context;
        self.conversation.record(Draft::compact_boundary(trigger, tokens_before, |_| {}))?;
        let text = format!("{OPENING}\n\n{summary}\n\n{CLOSING}");
        self.conversation.record(Draft::compact_summary(&text))?;
        self.conversation.read_again();
        self.context = 0;
        report(Event::Compacted { tokens_before });
        Ok(Compacted::Done)
    }

    async fn summary(
        &self,
        mut messages: Vec<Spoken>,
        focus: Option<&str>,
        commands: &mut Commands,
        report: &mut Report<'_>,
    ) -> Result<String, Missing> {
        let mut halves = 0;
        loop {
            let asked = with_question(messages.clone(), focus);
            let request = Request {
                messages: asked.iter().map(Spoken::message).collect(),
                thinking: Thinking::Off,
                ..self.wishes.request(&self.tools)
            };
            let mut ignore = |_| {};
            let first = either(self.caller.call(&request, &mut ignore), commands.interrupt()).await;
            match first {
                Either::First(Ok(answer)) => {
                    // It is no line of the session, but it was paid for.
                    report(Event::Counted {
                        model: answer.model.clone(),
                        usage: answer.usage.clone(),
                        standing: Standing::Aside,
                    });
                    return summary_of(&answer).map_err(Missing::Failed);
                }
                Either::First(Err(error))
                    if error.is_of_size()
                        && let Some(lighter) = pictures::left_out(&messages) =>
                {
                    messages = lighter;
                }
                Either::First(Err(error))
                    if error.is_of_size() && halves < MOST_HALVES && messages.len() > 1 =>
                {
                    halves += 1;
                    messages = newer_half(messages);
                }
                Either::First(Err(CallError::ThinkingRefused(_)))
                    if messages.iter().any(Spoken::has_thinking) =>
                {
                    // A summary does not need it.
                    messages.iter_mut().for_each(Spoken::drop_thinking);
                    messages.retain(|message| !message.blocks.is_empty());
                }
                Either::First(Err(error)) => return Err(Missing::Failed(error.to_string())),
                Either::Second(()) => return Err(Missing::Interrupted),
            }
        }
    }
}

/// The summary that an answer is. What stands before it is lost to the model, so nothing but a whole answer will do: no words
/// before a call, no refusal, nothing that was cut.
fn summary_of(answer: &Answer) -> Result<String, String> {
    if answer.blocks.iter().any(|block| block.kind == BlockKind::ToolUse) {
        return Err("the model called a tool instead of writing a summary".to_owned());
    }
    match &answer.ended {
        Ended::Complete(stop) => match &stop.reason {
            StopReason::EndTurn | StopReason::StopSequence => {}
            reason => return Err(format!("the summary is not whole: it ended with {}", reason.name())),
        },
        Ended::Broken(failure) => return Err(format!("the summary broke off: {failure}")),
    }
    let texts = answer.blocks.iter().filter(|block| block.kind == BlockKind::Text);
    let text = texts.map(|block| block.text("text")).collect::<Vec<_>>().join("\n");
    if text.trim().is_empty() {
        Err("the model wrote no summary".to_owned())
    } else {
        Ok(text.trim().to_owned())
    }
}

/// The conversation with the question behind it: a prompt of its own, or the end of the last one.
fn with_question(mut messages: Vec<Spoken>, focus: Option<&str>) -> Vec<Spoken> {
    let words = match focus {
        Some(focus) => format!("{ASK}\n\nAbove all, keep what matters for this: {focus}"),
        None => ASK.to_owned(),
    };
    let question = text_block(&words);
    match messages.last_mut().filter(|last| last.role == Role::User) {
        Some(last) => last.blocks.push(question),
        None => messages.push(Spoken { role: Role::User, blocks: vec![question] }),
    }
    messages
}

/// The newer half, from a prompt on: results without their calls would be refused.
fn newer_half(messages: Vec<Spoken>) -> Vec<Spoken> {
    let middle = messages.len().div_ceil(2);
    let is_start = |message: &Spoken| message.role == Role::User && !message.has_results();
    let from = messages[middle..].iter().position(is_start).map(|at| middle + at);
    match from {
        Some(from) => messages[from..].to_vec(),
        // One long run of tools: its end, with what it was about lost.
        None => {
            let said = messages.into_iter().next_back().into_iter().flat_map(|last| last.blocks);
            let mut words = Vec::new();
            for block in said {
                words.extend_from_slice(&block);
            }
            let end = String::from_utf8_lossy(&words).chars().rev().take(20_000).collect::<Vec<_>>();
            let end: String = end.into_iter().rev().collect();
            vec![Spoken { role: Role::User, blocks: vec![text_block(&end)] }]
        }
    }
}

fn text_block(words: &str) -> Vec<u8> {
    let mut block = Vec::new();
    let mut object = ObjectWriter::begin(&mut block);
    object.string("type", "text").string("text", words);
    object.end();
    block
}
