//! What tools gave, as lines of a page.

use crate::figures::{counted, size};
use crate::view::{Answer, Diff, FileAct, FilePart, Hunk, Sign, Todo, TodoState, ToolOutput};

use super::fold::Fold;
use super::look::Look;
use super::prose::prose;
use super::style::{Ink, Line, Span, Style, line_width};
use super::wrap::{chop, cut, wrap};
use crate::clean::clean;

/// Rows that one long line of an output may take while folded.
const ROWS: usize = 2;

/// One output in so many columns.
pub(super) fn output(output: &ToolOutput, columns: usize, look: &Look<'_>, is_error: bool) -> Vec<Line> {
    match output {
        ToolOutput::Text(text) => {
            printed(text, columns, look, if is_error { Style::ink(Ink::Red) } else { Style::DIM })
        }
        ToolOutput::Complaint(text) => printed(text, columns, look, Style::ink(Ink::Yellow)),
        ToolOutput::Prose(text) => {
            let lines = prose(text, columns, look);
            Fold::new(lines.len(), look.output_lines * 2, look).apply(&lines, look, |line| vec![line.clone()])
        }
        ToolOutput::Diff(change) => diff(change, columns, look),
        ToolOutput::File(part) => file(part, columns, look),
        ToolOutput::Files { names, total } => files(names, *total, columns, look),
        ToolOutput::Image { media_type, bytes } => {
            vec![vec![Span::dim(format!("image {} {}", clean(media_type), size(*bytes as u64)))]]
        }
        ToolOutput::Todos(todos) => todos.iter().flat_map(|todo| self::todo(todo, columns, look)).collect(),
        ToolOutput::Answers(answers) => answers.iter().flat_map(|one| answer(one, columns, look)).collect(),
        ToolOutput::Denied { reason } => {
            let mut line = vec![Span::new("denied", Style::ink(Ink::Red).bold()), Span::plain(": ")];
            line.push(Span::plain(clean(reason)));
            let lines = wrap(&line, columns);
            Fold::new(lines.len(), look.output_lines, look).apply(&lines, look, |line| vec![line.clone()])
        }
    }
}

/// Text as it was printed, folded, each line chopped to the page.
pub(super) fn printed(text: &str, columns: usize, look: &Look<'_>, style: Style) -> Vec<Line> {
    let text = text.trim_matches(['\n', '\r']);
    let lines: Vec<&str> = text.lines().collect();
    // Lines are cleaned one by one, after folding: a megabyte of output costs what is shown of it.
    Fold::new(lines.len(), look.output_lines, look)
        .apply(&lines, look, |line| row(line.trim_end(), columns, look, style, words))
}

/// Breaks a line of output, which often is prose, at words.
fn words(line: &str, columns: usize, style: Style) -> Vec<Line> {
    wrap(&[Span::new(line, style)], columns)
}

/// Breaks a line of code anywhere.
fn pieces(line: &str, columns: usize, style: Style) -> Vec<Line> {
    chop(line, columns).into_iter().map(|piece| vec![Span::new(piece, style)]).collect()
}

type Break = fn(&str, usize, Style) -> Vec<Line>;

fn row(line: &str, columns: usize, look: &Look<'_>, style: Style, broken: Break) -> Vec<Line> {
    let enough = columns * ROWS;
    if look.full || line.len() <= enough {
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
    let mark = if is_cut { format!(" {}", look.ornaments().more) } else { String::new() };
    broken(&format!("{shown}{mark}"), columns, style).or_blank()
}

/// An empty text is still a line.
trait OrBlank {
    fn or_blank(self) -> Self;
}

impl OrBlank for Vec<Line> {
    fn or_blank(self) -> Self {
        if self.is_empty() { vec![Line::new()] } else { self }
    }
}

fn diff(diff: &Diff, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let widest = |hunk: &Hunk| {
        let longest =
            hunk.old_start.max(hunk.new_start).map(|start| start.saturating_add(hunk.lines.len() as u64));
        longest.map_or(0, |last| last.to_string().len())
    };
    let digits = diff.hunks.iter().map(widest).max().unwrap_or(0);
    let mut rows: Vec<Line> = Vec::new();
    for (at, hunk) in diff.hunks.iter().enumerate() {
        if at > 0 {
            rows.push(vec![Span::dim(format!("{:>digits$} {}", "", look.ornaments().more))]);
        }
        hunk_rows(hunk, digits, columns, look, &mut rows);
    }
    Fold::new(rows.len(), look.output_lines * 3, look).apply(&rows, look, |row| vec![row.clone()])
}

fn hunk_rows(hunk: &Hunk, digits: usize, columns: usize, look: &Look<'_>, rows: &mut Vec<Line>) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let step = |number: &mut Option<u64>| {
        let here = *number;
        *number = here.map(|number| number.saturating_add(1));
        here
    };
    for line in &hunk.lines {
        let (number, sign, style) = match line.sign {
            Sign::Kept => {
                step(&mut old);
                (step(&mut new), " ", Style::DIM)
            }
            Sign::Added => (step(&mut new), "+", Style::ink(Ink::Green)),
            Sign::Removed => (step(&mut old), "-", Style::ink(Ink::Red)),
        };
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let room = columns.saturating_sub(digits + 3).max(8);
        for (at, mut piece) in row(&line.text, room, look, style, pieces).into_iter().enumerate() {
            let (number, sign) = if at == 0 { (number.as_str(), sign) } else { ("", " ") };
            let gutter = if digits == 0 { String::new() } else { format!("{number:>digits$} ") };
            piece.splice(0..0, [Span::dim(gutter), Span::new(format!("{sign} "), style)]);
            rows.push(piece);
        }
    }
}

fn file(part: &FilePart, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let lines: Vec<&str> = part.text.lines().collect();
    let mut facts = counted(lines.len(), "line");
    if let Some(total) = part.total_lines.filter(|&total| total != lines.len() as u64) {
        let last = part.start_line.saturating_add((lines.len() as u64).saturating_sub(1));
        facts = format!("lines {}-{last} of {total}", part.start_line);
    }
    let head = vec![Span::dim(facts)];
    if part.act == FileAct::Read && !look.full {
        return vec![head];
    }
    let digits = part.start_line.saturating_add(lines.len() as u64).to_string().len();
    let numbered: Vec<(u64, &str)> = (0..).map(|at| part.start_line.saturating_add(at)).zip(lines).collect();
    let style = if part.act == FileAct::Written { Style::ink(Ink::Green) } else { Style::DIM };
    let sign = if part.act == FileAct::Written { "+ " } else { "  " };
    let room = columns.saturating_sub(digits + 3).max(8);
    let rows = Fold::new(numbered.len(), look.output_lines, look).apply(&numbered, look, |(number, text)| {
        let rows = row(text, room, look, style, pieces).into_iter().enumerate();
        rows.map(|(at, mut piece)| {
            let (number, sign) = if at == 0 { (number.to_string(), sign) } else { (String::new(), "  ") };
            piece.splice(0..0, [Span::dim(format!("{number:>digits$} ")), Span::new(sign, style)]);
            piece
        })
        .collect()
    });
    std::iter::once(head).chain(rows).collect()
}

fn files(names: &[String], total: Option<u64>, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let count = total.map_or(names.len(), |total| total as usize);
    let head = vec![Span::dim(counted(count, "file"))];
    let name = |name: &String| row(name, columns, look, Style::DIM, pieces);
    let most = (look.output_lines / 2).max(1);
    std::iter::once(head).chain(Fold::new(names.len(), most, look).apply(names, look, name)).collect()
}

fn todo(todo: &Todo, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let marks = look.ornaments().todo;
    let (mark, style) = match todo.state {
        TodoState::Pending => (marks[0], Style::PLAIN),
        TodoState::InProgress => (marks[1], Style::BOLD),
        TodoState::Completed => (marks[2], Style::DIM),
    };
    hanging(vec![Span::new(mark, style)], &[Span::new(clean(&todo.text), style)], columns)
}

fn answer(answer: &Answer, columns: usize, look: &Look<'_>) -> Vec<Line> {
    let mut lines = wrap(&[Span::new(clean(&answer.question), Style::BOLD)], columns);
    let arrow = format!("{} ", look.ornaments().arrow);
    match &answer.answer {
        Some(text) => lines.extend(hanging(
            vec![Span::new(arrow, Style::ink(Ink::Green))],
            &[Span::plain(clean(text))],
            columns,
        )),
        None => lines.extend(hanging(vec![Span::dim(arrow)], &[Span::dim("no answer")], columns)),
    }
    lines
}

/// Lines that hang behind a mark.
pub(super) fn hanging(mark: Line, text: &[Span], columns: usize) -> Vec<Line> {
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
