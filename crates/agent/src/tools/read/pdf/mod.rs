//! PDF documents: whole where they are short, and otherwise the pages that are asked for, as a smaller PDF; the API reads the
//! text and the pictures of a page better than anybody here. Only what is too large for it goes as plain text.
//!
//! A document that the API refuses would stay in the conversation, so none goes out whose pages cannot be found here.

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

use annals_transcript::objects::OVERSIZE;

use super::base64::base64;
use crate::tools::answer::object;
use crate::tools::stop::Stop;
use crate::tools::{InputError, Outcome, Shown};
use file::Pdf;
use pages::Page;
use ranges::{MOST_PAGES, Ranges, spelled};

/// The largest document that is shown: in base 64 it fits into a line that clients still open ([`OVERSIZE`]), and several
/// of them into a request.
const MOST_BYTES: usize = 7 << 20;
/// What else a line holds.
const REST_OF_A_LINE: usize = 64 << 10;
/// Bytes of text that fit into an answer: some 25,000 tokens.
const MOST_OF_A_TEXT: usize = 100_000;
/// How many pages are shown where none are asked for.
const MOST_UNASKED: usize = 10;

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Wrong {
    #[error("its cross-reference cannot be read")]
    NoReference,
    #[error("it names no catalog")]
    NoRoot,
    #[error("no pages were found")]
    NoPages,
    #[error("it takes more memory or time than any document should")]
    TooMuch,
}

/// Why a document cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PdfError {
    #[error("The PDF is damaged: {0}. Look at it with a program through Bash.")]
    Wrong(#[from] Wrong),
    #[error(
        "The PDF is encrypted, and the API takes none that are. Take the password away with a program through Bash, such as `qpdf --decrypt`."
    )]
    Encrypted,
    #[error("`pages` must be pages such as \"3\", \"1-5\", \"2,4-6\" or \"10-\", not {text:?}.")]
    NoRange { text: String },
    #[error("There is no page {page}: the PDF has pages 1 to {total}.")]
    OutOfRange { page: usize, total: usize },
    #[error(
        "At most {MOST_PAGES} pages are shown at once; the PDF has {total}. Ask for fewer with `pages`, such as \"1-{MOST_PAGES}\"."
    )]
    TooManyAsked { total: usize },
    #[error(
        "The PDF has {total} pages; more than {MOST_UNASKED} are not shown at once without being asked for. Ask with `pages`, such as \"1-5\", for at most {MOST_PAGES}."
    )]
    TooMany { total: usize },
    #[error(
        "Pages {pages} of the PDF have more than {MOST_BYTES} bytes, which is too much for one line of a session, and no text that could be shown instead. Ask for fewer pages."
    )]
    DoesNotFit { pages: String },
    #[error(
        "Pages {pages} of the PDF have more than {MOST_BYTES} bytes, and their text alone has {bytes} ({MOST_OF_A_TEXT} fit into an answer). Ask for fewer pages."
    )]
    TextDoesNotFit { pages: String, bytes: usize },
    #[error("The call was interrupted.")]
    Stopped,
}

/// What goes to the model.
enum Chosen {
    /// The file as it is.
    Whole,
    /// A smaller one, of these pages.
    Pages { bytes: Vec<u8>, pages: Vec<usize>, total: usize },
    /// The text of pages that are too large.
    Text(String),
}

/// A document as a block. It takes a while: not for the thread that others wait on.
pub(super) fn show(
    path: &str,
    bytes: &[u8],
    asked: Option<&Ranges>,
    stop: &Stop,
) -> Result<Outcome, InputError> {
    let chosen = choose(bytes, asked, stop).map_err(|error| InputError(error.to_string()))?;
    Ok(match chosen {
        Chosen::Whole => {
            let note = format!("PDF file read: {path} ({} bytes)", bytes.len());
            block(path, bytes.len(), bytes, &note)
        }
        Chosen::Pages { bytes: picked, pages, total } => {
            let note = format!(
                "PDF file read: {path} ({} bytes), pages {} of {total}",
                bytes.len(),
                spelled(&pages)
            );
            block(path, bytes.len(), &picked, &note)
        }
        Chosen::Text(text) => plain(path, &text),
    })
}

fn choose(bytes: &[u8], asked: Option<&Ranges>, stop: &Stop) -> Result<Chosen, PdfError> {
    let (first, is_astray) = match Pdf::open(bytes) {
        Ok(mut pdf) => (chosen_of(&mut pdf, asked), pdf.is_astray),
        Err(wrong) => (Err(wrong.into()), true),
    };
    if !is_astray && !matches!(first, Err(PdfError::Wrong(_))) {
        return first;
    }
    if stop.is_wanted() {
        return Err(PdfError::Stopped);
    }
    let again = Pdf::searched(bytes).map_err(PdfError::from).and_then(|mut pdf| chosen_of(&mut pdf, asked));
    match (first, again) {
        (_, Ok(chosen)) | (Ok(chosen), Err(_)) => Ok(chosen),
        (Err(PdfError::Wrong(_)), Err(error)) | (Err(error), Err(_)) => Err(error),
    }
}

fn chosen_of(pdf: &mut Pdf<'_>, asked: Option<&Ranges>) -> Result<Chosen, PdfError> {
    let all = pages::all(pdf)?;
    let total = all.len();
    let wanted: Vec<usize> = match asked {
        Some(asked) => asked.of(total)?,
        None if total > MOST_UNASKED => return Err(PdfError::TooMany { total }),
        // One that had to be searched is written anew: others may not find their way in it.
        None if pdf.bytes.len() <= MOST_BYTES && !pdf.is_searched => return Ok(Chosen::Whole),
        None => (0..total).collect(),
    };
    let picked: Vec<&Page> = wanted.iter().filter_map(|page| all.get(*page)).collect();
    if let Some(bytes) = pick::pick(pdf, &picked, MOST_BYTES)? {
        return Ok(Chosen::Pages { bytes, pages: wanted, total });
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
        bytes if bytes > MOST_OF_A_TEXT => Err(PdfError::TextDoesNotFit { pages: spelled(&wanted), bytes }),
        _ => Ok(Chosen::Text(text)),
    }
}

/// Text instead of pages, said to be that.
fn plain(path: &str, text: &str) -> Outcome {
    let lines = text.lines().count() as u64;
    let kept = object(|kept| {
        kept.string("type", "text").object("file", |file| {
            file.string("filePath", path).string("content", text).number("numLines", lines);
            file.number("startLine", 1).number("totalLines", lines);
        });
    });
    let note = format!(
        "<system-reminder>These pages have more than {MOST_BYTES} bytes, which is too much to be shown: this is their text, without pictures and without the layout.</system-reminder>"
    );
    Outcome::text(format!("{text}\n{note}"), kept)
}

fn block(path: &str, original: usize, bytes: &[u8], note: &str) -> Outcome {
    let data = base64(bytes);
    // The copy for display stands beside the one that is sent, as long as both fit.
    let copy = if data.len() * 2 + REST_OF_A_LINE <= OVERSIZE { data.as_str() } else { "" };
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
    Outcome { shown: Shown::Blocks(vec![note, document]), kept, ..Outcome::default() }
}
