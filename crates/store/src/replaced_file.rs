//! The result of replacing a side file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::{WriteError, replace_file};

/// A file that was replaced or made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplacedFile {
    /// The file.
    pub path: PathBuf,
    /// The old size; zero if the file did not exist.
    pub bytes_before: u64,
    /// How long it is.
    pub bytes_after: u64,
}

/// Replaces a file and returns its size before and after.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<ReplacedFile, WriteError> {
    let bytes_before = fs::metadata(path).map_or(0, |metadata| metadata.len());
    replace_file(path, bytes)?;
    Ok(ReplacedFile { path: path.to_path_buf(), bytes_before, bytes_after: bytes.len() as u64 })
}
