//! Patterns of commands: `*` stands for any text; ` *` or `:*` at the end for any arguments, or none.
//!
//! A command can hold parts that are not known before it runs. So a pattern matches surely, or perhaps, or not at all:
//! an allow rule needs the first, a deny rule asks at the second.

use crate::shell::{Command, Word, WordCount, WordPart};

/// Whether a pattern matches a command.
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

/// The most vanishing words that are tried in every combination.
const MAX_VANISHING: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPattern {
    /// One of these must match.
    ways: Vec<Vec<Symbol>>,
    exact: bool,
}

impl CommandPattern {
    /// Parses the pattern in `Bash(…)`.
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
        let texts = all_expansions(command, INNER_SPACE);
        let covered = !texts.is_empty() && texts.iter().all(|text| self.surely(text));
        covered || (self.exact && self.matches_text(&command.spelling()))
    }

    /// Whether a deny or ask rule matches this command.
    pub fn concerns(&self, command: &CommandSpellings) -> Match {
        let sure = |form: &Vec<Vec<Symbol>>| !form.is_empty() && form.iter().all(|text| self.surely(text));
        if command.sure.iter().any(sure) || command.texts.iter().any(|text| self.surely(text)) {
            return Match::Surely;
        }
        // A program that is not known may be any program, wherever it lies.
        let possible = || command.possible.iter().any(|text| self.ways.iter().any(|way| meet(way, text)));
        if command.has_unknown_program || possible() { Match::Perhaps } else { Match::No }
    }

    /// Whether a text, taken as it is, matches.
    pub fn matches_text(&self, text: &str) -> bool {
        let text: Vec<_> = text.trim().chars().map(Symbol::Letter).collect();
        self.surely(&text)
    }

    /// Whether a command that begins with this word can match: the first word of the pattern is this one, or may be. A pattern
    /// that begins with `*` matches the whole command already, or not at all.
    pub(crate) fn begins_with(&self, word: &str) -> bool {
        let Some(way) = self.ways.first().filter(|way| way.first() != Some(&Symbol::Any)) else {
            return false;
        };
        let mut letters = word.chars();
        for symbol in way {
            match symbol {
                Symbol::Any => return true,
                Symbol::Letter(' ') => break,
                Symbol::Letter(letter) if letters.next() != Some(*letter) => return false,
                Symbol::Letter(_) => {}
            }
        }
        letters.next().is_none()
    }

    fn surely(&self, text: &[Symbol]) -> bool {
        self.ways.iter().any(|way| includes(way, text))
    }
}

/// A command in all spellings that deny and ask rules are matched against, computed once for all rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpellings {
    /// Each form, with and without the words that can vanish.
    sure: Vec<Vec<Vec<Symbol>>>,
    possible: Vec<Vec<Symbol>>,
    /// As the person wrote it.
    texts: Vec<Vec<Symbol>>,
    has_unknown_program: bool,
}

impl CommandSpellings {
    /// Writes a command out: as it is, and by its program's bare name.
    pub fn new(command: &Command) -> Self {
        let mut forms = vec![command.clone()];
        if let Some(name) = command.name() {
            let mut short = command.clone();
            short.words[0] = Word::of(&crate::shell::base_name(&name));
            forms.push(short);
        }
        let both =
            |form| [by_words(form, ' ', VanishingWords::Include), by_words(form, ' ', VanishingWords::Omit)];
        let letters = |text: String| text.trim().chars().map(Symbol::Letter).collect();
        Self {
            sure: forms.iter().map(|form| all_expansions(form, ' ')).collect(),
            possible: forms.iter().flat_map(both).collect(),
            texts: [command.spelling(), command.shown()].map(letters).into(),
            has_unknown_program: !command.words.is_empty() && command.name().is_none(),
        }
    }
}

/// The command with every word that can vanish there, and with any of them gone; nothing where those are too many.
fn all_expansions(command: &Command, space: char) -> Vec<Vec<Symbol>> {
    let vanishing: Vec<usize> =
        (0..command.words.len()).filter(|place| command.words[*place].can_vanish()).collect();
    if vanishing.len() > MAX_VANISHING {
        return Vec::new();
    }
    let without = |gone: u32| {
        let is_gone = |place: usize| {
            vanishing.iter().position(|at| *at == place).is_some_and(|bit| gone >> bit & 1 == 1)
        };
        let left = command.words.iter().enumerate().filter(|(place, _)| !is_gone(*place));
        let words = left.map(|(_, word)| word.clone()).collect();
        by_words(&Command { words, ..Command::default() }, space, VanishingWords::Include)
    };
    (0..1_u32 << vanishing.len()).map(without).collect()
}

/// Whether words that can vanish are left out, with the space before them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VanishingWords {
    Omit,
    Include,
}

fn by_words(command: &Command, space: char, vanishing: VanishingWords) -> Vec<Symbol> {
    let mut out = Vec::new();
    for (place, word) in command.words.iter().enumerate() {
        if place > 0 && !(vanishing == VanishingWords::Omit && word.can_vanish()) {
            out.push(Symbol::Letter(' '));
        }
        for piece in &word.parts {
            match piece {
                WordPart::Text(text) => {
                    let letters = text.chars().map(|letter| if letter == ' ' { space } else { letter });
                    out.extend(letters.map(Symbol::Letter));
                }
                WordPart::Home => out.push(Symbol::Letter('~')),
                WordPart::Glob(_)
                | WordPart::OtherHome
                | WordPart::Variable { .. }
                | WordPart::Unknown(WordCount::One | WordCount::Any) => {
                    out.push(Symbol::Any);
                }
            }
        }
    }
    out
}

/// Whether the pattern matches every text that `text` can become: an unknown part must fall under a `*`.
fn includes(pattern: &[Symbol], text: &[Symbol]) -> bool {
    reach(pattern, text, UnknownText::Every)
}

/// Whether there is one text that both can be.
fn meet(pattern: &[Symbol], text: &[Symbol]) -> bool {
    reach(pattern, text, UnknownText::Some)
}

/// How the unknown parts of a text are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UnknownText {
    /// As every text at once.
    Every,
    /// As any text that helps.
    Some,
}

/// Walks through the pattern with the set of positions in the text that it can have reached. Only positions between the first
/// and the last are checked, so that a pattern that differs early costs next to nothing.
fn reach(pattern: &[Symbol], text: &[Symbol], reading: UnknownText) -> bool {
    let free = |at: usize| reading == UnknownText::Some && text[at] == Symbol::Any;
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let (mut low, mut high) = (0, 0);
    while high < text.len() && free(high) {
        high += 1;
        reached[high] = true;
    }
    for symbol in pattern {
        let mut next = vec![false; text.len() + 1];
        let (mut first, mut last) = (None, low);
        let mut at = low;
        while at <= text.len() {
            let before = |places: &[bool]| at > low && places[at - 1];
            let here = match symbol {
                Symbol::Any => reached[at] || before(&next),
                Symbol::Letter(_) => {
                    let fits = at > 0 && (free(at - 1) || text[at - 1] == *symbol);
                    (fits && at > 0 && reached[at - 1]) || (at > 0 && free(at - 1) && reached[at])
                }
            };
            next[at] = here || (at > 0 && free(at - 1) && before(&next));
            if next[at] {
                first = first.or(Some(at));
                last = at;
            } else if at > high {
                break;
            }
            at += 1;
        }
        let Some(first) = first else { return false };
        (low, high, reached) = (first, last, next);
    }
    reached[text.len()]
}
