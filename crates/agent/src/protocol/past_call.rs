//! Calls of the past, as the session records them.

use std::path::PathBuf;

/// A call whose result is in the context of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastCall {
    /// The name of the tool.
    pub tool: String,
    /// The input, as the model wrote it; empty if the client made the call for a prompt.
    pub input: Vec<u8>,
    /// `toolUseResult`: JSON, or empty if the session has none.
    pub kept: Vec<u8>,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// When the result was recorded, in milliseconds since 1970.
    pub millis: Option<i64>,
}
