//! Tool outputs too large for their line: the file that a record names, and its current path.

mod inline;
mod write;

use std::path::{Path, PathBuf};

use annals_json::Fields;
use annals_transcript::problem::{Problem, ProblemKind};
use annals_transcript::record::{Record, User};
use annals_transcript::transcript::Transcript;

use crate::read::{ReadError, read_below};

pub use inline::{own_file, session_folder, with_outputs, with_own_outputs};
pub use write::{MAX_SHELL_OUTPUT, SavedOutput, is_too_large, save, save_file};

/// The words before the path in the preview that the model sees.
const SAVED_TO: &str = "Full output saved to: ";

/// The paths that a user line names: `persistedOutputPath` of its result, or the preview's own words.
pub fn named_paths(user: &User<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let result = user.tool_use_result_value().and_then(|value| value.fields());
    let persisted = |fields: &Fields<'_>| Some(fields.text("persistedOutputPath")?.decode().into_owned());
    found.extend(result.as_ref().and_then(persisted));
    if let Some(text) = user.tool_result().and_then(|result| result.content()?.first_text()) {
        // The marker is in the first lines; a long preview need not be decoded.
        let head = text.head(2000);
        if head.starts_with("<persisted-output>")
            && let Some((_, after)) = head.split_once(SAVED_TO)
        {
            let path = after.lines().next().unwrap_or_default().trim();
            if !path.is_empty() && !found.iter().any(|known| known == path) {
                found.push(path.to_owned());
            }
        }
    }
    found
}

/// Where an overflow file was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverflowFile {
    /// In the session's own `tool-results/`.
    OfSession(PathBuf),
    /// At the recorded path, outside the session's folder: the session was copied or moved.
    AsNamed(PathBuf),
}

impl OverflowFile {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::OfSession(path) | Self::AsNamed(path) => path,
        }
    }

    /// All of it.
    pub fn read(&self) -> Result<Vec<u8>, ReadError> {
        match self {
            // Neither the file nor its folder leads elsewhere.
            Self::OfSession(path) | Self::AsNamed(path) => {
                let root = path.ancestors().nth(2).unwrap_or(path);
                read_below(root, path)
            }
        }
    }
}

/// The overflow files that the records of a session name and that are nowhere, each at the record that names it.
pub fn missing(transcript: &Transcript<'_>, folder: &Path) -> Vec<Problem> {
    let mut found = Vec::new();
    for (index, record) in transcript.records() {
        let Record::User(user) = record else { continue };
        for named in named_paths(&user) {
            if resolve_in(folder, &named).is_none() {
                let node = transcript.node(index);
                found.push(node.problem(ProblemKind::MissingOverflow).with_detail(named));
            }
        }
    }
    found
}

/// Finds the file that a record names, which may be a path of another machine: first by name in the session's
/// `tool-results/`, then at the recorded path. Only paths inside a `tool-results/` folder are followed: a record must not
/// expose arbitrary files. `folder` is the session's path without its ending.
pub fn resolve_in(folder: &Path, named: &str) -> Option<OverflowFile> {
    let mut parts = named.rsplit(['/', '\\']);
    let name = parts.next().filter(|name| !name.is_empty() && *name != "." && *name != "..")?;
    let own = folder.join("tool-results").join(name);
    if is_plain(&own) {
        return Some(OverflowFile::OfSession(own));
    }
    let elsewhere = PathBuf::from(named);
    let is_overflow = parts.next() == Some("tool-results") && elsewhere.is_absolute() && is_plain(&elsewhere);
    is_overflow.then_some(OverflowFile::AsNamed(elsewhere))
}

/// Whether it is a file, and neither it nor its folder is a link.
fn is_plain(path: &Path) -> bool {
    path.parent().is_some_and(|folder| !folder.is_symlink()) && !path.is_symlink() && path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
        assert_eq!(named_paths(&User::new(fields)), expected);
    }

    #[test]
    fn both_places_name_the_file_once() {
        let preview = r"<persisted-output>\nOutput too large (35.8KB). Full output saved to: /c/tool-results/b.txt\n\nPreview";
        let block = format!(r#"{{"content":[{{"type":"tool_result","content":"{preview}"}}]}}"#);
        check(&format!(r#"{{"message":{block}}}"#), &["/c/tool-results/b.txt"]);
        let result = r#"{"persistedOutputPath":"/c/tool-results/b.txt"}"#;
        check(&format!(r#"{{"message":{block},"toolUseResult":{result}}}"#), &["/c/tool-results/b.txt"]);
        check(r#"{"message":{"content":"Full output saved to: /x"}}"#, &[]);
    }
}
