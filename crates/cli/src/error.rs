//! How a command ends: its exit code, and the message and hints of an error.

mod changes;

use std::io;
use std::process::ExitCode;

use annals_store::read::ReadError;
use annals_ui::TerminalText;

use crate::stderr;

/// The result of a command that completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// Nothing to show.
    NothingFound,
    /// Done, and problems were found in the data.
    ProblemsFound,
    /// The user answered no.
    Declined,
    /// It failed, and has printed why.
    Failed,
    /// Ended by Ctrl-C.
    Interrupted,
    /// Ended by SIGTERM.
    Terminated,
}

impl Outcome {
    /// The exit code; for a signal, that of a shell.
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

/// Why a command failed; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// There is no such session, project or record.
    NothingFound,
    /// The arguments make no sense, or name a file that cannot be read.
    Usage,
    /// The data of annals are damaged.
    Damage,
    /// Something else is writing, or something changed since.
    Conflict,
    /// The reader of our output went away; no error.
    BrokenPipe,
    /// The system or a server failed: a full disk, a missing permission, an unreachable address.
    System,
    /// A bug of annals.
    Internal,
}

impl FaultKind {
    /// The only mapping from an error of the system to a kind.
    fn of_io(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            // The data are not what they should be, for example not UTF-8.
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Self::Damage,
            // Something that annals passed to the system makes no sense.
            io::ErrorKind::InvalidInput => Self::Internal,
            _ => Self::System,
        }
    }

    fn exit_code(self) -> u8 {
        match self {
            Self::BrokenPipe => 0,
            Self::NothingFound => 1,
            Self::Usage => 2,
            Self::Damage => 3,
            Self::Conflict => 4,
            Self::Internal => 70,
            Self::System => 74,
        }
    }
}

/// The error of a command.
#[derive(Debug)]
pub(crate) struct Fault {
    kind: FaultKind,
    message: String,
    hints: Vec<String>,
}

impl Fault {
    pub(crate) fn nothing_found(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::NothingFound, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Usage, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Conflict, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn damage(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Damage, message: message.into(), hints: Vec::new() }
    }

    /// The system or a server failed.
    pub(crate) fn system(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::System, message: message.into(), hints: Vec::new() }
    }

    /// An error of the system, with a message that names what it was about.
    pub(crate) fn of_io(error: &io::Error, message: impl Into<String>) -> Self {
        Self { kind: FaultKind::of_io(error.kind()), message: message.into(), hints: Vec::new() }
    }

    /// A bug of annals. What the system refuses is [`Fault::system`].
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Internal, message: message.into(), hints: Vec::new() }
    }

    /// Whether the system failed, which more work would not change.
    pub(crate) fn is_of_system(&self) -> bool {
        matches!(self.kind, FaultKind::System | FaultKind::BrokenPipe | FaultKind::Internal)
    }

    pub(crate) fn is_nothing_found(&self) -> bool {
        self.kind == FaultKind::NothingFound
    }

    /// The message without the hints.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Puts a place before the message.
    pub(crate) fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// Adds a line that says what to do.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Prints it to standard error and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if self.kind != FaultKind::BrokenPipe {
            stderr::say(self.text());
        }
        ExitCode::from(self.kind.exit_code())
    }
}

impl Fault {
    /// The message, and each hint on a line of its own.
    pub(crate) fn text(&self) -> TerminalText {
        let mut text = TerminalText::from(format_args!("annals: {}", self.message));
        for hint in &self.hints {
            text.push(TerminalText::block("\n  "));
            text.push(hint);
        }
        text
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::of_io(&error, format!("cannot write: {error}"))
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        let message = error.to_string();
        match error {
            ReadError::NotFound { .. } | ReadError::IsDirectory { .. } => Self::usage(message),
            ReadError::Other { source, .. } => Self::of_io(&source, message),
            _ => Self::system(message),
        }
    }
}

impl From<annals_index::IndexError> for Fault {
    fn from(error: annals_index::IndexError) -> Self {
        use annals_index::IndexError;
        match error {
            error if error.is_busy() => Self::conflict(error.to_string()).hint("try again in a moment"),
            IndexError::Read(error) => error.into(),
            IndexError::Write(error) => error.into(),
            error if error.is_of_system() => Self::system(error.to_string())
                .hint("the index is in the data folder, which --data-dir names"),
            error => Self::internal(error.to_string()).hint("annals index --rebuild builds it from scratch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use annals_store::files::WriteError;

    use super::*;

    #[test]
    fn what_the_system_refuses_is_not_a_bug() {
        use io::ErrorKind as Kind;
        let refusals = [
            Kind::StorageFull,
            Kind::QuotaExceeded,
            Kind::PermissionDenied,
            Kind::ReadOnlyFilesystem,
            Kind::ConnectionRefused,
            Kind::ConnectionReset,
            Kind::HostUnreachable,
            Kind::NetworkUnreachable,
            Kind::AddrInUse,
            Kind::TimedOut,
            Kind::WriteZero,
            Kind::Other,
        ];
        for kind in refusals {
            let fault = Fault::from(io::Error::from(kind));
            assert_eq!(fault.kind.exit_code(), 74, "{kind}");
            let fault = Fault::from(WriteError::new(&PathBuf::from("x"), kind.into()));
            assert_eq!(fault.kind.exit_code(), 74, "writing: {kind}");
            let fault = Fault::from(ReadError::new(&PathBuf::from("x"), kind.into()));
            assert_eq!(fault.kind.exit_code(), 74, "reading: {kind}");
        }
        assert_eq!(FaultKind::of_io(Kind::BrokenPipe).exit_code(), 0);
        assert_eq!(FaultKind::of_io(Kind::InvalidInput).exit_code(), 70);
        assert_eq!(FaultKind::of_io(Kind::InvalidData).exit_code(), 3);
        assert_eq!(Fault::internal("a bug").kind.exit_code(), 70);
    }
}
