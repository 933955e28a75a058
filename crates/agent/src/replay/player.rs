//! Stands in for a connection: each request is answered by the next response of the recording.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::recorded::{Step, Turn};
use super::stream::{LETTERS, events};
use crate::api::failure::Failure;
use crate::api::request::Body;
use crate::api::transport::{ByteSource, Head, Opened, Transport};

/// How fast it is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At once.
    AtOnce,
    /// So many letters a second.
    LettersPerSecond(u32),
}

impl Pace {
    fn pause(self) -> Option<Duration> {
        match self {
            Self::AtOnce | Self::LettersPerSecond(0) => None,
            Self::LettersPerSecond(letters) => {
                Some(Duration::from_secs_f64(LETTERS as f64 / f64::from(letters)))
            }
        }
    }
}

/// Plays the turn that was begun.
#[derive(Debug)]
pub struct Player {
    pace: Pace,
    steps: Mutex<VecDeque<Step>>,
}

impl Player {
    /// A player that plays nothing yet.
    pub fn new(pace: Pace) -> Self {
        Self { pace, steps: Mutex::default() }
    }

    /// From now on this turn is played.
    pub fn begin(&self, turn: &Turn) {
        *self.steps() = turn.steps.iter().cloned().collect();
    }

    fn steps(&self) -> MutexGuard<'_, VecDeque<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transport for Player {
    type Source = Played;

    async fn send(&self, _: &Body) -> Result<Opened<Played>, Failure> {
        // A turn that was broken off has no last response: its end is an empty one.
        let step =
            self.steps().pop_front().unwrap_or_else(|| Step { id: "msg_end".to_owned(), ..Step::default() });
        let source = Played { events: events(&step).into(), pause: self.pace.pause() };
        Ok(Opened { head: Head::default(), source })
    }
}

/// A response that is played.
#[derive(Debug)]
pub struct Played {
    events: VecDeque<Vec<u8>>,
    pause: Option<Duration>,
}

impl ByteSource for Played {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if let Some(pause) = self.pause {
            tokio::time::sleep(pause).await;
        }
        Ok(self.events.pop_front())
    }
}
