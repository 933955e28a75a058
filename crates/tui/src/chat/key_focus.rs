//! Who gets the keys while a question is there: the prompt, until the person has paused, and then the question. A person who is
//! typing when it appears keeps typing, and answers nothing.

use std::time::{Duration, Instant};

/// A pause of this length ends the typing of a prompt.
const PAUSE: Duration = Duration::from_millis(700);
/// Keys that come sooner after an answer were meant for the previous question.
const PAUSE_AFTER_ANSWER: Duration = Duration::from_millis(300);

/// Whether a question gets the keys.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyFocus {
    /// When the question appeared, and how long it gets no key after that.
    appeared: Option<(Instant, Duration)>,
    /// When a question was answered last.
    answered: Option<Instant>,
    /// When a key was pressed last that no question has got.
    typed: Option<Instant>,
    /// Whether the question has got a key: then it gets all that follow.
    is_taken: bool,
}

fn is_within(time: Option<Instant>, now: Instant, length: Duration) -> bool {
    time.is_some_and(|time| now.saturating_duration_since(time) < length)
}

impl KeyFocus {
    /// Notes that a question appeared.
    pub(super) fn appear(&mut self, now: Instant) {
        let pause = if is_within(self.answered, now, PAUSE) { PAUSE_AFTER_ANSWER } else { PAUSE };
        (self.appeared, self.is_taken) = (Some((now, pause)), false);
    }

    /// Notes that a question was answered.
    pub(super) fn answer(&mut self, now: Instant) {
        self.answered = Some(now);
    }

    /// Notes a key that no question has got.
    pub(super) fn note_typing(&mut self, now: Instant) {
        self.typed = Some(now);
    }

    /// Gives a key to the question, if it is the question's; whether it is.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let is_new = self.appeared.is_some_and(|(time, pause)| is_within(Some(time), now, pause));
        self.is_taken |= !is_new && !is_within(self.typed, now, PAUSE);
        self.is_taken
    }

    /// Whether the person is typing, so that keys are the prompt's.
    pub(super) fn is_typing(&self, now: Instant) -> bool {
        !self.is_taken && is_within(self.typed, now, PAUSE)
    }
}
