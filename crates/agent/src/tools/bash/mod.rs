//! Bash: commands, each in a shell and a group of processes of its own, with all that they print in a file.
//!
//! Only the folder goes from one command to the next, and only while it is inside of the workspace.

mod census;
mod environment;
mod group;
mod meaning;
mod output;
mod patience;
mod result;
mod shells;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_json::Fields;

use super::ground::Ground;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::{Asked, InputError, Order, Outcome, Running, Scene, Told, Tool};
use crate::api::request::ToolSpec;
pub use environment::for_commands;
use group::{Ended, Group};
use output::{Follow, Output};
use patience::Then;
use result::Done;
pub use shells::{ShellSettings, Shells};
pub use watch::{BashOutput, KillShell};

/// How often is told what a command prints.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// How often the size of its output is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Runs commands.
pub struct Bash {
    ground: Arc<Ground>,
    shells: Arc<Shells>,
}

/// What a call asks for.
struct Wanted {
    command: String,
    time: Duration,
    where_to: WhereTo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WhereTo {
    Foreground,
    Background,
}

/// Why a command was ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Time,
    Size,
}

/// How long a command is waited for, and what becomes of it then.
struct Allowance {
    time: Duration,
    then: Then,
}

/// What came of waiting.
enum Watched {
    /// The command ended, by itself or because it went too far.
    Ended(Ended, Option<Cut>),
    /// Its time is over, and it still runs.
    GoesOn,
}

/// Ends the group when the call is dropped before its command has ended.
struct UntilDone<'g>(&'g Group);

impl Drop for UntilDone<'_> {
    fn drop(&mut self) {
        if self.0.ended().is_none() {
            self.0.end();
        }
    }
}

impl Bash {
    /// On this ground, with this shell.
    pub fn new(ground: Arc<Ground>, shells: Arc<Shells>) -> Self {
        Self { ground, shells }
    }

    fn wanted(&self, input: &Input<'_>) -> Result<Wanted, InputError> {
        let command = input.words("command")?;
        if command.contains('\0') {
            return Err(InputError("The command holds a NUL byte.".to_owned()));
        }
        let settings = &self.shells.settings;
        let asked = input.count_if("timeout")?.filter(|millis| *millis > 0).map(Duration::from_millis);
        let time = asked.unwrap_or(settings.usual_time).min(settings.most_time);
        let background = input.flag("run_in_background")?;
        let where_to = if background { WhereTo::Background } else { WhereTo::Foreground };
        Ok(Wanted { command, time, where_to })
    }

    /// Where the next command starts.
    fn folder(&self) -> PathBuf {
        let folder = Some(self.ground.current()).filter(|folder| folder.is_dir());
        folder.unwrap_or_else(|| self.ground.workspace.working().to_path_buf())
    }

    async fn execute(&self, input: &[u8], scene: &Scene<'_>) -> Result<Outcome, InputError> {
        let wanted = self.wanted(&Input::scan(input)?)?;
        let folder = self.folder();
        let failed = |error: std::io::Error| InputError(format!("The command could not be started: {error}"));
        if wanted.where_to == WhereTo::Background {
            let (group, output) = self.shells.start(&wanted.command, &folder).map_err(failed)?;
            let task = self.shells.keep(wanted.command, group, output, None);
            return Ok(result::in_background(&task.id));
        }
        let note = self.shells.fresh("cwd");
        let (group, output) =
            self.shells.start(&noting_folder(&wanted.command, &note), &folder).map_err(failed)?;
        let began = Instant::now();
        let allowance = Allowance { time: wanted.time, then: patience::after(&wanted.command) };
        let (ended, cut) = match self.watch(&group, &output, &allowance, scene).await {
            Watched::Ended(ended, cut) => (ended, cut),
            Watched::GoesOn => {
                let task = self.shells.keep(wanted.command, group, output, Some(note));
                return Ok(result::moved_to_background(&task, wanted.time));
            }
        };
        let done = Done {
            command: &wanted.command,
            id: scene.tool_use,
            ended,
            cut,
            time: wanted.time,
            took: began.elapsed(),
            note: self.move_to(&folder, shells::take(&note)),
        };
        Ok(done.outcome(&output, self.shells.settings.session.as_deref()))
    }

    /// Waits for the end of a command, tells what it prints and ends it where it goes too far.
    async fn watch(
        &self,
        group: &Group,
        output: &Output,
        allowance: &Allowance,
        scene: &Scene<'_>,
    ) -> Watched {
        let until_done = UntilDone(group);
        let began = Instant::now();
        let (mut follow, mut told) = (Follow::default(), Instant::now());
        let mut cut = None;
        loop {
            if let Ok(ended) = tokio::time::timeout(LOOK_EVERY, group.wait()).await {
                drop(until_done);
                return Watched::Ended(ended, cut);
            }
            let is_late = cut.is_none() && began.elapsed() > allowance.time;
            if is_late && allowance.then == Then::GoOn {
                std::mem::forget(until_done);
                return Watched::GoesOn;
            }
            let too_far = match () {
                () if is_late => Some(Cut::Time),
                () if output.size() > self.shells.settings.most_output => Some(Cut::Size),
                () => None,
            };
            if cut.is_none() && too_far.is_some() {
                cut = too_far;
                group.end();
            }
            if told.elapsed() >= TELL_EVERY {
                told = Instant::now();
                let news = follow.look(output);
                let millis = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
                (scene.tell)(Told::Output { new: news.new, whole: news.end, lines: news.lines, millis });
            }
        }
    }

    /// The next command starts where this one ended, if that is inside of the workspace; what to say where it is not.
    fn move_to(&self, from: &Path, ended_in: Option<String>) -> Option<String> {
        let folder = PathBuf::from(ended_in?.strip_suffix('\n')?);
        let inside =
            |folder: &Path| self.ground.workspace.roots().iter().any(|root| folder.starts_with(root));
        if folder == from || (inside(&folder) && folder.is_dir()) {
            self.ground.set_current(folder);
            return None;
        }
        let working = self.ground.workspace.working();
        self.ground.set_current(working.to_path_buf());
        Some(format!("Shell cwd was reset to {}", working.display()))
    }
}

/// The command, with the folder in which it ends noted in a file.
fn noting_folder(command: &str, note: &Path) -> String {
    let quoted = note.display().to_string().replace('\'', r"'\''");
    // The text of a trap is quoted once more.
    let trap = format!("pwd -P >| '{quoted}'").replace('\'', r"'\''");
    format!("trap '{trap}' EXIT\n{command}")
}

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "Bash",
            "Runs a command with bash. Each command has a shell of its own; the next one starts in the folder in which this one ended, and nothing else is kept. Nothing can be typed into it. Output and errors come as one text; what is too long is saved in a file and shown in part. To read, search and change files, use the other tools.",
        )
        .needs("command", Holds::Text, "The command")
        .may("timeout", Holds::Count, "Milliseconds that it is waited for; 120000 if not given, 600000 at most. What takes longer goes on in the background, but for git and for what begins with sleep, which are ended")
        .may("description", Holds::Text, "What it does, in five to ten words")
        .may("run_in_background", Holds::Flag, "Go on at once; BashOutput shows later what it printed")
        .build()
    }

    fn order(&self) -> Order {
        Order::InTurn
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        let command = self.wanted(&Input::of(input))?.command;
        Ok(Asked::Bash(command, self.folder()))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(
            async move { self.execute(input, scene).await.unwrap_or_else(|error| Outcome::refused(error.0)) },
        )
    }
}
