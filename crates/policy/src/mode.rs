//! Modes: how much happens unasked; and who may choose one.

use std::fmt;

use super::rules::Source;
use super::trust::Trust;

/// How much happens without a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Reading is free, the rest is asked for.
    #[default]
    Default,
    /// Changes of files in the workspace are free as well.
    AcceptEdits,
    /// Nothing is changed.
    Plan,
    /// What would be asked for is denied.
    DontAsk,
    /// Nothing is asked for but what no mode opens.
    Bypass,
}

impl Mode {
    /// Reads a mode's name; `auto` is read as `default`, since nobody judges here in a person's stead.
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
    /// Anybody else.
    Ordinary,
}

/// What the program runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// A container that can be thrown away.
    Container,
    /// A machine.
    Machine,
}

/// Whether managed settings leave `bypassPermissions` open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// Nobody forbade it.
    Open,
    /// `disableBypassPermissionsMode` is set.
    Disabled,
}

/// What decides whether a mode may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// Who runs the program.
    pub privilege: Privilege,
    /// What it runs on.
    pub surroundings: Surroundings,
    /// Whether the workspace is trusted.
    pub trust: Trust,
    /// Whether `bypassPermissions` is open at all.
    pub bypass: Bypass,
}

/// Why a mode is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModeRefusal {
    /// It came with the project's files.
    #[error("bypassPermissions is never taken from a project's files")]
    FromProject,
    /// The project is not trusted.
    #[error("a mode from {0} is taken only in a trusted workspace")]
    Untrusted(Source),
    /// Root on a machine.
    #[error("bypassPermissions is refused to root outside of a container")]
    Root,
    /// Switched off by settings.
    #[error("bypassPermissions is switched off by the settings")]
    Disabled,
}

/// Whether a mode that this source asks for may be taken. A transcript is no source: no mode is ever taken from one.
pub fn may_take(mode: Mode, source: Source, circumstances: &Circumstances) -> Result<Mode, ModeRefusal> {
    if source.is_of_project() && mode == Mode::Bypass {
        return Err(ModeRefusal::FromProject);
    }
    if source.is_of_project() && circumstances.trust == Trust::Untrusted {
        return Err(ModeRefusal::Untrusted(source));
    }
    if mode != Mode::Bypass {
        return Ok(mode);
    }
    if circumstances.bypass == Bypass::Disabled {
        return Err(ModeRefusal::Disabled);
    }
    let root = circumstances.privilege == Privilege::Root;
    if root && circumstances.surroundings == Surroundings::Machine {
        return Err(ModeRefusal::Root);
    }
    Ok(mode)
}
