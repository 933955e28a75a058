//! The processes of this machine from `/proc` (Linux), and those that a command started.
//!
//! A process that leaves its group (`setsid`) or its parents (a daemon) still has the marker of its command in its
//! environment, or descends from one that has. A process that left all three is not found.

use std::collections::HashSet;
use std::fs;

use crate::platform::{Pid, Signal, own_pid, send_to_process};

/// The environment variable with the mark of a command.
pub(super) const MARK: &str = "ANNALS_COMMAND";

/// How often new processes are looked for in one reading of the table.
const MAX_ROUNDS: usize = 20;

/// A process. Process ids are reused; together with its start time the id is unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// In ticks since the machine started.
    pub(super) start: u64,
}

/// A living process.
#[derive(Debug)]
struct ProcessEntry {
    process: Process,
    parent: Option<Pid>,
    group: Option<Pid>,
    mark: Option<Vec<u8>>,
    has_environment: bool,
}

/// All living processes but this one.
#[derive(Debug)]
pub(super) struct ProcessTable(Vec<ProcessEntry>);

/// How the processes of a command are recognised.
#[derive(Debug)]
pub(super) struct ProcessMatcher<'t> {
    /// The mark in their environment.
    pub(super) mark: &'t str,
    /// Their group, as long as its id cannot be reused.
    pub(super) group: Option<Pid>,
    /// Those that were found before.
    pub(super) known: &'t HashSet<Process>,
}

impl ProcessTable {
    /// Reads the table; `None` if there is no `/proc`. Processes that start meanwhile are read as well: one that starts another
    /// and ends, again and again, is always found.
    pub(super) fn take() -> Option<Self> {
        entry(own_pid())?;
        let (mut seen, mut all) = (HashSet::new(), Vec::new());
        for _ in 0..MAX_ROUNDS {
            let before = seen.len();
            all.extend(Self::take_new(&mut seen)?.0);
            if seen.len() == before {
                break;
            }
        }
        Some(Self(all))
    }

    /// Reads only the processes whose ids are not in `seen`, and adds those: much quicker, so that a process that lives for
    /// milliseconds is found while it lives. `None` if there is no `/proc`.
    pub(super) fn take_new(seen: &mut HashSet<Pid>) -> Option<Self> {
        let own = own_pid();
        let pids = fs::read_dir("/proc").ok()?.flatten().filter_map(|folder| number(&folder.file_name()));
        let mut new = Vec::new();
        for pid in pids.filter(|pid| *pid != own) {
            if seen.contains(&pid) {
                continue;
            }
            let entry = entry(pid);
            // A process in the middle of exec has no environment for a moment: it is read again.
            if entry.as_ref().is_none_or(|entry| entry.has_environment) {
                seen.insert(pid);
            }
            new.extend(entry);
        }
        Some(Self(new))
    }

    /// Returns the processes that a command started, and all their descendants.
    pub(super) fn of(&self, traces: &ProcessMatcher<'_>) -> Vec<Process> {
        let is_child = |entry: &ProcessEntry| {
            let parents = traces.known.iter().filter(|known| Some(known.pid) == entry.parent);
            parents.into_iter().any(|known| known.lives())
        };
        let is_known = |entry: &ProcessEntry| {
            traces.known.contains(&entry.process)
                || is_child(entry)
                || entry.mark.as_deref() == Some(traces.mark.as_bytes())
                || (entry.group.is_some() && entry.group == traces.group)
        };
        let (mut found, mut rest): (Vec<_>, Vec<_>) = self.0.iter().partition(|entry| is_known(entry));
        loop {
            let pids: HashSet<Pid> = found.iter().map(|entry| entry.process.pid).collect();
            let descends = |entry: &&ProcessEntry| entry.parent.is_some_and(|parent| pids.contains(&parent));
            let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(descends);
            rest = others;
            if more.is_empty() {
                return found.into_iter().map(|entry| entry.process).collect();
            }
            found.extend(more);
        }
    }
}

impl Process {
    /// Sends a signal to this process, and never to another one that has its id now.
    pub(super) fn send(self, signal: Signal) {
        send_to_process(self.pid, signal, || self.lives());
    }

    fn lives(self) -> bool {
        stat(self.pid).is_some_and(|entry| entry.process == self)
    }
}

fn entry(pid: Pid) -> Option<ProcessEntry> {
    let entry = stat(pid)?;
    // The environment of another user's process cannot be read, and it is not ours.
    let environment = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    let mark = environment
        .split(|byte| *byte == 0)
        .find_map(|variable| variable.strip_prefix(MARK.as_bytes())?.strip_prefix(b"=").map(<[u8]>::to_vec));
    Some(ProcessEntry { mark, has_environment: !environment.is_empty(), ..entry })
}

/// Reads `/proc/PID/stat`; `None` for a zombie.
fn stat(pid: Pid) -> Option<ProcessEntry> {
    let text = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    parse(pid, &text)
}

fn parse(pid: Pid, text: &[u8]) -> Option<ProcessEntry> {
    // The name is in brackets and can contain brackets.
    let after = text.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(&text[after..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok()).and_then(Pid::from_raw);
    if matches!(*fields.first()?, "Z" | "X" | "x") {
        return None;
    }
    let process = Process { pid, start: fields.get(19)?.parse().ok()? };
    Some(ProcessEntry { process, parent: number(1), group: number(2), mark: None, has_environment: false })
}

fn number(name: &std::ffi::OsStr) -> Option<Pid> {
    name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pid(number: i32) -> Pid {
        Pid::from_raw(number).unwrap()
    }

    fn made(number: i32, parent: i32, group: i32, mark: Option<&str>) -> ProcessEntry {
        let process = Process { pid: pid(number), start: number as u64 };
        let mark = mark.map(|mark| mark.as_bytes().to_vec());
        let (parent, group) = (Pid::from_raw(parent), Pid::from_raw(group));
        ProcessEntry { process, parent, group, mark, has_environment: true }
    }

    fn found(process_table: &ProcessTable, group: Option<i32>, known: &[Process]) -> Vec<i32> {
        let known = known.iter().copied().collect();
        let traces = ProcessMatcher { mark: "m", group: group.map(pid), known: &known };
        let mut found: Vec<_> =
            process_table.of(&traces).iter().map(|process| process.pid.as_raw_nonzero().get()).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_name_may_hold_anything() {
        let line = b"7 (a) Z 9 (b)) S 3 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
        let entry = parse(pid(7), line).unwrap();
        assert_eq!(
            (entry.process.start, entry.parent, entry.group),
            (4711, Pid::from_raw(3), Pid::from_raw(7))
        );
        assert!(parse(pid(7), b"7 (a) Z 3 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0").is_none());
        assert!(parse(pid(7), b"").is_none() && parse(pid(7), b"7 (a) S 1").is_none());
    }

    #[test]
    fn marks_groups_and_descent_are_followed_and_nothing_else() {
        let process_table = ProcessTable(vec![
            made(10, 1, 10, None),
            made(11, 10, 10, None),
            made(12, 11, 12, None),
            made(13, 12, 13, None),
            made(20, 1, 20, Some("m")),
            made(21, 20, 20, None),
            made(30, 1, 30, Some("mm")),
            made(31, 1, 31, None),
        ]);
        assert_eq!(found(&process_table, Some(10), &[]), [10, 11, 12, 13, 20, 21]);
        assert_eq!(found(&process_table, None, &[]), [20, 21]);
        let known = |start| Process { pid: pid(31), start };
        assert_eq!(found(&process_table, None, &[known(31)]), [20, 21, 31]);
        assert_eq!(found(&process_table, None, &[known(5)]), [20, 21], "the number was used again");
    }
}
