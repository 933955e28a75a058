//! Outcomes, made the same way by every tool.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;

pub(crate) use annals_json::object;
use annals_json::write_string;

use super::{InputError, Outcome, Running, Scene, Shown, Told};
use crate::api::usage::Usage;

/// What a request beside the conversation gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply<R> {
    /// What was said.
    pub said: R,
    /// The model that answered.
    pub model: String,
    /// What each of its responses counted.
    pub usage: Vec<Usage>,
}

/// A request beside the conversation that is not answered yet.
pub type Replying<'a, R> = Pin<Box<dyn Future<Output = Result<Reply<R>, String>> + Send + 'a>>;

impl<R> Reply<R> {
    /// Has it counted, and gives what was said.
    pub(crate) fn counted(self, scene: &Scene<'_>) -> R {
        for usage in self.usage {
            (scene.tell)(Told::Counted { model: self.model.clone(), usage });
        }
        self.said
    }
}

impl Outcome {
    /// A text for the model, and what the session keeps of it.
    pub fn text(text: impl Into<String>, kept: Vec<u8>) -> Self {
        Self { shown: Shown::Text(text.into()), is_error: false, kept, changed: Vec::new() }
    }

    /// A call that was not carried out, because of what it asks or of what it met.
    pub fn refused(why: impl AsRef<str>) -> Self {
        let why = why.as_ref();
        Self::failed(format!("<tool_use_error>{why}</tool_use_error>"), why)
    }

    /// A call that was carried out and failed: what the model sees, and what the session keeps of it.
    pub fn failed(shown: impl Into<String>, kept: &str) -> Self {
        let mut json = Vec::new();
        write_string(&mut json, &format!("Error: {kept}"));
        Self { shown: Shown::Text(shown.into()), is_error: true, kept: json, changed: Vec::new() }
    }

    /// The same, with a file that was changed.
    pub(crate) fn changing(mut self, path: PathBuf) -> Self {
        self.changed.push(path);
        self
    }
}

/// A call that is answered at once.
pub(crate) fn at_once<'t>(work: impl FnOnce() -> Result<Outcome, InputError> + Send + 't) -> Running<'t> {
    Box::pin(async move { work().unwrap_or_else(|error| Outcome::refused(error.0)) })
}
