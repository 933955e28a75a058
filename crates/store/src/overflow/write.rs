//! Outputs too large for their line, written: the whole in a file of its own, and a preview for the line.

use std::path::{Path, PathBuf};

use super::SAVED_TO;
use crate::files::{PlainName, WriteError, create_file};
use crate::read::read_file;

/// A shell's output of more UTF-16 units than this goes to a file of its own.
pub const MOST_OF_SHELL: usize = 30_000;
/// How many characters of it the model sees at once.
const PREVIEW: usize = 2_000;

/// An output that was put into a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overflowing {
    /// The file.
    pub path: PathBuf,
    /// What the line says instead.
    pub preview: String,
}

/// Whether a shell's output is too large for its line.
pub fn is_too_large(output: &str) -> bool {
    output.len() > MOST_OF_SHELL && output.encode_utf16().count() > MOST_OF_SHELL
}

/// Puts an output into `<session>/tool-results/<id>.txt` and makes the preview that names it.
///
/// `folder` is the session's path without its ending, and absolute: the preview is read by others. The file is on the disk
/// when this returns. An output of this id that says something else is never overwritten.
pub fn keep(folder: &Path, id: &str, bytes: &[u8]) -> Result<Overflowing, WriteError> {
    let id = PlainName::new(id, "the id of an output")?;
    let path = folder.join("tool-results").join(format!("{id}.txt"));
    match create_file(&path, bytes) {
        Err(WriteError::Exists { .. }) if read_file(&path).is_ok_and(|there| there == bytes) => {}
        made => made?,
    }
    let preview = preview(&path, bytes);
    Ok(Overflowing { path, preview })
}

fn preview(path: &Path, bytes: &[u8]) -> String {
    // Four bytes make the longest character: no more than that is worth decoding.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(PREVIEW * 4)]);
    let head: String = text.chars().take(PREVIEW).collect();
    format!(
        "<persisted-output>\nThis output has {} bytes. {SAVED_TO}{}\n\nIt begins (first {PREVIEW} characters):\n{head}\n</persisted-output>",
        bytes.len(),
        path.display(),
    )
}
