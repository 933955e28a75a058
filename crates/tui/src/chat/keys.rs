//! The keys of the chat screen, as a table: help and docs/chat.md are made from it.

/// Where keys hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatKeyScope {
    /// While a prompt is typed.
    Prompt,
    /// While a turn runs.
    Turn,
    /// In a question.
    Question,
    /// In a list.
    List,
    /// In the list of what is in the background.
    Tasks,
    /// On a page: the transcript, or what a command reports.
    Page,
}

impl ChatKeyScope {
    /// Returns its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Turn => "during a turn",
            Self::Question => "question",
            Self::List => "list",
            Self::Tasks => "tasks",
            Self::Page => "page",
        }
    }
}

/// What keys do where.
pub const CHAT_KEYS: [(ChatKeyScope, &str, &str); 42] = [
    (ChatKeyScope::Prompt, "enter", "sends the prompt; after `\\` it breaks the line"),
    (ChatKeyScope::Prompt, "ctrl-j", "breaks the line"),
    (ChatKeyScope::Prompt, "up, down", "moves within the text, then through earlier prompts"),
    (ChatKeyScope::Prompt, "/, @", "list commands; files, sub-agents and resources"),
    (ChatKeyScope::Prompt, "tab", "accepts what the list offers"),
    (ChatKeyScope::Prompt, "ctrl-r", "searches earlier prompts of all projects"),
    (ChatKeyScope::Prompt, "ctrl-g", "edits the text in `$VISUAL` or `$EDITOR`, between turns"),
    (ChatKeyScope::Prompt, "ctrl-s", "puts the text aside; with no text, brings it back"),
    (ChatKeyScope::Prompt, "ctrl-v", "inserts the image of the clipboard"),
    (ChatKeyScope::Prompt, "shift-tab", "changes the permission mode"),
    (ChatKeyScope::Prompt, "ctrl-o", "shows the transcript, with everything in full"),
    (ChatKeyScope::Prompt, "esc esc", "clears the text; with none, rewinds"),
    (ChatKeyScope::Prompt, "ctrl-c", "clears the text; twice exits"),
    (ChatKeyScope::Prompt, "ctrl-d", "deletes to the right; with no text, twice exits"),
    (ChatKeyScope::Prompt, "?", "with no text, shows this list"),
    (ChatKeyScope::Prompt, "pgup, pgdn", "scroll, with `--screen full`"),
    (ChatKeyScope::Prompt, "ctrl-l", "draws the screen again"),
    (ChatKeyScope::Prompt, "ctrl-z", "stops the program; the shell's `fg` continues it"),
    (
        ChatKeyScope::Turn,
        "enter",
        "queues the prompt: the model gets it after the running call; a command that only shows something runs at once",
    ),
    (ChatKeyScope::Turn, "up", "moves queued prompts into the input again"),
    (ChatKeyScope::Turn, "esc", "interrupts; if nothing was answered yet, the prompt returns to the input"),
    (ChatKeyScope::Turn, "ctrl-c", "interrupts; again exits"),
    (ChatKeyScope::Question, "up, down, enter", "choose an answer"),
    (ChatKeyScope::Question, "1 … 9, y, n", "answer at once"),
    (ChatKeyScope::Question, "pgup, pgdn, space", "scroll what is asked about"),
    (ChatKeyScope::Question, "space", "picks, where several answers can be given"),
    (ChatKeyScope::Question, "tab", "refuses with a few words for the model"),
    (ChatKeyScope::Question, "esc", "refuses, and ends the turn"),
    (ChatKeyScope::List, "letters", "filter the list"),
    (ChatKeyScope::List, "up, down, pgup, pgdn, home, end", "move"),
    (ChatKeyScope::List, "enter", "chooses"),
    (ChatKeyScope::List, "tab", "shows or hides the preview"),
    (ChatKeyScope::List, "ctrl-a", "shows sessions of all projects, or only of this folder"),
    (ChatKeyScope::List, "esc", "cancels"),
    (ChatKeyScope::Tasks, "up, down, j, k", "move"),
    (ChatKeyScope::Tasks, "enter, space", "read all that the task has printed"),
    (ChatKeyScope::Tasks, "x", "stops the task"),
    (ChatKeyScope::Tasks, "esc, q", "leave"),
    (ChatKeyScope::Page, "j, k, space, b, ctrl-d, ctrl-u", "scroll"),
    (ChatKeyScope::Page, "g, G", "go to the start, to the end"),
    (ChatKeyScope::Page, "/, n, N", "find text, the next and the previous match"),
    (ChatKeyScope::Page, "q, esc, ctrl-o", "leave"),
];
