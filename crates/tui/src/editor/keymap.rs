//! The keys of the editor, as data. docs/chat.md is made from it, and a configuration changes it.

use super::command::EditorCommand;
use crate::key::Key;
use crate::keymap::{Binding, BindingTable, KeymapError};

type EditorRow = (&'static [&'static str], EditorCommand, &'static str);

/// The names of the keys, what they do, and the same for people.
const DEFAULT: [EditorRow; 27] = [
    (&["enter"], EditorCommand::Submit, "send; after a `\\`, a new line"),
    (&["ctrl-j", "shift-enter", "alt-enter"], EditorCommand::NewLine, "a new line"),
    (&["tab"], EditorCommand::Complete, "accept what the menu offers"),
    (&["left", "ctrl-b"], EditorCommand::Left, "a character to the left"),
    (&["right", "ctrl-f"], EditorCommand::Right, "a character to the right"),
    (&["alt-b", "ctrl-left", "alt-left"], EditorCommand::WordLeft, "to the start of the word"),
    (&["alt-f", "ctrl-right", "alt-right"], EditorCommand::WordRight, "to the end of the word"),
    (&["ctrl-a", "home"], EditorCommand::LineStart, "to the start of the line"),
    (&["ctrl-e", "end"], EditorCommand::LineEnd, "to the end of the line"),
    (&["ctrl-home", "alt-<"], EditorCommand::TextStart, "to the start of the text"),
    (&["ctrl-end", "alt->"], EditorCommand::TextEnd, "to the end of the text"),
    (&["up", "ctrl-p"], EditorCommand::Up, "a row up, then earlier prompts of this folder"),
    (&["down", "ctrl-n"], EditorCommand::Down, "a row down, then later prompts"),
    (&["backspace", "ctrl-h"], EditorCommand::DeleteLeft, "delete the character on the left"),
    (&["delete", "ctrl-d"], EditorCommand::DeleteRight, "delete the character on the right"),
    (&["ctrl-w", "alt-backspace"], EditorCommand::KillWordLeft, "cut the word on the left"),
    (&["alt-d", "alt-delete"], EditorCommand::KillWordRight, "cut the word on the right"),
    (&["ctrl-u"], EditorCommand::KillToStart, "cut to the start of the line"),
    (&["ctrl-k"], EditorCommand::KillToEnd, "cut to the end of the line, or its break"),
    (&["ctrl-y"], EditorCommand::Yank, "insert what was cut last"),
    (&["alt-y"], EditorCommand::YankOlder, "after that: replace it with the previous cut"),
    // Terminals send ctrl-_ as ctrl-7.
    (&["ctrl-_", "ctrl-7"], EditorCommand::Undo, "undo"),
    (&["alt-_", "alt-r"], EditorCommand::Redo, "redo"),
    (&["ctrl-r"], EditorCommand::Search, "search earlier prompts; there, ctrl-s changes the scope"),
    (&["ctrl-s"], EditorCommand::Stash, "stash the text; in an empty input, bring it back"),
    (&["ctrl-g"], EditorCommand::ExternalEditor, "edit in `$VISUAL` or `$EDITOR`"),
    (&["ctrl-v"], EditorCommand::PasteImage, "insert the image from the clipboard"),
];

/// The bindings of the editor that hold.
#[derive(Clone, Debug)]
pub struct EditorKeymap {
    table: BindingTable<(), EditorCommand>,
}

impl Default for EditorKeymap {
    fn default() -> Self {
        let rows = DEFAULT.into_iter().map(|(keys, command, help)| ((), keys, command, help));
        Self { table: BindingTable::new(rows) }
    }
}

impl EditorKeymap {
    /// The name of the editor in a configuration, beside the screens of the viewer.
    pub const SCOPE: &str = "editor";

    /// Gives an action these keys and no others; what they were bound to loses them.
    pub fn bind(&mut self, action: &str, keys: &[String]) -> Result<(), KeymapError> {
        let unknown = || KeymapError::EditorAction(action.to_owned());
        let command = EditorCommand::from_name(action).ok_or_else(unknown)?;
        self.table.bind((), command, keys, unknown)
    }

    /// Returns what a key does.
    pub fn command(&self, key: Key) -> Option<EditorCommand> {
        self.table.command((), key)
    }

    /// Returns all bindings, in the order in which they are explained.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding<(), EditorCommand>> {
        self.table.of(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_key_has_a_name_and_one_meaning() {
        let mut seen = HashSet::new();
        for binding in EditorKeymap::default().bindings() {
            assert_eq!(EditorCommand::from_name(binding.command.name()), Some(binding.command));
            for name in &binding.keys {
                let key = Key::from_name(name).unwrap_or_else(|| panic!("{name:?} is no key"));
                assert!(seen.insert(key), "{name:?} means two things");
            }
        }
    }

    #[test]
    fn a_rebound_key_has_one_action() {
        let mut keymap = EditorKeymap::default();
        keymap.bind("undo", &["ctrl-w".to_owned(), "alt-u".to_owned()]).unwrap();
        assert_eq!(keymap.command(Key::Ctrl('w')), Some(EditorCommand::Undo));
        assert_eq!(keymap.command(Key::Alt('u')), Some(EditorCommand::Undo));
        assert_eq!(keymap.command(Key::Ctrl('_')), None);
        assert_eq!(keymap.command(Key::AltBackspace), Some(EditorCommand::KillWordLeft));
        let error = |action: &str, key: &str| {
            let keys = [key.to_owned()];
            EditorKeymap::default().bind(action, &keys).unwrap_err().to_string()
        };
        assert_eq!(error("fly", "x"), "unknown action \"fly\" of editor");
        assert!(error("undo", "hyper-x").starts_with("unknown key \"hyper-x\""));
    }
}
