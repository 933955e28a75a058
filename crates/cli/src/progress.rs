//! A line on standard error that says how far long work is: on a terminal only, and only once it has taken a while.

use std::io::Write;
use std::time::{Duration, Instant};

/// Work that is done sooner needs no word.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// How far some work is.
pub(crate) struct Progress {
    label: &'static str,
    total: Option<u64>,
    done: u64,
    started: Instant,
    drawn: Option<Instant>,
    is_wanted: bool,
}

impl Progress {
    /// The start of some work; `total` where it is known.
    pub(crate) fn new(label: &'static str, total: Option<u64>, is_wanted: bool) -> Self {
        Self { label, total, done: 0, started: Instant::now(), drawn: None, is_wanted }
    }

    /// So much more is done; `say` puts an amount into words.
    pub(crate) fn advance(&mut self, by: u64, say: impl Fn(u64) -> String) {
        self.done += by;
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() > INTERVAL);
        if !self.is_wanted || self.started.elapsed() < PATIENCE || !is_due {
            return;
        }
        self.drawn = Some(Instant::now());
        let of = self.total.map(|total| format!(" of {}", say(total))).unwrap_or_default();
        let share = self.total.filter(|total| *total > 0).map(|total| self.done.min(total) * 100 / total);
        let share = share.map(|percent| format!(" {percent}%")).unwrap_or_default();
        // Nobody to tell where standard error is gone; the work goes on.
        let _ = write!(std::io::stderr(), "\r\x1b[K{}: {}{of}{share}", self.label, say(self.done));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
