//! What keys can do on the chat screen beside the editor's, and the names of it in a configuration.

/// What a key does on the chat screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has its description in the table of bindings")]
pub enum ChatCommand {
    Allow,
    Answer,
    Back,
    Cancel,
    Choose,
    Close,
    Comment,
    Down,
    Everywhere,
    Exit,
    Find,
    FindNext,
    FindPrevious,
    First,
    Fold,
    FoldAll,
    HalfDown,
    HalfUp,
    Help,
    Interrupt,
    Last,
    LoadEarlier,
    Mode,
    PageDown,
    PageUp,
    Pick,
    Preview,
    Redraw,
    Refuse,
    SelectNext,
    SelectPrevious,
    Stop,
    Suspend,
    TakeBack,
    Transcript,
    Up,
}

const NAMES: [(ChatCommand, &str); 36] = [
    (ChatCommand::Allow, "allow"),
    (ChatCommand::Answer, "answer"),
    (ChatCommand::Back, "back"),
    (ChatCommand::Cancel, "cancel"),
    (ChatCommand::Choose, "choose"),
    (ChatCommand::Close, "close"),
    (ChatCommand::Comment, "comment"),
    (ChatCommand::Down, "down"),
    (ChatCommand::Everywhere, "everywhere"),
    (ChatCommand::Exit, "exit"),
    (ChatCommand::Find, "find"),
    (ChatCommand::FindNext, "find-next"),
    (ChatCommand::FindPrevious, "find-previous"),
    (ChatCommand::First, "first"),
    (ChatCommand::Fold, "fold"),
    (ChatCommand::FoldAll, "fold-all"),
    (ChatCommand::HalfDown, "half-down"),
    (ChatCommand::HalfUp, "half-up"),
    (ChatCommand::Help, "help"),
    (ChatCommand::Interrupt, "interrupt"),
    (ChatCommand::Last, "last"),
    (ChatCommand::LoadEarlier, "load-earlier"),
    (ChatCommand::Mode, "mode"),
    (ChatCommand::PageDown, "page-down"),
    (ChatCommand::PageUp, "page-up"),
    (ChatCommand::Pick, "pick"),
    (ChatCommand::Preview, "preview"),
    (ChatCommand::Redraw, "redraw"),
    (ChatCommand::Refuse, "refuse"),
    (ChatCommand::SelectNext, "select-next"),
    (ChatCommand::SelectPrevious, "select-previous"),
    (ChatCommand::Stop, "stop"),
    (ChatCommand::Suspend, "suspend"),
    (ChatCommand::TakeBack, "take-back"),
    (ChatCommand::Transcript, "transcript"),
    (ChatCommand::Up, "up"),
];

impl ChatCommand {
    /// Returns its name in a configuration, such as `page-down`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(command, _)| *command == self).map_or("", |(_, name)| name)
    }

    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(command, _)| *command)
    }
}
