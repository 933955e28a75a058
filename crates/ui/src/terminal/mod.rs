//! Draws a conversation for a terminal: role gutters, Markdown, diffs, folded outputs, sub-agents indented.
//!
//! Nothing here reads or writes a terminal. All content is made harmless ([`draw`] writes no escape sequence but its own
//! styles, and none at all in [`ColorMode::Plain`]).

mod call;
mod canvas;
mod changed_words;
mod code;
mod color;
mod fold;
mod items;
mod live_page;
mod long_markdown;
mod markdown;
mod notes;
mod options;
mod output;
mod passage;
mod stream;
mod style;
mod table;
mod wrap;

pub use color::Color;
pub use live_page::LivePage;
pub(crate) use markdown::parser as markdown_parser;
pub use options::{ColorMode, RenderOptions, ThinkingDisplay};
pub use passage::{Passage, is_minor, is_stamped};
pub use stream::MarkdownStream;
pub use style::{Span, Style, StyledLine, clip, clip_line, clip_start};
pub use style::{line_width, width};
pub(crate) use style::{write_line, write_span};
pub use wrap::wrap;

use crate::terminal_text::TerminalText;
use crate::view::{Conversation, Diff, Todo};

/// Draws a conversation.
pub fn draw(conversation: &Conversation, options: &RenderOptions<'_>, out: &mut TerminalText) {
    items::Renderer::new(options, out.drawing()).conversation(conversation);
}

/// How many bytes of a page are handed on at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// Draws a conversation in pieces of whole lines: a page may be larger than memory should be.
pub fn draw_pieces(
    conversation: &Conversation,
    options: &RenderOptions<'_>,
    each: &mut dyn FnMut(TerminalText),
) {
    let mut text = TerminalText::default();
    let mut add = |line: &[Span]| {
        write_line(line, options.color, text.drawing());
        text.drawing().push('\n');
        if text.as_str().len() > PIECE_BYTES {
            each(std::mem::take(&mut text));
        }
    };
    items::Renderer::new(options, canvas::Target::Each(&mut add)).conversation(conversation);
    each(text);
}

/// Lays a text in Markdown out in the given columns.
pub fn markdown(text: &str, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    markdown::markdown_lines(text, columns, options)
}

/// Lays a difference out in the given columns.
pub fn diff(diff: &Diff, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    output::diff(diff, columns, options)
}

/// Lays a todo list out in the given columns.
pub fn todos(todos: &[Todo], columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    todos.iter().for_each(|todo| output::todo(todo, columns, options, &mut |line| lines.push(line)));
    lines
}
