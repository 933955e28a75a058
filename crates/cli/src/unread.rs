//! What a command could not read. It is noted in the context where it is met; when the command ends, one line reports it and
//! the exit code is 3, so that no command can forget to.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use annals_store::{Discovery, FileProblem};

use crate::context::Context;
use crate::error::Outcome;
use crate::stderr;
use crate::words;

/// The paths that could not be read, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct UnreadPaths(Mutex<BTreeMap<PathBuf, UnreadPath>>);

/// How much is said of paths that could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportDetail {
    /// How many there are, and the first.
    First,
    Each,
}

#[derive(Debug)]
struct UnreadPath {
    reason: String,
    is_reported: bool,
}

impl UnreadPaths {
    fn add(&self, problems: impl IntoIterator<Item = FileProblem>) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for FileProblem { path, problem, .. } in problems {
            let reason = problem.detail.clone().unwrap_or_else(|| problem.to_string());
            paths.entry(path).or_insert(UnreadPath { reason, is_reported: false });
        }
    }

    /// What is said of those that were not reported yet: one line in all, or one of each.
    fn report(&self, detail: ReportDetail) -> Vec<String> {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new: Vec<_> = paths.iter_mut().filter(|(_, unread)| !unread.is_reported).collect();
        new.iter_mut().for_each(|(_, unread)| unread.is_reported = true);
        let each = new.iter().map(|(path, unread)| format!("{}: {}", path.display(), unread.reason));
        let each: Vec<String> = each.collect();
        match (each.as_slice(), detail) {
            ([first, _, ..], ReportDetail::First) => vec![format!(
                "could not read {} (first: {first}); -v lists them",
                words::plural(each.len() as u64, "file or folder", "files and folders")
            )],
            _ => each.iter().map(|path| format!("could not read {path}")).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl Context {
    /// Finds everything in the store, and notes what could not be listed. Commands that look at all of the store call this,
    /// and not the store itself.
    pub(crate) fn discover(&self) -> Discovery {
        self.discover_for(|_| true)
    }

    /// The same over all stores, for commands that read them as one; paths tell what is of which.
    pub(crate) fn discover_all(&self) -> Discovery {
        let mut found = self.each_store(Self::discover).into_iter();
        let mut all = found.next().unwrap_or_else(|| self.discover());
        found.for_each(|discovery| all.extend(discovery));
        all
    }

    /// The same for a command about a part of the store: notes what could not be listed there.
    pub(crate) fn discover_for(&self, concerns: impl Fn(&FileProblem) -> bool) -> Discovery {
        let mut discovery = self.store.discover();
        discovery.problems.retain(concerns);
        self.note_unread(discovery.problems.iter().cloned());
        discovery
    }

    /// Notes what could not be read.
    pub(crate) fn note_unread(&self, problems: impl IntoIterator<Item = FileProblem>) {
        self.unread.add(problems);
    }

    /// Notes that the answer comes from an index that is being updated, and says so.
    pub(crate) fn note_stale(&self, message: &str) {
        self.say(message);
        self.is_stale.set(true);
    }

    /// Reports what was noted since the last report: for commands that run on.
    pub(crate) fn report_unread(&self) {
        let detail = if self.verbosity > 0 { ReportDetail::Each } else { ReportDetail::First };
        for line in self.unread.report(detail) {
            // An error is not a message that --quiet may drop.
            stderr::say(format_args!("annals: {line}"));
        }
    }

    /// Reports what was noted. An answer from a part of the store is a problem, also if nothing was found there.
    pub(crate) fn settle_unread(&self, outcome: Outcome) -> Outcome {
        self.report_unread();
        match outcome {
            Outcome::Done | Outcome::NothingFound if !self.unread.is_empty() => Outcome::ProblemsFound,
            // What was not found may be what is not indexed yet.
            Outcome::NothingFound if self.is_stale.get() => Outcome::ProblemsFound,
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_transcript::problem::ProblemKind;

    use super::*;

    fn problem(path: &str) -> FileProblem {
        FileProblem::whole(path, ProblemKind::UnreadableSideFile, "permission denied")
    }

    #[test]
    fn each_path_is_reported_once() {
        let unread = UnreadPaths::default();
        assert!(unread.is_empty() && unread.report(ReportDetail::First).is_empty());
        unread.add([problem("/b")]);
        assert_eq!(unread.report(ReportDetail::First), ["could not read /b: permission denied"]);
        unread.add([problem("/b")]);
        assert_eq!(unread.report(ReportDetail::First), [""; 0]);
        unread.add([problem("/c"), problem("/a")]);
        let line = unread.report(ReportDetail::First).remove(0);
        assert!(line.contains("2 files and folders (first: /a: permission denied)"), "{line}");
        unread.add([problem("/e"), problem("/d")]);
        let lines = ["could not read /d: permission denied", "could not read /e: permission denied"];
        assert_eq!(unread.report(ReportDetail::Each), lines);
        assert!(!unread.is_empty());
    }

    /// A scan that goes around the context is silent about what it could not read.
    #[test]
    fn commands_discover_through_the_context() {
        // They look for one session, or hand their problems on.
        const ALLOWED: [&str; 7] = [
            "unread.rs",
            "session.rs",
            "session_picker.rs",
            "vault.rs",
            "bench.rs",
            "check/mod.rs",
            "copies.rs",
        ];
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![source];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let is_allowed = ALLOWED.iter().any(|name| path.ends_with(name));
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                assert!(
                    is_allowed || !text.contains("store.discover()"),
                    "{}: use context.discover(), which reports what cannot be read",
                    path.display()
                );
            }
        }
    }
}
