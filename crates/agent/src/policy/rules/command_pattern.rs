//! Patterns of commands: `*` stands for any text; ` *` or `:*` at the end for any arguments, or none.
//!
//! A command can hold parts that are not known before it runs. So a pattern matches surely, or perhaps, or not at all:
//! an allow rule needs the first, a deny rule asks at the second.

use crate::policy::shell::{Command, Extent, Piece, Word};

/// How a pattern and a command meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// Whatever the unknown parts are, it does not match.
    No,
    /// It depends on them.
    Perhaps,
    /// Whatever they are, it matches.
    Surely,
}

/// One element of a pattern or of a command: a character, or any text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Letter(char),
    Any,
}

/// A space inside of a word; a pattern that allows must not take it for one between words.
const INNER_SPACE: char = '\u{e000}';

/// More words of which nothing is known are not tried in every combination.
const MOST_VANISHING: usize = 4;

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    /// One of these must match.
    ways: Vec<Vec<Symbol>>,
    exact: bool,
}

impl CommandPattern {
    /// Reads what stands in the brackets of `Bash(…)`.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        let symbols = |text: &str| -> Vec<Symbol> {
            text.chars()
                .map(|letter| if letter == '*' { Symbol::Any } else { Symbol::Letter(letter) })
                .collect()
        };
        let head = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let ways = match head {
            Some(head) => vec![symbols(head), symbols(&format!("{head} *"))],
            None => vec![symbols(text)],
        };
        Self { ways, exact: !text.contains('*') }
    }

    /// Whether it names one command and has no `*`.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Whether a rule that allows covers this command, whatever the unknown parts become.
    pub fn covers(&self, command: &Command) -> bool {
        // Quotes and variables of a rule are those of the command when it is written in full.
        self.whatever_comes(command, INNER_SPACE) || (self.exact && self.matches_text(&command.spelling()))
    }

    /// Whether a rule that forbids speaks of this command.
    pub fn concerns(&self, command: &Command) -> Match {
        let mut forms = vec![command.clone()];
        if let Some(name) = command.name() {
            let mut short = command.clone();
            short.words[0] = Word::of(&crate::policy::shell::base_name(&name));
            forms.push(short);
        }
        let sure = |form: &Command| self.whatever_comes(form, ' ');
        let written = [command.spelling(), command.shown()];
        if forms.iter().any(sure) || written.iter().any(|text| self.matches_text(text)) {
            return Match::Surely;
        }
        let possible = |form: &Command| {
            let (whole, gone) = (by_words(form, ' ', Gone::No), by_words(form, ' ', Gone::Yes));
            self.ways.iter().any(|way| meet(way, &whole) || meet(way, &gone))
        };
        // A program that is not known may be any program, wherever it lies.
        let nameless = !command.words.is_empty() && command.name().is_none();
        if nameless || forms.iter().any(possible) { Match::Perhaps } else { Match::No }
    }

    /// Whether a text, taken as it is, matches.
    pub fn matches_text(&self, text: &str) -> bool {
        let text: Vec<_> = text.trim().chars().map(Symbol::Letter).collect();
        self.surely(&text)
    }

    /// Whether it matches with every word that can vanish there, and with any of them gone.
    fn whatever_comes(&self, command: &Command, space: char) -> bool {
        let vanishing: Vec<usize> =
            (0..command.words.len()).filter(|place| command.words[*place].can_vanish()).collect();
        if vanishing.len() > MOST_VANISHING {
            return false;
        }
        (0..1_u32 << vanishing.len()).all(|gone| {
            let mut left = command.clone();
            let is_gone = |place: usize| {
                vanishing.iter().position(|at| *at == place).is_some_and(|bit| gone >> bit & 1 == 1)
            };
            left.words = command
                .words
                .iter()
                .enumerate()
                .filter(|(place, _)| !is_gone(*place))
                .map(|(_, word)| word.clone())
                .collect();
            self.surely(&by_words(&left, space, Gone::No))
        })
    }

    fn surely(&self, text: &[Symbol]) -> bool {
        self.ways.iter().any(|way| includes(way, text))
    }
}

/// Whether words that can vanish are written as gone with the space before them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gone {
    Yes,
    No,
}

fn by_words(command: &Command, space: char, gone: Gone) -> Vec<Symbol> {
    let mut out = Vec::new();
    for (place, word) in command.words.iter().enumerate() {
        if place > 0 && !(gone == Gone::Yes && word.can_vanish()) {
            out.push(Symbol::Letter(' '));
        }
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => {
                    let letters = text.chars().map(|letter| if letter == ' ' { space } else { letter });
                    out.extend(letters.map(Symbol::Letter));
                }
                Piece::Home => out.push(Symbol::Letter('~')),
                Piece::Glob(_) | Piece::Variable { .. } | Piece::Unknown(Extent::One | Extent::Any) => {
                    out.push(Symbol::Any);
                }
            }
        }
    }
    out
}

/// Whether the pattern matches every text that `text` can become: an unknown part must fall under a `*`.
fn includes(pattern: &[Symbol], text: &[Symbol]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for symbol in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match symbol {
                Symbol::Any => reached[at] || (at > 0 && next[at - 1]),
                Symbol::Letter(_) => at > 0 && reached[at - 1] && text[at - 1] == *symbol,
            };
        }
        reached = next;
    }
    reached[text.len()]
}

/// Whether there is one text that both can be.
fn meet(pattern: &[Symbol], text: &[Symbol]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for at in 0..text.len() {
        reached[at + 1] = reached[at] && text[at] == Symbol::Any;
    }
    for symbol in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            let skip = at > 0 && text[at - 1] == Symbol::Any && next[at - 1];
            next[at] = skip
                || match symbol {
                    Symbol::Any => reached[at] || (at > 0 && next[at - 1]),
                    Symbol::Letter(_) => {
                        at > 0
                            && match text[at - 1] {
                                Symbol::Any => reached[at] || reached[at - 1],
                                letter => reached[at - 1] && letter == *symbol,
                            }
                    }
                };
        }
        reached = next;
    }
    reached[text.len()]
}
