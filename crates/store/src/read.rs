//! Opening and reading files: whole, or line by line or record by record in bounded memory. Reading fails only when the file does.
//!
//! Every file of a store is opened here, or by `ConfigDir::open` if no discovery has listed it: a pipe or a device under the
//! name of a session must not make a command wait without end, and a link in a store must not lead out of it.

use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_transcript::line::{Line, LineSplitter};
use annals_transcript::problem::ProblemKind;
use annals_transcript::record_lines::RecordSplitter;
use sha2::{Digest, Sha256};

use crate::parallel;
use crate::platform::{LinkRule, open_at_once};
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

/// Opens a regular file for reading. Folders, pipes, sockets and devices are errors; none of them makes this wait.
pub fn open_file(path: &Path) -> io::Result<File> {
    regular(open_at_once(path, LinkRule::Follow)?)
}

fn regular(file: File) -> io::Result<File> {
    match file.metadata()? {
        metadata if metadata.is_file() => Ok(file),
        metadata if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "is not a regular file")),
    }
}

/// Opens a file below a folder whose path no discovery has checked: neither it nor a folder on the way may be a link.
pub fn open_below(root: &Path, path: &Path) -> io::Result<File> {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let mut at = root.to_path_buf();
    for part in inside.components() {
        at.push(part);
        if fs::symlink_metadata(&at)?.is_symlink() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, LINK));
        }
    }
    regular(open_at_once(path, LinkRule::Refuse)?)
}

/// What is said of a link that is not followed.
pub(crate) const LINK: &str = "is a symbolic link, and links in a store are not followed";

/// Reads a whole file.
pub fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    open_file(path).and_then(all_of).map_err(|error| ReadError::new(path, error))
}

/// Reads a whole file below a folder, as [`open_below`] opens it.
pub fn read_below(root: &Path, path: &Path) -> Result<Vec<u8>, ReadError> {
    open_below(root, path).and_then(all_of).map_err(|error| ReadError::new(path, error))
}

/// Reads all of what a person names as input, which may be a pipe.
pub fn read_input(path: &Path) -> Result<Vec<u8>, ReadError> {
    fs::read(path).map_err(|error| ReadError::new(path, error))
}

pub(crate) fn all_of(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = parallel::read(&file).unwrap_or_default();
    if !bytes.is_empty() {
        // What was appended meanwhile is still to be read.
        file.seek(SeekFrom::Start(bytes.len() as u64))?;
    }
    file.read_to_end(&mut bytes).map(|_| bytes)
}

/// How a file differs from bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileComparison {
    /// It holds these bytes.
    Same,
    /// It holds these bytes, and more behind them.
    Longer,
    /// It holds something else.
    Different,
}

/// Compares a file with bytes, without reading it into memory.
pub fn compare_file(path: &Path, bytes: &[u8]) -> Result<FileComparison, ReadError> {
    let mut rest = bytes;
    let compare = |chunk: &[u8]| match rest.split_at_checked(chunk.len()) {
        Some((expected, after)) if expected == chunk => {
            rest = after;
            Ok(())
        }
        None if chunk.starts_with(rest) => Err(FileComparison::Longer),
        _ => Err(FileComparison::Different),
    };
    let found = open_file(path).and_then(|file| read_chunks(file, compare));
    let found = found.map_err(|error| ReadError::new(path, error))?;
    Ok(found.unwrap_or(if rest.is_empty() { FileComparison::Same } else { FileComparison::Different }))
}

/// Returns the sha256 of a file, without reading it into memory.
pub fn digest_of_file(path: &Path) -> Result<[u8; 32], ReadError> {
    let mut hasher = Sha256::new();
    let update = |chunk: &[u8]| -> Result<(), Infallible> {
        hasher.update(chunk);
        Ok(())
    };
    open_file(path)
        .and_then(|file| read_chunks(file, update))
        .map_err(|error| ReadError::new(path, error))?;
    Ok(hasher.finalize().into())
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
    let file = open_file(path).map_err(fail)?;
    stream_reader(file, each).map_err(fail)
}

/// The same for any reader.
fn stream_reader<B>(
    reader: impl Read,
    mut each: impl FnMut(Line<'_>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let mut each = |line: Line<'_>| match each(line) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(with) => Err(with),
    };
    let mut splitter = LineSplitter::new();
    match read_chunks(reader, |chunk| splitter.push(chunk, &mut each))? {
        Some(with) => Ok(Some(with)),
        None => Ok(splitter.finish(each).err()),
    }
}

/// Calls `each` for every line of a session until the file ends or it breaks, and returns the value it broke with. The lines
/// of a record that spans several are one.
///
/// Memory holds one chunk of 256 KiB and one line or record, however large the file is.
pub fn stream_records<B>(
    path: &Path,
    each: impl FnMut(Line<'_>) -> ControlFlow<B>,
) -> Result<Option<B>, ReadError> {
    let fail = |error| ReadError::new(path, error);
    let file = open_file(path).map_err(fail)?;
    stream_records_of(file, RecordSplitter::new(), each).map_err(fail)
}

/// The same for any reader, from the position of the splitter on.
pub fn stream_records_of<B>(
    reader: impl Read,
    mut splitter: RecordSplitter,
    mut each: impl FnMut(Line<'_>) -> ControlFlow<B>,
) -> io::Result<Option<B>> {
    let mut each = |line: Line<'_>| match each(line) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(with) => Err(with),
    };
    match read_chunks(reader, |chunk| splitter.push(chunk, &mut each))? {
        Some(with) => Ok(Some(with)),
        None => Ok(splitter.finish(each).err()),
    }
}

/// Calls `each` for chunks until the end or its first error, which is returned.
fn read_chunks<B>(
    mut reader: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), B>,
) -> io::Result<Option<B>> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match reader.read(&mut chunk) {
            Ok(0) => return Ok(None),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if let Err(with) = each(&chunk[..length]) {
            return Ok(Some(with));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_read_whole_by_one_thread_or_several() {
        let temp = annals_testkit::temp::TempDir::new("read");
        for length in [0, 7, (4 << 20) - 1, 4 << 20, (4 << 20) + 3, 9_000_001] {
            let bytes: Vec<u8> = (0..length).map(|at| (at / 7 % 253) as u8).collect();
            let path = temp.write("large", &bytes);
            assert!(read_file(&path).unwrap() == bytes, "{length}");
        }
    }

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
    fn a_file_is_compared_in_pieces() {
        let temp = annals_testkit::temp::TempDir::new("read");
        let bytes: Vec<u8> = (0..CHUNK * 2 + 7).map(|at| (at / 11 % 251) as u8).collect();
        let path = temp.write("file", &bytes);
        let compare = |bytes: &[u8]| compare_file(&path, bytes).unwrap();
        assert_eq!(compare(&bytes), FileComparison::Same);
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, bytes.len() - 1] {
            assert_eq!(compare(&bytes[..length]), FileComparison::Longer, "{length}");
            let mut other = bytes.clone();
            other[length] ^= 1;
            assert_eq!(compare(&other), FileComparison::Different, "{length}");
        }
        assert_eq!(compare(&[bytes.as_slice(), b"x"].concat()), FileComparison::Different);
        assert_eq!(digest_of_file(&path).unwrap(), crate::digest::sha256_bytes(&bytes));
        assert!(compare_file(&temp.path().join("none"), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let temp = annals_testkit::temp::TempDir::new("read");
        let pipe = temp.path().join("pipe.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), Path::new("/dev/null")] {
            let error = read_file(path).unwrap_err().to_string();
            assert!(error.ends_with("is not a regular file"), "{error}");
            let streamed = stream_lines(path, |_| ControlFlow::<()>::Continue(()));
            assert!(streamed.is_err(), "{}", path.display());
        }
        assert!(matches!(read_file(temp.path()), Err(ReadError::IsDirectory { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn below_a_folder_no_link_is_followed() {
        use std::os::unix::fs::symlink;
        let temp = annals_testkit::temp::TempDir::new("read");
        let secret = temp.write("outside/secret", "s");
        let (root, own) = (temp.path().join("root"), temp.write("root/a/own", "o"));
        symlink(&secret, root.join("a/link")).unwrap();
        symlink(temp.path().join("outside"), root.join("b")).unwrap();
        assert_eq!(read_below(&root, &own).unwrap(), b"o");
        for name in ["a/link", "b/secret"] {
            let error = read_below(&root, &root.join(name)).unwrap_err().to_string();
            assert!(error.contains("links in a store are not followed"), "{error}");
        }
        assert!(matches!(read_below(&root, &root.join("a/none")), Err(ReadError::NotFound { .. })));
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
