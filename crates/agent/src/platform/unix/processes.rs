//! Process groups and signals.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};

pub(crate) use rustix::process::{Pid, Signal, getpid as own_pid};
use rustix::process::{kill_process, kill_process_group, test_kill_process_group};

/// A command that is started so leads a group of its own.
pub(crate) fn start_in_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

pub(crate) fn is_process_group(leader: Pid) -> bool {
    test_kill_process_group(leader).is_ok()
}

/// Sends a signal to all of a group.
pub(crate) fn send_to_group(leader: Pid, signal: Signal) {
    let _ = kill_process_group(leader, signal);
}

/// Sends a signal to a process if `is_it` says that it is still the one that is meant.
pub(crate) fn send_to_process(pid: Pid, signal: Signal, is_it: impl Fn() -> bool) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
        if let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) {
            if is_it() {
                let _ = pidfd_send_signal(held, signal);
            }
            return;
        }
    }
    if is_it() {
        let _ = kill_process(pid, signal);
    }
}

/// The signal that ended a process.
pub(crate) fn ending_signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
