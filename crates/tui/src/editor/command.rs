//! Commands of the editor, with their names in a configuration.

use crate::named_commands::named_commands;

named_commands! {
    /// What a key does in the editor.
    EditorCommand {
        Submit = "submit",
        NewLine = "new-line",
        Complete = "complete",
        Left = "left",
        Right = "right",
        WordLeft = "word-left",
        WordRight = "word-right",
        LineStart = "line-start",
        LineEnd = "line-end",
        TextStart = "text-start",
        TextEnd = "text-end",
        Up = "up",
        Down = "down",
        DeleteLeft = "delete-left",
        DeleteRight = "delete-right",
        KillWordLeft = "kill-word-left",
        KillWordRight = "kill-word-right",
        KillToStart = "kill-to-start",
        KillToEnd = "kill-to-end",
        Yank = "yank",
        YankOlder = "yank-older",
        Undo = "undo",
        Redo = "redo",
        Search = "search",
        Stash = "stash",
        ExternalEditor = "external-editor",
        PasteImage = "paste-image",
    }
}
