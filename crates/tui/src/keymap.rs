//! What keys mean where, as data. The help overlay and docs/tui.md are made from it.

use crate::key::Key;

/// Where a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// On every screen.
    Everywhere,
    /// In the list of sessions.
    List,
    /// In a session.
    Session,
    /// In the tree of a session.
    Tree,
    /// On the usage screen.
    Usage,
}

impl Scope {
    /// All of them, in the order in which they are explained.
    pub const ALL: [Self; 5] = [Self::List, Self::Session, Self::Tree, Self::Usage, Self::Everywhere];

    /// Returns its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Everywhere => "Everywhere",
            Self::List => "List of sessions",
            Self::Session => "Session",
            Self::Tree => "Tree of a session",
            Self::Usage => "Usage",
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each has its description in the table of bindings")]
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

/// Keys that do something somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Where.
    pub scope: Scope,
    /// The names of the keys.
    pub keys: &'static [&'static str],
    /// What they do.
    pub command: Command,
    /// The same for people.
    pub help: &'static str,
}

const fn bind(scope: Scope, keys: &'static [&'static str], command: Command, help: &'static str) -> Binding {
    Binding { scope, keys, command, help }
}

/// The bindings, as they are without a configuration.
pub const DEFAULT_BINDINGS: [Binding; 63] = [
    bind(Scope::List, &["enter", "l", "right"], Command::Open, "open the session"),
    bind(Scope::List, &["j", "down"], Command::Down, "next session"),
    bind(Scope::List, &["k", "up"], Command::Up, "previous session"),
    bind(Scope::List, &["space", "pgdn", "ctrl-f"], Command::PageDown, "a page down"),
    bind(Scope::List, &["b", "pgup", "ctrl-b"], Command::PageUp, "a page up"),
    bind(Scope::List, &["ctrl-d"], Command::HalfDown, "half a page down"),
    bind(Scope::List, &["ctrl-u"], Command::HalfUp, "half a page up"),
    bind(Scope::List, &["g", "home"], Command::First, "first session"),
    bind(Scope::List, &["G", "end"], Command::Last, "last session"),
    bind(Scope::List, &["/"], Command::Filter, "filter by title, project, branch, tag, prompt or id"),
    bind(Scope::List, &["s"], Command::Search, "search the text of all sessions"),
    bind(Scope::List, &["o"], Command::Sort, "sort by activity, cost, turns, size or title"),
    bind(Scope::List, &["p"], Command::Preview, "show or hide the preview"),
    bind(Scope::List, &["r"], Command::Resume, "resume in a client"),
    bind(Scope::List, &["f"], Command::Fork, "fork the session at its end"),
    bind(Scope::List, &["t"], Command::Rename, "set the title"),
    bind(Scope::List, &["#"], Command::Tag, "set the tag"),
    bind(Scope::List, &["x"], Command::Export, "export as Markdown"),
    bind(Scope::List, &["y"], Command::CopyId, "copy the id (terminals with OSC 52)"),
    bind(Scope::List, &["d", "delete"], Command::Trash, "move to the trash"),
    bind(Scope::List, &["u"], Command::Undo, "undo the last change of the store"),
    bind(Scope::List, &["R"], Command::Reload, "read the list again"),
    bind(Scope::List, &["q", "esc"], Command::Back, "clear the filter, else quit"),
    bind(Scope::Session, &["j", "down"], Command::Down, "a line down"),
    bind(Scope::Session, &["k", "up"], Command::Up, "a line up"),
    bind(Scope::Session, &["space", "pgdn", "ctrl-f"], Command::PageDown, "a page down"),
    bind(Scope::Session, &["b", "pgup", "ctrl-b"], Command::PageUp, "a page up"),
    bind(Scope::Session, &["ctrl-d"], Command::HalfDown, "half a page down"),
    bind(Scope::Session, &["ctrl-u"], Command::HalfUp, "half a page up"),
    bind(Scope::Session, &["g", "home"], Command::First, "to the start"),
    bind(Scope::Session, &["G", "end"], Command::Last, "to the end; follows a session that grows"),
    bind(Scope::Session, &["]", "}", "J"], Command::NextTurn, "next prompt"),
    bind(Scope::Session, &["[", "{", "K"], Command::PreviousTurn, "previous prompt"),
    bind(Scope::Session, &["enter", "l", "right"], Command::Fold, "open or close what is under the cursor"),
    bind(Scope::Session, &["o"], Command::Detail, "tools: first lines, one line, or in full"),
    bind(Scope::Session, &["T"], Command::Thinking, "open or close all thinking"),
    bind(Scope::Session, &["/"], Command::Find, "find in this session, sub-agents too"),
    bind(Scope::Session, &["n"], Command::FindNext, "next match"),
    bind(Scope::Session, &["N"], Command::FindPrevious, "previous match"),
    bind(Scope::Session, &["v"], Command::ShowTree, "tree of prompts, branches and sub-agents"),
    bind(Scope::Session, &["r"], Command::Resume, "resume in a client"),
    bind(Scope::Session, &["f"], Command::Fork, "fork at the record under the cursor"),
    bind(Scope::Session, &["t"], Command::Rename, "set the title"),
    bind(Scope::Session, &["#"], Command::Tag, "set the tag"),
    bind(Scope::Session, &["x"], Command::Export, "export as Markdown"),
    bind(Scope::Session, &["y"], Command::Copy, "copy what is under the cursor (OSC 52)"),
    bind(Scope::Session, &["Y"], Command::CopyId, "copy the id (OSC 52)"),
    bind(Scope::Session, &["u"], Command::Undo, "undo the last change of the store"),
    bind(Scope::Session, &["q", "esc", "h", "left"], Command::Back, "back to the list"),
    bind(Scope::Tree, &["enter", "l", "right"], Command::Open, "go there"),
    bind(Scope::Tree, &["j", "down"], Command::Down, "next line"),
    bind(Scope::Tree, &["k", "up"], Command::Up, "previous line"),
    bind(Scope::Tree, &["q", "esc", "h", "left", "v"], Command::Back, "back to the session"),
    bind(Scope::Usage, &["tab", "l", "right"], Command::NextTable, "next table"),
    bind(Scope::Usage, &["shift-tab", "h", "left"], Command::PreviousTable, "previous table"),
    bind(Scope::Usage, &["j", "down"], Command::Down, "a line down"),
    bind(Scope::Usage, &["k", "up"], Command::Up, "a line up"),
    bind(Scope::Usage, &["q", "esc"], Command::Back, "back to the list"),
    bind(Scope::Everywhere, &["?"], Command::Help, "show or hide this help"),
    bind(Scope::Everywhere, &["U"], Command::ShowUsage, "usage by day, model and project"),
    bind(Scope::Everywhere, &["ctrl-l"], Command::Redraw, "draw the screen again"),
    bind(Scope::Everywhere, &["ctrl-z"], Command::Suspend, "stop; the shell's fg continues"),
    bind(Scope::Everywhere, &["ctrl-c", "Q"], Command::Quit, "quit"),
];

/// The bindings that hold.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self { bindings: DEFAULT_BINDINGS.to_vec() }
    }
}

impl Keymap {
    /// Returns what a key does: here, else everywhere.
    pub fn command(&self, scope: Scope, key: Key) -> Option<Command> {
        let in_scope = |wanted: Scope| {
            let mut bindings = self.bindings.iter().filter(move |binding| binding.scope == wanted);
            let has_key =
                |binding: &&Binding| binding.keys.iter().any(|name| Key::from_name(name) == Some(key));
            bindings.find(has_key).map(|found| found.command)
        };
        in_scope(scope).or_else(|| in_scope(Scope::Everywhere))
    }

    /// Returns the bindings of a scope.
    pub fn bindings(&self, scope: Scope) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.scope == scope)
    }

    /// Returns the first key of a command, for hints.
    pub fn key(&self, scope: Scope, command: Command) -> &'static str {
        let here = self.bindings(scope).chain(self.bindings(Scope::Everywhere));
        here.filter(|binding| binding.command == command)
            .find_map(|binding| binding.keys.first().copied())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_key_has_a_name_and_one_meaning_in_its_scope() {
        for scope in Scope::ALL {
            let mut seen = HashSet::new();
            for binding in Keymap::default().bindings(scope) {
                for name in binding.keys {
                    let key = Key::from_name(name).unwrap_or_else(|| panic!("{name:?} is no key"));
                    assert!(seen.insert(key), "{name:?} means two things in {scope:?}");
                }
            }
        }
    }

    #[test]
    fn a_key_means_what_it_means_here_before_what_it_means_everywhere() {
        let keymap = Keymap::default();
        assert_eq!(keymap.command(Scope::List, Key::Char('r')), Some(Command::Resume));
        assert_eq!(keymap.command(Scope::Usage, Key::Char('r')), None);
        assert_eq!(keymap.command(Scope::Usage, Key::Char('?')), Some(Command::Help));
        assert_eq!(keymap.command(Scope::Session, Key::Char('G')), Some(Command::Last));
    }
}
