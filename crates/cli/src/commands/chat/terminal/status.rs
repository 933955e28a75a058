//! The line that says what is being done, and for how long.

use std::time::{Duration, Instant};

use annals_agent::api::call::Retry;

/// So long the API may keep silent before that is said.
const SILENCE: Duration = Duration::from_secs(20);

/// Work that goes on.
#[derive(Clone, Debug)]
pub(super) struct Work {
    began: Instant,
    /// When something last happened.
    heard: Instant,
    what: String,
    retry: Option<(Instant, u32, u32)>,
    /// How often somebody asked to stop.
    pub(super) stops: u32,
    /// Whether something of the model's stands.
    pub(super) produced: bool,
    /// Whether it is the API that is waited for.
    waits_for_api: bool,
}

impl Work {
    pub(super) fn new(what: &str, now: Instant) -> Self {
        Self {
            began: now,
            heard: now,
            what: what.to_owned(),
            retry: None,
            stops: 0,
            produced: false,
            waits_for_api: true,
        }
    }

    /// Something came from the API.
    pub(super) fn hear(&mut self, what: &str, now: Instant) {
        (self.heard, self.retry, self.waits_for_api) = (now, None, true);
        what.clone_into(&mut self.what);
    }

    /// A tool runs.
    pub(super) fn run(&mut self, what: &str, now: Instant) {
        self.hear(what, now);
        self.waits_for_api = false;
    }

    /// A request is sent again later.
    pub(super) fn wait_for(&mut self, retry: &Retry, now: Instant) {
        self.heard = now;
        self.retry = Some((now + retry.wait, retry.attempt, retry.most));
    }

    /// The line.
    pub(super) fn line(&self, now: Instant) -> String {
        if self.stops > 0 {
            return "stopping… · ctrl-c again leaves".to_owned();
        }
        let seconds = now.saturating_duration_since(self.began).as_secs();
        let silent = now.saturating_duration_since(self.heard);
        if let Some((until, attempt, most)) = self.retry {
            let left = until.saturating_duration_since(now).as_millis().div_ceil(1000);
            if left > 0 {
                return format!("retrying in {left} s · attempt {attempt} of {most} · esc/ctrl-c to stop");
            }
        }
        if self.waits_for_api && silent >= SILENCE {
            return format!("waiting for the API, silent for {} s · esc/ctrl-c to stop", silent.as_secs());
        }
        format!("{}… {seconds}s · esc/ctrl-c to stop", self.what)
    }
}

#[cfg(test)]
mod tests {
    use annals_agent::api::failure::Failure;

    use super::*;

    #[test]
    fn the_line_says_what_is_waited_for() {
        let start = Instant::now();
        let later = |seconds| start + Duration::from_secs(seconds);
        let mut work = Work::new("working", start);
        assert_eq!(work.line(later(12)), "working… 12s · esc/ctrl-c to stop");
        assert!(work.line(later(25)).starts_with("waiting for the API, silent for 25 s"));
        work.hear("thinking", later(25));
        assert!(work.line(later(26)).starts_with("thinking… 26s"));
        let failure = Failure::Idle { after: Duration::from_secs(1) };
        work.wait_for(&Retry { failure, wait: Duration::from_millis(3500), attempt: 2, most: 10 }, later(30));
        assert!(work.line(later(30)).starts_with("retrying in 4 s · attempt 2 of 10"));
        assert!(work.line(later(34)).starts_with("thinking… 34s"));
        work.run("Bash", later(40));
        assert!(work.line(later(90)).starts_with("Bash… 90s"), "a command may be silent");
        work.stops = 1;
        assert!(work.line(later(90)).starts_with("stopping"));
    }
}
