//! Sums activity over files; a turn or call that forks have copied counts once, in the first file that has it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::file::{FileAccessKind, FileActivity, Outcome};
use crate::id_hash::IdHash;

const HOUR_MILLIS: i64 = 3_600_000;
const DAY_MILLIS: i64 = 24 * HOUR_MILLIS;

/// Selects the time range to count, and converts to the reader's time zone.
pub trait ActivityWindow {
    /// Whether an instant is counted.
    fn keeps(&self, millis: Option<i64>) -> bool;
    /// The reader's local time at this instant, in milliseconds as if it were UTC.
    fn local(&self, millis: i64) -> i64;
}

/// The calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolActivity {
    /// Those that failed and those without a result included.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Calls without a result.
    pub unanswered: u64,
    /// Durations of the answered calls, in milliseconds.
    pub durations: Vec<u64>,
}

/// How often a file was read and changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// Tool calls that read it.
    pub reads: u64,
    /// Edits and writes.
    pub changes: u64,
}

/// Activity over many files.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Prompts, each with everything that followed.
    pub turns: u64,
    /// Turns that the person interrupted.
    pub interrupted: u64,
    /// Durations of the turns, in milliseconds.
    pub durations: Vec<u64>,
    /// Calls and failures by the name of the tool.
    pub tools: BTreeMap<Arc<str>, ToolActivity>,
    /// The files that tools read and changed.
    pub files: HashMap<Arc<str>, FileAccess>,
    /// Sub-agents that were started, by their kind.
    pub agent_kinds: BTreeMap<Arc<str>, u64>,
    /// How often the context was compacted.
    pub compactions: u64,
    /// Turns by hour of the reader's day.
    pub hours: [u64; 24],
    /// Turns by the reader's day, counted from 1970.
    pub days: BTreeMap<i64, u64>,
    seen: HashSet<(ActivityKind, IdHash)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ActivityKind {
    Turn,
    Call,
    Compaction,
}

impl Activity {
    /// Adds a file; only what is inside the window is counted.
    pub fn add(&mut self, file: &FileActivity, window: &impl ActivityWindow) {
        for turn in &file.turns {
            if !self.seen.insert((ActivityKind::Turn, turn.mark)) || !window.keeps(turn.started) {
                continue;
            }
            self.turns += 1;
            self.interrupted += u64::from(turn.interrupted);
            self.durations.extend(turn.duration);
            if let Some(started) = turn.started {
                let local = window.local(started);
                let hour = local.rem_euclid(DAY_MILLIS) / HOUR_MILLIS;
                if let Some(count) = self.hours.get_mut(hour as usize) {
                    *count += 1;
                }
                *self.days.entry(local.div_euclid(DAY_MILLIS)).or_default() += 1;
            }
        }
        for call in &file.calls {
            if !self.seen.insert((ActivityKind::Call, call.mark)) || !window.keeps(call.millis) {
                continue;
            }
            let tool = self.tools.entry(Arc::clone(&call.tool)).or_default();
            tool.calls += 1;
            tool.errors += u64::from(call.outcome == Outcome::Failed);
            tool.unanswered += u64::from(call.outcome == Outcome::Unanswered);
            tool.durations.extend(call.duration);
            if let Some((path, touch)) = &call.file {
                let touches = self.files.entry(Arc::clone(path)).or_default();
                match touch {
                    FileAccessKind::Read => touches.reads += 1,
                    FileAccessKind::Changed => touches.changes += 1,
                }
            }
            if let Some(kind) = &call.agent_kind {
                *self.agent_kinds.entry(Arc::clone(kind)).or_default() += 1;
            }
        }
        for (mark, millis) in &file.compactions {
            let is_new = self.seen.insert((ActivityKind::Compaction, *mark));
            self.compactions += u64::from(is_new && window.keeps(*millis));
        }
    }

    /// The files by number of changes, then reads, most first.
    pub fn most_touched(&self) -> Vec<(&Arc<str>, FileAccess)> {
        let mut files: Vec<_> = self.files.iter().map(|(path, touches)| (path, *touches)).collect();
        files.sort_by(|(left, one), (right, other)| {
            (other.changes, other.reads).cmp(&(one.changes, one.reads)).then_with(|| left.cmp(right))
        });
        files
    }
}
