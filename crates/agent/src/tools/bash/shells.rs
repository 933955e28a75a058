//! The shell of a session: its settings and its background commands.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use annals_sandbox::AbsenceWatch;
use annals_store::overflow::MAX_SHELL_OUTPUT;

use super::background_command::{BackgroundCommand, BackgroundStatus, watch};
use super::group::{ProcessGroup, ProcessGroups};
use super::output::{OutputFile, clean};
use super::piped::{self, PipedCommand};
use super::recorder::CommandRecorder;
use super::sandboxed::{CommandSandbox, CommandScope, HelperSandbox, without_secrets};
use crate::protocol::TaskNotification;
use crate::tools::background::TaskClock;

/// How commands run.
#[derive(Clone, Debug)]
pub struct ShellSettings {
    /// The bash to run.
    pub bash: PathBuf,
    /// The environment of commands; see [`for_commands`](super::for_commands).
    pub environment: Vec<(OsString, OsString)>,
    /// A private folder for outputs.
    pub scratch: PathBuf,
    /// The session's folder, for outputs that are too large for a line; `None` if the session is not stored.
    pub session: Option<PathBuf>,
    /// The timeout of a command that sets none.
    pub default_timeout: Duration,
    /// The longest timeout.
    pub max_timeout: Duration,
    /// A command that prints more bytes is ended.
    pub max_output: u64,
    /// The most characters of an output that the model gets; the rest is in a file.
    pub max_shown: usize,
    /// A mark that is unique to this session: it identifies the processes of its commands.
    pub mark: String,
    /// The folder with files of hooks that set variables for commands; `None` if there are none.
    pub session_env: Option<PathBuf>,
    /// The sandbox of commands; `None` if there is none.
    pub sandbox: Option<Arc<CommandSandbox>>,
    /// The sandbox of hooks; `None` if there is none.
    pub helpers: Option<HelperSandbox>,
    /// Records what commands change; `None` if the session is not stored.
    pub recorder: Option<Arc<CommandRecorder>>,
}

pub(super) struct StartedCommand {
    pub(super) group: ProcessGroup,
    pub(super) output: OutputFile,
    /// What it must not create, if it runs in the sandbox.
    pub(super) absent: Option<AbsenceWatch>,
}

impl ShellSettings {
    /// The defaults: a timeout of two minutes, at most ten, and five gigabytes of output.
    pub fn usual(
        scratch: PathBuf,
        session: Option<PathBuf>,
        environment: Vec<(OsString, OsString)>,
        mark: String,
    ) -> Self {
        Self {
            bash: PathBuf::from("bash"),
            environment,
            scratch,
            session,
            default_timeout: Duration::from_secs(120),
            max_timeout: Duration::from_secs(600),
            max_output: 5_000_000_000,
            max_shown: MAX_SHELL_OUTPUT,
            mark,
            session_env: None,
            sandbox: None,
            helpers: None,
            recorder: None,
        }
    }
}

/// The shell of a session, shared by its tools. Dropping it ends every command.
pub struct Shells {
    pub(crate) settings: ShellSettings,
    groups: ProcessGroups,
    tasks: Mutex<Vec<Arc<BackgroundCommand>>>,
    made: AtomicU64,
}

impl Shells {
    /// A shell with these settings.
    pub fn new(settings: ShellSettings) -> Self {
        Self { settings, groups: ProcessGroups::default(), tasks: Mutex::default(), made: AtomicU64::new(0) }
    }

    /// Ends all running commands, including those in the background, and returns when they are gone: after at most two
    /// seconds. Returns the background commands that were running.
    pub fn end_all(&self) -> Vec<String> {
        let tasks = self.tasks().clone();
        let running: Vec<_> = tasks.into_iter().filter(|task| task.status() == "running").collect();
        for task in &running {
            task.mark_killed();
        }
        self.groups.end_all();
        running.iter().map(|task| task.command.clone()).collect()
    }

    /// Returns the commands in the background, the oldest first, with at most this many bytes of what each has printed. The
    /// model is not told less because of it.
    pub fn background(&self, max_bytes: usize) -> Vec<BackgroundStatus> {
        let tasks = self.tasks().clone();
        let status = |task: &Arc<BackgroundCommand>| {
            let output = &task.started.output;
            let from = output.size().saturating_sub(max_bytes as u64);
            BackgroundStatus {
                id: task.id.clone(),
                command: task.command.clone(),
                status: task.status(),
                output: clean(&output.part(from, max_bytes)),
                printed: output.size(),
                elapsed: task.clock.elapsed(),
                used: None,
            }
        };
        tasks.iter().map(status).collect()
    }

    /// Returns the last bytes that a command in the background has printed, at most this many, and how many come before them;
    /// `None` if there is no such command.
    pub fn printed(&self, id: &str, max_bytes: usize) -> Option<(String, u64)> {
        let task = self.task(id)?;
        let output = &task.started.output;
        let from = output.size().saturating_sub(max_bytes as u64);
        Some((clean(&output.part(from, max_bytes)), from))
    }

    /// Ends a command in the background; whether there was one that ran. The model is told with its next request.
    pub fn stop(&self, id: &str) -> bool {
        match self.task(id).filter(|task| task.status() == "running") {
            Some(task) => {
                task.kill();
                true
            }
            None => false,
        }
    }

    /// Starts a command in a folder.
    pub(super) fn start(
        &self,
        script: &str,
        folder: &Path,
        scope: CommandScope,
    ) -> io::Result<StartedCommand> {
        annals_store::files::create_folder(&self.settings.scratch).map_err(io::Error::other)?;
        let path = self.fresh("out");
        let number = path.file_stem().unwrap_or_default().to_string_lossy();
        let mark = format!("{}-{number}", self.settings.mark);
        let (output, file) = OutputFile::make(path)?;
        let (mut command, absent) = self.command(script, folder, scope);
        let group = self.groups.start(&mut command, mark, file)?;
        Ok(StartedCommand { group, output, absent })
    }

    fn command(&self, script: &str, folder: &Path, scope: CommandScope) -> (Command, Option<AbsenceWatch>) {
        let script = match self.settings.session_env.as_deref().map(piped::session_variables) {
            Some(variables) => format!("{variables}{script}"),
            None => script.to_owned(),
        };
        // `cd link/..` leads above the link's target, as the policy assumes, not above the link.
        let arguments: Vec<OsString> = ["-o", "physical", "-c", &script].map(OsString::from).to_vec();
        let (bash, environment) = (&self.settings.bash, &self.settings.environment);
        if let Some(sandbox) = self.sandbox(scope) {
            let (mut command, absent) = sandbox.command(folder, bash, &arguments);
            let kept = without_secrets(environment);
            command.env_clear().envs(kept.map(|(name, value)| (name, value)));
            return (command, Some(absent));
        }
        let mut command = self.program(bash);
        command.args(arguments).current_dir(folder);
        (command, None)
    }

    /// The sandbox that a command of this scope runs in.
    pub(super) fn sandbox(&self, scope: CommandScope) -> Option<&CommandSandbox> {
        self.settings.sandbox.as_deref().filter(|_| scope == CommandScope::Sandbox)
    }

    /// An unused path that a command of this scope can write.
    pub(super) fn fresh_note(&self, scope: CommandScope) -> PathBuf {
        let path = self.fresh("cwd");
        match (self.sandbox(scope), path.file_name()) {
            (Some(sandbox), Some(name)) => sandbox.notes.join(name),
            _ => path,
        }
    }

    /// A program in this folder with the environment of commands, in the sandbox of helpers if there is one.
    pub(crate) fn helper(&self, folder: &Path, program: &OsStr, arguments: &[OsString]) -> Command {
        let mut command = match &self.settings.helpers {
            Some(helpers) => helpers.command(folder, program, arguments),
            None => {
                let mut command = Command::new(program);
                command.args(arguments).current_dir(folder);
                command
            }
        };
        command.env_clear().envs(self.settings.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A program with the environment of commands.
    fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.settings.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts a program with this input, and with its outputs in separate files. It ends with the commands of the session.
    pub(crate) fn start_piped(&self, command: &mut Command, input: &[u8]) -> io::Result<PipedCommand> {
        annals_store::files::create_folder(&self.settings.scratch).map_err(io::Error::other)?;
        let (path, errors) = (self.fresh("out"), self.fresh("err"));
        let number = path.file_stem().unwrap_or_default().to_string_lossy();
        let mark = format!("{}-{number}", self.settings.mark);
        let input = piped::input_file(&self.fresh("in"), input)?;
        let ((stdout, out), (stderr, error)) = (OutputFile::make(path)?, OutputFile::make(errors)?);
        let group = self.groups.launch(command.stdin(input).stdout(out).stderr(error), mark)?.0;
        Ok(PipedCommand::new(group, stdout, stderr))
    }

    /// An unused path in the scratch folder.
    pub(super) fn fresh(&self, ending: &str) -> PathBuf {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        self.settings.scratch.join(format!("command-{}-{number}.{ending}", std::process::id()))
    }

    /// Keeps a command running in the background, with its description.
    pub(super) fn keep(
        &self,
        (command, description): (String, Option<String>),
        call: &str,
        started: StartedCommand,
        note: Option<PathBuf>,
    ) -> Arc<BackgroundCommand> {
        let mut tasks = self.tasks();
        let id = format!("bash_{}", tasks.len() + 1);
        let (moved, killed, is_told) = (Mutex::default(), Mutex::new(false), AtomicBool::new(false));
        let call = call.to_owned();
        let clock = TaskClock::start();
        let task = BackgroundCommand {
            id,
            command,
            description,
            call,
            started,
            clock,
            moved,
            note,
            killed,
            is_told,
        };
        let task = Arc::new(task);
        let (watched, most) = (Arc::downgrade(&task), self.settings.max_output);
        thread::spawn(move || watch(&watched, most));
        tasks.push(Arc::clone(&task));
        task
    }

    /// Returns a sentence for each background command that ended without the model knowing.
    pub(super) fn take_ended(&self) -> Vec<String> {
        let tasks = self.tasks().clone();
        let ended = tasks.iter().filter(|task| task.status() != "running" && !task.mark_told());
        ended.map(|task| task.end_notice()).collect()
    }

    /// Takes a command that has ended by itself and that the model does not know of.
    pub(in crate::tools) fn take_end(&self) -> Option<TaskNotification> {
        let tasks = self.tasks().clone();
        let ended = tasks.iter().find(|task| task.has_ended_by_itself() && !task.mark_told());
        ended.map(|task| task.notification())
    }

    /// Returns whether none runs, and the model knows of all that have ended by themselves.
    pub(in crate::tools) fn is_idle(&self) -> bool {
        let is_open = |task: &Arc<BackgroundCommand>| {
            task.status() == "running"
                || (task.has_ended_by_itself() && !task.is_told.load(Ordering::Relaxed))
        };
        !self.tasks().iter().any(is_open)
    }

    /// Returns the commands that run.
    pub(in crate::tools) fn running(&self) -> Vec<Arc<BackgroundCommand>> {
        self.tasks().iter().filter(|task| task.status() == "running").cloned().collect()
    }

    pub(in crate::tools) fn task(&self, id: &str) -> Option<Arc<BackgroundCommand>> {
        self.tasks().iter().find(|task| task.id == id).cloned()
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, Vec<Arc<BackgroundCommand>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads and removes a small file.
pub(super) fn take(path: &Path) -> Option<String> {
    let text = File::open(path).and_then(io::read_to_string).ok();
    let _ = std::fs::remove_file(path);
    text
}
