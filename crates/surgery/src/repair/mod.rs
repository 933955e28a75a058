//! Repair: what is broken about a session file is mended, and nothing else is touched.
//!
//! Each kind of repair is a file of its own: it looks at the file as mended so far and proposes mends, each of which names its
//! problem. This file owns their order, and the promise: a mend after which any client would send fewer messages, or not every
//! record that it sent before, is left out and reported.

mod boundaries;
mod cycles;
mod dangling;
mod document;
mod duplicates;
mod guard;
mod kind;
mod lines;
mod lost_branches;
mod mend;
mod null_parents;
mod open_calls;
mod order;
mod orphan_results;
mod oversize;
mod place;
mod thinking;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::problem::ProblemKind;
use annals_transcript::transcript::Transcript;

pub use kind::{RepairKind, UnknownRepair};

use crate::plan::Plan;
use crate::session::Session;
use crate::verify::{Violation, verify};
use document::Document;
use guard::Held;
use mend::{Mend, View};

/// What to repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only these kinds; none named means all.
    pub only: BTreeSet<RepairKind>,
    /// What becomes of the files of its sub-agents.
    pub agents: Agents,
}

/// What becomes of the files of a session's sub-agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Agents {
    /// They are repaired with it.
    #[default]
    Repaired,
    /// They are left as they are.
    Left,
}

/// Why a repair cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// What came out would be wrong; nothing was written.
    #[error("{}: the repaired file would be wrong: {violation}", path.display())]
    Wrong {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        violation: Violation,
    },
}

/// So often a kind of repair is asked again: a mend can uncover the next.
const MOST_ROUNDS: usize = 64;

/// So often all kinds are gone through.
const MOST_SWEEPS: usize = 8;

/// So many mends are tried one by one, where all at once would lose something.
const MOST_TRIED: usize = 200;

/// Plans the repair of a session's file and those of its sub-agents. Files with nothing to mend give an empty plan.
pub fn repair(session: &Session, options: &Options) -> Result<Plan, RepairError> {
    let mut plan = Plan::new(format!("repair {}", session.key), &session.root());
    plan.notes = mend_file(&mut plan, &session.path, &session.bytes, options)?;
    plan.notes.extend(other_name(session));
    if options.agents == Agents::Repaired {
        for agent in &session.agents {
            let notes = mend_file(&mut plan, &agent.entry.path, &agent.bytes, options)?;
            let name = agent.entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            plan.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        }
    }
    Ok(plan)
}

/// Adds the mends of one file to the plan; what is to be said of it.
fn mend_file(
    plan: &mut Plan,
    path: &Path,
    bytes: &[u8],
    options: &Options,
) -> Result<Vec<String>, RepairError> {
    let work = mended(bytes, options);
    let edit = work.document.into_edit(path, bytes);
    if !edit.is_empty() {
        if let Some(violation) = verify(&edit, &edit.result()).into_iter().next() {
            return Err(RepairError::Wrong { path: path.to_path_buf(), violation });
        }
        plan.edit(edit);
    }
    Ok(work.notes)
}

/// The file after all repairs. Often a mend only pays once another is made, so all are tried as one first; if a client would
/// then send less, each has to hold by itself.
fn mended<'a>(bytes: &'a [u8], options: &Options) -> Work<'a> {
    let mut work = Work::new(bytes, Caution::AtTheEnd);
    work.sweep(options);
    if work.made == 0 || work.is_no_loss(bytes) {
        return work;
    }
    let mut work = Work::new(bytes, Caution::EachMend);
    work.held = Some(Held::of(&Transcript::parse(bytes)));
    work.sweep(options);
    work
}

/// When it is asked whether clients would send less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caution {
    AtTheEnd,
    EachMend,
}

/// The file as mended so far.
struct Work<'a> {
    caution: Caution,
    document: Document<'a>,
    held: Option<Held>,
    notes: Vec<String>,
    /// How many mends were made.
    made: usize,
}

impl<'a> Work<'a> {
    fn new(bytes: &'a [u8], caution: Caution) -> Self {
        Self { caution, document: Document::new(bytes), held: None, notes: Vec::new(), made: 0 }
    }

    /// Whether every client still sends all that it sent.
    fn is_no_loss(&self, before: &[u8]) -> bool {
        let after = self.document.bytes();
        Held::of(&Transcript::parse(before)).is_held_by(&Held::of(&Transcript::parse(&after)))
    }

    /// Makes all repairs that are wanted. A later one can uncover work for an earlier one: again, until nothing is found.
    fn sweep(&mut self, options: &Options) {
        let is_wanted = |kind: &&RepairKind| options.only.is_empty() || options.only.contains(*kind);
        for _ in 0..MOST_SWEEPS {
            let before = self.made;
            RepairKind::ALL.iter().filter(is_wanted).for_each(|&kind| self.carry_out(kind));
            if self.made == before {
                break;
            }
        }
    }

    /// Mends all of one kind.
    fn carry_out(&mut self, kind: RepairKind) {
        let mut settled: HashSet<String> = HashSet::new();
        for _ in 0..MOST_ROUNDS {
            let bytes = self.document.bytes();
            let transcript = Transcript::parse(&bytes);
            let graph = Graph::new(&transcript);
            let view = View { transcript: &transcript, graph: &graph };
            let found = kind.find(&view);
            for left in found.left {
                if settled.insert(left.key) {
                    self.note(kind, left.line, &left.why);
                }
            }
            let mends = found.mends.into_iter().filter(|mend| !settled.contains(&mend.key));
            let (mends, blocked): (Vec<_>, Vec<_>) =
                mends.partition(|mend| kind == RepairKind::Lines || view.stand_alone(mend));
            for mend in blocked {
                settled.insert(mend.key);
                self.note(kind, mend.line, "left as it is: the line is damaged");
            }
            let mends = without_overlap(mends);
            if mends.is_empty() {
                return;
            }
            self.settle(kind, mends, &mut settled);
        }
    }

    /// Makes mends all at once, or one by one where together they would lose something.
    fn settle(&mut self, kind: RepairKind, mut mends: Vec<Mend>, settled: &mut HashSet<String>) {
        if self.attempt(&mends) {
            settled.extend(mends.into_iter().map(|mend| mend.key));
            return;
        }
        // From the last line to the first, so that the numbers of the lines above stay.
        mends.sort_by_key(|mend| std::cmp::Reverse(mend.first_line()));
        let reaches_up = mends.iter().any(|mend| mend.last_line() != mend.first_line());
        for (count, mend) in mends.into_iter().enumerate() {
            let is_made = count < MOST_TRIED && self.attempt(std::slice::from_ref(&mend));
            if !is_made {
                self.note(
                    kind,
                    mend.line,
                    "left as it is: mended, a client would send less than it does now",
                );
            }
            settled.insert(mend.key);
            if is_made && reaches_up {
                // The numbers of lines are not what they were: the next round finds the others again.
                return;
            }
        }
    }

    fn note(&mut self, kind: RepairKind, line: usize, why: &str) {
        let line = self.document.origin_of(line).unwrap_or(line);
        let note = format!("line {line}: {kind}: {why}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Makes mends, unless a client would then send less; whether they were made.
    fn attempt(&mut self, mends: &[Mend]) -> bool {
        let mended = self.document.mended(mends);
        if self.caution == Caution::EachMend {
            let bytes = mended.bytes();
            let held = Held::of(&Transcript::parse(&bytes));
            if !self.held.as_ref().is_some_and(|before| before.is_held_by(&held)) {
                return false;
            }
            self.held = Some(held);
        }
        self.document = mended;
        self.made += mends.len();
        true
    }
}

/// Those mends that touch no line that one before them touches; the others come in the next round.
fn without_overlap(mends: Vec<Mend>) -> Vec<Mend> {
    let mut touched = HashSet::new();
    mends
        .into_iter()
        .filter(|mend| {
            let lines: Vec<usize> = mend.lines().collect();
            let is_free = lines.iter().all(|line| !touched.contains(line));
            if is_free {
                touched.extend(lines);
            }
            is_free
        })
        .collect()
}

/// A word about a file whose lines name another session: only a person knows which name is right.
fn other_name(session: &Session) -> Option<String> {
    let transcript = session.transcript();
    let problems = inspect(&transcript, &Graph::new(&transcript), Some(session.key.as_str()));
    let found = problems.into_iter().find(|problem| problem.kind == ProblemKind::WrongFileName)?;
    Some(format!(
        "wrong-file-name: {}; clients go by the name, so it is left",
        found.detail.unwrap_or_default()
    ))
}
