//! How a command ends: what to say, what to do about it, and the exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use annals_store::changes::ChangesError;
use annals_store::files::WriteError;
use annals_store::read::ReadError;
use annals_store::session::{AppendError, InUse};
use annals_vault::{RestoreError, VaultError};

use crate::stderr;

/// How a command that ran to its end ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// Nothing to show.
    NothingFound,
    /// Done, and problems were found in the data.
    ProblemsFound,
    /// The person said no.
    Declined,
    /// It was carried out, and failed; what went wrong is told.
    Failed,
    /// The person stopped it.
    Interrupted,
    /// It was asked to end.
    Terminated,
}

impl Outcome {
    /// 0, 1 or 3; for what was stopped by a signal, what a shell would say.
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Done => 0,
            Self::NothingFound | Self::Declined | Self::Failed => 1,
            Self::ProblemsFound => 3,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        })
    }
}

/// Why a command could not be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// There is no such session, project or record.
    NothingFound,
    /// The arguments make no sense, or name a file that cannot be read.
    Usage,
    /// What annals keeps is damaged.
    Damage,
    /// Somebody else is writing, or something changed since.
    Conflict,
    /// The reader of our output went away; no error.
    BrokenPipe,
    /// A fault of ours, or of the machine.
    Internal,
}

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: FaultKind,
    message: String,
    hints: Vec<String>,
}

impl Fault {
    /// Nothing by that name.
    pub(crate) fn nothing_found(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::NothingFound, message: message.into(), hints: Vec::new() }
    }

    /// Wrong usage.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Usage, message: message.into(), hints: Vec::new() }
    }

    /// Locked, or in conflict.
    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Conflict, message: message.into(), hints: Vec::new() }
    }

    /// Damage of what annals keeps.
    pub(crate) fn damage(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Damage, message: message.into(), hints: Vec::new() }
    }

    /// A fault of ours, or of the machine.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Internal, message: message.into(), hints: Vec::new() }
    }

    /// Whether the reason is that there is no such thing.
    pub(crate) fn is_nothing_found(&self) -> bool {
        self.kind == FaultKind::NothingFound
    }

    /// What went wrong, without what to do about it.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says where it went wrong.
    pub(crate) fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Adds a line that says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Says it on standard error and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let code = match self.kind {
            FaultKind::BrokenPipe => return ExitCode::SUCCESS,
            FaultKind::NothingFound => 1,
            FaultKind::Usage => 2,
            FaultKind::Damage => 3,
            FaultKind::Conflict => 4,
            FaultKind::Internal => 70,
        };
        stderr::say(self);
        ExitCode::from(code)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "annals: {}", self.message)?;
        for hint in &self.hints {
            write!(formatter, "\n  {hint}")?;
        }
        Ok(())
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { kind: FaultKind::BrokenPipe, message: String::new(), hints: Vec::new() };
        }
        Self::internal(format!("cannot write: {error}"))
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<WriteError> for Fault {
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::Name(_) | WriteError::NotOneLine { .. } => Self::usage(message),
            WriteError::Exists { .. } => Self::conflict(message),
            WriteError::Full { .. } | WriteError::Torn { .. } => {
                Self::internal(message).hint("it was not acknowledged: make room and try again")
            }
            WriteError::Denied { .. } | WriteError::ReadOnly { .. } => Self::internal(message)
                .hint("nothing was changed: is it your store, and may you write there?"),
            WriteError::Vanished { .. } | WriteError::Io { .. } => {
                Self::internal(message).hint("it was not acknowledged: try again when the fault is gone")
            }
        }
    }
}

impl From<InUse> for Fault {
    fn from(error: InUse) -> Self {
        match error {
            InUse::Busy { .. } => Self::conflict(error.to_string()).hint("nothing was changed"),
            InUse::Write(error) => error.into(),
        }
    }
}

impl From<ChangesError> for Fault {
    fn from(error: ChangesError) -> Self {
        match error {
            ChangesError::Before(error) => Self::from(error).hint("nothing was changed"),
            ChangesError::Midway { .. } | ChangesError::Stopped { .. } => {
                Self::internal(error.to_string()).hint("annals undo takes back what was done")
            }
        }
    }
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        let message = error.to_string();
        match error {
            VaultError::Locked => {
                Self::conflict(message).hint("nothing was changed: try again when it is done")
            }
            VaultError::UnknownForm { .. } => {
                Self::usage(message).hint("a later release of annals can read it")
            }
            VaultError::Write(error) => Self::from(error).hint("all that the vault held before is there"),
            VaultError::Read(error) => error.into(),
            VaultError::Stopped => Self::internal(message),
            _ => Self::damage(message)
                .hint("annals archive --verify heals what can be healed, and names the rest"),
        }
    }
}

impl From<RestoreError> for Fault {
    fn from(error: RestoreError) -> Self {
        let message = error.to_string();
        match error {
            RestoreError::Differ { .. } => Self::conflict(message)
                .hint("nothing was changed: --replace moves what is there to the trash, --to DIR restores elsewhere"),
            RestoreError::InUse(error) => error.into(),
            RestoreError::Vault(error) => error.into(),
            RestoreError::Changes(error) => error.into(),
        }
    }
}

impl From<AppendError> for Fault {
    fn from(error: AppendError) -> Self {
        let message = error.to_string();
        match error {
            AppendError::Busy { .. } => Self::conflict(message),
            AppendError::Write(error) => error.into(),
            AppendError::Read(error) => error.into(),
            AppendError::Place(_)
            | AppendError::ProgressTooLarge { .. }
            | AppendError::Plain(_)
            | AppendError::Name(_)
            | AppendError::NotAUuid { .. } => Self::usage(message),
        }
    }
}

impl From<annals_index::IndexError> for Fault {
    fn from(error: annals_index::IndexError) -> Self {
        use annals_index::IndexError;
        match error {
            IndexError::Busy { .. } | IndexError::Replaced { .. } => {
                Self::conflict(error.to_string()).hint("wait for it, or ask again in a moment")
            }
            IndexError::Read(error) => error.into(),
            IndexError::Write(error) => error.into(),
            error => Self::internal(error.to_string()).hint("annals index --rebuild makes the index anew"),
        }
    }
}
