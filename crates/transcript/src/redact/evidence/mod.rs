//! Secrets by evidence and shape: the less a token looks like a secret, the more must speak for it nearby.
//!
//! [`tokens`] cuts a line, [`shape`] says how much a token looks like a secret, [`clues`] finds the words that speak for one,
//! [`line`] and [`logins`] weigh them on the token's own line, and [`context`] carries what headings, labels and commands announce to the
//! lines below them. [`sources`] says which commands and files show secrets, and [`outputs`] finds them there. [`Evidence::asks_for`] is the whole rule.

mod clues;
mod context;
mod line;
mod logins;
mod numbers;
mod outputs;
mod phrases;
mod shape;
pub(super) mod sources;
mod tokens;
mod vocabulary;

use aho_corasick::BuildError;

use clues::ClueRules;
use context::LinesAbove;
use shape::Shape;

use super::haystack::Haystack;
use super::kind::SecretKind;
use super::origin::TextOrigin;
use super::rules::Finding;
use super::values::is_likely;

pub(super) use outputs::is_plain_name;
pub(super) use shape::is_digest;

/// A longer line is looked at in pieces.
const MAX_PIECE_BYTES: usize = 2048;

/// How surely something near a token announces a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    None,
    /// A word of credentials on the same line.
    Faint,
    /// A word of credentials in the same phrase, the place of a password beside a user's name.
    Near,
    /// The name of a password that it is set to, the answer to a prompt.
    Sure,
}

impl Evidence {
    /// The shape that a token needs.
    fn asks_for(self) -> Option<Shape> {
        match self {
            Self::None => None,
            Self::Faint => Some(Shape::Random),
            Self::Near => Some(Shape::Likely),
            Self::Sure => Some(Shape::Possible),
        }
    }
}

/// The words of credentials, ready to be searched for.
#[derive(Clone, Debug)]
pub(super) struct EvidenceRules(ClueRules);

impl EvidenceRules {
    pub(super) fn new() -> Result<Self, BuildError> {
        Ok(Self(ClueRules::new()?))
    }

    /// Finds the tokens for which enough speaks.
    pub(super) fn find(&self, hay: &Haystack<'_>, origin: &TextOrigin, found: &mut Vec<Finding>) {
        hay.count(hay.bytes.len());
        let clues = self.0.find(hay);
        let (mut above, mut first_clue) = (LinesAbove::new(origin), 0);
        if let TextOrigin::Message(line) = origin {
            let clues = self.0.find(&Haystack::new(line));
            above.note_message(&line::LineView::new(line, 0..line.len(), &clues));
        }
        for piece in (LinePieces { text: hay.text, at: 0 }) {
            let end = piece.end;
            let count = clues[first_clue..].iter().take_while(|clue| clue.span.start < end).count();
            let here = &clues[first_clue..first_clue + count];
            first_clue += count;
            if here.is_empty() && above.is_empty() && !context::may_announce(&hay.text[piece.clone()]) {
                continue;
            }
            let line = line::LineView::new(hay.text, piece.clone(), here);
            hay.count(piece.len() * 8 + line.tokens.len() * here.len());
            let secrets = line.secrets(&mut above);
            found.extend(secrets.into_iter().map(|span| Finding { kind: SecretKind::Assignment, span }));
        }
    }
}

/// Whether a token is mixed as passwords are, or random.
pub(super) fn is_likely_token(token: &str) -> bool {
    shape::shape(token) >= Shape::Likely
}

/// Whether a token is a password if its place surely announces one.
pub(super) fn is_possible(token: &str) -> bool {
    shape::shape(token) >= Shape::Possible
}

/// Whether a token is a password where nothing else can stand.
pub(super) fn is_password(token: &str) -> bool {
    is_likely(token) || is_possible(token)
}

/// The lines of a text; long ones are cut between words.
struct LinePieces<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for LinePieces<'_> {
    type Item = std::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.text.as_bytes().get(self.at..).filter(|rest| !rest.is_empty())?;
        let limit = rest.len().min(MAX_PIECE_BYTES);
        let line = memchr::memchr(b'\n', &rest[..limit]).map(|end| end + 1);
        let blank = || rest[..limit].iter().rposition(u8::is_ascii_whitespace).map(|at| at + 1);
        let mut length = line.or_else(|| (limit < rest.len()).then(blank).flatten()).unwrap_or(limit);
        while !self.text.is_char_boundary(self.at + length) {
            length += 1;
        }
        let piece = self.at..self.at + length;
        self.at = piece.end;
        Some(piece)
    }
}
