//! Draws outputs of tools.

use crate::figures::{counted, size};
use crate::view::{
    Diff, DiffSign, FileAction, FileExcerpt, Hunk, QuestionAnswer, Todo, TodoState, ToolOutput,
};

use super::changed_words::{changed_words, mark};
use super::color::Color;
use super::fold::{Fold, FoldedLines, shorten};
use super::long_markdown::markdown_each;
use super::options::RenderOptions;
use super::style::{Span, Style, StyledLine, line_width};
use super::wrap::{LineSink, chop, cut, wrap_each, wrap_text};
use crate::clean::clean;

/// Rows that one long line of an output may take while folded.
const ROWS: usize = 2;

/// Lays out one output in the given columns.
pub(super) fn output(
    output: &ToolOutput,
    columns: usize,
    options: &RenderOptions<'_>,
    is_error: bool,
    each: &mut LineSink<'_>,
) {
    match output {
        ToolOutput::Text(text) => {
            let style = if is_error { Style::color(Color::Red) } else { Style::DIM };
            printed(text, columns, options, style, each);
        }
        ToolOutput::Complaint(text) => printed(text, columns, options, Style::color(Color::Yellow), each),
        ToolOutput::Markdown(text) => {
            folded_markdown(text, options.output_lines * 2, columns, options, each);
        }
        ToolOutput::Diff(change) => diff_each(change, columns, options, each),
        ToolOutput::File(part) => file(part, columns, options, each),
        ToolOutput::Files { names, total } => files(names, *total, columns, options, each),
        ToolOutput::Image { media_type, bytes, .. } => {
            each(vec![Span::dim(format!("image {} {}", clean(media_type), size(*bytes as u64)))]);
        }
        ToolOutput::Todos(todos) => todos.iter().for_each(|one| todo(one, columns, options, each)),
        ToolOutput::Answers(answers) => answers.iter().for_each(|one| answer(one, columns, options, each)),
        ToolOutput::Denied { reason } => {
            let mut line = vec![Span::new("denied", Style::color(Color::Red).bold()), Span::plain(": ")];
            line.push(Span::plain(clean(reason)));
            let mut folded = FoldedLines::new(options.output_lines, options, each);
            wrap_each(&line, columns, &mut |line| folded.push(line));
            folded.finish();
        }
    }
}

/// A text in Markdown, folded to `max` lines.
pub(super) fn folded_markdown(
    text: &str,
    max: usize,
    columns: usize,
    options: &RenderOptions<'_>,
    each: &mut LineSink<'_>,
) {
    let (text, missing) = shorten(text, options);
    let mut folded = FoldedLines::new(max, options, each);
    markdown_each(text, columns, options, &mut |line| folded.push(line));
    folded.finish();
    missing.into_iter().for_each(each);
}

/// Text as it was printed, folded, each line chopped to the page.
pub(super) fn printed(
    text: &str,
    columns: usize,
    options: &RenderOptions<'_>,
    style: Style,
    each: &mut LineSink<'_>,
) {
    let lines = text.trim_matches(['\n', '\r']).lines();
    let count = lines.clone().count();
    // Lines are cleaned one by one, after folding, so hidden output costs nothing.
    let fold = Fold::new(count, options.output_lines, options);
    fold.apply(lines, count, options, each, |_, line, each| {
        row(line.trim_end(), columns, options, style, words, each);
    });
}

/// Breaks a line of output, which often is prose, at words.
fn words(line: &str, columns: usize, style: Style, each: &mut LineSink<'_>) {
    wrap_text(line, style, columns, each);
}

/// Breaks a line of code anywhere.
fn pieces(line: &str, columns: usize, style: Style, each: &mut LineSink<'_>) {
    chop(line, columns, |piece| each(vec![Span::new(piece, style)]));
}

type LineBreaker = fn(&str, usize, Style, &mut LineSink<'_>);

fn row(
    line: &str,
    columns: usize,
    options: &RenderOptions<'_>,
    style: Style,
    broken: LineBreaker,
    each: &mut LineSink<'_>,
) {
    let enough = columns * ROWS;
    if options.full || line.len() <= enough {
        let text = clean(line);
        if text.is_empty() {
            // An empty text is still a line.
            each(StyledLine::new());
        }
        return text.lines().for_each(|line| broken(line, columns, style, each));
    }
    // Escape sequences take bytes and no columns: look at more bytes than columns before cutting.
    let head: String = line.chars().take(enough * 4).collect();
    let head = clean(&head).replace('\n', " ");
    let (shown, is_cut) = cut(&head, enough.saturating_sub(4));
    let is_cut = is_cut || head.len() < line.len() / 2;
    let mark = if is_cut { format!(" {}", options.glyphs().more) } else { String::new() };
    broken(&format!("{shown}{mark}"), columns, style, each);
}

pub(super) fn diff(diff: &Diff, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    diff_each(diff, columns, options, &mut |line| lines.push(line));
    lines
}

fn diff_each(diff: &Diff, columns: usize, options: &RenderOptions<'_>, each: &mut LineSink<'_>) {
    let widest = |hunk: &Hunk| {
        let longest =
            hunk.old_start.max(hunk.new_start).map(|start| start.saturating_add(hunk.lines.len() as u64));
        longest.map_or(0, |last| last.to_string().len())
    };
    let digits = diff.hunks.iter().map(widest).max().unwrap_or(0);
    let mut folded = FoldedLines::new(options.output_lines * 3, options, each);
    for (at, hunk) in diff.hunks.iter().enumerate() {
        if at > 0 {
            folded.push(vec![Span::dim(format!("{:>digits$} {}", "", options.glyphs().more))]);
        }
        hunk_rows(hunk, digits, columns, options, &mut |line| folded.push(line));
    }
    folded.finish();
}

fn hunk_rows(
    hunk: &Hunk,
    digits: usize,
    columns: usize,
    options: &RenderOptions<'_>,
    each: &mut LineSink<'_>,
) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let step = |number: &mut Option<u64>| {
        let here = *number;
        *number = here.map(|number| number.saturating_add(1));
        here
    };
    for (line, changed) in hunk.lines.iter().zip(changed_words(&hunk.lines)) {
        let (number, sign, style) = match line.sign {
            DiffSign::Kept => {
                step(&mut old);
                (step(&mut new), " ", Style::DIM)
            }
            DiffSign::Added => (step(&mut new), "+", Style::color(Color::Green)),
            DiffSign::Removed => (step(&mut old), "-", Style::color(Color::Red)),
        };
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let room = columns.saturating_sub(digits + 3).max(8);
        let mut head = Some((number.as_str(), sign));
        let mut start = 0;
        row(&line.text, room, options, style, pieces, &mut |mut piece| {
            let length: usize = piece.iter().map(|span| span.text.len()).sum();
            if let Some(changed) = &changed {
                piece = mark(piece, start, changed);
            }
            start += length;
            let (number, sign) = head.take().unwrap_or(("", " "));
            let gutter = if digits == 0 { String::new() } else { format!("{number:>digits$} ") };
            piece.splice(0..0, [Span::dim(gutter), Span::new(format!("{sign} "), style)]);
            each(piece);
        });
    }
}

fn file(part: &FileExcerpt, columns: usize, options: &RenderOptions<'_>, each: &mut LineSink<'_>) {
    let count = part.text.lines().count();
    let mut facts = counted(count, "line");
    if let Some(total) = part.total_lines.filter(|&total| total != count as u64) {
        let last = part.start_line.saturating_add((count as u64).saturating_sub(1));
        facts = format!("lines {}-{last} of {total}", part.start_line);
    }
    each(vec![Span::dim(facts)]);
    if part.act == FileAction::Read && !options.full {
        return;
    }
    let digits = part.start_line.saturating_add(count as u64).to_string().len();
    let style = if part.act == FileAction::Written { Style::color(Color::Green) } else { Style::DIM };
    let sign = if part.act == FileAction::Written { "+ " } else { "  " };
    let room = columns.saturating_sub(digits + 3).max(8);
    let fold = Fold::new(count, options.output_lines, options);
    fold.apply(part.text.lines(), count, options, each, |at, text, each| {
        let mut head = Some((part.start_line.saturating_add(at as u64).to_string(), sign));
        row(text, room, options, style, pieces, &mut |mut piece| {
            let (number, sign) = head.take().unwrap_or((String::new(), "  "));
            piece.splice(0..0, [Span::dim(format!("{number:>digits$} ")), Span::new(sign, style)]);
            each(piece);
        });
    });
}

fn files(
    names: &[String],
    total: Option<u64>,
    columns: usize,
    options: &RenderOptions<'_>,
    each: &mut LineSink<'_>,
) {
    let count = total.map_or(names.len(), |total| total as usize);
    each(vec![Span::dim(counted(count, "file"))]);
    let fold = Fold::new(names.len(), (options.output_lines / 2).max(1), options);
    fold.apply(names.iter(), names.len(), options, each, |_, name, each| {
        row(name, columns, options, Style::DIM, pieces, each);
    });
}

pub(super) fn todo(todo: &Todo, columns: usize, options: &RenderOptions<'_>, each: &mut LineSink<'_>) {
    let marks = options.glyphs().todo;
    let (mark, style) = match todo.state {
        TodoState::Pending => (marks[0], Style::PLAIN),
        TodoState::InProgress => (marks[1], Style::BOLD),
        TodoState::Completed => (marks[2], Style::DIM),
    };
    hanging(vec![Span::new(mark, style)], &[Span::new(clean(&todo.text), style)], columns, each);
}

fn answer(answer: &QuestionAnswer, columns: usize, options: &RenderOptions<'_>, each: &mut LineSink<'_>) {
    wrap_text(&clean(&answer.question), Style::BOLD, columns, each);
    let arrow = format!("{} ", options.glyphs().arrow);
    let (arrow, text) = match &answer.answer {
        Some(text) => (Span::new(arrow, Style::color(Color::Green)), Span::plain(clean(text))),
        None => (Span::dim(arrow), Span::dim("no answer")),
    };
    hanging(vec![arrow], &[text], columns, each);
}

/// Lays out lines indented after a mark.
pub(super) fn hanging(mark: StyledLine, text: &[Span], columns: usize, each: &mut LineSink<'_>) {
    let indent = line_width(&mark);
    let mut mark = Some(mark);
    wrap_each(text, columns.saturating_sub(indent).max(8), &mut |mut line| {
        let mut whole = mark.take().unwrap_or_else(|| vec![Span::plain(" ".repeat(indent))]);
        whole.append(&mut line);
        each(whole);
    });
}
