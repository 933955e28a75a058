//! The title of a session that has none: a small model is asked for it once, behind the first turn that was carried out, while
//! the person goes on. Nobody waits for it, and nobody is told where there is none.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use annals_agent::conversation::Conversation;
use annals_agent::nested::Nested;
use annals_agent::tools::Reply;
use annals_agent::turn::tokens;
use annals_transcript::title::{TitleCollector, TitleSource};
use annals_transcript::transcript::Transcript;
use annals_transcript::usage::Tokens;

use super::super::tools::again;
use super::super::{Talker, model};

/// Characters of a prompt that a title is made from.
const MOST_OF_A_PROMPT: usize = 4000;

/// How far it has come.
#[derive(Default)]
pub(super) enum Naming<'b> {
    /// Nobody was asked.
    #[default]
    Unasked,
    /// The model thinks.
    Asked(Pin<Box<dyn Future<Output = Option<Reply<String>>> + Send + 'b>>),
    /// It has said something.
    Told(Reply<String>),
    /// There is nothing more to do.
    Over,
}

impl<'b> Naming<'b> {
    /// A turn that was begun with these words is over: what is the session called?
    pub(super) fn begin(&mut self, agent: &Talker<'b>, prompt: &str) {
        if !matches!(self, Self::Unasked) {
            return;
        }
        *self = Self::Over;
        if !needs_title(&agent.conversation) {
            return;
        }
        let nested = Nested { caller: again(&agent.caller), model: model::named(model::SMALL) };
        let prompt: String = prompt.chars().take(MOST_OF_A_PROMPT).collect();
        *self = Self::Asked(Box::pin(async move { nested.title(&prompt).await.ok() }));
    }

    /// The person stops things: this as well.
    pub(super) fn drop_it(&mut self) {
        if !matches!(self, Self::Unasked) {
            *self = Self::Over;
        }
    }

    /// Lets it go on, whatever else is waited for.
    pub(super) fn go_on(&mut self, context: &mut Context<'_>) {
        if let Self::Asked(asked) = self
            && let Poll::Ready(title) = asked.as_mut().poll(context)
        {
            *self = title.map_or(Self::Over, Self::Told);
        }
    }

    /// Writes the title, if there is one now; only while no turn writes. Gives who made it, and what that took.
    pub(super) fn write(&mut self, conversation: &mut Conversation<'_>) -> Option<(String, Tokens)> {
        let Self::Told(reply) = self else { return None };
        // Whoever else writes to the session shows at the next prompt.
        let _ = conversation.name(&reply.said);
        let spent = (reply.model.clone(), reply.usage.iter().map(tokens).sum());
        *self = Self::Over;
        Some(spent)
    }
}

/// Whether the session is kept, and is called nothing but its prompts.
fn needs_title(conversation: &Conversation<'_>) -> bool {
    let Some(bytes) = conversation.path().and_then(|_| conversation.bytes().ok()) else { return false };
    let transcript = Transcript::parse(&bytes);
    let mut titles = TitleCollector::new();
    transcript.records().for_each(|(_, record)| titles.add(&record));
    titles.title().is_none_or(|(source, _)| source >= TitleSource::LastPrompt)
}
