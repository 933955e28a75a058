//! Detects other writers of a session. Our processes hold a lock; the client has none, so its traces are read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use annals_json::{Fields, Value};

use crate::key::SessionKey;
use crate::layout::{ConfigDir, FileRole};
use crate::running::RunningClient;

/// How long another program's write counts as fresh, in milliseconds.
pub const FRESH_MS: i64 = 5_000;

/// Milliseconds between creation and last change after which a file counts as written to again; a fresh copy changes
/// sooner.
const CREATED_WITHIN_MS: i64 = 500;

/// The other writer of a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Busy {
    /// Another annals process holds the lock.
    #[error("another annals is writing to this session")]
    Locked,
    /// A client that runs shows this session.
    #[error("a running client (process {pid}) has this session open")]
    Client {
        /// Its process.
        pid: u32,
    },
    /// Another program wrote to it a moment ago.
    #[error("something else wrote to this session {millis_ago} ms ago")]
    FreshWrite {
        /// How long ago.
        millis_ago: i64,
    },
    /// Another program wrote to it while it was open here.
    #[error("something else wrote to this session, from byte {offset} on")]
    Meanwhile {
        /// Where.
        offset: u64,
    },
}

/// Length and modification time of a file when we closed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) bytes: u64,
    pub(crate) modified_ns: u64,
}

impl FileStamp {
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), modified_ns: u64::try_from(since.as_nanos()).ok()? })
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let count = |key: &str| fields.get(key).and_then(Value::count);
        Some(Self { bytes: count("bytes")?, modified_ns: count("modifiedNs")? })
    }
}

/// Looks for a client that is writing to a session; `left` is the file's state when we closed it.
///
/// A client that registered proves that the session is open. That none did proves nothing: old releases do not register, and
/// neither do those on other machines that share the store. Then only the file tells, and a write a moment ago counts.
pub(crate) fn client_at_work(
    path: &Path,
    session: &SessionKey,
    left: Option<FileStamp>,
    now: i64,
) -> Option<Busy> {
    let config = ConfigDir::containing(path);
    if let Some(pid) = config.as_ref().and_then(|config| registered_client(config, session)) {
        return Some(Busy::Client { pid });
    }
    let metadata = fs::metadata(path).ok()?;
    if left.is_some() && FileStamp::of(&metadata) == left {
        return None;
    }
    let modified = crate::scan::modified_millis(&metadata)?;
    let millis_ago = now - modified;
    let made = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let made = made.and_then(|since| i64::try_from(since.as_millis()).ok());
    let written_again = made.is_none_or(|made| modified - made > CREATED_WITHIN_MS);
    // The clock of another machine or container may be ahead of ours.
    let is_fresh = millis_ago.abs() < FRESH_MS;
    (is_fresh && written_again).then_some(Busy::FreshWrite { millis_ago: millis_ago.max(0) })
}

/// Returns the running client that shows a session's file or one of its sub-agents; `None` for other files.
pub fn client_showing(path: &Path) -> Option<Busy> {
    let config = ConfigDir::containing(path)?;
    let session = session_of(&config, path)?;
    registered_client(&config, &session).map(|pid| Busy::Client { pid })
}

/// The session that a file of lines belongs to.
pub(crate) fn session_of(config: &ConfigDir, path: &Path) -> Option<SessionKey> {
    match config.role(path) {
        role @ (FileRole::Session { .. } | FileRole::SubAgent { .. }) => role.session().cloned(),
        _ => None,
    }
}

/// The process of a running client that has registered a session as open.
fn registered_client(config: &ConfigDir, session: &SessionKey) -> Option<u32> {
    let entries = fs::read_dir(config.running()).into_iter().flatten().flatten();
    let pid_of = |path: &Path| match config.role(path) {
        FileRole::RunningClient { pid } => Some(pid),
        _ => None,
    };
    let shows = |path: &Path| {
        let file = config.json_if_there(path).ok()??;
        Some(RunningClient::new(file.object().ok()?).session()?.is(session.as_str()))
    };
    let mut clients = entries.filter_map(|entry| Some((pid_of(&entry.path())?, entry.path())));
    clients.find(|(pid, path)| shows(path) == Some(true) && is_client_alive(*pid)).map(|(pid, _)| pid)
}

/// Returns whether a process runs; `true` on systems without `/proc`.
pub fn is_alive(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}

/// Returns whether the client that registered under this number runs: as a process of ours, or in a container on this machine,
/// where processes have numbers of their own.
pub fn is_client_alive(pid: u32) -> bool {
    is_alive(pid) || runs_in_a_container(pid)
}

/// The system lists the processes of containers with their numbers in every namespace, ours first.
fn runs_in_a_container(pid: u32) -> bool {
    let number = pid.to_string();
    let has_number = |status: &str| {
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        numbers.is_some_and(|numbers| numbers.split_ascii_whitespace().skip(1).any(|inner| inner == number))
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut statuses = processes.filter_map(|process| fs::read_to_string(process.path().join("status")).ok());
    statuses.any(|status| has_number(&status))
}
