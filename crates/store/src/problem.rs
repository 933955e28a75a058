//! A problem and the file that it is about.

use std::fmt;
use std::path::PathBuf;

use annals_transcript::problem::{Problem, ProblemKind, Span};

/// A problem with the path of its file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileProblem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong, and where in the file.
    pub problem: Problem,
}

impl FileProblem {
    /// A problem within a file.
    pub fn new(path: impl Into<PathBuf>, problem: Problem) -> Self {
        Self { path: path.into(), problem }
    }

    /// A problem of a whole file, without detail.
    pub fn of_kind(path: impl Into<PathBuf>, kind: ProblemKind) -> Self {
        Self::new(path, Problem::new(kind, 0, Span { offset: 0, length: 0 }))
    }

    /// A problem of a whole file, with detail.
    pub fn whole(path: impl Into<PathBuf>, kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self::new(path, Problem::new(kind, 0, Span { offset: 0, length: 0 }).with_detail(detail))
    }
}

impl fmt::Display for FileProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path.display(), self.problem)
    }
}
