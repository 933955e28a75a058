//! Questions: what would be done in whole, why it is asked, and the answers. An answer that allows something is possible only
//! when all of it has been on the screen. A question of the model has options, of which one or several are picked, or words.

use std::collections::BTreeSet;

use annals_ui::terminal::{Color, Span, Style, StyledLine, clip, clip_start, width, wrap};

use super::command::ChatCommand;
use super::draw::first_lines;
use super::keymap::{ChatKeyScope, ChatKeymap};
use crate::input::LineInput;
use crate::key::Key;

/// What kind of answer a choice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// It allows what is shown.
    Allow,
    /// It refuses; a few words may say what to do instead.
    Refuse,
    /// It is one of the options that the model offers.
    Pick,
    /// It answers the model in the person's own words, beside what is picked.
    Words,
    /// It goes back to the question before.
    Back,
}

/// An answer that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionChoice {
    /// What it says.
    pub label: String,
    /// What it does.
    pub kind: QuestionKind,
    pub answer: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Names it to the program that asks.
    pub id: String,
    /// What is asked about, in a line.
    pub title: StyledLine,
    /// All of what would be done; nothing in it is hidden.
    pub body: Vec<StyledLine>,
    /// Why it is asked, and what else to know.
    pub why: Vec<StyledLine>,
    /// The answers.
    pub choices: Vec<QuestionChoice>,
    /// The answer that is selected at first.
    pub preset: usize,
    /// Whether refusing takes a few words for the model.
    pub has_comment: bool,
    /// Whether several options can be picked.
    pub is_multiple: bool,
    /// The options that are picked at first, where several can be.
    pub picked: Vec<usize>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionAnswer {
    pub id: String,
    /// What the choice returns; of several options, each on its line, whether words follow them or not.
    pub answer: String,
    /// The words for the model.
    pub comment: Option<String>,
}

/// What a key did to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionOutcome {
    Open,
    /// The person turned away from it.
    Cancel,
    Answered(QuestionAnswer),
}

/// Rows of why it is asked.
const MAX_WHY: usize = 4;

/// A question on the screen.
#[derive(Clone, Debug)]
pub(crate) struct OpenQuestion {
    question: Question,
    selected: usize,
    /// The options that are picked, where several can be.
    picked: BTreeSet<usize>,
    /// The first row of the body that is shown.
    top: usize,
    /// Rows of the body that fit, and all of them, at the last layout.
    fits: usize,
    rows: usize,
    /// Rows from the start that were on the screen.
    seen: usize,
    is_unread_told: bool,
    /// The answers that were on the screen, whole.
    shown: BTreeSet<usize>,
    comment: Option<LineInput>,
}

impl OpenQuestion {
    pub(crate) fn new(question: Question) -> Self {
        let selected = question.preset.min(question.choices.len().saturating_sub(1));
        let picked = question.picked.iter().copied().collect();
        Self {
            question,
            selected,
            picked,
            top: 0,
            fits: 0,
            rows: usize::MAX,
            seen: 0,
            is_unread_told: false,
            shown: BTreeSet::new(),
            comment: None,
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.question.id
    }

    /// Whether all was on the screen that must be before something is allowed.
    fn is_seen(&self) -> bool {
        self.seen >= self.rows
            || self.question.choices.iter().all(|choice| choice.kind != QuestionKind::Allow)
    }

    /// Applies a key, which may mean a command. While words are typed, letters are letters, whatever they mean.
    pub(crate) fn press(&mut self, key: Key, command: Option<ChatCommand>) -> QuestionOutcome {
        if let Some(comment) = &mut self.comment {
            let command = command.filter(|_| !matches!(key, Key::Char(_)));
            match (key, command) {
                (Key::Ctrl('c'), _) => return QuestionOutcome::Cancel,
                (_, Some(ChatCommand::Cancel | ChatCommand::Comment)) => self.comment = None,
                (_, Some(ChatCommand::Answer)) => return self.answer(),
                (key, _) => drop(comment.edit(key)),
            }
            return QuestionOutcome::Open;
        }
        let last = self.question.choices.len().saturating_sub(1);
        match (key, command) {
            (_, Some(ChatCommand::Cancel)) => return QuestionOutcome::Cancel,
            (_, Some(ChatCommand::Up)) => self.selected = self.selected.saturating_sub(1),
            (_, Some(ChatCommand::Down)) => self.selected = (self.selected + 1).min(last),
            (_, Some(ChatCommand::Pick)) if self.question.is_multiple => drop(self.pick(self.selected)),
            (_, Some(ChatCommand::PageDown | ChatCommand::Pick)) => {
                self.scroll(isize::try_from(self.fits).unwrap_or(1));
            }
            (_, Some(ChatCommand::PageUp)) => self.scroll(-isize::try_from(self.fits).unwrap_or(1)),
            (_, Some(ChatCommand::Allow)) => return self.choose(QuestionKind::Allow),
            (_, Some(ChatCommand::Refuse)) => return self.choose(QuestionKind::Refuse),
            (_, Some(ChatCommand::Comment)) if self.question.has_comment => {
                self.select(QuestionKind::Refuse);
                self.comment = Some(LineInput::default());
            }
            (_, Some(ChatCommand::Answer)) => return self.answer(),
            (Key::Char(digit @ '1'..='9'), None) => {
                let at = usize::from(digit as u8 - b'1');
                if at <= last {
                    self.selected = at;
                    if !self.pick(at) {
                        return self.answer();
                    }
                }
            }
            (_, Some(ChatCommand::Back)) => return self.choose(QuestionKind::Back),
            _ => {}
        }
        QuestionOutcome::Open
    }

    /// Adds pasted text to the comment; whether there is one.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        if let Some(comment) = &mut self.comment {
            comment.insert(text);
        }
        self.comment.is_some()
    }

    /// Selects the first answer of a kind; whether there is one.
    fn select(&mut self, kind: QuestionKind) -> bool {
        let found = self.question.choices.iter().position(|choice| choice.kind == kind);
        self.selected = found.unwrap_or(self.selected);
        found.is_some()
    }

    fn choose(&mut self, kind: QuestionKind) -> QuestionOutcome {
        if self.select(kind) { self.answer() } else { QuestionOutcome::Open }
    }

    fn is_pick(&self, at: usize) -> bool {
        self.question.choices.get(at).is_some_and(|choice| choice.kind == QuestionKind::Pick)
    }

    /// Picks an option, or no longer, where several can be picked; whether it is one.
    fn pick(&mut self, at: usize) -> bool {
        let is_one = self.question.is_multiple && self.is_pick(at);
        if is_one && !self.picked.remove(&at) {
            self.picked.insert(at);
        }
        is_one
    }

    /// Scrolls the body.
    pub(crate) fn scroll(&mut self, rows: isize) {
        // Nothing is passed over that was not on the screen, however fast keys come.
        let max = self.rows.saturating_sub(self.fits).min(self.seen);
        self.top = self.top.saturating_add_signed(rows).min(max);
    }

    fn answer(&mut self) -> QuestionOutcome {
        let Some(choice) = self.question.choices.get(self.selected) else { return QuestionOutcome::Open };
        if choice.kind == QuestionKind::Allow && !self.is_seen() {
            self.is_unread_told = true;
            self.scroll(isize::try_from(self.fits).unwrap_or(1));
            return QuestionOutcome::Open;
        }
        if choice.kind == QuestionKind::Allow && !self.shown.contains(&self.selected) {
            // It is selected, so that the next frame has it: what it grants must be read, too.
            return QuestionOutcome::Open;
        }
        let comment = self.comment.as_ref().map(|line| line.text().trim().to_owned());
        let comment = comment.filter(|text| !text.is_empty());
        let answer = match choice.kind {
            QuestionKind::Words if comment.is_none() => {
                self.comment = Some(LineInput::default());
                return QuestionOutcome::Open;
            }
            QuestionKind::Pick | QuestionKind::Words if !self.picked.is_empty() => {
                let picked = self.picked.iter().filter_map(|at| self.question.choices.get(*at));
                picked.map(|choice| choice.answer.as_str()).collect::<Vec<_>>().join("\n")
            }
            _ => choice.answer.clone(),
        };
        let takes_words = matches!(choice.kind, QuestionKind::Refuse | QuestionKind::Words);
        let comment = comment.filter(|_| takes_words);
        QuestionOutcome::Answered(QuestionAnswer { id: self.question.id.clone(), answer, comment })
    }

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
