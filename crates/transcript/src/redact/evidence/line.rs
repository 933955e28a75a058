//! Weighs what speaks for the tokens of a line: names before and behind them. [`super::logins`] has what speaks of a login.

use std::ops::Range;

use super::Evidence;
use super::clues::{Clue, ClueKind};
use super::context::LinesAbove;
use super::numbers;
use super::phrases;
use super::shape::{Shape, is_digest, shape};
use super::tokens::{Token, tokens};
use super::vocabulary::{INPUT_CALLS, KEYWORDS, LINKS, VALUE_NAMES};
use crate::redact::languages;
use crate::redact::names::Strength;

/// How far a name is from its value.
pub(super) const MAX_DISTANCE: usize = 96;
/// How many words are between a name and its value, and between a value and the name behind it.
pub(super) const MAX_WORDS: usize = 7;
const MAX_WORDS_BEFORE: usize = 5;

/// One line, or a piece of a long one.
pub(super) struct LineView<'t> {
    pub(super) text: &'t str,
    pub(super) piece: Range<usize>,
    pub(super) clues: &'t [Clue],
    pub(super) tokens: Vec<Token>,
    /// Where its comment begins.
    comment: Option<usize>,
    /// Whether it is a line of a program, in which only strings in quotes are values.
    pub(super) is_code: bool,
}

impl<'t> LineView<'t> {
    pub(super) fn new(text: &'t str, piece: Range<usize>, clues: &'t [Clue]) -> Self {
        let line = &text[piece.clone()];
        let comment = match line.trim_start().starts_with(['*', '#']) {
            true => Some(piece.start),
            false => ["// ", "# "].iter().filter_map(|mark| line.find(mark)).min().map(|at| piece.start + at),
        };
        let is_code = is_code(line);
        let tokens = tokens(text, &piece);
        Self { text, piece, clues, tokens, comment, is_code }
    }

    pub(super) fn token(&self, token: &Token) -> &'t str {
        &self.text[token.span.clone()]
    }

    /// The secrets of this line; what it announces for the next ones is noted.
    pub(super) fn secrets(&self, above: &mut LinesAbove) -> Vec<Range<usize>> {
        let mut found = above.secrets(self);
        if !self.clues.is_empty() {
            let secrets = self.tokens.iter().enumerate().filter(|(at, token)| self.is_secret(*at, token));
            found.extend(secrets.map(|(_, token)| token.span.clone()));
            found.extend(numbers::secret_numbers(self));
            found.extend(phrases::phrase(self));
        }
        above.note(self);
        found
    }

    fn is_secret(&self, at: usize, token: &Token) -> bool {
        let value = self.token(token);
        let shape = shape(value);
        if shape == Shape::Plain || self.is_code && token.quote.is_none() && !self.is_in_comment(token) {
            return false;
        }
        if self
            .clues
            .iter()
            .any(|clue| clue.span.start <= token.span.start && token.span.end <= clue.span.end)
        {
            return false;
        }
        let beside = self.beside_user(token).max(self.after_flag(at)).max(self.is_piped(token));
        // What another name is set to is that: `"login": "ann", "id": "…"`.
        let evidence = match self.has_other_name(token) {
            true => beside,
            false => {
                let names = self.after_name(token, shape).max(self.before_name(token));
                beside.max(names).max(self.after_login(token))
            }
        };
        evidence.asks_for().is_some_and(|least| shape >= least)
    }

    /// The name that is set to a token: `name: …`, `"name" = "…"`.
    pub(super) fn name_before(&self, token: &Token) -> Option<Range<usize>> {
        let is_around = |letter: char| letter == ' ' || "\"'`*".contains(letter);
        let lead = &self.text[self.piece.start..token.span.start];
        let sign = lead.trim_end_matches(|letter: char| is_around(letter) || letter == '>');
        let before = sign.strip_suffix([':', '='])?;
        let name = before.trim_end_matches(|letter: char| is_around(letter) || ":=".contains(letter));
        let end = self.piece.start + name.len();
        let in_name = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        let start = end - (name.len() - name.trim_end_matches(in_name).len());
        (start < end).then_some(start..end)
    }

    /// Whether a token is the value of a name that announces no secret.
    fn has_other_name(&self, token: &Token) -> bool {
        let Some(name) = self.name_before(token) else { return false };
        let is_clue = self.clues.iter().any(|clue| {
            clue.kind != ClueKind::Login && clue.span.start < name.end && name.start < clue.span.end
        });
        // "the password that I gave you: …" is a sentence.
        let in_sentence = |clue: &Clue| {
            let between = self.text.get(clue.span.end..name.end).unwrap_or("=");
            clue.kind == ClueKind::Name(Strength::Password)
                && between.len() <= MAX_DISTANCE
                && between
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b" '_-@.".contains(&byte) || byte >= 0x80)
        };
        let is_sentence = self.text[name.end..token.span.start].contains(':')
            && !self.text[name.end..token.span.start].contains('=')
            && self.clues.iter().any(in_sentence);
        !is_clue && !is_sentence && !VALUE_NAMES.contains(self.text[name].to_ascii_lowercase().as_str())
    }

    /// Evidence from the last name before a token.
    fn after_name(&self, token: &Token, shape: Shape) -> Evidence {
        let names = self.clues.iter().rev().filter(|clue| clue.span.end <= token.span.start);
        let mut names = names.filter_map(|clue| match clue.kind {
            ClueKind::Name(strength) => Some((clue, strength)),
            ClueKind::Login | ClueKind::Topic => None,
        });
        let Some((clue, strength)) = names.next() else { return Evidence::None };
        let name = &self.text[clue.span.clone()];
        let between = &self.text[clue.span.end..token.span.start];
        if between.len() > MAX_DISTANCE || between.contains(". ") || words(between).len() > MAX_WORDS {
            return Evidence::Faint;
        }
        // A pass of a compiler is no password.
        if between.starts_with('(') && name.to_ascii_lowercase().ends_with("_pass") {
            return Evidence::None;
        }
        let joint = Joint::of(between, token);
        let lower = name.to_ascii_lowercase();
        let is_human = strength == Strength::Password
            || lower.ends_with("secret")
            || lower.contains("shared") && lower.ends_with("key");
        // "the token 3f2a…" names one; a sign gives it.
        let is_given = strength == Strength::Strong && joint.is_joined;
        let is_enough = match is_digest(self.token(token)) {
            true => is_given || strength != Strength::Weak && (joint.is_joined || joint.is_linked),
            false => is_human,
        };
        match self.by_place(token, clue, between, &joint) {
            Evidence::Sure if strength == Strength::Weak => Evidence::Near,
            Evidence::Sure if shape == Shape::Possible && !is_enough => Evidence::Near,
            Evidence::Near if strength == Strength::Weak => Evidence::Faint,
            evidence => evidence,
        }
    }

    /// The same, by what stands between them, whatever the name is.
    fn by_place(&self, token: &Token, clue: &Clue, between: &str, joint: &Joint) -> Evidence {
        // `password …` to the end of the line, and more of a name: `remote_password …`.
        let is_alone = self.ends_line(token.span.end) && !self.is_code;
        // "pass … to it" is a sentence.
        let is_verb = self.text[clue.span.clone()].eq_ignore_ascii_case("pass");
        // `<Password Type="…">…</Password>`
        let is_in_tag = between.ends_with('>') && self.text[token.span.end..].starts_with("</");
        match words(between).len() {
            _ if is_in_tag || is_typed(between) => Evidence::Sure,
            // `aes_key = bytes.fromhex("…")`
            _ if self.is_code && is_digest(self.token(token)) && is_converted(between) => Evidence::Sure,
            0 if joint.is_joined || is_alone || self.is_command(clue) => Evidence::Sure,
            // A verb may come last: "pasahitza … da".
            0 if clue.is_foreign || self.is_in_other_language(clue) => Evidence::Sure,
            // Some languages have no blanks between words.
            1 if is_alone && !between.bytes().any(|byte| byte.is_ascii_alphabetic()) => Evidence::Sure,
            _ if is_verb && !joint.is_linked => Evidence::Faint,
            0 => Evidence::Near,
            _ if joint.is_linked && !self.is_code && !between.contains('{') => Evidence::Sure,
            _ => Evidence::Near,
        }
    }

    /// Whether a name is a word of another language in ASCII letters, in a sentence.
    fn is_in_other_language(&self, clue: &Clue) -> bool {
        !self.is_code && languages::of_word(&self.text[clue.span.clone()].to_ascii_lowercase()).is_some()
    }

    /// "use … as the password", "is … still the password?"
    fn before_name(&self, token: &Token) -> Evidence {
        let mut names = self.clues.iter().filter(|clue| clue.span.start >= token.span.end);
        let is_password = |clue: &&Clue| {
            let is_verb = self.text[clue.span.clone()].eq_ignore_ascii_case("pass");
            let between = self.text[token.span.end..clue.span.start].trim_start_matches(['"', '\'', '`']);
            match clue.kind {
                ClueKind::Name(Strength::Password) => !is_verb,
                // "use … as the secret"
                ClueKind::Name(_) => between.starts_with(" as "),
                ClueKind::Login | ClueKind::Topic => false,
            }
        };
        let Some(clue) = names.find(is_password) else { return Evidence::None };
        let between = &self.text[token.span.end..clue.span.start];
        let is_name = self.text[clue.span.clone()].contains(['_', '.', '-']);
        let is_phrase = between.len() <= MAX_DISTANCE
            && words(between).len() <= MAX_WORDS_BEFORE
            && !between.contains(". ")
            && !between.contains(['=', '{', '}', '(', ';', '|', '\n'])
            && !is_name
            && !self.is_code;
        if is_phrase { Evidence::Near } else { Evidence::None }
    }

    /// `PASS …`, `quote PASS …`, `"AUTH …"`: a command of a protocol.
    pub(super) fn is_command(&self, clue: &Clue) -> bool {
        let name = &self.text[clue.span.clone()];
        let lead = &self.text[self.piece.start..clue.span.start];
        name.len() >= 4
            && name.bytes().all(|byte| byte.is_ascii_uppercase())
            && (lead.split_whitespace().count() <= 1
                || lead.ends_with(['"', '\'', ':'])
                || lead.ends_with("> "))
    }

    pub(super) fn starts_line(&self, at: usize) -> bool {
        let lead = &self.text[self.piece.start..at];
        lead.bytes().all(|byte| byte.is_ascii_whitespace() || b"-*+>#/\"'".contains(&byte))
    }

    pub(super) fn ends_line(&self, at: usize) -> bool {
        let rest = &self.text[at..self.piece.end];
        rest.bytes().all(|byte| byte.is_ascii_whitespace() || b".\"'`*;".contains(&byte))
    }

    pub(super) fn is_in_comment(&self, token: &Token) -> bool {
        self.comment.is_some_and(|start| start <= token.span.start)
    }
}

/// What joins a name and its value.
struct Joint {
    /// A sign, or quotes around the value.
    is_joined: bool,
    /// A verb or a sign is the last before it.
    is_linked: bool,
}

impl Joint {
    fn of(between: &str, token: &Token) -> Self {
        let is_listed = between.trim_start_matches([']', ')']).starts_with(['"', '\'']) && between.len() <= 6;
        let is_joined = between.contains([':', '=', '>', '|', '→', '：'])
            || token.quote.is_some() && (!between.contains(',') || is_listed);
        let is_linked = words(between).last().is_some_and(|last| LINKS.contains(&last.to_lowercase()))
            || between.trim_end_matches([' ', '"', '\'', '`', '*']).ends_with([':', '=', '→', '：']);
        Self { is_joined, is_linked }
    }
}

/// `'#password').type('`: what follows is typed into the field.
fn is_typed(between: &str) -> bool {
    let call = between.trim_start_matches(['"', '\'', ')', ']']).strip_prefix('.');
    call.and_then(|call| call.split_once('('))
        .is_some_and(|(name, rest)| rest.len() == 1 && INPUT_CALLS.contains(&name.to_ascii_lowercase()))
}

/// ` = bytes.fromhex("`: the value is the argument of a call.
fn is_converted(between: &str) -> bool {
    let call = between.trim_start().strip_prefix(['=', ':']);
    call.and_then(|call| call.split_once('(')).is_some_and(|(name, rest)| {
        rest.len() <= 2
            && name.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.:".contains(&byte))
    })
}

pub(super) fn words(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.filter(|word| word.chars().any(char::is_alphabetic)).take(MAX_WORDS + 1).collect()
}

/// Whether a line is a sentence that ends with a remark: "… is the old one (see below)".
fn is_aside(line: &str) -> bool {
    let is_sentence = line.split(' ').filter(|word| word.len() > 1).take(4).count() == 4;
    is_sentence && line.ends_with(')') && line.contains(" (") && !line.contains(['=', ';', '{', '"', '\''])
}

/// Whether a line is one of a program.
fn is_code(line: &str) -> bool {
    let line = line.trim_end().trim_start_matches(['+', '-', ' ', '\t']);
    let first = line.split([' ', '(']).next().unwrap_or_default();
    let ends = line.ends_with([';', '{', '}', ')', ',', '(']) && !is_aside(line) || line.ends_with("=>");
    let has_call = line.contains("(")
        && line.contains(")")
        && (line.contains('.') || line.contains('=') || line.contains("::"));
    let is_statement = line.contains(['(', '=', ';', '{']) || line.ends_with(':');
    KEYWORDS.contains(first) && is_statement || ends || has_call
}
