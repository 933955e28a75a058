//! Frames: rows of styled text, and the cells that they become. Every text is cleaned on its way into a cell.

use annals_ui::terminal::{Color, Span, Style, StyledLine, clip, width};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use regex::Regex;

use super::command::ChatCommand;
use super::effect::ScreenLayout;
use super::keymap::{ChatKeyScope, with_hints};
use super::log::FinishedLines;
use super::screen::ChatScreen;
use super::status_line::StatusLine;
use crate::draw::{SELECTED, mark_matches, put_spans, to_ascii};
use crate::editor::EditorView;
use crate::picture::{Picture, VisiblePicture, put_placeholders};

/// Queued prompts that are shown.
const MAX_QUEUE_SHOWN: usize = 3;
/// Todos that are shown during a turn.
const MAX_TODOS_SHOWN: usize = 5;
const SPINNER: [&str; 4] = ["✶", "✳", "✢", "✳"];

/// Rows of a screen, and where the cursor is: column and row.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChatFrame {
    pub(crate) rows: Vec<StyledLine>,
    pub(crate) cursor: Option<(usize, usize)>,
    /// The first row of a status line, and how its rows look.
    pub(crate) status: Option<(usize, StatusLine)>,
    /// The parts of pictures in blank rows of them.
    pub(crate) pictures: Vec<VisiblePicture>,
    /// What is marked in the rows between the first and the last.
    pub(crate) marked: Option<Regex>,
    /// The row that keys are about.
    pub(crate) selected: Option<usize>,
}

/// The first lines; a sign ends the last one if there are more.
pub(super) fn first_lines(mut lines: Vec<StyledLine>, max: usize) -> Vec<StyledLine> {
    if lines.len() > max {
        let hidden = lines.len() - max;
        lines.truncate(max);
        if let Some(last) = lines.last_mut() {
            last.push(Span::dim(format!(" … {hidden} more")));
        }
    }
    lines
}

/// Rows for the scrollback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedRows {
    pub cells: Buffer,
    /// The pictures in blank rows of them, each with the first of its rows.
    pub pictures: Vec<(u16, Picture)>,
}

impl ChatFrame {
    /// Follows rows that are put above.
    fn move_down(&mut self, rows: usize) {
        self.cursor = self.cursor.map(|(column, row)| (column, row + rows));
        self.status = self.status.take().map(|(first, status)| (first + rows, status));
    }

    /// Puts the rows into cells. The last column stays free: a row that does not fit before it ends with a sign.
    pub(crate) fn cells(&self, columns: u16, unicode: bool) -> Buffer {
        let rows = u16::try_from(self.rows.len()).unwrap_or(u16::MAX);
        let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
        let inside = columns.saturating_sub(1).max(1);
        for (at, line) in self.rows.iter().enumerate() {
            let y = u16::try_from(at).unwrap_or(u16::MAX);
            put_spans(&mut buffer, Rect::new(0, y, inside, 1), line);
            if let Some(pattern) = self.marked.as_ref().filter(|_| at > 0 && at + 1 < self.rows.len()) {
                mark_matches(&mut buffer, Rect::new(0, y, inside, 1), line, pattern);
            }
            if self.selected == Some(at) {
                buffer.set_style(Rect::new(0, y, inside, 1), SELECTED);
            }
        }
        if let Some((first, status)) = &self.status {
            status.paint(&mut buffer, *first, inside);
        }
        if !unicode {
            to_ascii(&mut buffer);
        }
        let placeholders = self.pictures.iter().filter(|picture| !picture.is_overlay);
        placeholders.for_each(|picture| put_placeholders(&mut buffer, picture));
        buffer
    }
}

impl ChatScreen {
    /// Takes the lines that are finished, for the scrollback.
    pub(crate) fn take_finished(&mut self) -> FinishedLines {
        let options = self.render_options();
        // The cursor goes back to the first row of a picture, and must find it on the screen.
        self.log.take_finished(&options, usize::from(self.size.1).saturating_sub(2))
    }

    /// The part below the scrollback: what is not finished, and what is typed.
    pub(crate) fn live_frame(&mut self) -> ChatFrame {
        let max = usize::from(self.size.1).saturating_sub(1).max(2);
        let mut below = self.bottom(max);
        let room = max.saturating_sub(below.rows.len());
        let options = self.render_options();
        let mut rows = self.log.unfinished(&options, room.saturating_sub(1));
        if room > 0 && !(rows.is_empty() && self.log.len() == 0) {
            rows.push(StyledLine::new());
        }
        below.move_down(rows.len());
        rows.append(&mut below.rows);
        ChatFrame { rows, ..below }
    }

    /// The whole screen.
    pub(crate) fn full_frame(&mut self) -> ChatFrame {
        let (columns, height) = (self.columns(), usize::from(self.size.1).max(2));
        let options = self.render_options();
        if let Some(page) = &mut self.page {
            page.has_earlier = page.is_transcript() && self.earlier.is_some();
            let rows = page.rows(&self.log, &options, height, &self.keymap);
            // They are below the title.
            let below = |picture: &VisiblePicture| VisiblePicture { row: picture.row + 1, ..*picture };
            let pictures = page.view.pictures.iter().map(below).collect();
            let selected = page.view.selected_row().map(|row| row + 1);
            let marked = page.find.pattern.clone();
            return ChatFrame { rows, pictures, marked, selected, ..ChatFrame::default() };
        }
        if let Some(picker) = &self.picker {
            let (mut rows, cursor) = picker.rows(columns, height, &self.keymap);
            rows.truncate(height);
            return ChatFrame { rows, cursor: Some(cursor), ..ChatFrame::default() };
        }
        if let Some(tasks) = &self.tasks {
            let mut rows = tasks.rows(columns, height, &self.keymap);
            rows.truncate(height);
            return ChatFrame { rows, ..ChatFrame::default() };
        }
        let mut below = self.bottom(height);
        self.view.resize(columns, height.saturating_sub(below.rows.len() + 1));
        let mut rows = self.view.visible(&self.log, &options);
        rows.resize(height.saturating_sub(below.rows.len() + 1), StyledLine::new());
        if height > below.rows.len() {
            rows.push(match self.view.is_at_end() {
                true => StyledLine::new(),
                false => {
                    let key = self.keymap.hints(ChatKeyScope::Prompt, &[(ChatCommand::PageDown, "")]);
                    vec![Span::dim(with_hints("  … more below".to_owned(), &key))]
                }
            });
        }
        below.move_down(rows.len());
        rows.append(&mut below.rows);
        ChatFrame { rows, pictures: self.view.pictures.clone(), ..below }
    }

    /// Draws what is shown now: in the inline layout the rows below the scrollback, otherwise the whole screen. Also returns
    /// where the cursor is, column and row.
    pub fn draw(&mut self) -> (Buffer, Option<(usize, usize)>) {
        let frame = match self.options.layout {
            ScreenLayout::Inline if !self.is_covered() => self.live_frame(),
            _ => self.full_frame(),
        };
        let (columns, last) = (usize::from(self.size.0), frame.rows.len().saturating_sub(1));
        let within = |(column, row): (usize, usize)| (column.min(columns.saturating_sub(1)), row.min(last));
        self.placed.clone_from(&frame.pictures);
        (frame.cells(self.size.0, self.options.unicode), frame.cursor.map(within))
    }

    /// Takes what is finished and not in the scrollback yet.
    pub fn scroll_off(&mut self) -> FinishedRows {
        let finished = self.take_finished();
        self.finished_rows(finished)
    }

    /// Puts finished lines into cells.
    pub(crate) fn finished_rows(&self, finished: FinishedLines) -> FinishedRows {
        let frame = ChatFrame { rows: finished.lines, ..ChatFrame::default() };
        let place = |(row, picture): (usize, Picture)| Some((u16::try_from(row).ok()?, picture));
        let pictures = finished.pictures.into_iter().filter_map(place).collect();
        FinishedRows { cells: frame.cells(self.size.0, self.options.unicode), pictures }
    }

    /// What the turn waits for, the queue, and the question or the prompt.
    fn bottom(&mut self, max_rows: usize) -> ChatFrame {
        let columns = self.columns();
        if !self.questions.is_empty() {
            return self.question_frame(columns, max_rows);
        }
        let mut rows: Vec<StyledLine> = Vec::new();
        if let Some(work) = &self.work {
            let at = usize::try_from(work.elapsed(self.now).as_millis() / 250).unwrap_or(0);
            let mut line = work.line(self.now);
            if self.tokens > 0 {
                line = format!("{line} · {}", annals_ui::figures::tokens(self.tokens));
            }
            let sign = Span::new(format!("{} ", SPINNER[at % SPINNER.len()]), Style::color(Color::Magenta));
            rows.push(vec![sign, Span::dim(clip(&line, columns.saturating_sub(2)))]);
            if let Some(thought) = self.thinking.trim().lines().last() {
                let text = clip(thought, columns.saturating_sub(4));
                rows.push(vec![Span::new(format!("  ∴ {text}"), Style::DIM.italic())]);
            }
            rows.extend(first_lines(self.todos.clone(), MAX_TODOS_SHOWN));
        }
        let hidden = self.queue.len().saturating_sub(MAX_QUEUE_SHOWN);
        for (at, text) in self.queue.iter().take(MAX_QUEUE_SHOWN).enumerate() {
            let more =
                if hidden > 0 && at + 1 == MAX_QUEUE_SHOWN { format!(" (+{hidden})") } else { String::new() };
            let edits = self.keymap.hints(ChatKeyScope::Prompt, &[(ChatCommand::TakeBack, " edits")]);
            let hint = if at == 0 && more.is_empty() { with_hints(String::new(), &edits) } else { more };
            let text = clip(&text.display, columns.saturating_sub(21).max(8));
            rows.push(vec![Span::dim(format!("  queued: {text}{hint}"))]);
        }
        rows.truncate(max_rows.saturating_sub(4));
        let rule = vec![Span::dim(self.rule(columns))];
        rows.push(rule.clone());
        let status = self.status.texts();
        let free = max_rows.saturating_sub(rows.len() + 2 + status.len());
        let room = free.min(max_rows / 2).max(1);
        let number = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
        let mut view = self.editor.view(number(columns), number(room));
        if view.rows.len() + view.menu.len() > free {
            // What is chosen from comes before what is typed.
            view = self.editor.view(number(columns), number(free.saturating_sub(view.menu.len()).max(1)));
        }
        let cursor = (usize::from(view.cursor.0), usize::from(view.cursor.1) + rows.len());
        rows.extend(view.rows);
        rows.push(vec![Span::dim("─".repeat(columns))]);
        let room = max_rows.saturating_sub(rows.len() + 1 + status.len());
        rows.extend(view.menu.into_iter().take(room));
        let painted = Some((rows.len(), self.status.clone()));
        rows.extend(status);
        rows.push(self.footer.row(self.hint.as_deref(), view.sign.as_deref(), columns, &self.keymap));
        rows.truncate(max_rows);
        ChatFrame { rows, cursor: Some(cursor), status: painted, ..ChatFrame::default() }
    }

    /// The first question. While the person types, what they type is below it.
    fn question_frame(&mut self, columns: usize, max_rows: usize) -> ChatFrame {
        let is_typing = self.is_typing_beside_question();
        let mut typed = EditorView::default();
        if is_typing {
            let number = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
            typed = self.editor.view(number(columns), number((max_rows / 4).max(1)));
            typed.rows.insert(0, vec![Span::dim("─".repeat(columns))]);
            typed.cursor.1 += 1;
        }
        let Some(question) = self.questions.front_mut() else { return ChatFrame::default() };
        let room = max_rows.saturating_sub(1 + typed.rows.len()).max(1);
        let (mut rows, mut cursor) = question.rows(columns, room, &self.keymap);
        if is_typing {
            // In the place of the keys that answer it.
            let cancels = self.keymap.hints(ChatKeyScope::Question, &[(ChatCommand::Cancel, " cancels")]);
            let pause = with_hints("keys go to the prompt until you pause".to_owned(), &cancels);
            let text = self.hint.as_deref().unwrap_or(&pause);
            rows.pop();
            rows.push(vec![Span::new(clip(&format!("  {text}"), columns), Style::color(Color::Yellow))]);
        }
        rows.truncate(max_rows.saturating_sub(typed.rows.len()).max(1));
        if !typed.rows.is_empty() {
            cursor = Some((usize::from(typed.cursor.0), usize::from(typed.cursor.1) + rows.len()));
            rows.append(&mut typed.rows);
        }
        ChatFrame { rows, cursor, ..ChatFrame::default() }
    }

    /// The rule above the prompt, with the title of the session at its right end.
    fn rule(&self, columns: usize) -> String {
        match &self.footer.title {
            Some(title) => {
                let title = clip(title, columns.saturating_sub(8));
                let left = columns.saturating_sub(width(&title) + 4);
                format!("{} {title} ──", "─".repeat(left))
            }
            None => "─".repeat(columns),
        }
    }
}
