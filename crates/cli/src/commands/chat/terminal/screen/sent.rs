//! What is typed, as the conversation takes it: with its pastes and its images.

use annals_agent::protocol::{PastedImage, Prompt as AgentPrompt, TypedText};
use annals_json::ArrayWriter;
use annals_tui::editor::{Prompt, PromptKind};

use super::super::slash::SlashCommand;
use super::super::terminal_ui::WARNING;
use super::ScreenUi;

impl ScreenUi {
    /// Leaves out the images of a command, which cannot have any, and says so.
    pub(super) fn without_images_of_command(&mut self, mut prompt: Prompt) -> Prompt {
        let is_command = prompt.kind == PromptKind::Shell || SlashCommand::parse(&prompt.line()).is_some();
        if is_command && !prompt.images.is_empty() {
            prompt.images.clear();
            self.screen.note(WARNING, "images cannot be sent with a command: they were left out");
        }
        prompt
    }
}

/// Returns a prompt with what was typed for it.
pub(super) fn sent(prompt: &Prompt) -> AgentPrompt {
    let plain = match prompt.kind {
        PromptKind::Shell => AgentPrompt::Shell(prompt.text.clone()),
        PromptKind::Message if prompt.images.is_empty() => AgentPrompt::Text(prompt.text.clone()),
        PromptKind::Message => AgentPrompt::Blocks(blocks(prompt)),
    };
    AgentPrompt::Typed { typed: typed(prompt), prompt: Box::new(plain) }
}

/// Returns how a prompt was typed.
fn typed(prompt: &Prompt) -> TypedText {
    let image = |(number, image): &(u32, annals_tui::editor::Image)| PastedImage {
        number: *number,
        path: image.path.clone(),
    };
    TypedText {
        display: prompt.display.clone(),
        pastes: prompt.pastes.clone(),
        images: prompt.images.iter().map(image).collect(),
    }
}

/// The text, and the images behind it, as the original writes them.
fn blocks(prompt: &Prompt) -> Vec<u8> {
    let mut json = Vec::new();
    let mut blocks = ArrayWriter::begin(&mut json);
    blocks.object(|block| {
        block.string("type", "text").string("text", &prompt.text);
    });
    for (_, image) in &prompt.images {
        blocks.object(|block| {
            block.string("type", "image").object("source", |source| {
                source.string("type", "base64").string("media_type", &image.media_type);
                source.string("data", &image.base64);
            });
        });
    }
    blocks.end();
    json
}
