//! What is seen of the editor: rows around the cursor, the menu, and signs for the footer.
//!
//! Only the rows that are shown are laid out, and nothing of a text reaches a row that could control the terminal.

use std::ops::Range;

use annals_ui::terminal::{Color, Span, Style, StyledLine, clip, width as columns_in};
use annals_ui::{grapheme, one_line};

use super::apply::SHELL_SIGN;
use super::layout::{clusters, columns_of, push_shown, row_of, rows, segment};
use super::menu::{MAX_MENU_ROWS, Menu, MenuItem};
use super::search::HistorySearch;
use super::vim::VimMode;
use super::{Editor, EditorMode};

const MARK: &str = "❯ ";
const SEARCH_MARK: &str = "search: ";
const SELECTED_MARK: &str = "❯ ";
/// Narrower editors have no mark.
const MIN_WIDTH_FOR_MARK: usize = 8;
/// Rows of the selected prompt that a search shows.
const MAX_PREVIEW_ROWS: usize = 3;
const CHIP: Style = Style::color(Color::Cyan);
const SHELL: Style = Style::color(Color::Magenta).bold();
const SELECTED: Style = Style::color(Color::Cyan).bold();

/// What is seen of an editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorView {
    /// The rows of the text around the cursor, or the filter of a search.
    pub rows: Vec<StyledLine>,
    /// The cursor: column and row.
    pub cursor: (u16, u16),
    /// The rows of the menu or of the search; empty if none is open.
    pub menu: Vec<StyledLine>,
    /// Signs for the footer: the mode of vim, the shell, the scope of a search, a stash.
    pub sign: Option<String>,
}

/// A row of the text: its line, and its bytes there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextRow {
    line: usize,
    bytes: Range<usize>,
}

impl Editor {
    /// Draws the editor in at most this many columns and rows.
    pub fn view(&self, width: u16, max_rows: u16) -> EditorView {
        let width = usize::from(width).max(1);
        let indent = if width < MIN_WIDTH_FOR_MARK { 0 } else { columns_in(MARK) };
        self.row_columns.set(width - indent);
        if let Some(search) = &self.search {
            return search_view(search, width, self.sign());
        }
        let (rows, cursor) = self.text_rows(width - indent, usize::from(max_rows).max(1));
        let sign =
            [self.hidden_rows(&rows), self.sign()].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let column = self.cursor_column(&rows[cursor], indent);
        let mut lines: Vec<StyledLine> = rows.iter().map(|row| self.row_line(row, indent)).collect();
        let mut place = (column, cursor);
        if column >= width {
            // Behind a full row, the cursor begins the next one.
            lines.insert(cursor + 1, vec![Span::plain(" ".repeat(indent))]);
            place = (indent, cursor + 1);
            if lines.len() > usize::from(max_rows).max(1) {
                lines.remove(0);
                place.1 -= 1;
            }
        }
        let number = |value: usize| u16::try_from(value).unwrap_or(u16::MAX);
        EditorView {
            rows: lines,
            cursor: (number(place.0), number(place.1)),
            menu: self.menu.as_ref().map_or_else(Vec::new, |menu| menu_rows(menu, width)),
            sign: (!sign.is_empty()).then_some(sign),
        }
    }

    /// Says which line has the cursor, if not all rows of the text are shown.
    fn hidden_rows(&self, shown: &[TextRow]) -> Option<String> {
        let (first, last) = (shown.first()?, shown.last()?);
        let end = self.area.buffer.end();
        let is_whole =
            (first.line, first.bytes.start) == (0, 0) && (last.line, last.bytes.end) == (end.line, end.byte);
        let (line, lines) = (self.area.cursor.line + 1, end.line + 1);
        (!is_whole).then(|| match lines {
            1 => "… more of the line".to_owned(),
            _ => format!("line {line} of {lines}"),
        })
    }

    /// Returns the rows around the cursor, and which of them has it.
    fn text_rows(&self, max: usize, max_rows: usize) -> (Vec<TextRow>, usize) {
        let cursor = self.area.cursor;
        let part = segment(self.area.buffer.line(cursor.line), cursor.byte);
        let here = self.rows_of(cursor.line, &part, max);
        let laid: Vec<Range<usize>> = here.iter().map(|row| row.bytes.clone()).collect();
        let mut at = row_of(&laid, cursor.byte);
        let mut shown = here;
        let mut first = (cursor.line, part.clone());
        while at + 1 < max_rows {
            let Some((line, part)) = self.part_above(&first) else { break };
            let above = self.rows_of(line, &part, max);
            at += above.len();
            shown.splice(0..0, above);
            first = (line, part);
        }
        let cut = (at + 1).saturating_sub(max_rows);
        shown.drain(..cut);
        let mut last = (cursor.line, part);
        while shown.len() < max_rows {
            let Some((line, part)) = self.part_below(&last) else { break };
            shown.extend(self.rows_of(line, &part, max));
            last = (line, part);
        }
        shown.truncate(max_rows);
        (shown, at - cut)
    }

    fn rows_of(&self, line: usize, part: &Range<usize>, max: usize) -> Vec<TextRow> {
        let laid = rows(&self.area.buffer.line(line)[part.clone()], max);
        let row = |row: Range<usize>| TextRow { line, bytes: part.start + row.start..part.start + row.end };
        laid.into_iter().map(row).collect()
    }

    fn part_above(&self, (line, part): &(usize, Range<usize>)) -> Option<(usize, Range<usize>)> {
        if part.start > 0 {
            return Some((*line, segment(self.area.buffer.line(*line), part.start - 1)));
        }
        let above = line.checked_sub(1)?;
        let text = self.area.buffer.line(above);
        Some((above, segment(text, text.len())))
    }

    fn part_below(&self, (line, part): &(usize, Range<usize>)) -> Option<(usize, Range<usize>)> {
        if part.end < self.area.buffer.line(*line).len() {
            return Some((*line, segment(self.area.buffer.line(*line), part.end)));
        }
        let below = Some(line + 1).filter(|below| *below <= self.area.buffer.last_line())?;
        Some((below, segment(self.area.buffer.line(below), 0)))
    }

    fn is_shell(&self) -> bool {
        self.area.buffer.line(0).starts_with(SHELL_SIGN)
    }

    /// Whether the sign of the shell stands where the mark would be.
    fn has_shell_mark(&self, row: &TextRow, indent: usize) -> bool {
        row.line == 0 && row.bytes.start == 0 && indent > 0 && self.is_shell()
    }

    fn cursor_column(&self, row: &TextRow, indent: usize) -> usize {
        let at = self.area.cursor.byte;
        let start = row.bytes.start + usize::from(self.has_shell_mark(row, indent));
        if at < start {
            return 0;
        }
        indent + columns_of(&self.area.buffer.line(row.line)[start..at])
    }

    fn row_line(&self, row: &TextRow, indent: usize) -> StyledLine {
        let mut start = row.bytes.start;
        let mut line = Vec::new();
        if self.has_shell_mark(row, indent) {
            line.push(Span::new(format!("{SHELL_SIGN} "), SHELL));
            start += 1;
        } else if indent > 0 {
            let is_first = row.line == 0 && row.bytes.start == 0;
            line.push(Span::new(if is_first { MARK } else { "  " }, Style::BOLD));
        }
        let text = self.area.buffer.line(row.line);
        let part = segment(text, start);
        let marks = self
            .area
            .chips
            .marks(&text[part.clone()])
            .map(|(mark, _)| part.start + mark.start..part.start + mark.end);
        let mut at = start;
        for mark in marks.filter(|mark| mark.end > start && mark.start < row.bytes.end) {
            // A character is drawn in one piece: marks that follow a chip join its last letter.
            let end_around = |place: usize| grapheme::next(text, grapheme::previous(text, place));
            let from = match mark.start.max(at) {
                from if from == at || end_around(from) == from => from,
                within => grapheme::previous(text, within),
            };
            let to = end_around(mark.end).min(row.bytes.end);
            push_text(&mut line, &text[at..from], Style::PLAIN);
            push_text(&mut line, &text[from..to], CHIP);
            at = to;
        }
        push_text(&mut line, &text[at..row.bytes.end], Style::PLAIN);
        line
    }

    fn sign(&self) -> Option<String> {
        let mut signs = Vec::new();
        if self.mode == EditorMode::Vim {
            signs.push(match self.vim.mode {
                VimMode::Insert => "-- INSERT --".to_owned(),
                VimMode::Normal => {
                    format!("-- NORMAL -- {}", one_line(&self.vim.pending())).trim_end().to_owned()
                }
            });
        }
        let place =
            |selected: usize, all: usize| (all > MAX_MENU_ROWS).then(|| format!("{} of {all}", selected + 1));
        if let Some(search) = &self.search {
            signs.extend(place(search.selected, search.found.len()));
            signs.push(format!("{} · ctrl-s other prompts", search.scope.name()));
        } else if let Some(menu) = &self.menu {
            signs.extend(place(menu.selected, menu.items.len()));
        } else if self.is_shell() {
            signs.push("! runs in the shell".to_owned());
        }
        if self.stash.is_some() {
            signs.push("stashed · ctrl-s in an empty input brings it back".to_owned());
        }
        (!signs.is_empty()).then(|| signs.join(" · "))
    }
}

fn push_text(line: &mut StyledLine, text: &str, style: Style) {
    if text.is_empty() {
        return;
    }
    let mut shown = String::new();
    clusters(text).for_each(|(_, cluster)| push_shown(&mut shown, cluster));
    line.push(Span::new(shown, style));
}

/// A row of a menu: a name, and what is said of it.
fn menu_row(name: &str, about: &str, is_selected: bool, (names, width): (usize, usize)) -> StyledLine {
    let mark = if is_selected { SELECTED_MARK } else { "  " };
    let style = if is_selected { SELECTED } else { Style::PLAIN };
    let inside = width.saturating_sub(columns_in(mark));
    let name = clip(name, if about.is_empty() { inside } else { names.min(inside) });
    let used = columns_in(&name);
    let gap = names.saturating_sub(used) + 2;
    let rest = inside.saturating_sub(used + gap);
    let mut line = vec![Span::new(clip(mark, width), style), Span::new(name, style)];
    if !about.is_empty() && rest > 1 {
        line.push(Span::plain(" ".repeat(gap)));
        line.push(Span::dim(clip(about, rest)));
    }
    line
}

fn menu_rows(menu: &Menu, width: usize) -> Vec<StyledLine> {
    let texts = menu.visible().map(|(item, is_selected)| {
        let (name, about) = match item {
            MenuItem::Command(entry) if entry.hint.is_empty() => {
                (format!("/{}", entry.name), &entry.description)
            }
            MenuItem::Command(entry) => (format!("/{} {}", entry.name, entry.hint), &entry.description),
            MenuItem::Mention(entry) => (format!("@{}", entry.name), &entry.description),
        };
        (one_line(&name), about.as_str(), is_selected)
    });
    let texts: Vec<_> = texts.collect();
    let widest = texts.iter().map(|(name, ..)| columns_in(name)).max().unwrap_or(0);
    let columns = (widest.min(width / 2), width);
    texts.iter().map(|(name, about, is_selected)| menu_row(name, about, *is_selected, columns)).collect()
}

fn search_view(search: &HistorySearch, width: usize, sign: Option<String>) -> EditorView {
    // Of a long filter the end is shown.
    let inside = width.saturating_sub(columns_in(SEARCH_MARK) + 1);
    let mut query = one_line(&search.query);
    if search.query.ends_with(' ') {
        query.push(' ');
    }
    while columns_in(&query) > inside && !query.is_empty() {
        query.drain(..grapheme::nth(&query, 1));
    }
    let mark = clip(SEARCH_MARK, width);
    let column = (columns_in(&mark) + columns_in(&query)).min(width - 1);
    let mut menu: Vec<StyledLine> = search
        .visible()
        .map(|(prompt, is_selected)| menu_row(&one_line(&prompt.display), "", is_selected, (width, width)))
        .collect();
    if menu.is_empty() {
        menu.push(vec![Span::dim(clip("  no such prompt", width))]);
    }
    if let Some(selected) = search.found.get(search.selected).filter(|prompt| prompt.display.contains('\n')) {
        let all = selected.display.lines().count();
        for (at, line) in selected.display.lines().take(MAX_PREVIEW_ROWS).enumerate() {
            let more = if at + 1 == MAX_PREVIEW_ROWS && all > MAX_PREVIEW_ROWS { " …" } else { "" };
            let line = clip(&format!("  │ {line}"), width.saturating_sub(columns_in(more)).max(1));
            menu.push(vec![Span::dim(line + more)]);
        }
    }
    EditorView {
        rows: vec![vec![Span::new(mark, Style::BOLD), Span::plain(query)]],
        cursor: (u16::try_from(column).unwrap_or(u16::MAX), 0),
        menu,
        sign,
    }
}
