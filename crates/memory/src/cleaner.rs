//! Makes text of transcripts harmless: without secrets, terminal sequences and tags that a client gives a meaning.

use annals_surgery::redact::Redactor;
use annals_transcript::redact::SecretRules;
use annals_ui::{TerminalText, one_line};

/// So much around a part is looked at for secrets that begin or end outside of it.
const MARGIN: usize = 8 * 1024;

/// Tags that clients put around what they tell the model themselves.
const TAGS: [&str; 9] = [
    "system-reminder",
    "system",
    "assistant",
    "human",
    "user",
    "function_calls",
    "function_results",
    "tool_result",
    "invoke",
];

/// Cleans texts. A secret that was found once is replaced everywhere.
#[derive(Debug)]
pub(crate) struct TextCleaner(Redactor);

impl TextCleaner {
    pub(crate) fn new(rules: SecretRules) -> Self {
        Self(Redactor::new(rules))
    }

    /// A text of at most `most` bytes from `at` on. Secrets are looked for in what surrounds it, too.
    pub(crate) fn part(&mut self, text: &str, at: usize, most: usize) -> String {
        let at = text.floor_char_boundary(at);
        let from = text.floor_char_boundary(at.saturating_sub(MARGIN));
        let to = text.ceil_char_boundary(at.saturating_add(most).saturating_add(MARGIN).min(text.len()));
        let clean = self.whole(&text[from..to]);
        let start = match clean == text[from..to] {
            true => at - from,
            false => self.whole(&text[from..at]).len(),
        };
        let start = clean.floor_char_boundary(start.min(clean.len()));
        let end = clean.floor_char_boundary(start.saturating_add(most).min(clean.len()));
        clean[start..end].to_owned()
    }

    /// A text on one line, of at most `most` bytes.
    pub(crate) fn line(&mut self, text: &str, most: usize) -> String {
        let head = &text[..text.ceil_char_boundary((most + MARGIN).min(text.len()))];
        let line = one_line(&self.whole(head));
        match line.len() > most {
            true => format!("{}…", &line[..line.floor_char_boundary(most)]),
            false => line,
        }
    }

    /// A whole text.
    pub(crate) fn whole(&mut self, text: &str) -> String {
        let redacted = self.0.text(text);
        let clean = TerminalText::block(&redacted).as_str().to_owned();
        // What a sequence had divided may be a secret now.
        let clean = if clean == redacted { clean } else { self.0.text(&clean) };
        without_tags(&clean)
    }
}

/// Breaks the tags that a client gives a meaning.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let is_tag = letter == '<' && {
            let name = text[at + 1..].trim_start_matches(['/', ' ']);
            let name = name.strip_prefix("antml:").unwrap_or(name);
            TAGS.iter().any(|tag| {
                name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
                    && !name[tag.len()..].starts_with(|next: char| next.is_alphanumeric())
            })
        };
        out.push(if is_tag { '‹' } else { letter });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaner() -> TextCleaner {
        TextCleaner::new(SecretRules::new(&[], &[]).unwrap())
    }

    #[test]
    fn tags_of_clients_are_broken_and_others_stay() {
        assert_eq!(
            without_tags("a <system-reminder>b</SYSTEM-reminder >"),
            "a ‹system-reminder>b‹/SYSTEM-reminder >"
        );
        assert_eq!(without_tags("<systemd> Vec<u8> <userName> <"), "<systemd> Vec<u8> <userName> <");
    }

    #[test]
    fn a_secret_at_the_edge_of_a_part_is_not_shown_in_part() {
        let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let text = format!("token {key} end");
        for at in 0..text.len() {
            let part = cleaner().part(&text, at, 12);
            assert!(!part.contains("a1B2"), "{at}: {part}");
        }
    }

    #[test]
    fn sequences_of_a_terminal_are_removed() {
        assert_eq!(cleaner().part("a\u{1b}[31mb\u{1b}]0;x\u{7}c", 0, 100), "abc");
        assert_eq!(cleaner().line("a\n\nb", 100), "a b");
        assert_eq!(cleaner().line("abcdef", 3), "abc…");
    }
}
