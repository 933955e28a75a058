//! The shell of a session: its settings, its commands that run in the background, and their end.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::group::{Ended, Group, Groups};
use super::output::{Output, clean};

/// How often the size of an output is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// How commands run.
#[derive(Clone, Debug)]
pub struct ShellSettings {
    /// The bash to run.
    pub bash: PathBuf,
    /// What commands find in their environment; see [`for_commands`](super::for_commands).
    pub environment: Vec<(OsString, OsString)>,
    /// A folder of our own for outputs, which only their owner may enter.
    pub scratch: PathBuf,
    /// The session's folder, for outputs that are too large for a line; none where nothing is kept.
    pub session: Option<PathBuf>,
    /// How long a command may run if it does not say.
    pub usual_time: Duration,
    /// How long it may at most.
    pub most_time: Duration,
    /// A command that prints more bytes is ended.
    pub most_output: u64,
    /// What no other session of this machine has: by it the processes of its commands are known, wherever they went.
    pub mark: String,
}

impl ShellSettings {
    /// The usual ones: two minutes, at most ten, and five gigabytes.
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
            usual_time: Duration::from_secs(120),
            most_time: Duration::from_secs(600),
            most_output: 5_000_000_000,
            mark,
        }
    }
}

/// A command in the background.
pub(super) struct Task {
    pub(super) id: String,
    pub(super) command: String,
    group: Group,
    output: Output,
    /// Where it notes the folder in which it ends, which nobody wants to know any more.
    note: Option<PathBuf>,
    read: Mutex<u64>,
    killed: Mutex<bool>,
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(note) = &self.note {
            let _ = std::fs::remove_file(note);
        }
    }
}

/// The shell of a session, shared by its tools. Dropping it ends every command.
pub struct Shells {
    pub(super) settings: ShellSettings,
    groups: Groups,
    tasks: Mutex<Vec<Arc<Task>>>,
    made: AtomicU64,
}

impl Shells {
    /// A shell with these settings; nothing runs yet.
    pub fn new(settings: ShellSettings) -> Self {
        Self { settings, groups: Groups::default(), tasks: Mutex::default(), made: AtomicU64::new(0) }
    }

    /// Ends every command that still runs, in the background too, and returns when they are gone: after two seconds at most.
    /// Says which ones ran in the background until then.
    pub fn end_all(&self) -> Vec<String> {
        let tasks = self.tasks().clone();
        let running: Vec<_> = tasks.into_iter().filter(|task| task.status() == "running").collect();
        for task in &running {
            task.mark_killed();
        }
        self.groups.end_all();
        running.iter().map(|task| task.command.clone()).collect()
    }

    /// Starts a command in a folder.
    pub(super) fn start(&self, script: &str, folder: &Path) -> io::Result<(Group, Output)> {
        annals_store::files::create_folder(&self.settings.scratch).map_err(io::Error::other)?;
        let path = self.fresh("out");
        let number = path.file_stem().unwrap_or_default().to_string_lossy();
        let mark = format!("{}-{number}", self.settings.mark);
        let (output, file) = Output::make(path)?;
        let group = self.groups.start(&mut self.command(script, folder), mark, file)?;
        Ok((group, output))
    }

    fn command(&self, script: &str, folder: &Path) -> Command {
        let mut command = Command::new(&self.settings.bash);
        // `cd link/..` leads to where decisions say it does: above the link's target, not above the link.
        command.args(["-o", "physical", "-c"]).arg(script).current_dir(folder);
        command.env_clear().envs(self.settings.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A path in our own folder that nobody has.
    pub(super) fn fresh(&self, ending: &str) -> PathBuf {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        self.settings.scratch.join(format!("command-{}-{number}.{ending}", std::process::id()))
    }

    /// A command goes on in the background.
    pub(super) fn keep(
        &self,
        command: String,
        group: Group,
        output: Output,
        note: Option<PathBuf>,
    ) -> Arc<Task> {
        let mut tasks = self.tasks();
        let id = format!("bash_{}", tasks.len() + 1);
        let (read, killed) = (Mutex::new(0), Mutex::new(false));
        let task = Arc::new(Task { id, command, group, output, note, read, killed });
        let (watched, most) = (Arc::downgrade(&task), self.settings.most_output);
        thread::spawn(move || watch(&watched, most));
        tasks.push(Arc::clone(&task));
        task
    }

    pub(super) fn task(&self, id: &str) -> Option<Arc<Task>> {
        self.tasks().iter().find(|task| task.id == id).cloned()
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<Arc<Task>>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task {
    pub(super) fn ended(&self) -> Option<Ended> {
        self.group.ended()
    }

    /// `running`, `completed`, `failed` or `killed`.
    pub(super) fn status(&self) -> &'static str {
        match self.ended() {
            _ if *self.killed.lock().unwrap_or_else(PoisonError::into_inner) => "killed",
            None => "running",
            Some(Ended::Code(0)) => "completed",
            Some(_) => "failed",
        }
    }

    pub(super) fn kill(&self) {
        self.mark_killed();
        self.group.end();
    }

    fn mark_killed(&self) {
        *self.killed.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// What it printed since this was last asked: no more than so many bytes of its end.
    pub(super) fn news(&self, most: usize) -> String {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.output.size();
        let from = (*read).max(size.saturating_sub(most as u64));
        let left_out = from - *read;
        let mut bytes = self.output.part(from, most);
        // A letter of which only a part is there waits for the rest.
        if self.ended().is_none()
            && let Err(error) = std::str::from_utf8(&bytes)
            && error.error_len().is_none()
        {
            bytes.truncate(error.valid_up_to());
        }
        *read = from + bytes.len() as u64;
        let text = clean(&bytes);
        if left_out > 0 { format!("[… {left_out} bytes left out …]\n{text}") } else { text }
    }
}

/// Ends a command that prints too much; gives up once nobody has the command any more.
fn watch(task: &Weak<Task>, most: u64) {
    while let Some(task) = task.upgrade().filter(|task| task.ended().is_none()) {
        if task.output.size() > most {
            task.kill();
            return;
        }
        drop(task);
        thread::sleep(LOOK_EVERY);
    }
}

/// Reads a small file of ours, and removes it.
pub(super) fn take(path: &Path) -> Option<String> {
    let text = File::open(path).and_then(io::read_to_string).ok();
    let _ = std::fs::remove_file(path);
    text
}
