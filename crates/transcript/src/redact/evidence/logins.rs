//! What speaks of a login on a token's line: a user beside it, flags, words for getting in, a pipe.

use super::Evidence;
use super::clues::{Clue, ClueKind};
use super::line::{LineView, MAX_DISTANCE, MAX_WORDS, words};
use super::tokens::Token;
use super::vocabulary::{ENTRIES, ENTRY_PHRASES, NO_USERS, PASSWORD_FLAGS, USER_FLAGS};
use crate::redact::words::parts;

/// How far a word of logins is from the name of a user.
const MAX_PAIR_DISTANCE: usize = 16;

impl LineView<'_> {
    /// `ann:…`, `ann / …`, `("ann", "…")` where a word of logins stands on the line.
    pub(super) fn beside_user(&self, token: &Token) -> Evidence {
        let Some(user) = &token.user else { return Evidence::None };
        let name = self.text[user.clone()].to_ascii_lowercase();
        let is_before = |clue: &&Clue| clue.kind != ClueKind::Topic && clue.span.start <= token.span.start;
        let is_close = |clue: &Clue| {
            let word = self.text[clue.span.clone()].to_ascii_lowercase();
            let is_entry = is_entry(&word) || word == "try " || word.contains("chpasswd");
            is_entry
                && user.start.saturating_sub(clue.span.end) <= MAX_PAIR_DISTANCE
                && clue.span.end <= user.start
        };
        let before: Vec<&Clue> = self.clues.iter().filter(is_before).collect();
        let is_in_brackets =
            self.text[..user.start].ends_with('(') && self.text[token.span.end..].starts_with(')');
        if is_in_brackets && !self.is_code && self.token(token).contains(['!', '#', '$', '*', '?']) {
            return Evidence::Near;
        }
        let is_field = |part: &str| NO_USERS.contains(part.to_ascii_lowercase().as_str());
        if before.is_empty() || NO_USERS.contains(name.as_str()) || parts(&name).last().is_some_and(is_field)
        {
            return Evidence::None;
        }
        if before.into_iter().any(is_close) { Evidence::Sure } else { Evidence::Near }
    }

    /// `-u ann -p …`
    pub(super) fn after_flag(&self, at: usize) -> Evidence {
        let flag = at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| self.token(token));
        let has_user = || self.tokens.iter().any(|token| USER_FLAGS.contains(self.token(token)));
        match flag {
            Some(flag) if PASSWORD_FLAGS.contains(flag) && has_user() => Evidence::Near,
            _ => Evidence::None,
        }
    }

    /// "sign in as ann with …", "use … to log in", `login("…")`; and any random token after a word of secrets.
    pub(super) fn after_login(&self, token: &Token) -> Evidence {
        let of_clue = |clue: &Clue| {
            let (from, to) = match clue.span.end <= token.span.start {
                true => (clue.span.end, token.span.start),
                false => (token.span.end, clue.span.start),
            };
            match to.checked_sub(from) {
                Some(distance) if distance <= MAX_DISTANCE => {
                    self.near_login(token, clue, &self.text[from..to])
                }
                _ => Evidence::Faint,
            }
        };
        self.clues.iter().map(of_clue).max().unwrap_or(Evidence::None)
    }

    fn near_login(&self, token: &Token, clue: &Clue, between: &str) -> Evidence {
        let name = &self.text[clue.span.clone()];
        let count = words(between).len();
        let is_before = clue.span.end <= token.span.start;
        let ends = self.ends_line(token.span.end);
        let is_command = clue.kind != ClueKind::Topic && self.is_command(clue);
        let is_argument = token.quote.is_some() && self.is_code;
        let is_login = match clue.kind {
            ClueKind::Login => is_argument || is_entry(name) && !self.is_code,
            ClueKind::Name(_) => is_argument && is_before,
            ClueKind::Topic => false,
        };
        // `rocommunity …`
        let is_setting = is_before && ends && self.tokens.len() == 2 && self.starts_line(clue.span.start);
        let is_named = clue.kind == ClueKind::Topic && is_before && matches!(between.trim(), ":" | "=");
        match () {
            () if is_named => Evidence::Near,
            // `IDENTIFY ann …`
            () if is_command && is_before && ends && count <= 1 => Evidence::Sure,
            () if is_setting && name.to_ascii_lowercase().ends_with("community") => Evidence::Sure,
            // `createUser monitor SHA "…" AES "…"`
            () if is_before && token.quote.is_some() && name == "createUser" => Evidence::Sure,
            () if is_setting => Evidence::Near,
            () if is_login && count <= MAX_WORDS && !between.contains(". ") => Evidence::Near,
            () => Evidence::Faint,
        }
    }

    /// `echo … | program`, where a word of secrets follows.
    pub(super) fn is_piped(&self, token: &Token) -> Evidence {
        let line = self.text[self.piece.clone()].trim_start_matches(['$', '#', ' ', '(', '+']);
        let is_echo = line.starts_with("echo ") || line.starts_with("printf ");
        let after = self.text[token.span.end..self.piece.end].trim_start_matches(['"', '\'', ' ']);
        let has_clue = self.clues.iter().any(|clue| clue.span.start > token.span.end);
        if is_echo && after.starts_with('|') && has_clue { Evidence::Sure } else { Evidence::None }
    }
}

/// A word for getting in, and not only for who does.
fn is_entry(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ENTRY_PHRASES.contains(&lower.as_str()) || parts(&lower).any(|part| ENTRIES.contains(part))
}
