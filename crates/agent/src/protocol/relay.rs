//! Forwards commands from a conversation to its sub-agents.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::command::{Command, Commands};

/// The sub-agents that receive commands, by the call that started them.
#[derive(Debug, Default)]
pub struct Relay(Mutex<Vec<(String, UnboundedSender<Command>)>>);

impl Relay {
    /// Subscribes a sub-agent to permission decisions and interrupts. A subscriber ends by itself after an interrupt; other
    /// calls are dropped.
    pub fn subscribe(&self, call: &str) -> Commands {
        let (sender, commands) = Commands::channel();
        self.listeners().push((call.to_owned(), sender));
        commands
    }

    /// Returns whether a sub-agent of this call has subscribed.
    pub(crate) fn has_listener(&self, call: &str) -> bool {
        self.listeners().iter().any(|(known, _)| known == call)
    }

    /// Forwards a command to all subscribers. Only the one that sent the permission request uses a decision.
    pub(crate) fn forward(&self, command: &Command) {
        self.listeners().retain(|(_, sender)| sender.send(command.clone()).is_ok());
    }

    fn listeners(&self) -> MutexGuard<'_, Vec<(String, UnboundedSender<Command>)>> {
        // A panic cannot leave the list half changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
