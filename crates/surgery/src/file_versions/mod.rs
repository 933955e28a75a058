//! The versions of a file that sessions recorded: what tools found and wrote, and the copies that clients made. [`FileHistory`]
//! has them, [`plan_restore`] plans to write one back.
//!
//! Only tools that edit files leave a trace. What commands and people did shows as a version that an edit found.

mod backups;
mod diff;
mod history;
mod restore;

use std::path::Path;

use annals_store::SessionKey;
use annals_store::digest::{hex, sha256_bytes};

pub use diff::VersionDiff;
pub use history::{FileHistory, load_sessions};
pub use restore::{RestoreBlock, RestoreOptions, VersionRestore, plan_restore};

use crate::rewind::tool_edits::{ToolEdit, edits, is_same};
use crate::session::Session;

/// What is known of a file at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionContent {
    Bytes(Vec<u8>),
    /// It did not exist.
    Absent,
    /// It was changed, and nobody recorded how it was then.
    Unrecorded,
}

/// How a version came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOrigin {
    /// A tool wrote it.
    Tool(&'static str),
    /// A tool found it there: a person, a command or another program wrote it before.
    Found,
    /// The client copied it before a change.
    Copy,
}

impl VersionOrigin {
    /// Its stable name: that of the tool, `found` or `copy`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tool(tool) => tool,
            Self::Found => "found",
            Self::Copy => "copy",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// Its number, from 1, the oldest first.
    pub number: usize,
    /// When it was there, in milliseconds since 1970.
    pub time: Option<i64>,
    /// The session that recorded it.
    pub session: SessionKey,
    /// The line of the session that it is from; `None` for one of a sub-agent.
    pub line: Option<usize>,
    /// How it came about.
    pub origin: VersionOrigin,
    pub content: VersionContent,
    /// What the tool replaced, and with what; known even if the content is not.
    pub replaced: Option<(String, String)>,
}

impl FileVersion {
    /// The bytes, if they are known.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            VersionContent::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// What it is, for people: the tool, `found`, `copied` or `not there`.
    pub fn label(&self) -> &'static str {
        match (&self.content, self.origin) {
            (VersionContent::Absent, _) => "not there",
            (_, VersionOrigin::Found) => "found",
            (_, VersionOrigin::Copy) => "copied",
            (_, VersionOrigin::Tool(tool)) => tool,
        }
    }

    /// The sha256 of the bytes, as hexadecimal digits: names a version whatever number it has.
    pub fn digest(&self) -> Option<String> {
        self.bytes().map(|bytes| hex(&sha256_bytes(bytes)))
    }
}

/// The versions of a file, oldest first. Versions that follow each other differ.
pub fn versions(sessions: &[Session], path: &Path) -> Vec<FileVersion> {
    let mut found = Vec::new();
    for session in sessions {
        let transcript = session.transcript();
        let line_of = |edit: &ToolEdit| edit.node.map(|node| transcript.node(node).line as usize);
        let own = edits(session, &transcript).into_iter().filter(|edit| edit.is_of(path));
        for edit in own {
            let line = line_of(&edit);
            let version = |origin, content| FileVersion {
                number: 0,
                time: edit.time,
                session: session.key.clone(),
                line,
                origin,
                content,
                replaced: None,
            };
            if let Some(before) = &edit.before {
                found.push(version(VersionOrigin::Found, VersionContent::Bytes(before.clone().into_bytes())));
            }
            let after = edit.after.clone().map(String::into_bytes);
            let content = after.map_or(VersionContent::Unrecorded, VersionContent::Bytes);
            let replaced = edit.replaced.as_ref().map(|(old, new, _)| (old.clone(), new.clone()));
            found.push(FileVersion { replaced, ..version(VersionOrigin::Tool(edit.tool), content) });
        }
        found.extend(backups::versions(session, &transcript, path));
    }
    // A stable sort: what an edit found stays before what it wrote.
    found.sort_by_key(|version| version.time);
    let mut versions: Vec<FileVersion> = Vec::new();
    for version in found {
        if !versions.last().is_some_and(|last| is_repeat(last, &version)) {
            versions.push(version);
        }
    }
    for (at, version) in versions.iter_mut().enumerate() {
        version.number = at + 1;
    }
    versions
}

/// Whether a version only says again what the one before it said.
fn is_repeat(last: &FileVersion, next: &FileVersion) -> bool {
    match (&last.content, &next.content) {
        (VersionContent::Bytes(last), VersionContent::Bytes(next)) => is_same(last, next),
        (VersionContent::Absent, VersionContent::Absent) => true,
        // Forks have copies of the same records.
        (VersionContent::Unrecorded, VersionContent::Unrecorded) => last.time == next.time,
        _ => false,
    }
}
