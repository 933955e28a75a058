//! Groups of processes: a command and all that it started, ended together.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::sync::watch;

/// How long a group may take to end by itself once it is asked to.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// The groups of a session that may still run. Dropping it ends them all.
#[derive(Debug, Default)]
pub(super) struct Groups {
    running: Arc<Mutex<Vec<Pid>>>,
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
    leader: Pid,
    running: Arc<Mutex<Vec<Pid>>>,
    ended: watch::Receiver<Option<Ended>>,
}

impl Groups {
    /// Starts a command: nothing to read, all output into one file.
    pub(super) fn start(&self, command: &mut Command, output: File) -> io::Result<Group> {
        let errors = output.try_clone()?;
        let mut child =
            command.stdin(Stdio::null()).stdout(output).stderr(errors).process_group(0).spawn()?;
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the process has no number"))?;
        locked(&self.running).push(leader);
        let (tell, ended) = watch::channel(None);
        thread::spawn(move || {
            let status = child.wait();
            // Nobody may be left to hear it.
            let _ = tell.send(Some(status.map_or(Ended::Code(-1), how)));
        });
        Ok(Group { leader, running: Arc::clone(&self.running), ended })
    }

    /// Ends every group, and returns when all are gone or were killed: two seconds at most.
    pub(super) fn end_all(&self) {
        let leaders = locked(&self.running).clone();
        finish(&leaders);
        locked(&self.running).retain(|leader| !leaders.contains(leader));
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
        let (leader, running) = (self.leader, Arc::clone(&self.running));
        let _ = kill_process_group(leader, Signal::TERM);
        thread::spawn(move || {
            finish(&[leader]);
            locked(&running).retain(|other| *other != leader);
        });
    }

    /// The command has ended: forgets the group, unless something of it still runs.
    pub(super) fn settle(&self) {
        if test_kill_process_group(self.leader).is_err() {
            locked(&self.running).retain(|other| *other != self.leader);
        }
    }
}

/// Ends groups, and waits until they are gone.
fn finish(leaders: &[Pid]) {
    let is_there = |leader: &&Pid| test_kill_process_group(**leader).is_ok();
    for leader in leaders {
        let _ = kill_process_group(*leader, Signal::TERM);
        // One that is stopped hears nothing before it goes on.
        let _ = kill_process_group(*leader, Signal::CONT);
    }
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE && leaders.iter().any(|leader| is_there(&leader)) {
        thread::sleep(LOOK);
    }
    for leader in leaders.iter().filter(is_there) {
        let _ = kill_process_group(*leader, Signal::KILL);
    }
}

fn how(status: ExitStatus) -> Ended {
    status.code().map_or_else(|| Ended::Signal(status.signal().unwrap_or(0)), Ended::Code)
}

fn locked(pids: &Mutex<Vec<Pid>>) -> MutexGuard<'_, Vec<Pid>> {
    pids.lock().unwrap_or_else(PoisonError::into_inner)
}
