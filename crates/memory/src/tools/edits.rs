//! `rename_session` and `tag_session`: there if the server was started with `--allow-changes`.

use super::schema::Parameter;
use super::{Tool, ToolGroup};
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::memory::{Memory, MemoryStore, SessionEdit};

/// A title or a tag has no more bytes.
const MAX_BYTES: usize = 200;

pub(super) const RENAME: Tool = Tool {
    name: "rename_session",
    title: "Rename a session",
    description: "Sets the title of a session. The result says how to revert it.",
    parameters: &[
        Parameter::required("session", "Its id, or \"current\""),
        Parameter::required("title", "The new title"),
    ],
    group: ToolGroup::Changes,
};

pub(super) const TAG: Tool = Tool {
    name: "tag_session",
    title: "Tag a session",
    description: "Sets the tag of a session. The result says how to revert it.",
    parameters: &[
        Parameter::required("session", "Its id, or \"current\""),
        Parameter::required("tag", "One word"),
    ],
    group: ToolGroup::Changes,
};

pub(super) fn rename<S: MemoryStore>(memory: &Memory<S>, arguments: &Arguments) -> Result<String, ToolError> {
    let title = value(arguments, "title")?;
    let session = memory.session_named(&arguments.required("session")?)?;
    memory.edit(&session, SessionEdit::Rename(&title))
}

pub(super) fn tag<S: MemoryStore>(memory: &Memory<S>, arguments: &Arguments) -> Result<String, ToolError> {
    let tag = value(arguments, "tag")?;
    let session = memory.session_named(&arguments.required("session")?)?;
    memory.edit(&session, SessionEdit::Tag(&tag))
}

fn value(arguments: &Arguments, key: &str) -> Result<String, ToolError> {
    let value = arguments.required(key)?;
    match value.len() <= MAX_BYTES && !value.contains(char::is_control) {
        true => Ok(value),
        false => Err(ToolError::Argument(format!("{key} must be one line of at most {MAX_BYTES} bytes"))),
    }
}
