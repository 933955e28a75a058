//! Commands on their way on: from a conversation to those who work for it and have a conversation of their own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use crate::command::{Command, Commands};

/// Those who listen, by the calls that they work for.
#[derive(Debug, Default)]
pub struct Relay(Mutex<Vec<(String, UnboundedSender<Command>)>>);

impl Relay {
    /// From now on decisions and interrupts reach whoever works for this call. Who listens is told of an interrupt and ends by
    /// itself; whoever does not is dropped.
    pub fn listen(&self, call: &str) -> Commands {
        let (sender, commands) = Commands::channel();
        self.ears().push((call.to_owned(), sender));
        commands
    }

    /// Whether somebody listens who works for this call.
    pub(crate) fn has(&self, call: &str) -> bool {
        self.ears().iter().any(|(known, _)| known == call)
    }

    /// Tells everybody. A decision answers one question, and only whoever asked it waits for it.
    pub(crate) fn pass(&self, command: &Command) {
        self.ears().retain(|(_, sender)| sender.send(command.clone()).is_ok());
    }

    fn ears(&self) -> MutexGuard<'_, Vec<(String, UnboundedSender<Command>)>> {
        // A thread that panicked has left a whole list.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
