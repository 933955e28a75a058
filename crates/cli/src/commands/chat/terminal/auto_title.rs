//! The title of a session without one: a small model is asked once, in the background after the first completed turn.
//! Errors are ignored.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use annals_agent::conversation::Conversation;
use annals_agent::one_shot::OneShot;
use annals_agent::protocol::tokens;
use annals_agent::tools::Reply;
use annals_transcript::title::{TitleCollector, TitleSource};
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::Tokens;

use super::super::ChatAgent;
use super::super::tools::again;

/// Characters of the prompt that the title is made from.
const MAX_PROMPT_CHARS: usize = 4000;

/// The title of a session while it is requested.
#[derive(Default)]
pub(super) enum TitleTask<'b> {
    /// Not requested yet.
    #[default]
    NotRequested,
    Requested(Pin<Box<dyn Future<Output = Option<Reply<String>>> + Send + 'b>>),
    Received(Reply<String>),
    /// Written, or not needed.
    Done,
}

impl<'b> TitleTask<'b> {
    /// Requests a title from a small model after a turn with this prompt, unless there is one.
    pub(super) fn begin(&mut self, agent: &ChatAgent<'b>, model: &str, prompt: &str) {
        if !matches!(self, Self::NotRequested) {
            return;
        }
        *self = Self::Done;
        if !needs_title(&agent.conversation) {
            return;
        }
        let nested = OneShot { caller: again(&agent.caller), model: model.to_owned() };
        let prompt: String = prompt.chars().take(MAX_PROMPT_CHARS).collect();
        *self = Self::Requested(Box::pin(async move { nested.title(&prompt).await.ok() }));
    }

    /// Cancels the request after an interrupt.
    pub(super) fn cancel(&mut self) {
        if !matches!(self, Self::NotRequested) {
            *self = Self::Done;
        }
    }

    /// Polls the request while something else is awaited.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        if let Self::Requested(asked) = self
            && let Poll::Ready(title) = asked.as_mut().poll(context)
        {
            *self = title.map_or(Self::Done, Self::Received);
        }
    }

    /// Writes the title if it has arrived; only while no turn writes. Returns the model and its tokens.
    pub(super) fn write(&mut self, conversation: &mut Conversation<'_>) -> Option<(String, Tokens)> {
        let Self::Received(reply) = self else { return None };
        // A conflict with another writer is reported at the next prompt.
        let _ = conversation.set_ai_title(&reply.said);
        let spent = (reply.model.clone(), reply.usage.iter().map(tokens).sum());
        *self = Self::Done;
        Some(spent)
    }
}

/// Returns whether the session is stored, and has no title but its prompts.
fn needs_title(conversation: &Conversation<'_>) -> bool {
    let Some(bytes) = conversation.path().and_then(|_| conversation.bytes().ok()) else { return false };
    let transcript = Transcript::parse(&bytes);
    let mut titles = TitleCollector::new();
    transcript.records().for_each(|(_, record)| titles.add(&record));
    titles.title().is_none_or(|(source, _)| source >= TitleSource::LastPrompt)
}
