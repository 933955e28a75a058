//! A transport that answers each request with the next recorded response.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::recording::{RecordedResponse, RecordedTurn};
use super::stream::{CHUNK_CHARS, events};
use crate::api::failure::Failure;
use crate::api::request::RequestBody;
use crate::api::transport::{ByteSource, ResponseHead, ResponseStream, Transport};

/// How fast responses stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Without pauses.
    AtOnce,
    /// At this many characters a second.
    LettersPerSecond(u32),
}

impl Pace {
    fn pause(self) -> Option<Duration> {
        match self {
            Self::AtOnce | Self::LettersPerSecond(0) => None,
            Self::LettersPerSecond(letters) => {
                Some(Duration::from_secs_f64(CHUNK_CHARS as f64 / f64::from(letters)))
            }
        }
    }
}

/// Plays the responses of one turn.
#[derive(Debug)]
pub struct Player {
    pace: Pace,
    responses: Mutex<VecDeque<RecordedResponse>>,
}

impl Player {
    /// Creates a player without responses.
    pub fn new(pace: Pace) -> Self {
        Self { pace, responses: Mutex::default() }
    }

    /// Loads the responses of a turn.
    pub fn begin(&self, turn: &RecordedTurn) {
        *self.responses() = turn.responses.iter().cloned().collect();
    }

    fn responses(&self) -> MutexGuard<'_, VecDeque<RecordedResponse>> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Player {
    type Source = ReplayStream;

    async fn send(&self, _: &RequestBody) -> Result<ResponseStream<ReplayStream>, Failure> {
        // An aborted turn has no last response: it ends with an empty one.
        let response = self
            .responses()
            .pop_front()
            .unwrap_or_else(|| RecordedResponse { id: "msg_end".to_owned(), ..RecordedResponse::default() });
        let source = ReplayStream { events: events(&response).into(), pause: self.pace.pause() };
        Ok(ResponseStream { head: ResponseHead::default(), source })
    }
}

/// The stream of a recorded response.
#[derive(Debug)]
pub struct ReplayStream {
    events: VecDeque<Vec<u8>>,
    pause: Option<Duration>,
}

impl ByteSource for ReplayStream {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if let Some(pause) = self.pause {
            tokio::time::sleep(pause).await;
        }
        Ok(self.events.pop_front())
    }
}
