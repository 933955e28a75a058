//! The keys of the configuration file, as data.

use annals_transcript::redact::SecretRules;

/// A key of the configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConfigKey {
    Stores,
    Theme,
    Screen,
    Pictures,
    Notifications,
    Keymap,
    Pager,
    RedactionPatterns,
}

/// A value of the configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ConfigValue {
    Text(String),
    List(Vec<String>),
    /// Names and the texts of each, in the order of the file.
    Table(Vec<(String, Vec<String>)>),
}

impl ConfigKey {
    pub(crate) const ALL: [Self; 8] = [
        Self::Stores,
        Self::Theme,
        Self::Screen,
        Self::Pictures,
        Self::Notifications,
        Self::Keymap,
        Self::Pager,
        Self::RedactionPatterns,
    ];

    /// Its name in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stores => "stores",
            Self::Theme => "theme",
            Self::Screen => "screen",
            Self::Pictures => "pictures",
            Self::Notifications => "notifications",
            Self::Keymap => "keymap",
            Self::Pager => "pager",
            Self::RedactionPatterns => "redaction-patterns",
        }
    }

    /// The key of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Whether it holds a list.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, Self::Stores | Self::RedactionPatterns)
    }

    /// What its value must be, for an error.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Theme => "auto, light, dark, light-colorblind, dark-colorblind or none",
            Self::Screen => "inline, full or plain",
            Self::Pictures => "auto, none, kitty, iterm or sixel",
            Self::Notifications => "none, bell or desktop",
            Self::Keymap => "default, vim, or a table of keys",
            _ if self.is_list() => "a list of strings",
            _ => "a string",
        }
    }

    /// Whether a value is one that the key may have.
    pub(crate) fn check(self, value: &ConfigValue) -> Result<(), String> {
        let is_valid = match (self, value) {
            (Self::Theme, ConfigValue::Text(text)) => {
                ["auto", "light", "dark", "light-colorblind", "dark-colorblind", "none"]
                    .contains(&text.as_str())
            }
            (Self::Screen, ConfigValue::Text(text)) => ["inline", "full", "plain"].contains(&text.as_str()),
            (Self::Pictures, ConfigValue::Text(text)) => {
                ["auto", "none", "kitty", "iterm", "sixel"].contains(&text.as_str())
            }
            (Self::Notifications, ConfigValue::Text(text)) => {
                ["none", "bell", "desktop"].contains(&text.as_str())
            }
            (Self::Keymap, ConfigValue::Text(text)) => super::Keymap::PRESETS.contains(&text.as_str()),
            (Self::Keymap, ConfigValue::Table(_)) => true,
            (Self::RedactionPatterns, ConfigValue::List(patterns)) => {
                return patterns.iter().try_for_each(|pattern| check_pattern(pattern));
            }
            (key, ConfigValue::List(_)) => key.is_list(),
            (key, ConfigValue::Text(_)) => !key.is_list(),
            (_, ConfigValue::Table(_)) => false,
        };
        match is_valid {
            true => Ok(()),
            false => Err(format!("{} must be {}", self.name(), self.expected())),
        }
    }
}

fn check_pattern(pattern: &str) -> Result<(), String> {
    let rules = SecretRules::new(&[], &[pattern.to_owned()]);
    rules.map(drop).map_err(|_| format!("{pattern:?} is not a regular expression"))
}
