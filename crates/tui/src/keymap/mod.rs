//! What keys mean where, as data. The help overlay and docs/tui.md are made from it.

mod bindings;
mod command;
mod table;

use std::fmt;

pub use command::Command;
pub use table::Binding;
pub(crate) use table::{BindingRow, BindingTable};

use crate::chat::ChatKeyScope;
use crate::key::Key;
use bindings::{DEFAULT, VIM};

/// Where a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// On every screen.
    Everywhere,
    /// In the list of sessions.
    List,
    Session,
    /// In the tree of a session.
    Tree,
    /// On the usage screen.
    Usage,
}

impl Scope {
    /// All of them, in the order in which they are explained.
    pub const ALL: [Self; 5] = [Self::List, Self::Session, Self::Tree, Self::Usage, Self::Everywhere];

    /// Returns its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "everywhere",
            Self::List => "list",
            Self::Session => "session",
            Self::Tree => "tree",
            Self::Usage => "usage",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }

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

/// The bindings that hold: those of a preset, with changes.
#[derive(Clone, Debug)]
pub struct Keymap {
    table: BindingTable<Scope, Command>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self { table: BindingTable::new(DEFAULT) }
    }
}

/// Why keys cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeymapError {
    /// There is no such preset.
    Preset(String),
    /// There is no such screen.
    Scope(String),
    /// The screen has no such action.
    Action(Scope, String),
    /// The editor has no such action.
    EditorAction(String),
    /// That part of the chat screen has no such action.
    ChatAction(String, String),
    /// There is no such key.
    Key(String),
}

impl std::error::Error for KeymapError {}

impl fmt::Display for KeymapError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Preset(name) => write!(out, "unknown keymap {name:?}: it is default or vim"),
            Self::Scope(name) => {
                let names = Scope::ALL.map(Scope::name).join(", ");
                let chat = ChatKeyScope::ALL.map(ChatKeyScope::name).join(", ");
                write!(out, "unknown screen {name:?}: it is one of {names}, editor, {chat}")
            }
            Self::Action(scope, name) => write!(out, "unknown action {name:?} of {}", scope.name()),
            Self::EditorAction(name) => write!(out, "unknown action {name:?} of editor"),
            Self::ChatAction(scope, name) => write!(out, "unknown action {name:?} of {scope}"),
            Self::Key(name) => write!(out, "unknown key {name:?}, such as j, G, ctrl-d, pgdn or space"),
        }
    }
}

impl Keymap {
    /// The names of the presets.
    pub const PRESETS: [&str; 2] = ["default", "vim"];

    /// Returns the preset of this name.
    pub fn preset(name: &str) -> Result<Self, KeymapError> {
        let mut keymap = Self::default();
        match name {
            "default" => {}
            "vim" => {
                for (scope, key, command) in VIM {
                    keymap.table.add(scope, command, key);
                }
            }
            _ => return Err(KeymapError::Preset(name.to_owned())),
        }
        Ok(keymap)
    }

    /// Gives an action these keys and no others; what they were bound to on that screen loses them.
    pub fn bind(&mut self, scope: &str, action: &str, keys: &[String]) -> Result<(), KeymapError> {
        let scope = Scope::from_name(scope).ok_or_else(|| KeymapError::Scope(scope.to_owned()))?;
        let unknown = || KeymapError::Action(scope, action.to_owned());
        let command = Command::from_name(action).ok_or_else(unknown)?;
        self.table.bind(scope, command, keys, unknown)
    }

    /// Returns what a key does: here, else everywhere.
    pub fn command(&self, scope: Scope, key: Key) -> Option<Command> {
        let in_scope = |scope| self.table.command(scope, key);
        in_scope(scope).or_else(|| in_scope(Scope::Everywhere))
    }

    /// Returns the bindings of a scope.
    pub fn bindings(&self, scope: Scope) -> impl Iterator<Item = &Binding<Scope, Command>> {
        self.table.of(scope)
    }

    /// Returns the first key of a command, for hints; empty if it has none.
    pub fn key(&self, scope: Scope, command: Command) -> &str {
        let here = self.bindings(scope).chain(self.bindings(Scope::Everywhere));
        here.filter(|binding| binding.command == command)
            .find_map(|binding| binding.keys.first().map(String::as_str))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_key_has_a_name_and_one_meaning_in_its_scope() {
        let presets = Keymap::PRESETS.map(|name| Keymap::preset(name).unwrap());
        for (keymap, scope) in presets.iter().flat_map(|keymap| Scope::ALL.map(|scope| (keymap, scope))) {
            let mut seen = HashSet::new();
            for binding in keymap.bindings(scope) {
                for name in &binding.keys {
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

    #[test]
    fn actions_have_names_that_lead_back() {
        let keymap = Keymap::default();
        for binding in Scope::ALL.iter().flat_map(|scope| keymap.bindings(*scope)) {
            assert_eq!(Command::from_name(binding.command.name()), Some(binding.command));
        }
        assert_eq!(Command::HalfDown.name(), "half-down");
    }

    #[test]
    fn a_rebound_key_has_one_action_per_screen() {
        let mut keymap = Keymap::preset("vim").unwrap();
        assert_eq!(keymap.command(Scope::Session, Key::Char('z')), Some(Command::Fold));
        keymap.bind("list", "trash", &["r".to_owned(), "ctrl-x".to_owned()]).unwrap();
        assert_eq!(keymap.command(Scope::List, Key::Char('r')), Some(Command::Trash));
        assert_eq!(keymap.command(Scope::List, Key::Char('d')), None);
        assert_eq!(keymap.key(Scope::List, Command::Resume), "");
        assert_eq!(keymap.command(Scope::Session, Key::Char('r')), Some(Command::Resume));
        keymap.bind("everywhere", "suspend", &[]).unwrap();
        assert_eq!(keymap.command(Scope::List, Key::Ctrl('z')), None);
        for (scope, action, key, error) in [
            (
                "lists",
                "trash",
                "x",
                "unknown screen \"lists\": it is one of list, session, tree, usage, everywhere, editor, chat, question, \
                 picker, tasks, page",
            ),
            ("list", "fold", "x", "unknown action \"fold\" of list"),
            ("list", "bin", "x", "unknown action \"bin\" of list"),
            ("list", "trash", "hyper-x", "unknown key \"hyper-x\", such as j, G, ctrl-d, pgdn or space"),
        ] {
            assert_eq!(keymap.bind(scope, action, &[key.to_owned()]).unwrap_err().to_string(), error);
        }
        assert!(Keymap::preset("emacs").is_err());
    }
}
