//! Plans to write an old version of a file back. The version comes from a transcript, which is not trusted: the rules are those
//! of [`rewind`](crate::rewind).

use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::files::{PathRefusal, PathState, resolve_plain_file};
use annals_store::read::read_file_if_there;

use super::{FileVersion, VersionContent};
use crate::plan::Plan;
use crate::rewind::files::{is_delicate, work_folder};
use crate::rewind::tool_edits::is_same;
use crate::rewind::{ForeignChanges, write};
use crate::session::Session;

#[derive(Clone, Copy, Debug)]
pub struct RestoreOptions<'w> {
    /// What to do with a file that something else has changed, and with files that configure programs.
    pub foreign: ForeignChanges,
    /// The user's home folder: sessions that claim to work in it change no files.
    pub home: Option<&'w Path>,
}

/// A planned restore.
#[derive(Clone, Debug)]
pub struct VersionRestore {
    /// The changes; empty if the file is like that already.
    pub plan: Plan,
    /// The content that the file has now; `None` if there is none.
    pub now: Option<Vec<u8>>,
    /// Whether its content now is of no version: something else wrote it.
    pub is_foreign: bool,
}

/// Why a version is not restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreBlock {
    /// Nobody recorded the content.
    #[error("version {number} was not recorded: only that the file changed")]
    Unrecorded {
        /// The version.
        number: usize,
    },
    /// It is not a plain file below the session's folder.
    #[error("{}: {}", path.display(), why.explanation())]
    Path {
        path: PathBuf,
        /// What it is instead.
        why: PathRefusal,
    },
    /// It configures programs or instructs agents, and the transcript may be anybody's.
    #[error("{}: it configures programs", path.display())]
    Protected { path: PathBuf },
    /// Something else has changed it since.
    #[error("{}: something other than a session changed it since", path.display())]
    ChangedSince { path: PathBuf },
    /// The session's working directory cannot be used.
    #[error("{why}")]
    Folder {
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be read.
    #[error("{}: it cannot be read", path.display())]
    Unreadable { path: PathBuf },
}

/// Plans to write a version of a file back. `session` is the one that recorded it, `versions` are all of the file.
pub fn plan_restore(
    session: &Session,
    path: &Path,
    versions: &[FileVersion],
    version: &FileVersion,
    options: RestoreOptions<'_>,
) -> Result<VersionRestore, RestoreBlock> {
    let then = match &version.content {
        VersionContent::Bytes(bytes) => Some(bytes.clone()),
        VersionContent::Absent => None,
        VersionContent::Unrecorded => return Err(RestoreBlock::Unrecorded { number: version.number }),
    };
    let folder = work_folder(session, &session.transcript(), options.home)
        .map_err(|error| RestoreBlock::Folder { why: error.to_string() })?;
    let named = path.to_path_buf();
    let (path, state) = resolve_plain_file(&folder, &path.to_string_lossy())
        .map_err(|why| RestoreBlock::Path { path: named.clone(), why })?;
    let now = match state {
        PathState::Nothing => None,
        PathState::File => {
            read_file_if_there(&path).map_err(|_| RestoreBlock::Unreadable { path: path.clone() })?
        }
    };
    let is_left = options.foreign == ForeignChanges::Left;
    if is_left && is_delicate(path.strip_prefix(&folder).unwrap_or(&path)) {
        return Err(RestoreBlock::Protected { path });
    }
    let is_known =
        |now: &[u8]| versions.iter().any(|known| known.bytes().is_some_and(|bytes| is_same(bytes, now)));
    let is_foreign = now.as_deref().is_some_and(|now| !is_known(now));
    let what = format!("restore {} to version {}", path.display(), version.number);
    let mut plan = Plan::new(what, &session.root());
    if then == now {
        return Ok(VersionRestore { plan, now, is_foreign });
    }
    if is_foreign && is_left {
        return Err(RestoreBlock::ChangedSince { path });
    }
    plan.plain.push((folder, path.clone()));
    match (now.as_deref(), then) {
        (now, Some(then)) => write(&path, now, then, &mut plan),
        (Some(now), None) => {
            plan.depend_on(&path, now);
            plan.changes.push(Change::Discard { path });
        }
        (None, None) => {}
    }
    Ok(VersionRestore { plan, now, is_foreign })
}
