//! What handlers say that run in the background: it waits until the model can be told.

use std::sync::{Arc, Mutex, PoisonError};

use super::event::HookEvent;
use super::reply::HookReply;

/// What a handler said after it was no longer waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateReply {
    /// The id of its process.
    pub process: i32,
    /// The event that it was told of.
    pub event: HookEvent,
    /// What matchers looked at.
    pub value: String,
    /// What records call the handler.
    pub name: String,
    /// The id of the tool call, if the event was about one.
    pub tool_use: Option<String>,
    /// What it said.
    pub reply: HookReply,
}

/// The replies that wait.
#[derive(Clone, Debug, Default)]
pub struct LateReplies(Arc<Mutex<Vec<LateReply>>>);

impl LateReplies {
    pub fn add(&self, reply: LateReply) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(reply);
    }

    /// Takes the replies that wait.
    pub(crate) fn take(&self) -> Vec<LateReply> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
