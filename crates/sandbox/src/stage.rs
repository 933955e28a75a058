//! The stage: our own program, started in place of a command, restricts itself and becomes the command. What it cannot restrict it
//! does not run.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use crate::plan::{NetworkAccess, SandboxPlan, SocketAccess, WriteScope};
use crate::sandbox::SandboxMethod;

/// The first argument of the stage.
pub const STAGE: &str = "sandbox-stage";

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The arguments were not made by [`Sandbox::command`](crate::Sandbox::command).
    #[error("invalid sandbox arguments")]
    Arguments,
    /// The kernel refused, or offers too little.
    #[error("the sandbox cannot be set up: {0}")]
    Restrict(String),
    /// The command could not be started.
    #[error("{}: {error}", command.display())]
    Command {
        /// The program.
        command: PathBuf,
        error: io::Error,
    },
    /// The system has no such calls.
    #[error("there is no sandbox for this system")]
    System,
}

/// The arguments of the stage, up to the command.
pub(crate) fn arguments(plan: &SandboxPlan, method: &SandboxMethod) -> Vec<OsString> {
    let mut out: Vec<OsString> = vec![STAGE.into()];
    match &plan.network {
        NetworkAccess::Open => out.push("--network".into()),
        NetworkAccess::Closed => {}
        NetworkAccess::Proxy(socket) => out.extend(["--proxy".into(), socket.into()]),
    }
    if plan.sockets == SocketAccess::Open {
        out.push("--sockets".into());
    }
    if *method == SandboxMethod::Landlock {
        let plan = plan.to_real();
        out.push("--landlock".into());
        if plan.writes == WriteScope::Everywhere {
            out.push("--everywhere".into());
        }
        for (option, paths) in
            [("--write", plan.writable()), ("--hide", &plan.hidden), ("--read", &plan.readable)]
        {
            out.extend(paths.iter().flat_map(|path| [option.into(), path.clone().into_os_string()]));
        }
    }
    out.push("--".into());
    out
}

/// What the stage is to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) plan: SandboxPlan,
    /// Whether files are limited here, and not by a view of them.
    pub(crate) is_landlock: bool,
    pub(crate) command: Vec<OsString>,
}

impl Stage {
    fn parse(arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut plan = SandboxPlan::for_commands(Vec::new());
        let (mut is_landlock, mut writable, mut is_everywhere) = (false, Vec::new(), false);
        let mut arguments = arguments.into_iter();
        loop {
            let option = arguments.next()?;
            match option.to_str()? {
                "--network" => plan.network = NetworkAccess::Open,
                "--proxy" => plan.network = NetworkAccess::Proxy(arguments.next()?.into()),
                "--sockets" => plan.sockets = SocketAccess::Open,
                "--landlock" => is_landlock = true,
                "--everywhere" => is_everywhere = true,
                "--write" => writable.push(arguments.next()?.into()),
                "--hide" => plan.hidden.push(arguments.next()?.into()),
                "--read" => plan.readable.push(arguments.next()?.into()),
                "--" => break,
                _ => return None,
            }
        }
        plan.writes = if is_everywhere { WriteScope::Everywhere } else { WriteScope::Only(writable) };
        let command: Vec<OsString> = arguments.collect();
        (!command.is_empty()).then_some(Self { plan, is_landlock, command })
    }
}

/// Restricts this process as the arguments behind [`STAGE`] say, and becomes the command; returns only if that fails. `program` is
/// our own program.
pub fn run_stage(
    program: PathBuf,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Infallible, StageError> {
    let mut arguments = arguments.into_iter().peekable();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::process::CommandExt;
        use std::process::Command;

        if arguments.next_if(|first| first == crate::bridge::BRIDGE).is_some() {
            let socket = arguments.next().ok_or(StageError::Arguments)?;
            return crate::bridge::run(&PathBuf::from(socket))
                .map_err(|error| StageError::Restrict(error.to_string()));
        }
        let stage = Stage::parse(arguments).ok_or(StageError::Arguments)?;
        let (name, rest) = stage.command.split_first().ok_or(StageError::Arguments)?;
        let mut command = Command::new(name);
        command.args(rest);
        if let NetworkAccess::Proxy(socket) = &stage.plan.network {
            let address = crate::bridge::start(&program, socket)
                .map_err(|error| StageError::Restrict(format!("proxy: {error}")))?;
            command.envs(crate::bridge::variables(&address));
        }
        if stage.is_landlock {
            crate::landlocked::restrict(&stage.plan)?;
        }
        if stage.plan.writes != WriteScope::Everywhere {
            crate::seccomp::restrict(&stage)?;
        }
        let error = command.exec();
        Err(StageError::Command { command: name.into(), error })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (program, arguments.next(), Stage::parse(Vec::new()));
        Err(StageError::System)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_they_were_written() {
        let plan = SandboxPlan {
            network: NetworkAccess::Proxy("/s".into()),
            sockets: SocketAccess::Open,
            ..SandboxPlan::for_commands(Vec::new())
        };
        for method in [SandboxMethod::Landlock, SandboxMethod::Bubblewrap("/b".into())] {
            let mut given = arguments(&plan, &method);
            given.push("--hide".into());
            let stage = Stage::parse(given.into_iter().skip(1)).unwrap();
            assert_eq!((&stage.plan, stage.command.len()), (&plan, 1));
            assert_eq!(stage.is_landlock, method == SandboxMethod::Landlock);
        }
        for wrong in [vec!["--"], vec!["--x", "--", "a"], vec!["a"], vec!["--hide"], vec![]] {
            assert_eq!(Stage::parse(wrong.iter().map(OsString::from)), None, "{wrong:?}");
        }
    }
}
