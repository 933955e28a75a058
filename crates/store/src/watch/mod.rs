//! A blocking wait for changes of a file or of everything under a folder.
//!
//! There are two ways. **Events** of the system cost nothing while nothing happens and come within a millisecond.
//! **Polling** looks at the files a few times a second, and works everywhere. [`Watch::new`] takes events where they can
//! be had and polls elsewhere: on network file systems, and where the system's limit of watches is reached. Events are not
//! trusted blindly either: now and then the watch looks for itself, and a watch that was told nothing of two changes in a
//! row polls from then on (a folder that was removed and made again, a file system that tells nothing).
//!
//! Neither way reads a byte of a file, and neither says what changed: the caller looks.

mod events;
mod mounts;
mod snapshot;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use events::Events;
use snapshot::WatchSnapshot;

/// How often a file is looked at: often enough that a new line is seen within a tenth of a second, seldom enough that
/// the work is not noticed.
const PAUSE: Duration = Duration::from_millis(40);

/// Looking at many files takes longer: so much more pause for each keeps it under one percent of a core.
const PAUSE_PER_FILE: Duration = Duration::from_micros(200);

/// Events are checked this many times less often than polling would look.
const TRUST: u32 = 25;

/// Changes in a row that events may miss before they are done without. One may be a change that its event has yet to
/// catch up with.
const MAX_MISSES: u32 = 1;

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchTarget {
    /// One file, there or not: written to, replaced, removed, made.
    File(PathBuf),
    /// Everything under a folder.
    Tree(PathBuf),
}

impl WatchTarget {
    /// Its path.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Tree(path) => path,
        }
    }
}

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    /// The system tells.
    Events,
    /// By looking again and again.
    Polling,
}

/// The result of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The file system tells only of changes that this machine makes.
    #[error("{}: a {kind} file system does not report changes", path.display())]
    NetworkFileSystem {
        /// What was to be watched.
        path: PathBuf,
        /// The kind of file system.
        kind: String,
    },
    /// The system refuses: no such folder, or too many watches.
    #[error("{}: cannot watch: {source}", path.display())]
    Refused {
        /// What was to be watched.
        path: PathBuf,
        /// What the system says.
        source: notify::Error,
    },
}

/// A watch. Changes before it was made are not told: make it first, then look.
#[derive(Debug)]
pub struct Watch {
    target: WatchTarget,
    events: Option<Events>,
    /// How things stood when they were last looked at; none where events have told of changes since.
    seen: Option<WatchSnapshot>,
    /// Changes in a row of which no event told.
    missed: u32,
    /// How long nothing was heard.
    quiet: Duration,
}

impl Watch {
    /// Watches by events where they can be had, else by polling.
    pub fn new(target: WatchTarget) -> Self {
        match Self::events(target.clone()) {
            Ok(watch) => watch,
            Err(_) => Self::polling(target),
        }
    }

    /// Watches by events, or says why that cannot be.
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

    /// How long to go on before the next look.
    fn pause(&self) -> Duration {
        let files = self.seen.map_or(1, |seen| seen.files());
        let pause = PAUSE + PAUSE_PER_FILE.saturating_mul(files.saturating_sub(1));
        if self.events.is_some() { pause.saturating_mul(TRUST) } else { pause }
    }

    /// Waits for the system to tell; where it does not, just waits.
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
