//! Draws outputs of tools.

use crate::figures::{counted, size};
use crate::view::{
    Diff, DiffSign, FileAction, FileExcerpt, Hunk, QuestionAnswer, Todo, TodoState, ToolOutput,
};

use super::color::Color;
use super::fold::Fold;
use super::markdown::markdown_lines;
use super::options::RenderOptions;
use super::style::{Span, Style, StyledLine, line_width};
use super::wrap::{chop, cut, wrap};
use crate::clean::clean;

/// Rows that one long line of an output may take while folded.
const ROWS: usize = 2;

/// Lays out one output in the given columns.
pub(super) fn output(
    output: &ToolOutput,
    columns: usize,
    options: &RenderOptions<'_>,
    is_error: bool,
) -> Vec<StyledLine> {
    match output {
        ToolOutput::Text(text) => {
            printed(text, columns, options, if is_error { Style::color(Color::Red) } else { Style::DIM })
        }
        ToolOutput::Complaint(text) => printed(text, columns, options, Style::color(Color::Yellow)),
        ToolOutput::Markdown(text) => {
            let lines = markdown_lines(text, columns, options);
            Fold::new(lines.len(), options.output_lines * 2, options)
                .apply(&lines, options, |line| vec![line.clone()])
        }
        ToolOutput::Diff(change) => diff(change, columns, options),
        ToolOutput::File(part) => file(part, columns, options),
        ToolOutput::Files { names, total } => files(names, *total, columns, options),
        ToolOutput::Image { media_type, bytes, .. } => {
            vec![vec![Span::dim(format!("image {} {}", clean(media_type), size(*bytes as u64)))]]
        }
        ToolOutput::Todos(todos) => {
            todos.iter().flat_map(|todo| self::todo(todo, columns, options)).collect()
        }
        ToolOutput::Answers(answers) => {
            answers.iter().flat_map(|one| answer(one, columns, options)).collect()
        }
        ToolOutput::Denied { reason } => {
            let mut line = vec![Span::new("denied", Style::color(Color::Red).bold()), Span::plain(": ")];
            line.push(Span::plain(clean(reason)));
            let lines = wrap(&line, columns);
            Fold::new(lines.len(), options.output_lines, options)
                .apply(&lines, options, |line| vec![line.clone()])
        }
    }
}

/// Text as it was printed, folded, each line chopped to the page.
pub(super) fn printed(
    text: &str,
    columns: usize,
    options: &RenderOptions<'_>,
    style: Style,
) -> Vec<StyledLine> {
    let text = text.trim_matches(['\n', '\r']);
    let lines: Vec<&str> = text.lines().collect();
    // Lines are cleaned one by one, after folding, so hidden output costs nothing.
    Fold::new(lines.len(), options.output_lines, options)
        .apply(&lines, options, |line| row(line.trim_end(), columns, options, style, words))
}

/// Breaks a line of output, which often is prose, at words.
fn words(line: &str, columns: usize, style: Style) -> Vec<StyledLine> {
    wrap(&[Span::new(line, style)], columns)
}

/// Breaks a line of code anywhere.
fn pieces(line: &str, columns: usize, style: Style) -> Vec<StyledLine> {
    chop(line, columns).into_iter().map(|piece| vec![Span::new(piece, style)]).collect()
}

type LineBreaker = fn(&str, usize, Style) -> Vec<StyledLine>;

fn row(
    line: &str,
    columns: usize,
    options: &RenderOptions<'_>,
    style: Style,
    broken: LineBreaker,
) -> Vec<StyledLine> {
    let enough = columns * ROWS;
    if options.full || line.len() <= enough {
        return clean(line)
            .lines()
            .flat_map(|line| broken(line, columns, style))
            .collect::<Vec<_>>()
            .or_blank();
    }
    // Escape sequences take bytes and no columns: look at more bytes than columns before cutting.
    let head: String = line.chars().take(enough * 4).collect();
    let head = clean(&head).replace('\n', " ");
    let (shown, is_cut) = cut(&head, enough.saturating_sub(4));
    let is_cut = is_cut || head.len() < line.len() / 2;
    let mark = if is_cut { format!(" {}", options.glyphs().more) } else { String::new() };
    broken(&format!("{shown}{mark}"), columns, style).or_blank()
}

/// An empty text is still a line.
trait OrBlank {
    fn or_blank(self) -> Self;
}

impl OrBlank for Vec<StyledLine> {
    fn or_blank(self) -> Self {
        if self.is_empty() { vec![StyledLine::new()] } else { self }
    }
}

pub(super) fn diff(diff: &Diff, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let widest = |hunk: &Hunk| {
        let longest =
            hunk.old_start.max(hunk.new_start).map(|start| start.saturating_add(hunk.lines.len() as u64));
        longest.map_or(0, |last| last.to_string().len())
    };
    let digits = diff.hunks.iter().map(widest).max().unwrap_or(0);
    let mut rows: Vec<StyledLine> = Vec::new();
    for (at, hunk) in diff.hunks.iter().enumerate() {
        if at > 0 {
            rows.push(vec![Span::dim(format!("{:>digits$} {}", "", options.glyphs().more))]);
        }
        hunk_rows(hunk, digits, columns, options, &mut rows);
    }
    Fold::new(rows.len(), options.output_lines * 3, options).apply(&rows, options, |row| vec![row.clone()])
}

fn hunk_rows(
    hunk: &Hunk,
    digits: usize,
    columns: usize,
    options: &RenderOptions<'_>,
    rows: &mut Vec<StyledLine>,
) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let step = |number: &mut Option<u64>| {
        let here = *number;
        *number = here.map(|number| number.saturating_add(1));
        here
    };
    for line in &hunk.lines {
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
        for (at, mut piece) in row(&line.text, room, options, style, pieces).into_iter().enumerate() {
            let (number, sign) = if at == 0 { (number.as_str(), sign) } else { ("", " ") };
            let gutter = if digits == 0 { String::new() } else { format!("{number:>digits$} ") };
            piece.splice(0..0, [Span::dim(gutter), Span::new(format!("{sign} "), style)]);
            rows.push(piece);
        }
    }
}

fn file(part: &FileExcerpt, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let lines: Vec<&str> = part.text.lines().collect();
    let mut facts = counted(lines.len(), "line");
    if let Some(total) = part.total_lines.filter(|&total| total != lines.len() as u64) {
        let last = part.start_line.saturating_add((lines.len() as u64).saturating_sub(1));
        facts = format!("lines {}-{last} of {total}", part.start_line);
    }
    let head = vec![Span::dim(facts)];
    if part.act == FileAction::Read && !options.full {
        return vec![head];
    }
    let digits = part.start_line.saturating_add(lines.len() as u64).to_string().len();
    let numbered: Vec<(u64, &str)> = (0..).map(|at| part.start_line.saturating_add(at)).zip(lines).collect();
    let style = if part.act == FileAction::Written { Style::color(Color::Green) } else { Style::DIM };
    let sign = if part.act == FileAction::Written { "+ " } else { "  " };
    let room = columns.saturating_sub(digits + 3).max(8);
    let rows = Fold::new(numbered.len(), options.output_lines, options).apply(
        &numbered,
        options,
        |(number, text)| {
            let rows = row(text, room, options, style, pieces).into_iter().enumerate();
            rows.map(|(at, mut piece)| {
                let (number, sign) = if at == 0 { (number.to_string(), sign) } else { (String::new(), "  ") };
                piece.splice(0..0, [Span::dim(format!("{number:>digits$} ")), Span::new(sign, style)]);
                piece
            })
            .collect()
        },
    );
    std::iter::once(head).chain(rows).collect()
}

fn files(
    names: &[String],
    total: Option<u64>,
    columns: usize,
    options: &RenderOptions<'_>,
) -> Vec<StyledLine> {
    let count = total.map_or(names.len(), |total| total as usize);
    let head = vec![Span::dim(counted(count, "file"))];
    let name = |name: &String| row(name, columns, options, Style::DIM, pieces);
    let max = (options.output_lines / 2).max(1);
    std::iter::once(head).chain(Fold::new(names.len(), max, options).apply(names, options, name)).collect()
}

pub(super) fn todo(todo: &Todo, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let marks = options.glyphs().todo;
    let (mark, style) = match todo.state {
        TodoState::Pending => (marks[0], Style::PLAIN),
        TodoState::InProgress => (marks[1], Style::BOLD),
        TodoState::Completed => (marks[2], Style::DIM),
    };
    hanging(vec![Span::new(mark, style)], &[Span::new(clean(&todo.text), style)], columns)
}

fn answer(answer: &QuestionAnswer, columns: usize, options: &RenderOptions<'_>) -> Vec<StyledLine> {
    let mut lines = wrap(&[Span::new(clean(&answer.question), Style::BOLD)], columns);
    let arrow = format!("{} ", options.glyphs().arrow);
    match &answer.answer {
        Some(text) => lines.extend(hanging(
            vec![Span::new(arrow, Style::color(Color::Green))],
            &[Span::plain(clean(text))],
            columns,
        )),
        None => lines.extend(hanging(vec![Span::dim(arrow)], &[Span::dim("no answer")], columns)),
    }
    lines
}

/// Lays out lines indented after a mark.
pub(super) fn hanging(mark: StyledLine, text: &[Span], columns: usize) -> Vec<StyledLine> {
    let indent = line_width(&mark);
    let mut mark = Some(mark);
    let lines = wrap(text, columns.saturating_sub(indent).max(8)).into_iter();
    lines
        .map(|mut line| {
            let mut whole = mark.take().unwrap_or_else(|| vec![Span::plain(" ".repeat(indent))]);
            whole.append(&mut line);
            whole
        })
        .collect()
}
