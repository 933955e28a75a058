//! A list to choose from: typed letters filter it, arrows move, and what is chosen is shown in more detail beside or below.

use annals_ui::terminal::{Span, Style, StyledLine, clip_start, line_width, width, wrap};

use super::command::ChatCommand;
use super::draw::first_lines;
use super::keymap::{ChatKeyScope, ChatKeymap};
use crate::key::Key;

/// One row to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PickerRow {
    /// What the choice returns.
    pub answer: String,
    /// What is shown.
    pub line: StyledLine,
    /// More about it, shown while it is selected.
    pub preview: Vec<StyledLine>,
    /// Whether it is hidden until all rows are asked for.
    pub is_elsewhere: bool,
}

/// A list to choose from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picker {
    /// What is chosen.
    pub title: String,
    /// What to know before.
    pub about: Vec<StyledLine>,
    pub rows: Vec<PickerRow>,
    /// The row that is selected at first.
    pub preset: usize,
    /// What shows the rows that are elsewhere, such as `all projects`; empty if there are none.
    pub elsewhere: String,
}

/// What a key did to a picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PickerOutcome {
    Open,
    Cancel,
    Choose(String),
}

/// A list on the screen.
#[derive(Clone, Debug)]
pub(crate) struct OpenPicker {
    picker: Picker,
    filter: String,
    /// Among the rows that are shown.
    selected: usize,
    is_everything_shown: bool,
    is_preview_shown: bool,
}

/// Rows of a preview.
const MAX_PREVIEW: usize = 8;
/// Rows of the list that are left beside all else.
const MIN_ROWS: usize = 2;
/// Lists that are lower name fewer keys.
const MIN_HEIGHT_FOR_ALL_KEYS: usize = 10;
const MARK: &str = " ❯ ";

impl OpenPicker {
    pub(crate) fn new(picker: Picker) -> Self {
        let is_everything_shown = picker.rows.iter().all(|row| row.is_elsewhere);
        let selected = picker.preset;
        Self { picker, filter: String::new(), selected, is_everything_shown, is_preview_shown: true }
    }

    /// The rows that the filter leaves.
    fn shown(&self) -> Vec<&PickerRow> {
        let wanted: Vec<String> = self.filter.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let is_wanted = |row: &&PickerRow| {
            // What is found must be in sight: in the row, or in the preview that shows when it is selected.
            let spans = row.line.iter().chain(row.preview.iter().flat_map(|line| line.iter()));
            let text: Vec<&str> = spans.map(|span| span.text.as_str()).collect();
            let text = text.join(" ").to_lowercase();
            (self.is_everything_shown || !row.is_elsewhere) && wanted.iter().all(|word| text.contains(word))
        };
        self.picker.rows.iter().filter(is_wanted).collect()
    }

    /// Applies a key, which may mean a command. Letters filter, whatever they mean.
    pub(crate) fn press(&mut self, key: Key, command: Option<ChatCommand>) -> PickerOutcome {
        match key {
            Key::Backspace => {
                self.filter.pop();
                self.selected = 0;
            }
            Key::Char(character) => {
                self.filter.push(character);
                self.selected = 0;
            }
            _ => return command.map_or(PickerOutcome::Open, |command| self.run(command)),
        }
        PickerOutcome::Open
    }

    fn run(&mut self, command: ChatCommand) -> PickerOutcome {
        let last = self.shown().len().saturating_sub(1);
        match command {
            ChatCommand::Cancel => return PickerOutcome::Cancel,
            ChatCommand::Choose => {
                if let Some(row) = self.shown().get(self.selected) {
                    return PickerOutcome::Choose(row.answer.clone());
                }
            }
            ChatCommand::Up => self.scroll(-1),
            ChatCommand::Down => self.scroll(1),
            ChatCommand::PageUp => self.scroll(-10),
            ChatCommand::PageDown => self.scroll(10),
            ChatCommand::First => self.selected = 0,
            ChatCommand::Last => self.selected = last,
            ChatCommand::Everywhere if !self.picker.elsewhere.is_empty() => {
                self.is_everything_shown = !self.is_everything_shown;
                self.selected = 0;
            }
            ChatCommand::Preview => self.is_preview_shown = !self.is_preview_shown,
            _ => {}
        }
        PickerOutcome::Open
    }

    /// Selects another row.
    pub(crate) fn scroll(&mut self, rows: isize) {
        let last = self.shown().len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(rows).min(last);
    }

    /// Adds pasted text to the filter.
    pub(crate) fn paste(&mut self, text: &str) {
        self.filter.push_str(&annals_ui::one_line(text));
        self.selected = 0;
    }

    /// The rows of the screen, and the cursor behind the filter: column and row.
    pub(crate) fn rows(
        &self,
        columns: usize,
        height: usize,
        keymap: &ChatKeymap,
    ) -> (Vec<StyledLine>, (usize, usize)) {
        let shown = self.shown();
        let mut rows = self.head(columns, height);
        let filter = clip_start(&self.filter, columns.saturating_sub(10));
        let cursor = (9 + width(&filter), rows.len());
        rows.push(vec![Span::new(" search: ", Style::DIM), Span::plain(filter)]);
        let about = self.picker.about.iter().flat_map(|line| wrap(line, columns.saturating_sub(2)));
        rows.extend(first_lines(about.collect(), height / 3));
        let keys = self.keys(columns, height, keymap);
        let max_preview = height.saturating_sub(rows.len() + keys.len() + MIN_ROWS).min(height / 2);
        let mut preview = self.preview(shown.get(self.selected).copied(), columns);
        preview = first_lines(preview, max_preview.min(MAX_PREVIEW.max(height / 3)));
        let room = height.saturating_sub(rows.len() + preview.len() + keys.len()).max(1);
        // Where there is more above or below, a row says how much.
        let is_counted = shown.len() > room && room > 2;
        let room = if is_counted { room - 1 } else { room };
        let first = self.selected.saturating_sub(room.saturating_sub(1));
        for (at, row) in shown.iter().enumerate().skip(first).take(room) {
            let mark = if at == self.selected { Span::new(MARK, Style::BOLD) } else { Span::plain("   ") };
            let bold = |span: &Span| match at == self.selected {
                true => Span::new(span.text.clone(), span.style.bold()),
                false => span.clone(),
            };
            rows.push(std::iter::once(mark).chain(row.line.iter().map(bold)).collect());
        }
        if is_counted {
            rows.push(vec![Span::dim(format!("   … {} of {}", self.selected + 1, shown.len()))]);
        }
        if shown.is_empty() {
            rows.push(vec![Span::dim("   nothing matches")]);
        }
        rows.resize(height.saturating_sub(keys.len() + preview.len()).max(rows.len()), StyledLine::new());
        rows.extend(preview);
        rows.extend(keys);
        (rows, cursor)
    }

    /// What is chosen.
    fn head(&self, columns: usize, height: usize) -> Vec<StyledLine> {
        let title =
            wrap(&[Span::new(self.picker.title.clone(), Style::BOLD)], columns.saturating_sub(1).max(1));
        let mut rows = first_lines(title, (height / 4).max(1));
        rows.iter_mut().for_each(|row| row.insert(0, Span::plain(" ")));
        rows
    }

    /// What is selected, in more detail: a row that is cut stands there whole.
    fn preview(&self, selected: Option<&PickerRow>, columns: usize) -> Vec<StyledLine> {
        let Some(row) = selected.filter(|_| self.is_preview_shown) else { return Vec::new() };
        let is_cut = line_width(&row.line) + width(MARK) > columns;
        let whole = is_cut.then_some(&row.line).into_iter().chain(&row.preview);
        let lines = whole.flat_map(|line| wrap(line, columns.saturating_sub(4).max(1)));
        let mut lines: Vec<StyledLine> = lines.collect();
        lines.iter_mut().for_each(|line| line.insert(0, Span::dim("  │ ")));
        lines
    }

    fn keys(&self, columns: usize, height: usize, keymap: &ChatKeymap) -> Vec<StyledLine> {
        use ChatCommand::{Cancel, Choose, Everywhere, Preview};
        let elsewhere = format!(" {}", self.picker.elsewhere);
        let mut keys = vec![(Choose, " chooses"), (Cancel, " cancels"), (Preview, " preview")];
        if !self.picker.elsewhere.is_empty() {
            keys.push((Everywhere, &elsewhere));
        }
        let keys =
            wrap(&[Span::dim(keymap.hints(ChatKeyScope::Picker, &keys))], columns.saturating_sub(1).max(1));
        let mut rows = first_lines(keys, if height < MIN_HEIGHT_FOR_ALL_KEYS { 1 } else { 3 });
        rows.iter_mut().for_each(|row| row.insert(0, Span::plain(" ")));
        rows
    }
}
