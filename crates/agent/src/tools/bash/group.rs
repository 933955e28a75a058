//! Process groups: a command and all that it started, ended together.
//!
//! On Linux that includes processes that have left the group; see [`process_table`](super::process_table).

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::process_table::{MARK, Process, ProcessMatcher, ProcessTable};
use crate::platform::{Pid, Signal, ending_signal, is_process_group, send_to_group, start_in_group};

/// How long processes may take to end after SIGTERM.
const TERM_WAIT: Duration = Duration::from_millis(1500);
/// How long processes may take to end after SIGKILL. On a busy machine that is more than a moment, and only one that hangs in the
/// kernel needs all of it.
const KILL_WAIT: Duration = Duration::from_secs(5);
/// How long new processes of a command that starts them faster than they are found are ended.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// How often new processes are looked for in a row before those found are killed.
const MAX_STOP_ROUNDS: usize = 50;
/// The first and the longest interval between two checks.
const POLL_INTERVALS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(100));

/// Our ends of the pipes of a command.
#[derive(Debug)]
pub(crate) struct ChildPipes {
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: Option<ChildStdout>,
    pub(crate) errors: Option<ChildStderr>,
}

/// The process groups of a session that may still run. Dropping it ends them all.
#[derive(Debug, Default)]
pub(crate) struct ProcessGroups {
    running: Arc<Mutex<Vec<Arc<CommandProcesses>>>>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandExit {
    /// With this exit code.
    Code(i32),
    Signal(i32),
}

impl CommandExit {
    /// The exit code as a shell reports it.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// A command that runs in its own process group.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    processes: Arc<CommandProcesses>,
    running: Arc<Mutex<Vec<Arc<CommandProcesses>>>>,
    ended: watch::Receiver<Option<CommandExit>>,
}

/// How the processes of a command are identified.
#[derive(Debug)]
struct CommandProcesses {
    leader: Pid,
    mark: String,
    found: Mutex<KnownProcesses>,
}

#[derive(Debug, Default)]
struct KnownProcesses {
    /// Processes of the command that were found.
    known: HashSet<Process>,
    /// Whether the command itself has ended: its process id may be reused then.
    is_over: bool,
}

impl ProcessGroups {
    /// Starts a command without input and with all output in one file. The mark is unique to the command.
    pub(super) fn start(
        &self,
        command: &mut Command,
        mark: String,
        output: File,
    ) -> io::Result<ProcessGroup> {
        let errors = output.try_clone()?;
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        Ok(self.launch(command, mark)?.0)
    }

    /// Starts a command with the input and output that it has; also returns our ends of its pipes.
    pub(crate) fn launch(
        &self,
        command: &mut Command,
        mark: String,
    ) -> io::Result<(ProcessGroup, ChildPipes)> {
        command.env(MARK, &mark);
        let mut child = start_in_group(command).spawn()?;
        let pipes = ChildPipes {
            input: child.stdin.take(),
            output: child.stdout.take(),
            errors: child.stderr.take(),
        };
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the process has no number"))?;
        let processes = Arc::new(CommandProcesses { leader, mark, found: Mutex::default() });
        locked(&self.running).push(Arc::clone(&processes));
        let (tell, ended) = watch::channel(None);
        let (own, running) = (Arc::clone(&processes), Arc::clone(&self.running));
        thread::spawn(move || {
            let status = child.wait();
            // The receiver may be gone.
            let _ = tell.send(Some(status.map_or(CommandExit::Code(-1), exit_of)));
            if own.lose_leader() == Survivors::None {
                // A process in the middle of exec has no environment for a moment.
                thread::sleep(POLL_INTERVALS.1);
                if own.look() == Survivors::None {
                    forget(&running, &[own]);
                }
            }
        });
        Ok((ProcessGroup { processes, running: Arc::clone(&self.running), ended }, pipes))
    }

    /// Ends every group, and returns when all are gone, or some seconds after they were killed.
    pub(crate) fn end_all(&self) {
        let commands = locked(&self.running).clone();
        finish(&commands);
        forget(&self.running, &commands);
    }
}

impl Drop for ProcessGroups {
    fn drop(&mut self) {
        self.end_all();
    }
}

impl ProcessGroup {
    /// The id of its first process.
    pub(crate) fn id(&self) -> i32 {
        self.processes.leader.as_raw_nonzero().get()
    }

    /// How the command ended, if it has.
    pub(crate) fn ended(&self) -> Option<CommandExit> {
        *self.ended.borrow()
    }

    /// Waits for the command itself; what it left running keeps running.
    pub(crate) async fn wait(&self) -> CommandExit {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.unwrap_or(CommandExit::Code(-1)),
            Err(_) => CommandExit::Code(-1),
        }
    }

    /// Sends SIGTERM to the group, and SIGKILL if that does not suffice; returns at once.
    pub(crate) fn end(&self) {
        let (processes, running) = (Arc::clone(&self.processes), Arc::clone(&self.running));
        thread::spawn(move || {
            let commands = [processes];
            finish(&commands);
            forget(&running, &commands);
        });
    }
}

/// Whether processes of a command are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Survivors {
    None,
    Some,
}

impl CommandProcesses {
    /// The living processes of the command.
    fn members(&self, process_table: &ProcessTable) -> Vec<Process> {
        let mut found = locked(&self.found);
        let group = (!found.is_over).then_some(self.leader);
        let members = process_table.of(&ProcessMatcher { mark: &self.mark, group, known: &found.known });
        found.known.extend(&members);
        members
    }

    /// Called when the command has just ended: notes which processes of its group are left, since the id of the group may be
    /// reused from now on.
    fn lose_leader(&self) -> Survivors {
        let rest = self.look();
        locked(&self.found).is_over = true;
        rest
    }

    fn look(&self) -> Survivors {
        match ProcessTable::take() {
            Some(process_table) if !self.members(&process_table).is_empty() => Survivors::Some,
            None if self.has_group() => Survivors::Some,
            _ => Survivors::None,
        }
    }

    fn has_group(&self) -> bool {
        is_process_group(self.leader)
    }
}

/// What has got SIGTERM already; it is sent once.
#[derive(Debug, Default)]
struct SignalledProcesses {
    processes: HashSet<Process>,
    groups: HashSet<Pid>,
    /// What has got SIGSTOP.
    stopped: HashSet<Process>,
}

/// The signal to send after this time, `killing` of it with SIGKILL; `None` once that was long enough. However long a check took,
/// as on a machine that slept, SIGKILL is sent at least once.
fn next_signal(passed: Duration, killing: Option<Duration>) -> Option<Signal> {
    match killing {
        None if passed < TERM_WAIT => Some(Signal::TERM),
        None => Some(Signal::KILL),
        Some(long) => (long < KILL_WAIT).then_some(Signal::KILL),
    }
}

/// Ends commands with all their processes, and waits until they are gone.
fn finish(commands: &[Arc<CommandProcesses>]) {
    let (began, mut killing) = (Instant::now(), None);
    let (mut signalled, mut look, mut before) =
        (SignalledProcesses::default(), POLL_INTERVALS.0, Survivors::Some);
    while !commands.is_empty() {
        let Some(signal) = next_signal(began.elapsed(), killing.map(|since: Instant| since.elapsed())) else {
            return;
        };
        if signal == Signal::KILL {
            killing.get_or_insert_with(Instant::now);
        }
        if signal == Signal::KILL && stop_new(commands, &mut signalled.stopped) && began.elapsed() < MAX_WAIT
        {
            killing = Some(Instant::now());
        }
        let rest = match ProcessTable::take() {
            Some(process_table) => {
                signal_processes(commands, &process_table, signal, &mut signalled.processes)
            }
            None => signal_groups(commands, signal, &mut signalled.groups),
        };
        // A process in the middle of exec is not found for a moment: two checks are needed.
        if (before, rest) == (Survivors::None, Survivors::None) {
            return;
        }
        before = rest;
        thread::sleep(look);
        look = (look * 3 / 2).min(POLL_INTERVALS.1);
    }
}

/// Stops every process before it is killed, so that none starts another one between being found and being killed. Returns
/// whether there were any that were not stopped yet.
fn stop_new(commands: &[Arc<CommandProcesses>], stopped: &mut HashSet<Process>) -> bool {
    let (before, mut seen) = (stopped.len(), HashSet::new());
    for _ in 0..MAX_STOP_ROUNDS {
        let Some(process_table) = ProcessTable::take_new(&mut seen) else { break };
        let members = commands.iter().flat_map(|processes| processes.members(&process_table));
        let new: Vec<Process> = members.filter(|process| stopped.insert(*process)).collect();
        if new.is_empty() {
            break;
        }
        for process in new {
            process.send(Signal::STOP);
        }
    }
    stopped.len() > before
}

/// Sends a signal to every process: SIGTERM once, SIGKILL each time.
fn signal_processes(
    commands: &[Arc<CommandProcesses>],
    process_table: &ProcessTable,
    signal: Signal,
    signalled: &mut HashSet<Process>,
) -> Survivors {
    let mut rest = Survivors::None;
    for process in commands.iter().flat_map(|processes| processes.members(process_table)) {
        rest = Survivors::Some;
        if signalled.insert(process) || signal == Signal::KILL {
            process.send(signal);
            // A stopped process gets signals only after it is continued.
            process.send(Signal::CONT);
        }
    }
    rest
}

/// The same if only groups are known.
fn signal_groups(
    commands: &[Arc<CommandProcesses>],
    signal: Signal,
    signalled: &mut HashSet<Pid>,
) -> Survivors {
    let mut rest = Survivors::None;
    for leader in commands.iter().filter(|processes| processes.has_group()).map(|processes| processes.leader)
    {
        rest = Survivors::Some;
        if signalled.insert(leader) || signal == Signal::KILL {
            send_to_group(leader, signal);
            send_to_group(leader, Signal::CONT);
        }
    }
    rest
}

fn forget(running: &Mutex<Vec<Arc<CommandProcesses>>>, commands: &[Arc<CommandProcesses>]) {
    locked(running).retain(|other| !commands.iter().any(|processes| Arc::ptr_eq(processes, other)));
}

fn exit_of(status: ExitStatus) -> CommandExit {
    status.code().map_or_else(|| CommandExit::Signal(ending_signal(status).unwrap_or(0)), CommandExit::Code)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_ignores_signals_is_killed_however_late_it_is() {
        assert_eq!(next_signal(Duration::ZERO, None), Some(Signal::TERM));
        assert_eq!(next_signal(TERM_WAIT, None), Some(Signal::KILL));
        assert_eq!(next_signal(TERM_WAIT * 100, None), Some(Signal::KILL));
        assert_eq!(next_signal(TERM_WAIT * 100, Some(Duration::ZERO)), Some(Signal::KILL));
        assert_eq!(next_signal(TERM_WAIT * 100, Some(KILL_WAIT)), None);
    }
}
