//! What is sent: the prompt with its pastes and images.

use super::apply::SHELL_SIGN;

/// A prompt that was submitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// What the model gets, or the command for the shell without its sign: pastes in full, images as their marks.
    pub text: String,
    /// What the history keeps: pastes as their marks.
    pub display: String,
    /// What happens with it.
    pub kind: PromptKind,
    /// The pasted texts, each with the number of its mark.
    pub pastes: Vec<(u32, String)>,
    /// The images, each with the number of its mark.
    pub images: Vec<(u32, Image)>,
}

impl Prompt {
    /// Returns a prompt without pastes and images, from what would be typed for it.
    pub fn of_line(line: &str) -> Self {
        let (text, kind) = match line.strip_prefix(SHELL_SIGN) {
            Some(command) => (command.trim(), PromptKind::Shell),
            None => (line, PromptKind::Message),
        };
        Self { text: text.to_owned(), display: line.to_owned(), kind, ..Self::default() }
    }

    /// Returns the text, that of a command for the shell with its sign.
    pub fn line(&self) -> String {
        match self.kind {
            PromptKind::Message => self.text.clone(),
            PromptKind::Shell => format!("{SHELL_SIGN}{}", self.text),
        }
    }
}

/// What happens with a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptKind {
    /// It is a message or a slash command.
    #[default]
    Message,
    /// It is a command for the shell.
    Shell,
}

/// An image that was pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its media type, such as `image/png`.
    pub media_type: String,
    /// Its bytes.
    pub base64: String,
    /// The path of its file, if it has one.
    pub path: Option<String>,
}
