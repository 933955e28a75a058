//! Keys by their function in the conversation, independent of the terminal.

/// A key, or a combination of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Text that was pasted, in one piece.
    Paste(String),
    /// Sends the line.
    Enter,
    /// Breaks the line without sending it.
    LineBreak,
    /// Completes a command.
    Tab,
    /// Deletes the character before the cursor.
    Backspace,
    /// Deletes the character after the cursor.
    Delete,
    /// Moves a character to the left.
    Left,
    /// Moves a character to the right.
    Right,
    /// Moves to the beginning of the word.
    WordLeft,
    /// Moves to the end of the word.
    WordRight,
    /// Moves to the beginning of the line.
    Home,
    /// Moves to the end of the line.
    End,
    /// Moves up a line, or to the previous prompt.
    Up,
    /// Moves down a line, or to the next prompt.
    Down,
    /// Deletes to the end of the line.
    DeleteToEnd,
    /// Deletes to the beginning of the line.
    DeleteToStart,
    /// Deletes the word before the cursor.
    DeleteWord,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D, or the end of standard input.
    EndOfInput,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-L.
    Redraw,
    Escape,
}
