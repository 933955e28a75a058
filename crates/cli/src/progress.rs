//! A progress bar on standard error, on a terminal, for work that takes a while.

use std::time::{Duration, Instant};

use crate::stderr;

/// Shorter work shows no progress.
const SHOWN_AFTER: Duration = Duration::from_millis(500);
/// How often the bar is drawn.
const INTERVAL: Duration = Duration::from_millis(100);

/// The width of the bar, in columns.
const BAR: usize = 16;

/// A progress bar.
pub(crate) struct Progress {
    label: &'static str,
    total: Option<u64>,
    done: u64,
    started: Instant,
    drawn: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    /// Starts; `total` if it is known.
    pub(crate) fn new(label: &'static str, total: Option<u64>, is_shown: bool) -> Self {
        Self { label, total, done: 0, started: Instant::now(), drawn: None, is_shown }
    }

    /// Advances; `format` formats an amount.
    pub(crate) fn advance(&mut self, by: u64, format: impl Fn(u64) -> String) {
        self.done += by;
        let is_due = self.drawn.is_none_or(|drawn| drawn.elapsed() > INTERVAL);
        if !self.is_shown || self.started.elapsed() < SHOWN_AFTER || !is_due {
            return;
        }
        self.drawn = Some(Instant::now());
        stderr::replace_line(self.line(self.started.elapsed(), format));
    }

    /// The line after some time: bar, amounts, rate, and time left.
    fn line(&self, elapsed: Duration, format: impl Fn(u64) -> String) -> String {
        let rate = (self.done as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
        let mut parts = Vec::new();
        match self.total.filter(|total| *total > 0) {
            Some(total) => {
                let done = self.done.min(total);
                let full = (u128::from(done) * BAR as u128 / u128::from(total)) as usize;
                let bar = format!("{}{}", "━".repeat(full), "─".repeat(BAR - full));
                let percent = u128::from(done) * 100 / u128::from(total);
                parts.push(format!(
                    "{} {bar} {percent:>3}%  {} of {}",
                    self.label,
                    format(done),
                    format(total)
                ));
                parts.push(format!("{}/s", format(rate)));
                parts.extend((rate > 0).then(|| format!("{} left", duration((total - done).div_ceil(rate)))));
            }
            None => {
                parts.push(format!("{}: {}", self.label, format(self.done)));
                parts.push(format!("{}/s", format(rate)));
            }
        }
        parts.join("  ")
    }
}

/// Formats seconds.
fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            stderr::replace_line("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(done: u64, total: Option<u64>, seconds: u64) -> String {
        let progress = Progress { done, ..Progress::new("indexing", total, true) };
        progress.line(Duration::from_secs(seconds), |bytes| format!("{bytes} B"))
    }

    #[test]
    fn it_says_how_much_how_fast_and_how_long() {
        let half = "indexing ━━━━━━━━────────  50%  500 B of 1000 B  50 B/s  10 s left";
        assert_eq!(line(500, Some(1000), 10), half);
        assert_eq!(line(500, None, 10), "indexing: 500 B  50 B/s");
        // There may be more than was announced, or nothing done yet.
        assert!(line(2000, Some(1000), 10).ends_with("100%  1000 B of 1000 B  200 B/s  0 s left"));
        assert!(line(0, Some(1000), 10).ends_with("  0%  0 B of 1000 B  0 B/s"));
        assert!(line(1, Some(u64::MAX), 1).ends_with("h 0 min left"), "{}", line(1, Some(u64::MAX), 1));
        assert_eq!(duration(125), "2 min 5 s");
    }
}
