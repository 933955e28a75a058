//! Commands of the chat screen, beside those of the editor, with their names in a configuration.

use crate::named_commands::named_commands;

named_commands! {
    /// What a key does on the chat screen.
    ChatCommand {
        Allow = "allow",
        Answer = "answer",
        Back = "back",
        Cancel = "cancel",
        Choose = "choose",
        Close = "close",
        Comment = "comment",
        Down = "down",
        Everywhere = "everywhere",
        Exit = "exit",
        Find = "find",
        FindNext = "find-next",
        FindPrevious = "find-previous",
        First = "first",
        Fold = "fold",
        FoldAll = "fold-all",
        HalfDown = "half-down",
        HalfUp = "half-up",
        Help = "help",
        Interrupt = "interrupt",
        Last = "last",
        LoadEarlier = "load-earlier",
        Mode = "mode",
        PageDown = "page-down",
        PageUp = "page-up",
        Pick = "pick",
        Preview = "preview",
        Redraw = "redraw",
        Refuse = "refuse",
        SelectNext = "select-next",
        SelectPrevious = "select-previous",
        Stop = "stop",
        Suspend = "suspend",
        TakeBack = "take-back",
        Transcript = "transcript",
        Up = "up",
    }
}
