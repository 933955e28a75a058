//! Groups of processes: a command and all that it started, ended together.
//!
//! On Linux that is also whatever has left the group; see [`census`](super::census). Elsewhere it is the group alone.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::sync::watch;

use super::census::{Census, MARK, Process, Traces};

/// How long processes may take to end by themselves once they are asked to.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long they are killed, in case there are always new ones.
const PERSISTENCE: Duration = Duration::from_millis(500);
/// How often they are looked at meanwhile: often at first.
const LOOKS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(100));

/// The groups of a session that may still run. Dropping it ends them all.
#[derive(Debug, Default)]
pub(super) struct Groups {
    running: Arc<Mutex<Vec<Arc<Family>>>>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

impl Ended {
    /// The code as a shell names it.
    pub(super) fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// A command that was started in a group of its own.
#[derive(Debug)]
pub(super) struct Group {
    family: Arc<Family>,
    running: Arc<Mutex<Vec<Arc<Family>>>>,
    ended: watch::Receiver<Option<Ended>>,
}

/// How the processes of a command are known.
#[derive(Debug)]
struct Family {
    leader: Pid,
    mark: String,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    /// Processes of the command that were seen.
    known: HashSet<Process>,
    /// Whether the command itself is gone: somebody else may have its number then.
    is_over: bool,
}

impl Groups {
    /// Starts a command: nothing to read, all output into one file. The mark is one that no other command has.
    pub(super) fn start(&self, command: &mut Command, mark: String, output: File) -> io::Result<Group> {
        let errors = output.try_clone()?;
        command.env(MARK, &mark).stdin(Stdio::null()).stdout(output).stderr(errors);
        let mut child = command.process_group(0).spawn()?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the process has no number"))?;
        let family = Arc::new(Family { leader, mark, found: Mutex::default() });
        locked(&self.running).push(Arc::clone(&family));
        let (tell, ended) = watch::channel(None);
        let (of_it, running) = (Arc::clone(&family), Arc::clone(&self.running));
        thread::spawn(move || {
            let status = child.wait();
            // Nobody may be left to hear it.
            let _ = tell.send(Some(status.map_or(Ended::Code(-1), how)));
            if of_it.lose_leader() == Rest::None {
                // One that just becomes another program has no environment for a moment.
                thread::sleep(LOOKS.1);
                if of_it.look() == Rest::None {
                    forget(&running, &[of_it]);
                }
            }
        });
        Ok(Group { family, running: Arc::clone(&self.running), ended })
    }

    /// Ends every group, and returns when all are gone or were killed: two seconds at most.
    pub(super) fn end_all(&self) {
        let families = locked(&self.running).clone();
        finish(&families);
        forget(&self.running, &families);
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.end_all();
    }
}

impl Group {
    /// How the command ended, if it has.
    pub(super) fn ended(&self) -> Option<Ended> {
        *self.ended.borrow()
    }

    /// Waits for the command itself; what it left running goes on.
    pub(super) async fn wait(&self) -> Ended {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.unwrap_or(Ended::Code(-1)),
            Err(_) => Ended::Code(-1),
        }
    }

    /// Asks the group to end, and kills it if it does not; returns at once.
    pub(super) fn end(&self) {
        let (family, running) = (Arc::clone(&self.family), Arc::clone(&self.running));
        thread::spawn(move || {
            let families = [family];
            finish(&families);
            forget(&running, &families);
        });
    }
}

/// What is left of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    None,
    Some,
}

impl Family {
    /// Those that live, where that is told.
    fn members(&self, census: &Census) -> Vec<Process> {
        let mut found = locked(&self.found);
        let group = (!found.is_over).then_some(self.leader);
        let members = census.of(&Traces { mark: &self.mark, group, known: &found.known });
        found.known.extend(&members);
        members
    }

    /// The command has ended, just now: whoever of its group is left is known from here on, and the number of the group
    /// means nothing any more.
    fn lose_leader(&self) -> Rest {
        let rest = self.look();
        locked(&self.found).is_over = true;
        rest
    }

    fn look(&self) -> Rest {
        match Census::take() {
            Some(census) if !self.members(&census).is_empty() => Rest::Some,
            None if self.has_group() => Rest::Some,
            _ => Rest::None,
        }
    }

    fn has_group(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }
}

/// Who was asked to end; nobody is asked twice.
#[derive(Debug, Default)]
struct Asked {
    processes: HashSet<Process>,
    groups: HashSet<Pid>,
}

/// What is sent after so long, and after so long of killing; nothing once that was long enough. However long a look took, as on
/// a machine that slept, nobody is left alone who was never killed.
fn next_signal(passed: Duration, killing: Option<Duration>) -> Option<Signal> {
    match killing {
        None if passed < PATIENCE => Some(Signal::TERM),
        None => Some(Signal::KILL),
        Some(long) => (long < PERSISTENCE).then_some(Signal::KILL),
    }
}

/// Ends commands with all that is theirs, and waits until they are gone.
fn finish(families: &[Arc<Family>]) {
    let (began, mut killing) = (Instant::now(), None);
    let (mut asked, mut look, mut before) = (Asked::default(), LOOKS.0, Rest::Some);
    while !families.is_empty() {
        let Some(signal) = next_signal(began.elapsed(), killing.map(|since: Instant| since.elapsed())) else {
            return;
        };
        if signal == Signal::KILL {
            killing.get_or_insert_with(Instant::now);
        }
        let rest = match Census::take() {
            Some(census) => hunt(families, &census, signal, &mut asked.processes),
            None => hunt_groups(families, signal, &mut asked.groups),
        };
        // One that just becomes another program is not seen for a moment: it takes two looks.
        if (before, rest) == (Rest::None, Rest::None) {
            return;
        }
        before = rest;
        thread::sleep(look);
        look = (look * 3 / 2).min(LOOKS.1);
    }
}

/// Sends a signal to every process that is there: a polite one once, and any other each time.
fn hunt(families: &[Arc<Family>], census: &Census, signal: Signal, asked: &mut HashSet<Process>) -> Rest {
    let mut rest = Rest::None;
    for process in families.iter().flat_map(|family| family.members(census)) {
        rest = Rest::Some;
        if asked.insert(process) || signal == Signal::KILL {
            process.send(signal);
            // One that is stopped hears nothing before it goes on.
            process.send(Signal::CONT);
        }
    }
    rest
}

/// The same where only groups are known.
fn hunt_groups(families: &[Arc<Family>], signal: Signal, asked: &mut HashSet<Pid>) -> Rest {
    let mut rest = Rest::None;
    for leader in families.iter().filter(|family| family.has_group()).map(|family| family.leader) {
        rest = Rest::Some;
        if asked.insert(leader) || signal == Signal::KILL {
            let _ = kill_process_group(leader, signal);
            let _ = kill_process_group(leader, Signal::CONT);
        }
    }
    rest
}

fn forget(running: &Mutex<Vec<Arc<Family>>>, families: &[Arc<Family>]) {
    locked(running).retain(|other| !families.iter().any(|family| Arc::ptr_eq(family, other)));
}

fn how(status: ExitStatus) -> Ended {
    status.code().map_or_else(|| Ended::Signal(status.signal().unwrap_or(0)), Ended::Code)
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_does_not_listen_is_killed_however_late_it_is() {
        assert_eq!(next_signal(Duration::ZERO, None), Some(Signal::TERM));
        assert_eq!(next_signal(PATIENCE, None), Some(Signal::KILL));
        assert_eq!(next_signal(PATIENCE * 100, None), Some(Signal::KILL));
        assert_eq!(next_signal(PATIENCE * 100, Some(Duration::ZERO)), Some(Signal::KILL));
        assert_eq!(next_signal(PATIENCE * 100, Some(PERSISTENCE)), None);
    }
}
