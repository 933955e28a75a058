//! Reads what the person does, on a thread of its own.

use std::io;
use std::sync::{Arc, Mutex};

use annals_tui::Key;
use annals_tui::chat::{ChatInput, ChatInputReader};
use tokio::sync::mpsc::UnboundedSender;

use super::super::super::force_quit::ForceQuit;
use super::super::ui_event::UiEvent;

/// Starts a thread that reads keys.
pub(super) fn read_keys(sender: UnboundedSender<UiEvent>, force_quit: Arc<ForceQuit>, keys: Arc<Mutex<()>>) {
    std::thread::spawn(move || {
        // The conversation may end before its terminal: then nobody takes the keys.
        let send = |input| {
            if input == ChatInput::Key(Key::Ctrl('c')) {
                force_quit.interrupted();
            }
            sender
                .send(match input {
                    ChatInput::Focus(has_focus) => UiEvent::Focus(has_focus),
                    input => UiEvent::Input(input),
                })
                .map_err(|_| io::ErrorKind::BrokenPipe.into())
        };
        let mut reader = ChatInputReader::default();
        while reader.read(|| drop(keys.lock()), send).is_ok() {}
        let _ = sender.send(UiEvent::Terminated);
    });
}
