//! Everything that the terminal UI reacts to, in one queue: keys, events of the conversation, signals.

use annals_agent::protocol::Event;
// Without the chat screen it has no input.
#[cfg(feature = "tui")]
use annals_tui::chat::ChatInput as ScreenInput;
use annals_ui::chat::Key;
use rustix::process::Signal;
#[cfg(not(feature = "tui"))]
use std::convert::Infallible as ScreenInput;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::UnboundedSender;

/// Something that the terminal UI reacts to.
#[derive(Clone, Debug)]
pub(super) enum UiEvent {
    /// A key, or the signal that means the same.
    Key(Key),
    /// A key or a paste on the chat screen.
    Input(ScreenInput),
    /// An event of the conversation.
    Agent(Box<Event>),
    /// What a person should know of something beside the conversation.
    Notice(String),
    /// Time has passed during a turn.
    Tick,
    /// The command of the status line printed this, to be shown this many columns from the left.
    StatusLine { text: String, padding: u16 },
    /// The terminal has the keyboard, or has lost it.
    Focus(bool),
    /// The terminal has another size.
    Resized,
    /// The program continues after it was stopped.
    Continued,
    /// The program should end, or the terminal was closed.
    Terminated,
}

/// Starts to listen to signals; must be called inside a runtime.
pub(super) fn listen_to_signals(sender: &UnboundedSender<UiEvent>) {
    let kinds = [
        (SignalKind::interrupt(), UiEvent::Key(Key::Interrupt)),
        (SignalKind::terminate(), UiEvent::Terminated),
        (SignalKind::hangup(), UiEvent::Terminated),
        (SignalKind::window_change(), UiEvent::Resized),
        (SignalKind::from_raw(Signal::TSTP.as_raw()), UiEvent::Key(Key::Suspend)),
        (SignalKind::from_raw(Signal::CONT.as_raw()), UiEvent::Continued),
    ];
    for (kind, event) in kinds {
        // A signal without a listener keeps its default effect.
        let Ok(mut signals) = signal(kind) else { continue };
        let sender = sender.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                if sender.send(event.clone()).is_err() {
                    return;
                }
            }
        });
    }
}
