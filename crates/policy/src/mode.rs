//! Permission modes, and who may choose them.

use std::fmt;

use super::rules::SettingsSource;
use super::trust::Trust;

/// A permission mode: how much is allowed without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Reading is allowed, the rest is asked.
    #[default]
    Default,
    /// Changes of files in the workspace are allowed as well.
    AcceptEdits,
    /// Nothing is changed.
    Plan,
    /// What would be asked is denied.
    DontAsk,
    /// Everything is allowed but what no mode allows.
    Bypass,
}

impl Mode {
    /// Parses a mode's name; `auto` is read as `default`, since no classifier decides here.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "default" | "auto" => Self::Default,
            "acceptEdits" => Self::AcceptEdits,
            "plan" => Self::Plan,
            "dontAsk" => Self::DontAsk,
            "bypassPermissions" => Self::Bypass,
            _ => return None,
        })
    }

    /// The name that settings use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::Bypass => "bypassPermissions",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}

/// Who runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// The superuser.
    Root,
    /// Any other user.
    Ordinary,
}

/// Whether the program runs in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxKind {
    /// In a disposable container.
    Container,
    /// On a machine.
    Machine,
}

/// Whether settings permit the mode `bypassPermissions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// It is permitted.
    Open,
    /// `disableBypassPermissionsMode` is set.
    Disabled,
}

/// What decides whether a mode may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeContext {
    /// Who runs the program.
    pub privilege: Privilege,
    /// Whether it runs in a container.
    pub sandbox: SandboxKind,
    /// Whether the workspace is trusted.
    pub trust: Trust,
    /// Whether `bypassPermissions` is permitted.
    pub bypass: Bypass,
}

/// Why a mode is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModeRefusal {
    /// It came with the project's files.
    #[error("bypassPermissions in a project's files is ignored")]
    FromProject,
    /// The project is not trusted.
    #[error("the mode in {0} is ignored until the workspace is trusted")]
    Untrusted(SettingsSource),
    /// Root on a machine.
    #[error("bypassPermissions is not allowed for root outside a container")]
    Root,
    /// Switched off by settings.
    #[error("bypassPermissions is disabled by the settings")]
    Disabled,
}

/// Checks whether this source may set a mode. A transcript is not a source: no mode is taken from one.
pub fn may_take(mode: Mode, source: SettingsSource, context: &ModeContext) -> Result<Mode, ModeRefusal> {
    if source.is_of_project() && mode == Mode::Bypass {
        return Err(ModeRefusal::FromProject);
    }
    if source.is_of_project() && context.trust == Trust::Untrusted {
        return Err(ModeRefusal::Untrusted(source));
    }
    if mode != Mode::Bypass {
        return Ok(mode);
    }
    if context.bypass == Bypass::Disabled {
        return Err(ModeRefusal::Disabled);
    }
    let root = context.privilege == Privilege::Root;
    if root && context.sandbox == SandboxKind::Machine {
        return Err(ModeRefusal::Root);
    }
    Ok(mode)
}
