//! PDF documents: sent whole if they are short, otherwise the requested pages as a smaller PDF, since the API reads text and
//! images of a page best. Only pages that are too large are sent as plain text.
//!
//! A document that the API refuses would stay in the conversation, so a document whose pages cannot be found here is not sent.
//!
//! The reader is written by hand for its limits: all work and memory on a document is counted (`Pdf::spend`). Of the crates,
//! `lopdf` parses every object of a file when it opens it, and `hayro-syntax` inflates streams without a limit.

mod file;
mod filter;
mod object;
mod pages;
mod parse;
mod pick;
pub(super) mod ranges;
#[cfg(test)]
mod tests;
mod text;
mod xref;

use annals_transcript::objects::MAX_LINE_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::tools::answer::object;
use crate::tools::blocking::StopFlag;
use crate::tools::{InputError, Outcome, ToolContent};
use file::Pdf;
use pages::PdfPage;
use ranges::{MAX_PAGES, PageRanges, spelled};

/// The largest document that is sent: as base64 it fits into a line that clients still open ([`MAX_LINE_BYTES`]), and several of
/// them into a request.
const MAX_BYTES: usize = 7 << 20;
/// What the rest of a line may take.
const REST_OF_A_LINE: usize = 64 << 10;
/// The most bytes of text in an answer: some 25,000 tokens.
const MAX_TEXT: usize = 100_000;
/// How many pages are shown by default.
const MAX_DEFAULT_PAGES: usize = 10;

/// Why a file cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PdfDamage {
    #[error("its cross-reference table cannot be read")]
    NoReference,
    #[error("it has no catalog")]
    NoRoot,
    #[error("no pages were found")]
    NoPages,
    #[error("it needs too much memory or time")]
    TooMuch,
}

/// Why a document cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PdfError {
    #[error("The PDF is damaged: {0}. Look at it with a program through Bash.")]
    PdfDamage(#[from] PdfDamage),
    #[error(
        "The PDF is encrypted, which the API does not support. Remove the password with a program through Bash, such as `qpdf --decrypt`."
    )]
    Encrypted,
    #[error("`pages` must be pages such as \"3\", \"1-5\", \"2,4-6\" or \"10-\", not {text:?}.")]
    NoRange { text: String },
    #[error("No page {page}: the PDF has pages 1 to {total}.")]
    OutOfRange { page: usize, total: usize },
    #[error(
        "At most {MAX_PAGES} pages are shown at once; the PDF has {total}. Ask for fewer with `pages`, such as \"1-{MAX_PAGES}\"."
    )]
    TooManyAsked { total: usize },
    #[error(
        "The PDF has {total} pages; more than {MAX_DEFAULT_PAGES} require `pages`, such as \"1-5\", for at most {MAX_PAGES}."
    )]
    TooMany { total: usize },
    #[error(
        "Pages {pages} of the PDF are more than {MAX_BYTES} bytes, too much for one line of a session, and have no text to show instead. Request fewer pages."
    )]
    DoesNotFit { pages: String },
    #[error(
        "Pages {pages} of the PDF are more than {MAX_BYTES} bytes, and their text alone is {bytes} ({MAX_TEXT} fit in a result). Request fewer pages."
    )]
    TextDoesNotFit { pages: String, bytes: usize },
    #[error("The call was interrupted.")]
    Stopped,
}

/// The content sent to the model.
enum PdfContent {
    /// The file unchanged.
    Whole,
    /// A smaller file with these pages.
    Pages { bytes: Vec<u8>, pages: Vec<usize>, total: usize },
    /// The text of pages that are too large.
    Text(String),
}

/// Shows a document as a content block. This blocks for a while.
pub(super) fn show(
    path: &str,
    bytes: &[u8],
    asked: Option<&PageRanges>,
    stop: &StopFlag,
) -> Result<Outcome, InputError> {
    let content = content(bytes, asked, stop).map_err(|error| InputError(error.to_string()))?;
    Ok(match content {
        PdfContent::Whole => {
            let note = format!("PDF file read: {path} ({} bytes)", bytes.len());
            block(path, bytes.len(), bytes, &note)
        }
        PdfContent::Pages { bytes: picked, pages, total } => {
            let note = format!(
                "PDF file read: {path} ({} bytes), pages {} of {total}",
                bytes.len(),
                spelled(&pages)
            );
            block(path, bytes.len(), &picked, &note)
        }
        PdfContent::Text(text) => plain(path, &text),
    })
}

fn content(bytes: &[u8], asked: Option<&PageRanges>, stop: &StopFlag) -> Result<PdfContent, PdfError> {
    let (first, is_damaged) = match Pdf::open(bytes) {
        Ok(mut pdf) => (content_of(&mut pdf, asked), pdf.is_damaged),
        Err(wrong) => (Err(wrong.into()), true),
    };
    if !is_damaged && !matches!(first, Err(PdfError::PdfDamage(_))) {
        return first;
    }
    if stop.is_set() {
        return Err(PdfError::Stopped);
    }
    let again = Pdf::searched(bytes).map_err(PdfError::from).and_then(|mut pdf| content_of(&mut pdf, asked));
    match (first, again) {
        (_, Ok(content)) | (Ok(content), Err(_)) => Ok(content),
        (Err(PdfError::PdfDamage(_)), Err(error)) | (Err(error), Err(_)) => Err(error),
    }
}

fn content_of(pdf: &mut Pdf<'_>, asked: Option<&PageRanges>) -> Result<PdfContent, PdfError> {
    let all = pages::all(pdf)?;
    let total = all.len();
    let wanted: Vec<usize> = match asked {
        Some(asked) => asked.of(total)?,
        None if total > MAX_DEFAULT_PAGES => return Err(PdfError::TooMany { total }),
        // A damaged file is rewritten: the API may not be able to read it.
        None if pdf.bytes.len() <= MAX_BYTES && !pdf.is_searched => return Ok(PdfContent::Whole),
        None => (0..total).collect(),
    };
    let picked: Vec<&PdfPage> = wanted.iter().filter_map(|page| all.get(*page)).collect();
    if let Some(bytes) = pick::pick(pdf, &picked, MAX_BYTES)? {
        return Ok(PdfContent::Pages { bytes, pages: wanted, total });
    }
    let mut text = String::new();
    for (page, number) in picked.iter().zip(&wanted) {
        let words = text::of_page(pdf, page)?;
        if !words.is_empty() {
            text.push_str(&format!("<page number=\"{}\">\n{words}\n</page>\n", number + 1));
        }
    }
    match text.len() {
        0 => Err(PdfError::DoesNotFit { pages: spelled(&wanted) }),
        bytes if bytes > MAX_TEXT => Err(PdfError::TextDoesNotFit { pages: spelled(&wanted), bytes }),
        _ => Ok(PdfContent::Text(text)),
    }
}

/// The text of pages that are too large, with a note.
fn plain(path: &str, text: &str) -> Outcome {
    let lines = text.lines().count() as u64;
    let kept = object(|kept| {
        kept.string("type", "text").object("file", |file| {
            file.string("filePath", path).string("content", text).number("numLines", lines);
            file.number("startLine", 1).number("totalLines", lines);
        });
    });
    let note = format!(
        "<system-reminder>These pages are more than {MAX_BYTES} bytes, too much to show: this is their text, without images or layout.</system-reminder>"
    );
    Outcome::text(format!("{text}\n{note}"), kept)
}

fn block(path: &str, original: usize, bytes: &[u8], note: &str) -> Outcome {
    let data = STANDARD.encode(bytes);
    // The session line holds a second copy for display, if both fit.
    let copy = if data.len() * 2 + REST_OF_A_LINE <= MAX_LINE_BYTES { data.as_str() } else { "" };
    let kept = object(|kept| {
        kept.string("type", "pdf").object("file", |file| {
            file.string("filePath", path).string("base64", copy).number("originalSize", original as u64);
        });
    });
    let note = object(|block| {
        block.string("type", "text").string("text", note);
    });
    let document = object(|block| {
        block.string("type", "document").object("source", |source| {
            source.string("type", "base64").string("media_type", "application/pdf").string("data", &data);
        });
    });
    Outcome { shown: ToolContent::Blocks(vec![note, document]), kept, ..Outcome::default() }
}
