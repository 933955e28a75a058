//! Requests that wait for an answer which comes on another channel, by their ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::inbox::McpInbox;
use super::message;
use super::server::McpError;

/// Requests without an answer; all copies are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingAnswers(Arc<Mutex<PendingState>>);

#[derive(Debug, Default)]
struct PendingState {
    waiting: HashMap<u64, oneshot::Sender<Vec<u8>>>,
    /// Why no more answers come.
    closed: Option<String>,
}

/// A request that waits.
pub(super) struct PendingAnswer<'p> {
    id: u64,
    pending: &'p PendingAnswers,
    receiver: oneshot::Receiver<Vec<u8>>,
}

impl PendingAnswers {
    fn lock(&self) -> MutexGuard<'_, PendingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prepares to wait for the answer to a request.
    pub(super) fn expect(&self, id: u64) -> Result<PendingAnswer<'_>, McpError> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        if let Some(why) = &state.closed {
            return Err(McpError::Closed(why.clone()));
        }
        state.waiting.insert(id, sender);
        Ok(PendingAnswer { id, pending: self, receiver })
    }

    /// Hands what came to the request that waits for it, or to the inbox. Returns whether it was a message at all.
    pub(super) fn take(&self, bytes: &[u8], inbox: &McpInbox) -> bool {
        let messages = message::split(bytes);
        let is_message = !messages.is_empty();
        for message in messages {
            match message::answered(&message) {
                Some(id) => {
                    if let Some(sender) = self.lock().waiting.remove(&id) {
                        // Nobody waits any more: the answer is not needed.
                        let _ = sender.send(message);
                    }
                }
                None => inbox.deliver(message),
            }
        }
        is_message
    }

    /// Ends all requests: no answers will come.
    pub(super) fn close(&self, why: &str) {
        let mut state = self.lock();
        state.closed.get_or_insert_with(|| why.to_owned());
        state.waiting.clear();
    }

    /// Returns why no more answers come.
    pub(super) fn closed(&self) -> Option<String> {
        self.lock().closed.clone()
    }
}

impl PendingAnswer<'_> {
    pub(super) async fn wait(mut self) -> Result<Vec<u8>, McpError> {
        let answer = (&mut self.receiver).await;
        answer.map_err(|_| McpError::Closed(self.pending.closed().unwrap_or_default()))
    }
}

impl Drop for PendingAnswer<'_> {
    fn drop(&mut self) {
        self.pending.lock().waiting.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn answers_find_their_requests_in_any_order() {
        let (pending, (inbox, mut others)) = (PendingAnswers::default(), McpInbox::channel());
        let (first, second) = (pending.expect(1).unwrap(), pending.expect(2).unwrap());
        assert!(pending.take(br#"[{"id":2,"result":"b"},{"id":1,"result":"a"}]"#, &inbox));
        assert!(pending.take(br#"{"id":9,"result":"late"}"#, &inbox));
        assert!(pending.take(br#"{"method":"note"}"#, &inbox) && !pending.take(b"a log line", &inbox));
        assert_eq!(first.wait().await.unwrap(), br#"{"id":1,"result":"a"}"#);
        assert_eq!(second.wait().await.unwrap(), br#"{"id":2,"result":"b"}"#);
        assert_eq!(others.recv().await.unwrap(), br#"{"method":"note"}"#);
    }

    #[tokio::test]
    async fn nobody_waits_for_a_server_that_is_gone() {
        let pending = PendingAnswers::default();
        let waiting = pending.expect(1).unwrap();
        pending.close("it ended");
        pending.close("again");
        assert_eq!(waiting.wait().await, Err(McpError::Closed("it ended".to_owned())));
        assert!(matches!(pending.expect(2), Err(McpError::Closed(_))));
    }
}
