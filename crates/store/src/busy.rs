//! Detects other writers of a session. Our processes hold a lock; the client has none, so its traces are read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use annals_json::{Fields, Value};

use crate::json_file::JsonFile;
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
pub(crate) fn client_at_work(
    path: &Path,
    session: &SessionKey,
    left: Option<FileStamp>,
    now: i64,
) -> Option<Busy> {
    let config = ConfigDir::containing(path);
    let registered = config.as_ref().map(|config| registered_clients(config, session));
    match registered {
        Some(ClientRegistration::Here(pid)) => return Some(Busy::Client { pid }),
        // Running clients are listed, and none has this session: the last writer has ended.
        Some(ClientRegistration::Elsewhere) => return None,
        Some(ClientRegistration::Unknown) | None => {}
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
    ((0..FRESH_MS).contains(&millis_ago) && written_again).then_some(Busy::FreshWrite { millis_ago })
}

/// Returns the running client that shows a session's file; `None` for other files.
pub(crate) fn client_showing(path: &Path) -> Option<Busy> {
    let config = ConfigDir::containing(path)?;
    let FileRole::Session { session, .. } = config.role(path) else { return None };
    match registered_clients(&config, &session) {
        ClientRegistration::Here(pid) => Some(Busy::Client { pid }),
        ClientRegistration::Elsewhere | ClientRegistration::Unknown => None,
    }
}

enum ClientRegistration {
    /// A process that runs has the session.
    Here(u32),
    /// Clients of this store register, and none that runs has the session.
    Elsewhere,
    /// Clients of this store do not register.
    Unknown,
}

fn registered_clients(config: &ConfigDir, session: &SessionKey) -> ClientRegistration {
    let Ok(entries) = fs::read_dir(config.running()) else { return ClientRegistration::Unknown };
    for entry in entries.flatten() {
        let FileRole::RunningClient { pid } = config.role(&entry.path()) else { continue };
        let Ok(file) = JsonFile::read(&entry.path()) else { continue };
        let Ok(fields) = file.object() else { continue };
        let client = RunningClient::new(fields);
        if client.session().is_some_and(|id| id.is(session.as_str())) && is_alive(pid) {
            return ClientRegistration::Here(pid);
        }
    }
    ClientRegistration::Elsewhere
}

/// Returns whether a process runs; `true` on systems without `/proc`.
pub fn is_alive(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}
