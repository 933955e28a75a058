//! Carries out what the person did, as far as it only concerns the terminal and the screen.

use annals_tui::chat::{ChatEffect, ChatInput};

use super::super::terminal_ui::ERROR;
use super::ScreenUi;

impl ScreenUi {
    /// Applies what the person did. What only concerns the terminal is done here.
    pub(super) fn apply(&mut self, input: ChatInput) -> Vec<ChatEffect> {
        let mut left = Vec::new();
        for effect in self.screen.update(input) {
            let done = match effect {
                ChatEffect::Suspend => self.suspend(),
                ChatEffect::Redraw => self.terminal.redraw(),
                ChatEffect::EditElsewhere => self.edit_elsewhere(),
                ChatEffect::PasteImage => {
                    self.paste_image();
                    Ok(())
                }
                ChatEffect::ReadTask(_) => {
                    self.follow_tasks();
                    Ok(())
                }
                ChatEffect::LoadEarlier => {
                    self.load_earlier();
                    Ok(())
                }
                ChatEffect::StopTask(id) => {
                    self.stop_task(&id);
                    Ok(())
                }
                other => {
                    left.push(other);
                    Ok(())
                }
            };
            if done.is_err() {
                left.push(ChatEffect::Exit);
            }
        }
        left
    }

    /// Adds a part of a long session before what is shown.
    fn load_earlier(&mut self) {
        let Some(mut earlier) = self.earlier.take() else { return };
        match earlier.load() {
            Ok(conversation) => {
                let left = (!earlier.is_empty()).then(|| earlier.size());
                self.screen.add_earlier(conversation, left.as_deref());
                self.earlier = left.map(|_| earlier);
            }
            Err(error) => {
                self.screen.note(ERROR, &error.to_string());
                self.earlier = Some(earlier);
            }
        }
    }
}
