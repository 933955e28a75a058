//! The keymap where the terminal viewer is not built in: its presets are known, and every key is taken as it is.

/// Stands for the keymap of the viewer.
#[derive(Default)]
pub(crate) struct Keymap;

impl Keymap {
    /// As the viewer has them.
    pub(crate) const PRESETS: &[&str] = &["default", "vim"];

    pub(crate) fn preset(name: &str) -> Result<Self, String> {
        if Self::PRESETS.contains(&name) { Ok(Self) } else { Err(format!("unknown keymap {name:?}")) }
    }

    pub(crate) fn bind(&mut self, _scope: &str, _action: &str, _keys: &[String]) -> Result<(), String> {
        Ok(())
    }
}

/// Stands for the keymap of the input editor.
#[derive(Default)]
pub(crate) struct EditorKeymap;

impl EditorKeymap {
    /// As the editor has it.
    pub(crate) const SCOPE: &str = "editor";

    pub(crate) fn bind(&mut self, _action: &str, _keys: &[String]) -> Result<(), String> {
        Ok(())
    }
}

/// Stands for the keymap of the chat screen.
#[derive(Default)]
pub(crate) struct ChatKeymap;

impl ChatKeymap {
    /// Whether it is a part of the chat screen; here, all keys are taken as they are anyway.
    pub(crate) fn has_scope(_name: &str) -> bool {
        false
    }

    pub(crate) fn bind(&mut self, _scope: &str, _action: &str, _keys: &[String]) -> Result<(), String> {
        Ok(())
    }
}
