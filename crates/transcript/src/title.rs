//! The title of a session: set by the user, generated, or from a prompt.

use std::collections::HashMap;

use crate::record::{Record, User};
use crate::turn::{Speaker, prompt_opening};

/// Maximum characters of a prompt that is used as a title.
pub const TITLE_LENGTH: usize = 200;

/// The source of a title, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TitleSource {
    /// A `custom-title` record.
    Custom,
    /// A `custom-title.json` beside the session.
    CustomFile,
    /// An `ai-title` record.
    Ai,
    /// A `summary` record that names a leaf of this file.
    Summary,
    /// A `last-prompt` record.
    LastPrompt,
    /// The first prompt of the user.
    FirstPrompt,
}

/// The name that a person would give a session: its title, else the first prompt that says what it is about. The original
/// client lists the last prompt instead, which is often "Thanks." or a number.
pub fn display_title<'a>(
    title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    last_prompt: Option<&'a str>,
) -> Option<&'a str> {
    let is_there = |text: &&str| !text.trim().is_empty();
    let prompts = [first_prompt, last_prompt];
    let mut telling = prompts.into_iter().flatten().filter(|text| is_telling(text));
    title.filter(is_there).or_else(|| telling.next()).or_else(|| prompts.into_iter().flatten().find(is_there))
}

/// Whether a prompt says what a session is about: some words, or as much in a script without spaces.
fn is_telling(prompt: &str) -> bool {
    let letters = prompt.chars().filter(|letter| letter.is_alphabetic()).count();
    let wide = prompt.chars().filter(|letter| matches!(*letter, '\u{2e80}'..='\u{d7ff}')).count();
    (prompt.split_whitespace().count() >= 3 && letters >= 10) || letters >= 20 || wide >= 5
}

/// Collects titles and prompts, record by record.
#[derive(Clone, Debug, Default)]
pub struct TitleCollector {
    custom: Option<String>,
    custom_file: Option<String>,
    ai: Option<String>,
    summaries: HashMap<String, String>,
    summary_of_leaf: Option<String>,
    last_prompt: Option<String>,
    first_prompt: Option<String>,
    first_command: Option<String>,
    tag: Option<String>,
}

impl TitleCollector {
    /// Makes an empty collector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a record of the session.
    pub fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::CustomTitle(title) => self.custom = title.title().map(|text| text.to_string()),
            Record::AiTitle(title) => self.ai = title.title().map(|text| text.to_string()).or(self.ai.take()),
            Record::Summary(summary) => {
                if let (Some(leaf), Some(text)) = (summary.leaf(), summary.summary()) {
                    self.summaries.insert(leaf.to_string(), text.to_string());
                }
            }
            Record::LastPrompt(last) => {
                self.last_prompt = last.prompt().map(|text| text.to_string()).or(self.last_prompt.take());
            }
            Record::Tag(tag) => self.tag = tag.tag().map(|text| text.to_string()),
            Record::User(user) if self.first_prompt.is_none() => self.add_prompt(user),
            _ => {}
        }
        if !self.summaries.is_empty()
            && let Some(uuid) = record.fields().text("uuid")
            && let Some(summary) = self.summaries.get(&*uuid.decode())
        {
            self.summary_of_leaf = Some(summary.clone());
        }
    }

    /// Adds a prompt. A slash command is only used if there is no other prompt.
    fn add_prompt(&mut self, user: &User<'_>) {
        if user.fields().is_true("isSidechain") {
            return;
        }
        let place = match Speaker::of(user) {
            Speaker::Command => &mut self.first_command,
            speaker if speaker.opens_turn() => &mut self.first_prompt,
            _ => return,
        };
        if place.is_none() {
            *place = Some(shorten(&prompt_opening(user))).filter(|text| !text.is_empty());
        }
    }

    /// Sets the title of a `custom-title.json`.
    pub fn set_custom_file(&mut self, title: &str) {
        self.custom_file = Some(title.to_owned());
    }

    /// Returns the title and its source.
    pub fn title(&self) -> Option<(TitleSource, &str)> {
        let sources = [
            (TitleSource::Custom, &self.custom),
            (TitleSource::CustomFile, &self.custom_file),
            (TitleSource::Ai, &self.ai),
            (TitleSource::Summary, &self.summary_of_leaf),
            (TitleSource::LastPrompt, &self.last_prompt),
            (TitleSource::FirstPrompt, &self.first_prompt),
            (TitleSource::FirstPrompt, &self.first_command),
        ];
        sources.into_iter().find_map(|(source, text)| {
            let text = text.as_deref()?.trim();
            (!text.is_empty()).then_some((source, text))
        })
    }

    /// The first prompt of the user, shortened; else the first slash command.
    pub fn first_prompt(&self) -> Option<&str> {
        self.first_prompt.as_deref().or(self.first_command.as_deref())
    }

    /// Whether the first prompt is final: no later record can replace it.
    pub fn knows_first_prompt(&self) -> bool {
        self.first_prompt.is_some()
    }

    /// The prompt of the last `last-prompt` record.
    pub fn last_prompt(&self) -> Option<&str> {
        self.last_prompt.as_deref()
    }

    /// The tag of the session, if it is not empty.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref().filter(|tag| !tag.is_empty())
    }
}

/// Shortens to one line of at most [`TITLE_LENGTH`] characters.
pub fn shorten(text: &str) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        // A word may be as long as the text.
        line.push_str(word.char_indices().nth(TITLE_LENGTH + 1).map_or(word, |(end, _)| &word[..end]));
        if line.len() > 4 * TITLE_LENGTH {
            break;
        }
    }
    match line.char_indices().nth(TITLE_LENGTH) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Transcript;

    fn check(lines: &[&str], expected: Option<(TitleSource, &str)>) {
        let file = lines.join("\n");
        let mut titles = TitleCollector::new();
        Transcript::parse(file.as_bytes()).records().for_each(|(_, record)| titles.add(&record));
        assert_eq!(titles.title(), expected);
    }

    #[test]
    fn a_session_is_named_by_what_it_is_about() {
        let long = "Limit vouchers to two per order";
        for (title, first, last, name) in [
            (Some("Vouchers"), Some(long), Some("8"), Some("Vouchers")),
            (Some("  "), Some(long), None, Some(long)),
            (None, Some(long), Some("Thanks."), Some(long)),
            (None, Some("hi"), Some(long), Some(long)),
            (None, Some("hi"), Some("8"), Some("hi")),
            (None, Some("ok"), Some("日本語のテスト"), Some("日本語のテスト")),
            (None, None, Some("Thanks."), Some("Thanks.")),
            (None, None, None, None),
        ] {
            assert_eq!(display_title(title, first, last), name);
        }
    }

    #[test]
    fn the_better_source_wins_and_an_empty_one_clears() {
        let prompt = r#"{"type":"user","uuid":"a","message":{"content":"fix  the\nbug"}}"#;
        let custom = r#"{"type":"custom-title","customTitle":"Mine"}"#;
        let cleared = r#"{"type":"custom-title","customTitle":""}"#;
        let ai = r#"{"type":"ai-title","aiTitle":"Bug fix"}"#;
        let summary = r#"{"type":"summary","summary":"About bugs","leafUuid":"a"}"#;
        let foreign = r#"{"type":"summary","summary":"Elsewhere","leafUuid":"z"}"#;
        let command =
            r#"{"type":"user","uuid":"c","message":{"content":"<command-name>/init</command-name>"}}"#;
        check(&[command], Some((TitleSource::FirstPrompt, "/init")));
        check(&[command, prompt], Some((TitleSource::FirstPrompt, "fix the bug")));
        check(&[], None);
        check(&[prompt], Some((TitleSource::FirstPrompt, "fix the bug")));
        check(&[foreign, prompt], Some((TitleSource::FirstPrompt, "fix the bug")));
        check(&[summary, prompt], Some((TitleSource::Summary, "About bugs")));
        check(&[summary, prompt, ai], Some((TitleSource::Ai, "Bug fix")));
        check(&[prompt, ai, custom], Some((TitleSource::Custom, "Mine")));
        check(&[prompt, custom, ai, cleared], Some((TitleSource::Ai, "Bug fix")));
    }
}
