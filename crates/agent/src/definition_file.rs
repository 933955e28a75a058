//! Files that define commands, skills, sub-agents and output styles: how they are read. A project's files must not lead out of it.

use std::fs;
use std::path::{Path, PathBuf};

use annals_policy::paths::{Disk, FileKind, resolve};

const MAX_BYTES: u64 = 256 << 10;

/// Reads a regular file that must stay within a folder.
pub(crate) fn read_text(path: &Path, within: Option<&Path>) -> Result<String, String> {
    let (real, kind) = resolve_within(path, within)?;
    let size = || fs::metadata(&real).map_or(u64::MAX, |metadata| metadata.len());
    // Reading anything but a regular file may block.
    if kind != FileKind::File || size() > MAX_BYTES {
        return Err("it is not a regular file, or larger than 256 KiB".to_owned());
    }
    fs::read_to_string(&real).map_err(|error| error.to_string())
}

/// Resolves a path that must stay within a folder.
pub(crate) fn resolve_within(path: &Path, within: Option<&Path>) -> Result<(PathBuf, FileKind), String> {
    let resolved = resolve(&Disk, Path::new("/"), path).map_err(|error| error.to_string())?;
    if within.is_some_and(|within| !resolved.real.starts_with(within)) {
        return Err("it is outside the project".to_owned());
    }
    Ok((resolved.real, resolved.kind))
}
