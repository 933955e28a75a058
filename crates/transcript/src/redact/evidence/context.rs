//! What the lines above announce: a command or a question whose answer is a secret, a heading over logins.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::Evidence;
use super::clues::ClueKind;
use super::line::LineView;
use super::outputs;
use super::shape::{Shape, is_digest, shape};
use super::tokens::Token;
use super::vocabulary::{
    ASK_WORDS, ITEM_FIELDS, OTHER_COMMANDS, SECTION_WORDS, SOURCE_COMMANDS, SOURCE_WORDS,
};
use crate::redact::names::Strength;
use crate::redact::origin::TextOrigin;
use crate::redact::words::parts;

/// How many lines a command or a label answers for, and how many a heading.
const MAX_ANSWER_LINES: usize = 4;
const MAX_SECTION_LINES: usize = 40;
/// What begins a command of a terminal.
const PROMPTS: [&str; 6] = ["$ ", "# ", "% ", "➜ ", "(gdb) ", "❯ "];
/// What stands before an answer.
const LEADS: [&str; 8] = ["> ", "A: ", "- ", "* ", "+ ", "echo ", "$1 = ", "= "];

/// The commands that print a secret, ready to be searched for.
static SOURCES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(SOURCE_COMMANDS).ok());

/// What lines above the current one announce.
#[derive(Debug, Default)]
pub(super) struct LinesAbove {
    /// How many of the next lines may be an answer.
    answers: usize,
    section: Option<Section>,
    /// How many of the next lines may hold the value of the secret whose block this is, and how surely.
    block: Option<(usize, Evidence)>,
    /// Of the whole text.
    origin: TextOrigin,
}

/// A heading over logins.
#[derive(Debug)]
struct Section {
    evidence: Evidence,
    indent: usize,
    is_bracketed: bool,
    lines: usize,
}

impl LinesAbove {
    /// What speaks for the secrets of a text before its first line.
    pub(super) fn new(origin: &TextOrigin) -> Self {
        Self { answers: 0, section: None, block: None, origin: origin.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.answers == 0
            && self.section.is_none()
            && self.block.is_none()
            && matches!(self.origin, TextOrigin::Unknown | TextOrigin::Message(_))
    }

    /// Notes the line that the message before ended with.
    pub(super) fn note_message(&mut self, line: &LineView<'_>) {
        let text = line.text.trim_end();
        let asks = || parts(text).any(|word| ASK_WORDS.contains(&word.to_ascii_lowercase()));
        let has_name = || line.clues.iter().any(|clue| matches!(clue.kind, ClueKind::Name(_)));
        if is_label(line, text) || has_name() && asks() {
            self.answers = MAX_ANSWER_LINES;
        }
    }

    /// The secrets of a line that those above announce.
    pub(super) fn secrets(&mut self, line: &LineView<'_>) -> Vec<Range<usize>> {
        let text = line.text[line.piece.clone()].trim_end();
        let mut found = outputs::secrets(&self.origin, line);
        if self.answers > 0 && !text.trim().is_empty() {
            found.extend(answer(line));
        }
        if let Some((_, evidence)) = self.block {
            found.extend(in_block(line, evidence));
        }
        if let Some(section) = &self.section {
            found.extend(list_item(line));
            found.extend(
                item(line)
                    .filter(|(shape, _)| section.evidence.asks_for().is_some_and(|least| *shape >= least))
                    .map(|(_, span)| span),
            );
        }
        found
    }

    /// Notes what a line announces.
    pub(super) fn note(&mut self, line: &LineView<'_>) {
        let text = line.text[line.piece.clone()].trim_end();
        if text.trim().is_empty() {
            if self.section.as_ref().is_some_and(|section| !section.is_bracketed) {
                self.section = None;
            }
            return;
        }
        self.answers = match is_source(text) || is_label(line, text) {
            true => MAX_ANSWER_LINES,
            false if line.tokens.len() > 3 => 0,
            false => self.answers.saturating_sub(1),
        };
        self.block = match block_of(line, text) {
            Some(evidence) => Some((MAX_ANSWER_LINES, evidence)),
            None if text.trim_start().starts_with('}') => None,
            None => self.block.and_then(|(lines, evidence)| Some((lines.checked_sub(1)?, evidence))),
        };
        let heading = Section::of(text);
        if heading.is_some() {
            self.section = heading;
        } else if let Some(section) = &mut self.section {
            section.lines += 1;
            let indent = text.len() - text.trim_start().len();
            let is_item =
                indent > section.indent || text.trim_start().starts_with(['-', '*']) || section.is_bracketed;
            let is_other = text.starts_with('[')
                || !is_item && indent <= section.indent
                || section.lines > MAX_SECTION_LINES;
            if is_other {
                self.section = None;
            }
        }
    }
}

impl Section {
    /// `[users]`, `accounts:`, `Logins`
    fn of(text: &str) -> Option<Self> {
        let bare = text.trim();
        let indent = text.len() - text.trim_start().len();
        let is_bracketed = bare.starts_with('[') && bare.ends_with(']');
        let is_titled = bare.ends_with(':') || bare.starts_with('#') || bare.split(' ').count() <= 2;
        let is_plain = bare
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"[]:#- _.*\"".contains(&byte) || byte >= 0x80);
        let is_short = bare.len() <= 48 && bare.split_whitespace().count() <= 4;
        if !(is_bracketed || is_titled) || !is_plain || !is_short {
            return None;
        }
        let word =
            parts(bare).map(str::to_ascii_lowercase).find(|word| SECTION_WORDS.contains(word.as_str()))?;
        let is_marked = is_bracketed || bare.ends_with(':') || bare.starts_with('#');
        let is_sure = match word.as_str() {
            "users" | "accounts" => is_bracketed || bare.contains(' '),
            _ => true,
        };
        let evidence = match word.as_str() {
            // Texts have tokens, too: only keys in a list are secrets.
            "tokens" | "apikeys" => Evidence::None,
            _ if is_sure => Evidence::Sure,
            _ => Evidence::Near,
        };
        (is_marked || is_sure && bare.len() <= 16).then_some(Self {
            evidence,
            indent,
            is_bracketed,
            lines: 0,
        })
    }
}

/// Whether a line is a command of a terminal, or a heading.
pub(super) fn may_announce(text: &str) -> bool {
    let text = text.trim();
    PROMPTS.iter().any(|prompt| text.starts_with(prompt))
        || text.starts_with('[')
        || text.ends_with([':', '：'])
}

/// Whether a line is a command that prints a secret.
fn is_source(text: &str) -> bool {
    let bare = text.trim_start();
    let Some(command) = PROMPTS.iter().find_map(|prompt| bare.strip_prefix(prompt)) else { return false };
    let first = command.split_whitespace().find(|word| *word != "sudo").unwrap_or_default();
    let has_word = || parts(command).any(|part| SOURCE_WORDS.contains(part.to_ascii_lowercase().as_str()));
    let is_key = || command.split_whitespace().any(|word| word.ends_with(".key") || word.ends_with("_key"));
    !OTHER_COMMANDS.contains(first)
        && (SOURCES.as_ref().is_some_and(|sources| sources.is_match(command)) || has_word() || is_key())
}

/// "here are the creds:", "what's the password?"
fn is_label(line: &LineView<'_>, text: &str) -> bool {
    let is_name = |kind: ClueKind| matches!(kind, ClueKind::Name(_));
    let has_login = |at: &Range<usize>| {
        let word = line.text[at.clone()].to_ascii_lowercase();
        ["cred", "login", "zugang"].iter().any(|entry| word.contains(entry))
    };
    let has_clue = line.clues.iter().any(|clue| is_name(clue.kind) || has_login(&clue.span));
    has_clue && !line.is_code && text.ends_with([':', '?', '：'])
}

/// `"admin_password": {`: the value stands in its block.
fn block_of(line: &LineView<'_>, text: &str) -> Option<Evidence> {
    let name =
        text.strip_suffix('{')?.trim_end().strip_suffix([':', '='])?.trim_end().trim_end_matches(['"', '\'']);
    let end = line.piece.start + name.len();
    line.clues.iter().filter(|clue| clue.span.end == end).find_map(|clue| match clue.kind {
        ClueKind::Name(Strength::Password) => Some(Evidence::Sure),
        ClueKind::Name(_) => Some(Evidence::Near),
        ClueKind::Login | ClueKind::Topic => None,
    })
}

/// `"value": "…"` in the block of a secret.
fn in_block(line: &LineView<'_>, evidence: Evidence) -> Option<Range<usize>> {
    let token = line.tokens.iter().rev().find(|token| token.quote.is_some())?;
    let name = line.name_before(token).map(|name| line.text[name].to_ascii_lowercase())?;
    let is_value = ["value", "default", "content", "data", "plain", "plaintext"].contains(&name.as_str());
    let is_enough = evidence.asks_for().is_some_and(|least| shape(line.token(token)) >= least);
    (is_value && is_enough).then(|| token.span.clone())
}

/// The only token of a line, or the second of a user and a password.
fn answer(line: &LineView<'_>) -> Option<Range<usize>> {
    let text = line.text[line.piece.clone()].trim();
    let bare = LEADS.iter().find_map(|lead| text.strip_prefix(lead)).unwrap_or(text).trim_start();
    let start = line.piece.end - line.text[line.piece.clone()].trim_start().len();
    let start = start + text.len() - bare.len();
    let is_here = |token: &&Token| token.span.start >= start;
    let mut tokens = line.tokens.iter().filter(is_here);
    let mut last = tokens.next()?;
    let mut count = 1;
    for token in tokens {
        // The name before a colon is a token, too.
        count += usize::from(token.user.is_none());
        last = token;
    }
    let is_secret = count == 1
        && !bare.trim_matches(['"', '\'', '`']).contains(' ')
        && shape(line.token(last)) >= Shape::Possible;
    is_secret.then(|| last.span.clone())
}

/// The only token of an item of a list, if it is a key: `- 3f2a…`.
fn list_item(line: &LineView<'_>) -> Option<Range<usize>> {
    let text = line.text[line.piece.clone()].trim();
    let [token] = &line.tokens[..] else { return None };
    let value = line.token(token);
    let is_item = text.starts_with("- ") && text.ends_with([value.chars().next_back()?, '"', '\'', ',']);
    (is_item && (is_digest(value) || shape(value) == Shape::Random)).then(|| token.span.clone())
}

/// The value of `name = value`, `- name: value`, `name / value`.
fn item(line: &LineView<'_>) -> Option<(Shape, Range<usize>)> {
    let [.., name, value] = &line.tokens[..] else { return None };
    let key = line.token(name).to_ascii_lowercase();
    let key = key.trim_end_matches(':');
    let between = line.text.get(name.span.end..value.span.start)?;
    let is_joined = between.contains([':', '=', '/', '|', '>']) || value.user.is_some();
    let rest = line.text[value.span.end..line.piece.end].trim();
    let is_item =
        line.tokens.len() <= 4 && is_joined && rest.len() <= 1 && !ITEM_FIELDS.contains(key) && !line.is_code;
    is_item.then(|| (shape(line.token(value)), value.span.clone()))
}
