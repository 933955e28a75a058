//! What keys can do, and the names of it in a configuration.

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    Back,
    Copy,
    CopyId,
    Detail,
    Down,
    Export,
    Filter,
    Find,
    FindNext,
    FindPrevious,
    First,
    Fold,
    Fork,
    HalfDown,
    HalfUp,
    Help,
    Last,
    NextTable,
    NextTurn,
    Open,
    PageDown,
    PageUp,
    Preview,
    PreviousTable,
    PreviousTurn,
    Quit,
    Redraw,
    Reload,
    Rename,
    Resume,
    Search,
    ShowTree,
    ShowUsage,
    Sort,
    Suspend,
    Tag,
    Thinking,
    Trash,
    Undo,
    Up,
}

const NAMES: [(Command, &str); 40] = [
    (Command::Back, "back"),
    (Command::Copy, "copy"),
    (Command::CopyId, "copy-id"),
    (Command::Detail, "detail"),
    (Command::Down, "down"),
    (Command::Export, "export"),
    (Command::Filter, "filter"),
    (Command::Find, "find"),
    (Command::FindNext, "find-next"),
    (Command::FindPrevious, "find-previous"),
    (Command::First, "first"),
    (Command::Fold, "fold"),
    (Command::Fork, "fork"),
    (Command::HalfDown, "half-down"),
    (Command::HalfUp, "half-up"),
    (Command::Help, "help"),
    (Command::Last, "last"),
    (Command::NextTable, "next-table"),
    (Command::NextTurn, "next-turn"),
    (Command::Open, "open"),
    (Command::PageDown, "page-down"),
    (Command::PageUp, "page-up"),
    (Command::Preview, "preview"),
    (Command::PreviousTable, "previous-table"),
    (Command::PreviousTurn, "previous-turn"),
    (Command::Quit, "quit"),
    (Command::Redraw, "redraw"),
    (Command::Reload, "reload"),
    (Command::Rename, "rename"),
    (Command::Resume, "resume"),
    (Command::Search, "search"),
    (Command::ShowTree, "show-tree"),
    (Command::ShowUsage, "show-usage"),
    (Command::Sort, "sort"),
    (Command::Suspend, "suspend"),
    (Command::Tag, "tag"),
    (Command::Thinking, "thinking"),
    (Command::Trash, "trash"),
    (Command::Undo, "undo"),
    (Command::Up, "up"),
];

impl Command {
    /// Returns its name in a configuration, such as `half-down`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(command, _)| *command == self).map_or("", |(_, name)| name)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(command, _)| *command)
    }
}
