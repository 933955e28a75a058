//! A conversation as HTML: fragments for a page that others make, and a page of its own.
//!
//! Transcripts are hostile input. Every text is escaped and cleaned as for a terminal, Markdown is drawn from the events of
//! its parser with raw HTML as text, and only `http`, `https` and `mailto` become links. There is no script, no event
//! handler, no `style` attribute and no address that loads by itself: a page can forbid all of that by its policy.
//!
//! An element of a record has its line as `id` (`L12`; in a sub-agent's file `agent-ID-L12`), its `data-uuid` and a time. What
//! can be folded is a `<details>`. The end tags and quotes that HTML makes optional are left out: a page is hardly larger
//! than the text that it shows.

mod call;
mod code;
mod escape;
mod image;
mod line_set;
mod link;
mod markdown;
mod message;
mod notes;
mod output;
mod page;
mod parts;
mod writer;

use std::fmt;

use crate::view::{Conversation, Diff, FileExcerpt, Item};

pub use escape::{attribute, escape};
pub use image::{EmbeddedImages, ImageSource, NoImages};
pub use markdown::markdown;
pub use page::{IndexGroup, IndexRow, PageHeader, index, page, page_of_parts};
pub use parts::{PagePart, parts};

/// The style of the fragments inside an element of the class `talk`, for light and dark screens, narrow ones and paper. `data-theme` on the root element chooses
/// `light` or `dark`, else the system does; `data-diff="side"` shows changes side by side.
pub const STYLE: &str = include_str!("style.css");

/// What elements say about their record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    /// Its `data-uuid` and its time.
    #[default]
    Full,
    /// Its time, where it differs from the one before: an id is longer than many a record.
    Compact,
}

/// How a conversation is drawn.
#[derive(Clone, Copy)]
pub struct HtmlOptions<'z> {
    /// The minutes from UTC at an instant.
    pub zone: &'z (dyn Fn(i64) -> i32 + Sync),
    /// Where images come from.
    pub images: &'z dyn ImageSource,
    /// The sub-agent whose file the items are of; `None` for the session's own.
    pub agent: Option<&'z str>,
    /// What elements say about their record.
    pub markup: Markup,
}

impl Default for HtmlOptions<'_> {
    /// UTC, without images.
    fn default() -> Self {
        Self { zone: &|_| 0, images: &NoImages, agent: None, markup: Markup::Full }
    }
}

impl fmt::Debug for HtmlOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HtmlOptions").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// Draws a conversation.
///
/// ```
/// use annals_transcript::transcript::Transcript;
/// use annals_ui::html::{self, HtmlOptions};
/// use annals_ui::{Conversation, ViewOptions};
///
/// let file = br#"{"type":"user","uuid":"a","message":{"content":"<script>alert(1)</script>"}}"#;
/// let conversation = Conversation::build(&Transcript::parse(file), &[], ViewOptions::default());
/// let mut page = String::new();
/// html::conversation(&conversation, &HtmlOptions::default(), &mut page);
/// assert!(page.contains("&lt;script>") && page.contains("id=L1"));
/// ```
pub fn conversation(conversation: &Conversation, options: &HtmlOptions<'_>, out: &mut String) {
    items(&conversation.items, options, out);
}

/// Draws items that follow each other: the speaker is named where it changes.
pub fn items(items: &[Item], options: &HtmlOptions<'_>, out: &mut String) {
    writer::HtmlWriter::new(options, out).items(items);
}

/// Draws one item.
pub fn item(item: &Item, options: &HtmlOptions<'_>, out: &mut String) {
    items(std::slice::from_ref(item), options, out);
}

/// Draws a change, unified or side by side as `data-diff` says.
pub fn diff(change: &Diff, out: &mut String) {
    code::diff(change, out);
}

/// Draws a file with the numbers of its lines.
pub fn file(excerpt: &FileExcerpt, out: &mut String) {
    code::file(excerpt, out);
}
