//! Helpers that build outcomes, the same for every tool.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

pub(crate) use annals_json::object;
use annals_json::write_string;

use super::{CallContext, InputError, Outcome, ToolContent, ToolFuture};
use crate::api::usage::Usage;
use crate::protocol::ToolProgress;

/// The answer to a side request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply<R> {
    /// The answer.
    pub said: R,
    /// The model that answered.
    pub model: String,
    /// The token counts of its responses.
    pub usage: Vec<Usage>,
}

/// A running side request.
pub type ReplyFuture<'a, R> = Pin<Box<dyn Future<Output = Result<Reply<R>, String>> + Send + 'a>>;

impl<R> Reply<R> {
    /// Reports the usage and returns the answer.
    pub(crate) fn counted(self, call: &CallContext<'_>) -> R {
        for usage in self.usage {
            (call.tell)(ToolProgress::Usage { model: self.model.clone(), usage });
        }
        self.said
    }
}

impl Outcome {
    /// A text for the model, and the `toolUseResult` for the session.
    pub fn text(text: impl Into<String>, kept: Vec<u8>) -> Self {
        Self { shown: ToolContent::Text(text.into()), kept, ..Self::default() }
    }

    /// A call that was not carried out.
    pub fn refused(why: impl AsRef<str>) -> Self {
        let why = why.as_ref();
        Self::failed(format!("<tool_use_error>{why}</tool_use_error>"), why)
    }

    /// A call that failed: the text for the model, and the one for the session.
    pub fn failed(shown: impl Into<String>, kept: &str) -> Self {
        let mut json = Vec::new();
        write_string(&mut json, &format!("Error: {kept}"));
        Self { shown: ToolContent::Text(shown.into()), is_error: true, kept: json, ..Self::default() }
    }

    /// Adds a file that was changed.
    pub(crate) fn changing(mut self, path: PathBuf) -> Self {
        self.changed.push(path);
        self
    }
}

/// A call that completes immediately.
pub(crate) fn at_once<'t>(work: impl FnOnce() -> Result<Outcome, InputError> + Send + 't) -> ToolFuture<'t> {
    Box::pin(async move { work().unwrap_or_else(|error| Outcome::refused(error.0)) })
}
