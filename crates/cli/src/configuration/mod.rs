//! The configuration file, `$XDG_CONFIG_HOME/annals/config.toml`: defaults that options and variables override. It is never
//! read from a project folder, where somebody else may have put it.
//!
//! An unknown key is reported and the rest holds, so that older releases can read newer files. A value of the wrong type is an
//! error: a redaction pattern that is silently ignored would let a secret out.

#[cfg(not(feature = "tui"))]
mod any_keymap;
mod key;
mod keymap;
mod write;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use annals_store::read::read_file_if_there;
use toml_edit::{Document, Item};

pub(crate) use key::{ConfigKey, ConfigValue};
pub(crate) use write::set;

#[cfg(feature = "tui")]
use annals_tui::{Keymap, chat::ChatKeymap, editor::EditorKeymap};
#[cfg(not(feature = "tui"))]
use any_keymap::{ChatKeymap, EditorKeymap, Keymap};

use crate::error::Fault;

/// More than this is not a configuration file.
const MAX_BYTES: usize = 1024 * 1024;

/// What the configuration file says.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    values: BTreeMap<ConfigKey, ConfigValue>,
    /// Keys that this release does not know, each with its place.
    pub(crate) unknown: Vec<String>,
    /// Why the file cannot be used, if it cannot.
    pub(crate) error: Option<String>,
}

impl Configuration {
    /// Reads the file; one that does not exist sets nothing. What is wrong with it is kept for the command to report, since
    /// `annals config` has to work with a broken file.
    pub(crate) fn read(path: &Path) -> Self {
        let text = match read_file_if_there(path) {
            Ok(None) => return Self::default(),
            Ok(Some(bytes)) if bytes.len() > MAX_BYTES => {
                Err(" too large for a configuration file".to_owned())
            }
            Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| " not UTF-8".to_owned()),
            Err(error) => return Self { error: Some(error.to_string()), ..Self::default() },
        };
        let parsed = text.and_then(|text| Self::parse(&text, path));
        let fault = |error| format!("{}:{error}", path.display());
        parsed.unwrap_or_else(|error| Self { error: Some(fault(error)), ..Self::default() })
    }

    /// Reads the text of a file; an error begins with its place.
    fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let document = Document::parse(text).map_err(|error| {
            format!("{}: {}", place(text, error.span()), error.message().replace('\n', "; "))
        })?;
        let mut config = Self::default();
        for (name, item) in document.as_table().iter() {
            let key_span = document.as_table().key(name).and_then(toml_edit::Key::span);
            match ConfigKey::of(name) {
                Some(ConfigKey::Keymap) if item.is_table_like() => {
                    let told = |(span, wrong): keymap::Wrong| format!("{}: {wrong}", place(text, span));
                    let Some(table) = item.as_table_like() else { continue };
                    let (value, unknown) = keymap::read_table(table).map_err(told)?;
                    config.values.insert(ConfigKey::Keymap, value);
                    let unknown =
                        unknown.into_iter().map(|wrong| format!("{}:{}", path.display(), told(wrong)));
                    config.unknown.extend(unknown);
                }
                Some(key) => {
                    let value = read_value(key, item)
                        .map_err(|wrong| format!("{}: {wrong}", place(text, item.span().or(key_span))))?;
                    config.values.insert(key, value);
                }
                None => {
                    let at = place(text, key_span.or(item.span()));
                    config.unknown.push(format!("{}:{at}: unknown key {name:?}", path.display()));
                }
            }
        }
        Ok(config)
    }

    /// The value of a key, if the file sets it.
    pub(crate) fn get(&self, key: ConfigKey) -> Option<&ConfigValue> {
        self.values.get(&key)
    }

    /// Everything that is set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConfigKey, &ConfigValue)> {
        self.values.iter().map(|(key, value)| (*key, value))
    }

    /// A key that holds one text.
    pub(crate) fn text(&self, key: ConfigKey) -> Option<&str> {
        match self.get(key)? {
            ConfigValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A key that holds a list.
    pub(crate) fn list(&self, key: ConfigKey) -> &[String] {
        match self.get(key) {
            Some(ConfigValue::List(list)) => list,
            _ => &[],
        }
    }

    /// The stores that it names; `~/` is the home folder.
    pub(crate) fn stores(&self, home: Option<&Path>) -> Vec<PathBuf> {
        let expand = |name: &String| match (name.strip_prefix("~/"), home) {
            (Some(inside), Some(home)) => home.join(inside),
            _ => PathBuf::from(name),
        };
        self.list(ConfigKey::Stores).iter().map(expand).collect()
    }

    /// Fails if the file cannot be used.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        match &self.error {
            Some(error) => {
                Err(Fault::usage(error.clone()).hint("correct the file; annals help config lists its keys"))
            }
            None => Ok(()),
        }
    }
}

fn read_value(key: ConfigKey, item: &Item) -> Result<ConfigValue, String> {
    let text = |item: &toml_edit::Value| item.as_str().map(str::to_owned);
    let value = match item {
        Item::Value(toml_edit::Value::Array(list)) => {
            list.iter().map(text).collect::<Option<Vec<_>>>().map(ConfigValue::List)
        }
        Item::Value(value) => text(value).map(ConfigValue::Text),
        _ => None,
    };
    let value = value.ok_or_else(|| format!("{} must be {}", key.name(), key.expected()))?;
    key.check(&value)?;
    Ok(value)
}

/// Line and column of a span, counted from 1.
fn place(text: &str, span: Option<Range<usize>>) -> String {
    let start = span.map_or(0, |span| span.start).min(text.len());
    let before = text.get(..start).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{line}:{column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Configuration, String> {
        Configuration::parse(text, Path::new("config.toml"))
    }

    #[test]
    fn an_unknown_key_is_told_with_its_place_and_the_rest_holds() {
        let config = parsed("# mine\ntheme = \"dark\"\n\n  colour = 1\n[team]\nurl = \"x\"\n").unwrap();
        assert_eq!(config.text(ConfigKey::Theme), Some("dark"));
        let unknown = ["config.toml:4:3: unknown key \"colour\"", "config.toml:5:2: unknown key \"team\""];
        assert_eq!(config.unknown, unknown);
    }

    #[test]
    fn a_wrong_value_is_told_with_its_place() {
        for (text, wrong) in [
            ("theme = 3", "1:9: theme must be auto, light, dark, light-colorblind, dark-colorblind or none"),
            (
                "theme = \"pink\"",
                "1:9: theme must be auto, light, dark, light-colorblind, dark-colorblind or none",
            ),
            ("\npager = [\"less\"]", "2:9: pager must be a string"),
            ("stores = \"/a\"", "1:10: stores must be a list of strings"),
            ("stores = [\"/a\", 1]", "1:10: stores must be a list of strings"),
            ("[stores]\na = 1", "1:1: stores must be a list of strings"),
            ("redaction-patterns = [\"(\"]", "1:22: \"(\" is not a regular expression"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.starts_with(wrong), "{text}: {error}");
        }
        let broken = parsed("theme = \"dark\"\npager = =\n").unwrap_err();
        assert!(broken.starts_with("2:9: "), "{broken}");
    }

    #[cfg(feature = "tui")]
    #[test]
    fn keys_are_bound_and_an_unknown_action_is_told_with_its_place() {
        use annals_tui::{Command, Key, Scope};
        let text = "[keymap]\npreset = \"vim\"\nlist.trash = \"ctrl-x\"\n[keymap.session]\nfork = [\"F\"]\nfly = \"f\"\n";
        let config = parsed(text).unwrap();
        assert_eq!(config.unknown, ["config.toml:6:7: unknown action \"fly\" of session"]);
        let keymap = config.keymap();
        for (scope, key, command) in [
            (Scope::List, Key::Ctrl('x'), Some(Command::Trash)),
            (Scope::List, Key::Char('d'), None),
            (Scope::List, Key::Ctrl('e'), Some(Command::Down)),
            (Scope::Session, Key::Char('F'), Some(Command::Fork)),
            (Scope::Session, Key::Char('f'), None),
        ] {
            assert_eq!(keymap.command(scope, key), command, "{key:?}");
        }
        let vim = parsed("keymap = \"vim\"").unwrap().keymap();
        assert_eq!(vim.command(Scope::Session, Key::Char('z')), Some(Command::Fold));
        for (text, wrong) in [
            ("keymap = \"emacs\"", "1:10: keymap must be default, vim, or a table of keys"),
            ("[keymap]\npreset = \"emacs\"", "2:10: unknown keymap \"emacs\""),
            ("[keymap]\nlist = 1", "2:8: keymap.list must be a table of actions"),
            ("[keymap.list]\ntrash = 1", "2:9: list.trash must be a key or a list of keys"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.starts_with(wrong), "{text}: {error}");
        }
    }

    #[cfg(feature = "tui")]
    #[test]
    fn keys_of_the_editor_are_bound_beside_those_of_the_viewer() {
        use annals_tui::editor::EditorCommand;
        use annals_tui::{Command, Key, Scope};
        let text = "[keymap]\neditor.undo = [\"alt-u\"]\neditor.fly = \"f\"\nlist.trash = \"ctrl-x\"\n";
        let config = parsed(text).unwrap();
        assert_eq!(config.unknown, ["config.toml:3:14: unknown action \"fly\" of editor"]);
        let editor = config.editor_keymap();
        assert_eq!(editor.command(Key::Alt('u')), Some(EditorCommand::Undo));
        assert_eq!(editor.command(Key::Ctrl('_')), None);
        assert_eq!(config.keymap().command(Scope::List, Key::Ctrl('x')), Some(Command::Trash));
    }

    #[cfg(feature = "tui")]
    #[test]
    fn keys_of_the_chat_screen_are_bound_beside_the_others() {
        use annals_tui::Key;
        use annals_tui::chat::{ChatCommand, ChatKeyScope};
        let text = "[keymap]\nchat.mode = \"alt-m\"\nquestion.allow = []\npage.fly = \"f\"\n";
        let config = parsed(text).unwrap();
        assert_eq!(config.unknown, ["config.toml:4:12: unknown action \"fly\" of page"]);
        let chat = config.chat_keymap();
        assert_eq!(chat.command(ChatKeyScope::Prompt, Key::Alt('m')), Some(ChatCommand::Mode));
        assert_eq!(chat.command(ChatKeyScope::Prompt, Key::BackTab), None);
        assert_eq!(chat.command(ChatKeyScope::Question, Key::Char('y')), None);
        assert_eq!(chat.command(ChatKeyScope::Question, Key::Char('n')), Some(ChatCommand::Refuse));
    }

    #[test]
    fn stores_may_begin_with_the_home() {
        let config = parsed("stores = [\"~/.claude\", \"/srv/b\", \"~x\"]").unwrap();
        let expected: Vec<PathBuf> = ["/home/mira/.claude", "/srv/b", "~x"].map(PathBuf::from).into();
        assert_eq!(config.stores(Some(Path::new("/home/mira"))), expected);
    }
}
