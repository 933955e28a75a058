//! Markdown that arrives in pieces.
//!
//! Blocks are laid out once they are complete: the text after them can no longer change them. The result is the same as for
//! the whole text, regardless of how it was split; only a link with a definition in a later block is shown as written.

use pulldown_cmark::Event;

use super::markdown::{BlockGap, MarkdownLayout, parser};
use super::options::RenderOptions;
use super::style::{Span, StyledLine};
use super::wrap::wrap;
use crate::clean::clean;

/// The longest block that is parsed for a preview; of a longer one, the end is shown as it was written.
const MAX_PREVIEW_BYTES: usize = 16 * 1024;
const PREVIEW_TAIL_BYTES: usize = 4 * 1024;

/// Lays out Markdown that arrives in pieces.
#[derive(Clone, Debug, Default)]
pub struct MarkdownStream {
    /// Link definitions of the blocks that are done.
    definitions: String,
    /// Complete lines that are not laid out yet, cleaned.
    blocks: String,
    /// The last line, as far as it has arrived.
    line: String,
    gap: BlockGap,
}

impl MarkdownStream {
    /// Returns whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.line.is_empty()
    }

    /// Takes a piece of text, and returns the lines of the blocks that it completes.
    pub fn push(&mut self, text: &str, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        self.line.push_str(text);
        let Some(end) = text.rfind('\n').map(|at| self.line.len() - text.len() + at + 1) else {
            return Vec::new();
        };
        // Cleaning looks at one line at a time, so complete lines can be cleaned by themselves.
        let lines: String = self.line.drain(..end).collect();
        self.blocks.push_str(&clean(&lines));
        let end = self.last_block();
        if end == 0 { Vec::new() } else { self.lay_out(end, columns, options) }
    }

    /// Returns how many bytes of cleaned, complete lines are blocks that no later line can change; nothing may be pending.
    pub(super) fn complete_blocks(&mut self, lines: &str) -> usize {
        self.blocks.push_str(lines);
        let end = self.last_block();
        self.blocks.clear();
        end
    }

    /// Returns the lines of cleaned, complete blocks.
    pub(super) fn lay_out_cleaned(
        &mut self,
        blocks: &str,
        columns: usize,
        options: &RenderOptions<'_>,
    ) -> Vec<StyledLine> {
        self.blocks.push_str(blocks);
        self.lay_out(blocks.len(), columns, options)
    }

    /// Returns whether the definitions of links, which are read again with every block, take more than this.
    pub(super) fn is_heavy(&self, max_bytes: usize) -> bool {
        self.definitions.len() > max_bytes
    }

    /// Returns the lines of everything that is left. The stream is as new afterwards.
    pub fn finish(&mut self, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let line = std::mem::take(&mut self.line);
        self.blocks.push_str(&clean(&line));
        let lines = self.lay_out(self.blocks.len(), columns, options);
        *self = Self::default();
        lines
    }

    /// Returns what the block that is still arriving looks like so far.
    pub fn preview(&self, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let line = clean(&self.line);
        if self.blocks.len() + line.len() > MAX_PREVIEW_BYTES {
            let text = format!("{}{line}", self.blocks);
            let start = text.ceil_char_boundary(text.len().saturating_sub(PREVIEW_TAIL_BYTES));
            return wrap(&[Span::plain(&text[start..])], columns);
        }
        let text = format!("{}{}{line}", self.definitions, self.blocks);
        let mut layout = MarkdownLayout::new(columns, options, self.gap);
        parser(&text).for_each(|event| layout.event(event));
        layout.finish().0
    }

    /// Returns the start of the last block, which the next line may still change; 0 if it is the only one.
    fn last_block(&self) -> usize {
        let text = format!("{}{}", self.definitions, self.blocks);
        let (mut depth, mut start) = (0, 0);
        for (event, range) in parser(&text).into_offset_iter() {
            if depth == 0 {
                start = range.start;
            }
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        // Indentation belongs to the block.
        text[..start].rfind('\n').map_or(0, |at| at + 1).saturating_sub(self.definitions.len())
    }

    /// Lays out the text up to here.
    fn lay_out(&mut self, end: usize, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let done: String = self.blocks.drain(..end).collect();
        let text = format!("{}{done}", self.definitions);
        let mut layout = MarkdownLayout::new(columns, options, self.gap);
        let mut events = parser(&text);
        events.by_ref().for_each(|event| layout.event(event));
        let mut spans: Vec<_> =
            events.reference_definitions().iter().map(|(_, link)| link.span.clone()).collect();
        spans.sort_by_key(|span| span.start);
        let definitions = spans.into_iter().map(|span| text[span].trim_end());
        self.definitions = definitions.flat_map(|definition| [definition, "\n\n"]).collect();
        let (lines, gap) = layout.finish();
        self.gap = gap;
        lines
    }
}
