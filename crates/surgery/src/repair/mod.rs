//! Repairs a session file and changes nothing else.
//!
//! Each kind of repair has a file: it looks at the file as repaired so far and proposes fixes. This file decides their
//! order and keeps the promise: a fix after which any client would send fewer messages, or not every record that it sent
//! before, is left out and reported.

mod boundaries;
mod cycles;
mod dangling;
mod document;
mod duplicates;
mod fix;
mod kind;
mod lines;
mod lost_branches;
mod null_parents;
mod open_calls;
mod order;
mod orphan_results;
mod oversize;
mod position;
mod sent;
mod thinking;
mod trees;
mod understanding;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use annals_store::FileBytes;
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::problem::ProblemKind;
use annals_transcript::transcript::Transcript;

pub use kind::{RepairKind, UnknownRepair};

use crate::plan::Plan;
use crate::session::Session;
use crate::verify::{Violation, verify};
use document::Document;
use fix::{Fix, RepairView};
use sent::SentMessages;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairOptions {
    /// Only these kinds; all if empty.
    pub only: BTreeSet<RepairKind>,
    /// Whether sub-agents are repaired, too.
    pub agents: SubagentFiles,
}

/// What to do with the files of a session's sub-agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubagentFiles {
    /// Repair them with the session.
    #[default]
    Repaired,
    /// Leave them as they are.
    Left,
}

/// Why a repair cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The repaired file would be wrong; nothing was written.
    #[error("{}: the repaired file would be wrong: {violation}", path.display())]
    Wrong {
        path: std::path::PathBuf,
        /// What is wrong with it.
        violation: Violation,
    },
    /// The file is nothing that a repair understands: it would remove all or most of it.
    #[error("{}: {reason}", path.display())]
    NotUnderstood {
        path: std::path::PathBuf,
        /// What it holds instead.
        reason: String,
    },
}

/// How often a kind of repair is run in one sweep: a fix can uncover the next problem.
const MAX_ROUNDS: usize = 64;

/// How often all kinds are run.
const MAX_SWEEPS: usize = 8;

/// How often it is checked what clients send while fixes are sorted out that would lose something.
const MAX_CHECKS: usize = 200;

/// Plans the repair of a session and its sub-agents. If nothing is broken, the plan is empty.
pub fn repair(session: &Session, options: &RepairOptions) -> Result<Plan, RepairError> {
    let mut plan = Plan::new(format!("repair {}", session.key), &session.root());
    if let Some(reason) = understanding::doubt(&session.bytes) {
        return Err(RepairError::NotUnderstood { path: session.path.clone(), reason });
    }
    plan.notes = fix_file(&mut plan, &session.path, &session.bytes, options)?;
    plan.notes.extend(wrong_name_note(session));
    if options.agents == SubagentFiles::Repaired {
        for agent in &session.agents {
            let notes = match understanding::doubt(&agent.bytes) {
                Some(reason) => vec![format!("left as it is: {reason}")],
                None => fix_file(&mut plan, &agent.entry.path, &agent.bytes, options)?,
            };
            let name = agent.entry.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            plan.notes.extend(notes.into_iter().map(|note| format!("{name}: {note}")));
        }
    }
    Ok(plan)
}

/// Whether a repair would change a file.
pub fn can_repair(bytes: &FileBytes) -> bool {
    let mut plan = Plan::new("repair", Path::new(""));
    let mut fixes = || fix_file(&mut plan, Path::new(""), bytes, &RepairOptions::default());
    understanding::doubt(bytes).is_none() && fixes().is_ok() && !plan.is_empty()
}

/// Adds the fixes of one file to the plan; returns notes.
fn fix_file(
    plan: &mut Plan,
    path: &Path,
    bytes: &FileBytes,
    options: &RepairOptions,
) -> Result<Vec<String>, RepairError> {
    let repairer = fixed(bytes, options);
    if repairer.made == 0 {
        return Ok(repairer.notes);
    }
    let edit = repairer.document.into_edit(path, bytes);
    if !edit.is_empty() {
        let after = edit.result();
        let violation = verify(&edit, &after).into_iter().next();
        let less = || {
            SentMessages::of(&Transcript::parse(bytes)).less_in(&SentMessages::of(&Transcript::parse(&after)))
        };
        if let Some(violation) = violation.or_else(|| less().map(|client| Violation::Less { client })) {
            return Err(RepairError::Wrong { path: path.to_path_buf(), violation });
        }
        plan.edit(edit);
    }
    Ok(repairer.notes)
}

/// The file after all repairs. A fix often helps only together with another, so all are tried together first; if a client
/// would then send less, they are checked in parts.
fn fixed<'a>(bytes: &'a [u8], options: &RepairOptions) -> Repairer<'a> {
    let mut repairer = Repairer::new(bytes, CheckTime::AtEnd);
    repairer.sweep(options);
    if repairer.made == 0 || repairer.sends_as_much(bytes) {
        return repairer;
    }
    let mut repairer = Repairer::new(bytes, CheckTime::EachFix);
    repairer.sent = Some(SentMessages::of(&Transcript::parse(bytes)));
    repairer.sweep(options);
    repairer
}

/// When to check that clients do not send less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CheckTime {
    AtEnd,
    EachFix,
}

/// A file under repair and what was done so far.
struct Repairer<'a> {
    check_time: CheckTime,
    document: Document<'a>,
    sent: Option<SentMessages>,
    notes: Vec<String>,
    noted: HashSet<String>,
    made: usize,
    checks: usize,
}

impl<'a> Repairer<'a> {
    fn new(bytes: &'a [u8], check_time: CheckTime) -> Self {
        Self {
            check_time,
            document: Document::new(bytes),
            sent: None,
            notes: Vec::new(),
            noted: HashSet::new(),
            made: 0,
            checks: 0,
        }
    }

    /// Whether every client still sends everything that it sent.
    fn sends_as_much(&self, before: &[u8]) -> bool {
        let after = self.document.bytes();
        let after = SentMessages::of(&Transcript::parse(&after));
        SentMessages::of(&Transcript::parse(before)).less_in(&after).is_none()
    }

    /// Runs all requested repairs. A later one can uncover problems for an earlier one, so this repeats until nothing is
    /// found.
    fn sweep(&mut self, options: &RepairOptions) {
        let is_wanted = |kind: &&RepairKind| options.only.is_empty() || options.only.contains(*kind);
        let kinds: Vec<RepairKind> = RepairKind::ALL.iter().filter(is_wanted).copied().collect();
        for _ in 0..MAX_SWEEPS {
            let before = self.made;
            self.sweep_once(&kinds);
            if self.made == before {
                break;
            }
        }
    }

    /// Runs each kind of repair until it finds nothing more. The file is parsed again only after a change.
    fn sweep_once(&mut self, kinds: &[RepairKind]) {
        let mut kinds = kinds.iter().copied();
        let Some(mut kind) = kinds.next() else { return };
        let (mut settled, mut rounds) = (HashSet::new(), 0);
        loop {
            let bytes = self.document.bytes();
            let transcript = Transcript::parse(&bytes);
            let graph = Graph::new(&transcript);
            let view = RepairView { transcript: &transcript, graph: &graph };
            while rounds >= MAX_ROUNDS || !self.fix_kind(kind, &view, &mut settled) {
                let Some(next) = kinds.next() else { return };
                kind = next;
                (settled, rounds) = (HashSet::new(), 0);
            }
            rounds += 1;
        }
    }

    /// Runs one kind of repair once; returns whether there was anything to fix.
    fn fix_kind(
        &mut self,
        kind: RepairKind,
        view: &RepairView<'_, '_>,
        settled: &mut HashSet<String>,
    ) -> bool {
        let found = kind.find(view);
        for skipped in found.skipped {
            if settled.insert(skipped.key) {
                self.note(kind, skipped.line, &skipped.why);
            }
        }
        let fixes = found.fixes.into_iter().filter(|fix| !settled.contains(&fix.key));
        let (fixes, blocked): (Vec<_>, Vec<_>) =
            fixes.partition(|fix| kind == RepairKind::Lines || view.are_alone(fix));
        for fix in blocked {
            settled.insert(fix.key);
            self.note(kind, fix.line, "left as it is: the line is damaged");
        }
        let fixes = without_overlap(fixes);
        if fixes.is_empty() {
            return false;
        }
        self.apply_fixes(kind, fixes, settled);
        true
    }

    /// Applies fixes together, or in parts if together they would lose something.
    fn apply_fixes(&mut self, kind: RepairKind, mut fixes: Vec<Fix>, settled: &mut HashSet<String>) {
        // From the last line to the first, so that the numbers of the lines above stay valid.
        fixes.sort_by_key(|fix| std::cmp::Reverse(fix.first_line()));
        let reaches_up = fixes.iter().any(|fix| fix.last_line() != fix.first_line());
        let mut parts = vec![fixes];
        while let Some(mut part) = parts.pop() {
            let is_made = self.try_fixes(&part);
            if !is_made && part.len() > 1 && self.checks < MAX_CHECKS {
                let rest = part.split_off(part.len() / 2);
                parts.extend([rest, part]);
                continue;
            }
            for fix in part.iter().filter(|_| !is_made) {
                self.note(kind, fix.line, "left as it is: after the fix a client would send less");
            }
            settled.extend(part.into_iter().map(|fix| fix.key));
            if is_made && reaches_up {
                // Line numbers have changed: the next round finds the others again.
                return;
            }
        }
    }

    fn note(&mut self, kind: RepairKind, line: usize, why: &str) {
        let line = self.document.origin_of(line).unwrap_or(line);
        let note = format!("line {line}: {kind}: {why}");
        if self.noted.insert(note.clone()) {
            self.notes.push(note);
        }
    }

    /// Applies fixes unless a client would then send less, or that was checked too often; returns whether they were
    /// applied.
    fn try_fixes(&mut self, fixes: &[Fix]) -> bool {
        if self.checks >= MAX_CHECKS {
            return false;
        }
        let fixed = self.document.fixed(fixes);
        if self.check_time == CheckTime::EachFix {
            self.checks += 1;
            let bytes = fixed.bytes();
            let sent = SentMessages::of(&Transcript::parse(&bytes));
            if self.sent.as_ref().is_none_or(|before| before.less_in(&sent).is_some()) {
                return false;
            }
            self.sent = Some(sent);
        }
        self.document = fixed;
        self.made += fixes.len();
        true
    }
}

/// The fixes that touch no line of an earlier one; the others follow in the next round.
fn without_overlap(fixes: Vec<Fix>) -> Vec<Fix> {
    let mut touched = HashSet::new();
    fixes
        .into_iter()
        .filter(|fix| {
            let lines: Vec<usize> = fix.lines().collect();
            let is_free = lines.iter().all(|line| !touched.contains(line));
            if is_free {
                touched.extend(lines);
            }
            is_free
        })
        .collect()
}

/// A note if the records name another session than the file: only the user knows which is right.
fn wrong_name_note(session: &Session) -> Option<String> {
    let transcript = session.transcript();
    let problems = inspect(&transcript, &Graph::new(&transcript), Some(session.key.as_str()));
    let found = problems.into_iter().find(|problem| problem.kind == ProblemKind::WrongFileName)?;
    Some(format!(
        "wrong-file-name: {}; clients go by the file name, so it is left",
        found.detail.unwrap_or_default()
    ))
}
