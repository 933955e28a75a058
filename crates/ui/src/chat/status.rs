//! The status line: the current activity and its duration.

use std::time::{Duration, Instant};

/// How long the API may be silent before the line mentions it.
const SILENCE: Duration = Duration::from_secs(20);

/// Work that is being done.
#[derive(Clone, Debug)]
pub struct WorkStatus {
    started: Instant,
    /// When something last happened.
    last_event: Instant,
    what: String,
    /// When a request is sent again, which attempt that is, and how many there are.
    retry: Option<(Instant, u32, u32)>,
    /// How often the person interrupted.
    pub interrupts: u32,
    /// Whether a part of the response is final.
    pub has_output: bool,
    /// Whether it waits for the API, not for a tool.
    waits_for_api: bool,
}

impl WorkStatus {
    /// Starts the clock.
    pub fn new(what: &str, now: Instant) -> Self {
        Self {
            started: now,
            last_event: now,
            what: what.to_owned(),
            retry: None,
            interrupts: 0,
            has_output: false,
            waits_for_api: true,
        }
    }

    /// Records an event of the API.
    pub fn api_event(&mut self, what: &str, now: Instant) {
        (self.last_event, self.retry, self.waits_for_api) = (now, None, true);
        what.clone_into(&mut self.what);
    }

    /// Notes that a tool runs.
    pub fn tool_event(&mut self, what: &str, now: Instant) {
        self.api_event(what, now);
        self.waits_for_api = false;
    }

    /// Notes that a request is sent again after a wait.
    pub fn retry(&mut self, wait: Duration, attempt: u32, max: u32, now: Instant) {
        self.last_event = now;
        self.retry = Some((now + wait, attempt, max));
    }

    /// Returns how long it takes so far.
    pub fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started)
    }

    pub fn line(&self, now: Instant) -> String {
        if self.interrupts > 0 {
            return "interrupting… · ctrl-c again to exit".to_owned();
        }
        let seconds = self.elapsed(now).as_secs();
        let silent = now.saturating_duration_since(self.last_event);
        if let Some((until, attempt, max)) = self.retry {
            let left = until.saturating_duration_since(now).as_millis().div_ceil(1000);
            if left > 0 {
                return format!("retrying in {left} s · attempt {attempt} of {max} · esc to interrupt");
            }
        }
        if self.waits_for_api && silent >= SILENCE {
            return format!("waiting for the API, silent for {} s · esc to interrupt", silent.as_secs());
        }
        format!("{}… {seconds}s · esc to interrupt", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_what_is_waited_for() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        let mut work = WorkStatus::new("working", start);
        assert_eq!(work.line(later(12)), "working… 12s · esc to interrupt");
        assert!(work.line(later(25)).starts_with("waiting for the API, silent for 25 s"));
        work.api_event("thinking", later(25));
        assert!(work.line(later(26)).starts_with("thinking… 26s"));
        work.retry(Duration::from_millis(3500), 2, 10, later(30));
        assert!(work.line(later(30)).starts_with("retrying in 4 s · attempt 2 of 10"));
        assert!(work.line(later(34)).starts_with("thinking… 34s"));
        work.tool_event("Bash", later(40));
        assert!(work.line(later(90)).starts_with("Bash… 90s"), "a command may be silent");
        work.interrupts = 1;
        assert!(work.line(later(90)).starts_with("interrupting"));
    }
}
