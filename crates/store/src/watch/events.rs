//! System events, through `notify`: reported once for any number of changes, and only if they concern the target.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;
use std::{fmt, fs, thread};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::WatchTarget;

/// A running watcher of the system.
pub(super) struct Events {
    told: Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").finish_non_exhaustive()
    }
}

/// What events are about.
#[derive(Clone, Debug)]
enum EventFilter {
    /// A name in a folder, or the folder itself.
    Name(OsString, PathBuf),
    /// Every change.
    Everything,
}

impl EventFilter {
    fn lets_pass(&self, event: &Event) -> bool {
        // Reading is no change: a waiting reader must not wake itself.
        let is_change = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
            EventKind::Access(_) => false,
            _ => true,
        };
        let concerns = |path: &PathBuf| match self {
            // By name only: the system may spell the folder in another way than we do.
            Self::Name(name, folder) => path.file_name() == Some(name) || path == folder,
            Self::Everything => true,
        };
        // The system lost events: anything may have changed.
        event.need_rescan() || (is_change && event.paths.iter().any(concerns))
    }
}

impl Events {
    /// Starts it. A file is watched through its folder: only so is a file seen that is replaced or made.
    pub(super) fn new(target: &WatchTarget) -> notify::Result<Self> {
        let (place, mode, filter) = match target {
            WatchTarget::Tree(folder) => (folder.clone(), RecursiveMode::Recursive, EventFilter::Everything),
            WatchTarget::File(path) => {
                // A link does not report changes of its target.
                let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
                let name = real.file_name().ok_or_else(notify::Error::path_not_found)?.to_owned();
                let folder = match real.parent() {
                    Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
                    _ => Path::new(".").to_path_buf(),
                };
                (folder.clone(), RecursiveMode::NonRecursive, EventFilter::Name(name, folder))
            }
        };
        let (tell, told) = sync_channel(1);
        let mut watcher = notify::recommended_watcher(move |event| pass_on(event, &filter, &tell))?;
        watcher.watch(&place, mode)?;
        Ok(Self { told, _watcher: watcher })
    }

    /// Whether an event arrives within this time.
    pub(super) fn wait(&self, timeout: Duration) -> bool {
        match self.told.recv_timeout(timeout) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            // The watcher's thread is gone. The look that follows finds out; until then this must not spin.
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(timeout);
                false
            }
        }
    }
}

fn pass_on(event: notify::Result<Event>, filter: &EventFilter, tell: &SyncSender<()>) {
    // An error of the watcher may have cost events.
    if event.map_or(true, |event| filter.lets_pass(&event)) {
        // If it is full, a wake-up is pending anyway.
        let _ = tell.try_send(());
    }
}
