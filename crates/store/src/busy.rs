//! Is somebody else writing to this session? Ours hold a lock; the real client has none, so its traces are read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use annals_json::{Fields, Value};

use crate::json_file::JsonFile;
use crate::key::SessionKey;
use crate::layout::{ConfigDir, FileRole};
use crate::running::RunningClient;

/// How long a write of somebody else counts as fresh, in milliseconds.
pub const FRESH_MS: i64 = 5_000;

/// A file that is at least this much younger than its last change was written to again after it was made: a copy that was
/// just put there was not, in milliseconds.
const MADE_AT_ONCE_MS: i64 = 500;

/// Who is writing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Busy {
    /// Another process of ours has the lock.
    #[error("another annals is writing to this session")]
    Locked,
    /// A client that runs shows this session.
    #[error("a running client (process {pid}) has this session open")]
    Client {
        /// Its process.
        pid: u32,
    },
    /// Somebody wrote to it a moment ago.
    #[error("something else wrote to this session {millis_ago} ms ago")]
    FreshWrite {
        /// How long ago.
        millis_ago: i64,
    },
    /// Somebody wrote to it while we had it.
    #[error("something else wrote to this session meanwhile, from byte {offset} on")]
    Meanwhile {
        /// Where.
        offset: u64,
    },
}

/// How a file was when we left it: its length and the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) bytes: u64,
    pub(crate) modified_ns: u64,
}

impl Left {
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), modified_ns: u64::try_from(since.as_nanos()).ok()? })
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Option<Self> {
        let count = |key: &str| fields.get(key).and_then(Value::count);
        Some(Self { bytes: count("bytes")?, modified_ns: count("modifiedNs")? })
    }
}

/// Looks for a client at work on a session; `left` is how we last left the file.
pub(crate) fn client_at_work(
    path: &Path,
    session: &SessionKey,
    left: Option<Left>,
    now: i64,
) -> Option<Busy> {
    let config = ConfigDir::containing(path);
    let registered = config.as_ref().map(|config| registered_clients(config, session));
    match registered {
        Some(Registered::Here(pid)) => return Some(Busy::Client { pid }),
        // Clients that run are listed, and none of them has this session: whoever wrote last has ended.
        Some(Registered::Elsewhere) => return None,
        Some(Registered::Unknown) | None => {}
    }
    let metadata = fs::metadata(path).ok()?;
    if left.is_some() && Left::of(&metadata) == left {
        return None;
    }
    let modified = crate::scan::modified_millis(&metadata)?;
    let millis_ago = now - modified;
    let made = metadata.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let made = made.and_then(|since| i64::try_from(since.as_millis()).ok());
    let written_again = made.is_none_or(|made| modified - made > MADE_AT_ONCE_MS);
    ((0..FRESH_MS).contains(&millis_ago) && written_again).then_some(Busy::FreshWrite { millis_ago })
}

/// The client that runs and shows the session whose file this is; none where it is no session's file.
pub(crate) fn client_that_shows(path: &Path) -> Option<Busy> {
    let config = ConfigDir::containing(path)?;
    let FileRole::Session { session, .. } = config.role(path) else { return None };
    match registered_clients(&config, &session) {
        Registered::Here(pid) => Some(Busy::Client { pid }),
        Registered::Elsewhere | Registered::Unknown => None,
    }
}

enum Registered {
    /// A process that runs has the session.
    Here(u32),
    /// Clients of this store register, and none that runs has the session.
    Elsewhere,
    /// Clients of this store do not register.
    Unknown,
}

fn registered_clients(config: &ConfigDir, session: &SessionKey) -> Registered {
    let Ok(entries) = fs::read_dir(config.running()) else { return Registered::Unknown };
    for entry in entries.flatten() {
        let FileRole::RunningClient { pid } = config.role(&entry.path()) else { continue };
        let Ok(file) = JsonFile::read(&entry.path()) else { continue };
        let Ok(fields) = file.object() else { continue };
        let client = RunningClient::new(fields);
        if client.session().is_some_and(|id| id.is(session.as_str())) && is_alive(pid) {
            return Registered::Here(pid);
        }
    }
    Registered::Elsewhere
}

/// Whether a process runs. Where the system does not tell by a file, one that is listed is taken to run.
pub fn is_alive(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}
