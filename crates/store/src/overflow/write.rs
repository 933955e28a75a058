//! Writes outputs too large for their line: all of it into a separate file, and a preview for the line.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::SAVED_TO;
use crate::files::{PlainName, WriteError, create_file, create_folder, new_file, sync_folder};
use crate::read::{open_file, read_below};

/// A shell output of more UTF-16 units than this is saved to a separate file.
pub const MAX_SHELL_OUTPUT: usize = 30_000;
/// How many characters of it the model sees at once.
const PREVIEW: usize = 2_000;

/// An output that was saved to a separate file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedOutput {
    /// The file.
    pub path: PathBuf,
    /// The preview for the record.
    pub preview: String,
}

/// Whether a shell's output is too large for its line.
pub fn is_too_large(output: &str) -> bool {
    output.len() > MAX_SHELL_OUTPUT && output.encode_utf16().count() > MAX_SHELL_OUTPUT
}

/// Saves an output to `<session>/tool-results/<id>.txt` and returns the preview that names it.
///
/// `folder` is the session's path without its extension, and absolute: other programs read the preview. The file is synced
/// when this returns. An existing output with the same id and other content is never overwritten.
pub fn save(folder: &Path, id: &str, bytes: &[u8]) -> Result<SavedOutput, WriteError> {
    let id = PlainName::new(id, "the id of an output")?;
    let path = folder.join("tool-results").join(format!("{id}.txt"));
    match create_file(&path, bytes) {
        Err(WriteError::Exists { .. }) if read_below(folder, &path).is_ok_and(|there| there == bytes) => {}
        made => made?,
    }
    let preview = preview(&path, bytes, bytes.len() as u64);
    Ok(SavedOutput { path, preview })
}

/// The same for an output in a file of any size: it is copied in chunks.
pub fn save_file(folder: &Path, id: &str, from: &Path) -> Result<SavedOutput, WriteError> {
    let id = PlainName::new(id, "the id of an output")?;
    let results = folder.join("tool-results");
    let path = results.join(format!("{id}.txt"));
    create_folder(&results)?;
    let mut source = open_file(from).map_err(WriteError::at(from))?;
    let mut head = Vec::new();
    Read::by_ref(&mut source)
        .take(PREVIEW as u64 * 4)
        .read_to_end(&mut head)
        .map_err(WriteError::at(from))?;
    let mut file = new_file(&path).map_err(WriteError::at(&path))?;
    let rest = file.write_all(&head).and_then(|()| io::copy(&mut source, &mut file));
    let length =
        rest.and_then(|rest| file.sync_all().map(|()| head.len() as u64 + rest)).map_err(|error| {
            // A partial output is useless; the next try starts over.
            let _ = fs::remove_file(&path);
            WriteError::new(&path, error)
        })?;
    sync_folder(&results)?;
    let preview = preview(&path, &head, length);
    Ok(SavedOutput { path, preview })
}

fn preview(path: &Path, bytes: &[u8], length: u64) -> String {
    // A character has at most four bytes: no more needs decoding.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(PREVIEW * 4)]);
    let head: String = text.chars().take(PREVIEW).collect();
    format!(
        "<persisted-output>\nThis output has {length} bytes. {SAVED_TO}{}\n\nIt begins (first {PREVIEW} characters):\n{head}\n</persisted-output>",
        path.display(),
    )
}
