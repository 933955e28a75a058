//! `history.jsonl`: every prompt typed, with its pastes; long pastes are stored in `paste-cache/`.

mod write;

use std::borrow::Cow;
use std::ops::ControlFlow;

use annals_json::{Fields, Text};
use annals_transcript::id::SessionId;
use annals_transcript::line::Line;
use annals_transcript::objects::read_objects;
use annals_transcript::record_lines::RecordSplitter;

use crate::layout::ConfigDir;
use crate::problem::FileProblem;
use crate::read::{ReadError, stream_records_of};
use annals_transcript::view::views;

pub use write::{NewPrompt, append, paste_hash};

views! {
    /// One prompt.
    HistoryEntry {
        /// The prompt as it was shown, pastes shortened to a mark.
        display: Text<'a> = "display";
        /// Pastes by their number: see [`Paste`].
        pasted_contents: Fields<'a> = "pastedContents";
        /// When, in milliseconds since 1970.
        timestamp: f64 = "timestamp";
        /// The working directory.
        project: Text<'a> = "project";
        /// The session; early versions do not say.
        session: SessionId<'a> = "sessionId";
    }

    /// Text that was pasted into a prompt: in the entry itself, or in a file that it names.
    Paste {
        /// Its number.
        id: u64 = "id";
        /// `text`, `image`.
        kind: Text<'a> = "type";
        /// The text of a short paste.
        content: Text<'a> = "content";
        /// The file name of a long paste in `paste-cache/`.
        content_hash: Text<'a> = "contentHash";
        /// The media type of an image.
        media_type: Text<'a> = "mediaType";
        file_name: Text<'a> = "filename";
    }
}

impl<'a> HistoryEntry<'a> {
    /// When, in whole milliseconds since 1970.
    pub fn millis(&self) -> Option<i64> {
        self.timestamp().map(|number| number as i64)
    }

    /// The pastes, with the number under which the prompt mentions each.
    pub fn pastes(&self) -> Vec<(Text<'a>, Paste<'a>)> {
        let pastes = self.pasted_contents();
        let of_field = |field: annals_json::Field<'a>| Some((field.key, Paste::new(field.value.fields()?)));
        pastes.iter().flat_map(|fields| fields.iter()).filter_map(of_field).collect()
    }
}

impl<'a> Paste<'a> {
    /// The text: inline, else from `paste-cache/`; `None` where the entry has neither.
    pub fn text(&self, config: &ConfigDir) -> Result<Option<Cow<'a, str>>, ReadError> {
        if let Some(content) = self.content() {
            return Ok(Some(content.decode()));
        }
        let Some(hash) = self.content_hash().map(Text::decode).filter(|hash| is_plain_name(hash)) else {
            return Ok(None);
        };
        let bytes = config.read(&config.paste(&hash))?;
        Ok(Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())))
    }
}

/// A name from a file is part of a path only if it cannot lead elsewhere.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Passes on every prompt, oldest first, in bounded memory; unreadable lines become problems. A store without a history has
/// no prompts.
pub fn stream_history(
    config: &ConfigDir,
    mut each: impl FnMut(&Line<'_>, HistoryEntry<'_>) -> ControlFlow<()>,
) -> Result<Vec<FileProblem>, ReadError> {
    let path = config.history();
    let mut problems = Vec::new();
    let fail = |error| ReadError::new(&path, error);
    let file = match config.open(&path).map_err(fail) {
        Ok(file) => file,
        Err(ReadError::NotFound { .. }) => return Ok(problems),
        Err(error) => return Err(error),
    };
    let read = stream_records_of(file, RecordSplitter::new(), |line| {
        let mut flow = ControlFlow::Continue(());
        read_objects(
            &line,
            |fields, _| {
                if flow.is_continue() {
                    flow = each(&line, HistoryEntry::new(fields));
                }
            },
            |problem| problems.push(FileProblem::new(&path, problem)),
        );
        flow
    });
    read.map_err(fail)?;
    Ok(problems)
}
