//! Outputs too large for their line, put back into it: the record has a preview, and a file of the session has the whole.

use std::path::{Path, PathBuf};

use annals_json::Fields;
use annals_json::edit::{EditError, Editor, PathStep};
use annals_transcript::content::Block;
use annals_transcript::record::{RecordKind, User};
use annals_transcript::record_lines::record_lines;
use memchr::memmem::Finder;

use super::{OverflowFile, named_paths, resolve_in};
use crate::parallel;

/// Occurs in every line that names such a file.
const FOLDER: &[u8] = b"tool-results";

/// Returns the lines of the session or sub-agent at this path with their outputs whole, as far as the files are there.
pub fn with_outputs(bytes: Vec<u8>, path: &Path) -> Vec<u8> {
    with_found_outputs(bytes, path, resolve_in)
}

/// The same with outputs in the session's own folder only: for sessions of others, whose records must not name files of this
/// machine.
pub fn with_own_outputs(bytes: Vec<u8>, path: &Path) -> Vec<u8> {
    with_found_outputs(bytes, path, own_file)
}

/// Finds the file that a record names, if it is in the session's folder.
pub fn own_file(folder: &Path, named: &str) -> Option<OverflowFile> {
    resolve_in(folder, named).filter(|file| matches!(file, OverflowFile::OfSession(_)))
}

/// Finds the file that a record names in the folder of its session.
type FindOutput = fn(&Path, &str) -> Option<OverflowFile>;

fn with_found_outputs(bytes: Vec<u8>, path: &Path, find: FindOutput) -> Vec<u8> {
    let finder = Finder::new(FOLDER);
    if !parallel::contains(&bytes, &finder) {
        return bytes;
    }
    let folder = session_folder(path);
    let mut out = Vec::with_capacity(bytes.len());
    for line in record_lines(&bytes) {
        let (raw, body) = (line.raw(), line.body());
        let whole = if finder.find(body).is_some() { with_output(body, &folder, find) } else { None };
        match whole {
            Some(whole) => {
                out.extend_from_slice(&whole);
                out.extend_from_slice(raw.strip_prefix(body).unwrap_or(b"\n"));
            }
            None => out.extend_from_slice(raw),
        }
    }
    out
}

/// The folder of the session that a file belongs to: sub-agents keep their outputs with those of their session.
pub fn session_folder(path: &Path) -> PathBuf {
    let is_agents = |folder: &&Path| folder.file_name().is_some_and(|name| name == "subagents");
    match path.ancestors().find(is_agents).and_then(Path::parent) {
        Some(folder) => folder.to_path_buf(),
        None => path.with_extension(""),
    }
}

fn with_output(line: &[u8], folder: &Path, find: FindOutput) -> Option<Vec<u8>> {
    let (fields, _) = Fields::scan(line).ok()?;
    if RecordKind::of(fields.text("type")) != RecordKind::User {
        return None;
    }
    let user = User::new(fields);
    let file = named_paths(&user).iter().find_map(|named| find(folder, named))?;
    let text = file.read().ok()?;
    let at = user.content().blocks().position(|block| matches!(block, Block::ToolResult(_)))?;
    put(line, at, &String::from_utf8_lossy(&text)).ok()
}

fn put(line: &[u8], at: usize, text: &str) -> Result<Vec<u8>, EditError> {
    let place =
        [PathStep::Key("message"), PathStep::Key("content"), PathStep::Item(at), PathStep::Key("content")];
    let mut editor = Editor::new(line)?;
    editor.replace_string(&place, text)?;
    editor.finish()
}
