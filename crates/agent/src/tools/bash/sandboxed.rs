//! Commands in a sandbox: what they are started with, and what is told of its limits.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use annals_sandbox::{AbsenceWatch, HostProxy, MovedPath, Sandbox, SandboxPlan};

use super::environment::is_secret;

/// What programs print if the kernel refused something.
const REFUSALS: [&str; 18] = [
    "Operation not permitted",
    "Permission denied",
    "Read-only file system",
    "Device or resource busy",
    "Could not resolve host",
    "Could not resolve proxy",
    "Temporary failure in name resolution",
    "Name or service not known",
    "failed to lookup address",
    "Network is unreachable",
    "response 403",
    "Bad system call",
    "EACCES",
    "EAI_AGAIN",
    "ENOTFOUND",
    "EPERM",
    "EROFS",
    "PermissionError",
];

/// The most bytes of an output in which refusals are looked for.
pub(super) const MAX_LOOKED_AT: usize = 16 * 1024;

/// Whether a command may be started outside, if the person says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxExit {
    /// It may.
    Open,
    /// It may not.
    Closed,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandScope {
    /// In the sandbox, if there is one.
    Sandbox,
    Outside,
}

/// Makes the plan of a command from the files as they are now.
pub type PlanMaker = Box<dyn Fn() -> SandboxPlan + Send + Sync>;

/// The sandbox of a session's commands.
pub struct CommandSandbox {
    /// How commands are started.
    pub sandbox: Sandbox,
    /// What is limited.
    pub plan: PlanMaker,
    /// A folder that commands may write, for notes to this program; it is removed at the end.
    pub notes: PathBuf,
    /// Whether a command may be started outside.
    pub exit: SandboxExit,
    /// The proxy to allowed hosts, which runs as long as this.
    pub proxy: Option<HostProxy>,
}

impl fmt::Debug for CommandSandbox {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("CommandSandbox").field("sandbox", &self.sandbox).finish_non_exhaustive()
    }
}

impl Drop for CommandSandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.notes);
        if let Some(folder) =
            self.proxy.take().and_then(|proxy| proxy.socket().parent().map(Path::to_path_buf))
        {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl CommandSandbox {
    /// The command that runs this program in the sandbox, and the watch for what it must not create.
    pub(super) fn command(
        &self,
        folder: &Path,
        program: &Path,
        arguments: &[OsString],
    ) -> (Command, AbsenceWatch) {
        let plan = (self.plan)();
        let command = self.sandbox.command(&plan, folder, program.as_os_str(), arguments);
        (command, AbsenceWatch::new(&plan))
    }
}

/// The sandbox of programs that the person configured: hooks and MCP servers.
#[derive(Clone)]
pub struct HelperSandbox {
    /// How they are started.
    pub sandbox: Sandbox,
    /// Makes the plan from the files as they are now.
    pub plan: Arc<dyn Fn() -> SandboxPlan + Send + Sync>,
}

impl fmt::Debug for HelperSandbox {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("HelperSandbox").field("sandbox", &self.sandbox).finish_non_exhaustive()
    }
}

impl HelperSandbox {
    /// Returns the command that runs this program in this folder, in the sandbox.
    pub(crate) fn command(&self, folder: &Path, program: &OsStr, arguments: &[OsString]) -> Command {
        self.sandbox.command(&(self.plan)(), folder, program, arguments)
    }
}

/// The environment of a command in the sandbox: without secrets, and without the addresses of those who act outside it.
pub(super) fn without_secrets(
    environment: &[(OsString, OsString)],
) -> impl Iterator<Item = &(OsString, OsString)> {
    environment.iter().filter(|(name, _)| !is_secret(name))
}

/// What the model is told of paths that were renamed.
pub(super) fn moved_note(moved: &[MovedPath]) -> Option<String> {
    let lines: Vec<String> = moved
        .iter()
        .map(|moved| match &moved.to {
            Some(to) => format!(
                "The sandbox renamed {} to {}: commands in it must not create such files, because other programs run or obey them. Outside the sandbox, the user is asked.",
                moved.from.display(),
                to.display()
            ),
            None => format!(
                "A command in the sandbox created {}, which is not allowed, and it could not be renamed. Tell the user.",
                moved.from.display()
            ),
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What the model is told of a command that failed with this output, if the sandbox may be the reason.
pub(super) fn refusal_note(printed: &str, exit: SandboxExit) -> Option<String> {
    let found = REFUSALS.iter().find(|refusal| printed.contains(**refusal))?;
    let outside = match exit {
        SandboxExit::Open => {
            " If it must be done, call Bash again with dangerouslyDisableSandbox: the user is asked."
        }
        SandboxExit::Closed => " Commands cannot run outside the sandbox here.",
    };
    Some(format!(
        "[The command ran in a sandbox, which may be why it failed ({found}): there it can write only to the workspace, the temporary folder and caches, and reach only allowed hosts.{outside}]"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_with_what_to_do() {
        let note = refusal_note("touch: cannot touch '/x': Read-only file system\n", SandboxExit::Open);
        assert!(note.is_some_and(|note| note.contains("dangerouslyDisableSandbox")));
        let note = refusal_note("curl: (6) Could not resolve host: x", SandboxExit::Closed);
        assert!(note.is_some_and(|note| note.contains("cannot run outside")));
        assert_eq!(refusal_note("error[E0308]: mismatched types", SandboxExit::Open), None);
    }

    #[test]
    fn a_path_that_could_not_be_renamed_is_told() {
        let moved = [MovedPath { from: "/w/.envrc".into(), to: None }];
        assert!(moved_note(&moved).is_some_and(|note| note.contains("Tell the user")));
        assert_eq!(moved_note(&[]), None);
    }
}
