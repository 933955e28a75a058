//! Questions: what would be done in whole, why it is asked, and the answers. An answer that allows something is possible only
//! when all of it has been on the screen. A question of the model has options, of which one or several are picked, or words.

use std::collections::BTreeSet;

use annals_ui::terminal::StyledLine;

use super::command::ChatCommand;
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
    /// It goes back to the previous question.
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

/// A question on the screen.
#[derive(Clone, Debug)]
pub(crate) struct OpenQuestion {
    pub(super) question: Question,
    pub(super) selected: usize,
    /// The options that are picked, where several can be.
    pub(super) picked: BTreeSet<usize>,
    /// The first row of the body that is shown.
    pub(super) top: usize,
    /// Rows of the body that fit, and all of them, at the last layout.
    pub(super) fits: usize,
    pub(super) rows: usize,
    /// Rows from the start that were on the screen.
    pub(super) seen: usize,
    pub(super) is_unread_told: bool,
    /// The answers that were on the screen, whole.
    pub(super) shown: BTreeSet<usize>,
    pub(super) comment: Option<LineInput>,
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
    pub(super) fn is_seen(&self) -> bool {
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

    pub(super) fn is_pick(&self, at: usize) -> bool {
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
}
