//! Opening and reading files: whole, or line by line in bounded memory. Reading fails only when the file does.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_transcript::line::{Line, LineSplitter};
use annals_transcript::problem::ProblemKind;

use crate::problem::FileProblem;

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing is there.
    #[error("{}: no such file", path.display())]
    NotFound {
        /// Where.
        path: PathBuf,
    },
    /// It is a folder.
    #[error("{}: is a directory, not a file", path.display())]
    IsDirectory {
        /// Where.
        path: PathBuf,
    },
    /// The system does not allow it.
    #[error("{}: permission denied", path.display())]
    NoPermission {
        /// Where.
        path: PathBuf,
    },
    /// Any other error.
    #[error("{}: {source}", path.display())]
    Other {
        /// Where.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
}

impl ReadError {
    /// Classifies an error of the system.
    pub fn new(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::NotFound { path },
            io::ErrorKind::IsADirectory => Self::IsDirectory { path },
            // Windows does not say that it is a folder, only that it may not be opened.
            io::ErrorKind::PermissionDenied if cfg!(windows) && path.is_dir() => Self::IsDirectory { path },
            io::ErrorKind::PermissionDenied => Self::NoPermission { path },
            _ => Self::Other { path, source },
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotFound { path }
            | Self::IsDirectory { path }
            | Self::NoPermission { path }
            | Self::Other { path, .. } => path,
        }
    }

    /// Converts the error to a problem, for callers that continue without the file.
    pub fn problem(&self) -> FileProblem {
        self.problem_of_kind(ProblemKind::UnreadableSideFile)
    }

    /// The same for a session file, or for a folder that may hold some.
    pub fn session_problem(&self) -> FileProblem {
        self.problem_of_kind(ProblemKind::UnreadableFile)
    }

    fn problem_of_kind(&self, kind: ProblemKind) -> FileProblem {
        let detail = match self {
            Self::NotFound { .. } => "no such file".to_owned(),
            Self::IsDirectory { .. } => "is a directory".to_owned(),
            Self::NoPermission { .. } => "permission denied".to_owned(),
            Self::Other { source, .. } => source.to_string(),
        };
        FileProblem::whole(self.path(), kind, detail)
    }
}

/// Reads a whole file.
pub fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|error| ReadError::new(path, error))
}

/// Reads a whole file; `None` if it does not exist.
pub fn read_file_if_there(path: &Path) -> Result<Option<Vec<u8>>, ReadError> {
    match read_file(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Calls `each` for every line until the file ends or it breaks, and returns the value it broke with.
///
/// Memory holds one chunk of 256 KiB and one line, however large the file is.
pub fn stream_lines<B>(
    path: &Path,
    each: impl FnMut(Line<'_>) -> ControlFlow<B>,
) -> Result<Option<B>, ReadError> {
    let fail = |error| ReadError::new(path, error);
    let file = File::open(path).map_err(fail)?;
    stream_reader(file, each).map_err(fail)
}

/// The same for any reader.
pub fn stream_reader<B>(
    mut reader: impl Read,
    mut each: impl FnMut(Line<'_>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let mut each = |line: Line<'_>| match each(line) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(with) => Err(with),
    };
    let mut splitter = LineSplitter::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match reader.read(&mut chunk) {
            Ok(0) => return Ok(splitter.finish(each).err()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Err(with) = splitter.push(&chunk[..length], &mut each) {
            return Ok(Some(with));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_until_told_to_stop() {
        let mut file = "x".repeat(CHUNK);
        file.push_str("\ntwo\nthree");
        let mut seen = Vec::new();
        let end = stream_reader(file.as_bytes(), |line| {
            seen.push((line.number, line.offset, line.body().len()));
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(end.unwrap(), None);
        assert_eq!(seen, [(1, 0, CHUNK), (2, CHUNK + 1, 3), (3, CHUNK + 5, 5)]);
        let stopped = stream_reader(file.as_bytes(), |line| {
            if line.number == 2 {
                ControlFlow::Break(line.body().to_vec())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(stopped.unwrap().unwrap(), b"two");
    }

    #[test]
    fn every_failure_has_its_name() {
        let path = Path::new("/nowhere/file.jsonl");
        let of = |kind: io::ErrorKind| ReadError::new(path, kind.into()).to_string();
        assert_eq!(of(io::ErrorKind::NotFound), "/nowhere/file.jsonl: no such file");
        assert_eq!(of(io::ErrorKind::IsADirectory), "/nowhere/file.jsonl: is a directory, not a file");
        assert_eq!(of(io::ErrorKind::PermissionDenied), "/nowhere/file.jsonl: permission denied");
        assert!(of(io::ErrorKind::TimedOut).starts_with("/nowhere/file.jsonl: "));
    }
}
