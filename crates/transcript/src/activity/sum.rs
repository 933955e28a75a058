//! Many files to one sum: a turn or a call that forks have copied counts once, in the first file that has it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::file::{FileActivity, Outcome, Touch};
use crate::mark::Mark;

const HOUR_MILLIS: i64 = 3_600_000;
const DAY_MILLIS: i64 = 24 * HOUR_MILLIS;

/// Which instants are looked at, and what the reader's clock says at them.
pub trait Clock {
    /// Whether an instant is looked at.
    fn keeps(&self, millis: Option<i64>) -> bool;
    /// The reader's clock, as if it were UTC.
    fn local(&self, millis: i64) -> i64;
}

/// What a tool did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolActivity {
    /// Its calls.
    pub calls: u64,
    /// Those that failed.
    pub errors: u64,
    /// Those that were never answered.
    pub unanswered: u64,
    /// How long the answered ones took, in milliseconds.
    pub durations: Vec<u64>,
}

/// How often a file was touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTouches {
    /// Reads.
    pub reads: u64,
    /// Edits and writes.
    pub changes: u64,
}

/// What was done over many files.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Turns.
    pub turns: u64,
    /// Turns that the person interrupted.
    pub interrupted: u64,
    /// How long the turns took, in milliseconds.
    pub durations: Vec<u64>,
    /// The tools.
    pub tools: BTreeMap<Arc<str>, ToolActivity>,
    /// The files that tools read and changed.
    pub files: HashMap<Arc<str>, FileTouches>,
    /// Sub-agents that were started, by their kind.
    pub agent_kinds: BTreeMap<Arc<str>, u64>,
    /// Compactions.
    pub compactions: u64,
    /// Turns by the hour of the reader's day.
    pub hours: [u64; 24],
    /// Turns by the reader's day, counted from 1970.
    pub days: BTreeMap<i64, u64>,
    seen: HashSet<(Kind, Mark)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Turn,
    Call,
    Compaction,
}

impl Activity {
    /// Adds a file. What the clock does not keep is not counted.
    pub fn add(&mut self, file: &FileActivity, clock: &impl Clock) {
        for turn in &file.turns {
            if !self.seen.insert((Kind::Turn, turn.mark)) || !clock.keeps(turn.started) {
                continue;
            }
            self.turns += 1;
            self.interrupted += u64::from(turn.interrupted);
            self.durations.extend(turn.duration);
            if let Some(started) = turn.started {
                let local = clock.local(started);
                let hour = local.rem_euclid(DAY_MILLIS) / HOUR_MILLIS;
                if let Some(count) = self.hours.get_mut(hour as usize) {
                    *count += 1;
                }
                *self.days.entry(local.div_euclid(DAY_MILLIS)).or_default() += 1;
            }
        }
        for call in &file.calls {
            if !self.seen.insert((Kind::Call, call.mark)) || !clock.keeps(call.millis) {
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
                    Touch::Read => touches.reads += 1,
                    Touch::Changed => touches.changes += 1,
                }
            }
            if let Some(kind) = &call.agent_kind {
                *self.agent_kinds.entry(Arc::clone(kind)).or_default() += 1;
            }
        }
        for (mark, millis) in &file.compactions {
            let is_new = self.seen.insert((Kind::Compaction, *mark));
            self.compactions += u64::from(is_new && clock.keeps(*millis));
        }
    }

    /// The files by how often they were touched, changes first.
    pub fn most_touched(&self) -> Vec<(&Arc<str>, FileTouches)> {
        let mut files: Vec<_> = self.files.iter().map(|(path, touches)| (path, *touches)).collect();
        files.sort_by(|(left, one), (right, other)| {
            (other.changes, other.reads).cmp(&(one.changes, one.reads)).then_with(|| left.cmp(right))
        });
        files
    }
}
