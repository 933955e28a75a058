//! Snippets of blocks whose lines come from elsewhere than a store.

use super::highlight::{HighlightedText, Highlighter};
use super::snippet::snippet;
use crate::extract::{IndexedFileRole, text_of_block};

/// The snippet of one block of a line, or of a file that is one text, and how many words of the query it covers; `None` if there
/// is no such block.
pub fn block_snippet(
    role: IndexedFileRole,
    bytes: &[u8],
    block: u32,
    highlighter: &Highlighter,
) -> Option<(HighlightedText, usize)> {
    text_of_block(role, bytes, block).map(|text| snippet(&text, highlighter))
}
