//! The control channel: frames to the program, and requests to it that wait for an answer.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use annals_json::{ObjectWriter, object};
use annals_store::source::new_uuid;
use tokio::sync::oneshot;

use crate::output::JsonStdout;
use crate::source::SystemSource;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChannelError {
    /// The program has closed its side, or it does not read ours.
    Closed(String),
    /// The program answered with an error.
    Remote(String),
}

impl std::fmt::Display for ChannelError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Closed(why) | Self::Remote(why) => out.write_str(why),
        }
    }
}

type Answer = Result<Vec<u8>, ChannelError>;

/// Requests that wait for an answer.
#[derive(Debug, Default)]
struct PendingRequests {
    waiting: HashMap<String, oneshot::Sender<Answer>>,
    is_closed: bool,
}

/// The channel to the program; all copies are the same channel.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct ControlChannel(Arc<Mutex<PendingRequests>>);

impl ControlChannel {
    fn pending(&self) -> MutexGuard<'_, PendingRequests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a frame.
    pub(in super::super) fn write(&self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> io::Result<()> {
        let mut line = object(fill);
        line.push(b'\n');
        let mut out = JsonStdout;
        out.write_all(&line)?;
        out.flush()
    }

    /// Sends a request and waits for its answer. Dropping the future takes the request back.
    pub(super) async fn request(&self, subtype: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Answer {
        self.request_as(new_uuid(&SystemSource), subtype, fill).await
    }

    /// The same under an id that the caller knows, to [`cancel`](Self::cancel) it.
    pub(super) async fn request_as(
        &self,
        id: String,
        subtype: &str,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Answer {
        let closed = || ChannelError::Closed("the program has closed its end".to_owned());
        let (sender, receiver) = oneshot::channel();
        {
            let mut pending = self.pending();
            if pending.is_closed {
                return Err(closed());
            }
            pending.waiting.insert(id.clone(), sender);
        }
        let guard = RequestGuard { channel: self, id: &id };
        self.write(|frame| {
            frame.string("type", "control_request").string("request_id", &id).object("request", |request| {
                request.string("subtype", subtype);
                fill(request);
            });
        })
        .map_err(|error| ChannelError::Closed(error.to_string()))?;
        let answer = receiver.await.unwrap_or_else(|_| Err(closed()));
        drop(guard);
        answer
    }

    /// Hands an answer to the request that waits for it.
    pub(super) fn answer(&self, request: &str, answer: Answer) {
        if let Some(sender) = self.pending().waiting.remove(request) {
            // Nobody waits any more: the answer is not needed.
            let _ = sender.send(answer);
        }
    }

    /// Takes a request back, at once, unless it was answered.
    pub(super) fn cancel(&self, id: &str) {
        if self.pending().waiting.remove(id).is_none() {
            return;
        }
        // If the program is gone, there is nobody to tell.
        let _ = self.write(|frame| {
            frame.string("type", "control_cancel_request").string("request_id", id);
        });
    }

    /// Ends all requests: no answers will come.
    pub(super) fn close(&self) {
        let mut pending = self.pending();
        pending.is_closed = true;
        pending.waiting.clear();
    }
}

/// Takes a request back that nobody waits for any more.
struct RequestGuard<'c> {
    channel: &'c ControlChannel,
    id: &'c str,
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.channel.cancel(self.id);
    }
}
