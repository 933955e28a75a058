//! Commands: everything that the caller can ask of a conversation.

use std::collections::VecDeque;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::permission::Permit;
use annals_json::Value;
use annals_policy::Mode;

/// A command to a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Opens a turn. While a turn runs, the prompt is queued.
    Prompt(Prompt),
    /// Stops the running turn.
    Interrupt,
    /// Answers a permission request.
    Permit {
        /// The id of the permission request.
        question: String,
        /// The decision of the person.
        permit: Permit,
    },
    /// Sets the model, from the next request on.
    SetModel(String),
    /// Sets the permission mode, from the next call on.
    SetMode(Mode),
    /// Compacts the conversation, optionally with a focus.
    Compact(Option<String>),
    /// Ends the conversation after the queued commands. The caller of [`Commands::next`] handles it.
    Quit,
}

/// A prompt of a person, or the task of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Plain text.
    Text(String),
    /// Content blocks: a JSON array.
    Blocks(Vec<u8>),
}

impl Prompt {
    /// The name and the arguments of `/NAME ARGUMENTS`; `None` if it is anything else, or more than one block.
    pub fn slash_command(&self) -> Option<(String, String)> {
        let text = match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(json) => {
                let value = Value::parse(json).ok()?;
                let mut blocks = value.items();
                let (only, none) = (blocks.next()?, blocks.next());
                only.get("text").filter(|_| none.is_none())?.text()?.to_string()
            }
        };
        let said = text.trim().strip_prefix('/')?;
        let (name, arguments) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        Some((name.to_owned(), arguments.trim().to_owned()))
    }
}

/// The queue of commands to a conversation.
#[derive(Debug)]
pub struct Commands {
    receiver: UnboundedReceiver<Command>,
    waiting: VecDeque<Command>,
    /// Prompts queued since [`Commands::take_queued`].
    queued: Vec<Prompt>,
}

impl Commands {
    /// Creates a queue and its sender.
    pub fn channel() -> (UnboundedSender<Command>, Self) {
        let (sender, receiver) = unbounded_channel();
        (sender, Self { receiver, waiting: VecDeque::new(), queued: Vec::new() })
    }

    /// Returns the next command; `None` if all senders are gone.
    pub async fn next(&mut self) -> Option<Command> {
        match self.waiting.pop_front() {
            Some(command) => Some(command),
            None => self.receiver.recv().await,
        }
    }

    /// Waits for an interrupt and queues all other commands. Never returns if all senders are gone.
    pub async fn interrupt(&mut self) {
        let _ = self.wait_for(|command| matches!(command, Command::Interrupt)).await;
    }

    /// Waits for an interrupt and forwards permission decisions meanwhile.
    pub(crate) async fn interrupt_forwarding(&mut self, forward: impl Fn(&Command)) {
        let passes = |command: &Command| matches!(command, Command::Interrupt | Command::Permit { .. });
        loop {
            match self.wait_for(passes).await {
                Command::Interrupt => return,
                decision => forward(&decision),
            }
        }
    }

    /// Returns the prompts queued since the last call.
    pub(crate) fn take_queued(&mut self) -> Vec<Prompt> {
        std::mem::take(&mut self.queued)
    }

    /// Waits for the answer to a permission request; `None` after an interrupt.
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
