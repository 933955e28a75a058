//! Makes text of transcripts harmless: without secrets, terminal sequences and tags that a client gives a meaning.

use annals_store::parallel;
use annals_surgery::redact::Redactor;
use annals_transcript::redact::SecretRules;
use annals_ui::{TerminalText, one_line};

/// How many bytes before a part are looked at: what announces a secret stands before it.
const MARGIN_BEFORE: usize = 8 * 1024;
/// How many bytes behind a part are looked at for the end of a secret, and more if no word ends there.
const MARGIN_BEHIND: usize = 1024;
/// The longest word that is looked at to its end.
const MAX_WORD: usize = 8 * 1024;

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
        let part = TextPart::new(text, at, most);
        let clean = self.whole(part.surroundings);
        self.cut(&part, clean)
    }

    /// The same for parts of several texts, on every core: looking for secrets takes most of the time of a call.
    pub(crate) fn parts(&mut self, parts: &[TextPart<'_>]) -> Vec<String> {
        let harmless = parallel::map(parts, |part| self.is_harmless(part.surroundings));
        let cleaned = parts.iter().zip(harmless).map(|(part, is_harmless)| {
            let clean = match is_harmless {
                true => self.0.known_secrets_replaced(part.surroundings.to_owned()),
                false => self.whole(part.surroundings),
            };
            self.cut(part, clean)
        });
        cleaned.collect()
    }

    /// Whether a text without the secrets that are known is clean as it is.
    fn is_harmless(&self, text: &str) -> bool {
        self.0.finds_nothing(text) && TerminalText::block(text).as_str() == text && without_tags(text) == text
    }

    /// What is shown of a text that was cleaned with its surroundings.
    fn cut(&mut self, part: &TextPart<'_>, clean: String) -> String {
        let start = match clean == part.surroundings {
            true => part.lead,
            false => self.whole(&part.surroundings[..part.lead]).len(),
        };
        let start = clean.floor_char_boundary(start.min(clean.len()));
        let end = clean.floor_char_boundary(start.saturating_add(part.most).min(clean.len()));
        clean[start..end].to_owned()
    }

    /// A text on one line, of at most `most` bytes.
    pub(crate) fn line(&mut self, text: &str, most: usize) -> String {
        let line = one_line(&self.whole(&text[..end_of_word(text, most + MARGIN_BEHIND)]));
        match line.len() > most {
            true => format!("{}…", &line[..line.floor_char_boundary(most)]),
            false => line,
        }
    }

    pub(crate) fn whole(&mut self, text: &str) -> String {
        let redacted = self.0.text(text);
        let clean = TerminalText::block(&redacted).as_str().to_owned();
        // What a sequence had divided may be a secret now.
        let clean = if clean == redacted { clean } else { self.0.text(&clean) };
        without_tags(&clean)
    }
}

/// A part of a text that is to be shown.
pub(crate) struct TextPart<'t> {
    /// The part, and what is looked at around it.
    surroundings: &'t str,
    /// How many bytes of that are before the part.
    lead: usize,
    /// How many bytes are shown.
    most: usize,
}

impl<'t> TextPart<'t> {
    pub(crate) fn new(text: &'t str, at: usize, most: usize) -> Self {
        let at = text.floor_char_boundary(at);
        let from = text.floor_char_boundary(at.saturating_sub(MARGIN_BEFORE));
        let to = end_of_word(text, at.saturating_add(most).saturating_add(MARGIN_BEHIND));
        Self { surroundings: &text[from..to], lead: at - from, most }
    }
}

/// Where the word at a position ends.
fn end_of_word(text: &str, at: usize) -> usize {
    let at = text.ceil_char_boundary(at.min(text.len()));
    let limit = text.ceil_char_boundary((at + MAX_WORD).min(text.len()));
    text[at..limit].find(char::is_whitespace).map_or(limit, |length| at + length)
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
    fn a_key_of_many_lines_is_not_shown_wherever_a_part_begins() {
        let line = |number: u32| {
            format!("{number:02}aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU")
        };
        let body: String = (10..60).map(|number| line(number) + "\n").collect();
        let text = format!(
            "before\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n{}",
            "behind ".repeat(400)
        );
        for at in (0..body.len()).step_by(97) {
            let part = cleaner().part(&text, at, 280);
            assert!(!part.contains("aB3dE5fG7hJ9kL1mN3"), "{at}: {part}");
        }
        assert!(!cleaner().line(&text, 320).contains("aB3dE5fG7hJ9kL1mN3"));
        assert_eq!(end_of_word("one two", 1), 3);
        assert_eq!(end_of_word(&"x".repeat(MAX_WORD * 2), 1), MAX_WORD + 1);
    }

    #[test]
    fn parts_together_are_cleaned_as_one_after_the_other() {
        let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let texts = [
            format!("token {key} end"),
            "a \u{1b}[31mred\u{1b}[0m word".to_owned(),
            "<system-reminder>x".to_owned(),
            format!("key = {key}"),
            format!("{} plain", "x ".repeat(9000)),
        ];
        let parts: Vec<TextPart<'_>> = texts.iter().map(|text| TextPart::new(text, 0, 60)).collect();
        let mut one_by_one = cleaner();
        let expected: Vec<String> = texts.iter().map(|text| one_by_one.part(text, 0, 60)).collect();
        assert_eq!(cleaner().parts(&parts), expected);
        assert!(expected[0].contains("[REDACTED:") && !expected[3].contains("a1B2"));
    }

    #[test]
    fn sequences_of_a_terminal_are_removed() {
        assert_eq!(cleaner().part("a\u{1b}[31mb\u{1b}]0;x\u{7}c", 0, 100), "abc");
        assert_eq!(cleaner().line("a\n\nb", 100), "a b");
        assert_eq!(cleaner().line("abcdef", 3), "abc…");
    }
}
