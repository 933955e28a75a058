//! What keys can do in the editor, and the names of it in a configuration.

/// What a key does in the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditorCommand {
    Submit,
    NewLine,
    Complete,
    Left,
    Right,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    Up,
    Down,
    DeleteLeft,
    DeleteRight,
    KillWordLeft,
    KillWordRight,
    KillToStart,
    KillToEnd,
    Yank,
    YankOlder,
    Undo,
    Redo,
    Search,
    Stash,
    ExternalEditor,
    PasteImage,
}

const NAMES: [(EditorCommand, &str); 27] = [
    (EditorCommand::Submit, "submit"),
    (EditorCommand::NewLine, "new-line"),
    (EditorCommand::Complete, "complete"),
    (EditorCommand::Left, "left"),
    (EditorCommand::Right, "right"),
    (EditorCommand::WordLeft, "word-left"),
    (EditorCommand::WordRight, "word-right"),
    (EditorCommand::LineStart, "line-start"),
    (EditorCommand::LineEnd, "line-end"),
    (EditorCommand::TextStart, "text-start"),
    (EditorCommand::TextEnd, "text-end"),
    (EditorCommand::Up, "up"),
    (EditorCommand::Down, "down"),
    (EditorCommand::DeleteLeft, "delete-left"),
    (EditorCommand::DeleteRight, "delete-right"),
    (EditorCommand::KillWordLeft, "kill-word-left"),
    (EditorCommand::KillWordRight, "kill-word-right"),
    (EditorCommand::KillToStart, "kill-to-start"),
    (EditorCommand::KillToEnd, "kill-to-end"),
    (EditorCommand::Yank, "yank"),
    (EditorCommand::YankOlder, "yank-older"),
    (EditorCommand::Undo, "undo"),
    (EditorCommand::Redo, "redo"),
    (EditorCommand::Search, "search"),
    (EditorCommand::Stash, "stash"),
    (EditorCommand::ExternalEditor, "external-editor"),
    (EditorCommand::PasteImage, "paste-image"),
];

impl EditorCommand {
    /// Returns its name in a configuration, such as `word-left`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(command, _)| *command == self).map_or("", |(_, name)| name)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(command, _)| *command)
    }
}
