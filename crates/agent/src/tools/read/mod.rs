//! Read: shows a file to the model as numbered lines, an image, notebook cells, or a PDF document.

mod notebook;
mod pdf;
mod picture;
mod text;

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::answer::object;
use super::blocking::run_blocking;
use super::context::ToolContext;
use super::files::{FileError, FileTarget, TextFormat};
use super::input::Input;
use super::read_files::{Fingerprint, ReadExtent};
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;
pub(crate) use notebook::{cells_of, language_of};
use pdf::ranges::PageRanges;
pub use picture::{PromptImage, Thumbnail, prompt_image, thumbnail};
use text::LineRange;

/// Reads files.
pub struct Read {
    context: Arc<ToolContext>,
}

impl Read {
    /// The tool for this session.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    async fn read(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let path = input.words("file_path")?;
        let range = range_of(&input)?;
        let pages = pages_of(&input)?;
        let resolved = self.context.follow(&path, agreed)?;
        let not_there = || InputError(format!("File does not exist: {}", resolved.spelled.display()));
        let found = match FileTarget::of(&resolved.real).and_then(|place| place.read()) {
            Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
            Err(FileError::Folder(_)) => {
                return Err(InputError(format!(
                    "{} is a folder, not a file. List it with Bash (ls) or search it with Glob.",
                    resolved.spelled.display()
                )));
            }
            found => found.map_err(|error| InputError(error.to_string()))?,
        };
        let bytes = found.ok_or_else(not_there)?.bytes;
        let note = |extent| self.context.read_files.note(&resolved.real, Fingerprint::of(&bytes), extent);
        let spelled = resolved.spelled.display().to_string();
        if let Some(format) = picture::ImageFormat::of(&bytes) {
            return run_blocking(move |stop| picture::show(&bytes, format, stop)).await;
        }
        if bytes.starts_with(b"%PDF-") {
            return run_blocking(move |stop| pdf::show(&spelled, &bytes, pages.as_ref(), stop)).await;
        }
        let is_notebook = resolved.real.extension().is_some_and(|ending| ending == "ipynb");
        if is_notebook && let Some(outcome) = notebook::show(&spelled, &bytes) {
            note(ReadExtent::Whole);
            return outcome;
        }
        let (_, text) = TextFormat::read(&bytes).ok_or_else(|| {
            InputError(format!(
                "{spelled} is not a text file ({} bytes of binary data). Look at it with a program through Bash.",
                bytes.len()
            ))
        })?;
        let page = text::page(&text.replace("\r\n", "\n"), range)?;
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

/// The lines that are asked for.
fn range_of(input: &Input<'_>) -> Result<LineRange, InputError> {
    let range = LineRange { offset: input.count_if("offset")?, limit: input.count_if("limit")? };
    match range.limit {
        Some(0) => Err(InputError("The parameter `limit` must be at least 1.".to_owned())),
        _ => Ok(range),
    }
}

/// The page ranges of the parameter `pages`.
fn pages_of(input: &Input<'_>) -> Result<Option<PageRanges>, InputError> {
    let text = match input.value("pages") {
        // A single page may come as a number.
        Some(value) if value.count().is_some() => value.count().map(|page| page.to_string()),
        _ => input.text_if("pages")?,
    };
    PageRanges::read(&text.unwrap_or_default()).map_err(|error| InputError(error.to_string()))
}

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "Read",
            "Reads a file of this machine. Text comes with a line number and an arrow before each line; without offset and limit, the first 2000 lines. Lines longer than 2000 characters are cut. Images and notebooks are shown as such; large images are scaled down. A PDF of up to 10 pages is shown whole; for a longer one, `pages` selects pages. Folders cannot be read.",
        )
        .required("file_path", ParamType::Text, "Absolute path of the file")
        .optional("offset", ParamType::Count, "Number of the first line to read, from 1")
        .optional("limit", ParamType::Count, "How many lines to read")
        .optional("pages", ParamType::Text, "Pages of a PDF to show, at most 20, such as `3`, `1-5`, `2,4-6` or `10-`")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn forget(&self) {
        self.context.read_files.forget_all();
    }

    fn context(&self) -> Option<&ToolContext> {
        Some(&self.context)
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        range_of(&input)?;
        pages_of(&input)?;
        Ok(ToolRequest::Read(ReadTool::Read, input.words("file_path")?))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            self.read(input, call.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
