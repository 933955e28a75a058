//! WebFetch: fetches a page of the public internet and answers a question about it with a small model.
//!
//! A page is untrusted text: it reaches the model only as the result of a tool.

mod address;
mod html;
mod web;

use std::time::Instant;

use annals_json::Fields;

use super::answer::object;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, ReplyFuture, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
pub use address::FetchScope;
pub use html::to_markdown;
use web::{FetchOutcome, FetchedPage, PageFetcher};
pub use web::{Resolver, SystemResolver, WebSettings};

/// The most characters of a page that a model is given.
const MAX_PAGE_CHARS: usize = 100_000;

/// Answers a question about a page: one call of a small model.
pub trait PageReader: Send + Sync {
    /// Answers the prompt from the page.
    fn read<'a>(&'a self, page: &'a str, prompt: &'a str) -> ReplyFuture<'a, String>;
}

/// Fetches pages.
pub struct WebFetch<'a> {
    web: PageFetcher,
    reader: Box<dyn PageReader + 'a>,
}

impl<'a> WebFetch<'a> {
    /// The tool with these settings and this reader.
    pub fn new(settings: WebSettings, reader: Box<dyn PageReader + 'a>) -> Self {
        Self { web: PageFetcher::new(settings), reader }
    }

    async fn fetch(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let (url, prompt) = (input.words("url")?, input.words("prompt")?);
        let began = Instant::now();
        let fetched = self.web.fetch(&url).await.map_err(|error| InputError(error.to_string()))?;
        let page = match fetched {
            FetchOutcome::FetchedPage(page) => page,
            FetchOutcome::Elsewhere { from, to, code } => {
                let said = format!(
                    "The page has moved to another host.\nFrom: {from}\nTo: {to}\nStatus: {code}\nThe redirect was not followed. To go there, fetch the new URL."
                );
                return Ok(outcome(&url, code, "Redirect", 0, &said, began));
            }
        };
        if !(200..300).contains(&page.code) {
            let said = format!("Request failed with status code {}", page.code);
            return Ok(Outcome::failed(said.clone(), &said));
        }
        let text = text_of(&page)?;
        match self.reader.read(&text, &prompt).await {
            Ok(reply) => {
                let answer = reply.counted(call);
                Ok(outcome(&url, page.code, &page.code_text, page.bytes.len(), &answer, began))
            }
            Err(why) => {
                Ok(Outcome::failed(format!("The page was fetched but could not be read: {why}"), &why))
            }
        }
    }
}

fn outcome(url: &str, code: u16, code_text: &str, bytes: usize, result: &str, began: Instant) -> Outcome {
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let kept = object(|kept| {
        kept.number("bytes", bytes as u64).number("code", code).string("codeText", code_text);
        kept.string("result", result).number("durationMs", took).string("url", url);
    });
    Outcome::text(result, kept)
}

/// The text of a page, as the model reads it.
fn text_of(page: &FetchedPage) -> Result<String, InputError> {
    let kind = page.content_type.split(';').next().unwrap_or_default().trim();
    let is_text = kind.is_empty()
        || kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "x-sh"].iter().any(|word| kind.contains(word));
    if !is_text || memchr::memchr(0, &page.bytes).is_some() {
        return Err(InputError(format!("{} is not text but {kind} ({} bytes).", page.url, page.bytes.len())));
    }
    let latin = page.content_type.contains("iso-8859-1") || page.content_type.contains("windows-1252");
    let text: String = match std::str::from_utf8(&page.bytes) {
        Ok(text) => text.to_owned(),
        Err(_) if latin => page.bytes.iter().map(|byte| char::from(*byte)).collect(),
        Err(_) => String::from_utf8_lossy(&page.bytes).into_owned(),
    };
    let text = if kind.contains("html") { to_markdown(&text) } else { text };
    Ok(match text.char_indices().nth(MAX_PAGE_CHARS) {
        Some((end, _)) => format!("{}\n\n[cut: the page is longer]", &text[..end]),
        None => text,
    })
}

impl Tool for WebFetch<'_> {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "WebFetch",
            "Fetches a public web page over https and answers a question about it. A redirect to another host is reported, not followed. Pages are cached for 15 minutes. Pages behind a login cannot be fetched.",
        )
        .required("url", ParamType::Text, "The full URL")
        .required("prompt", ParamType::Text, "What to find out from the page")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        input.words("prompt")?;
        let url = self.web.parse(&input.words("url")?).map_err(|error| InputError(error.to_string()))?;
        // The parsed address is the one that is approved.
        Ok(ToolRequest::WebFetch(url.into()))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.fetch(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
