//! How a question is laid out: what it is about, why it is asked, its answers and its keys, in as many rows as there are.

use annals_ui::terminal::{Color, Span, Style, StyledLine, clip, clip_start, width, wrap};

use super::command::ChatCommand;
use super::draw::first_lines;
use super::keymap::{ChatKeyScope, ChatKeymap};
use super::question::{OpenQuestion, QuestionChoice, QuestionKind};

/// Rows of why it is asked.
const MAX_WHY: usize = 4;

impl OpenQuestion {
    /// Lays it out in at most this many rows. What is laid out counts as seen.
    pub(crate) fn rows(
        &mut self,
        columns: usize,
        max_rows: usize,
        keymap: &ChatKeymap,
    ) -> (Vec<StyledLine>, Option<(usize, usize)>) {
        let inside = columns.saturating_sub(2).max(8);
        let mut rows = vec![rule(columns)];
        let title = wrap(&self.question.title, columns);
        let max_title = (max_rows / 3).max(1);
        // Of a title that is too long, all is in the body.
        let long_title = (title.len() > max_title).then(|| wrap(&self.question.title, inside));
        rows.extend(first_lines(title, max_title));
        let body = self.question.body.iter().flat_map(|line| wrap(line, inside));
        let mut body: Vec<StyledLine> = long_title.into_iter().flatten().chain(body).collect();
        let answers = self.answers(inside);
        let all: usize = answers.iter().map(Vec::len).sum();
        // What is asked about comes before why it is asked, and both before answers that are not selected.
        let why: Vec<StyledLine> = self.question.why.iter().flat_map(|line| wrap(line, inside)).collect();
        let least = if body.is_empty() { 0 } else { body.len().min(3) + 1 };
        let max_why = max_rows.saturating_sub(rows.len() + all + 1 + least);
        let (why, hidden) =
            if why.len() > max_why.min(MAX_WHY) { (Vec::new(), why) } else { (why, Vec::new()) };
        body.extend(hidden);
        // Of what is asked about a few rows are in sight, whatever the answers take; but the one that is selected is whole.
        let free = max_rows.saturating_sub(rows.len() + why.len() + 1);
        let few = if body.is_empty() { 0 } else { body.len().min((max_rows / 3).max(3)) + 1 };
        let selected = answers.get(self.selected).map_or(0, Vec::len) + 1;
        let room = free.saturating_sub(few).max(selected.min(free.saturating_sub(few.min(2)))).max(1);
        let below: Vec<StyledLine> =
            why.into_iter().chain(self.shown_answers(answers, room, keymap)).collect();
        let fixed = rows.len() + below.len() + 1;
        // In a terminal that is too small for it nothing is seen, and nothing can be allowed.
        self.fits = body.len().min(max_rows.saturating_sub(fixed));
        if self.fits < body.len() {
            self.fits = max_rows.saturating_sub(fixed + 1);
        }
        self.rows = body.len();
        self.top = self.top.min(self.rows.saturating_sub(self.fits));
        self.seen = self.seen.max(self.top + self.fits);
        for line in body.iter().skip(self.top).take(self.fits) {
            rows.push(std::iter::once(Span::plain("  ")).chain(line.iter().cloned()).collect());
        }
        if self.rows > self.fits {
            rows.push(self.position(columns, keymap));
        }
        rows.extend(below);
        let cursor = self.last_row(columns, inside, keymap, &mut rows);
        (rows, cursor)
    }

    /// The answers, each with its rows.
    fn answers(&self, inside: usize) -> Vec<Vec<StyledLine>> {
        let answer = |(at, choice): (usize, &QuestionChoice)| {
            let is_selected = at == self.selected;
            let mark = if is_selected { "❯ " } else { "  " };
            let style = if is_selected { Style::BOLD } else { Style::PLAIN };
            let tick = match self.question.is_multiple && self.is_pick(at) {
                true if self.picked.contains(&at) => "[x] ",
                true => "[ ] ",
                false => "",
            };
            let text = Span::new(format!("{tick}{}. {}", at + 1, choice.label), style);
            let mut lines = wrap(&[text], inside.saturating_sub(3).max(1));
            for (number, line) in lines.iter_mut().enumerate() {
                line.insert(0, Span::new(if number == 0 { mark } else { "     " }, style));
            }
            lines
        };
        self.question.choices.iter().enumerate().map(answer).collect()
    }

    /// The rows of the answers that fit, around the one that is selected; notes which were shown whole.
    fn shown_answers(
        &mut self,
        answers: Vec<Vec<StyledLine>>,
        room: usize,
        keymap: &ChatKeymap,
    ) -> Vec<StyledLine> {
        let count = answers.len();
        if answers.iter().map(Vec::len).sum::<usize>() <= room {
            self.shown.extend(0..count);
            return answers.into_iter().flatten().collect();
        }
        let room = room.saturating_sub(1).max(1);
        let mut first = self.selected;
        let mut used = answers.get(first).map_or(0, Vec::len);
        while let Some(above) = first.checked_sub(1).filter(|above| used + answers[*above].len() <= room) {
            used += answers[above].len();
            first = above;
        }
        let mut rows = Vec::new();
        for (at, lines) in answers.into_iter().enumerate().skip(first) {
            let is_whole = rows.len() + lines.len() <= room;
            if is_whole {
                self.shown.insert(at);
            } else if at != self.selected {
                break;
            }
            rows.extend(lines.into_iter().take(room - rows.len()));
        }
        let keys = keymap
            .hints(ChatKeyScope::Question, &[(ChatCommand::Up, " select"), (ChatCommand::Down, " select")]);
        rows.push(vec![Span::dim(format!("  … {} of {count} answers · {keys}", self.selected + 1))]);
        rows
    }

    /// Where the body stands.
    fn position(&self, columns: usize, keymap: &ChatKeymap) -> StyledLine {
        let scroll = [(ChatCommand::PageUp, " scroll"), (ChatCommand::PageDown, " scroll")];
        let scroll = keymap.hints(ChatKeyScope::Question, &scroll);
        let down = keymap.hints(ChatKeyScope::Question, &[(ChatCommand::PageDown, "")]);
        let left = self.rows - (self.top + self.fits);
        let text = match (left, self.is_seen()) {
            (0, _) => format!("  (end) · {scroll}"),
            (left, true) => format!("  … {left} more lines · {scroll}"),
            (left, false) => format!("  … {left} more lines · {down} · read all to allow"),
        };
        let text = if width(&text) > columns { text.replace(&format!(" lines · {down}"), "") } else { text };
        let is_warning = self.is_unread_told && !self.is_seen();
        let style = if is_warning { Style::color(Color::Yellow) } else { Style::DIM };
        vec![Span::new(clip(&text, columns), style)]
    }

    /// Adds the keys, or the words that are typed, whose cursor is returned.
    fn last_row(
        &self,
        columns: usize,
        inside: usize,
        keymap: &ChatKeymap,
        rows: &mut Vec<StyledLine>,
    ) -> Option<(usize, usize)> {
        if let Some(comment) = &self.comment {
            let selected = self.question.choices.get(self.selected);
            let is_answer = selected.is_some_and(|choice| choice.kind == QuestionKind::Words);
            let mark = if is_answer { "  answer:   " } else { "  tell it:  " };
            let room = inside.saturating_sub(width(mark) + 1).max(2);
            let head = clip_start(comment.head(), room);
            let cursor = (width(mark) + width(&head), rows.len());
            let tail = clip(comment.tail(), room.saturating_sub(width(&head)) + 1);
            rows.push(vec![Span::new(mark, Style::BOLD), Span::plain(head), Span::plain(tail)]);
            return Some(cursor);
        }
        let (long, short) = match (self.question.has_comment, self.question.is_multiple) {
            (true, _) => (
                Some((ChatCommand::Comment, ": no, with a few words")),
                Some((ChatCommand::Comment, ": no, with words")),
            ),
            (false, true) => {
                (Some((ChatCommand::Pick, " picks several")), Some((ChatCommand::Pick, " picks")))
            }
            (false, false) => (None, None),
        };
        let hints = |answers, cancels, more: Option<_>| {
            let keys = [(ChatCommand::Answer, answers), (ChatCommand::Cancel, cancels)];
            let keys: Vec<(ChatCommand, &str)> = keys.into_iter().chain(more).collect();
            format!("  {}", keymap.hints(ChatKeyScope::Question, &keys))
        };
        let text = hints(" answers", " cancels", long);
        let text = if width(&text) > columns { hints("", "", short) } else { text };
        rows.push(vec![Span::dim(clip(&text, columns))]);
        None
    }
}

fn rule(columns: usize) -> StyledLine {
    vec![Span::new("─".repeat(columns), Style::color(Color::Yellow))]
}
