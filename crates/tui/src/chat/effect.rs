//! What the chat screen gets from its program, and what it asks of it.

use super::question::QuestionAnswer;
use crate::editor::Prompt;
use crate::key::{Key, Mouse};

/// Where a conversation is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScreenLayout {
    /// What is finished goes to the terminal's scrollback.
    #[default]
    Inline,
    /// On the alternate screen, which scrolls itself.
    Full,
}

/// What the screen has to know about its terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatOptions {
    /// Where the conversation is shown.
    pub layout: ScreenLayout,
    /// Whether the terminal can show more than ASCII.
    pub unicode: bool,
}

/// Something that the person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatInput {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse was used.
    Mouse(Mouse),
    /// The terminal has the keyboard, or has lost it.
    Focus(bool),
}

/// Something that the program is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChatEffect {
    /// A prompt or a command was sent. During a turn it is in the queue already.
    Submit(Prompt),
    /// The text is to be edited by a program of the person.
    EditElsewhere,
    /// An image of the clipboard is to be inserted.
    PasteImage,
    /// The turn is to be interrupted.
    Interrupt,
    /// The turn is to be interrupted; again, the program is to end.
    Stop,
    /// A question was answered.
    Answer(QuestionAnswer),
    /// A question was turned away.
    Refuse(String),
    /// A row of the list was chosen; `None` if the list was closed.
    Choose(Option<String>),
    /// All that a task in the background has printed is wanted.
    ReadTask(String),
    /// A part of the conversation before what is shown is wanted.
    LoadEarlier,
    /// A task in the background is to be stopped.
    StopTask(String),
    /// The next permission mode is wanted.
    CycleMode,
    /// Queued prompts are in the input again.
    Unqueue,
    /// The list of prompts to rewind to is wanted.
    Rewind,
    /// The program is to end.
    Exit,
    /// The process is to stop until the shell continues it.
    Suspend,
    /// Every cell is to be drawn again.
    Redraw,
}
