//! How a person who is elsewhere is told that something waits.

use crate::configuration::ConfigKey;
use crate::context::Context;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notifications {
    None,
    /// The bell of the terminal.
    Bell,
    /// A notification of the desktop, by the terminal.
    Desktop,
}

impl Notifications {
    pub(super) fn of(context: &Context) -> Self {
        match context.config.text(ConfigKey::Notifications) {
            Some("bell") => Self::Bell,
            Some("desktop") => Self::Desktop,
            _ => Self::None,
        }
    }
}
