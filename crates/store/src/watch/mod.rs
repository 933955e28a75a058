//! A blocking wait for changes of a file or of everything under a folder.
//!
//! There are two methods. **Events** of the system cost nothing while nothing happens and arrive within a millisecond.
//! **Polling** checks the files a few times per second, and works everywhere. [`Watch::new`] uses events if available and
//! polls otherwise: on network file systems, and if the system's limit of watches is reached. Events are not trusted
//! blindly: from time to time the watch checks by itself, and after two changes in a row without an event it switches to
//! polling (a folder that was removed and recreated, a file system without events).
//!
//! Neither method reads the content of a file or says what changed: the caller checks.

mod events;
mod mounts;
mod snapshot;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use events::Events;
use snapshot::WatchSnapshot;

/// The polling interval of a file: a new line is seen within a tenth of a second, at a negligible load.
const PAUSE: Duration = Duration::from_millis(40);

/// Looking at many files takes longer: so much more pause for each keeps it under one percent of a core.
const PAUSE_PER_FILE: Duration = Duration::from_micros(200);

/// Events are checked this many times less often than polling would look.
const TRUST: u32 = 25;

/// Changes in a row that events may miss before they are done without. One may be a change that its event has yet to
/// catch up with.
const MAX_MISSES: u32 = 1;

/// What to wait for changes of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTarget {
    /// One file, there or not: written to, replaced, removed, made.
    File(PathBuf),
    /// Everything under a folder.
    Tree(PathBuf),
}

impl WatchTarget {
    /// Returns the file or folder that is watched.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Tree(path) => path,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    /// System events.
    Events,
    /// By looking again and again.
    Polling,
}

/// The result of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitOutcome {
    /// Something may have changed since the last wait, or since the watch was made.
    Something,
    /// Nothing did, and the time is up.
    Nothing,
}

impl WaitOutcome {
    /// Returns whether something may have changed.
    pub fn is_change(self) -> bool {
        self == Self::Something
    }
}

/// Why there are no events.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WatchError {
    /// The file system reports only changes made by this machine.
    #[error("{}: a {kind} file system does not report changes", path.display())]
    NetworkFileSystem {
        /// The target.
        path: PathBuf,
        /// The kind of file system.
        kind: String,
    },
    /// The system refuses: no such folder, or too many watches.
    #[error("{}: cannot watch: {source}", path.display())]
    Refused {
        /// The target.
        path: PathBuf,
        /// The system error.
        source: notify::Error,
    },
}

/// A watch. Earlier changes are not reported: create it first, then read.
#[derive(Debug)]
pub struct Watch {
    target: WatchTarget,
    events: Option<Events>,
    /// The last snapshot; `None` after an event reported a change.
    seen: Option<WatchSnapshot>,
    /// Consecutive changes without an event.
    missed: u32,
    /// How long nothing was heard.
    quiet: Duration,
}

impl Watch {
    /// Watches by events if available, else by polling.
    pub fn new(target: WatchTarget) -> Self {
        match Self::events(target.clone()) {
            Ok(watch) => watch,
            Err(_) => Self::polling(target),
        }
    }

    /// Watches by events, or returns why that is not possible.
    pub fn events(target: WatchTarget) -> Result<Self, WatchError> {
        let mounts = fs::read_to_string(mounts::TABLE).unwrap_or_default();
        let real = fs::canonicalize(target.path());
        let place = real.as_deref().unwrap_or_else(|_| target.path());
        if let Some(kind) = mounts::network_kind(&mounts, place) {
            return Err(WatchError::NetworkFileSystem { path: target.path().to_path_buf(), kind });
        }
        let events = Events::new(&target)
            .map_err(|source| WatchError::Refused { path: target.path().to_path_buf(), source })?;
        Ok(Self { events: Some(events), ..Self::polling(target) })
    }

    /// Watches by polling.
    pub fn polling(target: WatchTarget) -> Self {
        let seen = Some(WatchSnapshot::of(&target));
        Self { target, events: None, seen, missed: 0, quiet: Duration::ZERO }
    }

    /// How changes are noticed now.
    pub fn method(&self) -> WatchMethod {
        if self.events.is_some() { WatchMethod::Events } else { WatchMethod::Polling }
    }

    /// Blocks until something may have changed, or until the timeout.
    pub fn wait(&mut self, timeout: Duration) -> WaitOutcome {
        let mut left = timeout;
        loop {
            let step = self.pause().saturating_sub(self.quiet).min(left);
            if self.wait_for_event(step) {
                (self.seen, self.missed, self.quiet) = (None, 0, Duration::ZERO);
                return WaitOutcome::Something;
            }
            left -= step;
            self.quiet += step;
            if self.quiet >= self.pause() {
                self.quiet = Duration::ZERO;
                if self.look() == WaitOutcome::Something {
                    return WaitOutcome::Something;
                }
            }
            if left.is_zero() {
                return WaitOutcome::Nothing;
            }
        }
    }

    /// The time until the next check.
    fn pause(&self) -> Duration {
        let files = self.seen.map_or(1, |seen| seen.files());
        let pause = PAUSE + PAUSE_PER_FILE.saturating_mul(files.saturating_sub(1));
        if self.events.is_some() { pause.saturating_mul(TRUST) } else { pause }
    }

    /// Waits for an event; without events, just waits.
    fn wait_for_event(&mut self, step: Duration) -> bool {
        match &self.events {
            Some(events) => events.wait(step),
            None => {
                thread::sleep(step);
                false
            }
        }
    }

    fn look(&mut self) -> WaitOutcome {
        let now = WatchSnapshot::of(&self.target);
        match self.seen.replace(now) {
            Some(before) if before == now => WaitOutcome::Nothing,
            Some(_) => {
                self.missed = self.missed.saturating_add(1);
                if self.missed > MAX_MISSES {
                    self.events = None;
                }
                WaitOutcome::Something
            }
            // Events reported something and have been silent since; there may have been more.
            None => WaitOutcome::Something,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_testkit::temp::TempDir;

    #[test]
    fn events_that_miss_changes_are_done_without() {
        let (here, elsewhere) = (TempDir::new("watch"), TempDir::new("watch"));
        let path = here.write("file", "one\n");
        let deaf = Events::new(&WatchTarget::File(elsewhere.path().join("file"))).unwrap();
        let mut watch = Watch { events: Some(deaf), ..Watch::polling(WatchTarget::File(path)) };
        for (text, method) in
            [("one\ntwo\n", WatchMethod::Events), ("one\ntwo\nthree\n", WatchMethod::Polling)]
        {
            here.write("file", text);
            assert_eq!(watch.wait(Duration::from_secs(60)), WaitOutcome::Something);
            assert_eq!(watch.method(), method);
        }
    }
}
