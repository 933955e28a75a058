//! Read: a file as the model can take it in: numbered lines, a picture, the cells of a notebook, a document.

mod base64;
mod notebook;
mod pdf;
mod picture;
mod text;

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::answer::object;
use super::files::{Form, Place, PlaceError};
use super::ground::Ground;
use super::input::Input;
use super::seen::{Extent, Print};
use super::spec::{Holds, Spec};
use super::stop::beside;
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;
pub(crate) use notebook::{cells_of, language_of};
use pdf::ranges::Ranges;
use text::Span;

/// Reads files.
pub struct Read {
    ground: Arc<Ground>,
}

impl Read {
    /// On this ground.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self { ground }
    }

    async fn read(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let path = input.words("file_path")?;
        let span = Span { offset: input.count_if("offset")?, limit: input.count_if("limit")? };
        let pages = pages_of(&input)?;
        let resolved = self.ground.follow(&path, agreed)?;
        let not_there = || InputError(format!("File does not exist: {}", resolved.spelled.display()));
        let found = match Place::of(&resolved.real).and_then(|place| place.read()) {
            Err(PlaceError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
            Err(PlaceError::Folder(_)) => {
                return Err(InputError(format!(
                    "{} is a folder, not a file. List it with Bash (ls) or search it with Glob.",
                    resolved.spelled.display()
                )));
            }
            found => found.map_err(|error| InputError(error.to_string()))?,
        };
        let bytes = found.ok_or_else(not_there)?.bytes;
        let note = |extent| self.ground.seen.note(&resolved.real, Print::of(&bytes), extent);
        let spelled = resolved.spelled.display().to_string();
        if let Some(kind) = picture::Kind::of(&bytes) {
            return beside(move |stop| picture::show(&bytes, kind, stop)).await;
        }
        if bytes.starts_with(b"%PDF-") {
            return beside(move |stop| pdf::show(&spelled, &bytes, pages.as_ref(), stop)).await;
        }
        let is_notebook = resolved.real.extension().is_some_and(|ending| ending == "ipynb");
        if is_notebook && let Some(outcome) = notebook::show(&spelled, &bytes) {
            note(Extent::Whole);
            return outcome;
        }
        let (_, text) = Form::read(&bytes).ok_or_else(|| {
            InputError(format!(
                "{spelled} is not a text ({} bytes that are no letters). Look at it with a program through Bash.",
                bytes.len()
            ))
        })?;
        let page = text::page(&text.replace("\r\n", "\n"), span)?;
        if let Some(extent) = page.extent {
            note(extent);
        }
        let kept = object(|kept| {
            kept.string("type", "text").object("file", |file| {
                file.string("filePath", &spelled).string("content", &page.content);
                file.number("numLines", page.lines as u64).number("startLine", page.first as u64);
                file.number("totalLines", page.total as u64);
            });
        });
        Ok(Outcome::text(page.shown, kept))
    }
}

/// The pages that are asked for, by `pages`.
fn pages_of(input: &Input<'_>) -> Result<Option<Ranges>, InputError> {
    let text = match input.value("pages") {
        // A single page may come as a number.
        Some(value) if value.count().is_some() => value.count().map(|page| page.to_string()),
        _ => input.text_if("pages")?,
    };
    Ranges::read(&text.unwrap_or_default()).map_err(|error| InputError(error.to_string()))
}

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "Read",
            "Reads a file of this machine. A text comes with the number of each line and an arrow before it; without offset and limit the first 2000 lines. Lines of more than 2000 letters are cut. Pictures and notebooks are shown as such; large pictures are scaled down. A PDF of up to 10 pages is shown whole; of a longer one `pages` says which. It does not read folders.",
        )
        .needs("file_path", Holds::Text, "Absolute path of the file")
        .may("offset", Holds::Count, "Number of the first line to read, from 1")
        .may("limit", Holds::Count, "How many lines to read")
        .may("pages", Holds::Text, "Of a PDF: the pages to show, at most 20, such as `3`, `1-5`, `2,4-6` or `10-`")
        .build()
    }

    fn order(&self) -> Order {
        Order::Beside
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        let input = Input::of(input);
        input.count_if("offset")?;
        input.count_if("limit")?;
        pages_of(&input)?;
        Ok(Asked::Read(ReadTool::Read, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(async move {
            self.read(input, scene.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
