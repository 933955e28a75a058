//! The blocks of a conversation on the screen, and how each is laid out: briefly, or in full.

use annals_ui::terminal::{
    Color, MarkdownStream, Passage, RenderOptions, Span, Style, StyledLine, ThinkingDisplay, clip, markdown,
    width, wrap,
};
use annals_ui::view::{Item, ItemBody, PromptKind};
use annals_ui::{TerminalText, figures};

use super::call::CallBlock;
use crate::picture::Picture;

/// Lines that are left of a long output.
const MAX_OUTPUT_LINES: usize = 4;

/// How much of a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockForm {
    /// Outputs and thoughts are folded.
    Brief,
    /// Everything.
    Full,
}

/// A piece of the conversation that is laid out by itself.
#[derive(Clone, Debug)]
pub(crate) enum ChatBlock {
    /// What the person said, and the id of its record once that is known.
    Prompt { sign: &'static str, text: String, id: Option<String> },
    /// What the model says, in Markdown.
    Text(TextBlock),
    /// What the model thinks.
    Thinking(String),
    /// A tool call.
    Call(Box<CallBlock>),
    /// A message of the program.
    Notes(Vec<StyledLine>),
    /// A picture of the block before it: in the scrollback or, by placeholders, wherever its rows are. Elsewhere the block itself
    /// names it.
    Picture(Box<Picture>),
    /// Anything else of a stored session.
    Item(Box<Item>),
    /// What was attached, a fact about the session, and the like: in the transcript alone.
    Detail(Box<Item>),
}

/// Which model gave an answer, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerSignature {
    pub model: Option<String>,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
}

impl AnswerSignature {
    /// The line that says it; nothing if nothing is known.
    fn line(&self, options: &RenderOptions<'_>) -> Option<StyledLine> {
        let time = self.millis.map(|millis| {
            let (date, time) = figures::stamp(millis, (options.zone)(millis));
            format!("{date} {time}")
        });
        let model = self.model.as_deref().map(|model| figures::model(model).to_owned());
        let facts: Vec<String> = time.into_iter().chain(model.filter(|model| !model.is_empty())).collect();
        let text = TerminalText::from(&facts.join(" · "));
        (!facts.is_empty())
            .then(|| vec![Span::dim(format!("  {}", clip(text.as_str(), text_width(options))))])
    }
}

/// A text of the model, as far as it has arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextBlock {
    pub(crate) text: String,
    /// Which model said it, and when, once that is known.
    pub(crate) signature: Option<AnswerSignature>,
    /// The part that is still laid out as it arrives; `None` once it is complete.
    stream: Option<MarkdownStream>,
    /// The complete lines so far, and how wide they are.
    lines: Vec<StyledLine>,
    width: usize,
}

impl TextBlock {
    pub(crate) fn streaming() -> Self {
        Self { stream: Some(MarkdownStream::default()), ..Self::default() }
    }

    pub(crate) fn complete(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    pub(crate) fn is_streaming(&self) -> bool {
        self.stream.is_some()
    }

    /// Takes a piece of the text.
    pub(crate) fn push(&mut self, piece: &str, options: &RenderOptions<'_>) {
        self.text.push_str(piece);
        let width = text_width(options);
        if let Some(stream) = &mut self.stream {
            self.lines.extend(stream.push(piece, width, options));
            self.width = width;
        }
    }

    /// Ends the text: nothing of it changes any more.
    pub(crate) fn finish(&mut self, options: &RenderOptions<'_>) {
        if let Some(mut stream) = self.stream.take() {
            self.lines.extend(stream.finish(text_width(options), options));
        }
    }

    /// Lays the text out again from its start, for a screen that can still change what it has shown.
    pub(crate) fn reflow(&mut self, options: &RenderOptions<'_>) {
        if self.stream.is_some() && self.width != text_width(options) {
            let text = std::mem::take(&mut self.text);
            *self = Self { signature: self.signature.take(), ..Self::streaming() };
            self.push(&text, options);
        }
    }

    /// The lines from this one on that no later piece changes.
    pub(crate) fn complete_lines(&self, from: usize) -> Vec<StyledLine> {
        let lines = self.lines.iter().enumerate().skip(from);
        lines.map(|(at, line)| with_mark(at, line.clone())).collect()
    }

    /// The lines from this one on, as far as they have arrived.
    pub(crate) fn lines_from(&self, from: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let width = text_width(options);
        if self.stream.is_none() && self.width != width {
            let lines = markdown(&self.text, width, options).into_iter().enumerate().skip(from);
            return lines.map(|(at, line)| with_mark(at, line)).collect();
        }
        let mut lines = self.complete_lines(from);
        if let Some(stream) = &self.stream {
            let first = self.lines.len();
            let preview = stream.preview(width, options).into_iter().enumerate();
            lines.extend(
                preview.map(|(at, line)| with_mark(first + at, line)).skip(from.saturating_sub(first)),
            );
        }
        lines
    }
}

/// The columns of a text of the model: two are its mark's.
fn text_width(options: &RenderOptions<'_>) -> usize {
    options.width.saturating_sub(2).max(8)
}

/// Puts the mark before the first line of a text, and as much space before the others.
fn with_mark(at: usize, mut line: StyledLine) -> StyledLine {
    line.insert(0, if at == 0 { Span::new("● ", Style::BOLD) } else { Span::plain("  ") });
    line
}

impl ChatBlock {
    /// The block of an item of a stored session; `None` for what a conversation need not show again.
    pub(crate) fn of_item(item: Item) -> Option<Self> {
        Some(match item.body {
            ItemBody::Prompt(prompt) => {
                let mut text = prompt.text;
                if prompt.images > 0 {
                    text.push_str(&format!(" [{}]", figures::counted(prompt.images, "image")));
                }
                let sign = if prompt.author == PromptKind::Shell { "! " } else { "> " };
                Self::Prompt { sign, text, id: item.position.uuid }
            }
            ItemBody::Text(said) => {
                let signature = AnswerSignature { model: said.model, millis: item.position.millis };
                Self::Text(TextBlock { signature: Some(signature), ..TextBlock::complete(&said.text) })
            }
            ItemBody::Thinking(Some(thought)) => Self::Thinking(thought),
            ItemBody::Thinking(None) => return None,
            // Sub-agents without a call are warm-ups and copies of the conversation.
            ItemBody::Attachment(_) | ItemBody::Fact(_) | ItemBody::Agent(_) => Self::Detail(Box::new(item)),
            ItemBody::ToolCall(_) => Self::Call(Box::new(CallBlock::stored(item))),
            _ => Self::Item(Box::new(item)),
        })
    }

    pub(crate) fn as_answer(&mut self) -> Option<&mut TextBlock> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it has any lines.
    pub(crate) fn is_shown(&self, form: BlockForm) -> bool {
        form == BlockForm::Full || !matches!(self, Self::Detail(_))
    }

    /// Whether nothing of it changes any more.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_streaming(),
            Self::Call(call) => call.is_finished(),
            _ => true,
        }
    }

    /// Whether a blank line comes before it, after this one.
    pub(crate) fn has_gap_after(&self, before: &Self) -> bool {
        match (before, self) {
            (Self::Notes(_), Self::Notes(_)) | (_, Self::Picture(_)) => false,
            (Self::Prompt { .. } | Self::Detail(_), Self::Detail(_)) => false,
            (Self::Call(before), Self::Call(_)) => before.is_long(),
            (Self::Thinking(_), Self::Call(_) | Self::Thinking(_)) => false,
            _ => true,
        }
    }

    /// Lays it out, no line wider than the options say.
    pub(crate) fn layout(&self, form: BlockForm, options: &RenderOptions<'_>) -> Vec<StyledLine> {
        let is_full = form == BlockForm::Full;
        let options = RenderOptions {
            full: is_full,
            thinking: ThinkingDisplay::Shown,
            output_lines: MAX_OUTPUT_LINES,
            ..*options
        };
        match self {
            Self::Prompt { sign, text, .. } => prompt(sign, text, &options),
            Self::Text(text) => {
                let mut lines = text.lines_from(0, &options);
                if is_full && let Some(signature) = &text.signature {
                    lines.splice(0..0, signature.line(&options));
                }
                lines
            }
            Self::Thinking(thought) if is_full => indented(thought, "∴ ", Style::DIM.italic(), &options),
            Self::Thinking(thought) => {
                let first = thought.trim().lines().next().unwrap_or_default();
                let more = if thought.trim().lines().nth(1).is_some() { " …" } else { "" };
                let short = clip(first, options.width.saturating_sub(6));
                vec![vec![Span::new(format!("∴ {short}{more}"), Style::DIM.italic())]]
            }
            Self::Call(call) => call.layout(form, &options),
            Self::Picture(picture) => {
                let is_placed = picture.number.is_some() && usize::from(picture.columns) + 2 <= options.width;
                let rows = if is_placed { usize::from(picture.rows) } else { 0 };
                vec![StyledLine::new(); rows]
            }
            Self::Notes(lines) => {
                lines.iter().flat_map(|line| hanging(&cleaned(line), options.width)).collect()
            }
            Self::Detail(_) if !is_full => Vec::new(),
            Self::Item(item) | Self::Detail(item) => {
                let items = std::slice::from_ref(&**item);
                let passage = Passage { before: None, stamped: None, items, depth: 0, is_agent: false };
                passage.lines(&options)
            }
        }
    }
}

fn cleaned(line: &StyledLine) -> StyledLine {
    line.iter().map(|span| Span::new(TerminalText::from(&span.text).as_str(), span.style)).collect()
}

/// A line of a report, whose rows after the first begin further to the right.
pub(super) fn hanging(line: &StyledLine, columns: usize) -> Vec<StyledLine> {
    let rows = wrap(line, columns);
    let text: String = line.iter().map(|span| span.text.as_str()).collect();
    let indent = text.len() - text.trim_start_matches(' ').len() + 2;
    // A word that fits into a row, such as an id, is not broken for the sake of the indentation: it could not be copied.
    let longest = text.split_whitespace().map(width).max().unwrap_or(0);
    let breaks_word = longest <= columns && longest + indent > columns;
    if rows.len() < 2 || indent * 3 > columns || breaks_word {
        return rows;
    }
    let mut rows = wrap(line, columns - indent);
    for row in rows.iter_mut().skip(1) {
        row.insert(0, Span::plain(" ".repeat(indent)));
    }
    rows
}

fn prompt(sign: &str, text: &str, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    indented(text.trim_end(), sign, Style::color(Color::Cyan), options)
}

/// A text of several lines after a mark.
fn indented(text: &str, mark: &str, style: Style, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let text = TerminalText::block(text.trim());
    let columns = options.width.saturating_sub(2).max(8);
    let mut lines = Vec::new();
    for line in text.as_str().split('\n') {
        let line = line.replace('\t', "    ");
        lines.extend(wrap(&[Span::new(line, style)], columns));
    }
    for (number, line) in lines.iter_mut().enumerate() {
        line.insert(0, if number == 0 { Span::new(mark, style.bold()) } else { Span::plain("  ") });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_fits_into_a_row_is_not_broken() {
        let id = "7777aaaa-0000-4000-8000-000000000000";
        for head in ["resume with: annals chat --resume", "         or: claude --resume"] {
            let rows = hanging(&vec![Span::plain(format!("{head} {id}"))], 39);
            let rows: Vec<String> =
                rows.iter().map(|row| row.iter().map(|span| span.text.as_str()).collect()).collect();
            assert_eq!(rows.len(), 2, "{rows:?}");
            assert!(rows[1].trim_start() == id && rows.iter().all(|row| width(row) <= 39), "{rows:?}");
        }
    }
}
