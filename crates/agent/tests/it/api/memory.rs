//! A transport without a network: canned responses, each piece after a pause, for tests with a paused clock.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use annals_agent::api::failure::{ApiError, ErrorResponse, Failure};
use annals_agent::api::request::RequestBody;
use annals_agent::api::transport::{ByteSource, ResponseHead, ResponseStream, Transport};

/// What happens to one request.
pub(super) enum Reply {
    Refused {
        status: u16,
        headers: Vec<(String, String)>,
        message: &'static str,
    },
    /// A stream: pieces, each after a pause.
    Stream(Vec<(Duration, String)>),
    /// Nothing at all.
    Silence,
}

/// Plays the replies one after the other.
pub(super) struct Memory(Mutex<VecDeque<Reply>>);

impl Memory {
    pub(super) fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self(Mutex::new(replies.into_iter().collect()))
    }

    pub(super) fn left(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// The pieces that are still to come; after them there is silence.
pub(super) struct Pieces(VecDeque<(Duration, String)>);

impl Transport for Memory {
    type Source = Pieces;

    async fn send(&self, _: &RequestBody) -> Result<ResponseStream<Pieces>, Failure> {
        let reply = self.0.lock().unwrap().pop_front().expect("no more requests were expected");
        match reply {
            Reply::Silence => std::future::pending().await,
            Reply::Stream(pieces) => {
                Ok(ResponseStream { head: ResponseHead::default(), source: Pieces(pieces.into()) })
            }
            Reply::Refused { status, headers, message } => {
                let error = ApiError { kind: String::new(), message: message.into(), raw: None };
                Err(Failure::Refused(Box::new(ErrorResponse { status, headers, error })))
            }
        }
    }
}

impl ByteSource for Pieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some((pause, piece)) = self.0.pop_front() else { return std::future::pending().await };
        tokio::time::sleep(pause).await;
        Ok(Some(piece.into_bytes()))
    }
}
