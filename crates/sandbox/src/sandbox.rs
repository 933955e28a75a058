//! How commands are started in a sandbox: by which means, and whether these work here.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bubblewrap;
use crate::plan::{SandboxPlan, WriteScope};
use crate::stage;

/// The means by which a command is limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxMethod {
    /// bubblewrap, at this path. It can limit single files.
    Bubblewrap(PathBuf),
    /// Landlock and seccomp. Inside of a folder that may be written it limits nothing.
    Landlock,
}

impl fmt::Display for SandboxMethod {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock => "Landlock",
        })
    }
}

/// Why no command can be limited here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SandboxUnavailable(String);

/// Starts commands in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sandbox {
    method: SandboxMethod,
    /// Our own program, which is the stage: it calls [`run_stage`](crate::run_stage).
    program: PathBuf,
}

impl Sandbox {
    /// Finds the best means that works here, by trying. `program` is our own program.
    pub fn find(program: &Path) -> Result<Self, SandboxUnavailable> {
        if !cfg!(target_os = "linux") {
            return Err(SandboxUnavailable("there is none for this system, only for Linux".to_owned()));
        }
        let mut reasons = Vec::new();
        let installed = bubblewrap::PROGRAMS.iter().map(PathBuf::from).find(|path| path.is_file());
        match installed.map(|path| Self::try_out(SandboxMethod::Bubblewrap(path), program)) {
            Some(Ok(sandbox)) => return Ok(sandbox),
            Some(Err(error)) => reasons.push(error.to_string()),
            None => reasons.push("bubblewrap is not installed".to_owned()),
        }
        match Self::try_out(SandboxMethod::Landlock, program) {
            Ok(sandbox) => Ok(sandbox),
            Err(error) => {
                reasons.push(error.to_string());
                Err(SandboxUnavailable(reasons.join("; ")))
            }
        }
    }

    /// A sandbox by these means, if a command that does nothing runs in it.
    pub fn try_out(method: SandboxMethod, program: &Path) -> Result<Self, SandboxUnavailable> {
        let sandbox = Self { method, program: program.to_path_buf() };
        let failed = |why: &dyn fmt::Display| SandboxUnavailable(format!("{}: {why}", sandbox.method));
        let mut command = sandbox.command(
            &SandboxPlan::for_commands(Vec::new()),
            Path::new("/"),
            OsStr::new("/bin/sh"),
            &["-c".into(), ":".into()],
        );
        let output = command.env_clear().stdin(Stdio::null()).output().map_err(|error| failed(&error))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().last().unwrap_or("it cannot run a command");
        if output.status.success() { Ok(sandbox) } else { Err(failed(&last)) }
    }

    /// The means.
    pub fn method(&self) -> &SandboxMethod {
        &self.method
    }

    /// The first path of a plan that is not limited as the plan says.
    pub fn gap(&self, plan: &SandboxPlan) -> Option<PathBuf> {
        match self.method {
            SandboxMethod::Bubblewrap(_) => None,
            SandboxMethod::Landlock => plan.inexpressible(),
        }
    }

    /// The command that runs a program in a folder under a plan. The caller sets its environment and its streams.
    pub fn command(
        &self,
        plan: &SandboxPlan,
        folder: &Path,
        program: &OsStr,
        arguments: &[OsString],
    ) -> Command {
        let inner = [&[program.to_owned()], arguments].concat();
        let mut command = match &self.method {
            SandboxMethod::Bubblewrap(bubblewrap) => {
                let mut seen = plan.to_real();
                // The stage may be in a folder that is hidden.
                if seen.hidden.iter().any(|path| self.program.starts_with(path)) {
                    seen.readable.push(self.program.clone());
                }
                let mut command = Command::new(bubblewrap);
                command.args(bubblewrap::arguments(&seen, folder));
                if plan.writes != WriteScope::Everywhere {
                    command.arg(&self.program).args(stage::arguments(plan, &self.method));
                }
                command
            }
            SandboxMethod::Landlock => {
                let mut command = Command::new(&self.program);
                command.args(stage::arguments(plan, &self.method));
                command
            }
        };
        command.args(inner).current_dir(folder);
        command
    }
}
