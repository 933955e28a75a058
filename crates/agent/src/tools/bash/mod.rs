//! Bash: runs each command in its own shell and process group, with its output in a file.
//!
//! Only the working folder is kept from one command to the next, and only inside the workspace.

mod background_command;
mod environment;
mod exit_code;
pub(crate) mod group;
mod output;
mod piped;
mod process_table;
mod recorder;
mod result;
mod sandboxed;
mod shells;
mod timeout;
mod workspace_scan;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_json::Fields;

use super::context::ToolContext;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use crate::protocol::ToolProgress;
pub(super) use background_command::BackgroundCommand;
pub use background_command::BackgroundStatus;
pub use environment::for_commands;
use group::{CommandExit, ProcessGroup};
use output::OutputFollower;
pub(crate) use piped::PipedCommand;
use recorder::CommandRecord;
pub use recorder::CommandRecorder;
use result::FinishedCommand;
pub use sandboxed::{CommandSandbox, HelperSandbox, PlanMaker, SandboxExit};
use sandboxed::{CommandScope, MAX_LOOKED_AT, moved_note, refusal_note};
use shells::StartedCommand;
pub use shells::{ShellSettings, Shells};
use timeout::TimeoutAction;

/// How often new output is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// How often the size of the output is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Runs commands.
pub struct Bash {
    context: Arc<ToolContext>,
    shells: Arc<Shells>,
}

struct BashInput {
    command: String,
    description: Option<String>,
    time: Duration,
    where_to: RunMode,
    scope: CommandScope,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RunMode {
    Foreground,
    Background,
}

/// The limit for which a command was ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LimitHit {
    Time,
    Size,
}

/// How long to wait for a command, and what to do then.
struct TimeLimit {
    time: Duration,
    then: TimeoutAction,
}

enum WatchOutcome {
    /// The command ended, normally or at a limit.
    CommandExit(CommandExit, Option<LimitHit>),
    /// Its time is over, and it keeps running.
    GoesOn,
}

/// Ends the process group when the call is dropped before its command has ended.
struct KillOnDrop<'g>(&'g ProcessGroup);

impl Drop for KillOnDrop<'_> {
    fn drop(&mut self) {
        if self.0.ended().is_none() {
            self.0.end();
        }
    }
}

impl Bash {
    /// The tool for this session and shell.
    pub fn new(context: Arc<ToolContext>, shells: Arc<Shells>) -> Self {
        Self { context, shells }
    }

    fn wanted(&self, input: &Input<'_>) -> Result<BashInput, InputError> {
        let command = input.words("command")?;
        if command.contains('\0') {
            return Err(InputError("The command contains a NUL byte.".to_owned()));
        }
        let settings = &self.shells.settings;
        let asked = input.count_if("timeout")?.filter(|millis| *millis > 0).map(Duration::from_millis);
        let time = asked.unwrap_or(settings.default_timeout).min(settings.max_timeout);
        let background = input.flag("run_in_background")?;
        let where_to = if background { RunMode::Background } else { RunMode::Foreground };
        let scope = match (input.flag("dangerouslyDisableSandbox")?, &settings.sandbox) {
            (true, Some(sandbox)) if sandbox.exit == SandboxExit::Closed => {
                return Err(InputError("Commands cannot run outside the sandbox here.".to_owned()));
            }
            (true, Some(_)) => CommandScope::Outside,
            _ => CommandScope::Sandbox,
        };
        let description = input.text_if("description")?.filter(|text| !text.is_empty());
        Ok(BashInput { command, description, time, where_to, scope })
    }

    /// Where the next command starts.
    fn folder(&self) -> PathBuf {
        let folder = Some(self.context.current()).filter(|folder| folder.is_dir());
        folder.unwrap_or_else(|| self.context.workspace.working().to_path_buf())
    }

    async fn execute(&self, input: &[u8], call: &CallContext<'_>) -> Result<Outcome, InputError> {
        let wanted = self.wanted(&Input::scan(input)?)?;
        let folder = self.folder();
        let failed = |error: std::io::Error| InputError(format!("The command could not be started: {error}"));
        let record = self.shells.record(&wanted.command, call.tool_use).await;
        if wanted.where_to == RunMode::Background {
            let started = self.shells.start(&wanted.command, &folder, wanted.scope).map_err(failed)?;
            record.into_iter().for_each(CommandRecord::leave_running);
            let named = (wanted.command, wanted.description);
            let task = self.shells.keep(named, call.tool_use, started, None);
            return Ok(result::in_background(&task.id));
        }
        let note = self.shells.fresh_note(wanted.scope);
        let script = noting_folder(&wanted.command, &note);
        let started = self.shells.start(&script, &folder, wanted.scope).map_err(failed)?;
        let began = Instant::now();
        let allowance = TimeLimit { time: wanted.time, then: timeout::after(&wanted.command) };
        let (ended, cut) = match self.watch(&started, &allowance, call).await {
            WatchOutcome::CommandExit(ended, cut) => (ended, cut),
            WatchOutcome::GoesOn => {
                record.into_iter().for_each(CommandRecord::leave_running);
                let named = (wanted.command, wanted.description);
                let task = self.shells.keep(named, call.tool_use, started, Some(note));
                return Ok(result::moved_to_background(&task, wanted.time));
            }
        };
        let notes = [
            self.move_to(&folder, shells::take(&note)),
            started.absent.as_ref().and_then(|absent| moved_note(&absent.finish())),
            self.sandbox_note(wanted.scope, ended, &started),
        ];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        if let Some(record) = record {
            record.finish().await;
        }
        let done = FinishedCommand {
            command: &wanted.command,
            id: call.tool_use,
            ended,
            cut,
            time: wanted.time,
            took: began.elapsed(),
            note: (!notes.is_empty()).then(|| notes.join("\n")),
        };
        Ok(done.outcome(&started.output, &self.shells.settings))
    }

    /// Returns what the model is told of a command that failed, if the sandbox may be the reason.
    fn sandbox_note(
        &self,
        scope: CommandScope,
        ended: CommandExit,
        started: &StartedCommand,
    ) -> Option<String> {
        let sandbox = self.shells.sandbox(scope).filter(|_| ended != CommandExit::Code(0))?;
        refusal_note(&started.output.ends(MAX_LOOKED_AT), sandbox.exit)
    }

    /// Waits for a command, reports its output, and ends it at a limit.
    async fn watch(
        &self,
        started: &StartedCommand,
        allowance: &TimeLimit,
        call: &CallContext<'_>,
    ) -> WatchOutcome {
        let StartedCommand { group, output, .. } = started;
        let until_done = KillOnDrop(group);
        let began = Instant::now();
        let (mut follow, mut told) = (OutputFollower::default(), Instant::now());
        let mut cut = None;
        loop {
            if let Ok(ended) = tokio::time::timeout(POLL_INTERVAL, group.wait()).await {
                drop(until_done);
                return WatchOutcome::CommandExit(ended, cut);
            }
            let is_late = cut.is_none() && began.elapsed() > allowance.time;
            if is_late && allowance.then == TimeoutAction::GoOn {
                std::mem::forget(until_done);
                return WatchOutcome::GoesOn;
            }
            let too_far = match () {
                () if is_late => Some(LimitHit::Time),
                () if output.size() > self.shells.settings.max_output => Some(LimitHit::Size),
                () => None,
            };
            if cut.is_none() && too_far.is_some() {
                cut = too_far;
                group.end();
            }
            if told.elapsed() >= REPORT_INTERVAL {
                told = Instant::now();
                let news = follow.look(output);
                let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                (call.tell)(ToolProgress::Output {
                    new: news.new,
                    whole: news.end,
                    lines: news.lines,
                    millis,
                });
            }
        }
    }

    /// Lets the next command start where this one ended, if that is inside the workspace; otherwise returns a note for the model.
    ///
    /// The command can write anything into its note. So the folder is made real before it is compared, and is never more
    /// than what `cd` could have reached; the policy judges the next command from that real folder.
    fn move_to(&self, from: &Path, ended_in: Option<String>) -> Option<String> {
        let folder = PathBuf::from(ended_in?.strip_suffix('\n')?);
        let real = std::fs::canonicalize(&folder).ok().filter(|_| folder.is_absolute());
        let is_inside =
            |folder: &Path| self.context.workspace.roots().iter().any(|root| folder.starts_with(root));
        match real.filter(|real| real.is_dir() && (real == from || is_inside(real))) {
            Some(real) => {
                self.context.set_current(real);
                None
            }
            // It was removed meanwhile, or the note is not true.
            None if folder == from => None,
            None => {
                let working = self.context.workspace.working();
                self.context.set_current(working.to_path_buf());
                Some(format!("Shell cwd was reset to {}", working.display()))
            }
        }
    }
}

/// The command with a trap that writes its last folder to a file. Functions of the command do not answer in its place.
fn noting_folder(command: &str, note: &Path) -> String {
    let quoted = note.display().to_string().replace('\'', r"'\''");
    // The trap's own text is quoted again.
    let trap = format!("builtin pwd -P >| '{quoted}'").replace('\'', r"'\''");
    format!("trap '{trap}' EXIT\n{command}")
}

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        let ShellSettings { default_timeout, max_timeout, .. } = &self.shells.settings;
        let timeout = format!(
            "Time limit in milliseconds; default {}, at most {}. A command that takes longer continues in the background, except git and commands that begin with sleep, which are stopped",
            default_timeout.as_millis(),
            max_timeout.as_millis()
        );
        let spec = SpecBuilder::new(
            "Bash",
            "Runs a command with bash. Each command gets a new shell in the folder where the last one ended; nothing else is kept. Standard input is empty. Standard output and standard error come as one text; long output is saved to a file and shown in part. To read, search and change files, use the other tools.",
        )
        .required("command", ParamType::Text, "The command")
        .optional("timeout", ParamType::Count, &timeout)
        .optional("description", ParamType::Text, "What it does, in five to ten words")
        .optional("run_in_background", ParamType::Flag, "Do not wait for it; TaskOutput shows its output later");
        match self.shells.settings.sandbox.as_ref().map(|sandbox| sandbox.exit) {
            Some(SandboxExit::Open) => spec.optional(
                "dangerouslyDisableSandbox",
                ParamType::Flag,
                "Run it outside the sandbox, where commands can write only to the workspace, the temporary folder and caches, and can reach only allowed hosts. The user is asked each time: use it only for a command that failed because of the sandbox",
            ),
            _ => spec,
        }
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let wanted = self.wanted(&Input::of(input))?;
        Ok(match wanted.scope {
            CommandScope::Sandbox => ToolRequest::Bash(wanted.command, self.folder()),
            CommandScope::Outside => ToolRequest::BashOutside(wanted.command, self.folder()),
        })
    }

    fn context(&self) -> Option<&ToolContext> {
        Some(&self.context)
    }

    fn take_notices(&self) -> Vec<String> {
        self.shells.take_ended()
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(
            async move { self.execute(input, call).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
