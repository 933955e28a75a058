//! The keymap: a preset by its name, or a table with a preset and keys for actions of the terminal viewer, of the input editor and
//! of the chat screen.

use std::ops::Range;

use toml_edit::{Item, TableLike};

use super::key::{ConfigKey, ConfigValue};
use super::{ChatKeymap, EditorKeymap, Keymap};

/// The entry of the table that names the preset.
const PRESET: &str = "preset";

/// A place of the file, and what is wrong there.
pub(super) type Wrong = (Option<Range<usize>>, String);

/// Reads the table. What this release does not know is returned besides, since files of newer ones must be readable.
pub(super) fn read_table(table: &dyn TableLike) -> Result<(ConfigValue, Vec<Wrong>), Wrong> {
    let mut entries = Vec::new();
    let mut unknown = Vec::new();
    let (mut keymap, mut editor) = (Keymap::default(), EditorKeymap::default());
    let mut chat = ChatKeymap::default();
    for (name, item) in table.iter() {
        let at = || item.span().or_else(|| table.key(name).and_then(toml_edit::Key::span));
        if name == PRESET {
            let preset = item.as_str().ok_or_else(|| (at(), "preset must be a string".to_owned()))?;
            keymap = Keymap::preset(preset).map_err(|error| (at(), error.to_string()))?;
            entries.push((PRESET.to_owned(), vec![preset.to_owned()]));
            continue;
        }
        let screen = item.as_table_like();
        let screen = screen.ok_or_else(|| (at(), format!("keymap.{name} must be a table of actions")))?;
        for (action, keys) in screen.iter() {
            let at = || keys.span().or_else(|| screen.key(action).and_then(toml_edit::Key::span));
            let names = texts(keys);
            let names =
                names.ok_or_else(|| (at(), format!("{name}.{action} must be a key or a list of keys")))?;
            let bound = match name {
                EditorKeymap::SCOPE => editor.bind(action, &names),
                scope if ChatKeymap::has_scope(scope) => chat.bind(scope, action, &names),
                screen => keymap.bind(screen, action, &names),
            };
            match bound {
                Ok(()) => entries.push((format!("{name}.{action}"), names)),
                Err(error) => unknown.push((at(), error.to_string())),
            }
        }
    }
    Ok((ConfigValue::Table(entries), unknown))
}

/// One text, or a list of them.
fn texts(item: &Item) -> Option<Vec<String>> {
    match (item.as_str(), item.as_array()) {
        (Some(text), _) => Some(vec![text.to_owned()]),
        (None, Some(list)) => list.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        (None, None) => None,
    }
}

impl super::Configuration {
    /// What keys mean in the terminal viewer.
    pub(crate) fn keymap(&self) -> Keymap {
        let entries = match self.get(ConfigKey::Keymap) {
            Some(ConfigValue::Text(preset)) => return Keymap::preset(preset).unwrap_or_default(),
            Some(ConfigValue::Table(entries)) => entries.as_slice(),
            _ => return Keymap::default(),
        };
        let preset = entries.iter().find(|(name, _)| name == PRESET).and_then(|(_, names)| names.first());
        let mut keymap = preset.and_then(|name| Keymap::preset(name).ok()).unwrap_or_default();
        for (name, keys) in entries {
            if let Some((scope, action)) = name.split_once('.')
                && scope != EditorKeymap::SCOPE
                && !ChatKeymap::has_scope(scope)
            {
                // It was checked when the file was read.
                let _ = keymap.bind(scope, action, keys);
            }
        }
        keymap
    }

    /// Whether the preset is that of vim.
    #[cfg(feature = "tui")]
    pub(crate) fn is_vim(&self) -> bool {
        match self.get(ConfigKey::Keymap) {
            Some(ConfigValue::Text(preset)) => preset == "vim",
            Some(ConfigValue::Table(entries)) => {
                entries.iter().any(|(name, names)| name == PRESET && names.iter().any(|name| name == "vim"))
            }
            _ => false,
        }
    }

    /// What keys mean in the input editor.
    #[cfg(feature = "tui")]
    pub(crate) fn editor_keymap(&self) -> EditorKeymap {
        let mut keymap = EditorKeymap::default();
        let Some(ConfigValue::Table(entries)) = self.get(ConfigKey::Keymap) else { return keymap };
        for (name, keys) in entries {
            if let Some((EditorKeymap::SCOPE, action)) = name.split_once('.') {
                // It was checked when the file was read.
                let _ = keymap.bind(action, keys);
            }
        }
        keymap
    }

    /// What keys mean on the chat screen, beside those of the input editor.
    #[cfg(feature = "tui")]
    pub(crate) fn chat_keymap(&self) -> ChatKeymap {
        let mut keymap = ChatKeymap::default();
        let Some(ConfigValue::Table(entries)) = self.get(ConfigKey::Keymap) else { return keymap };
        for (name, keys) in entries {
            if let Some((scope, action)) = name.split_once('.')
                && ChatKeymap::has_scope(scope)
            {
                // It was checked when the file was read.
                let _ = keymap.bind(scope, action, keys);
            }
        }
        keymap
    }
}
