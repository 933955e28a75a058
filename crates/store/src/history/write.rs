//! Writes the prompt history: one line per prompt, under the client's lock, long pastes in separate files.

use annals_json::ObjectWriter;

use crate::digest::short;
use crate::files::{
    AppendFile, AppendedLine, FolderLock, LockError, WriteError, create_file, create_folder, replace_file,
};
use crate::key::SessionKey;
use crate::layout::ConfigDir;

use crate::source::Clock;

/// Pastes of more UTF-16 units than this are kept in `paste-cache/`.
const MAX_INLINE_UNITS: usize = 1024;
/// How long to wait for the lock, in milliseconds.
const LOCK_TIMEOUT_MS: u64 = 5_000;

/// A prompt to be noted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewPrompt<'p> {
    /// The prompt as it was shown, pastes shortened to a mark.
    pub display: &'p str,
    /// The texts that were pasted, each with the number under which the prompt mentions it.
    pub pastes: Vec<(u32, &'p str)>,
    /// When, in milliseconds since 1970.
    pub millis: i64,
    /// The working directory.
    pub project: &'p str,
    /// The session that the prompt was typed in.
    pub session: &'p SessionKey,
}

impl<'p> NewPrompt<'p> {
    /// A prompt without pastes.
    pub fn new(display: &'p str, project: &'p str, session: &'p SessionKey, millis: i64) -> Self {
        Self { display, pastes: Vec::new(), millis, project, session }
    }
}

/// The name of a long paste's file: the beginning of the sha256 of its text.
pub fn paste_hash(text: &str) -> String {
    short(text.as_bytes())
}

/// Appends a prompt to `history.jsonl`; it is on the disk when this returns.
///
/// A long paste is on the disk before the line that names it, so a crash leaves at most an unused paste.
pub fn append(
    config: &ConfigDir,
    prompt: &NewPrompt<'_>,
    clock: &(impl Clock + ?Sized),
) -> Result<AppendedLine, LockError> {
    create_folder(config.path())?;
    for (_, text) in prompt.pastes.iter().filter(|(_, text)| is_long(text)) {
        keep_paste(config, text)?;
    }
    let _lock = FolderLock::take(&config.history_lock(), clock, LOCK_TIMEOUT_MS)?;
    let path = config.history();
    let mut file = match AppendFile::create(&path) {
        Err(WriteError::Exists { .. }) => AppendFile::existing(path),
        made => made?,
    };
    let placed = file.append(&line(prompt))?;
    file.sync()?;
    Ok(placed)
}

fn is_long(text: &str) -> bool {
    text.encode_utf16().count() > MAX_INLINE_UNITS
}

fn line(prompt: &NewPrompt<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("display", prompt.display);
    object.object("pastedContents", |pastes| {
        for (number, text) in &prompt.pastes {
            pastes.object(&number.to_string(), |paste| {
                paste.number("id", *number).string("type", "text");
                match is_long(text) {
                    true => paste.string("contentHash", &paste_hash(text)),
                    false => paste.string("content", text),
                };
            });
        }
    });
    object.number("timestamp", prompt.millis).string("project", prompt.project);
    object.string("sessionId", prompt.session.as_str());
    object.end();
    out
}

fn keep_paste(config: &ConfigDir, text: &str) -> Result<(), WriteError> {
    let path = config.paste(&paste_hash(text));
    match create_file(&path, text.as_bytes()) {
        // The name is a hash of the content; only a torn copy differs.
        Err(WriteError::Exists { .. }) if config.read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) => {
            Ok(())
        }
        Err(WriteError::Exists { .. }) => replace_file(&path, text.as_bytes()),
        made => made,
    }
}
