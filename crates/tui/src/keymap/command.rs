//! Commands of the viewer, with their names in a configuration.

use crate::named_commands::named_commands;

named_commands! {
    /// What a key does.
    Command {
        Back = "back",
        Copy = "copy",
        CopyId = "copy-id",
        Detail = "detail",
        Down = "down",
        Export = "export",
        Filter = "filter",
        Find = "find",
        FindNext = "find-next",
        FindPrevious = "find-previous",
        First = "first",
        Fold = "fold",
        Fork = "fork",
        HalfDown = "half-down",
        HalfUp = "half-up",
        Help = "help",
        Last = "last",
        NextTable = "next-table",
        NextTurn = "next-turn",
        Open = "open",
        PageDown = "page-down",
        PageUp = "page-up",
        Preview = "preview",
        PreviousTable = "previous-table",
        PreviousTurn = "previous-turn",
        Quit = "quit",
        Redraw = "redraw",
        Reload = "reload",
        Rename = "rename",
        Resume = "resume",
        Search = "search",
        ShowTree = "show-tree",
        ShowUsage = "show-usage",
        Sort = "sort",
        Suspend = "suspend",
        Tag = "tag",
        Thinking = "thinking",
        Trash = "trash",
        Undo = "undo",
        Up = "up",
    }
}
