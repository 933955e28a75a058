//! What whoever draws tells a conversation: one enum, and nothing else leads in.

use std::collections::VecDeque;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::relay::Relay;
use annals_policy::Mode;

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A prompt. While a turn runs, it waits for its end.
    Prompt(Prompt),
    /// Stop what is being done.
    Interrupt,
    /// What a person decided about a call.
    Permit {
        /// The question that it answers, by its id.
        question: String,
        /// The decision.
        permit: Permit,
    },
    /// Another model, from the next request on.
    SetModel(String),
    /// Another mode, from the next call on.
    SetMode(Mode),
    /// Sum up the conversation; where words are given, with a view to them.
    Compact(Option<String>),
    /// Nothing more follows: end when what waits is done. Whoever asks for the next command sees to it.
    Quit,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Words.
    Text(String),
    /// Content blocks: a JSON array.
    Blocks(Vec<u8>),
}

/// What a person decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permit {
    /// It runs.
    Allow,
    /// It runs, and so does unasked what these rules allow, for as long as the conversation is had.
    FromNowOn(Vec<String>),
    /// It does not; perhaps with a word to the model.
    Deny(Option<String>),
}

/// Commands on their way in.
#[derive(Debug)]
pub struct Commands {
    receiver: UnboundedReceiver<Command>,
    waiting: VecDeque<Command>,
    /// Prompts that came to wait since somebody last asked.
    queued: Vec<Prompt>,
}

impl Commands {
    /// Both ends of the way in.
    pub fn channel() -> (UnboundedSender<Command>, Self) {
        let (sender, receiver) = unbounded_channel();
        (sender, Self { receiver, waiting: VecDeque::new(), queued: Vec::new() })
    }

    /// The next command; none where nobody is left to give one.
    pub async fn next(&mut self) -> Option<Command> {
        match self.waiting.pop_front() {
            Some(command) => Some(command),
            None => self.receiver.recv().await,
        }
    }

    /// Waits for an interrupt; what else comes waits for its turn. Without anybody to give commands, for ever.
    pub async fn interrupt(&mut self) {
        let _ = self.wait_for(|command| matches!(command, Command::Interrupt)).await;
    }

    /// The same, while others work for the conversation: what is decided goes on to them.
    pub(crate) async fn interrupt_past(&mut self, relay: &Relay) {
        let passes = |command: &Command| matches!(command, Command::Interrupt | Command::Permit { .. });
        loop {
            match self.wait_for(passes).await {
                Command::Interrupt => return,
                decided => relay.pass(&decided),
            }
        }
    }

    /// Prompts that came to wait since this was last asked.
    pub(crate) fn take_queued(&mut self) -> Vec<Prompt> {
        std::mem::take(&mut self.queued)
    }

    /// Waits for the answer to a question, or an interrupt, which is none.
    pub(crate) async fn permit(&mut self, about: &str) -> Option<Permit> {
        let is_it = |command: &Command| match command {
            Command::Interrupt => true,
            Command::Permit { question, .. } => question == about,
            _ => false,
        };
        match self.wait_for(is_it).await {
            Command::Permit { permit, .. } => Some(permit),
            _ => None,
        }
    }

    async fn wait_for(&mut self, wanted: impl Fn(&Command) -> bool) -> Command {
        loop {
            match self.receiver.recv().await {
                Some(command) if wanted(&command) => return command,
                Some(command) => {
                    if let Command::Prompt(prompt) = &command {
                        self.queued.push(prompt.clone());
                    }
                    self.waiting.push_back(command);
                }
                None => std::future::pending().await,
            }
        }
    }
}
