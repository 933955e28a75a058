//! The keys of the chat screen, as data: what they do is looked up here, help and docs/chat.md are made from it, and a configuration
//! changes it. Those of the prompt's text are the editor's.

use super::command::ChatCommand;
use crate::key::Key;
use crate::keymap::{Binding, BindingRow, BindingTable, KeymapError};

/// Where keys hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChatKeyScope {
    /// At the prompt, before what the editor does.
    Prompt,
    Question,
    /// In a list, where letters filter.
    Picker,
    /// In the list of what is in the background.
    Tasks,
    /// On a page: the transcript, or what a command reports.
    Page,
}

impl ChatKeyScope {
    /// All of them, in the order in which they are explained.
    pub const ALL: [Self; 5] = [Self::Prompt, Self::Question, Self::Picker, Self::Tasks, Self::Page];

    /// Returns its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompt => "chat",
            Self::Question => "question",
            Self::Picker => "picker",
            Self::Tasks => "tasks",
            Self::Page => "page",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

    /// Returns its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Question => "question",
            Self::Picker => "list",
            Self::Tasks => "tasks",
            Self::Page => "page",
        }
    }
}

const DEFAULT: [BindingRow<ChatKeyScope, ChatCommand>; 61] = {
    use ChatCommand::*;
    use ChatKeyScope::{Page, Picker, Prompt, Question, Tasks};
    [
        (Prompt, &["esc"], Cancel, "interrupts; twice clears the text, or with none rewinds"),
        (Prompt, &["ctrl-c"], Interrupt, "interrupts, or clears the text; twice exits"),
        (Prompt, &["ctrl-d"], Exit, "with no text, twice exits"),
        (Prompt, &["shift-tab"], Mode, "changes the permission mode"),
        (Prompt, &["ctrl-o"], Transcript, "shows the transcript, with everything in full"),
        (Prompt, &["?"], Help, "with no text, shows the keys"),
        (Prompt, &["up"], TakeBack, "during a turn, returns queued prompts to the input"),
        (Prompt, &["pgup"], PageUp, "with `--screen full`, scrolls a page up"),
        (Prompt, &["pgdn"], PageDown, "with `--screen full`, scrolls a page down"),
        (Prompt, &["ctrl-up"], HalfUp, "with `--screen full`, scrolls half a page up"),
        (Prompt, &["ctrl-down"], HalfDown, "with `--screen full`, scrolls half a page down"),
        (Prompt, &["home"], First, "with `--screen full` and no text, to the start"),
        (Prompt, &["end"], Last, "with `--screen full` and no text, to the end"),
        (Prompt, &["ctrl-l"], Redraw, "anywhere, redraws the screen"),
        (Prompt, &["ctrl-z"], Suspend, "anywhere, suspends annals; the shell's `fg` resumes it"),
        (Question, &["up", "ctrl-p"], Up, "the answer above"),
        (Question, &["down", "ctrl-n"], Down, "the answer below"),
        (Question, &["enter"], Answer, "gives the selected answer; 1 … 9 give one directly"),
        (Question, &["y"], Allow, "allows at once"),
        (Question, &["n"], Refuse, "refuses at once"),
        (Question, &["left"], Back, "goes back to the previous question, when the model asks several"),
        (Question, &["tab"], Comment, "refuses with a few words for the model"),
        (Question, &["space"], Pick, "picks, when several answers can be given; otherwise scrolls"),
        (Question, &["pgup"], PageUp, "scrolls the question's content up"),
        (Question, &["pgdn"], PageDown, "scrolls the question's content down"),
        (Question, &["esc", "ctrl-c"], Cancel, "refuses, and ends the turn"),
        (Picker, &["up", "ctrl-p"], Up, "the row above"),
        (Picker, &["down", "ctrl-n"], Down, "the row below"),
        (Picker, &["pgup"], PageUp, "ten rows up"),
        (Picker, &["pgdn"], PageDown, "ten rows down"),
        (Picker, &["home"], First, "to the first row"),
        (Picker, &["end"], Last, "to the last row"),
        (Picker, &["enter"], Choose, "chooses"),
        (Picker, &["tab"], Preview, "shows or hides the preview"),
        (Picker, &["ctrl-a"], Everywhere, "shows sessions of all projects, or only of this folder"),
        (Picker, &["esc", "ctrl-c"], Cancel, "cancels"),
        (Tasks, &["up", "k", "ctrl-p"], Up, "the task above"),
        (Tasks, &["down", "j", "ctrl-n"], Down, "the task below"),
        (Tasks, &["g", "home"], First, "to the first task"),
        (Tasks, &["G", "end"], Last, "to the last task"),
        (Tasks, &["enter", "space"], Choose, "shows everything the task has printed"),
        (Tasks, &["x"], Stop, "stops the task"),
        (Tasks, &["q", "esc", "ctrl-c"], Close, "leaves"),
        (Page, &["j", "down"], Down, "a line down"),
        (Page, &["k", "up"], Up, "a line up"),
        (Page, &["space", "pgdn"], PageDown, "a page down"),
        (Page, &["b", "pgup"], PageUp, "a page up"),
        (Page, &["ctrl-d", "ctrl-down"], HalfDown, "half a page down"),
        (Page, &["ctrl-u", "ctrl-up"], HalfUp, "half a page up"),
        (Page, &["g", "home"], First, "to the start"),
        (Page, &["G", "end"], Last, "to the end"),
        (Page, &["/"], Find, "finds text"),
        (Page, &["n"], FindNext, "the next match"),
        (Page, &["N"], FindPrevious, "the previous match"),
        (Page, &["tab"], SelectNext, "in the transcript, to the next thought or tool call"),
        (Page, &["shift-tab"], SelectPrevious, "to the previous one"),
        (Page, &["enter"], Fold, "folds it, or opens it; so does a click with `--screen full`"),
        (Page, &["z"], FoldAll, "folds all of them, or opens all"),
        (Page, &["e"], LoadEarlier, "loads more of a long session, of which only the end is shown at first"),
        (Page, &["q", "esc", "ctrl-c"], Close, "leaves"),
        (Page, &["ctrl-o"], Transcript, "leaves, too"),
    ]
};

/// The bindings of the chat screen that hold.
#[derive(Clone, Debug)]
pub struct ChatKeymap {
    table: BindingTable<ChatKeyScope, ChatCommand>,
}

impl Default for ChatKeymap {
    fn default() -> Self {
        Self { table: BindingTable::new(DEFAULT) }
    }
}

/// Adds hints behind a text, if there are any.
pub(super) fn with_hints(text: String, hints: &str) -> String {
    if hints.is_empty() { text } else { format!("{text} · {hints}") }
}

impl ChatKeymap {
    /// Returns whether a configuration means a part of the chat screen by this name.
    pub fn has_scope(name: &str) -> bool {
        ChatKeyScope::from_name(name).is_some()
    }

    /// Gives an action these keys and no others; what they were bound to there loses them.
    pub fn bind(&mut self, scope: &str, action: &str, keys: &[String]) -> Result<(), KeymapError> {
        let unknown = || KeymapError::ChatAction(scope.to_owned(), action.to_owned());
        let in_scope = ChatKeyScope::from_name(scope).ok_or_else(|| KeymapError::Scope(scope.to_owned()))?;
        let command = ChatCommand::from_name(action).ok_or_else(unknown)?;
        self.table.bind(in_scope, command, keys, unknown)
    }

    /// Returns what a key does there.
    pub fn command(&self, scope: ChatKeyScope, key: Key) -> Option<ChatCommand> {
        self.table.command(scope, key)
    }

    /// The first key of a command; `None` if no key does it.
    pub(crate) fn key(&self, scope: ChatKeyScope, command: ChatCommand) -> Option<&str> {
        let binding = self.table.of(scope).find(|binding| binding.command == command);
        binding.and_then(|binding| binding.keys.first()).map(String::as_str)
    }

    /// What a row says of keys: `enter chooses · esc cancels`, without those that no key does. Commands that are next to each
    /// other and do the same share their words: `pgup, pgdn scroll`.
    pub(crate) fn hints(&self, scope: ChatKeyScope, wanted: &[(ChatCommand, &str)]) -> String {
        let mut hints: Vec<String> = Vec::new();
        for same in wanted.chunk_by(|left, right| left.1 == right.1 && !left.1.is_empty()) {
            let keys: Vec<&str> = same.iter().filter_map(|(command, _)| self.key(scope, *command)).collect();
            if !keys.is_empty() {
                hints.push(format!("{}{}", keys.join(", "), same[0].1));
            }
        }
        hints.join(" · ")
    }

    /// Returns the bindings of a scope, in the order in which they are explained.
    pub fn bindings(&self, scope: ChatKeyScope) -> impl Iterator<Item = &Binding<ChatKeyScope, ChatCommand>> {
        self.table.of(scope)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_key_has_a_name_and_one_meaning_in_its_scope() {
        let keymap = ChatKeymap::default();
        for scope in ChatKeyScope::ALL {
            assert_eq!(ChatKeyScope::from_name(scope.name()), Some(scope));
            let mut seen = HashSet::new();
            for binding in keymap.bindings(scope) {
                assert_eq!(ChatCommand::from_name(binding.command.name()), Some(binding.command));
                for name in &binding.keys {
                    let key = Key::from_name(name).unwrap_or_else(|| panic!("{name:?} is no key"));
                    assert!(seen.insert(key), "{name:?} means two things in {scope:?}");
                }
            }
        }
    }

    #[test]
    fn hints_name_the_keys_that_are_bound() {
        use ChatCommand::{Cancel, Choose, PageDown, PageUp};
        let wanted = [(Choose, " chooses"), (Cancel, " cancels"), (PageUp, " scroll"), (PageDown, " scroll")];
        let mut keymap = ChatKeymap::default();
        let hints = |keymap: &ChatKeymap| keymap.hints(ChatKeyScope::Picker, &wanted);
        assert_eq!(hints(&keymap), "enter chooses · esc cancels · pgup, pgdn scroll");
        keymap.bind("picker", "cancel", &[]).unwrap();
        keymap.bind("picker", "choose", &["ctrl-y".to_owned()]).unwrap();
        keymap.bind("picker", "page-up", &[]).unwrap();
        assert_eq!(hints(&keymap), "ctrl-y chooses · pgdn scroll");
        assert_eq!(with_hints("more".to_owned(), &hints(&keymap)), "more · ctrl-y chooses · pgdn scroll");
        assert_eq!(with_hints("more".to_owned(), ""), "more");
    }

    #[test]
    fn a_rebound_key_has_one_action_in_its_scope() {
        let mut keymap = ChatKeymap::default();
        let keys = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        keymap.bind("chat", "mode", &keys(&["alt-m", "ctrl-o"])).unwrap();
        let command = |key| keymap.command(ChatKeyScope::Prompt, key);
        assert_eq!(command(Key::Alt('m')), Some(ChatCommand::Mode));
        assert_eq!(command(Key::Ctrl('o')), Some(ChatCommand::Mode));
        assert_eq!(command(Key::BackTab), None);
        assert_eq!(keymap.command(ChatKeyScope::Page, Key::Ctrl('o')), Some(ChatCommand::Transcript));
        let error = |scope: &str, action: &str, key: &str| {
            ChatKeymap::default().bind(scope, action, &keys(&[key])).unwrap_err().to_string()
        };
        assert_eq!(error("chat", "fly", "x"), "unknown action \"fly\" of chat");
        assert_eq!(error("question", "mode", "x"), "unknown action \"mode\" of question");
        assert!(error("page", "find", "hyper-x").starts_with("unknown key \"hyper-x\""));
        assert!(error("pages", "find", "x").starts_with("unknown screen \"pages\""));
    }
}
