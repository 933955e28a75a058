//! What the errors of changes mean: the only place that gives them an exit code.
//!
//! Another writer, and a file that is not what it was when the change was planned, are conflicts (4), whichever command and
//! layer meets them; what the system refuses is 74. Only what is wrong with annals itself is 70.

use annals_store::changes::ChangesError;
use annals_store::files::{LockError, WriteError};
use annals_store::journal::UndoError;
use annals_store::read::ReadError;
use annals_store::reset::ResetError;
use annals_store::session::{AppendError, InUse, SideRecordError};
use annals_surgery::apply::ApplyError;
use annals_vault::{RestoreError, VaultError};

use super::Fault;

impl From<WriteError> for Fault {
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::Name(_) | WriteError::NotOneLine { .. } => Self::usage(message),
            WriteError::Exists { .. } => Self::conflict(message),
            WriteError::Full { .. } | WriteError::Torn { .. } => {
                Self::system(message).hint("the write was not acknowledged: free disk space and try again")
            }
            WriteError::Denied { .. } | WriteError::ReadOnly { .. } => Self::system(message)
                .hint("nothing was changed: check who owns the store and its permissions"),
            WriteError::Io { source, .. } => {
                Self::of_io(&source, message).hint("the write was not acknowledged: try again")
            }
            // Gone, or another error of the system.
            _ => Self::system(message).hint("the write was not acknowledged: try again"),
        }
    }
}

impl From<InUse> for Fault {
    fn from(error: InUse) -> Self {
        match error {
            InUse::Write(error) => error.into(),
            _ => Self::conflict(error.to_string()).hint("nothing was changed"),
        }
    }
}

impl From<ChangesError> for Fault {
    fn from(error: ChangesError) -> Self {
        match error {
            // What the change was made from is gone.
            ChangesError::Before(WriteError::Vanished { .. }) | ChangesError::Changed { .. } => {
                Self::conflict(error.to_string()).hint("nothing was changed: try again")
            }
            ChangesError::Before(error) => Self::from(error).hint("nothing was changed"),
            ChangesError::InUse(error) => error.into(),
            // Some changes were made, and then the system failed.
            _ => Self::system(error.to_string()).hint("annals undo reverts what was done"),
        }
    }
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        let message = error.to_string();
        match error {
            VaultError::Locked => Self::conflict(message).hint("nothing was changed: try again later"),
            VaultError::UnknownFormat { .. } => {
                Self::usage(message).hint("a newer release of annals can read it")
            }
            VaultError::Write(error) => {
                Self::from(error).hint("everything that was in the vault before is still there")
            }
            VaultError::Read(error) => error.into(),
            VaultError::Stopped => Self::internal(message),
            _ => {
                Self::damage(message).hint("annals archive --verify repairs what it can, and lists the rest")
            }
        }
    }
}

impl From<RestoreError> for Fault {
    fn from(error: RestoreError) -> Self {
        let message = error.to_string();
        match error {
            RestoreError::Differ { .. } => Self::conflict(message).hint(
                "nothing was changed: --replace moves those files to the trash, --to DIR restores elsewhere",
            ),
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
            _ => Self::usage(message),
        }
    }
}

impl From<LockError> for Fault {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Write(error) => error.into(),
            _ => Self::conflict(error.to_string()),
        }
    }
}

impl From<ApplyError> for Fault {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        match error {
            // It was there when the plan was made.
            ApplyError::Changed { .. }
            | ApplyError::PathRefusal { .. }
            | ApplyError::Read(ReadError::NotFound { .. }) => {
                Self::conflict(message).hint("nothing was changed")
            }
            ApplyError::InUse(error) => error.into(),
            ApplyError::Locked(error) => Self::from(error).hint("nothing was changed"),
            ApplyError::Read(error) => error.into(),
            ApplyError::Changes(error) => error.into(),
            ApplyError::Stuck { id, source } => {
                Self { message, ..source.into() }.hint(format!("annals undo {id} reverts it"))
            }
            ApplyError::Nothing | ApplyError::Wrong { .. } => Self::internal(message),
        }
    }
}

impl From<UndoError> for Fault {
    fn from(error: UndoError) -> Self {
        let message = error.to_string();
        match error {
            UndoError::AlreadyUndone { .. } => Self::nothing_found(message),
            UndoError::Emptied { .. } => {
                Self::nothing_found(message).hint("annals undo --list lists the others; name one by its id")
            }
            UndoError::ChangedSince { .. } | UndoError::Busy { .. } => {
                Self::conflict(message).hint("nothing was changed")
            }
            UndoError::Write(error) => {
                Self::from(error).hint("run annals undo again: it continues from there")
            }
            _ => Self::internal(message),
        }
    }
}

impl From<ResetError> for Fault {
    fn from(error: ResetError) -> Self {
        match error {
            ResetError::InUse(error) => error.into(),
            ResetError::Changes(error) => error.into(),
            _ => Self::internal(error.to_string()),
        }
    }
}

impl From<SideRecordError> for Fault {
    fn from(error: SideRecordError) -> Self {
        match error {
            SideRecordError::Append(error) => error.into(),
            SideRecordError::Journal(error) => Self::from(error).hint("nothing was changed"),
            _ => Self::internal(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use annals_store::busy::Busy;

    use super::super::FaultKind;
    use super::*;

    fn path() -> PathBuf {
        "x.jsonl".into()
    }

    fn in_use() -> InUse {
        InUse::Busy { path: path(), busy: Busy::Locked }
    }

    fn check<E: Into<Fault> + std::fmt::Display>(errors: Vec<E>, expected: FaultKind) {
        for error in errors {
            let text = error.to_string();
            assert_eq!(error.into().kind, expected, "{text}");
        }
    }

    #[test]
    fn another_writer_is_a_conflict_in_every_command() {
        let vanished = || WriteError::Vanished { path: path() };
        let changes = || {
            vec![
                ChangesError::InUse(in_use()),
                ChangesError::Changed { path: path() },
                ChangesError::Before(WriteError::Exists { path: path() }),
                ChangesError::Before(vanished()),
            ]
        };
        let held = || LockError::Held { path: path(), waited: 1 };
        check(vec![in_use()], FaultKind::Conflict);
        check(changes(), FaultKind::Conflict);
        check(changes().into_iter().map(ApplyError::Changes).collect(), FaultKind::Conflict);
        check(changes().into_iter().map(ResetError::Changes).collect(), FaultKind::Conflict);
        check(changes().into_iter().map(RestoreError::Changes).collect(), FaultKind::Conflict);
        check(vec![ResetError::InUse(in_use())], FaultKind::Conflict);
        check(vec![RestoreError::InUse(in_use())], FaultKind::Conflict);
        check(vec![VaultError::Locked], FaultKind::Conflict);
        check(vec![held()], FaultKind::Conflict);
        check(vec![AppendError::from(in_use())], FaultKind::Conflict);
        check(vec![SideRecordError::Append(in_use().into())], FaultKind::Conflict);
        let undo = || {
            vec![
                UndoError::Busy { path: path(), busy: Busy::Locked },
                UndoError::ChangedSince { path: path(), why: "it grew" },
            ]
        };
        check(undo(), FaultKind::Conflict);
        let stuck = |source| ApplyError::Stuck { id: "1".to_owned(), source };
        check(undo().into_iter().map(stuck).collect(), FaultKind::Conflict);
        let apply = vec![
            ApplyError::InUse(in_use()),
            ApplyError::Locked(held()),
            ApplyError::Changed { path: path() },
            ApplyError::Read(ReadError::NotFound { path: path() }),
        ];
        check(apply, FaultKind::Conflict);
    }

    #[test]
    fn a_full_disk_is_a_system_error_in_every_command() {
        let full = || WriteError::Full { path: path() };
        let midway = || ChangesError::Midway { id: "1".to_owned(), source: full() };
        check(vec![full()], FaultKind::System);
        check(vec![ChangesError::Before(full()), midway()], FaultKind::System);
        check(vec![ApplyError::Changes(midway()), ApplyError::Locked(full().into())], FaultKind::System);
        check(vec![UndoError::Write(full())], FaultKind::System);
        check(vec![VaultError::Write(full())], FaultKind::System);
    }
}
