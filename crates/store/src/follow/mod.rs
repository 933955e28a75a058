//! Follows a file that another program appends to: complete new lines, each once, with number and offset.
//!
//! A line is returned once its newline is written, a record that spans several lines once its last line is. Truncating, rewriting, replacing, removing and restoring the file are
//! separate events, after which following continues: after the last returned line if the file still has it at its offset,
//! else at the configured start.
//!
//! Memory holds one chunk and one line, regardless of the file's size. Nothing blocks here: [`Watch`](crate::watch::Watch)
//! waits until the file should be read again.

mod bookmark;
mod start;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_transcript::line::Line;
use annals_transcript::record_lines::RecordSplitter;

use crate::identity::FileIdentity;
use crate::read::{ReadError, open_file};
pub(crate) use bookmark::FileBookmark;

pub use start::FollowStart;

/// How much is read at a time.
const CHUNK: usize = 64 * 1024;

/// What happened to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowEvent<'l> {
    /// A line is whole now.
    Line(Line<'l>),
    /// The file was cut or rewritten in place.
    Truncated,
    /// Another file has its name now. Lines that were appended to the old one until then were returned.
    Replaced,
    /// The file is gone.
    Gone,
    /// A file of that name is there again.
    Back,
}

/// Follows one file.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    start: FollowStart,
    /// Kept open while the file is gone: as long as it is, no new file can have its identity.
    file: File,
    identity: FileIdentity,
    is_gone: bool,
    splitter: RecordSplitter,
    /// The number of lines returned.
    lines: usize,
    /// After the last returned line.
    given: FileBookmark,
    /// After the last byte read.
    read: FileBookmark,
    chunk: Vec<u8>,
}

impl Follower {
    /// Opens a file that is there, and finds where to start. To number lines all of the file is read once.
    pub fn open(path: impl Into<PathBuf>, start: FollowStart) -> Result<Self, ReadError> {
        let path = path.into();
        let (file, metadata) = open(&path)?;
        let mut follower = Self {
            path,
            start,
            file,
            identity: FileIdentity::of(&metadata),
            is_gone: false,
            splitter: RecordSplitter::new(),
            lines: 0,
            given: FileBookmark::default(),
            read: FileBookmark::default(),
            chunk: vec![0; CHUNK],
        };
        follower.restart().map_err(|error| ReadError::new(&follower.path, error))?;
        Ok(follower)
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Calls `each` for everything that happened since the last call, until nothing is left or `each` breaks, and returns
    /// the break value. The next call continues after the last event.
    pub fn poll<B>(
        &mut self,
        mut each: impl FnMut(FollowEvent<'_>) -> ControlFlow<B>,
    ) -> Result<Option<B>, ReadError> {
        match self.poll_file(&mut each) {
            Ok(ControlFlow::Continue(())) => Ok(None),
            Ok(ControlFlow::Break(with)) => Ok(Some(with)),
            Err(error) => Err(ReadError::new(&self.path, error)),
        }
    }

    fn poll_file<B>(
        &mut self,
        each: &mut impl FnMut(FollowEvent<'_>) -> ControlFlow<B>,
    ) -> io::Result<ControlFlow<B>> {
        let found = match fs::metadata(&self.path) {
            Ok(metadata) => Some(FileIdentity::of(&metadata)),
            Err(error) if is_absence(&error) => None,
            Err(error) => return Err(error),
        };
        if found == Some(self.identity) {
            if std::mem::take(&mut self.is_gone)
                && let ControlFlow::Break(with) = each(FollowEvent::Back)
            {
                return Ok(ControlFlow::Break(with));
            }
            return self.read_on(each);
        }
        if !self.is_gone {
            // Reads the rest of the file that lost its name; a truncated one has nothing to read.
            if self.read.fits(&mut self.file)?
                && let ControlFlow::Break(with) = self.read_lines(each)?
            {
                return Ok(ControlFlow::Break(with));
            }
        }
        if found.is_none() {
            return Ok(if std::mem::replace(&mut self.is_gone, true) {
                ControlFlow::Continue(())
            } else {
                each(FollowEvent::Gone)
            });
        }
        let (file, metadata) = match open(&self.path) {
            Ok(opened) => opened,
            // Removed again in the meantime: the next call sees it.
            Err(ReadError::NotFound { .. }) => return Ok(ControlFlow::Continue(())),
            Err(ReadError::Other { source, .. }) => return Err(source),
            Err(ReadError::NoPermission { .. }) => return Err(io::ErrorKind::PermissionDenied.into()),
            Err(ReadError::IsDirectory { .. }) => return Err(io::ErrorKind::IsADirectory.into()),
        };
        (self.file, self.identity) = (file, FileIdentity::of(&metadata));
        self.resume()?;
        let event = if std::mem::take(&mut self.is_gone) { FollowEvent::Back } else { FollowEvent::Replaced };
        match each(event) {
            ControlFlow::Continue(()) => self.read_lines(each),
            broken => Ok(broken),
        }
    }

    /// Reads on in the same file, which may have been cut or rewritten.
    fn read_on<B>(
        &mut self,
        each: &mut impl FnMut(FollowEvent<'_>) -> ControlFlow<B>,
    ) -> io::Result<ControlFlow<B>> {
        if !self.read.fits(&mut self.file)? {
            self.resume()?;
            if let ControlFlow::Break(with) = each(FollowEvent::Truncated) {
                return Ok(ControlFlow::Break(with));
            }
        }
        self.read_lines(each)
    }

    /// Reads to the end and passes on complete lines.
    fn read_lines<B>(
        &mut self,
        each: &mut impl FnMut(FollowEvent<'_>) -> ControlFlow<B>,
    ) -> io::Result<ControlFlow<B>> {
        self.file.seek(SeekFrom::Start(self.read.offset()))?;
        loop {
            let length = match self.file.read(&mut self.chunk) {
                Ok(0) => return Ok(ControlFlow::Continue(())),
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let (lines, given) = (&mut self.lines, &mut self.given);
            let pushed = self.splitter.push(&self.chunk[..length], |line| {
                *lines = line.last_number();
                given.advance(line.raw());
                match each(FollowEvent::Line(line)) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(with) => Err(with),
                }
            });
            match pushed {
                Ok(()) => self.read.advance(&self.chunk[..length]),
                Err(with) => {
                    self.rewind();
                    return Ok(ControlFlow::Break(with));
                }
            }
        }
    }

    /// Continues after the lines that were given if the file still holds them, else starts over.
    fn resume(&mut self) -> io::Result<()> {
        if self.given.fits(&mut self.file)? {
            self.rewind();
            return Ok(());
        }
        self.restart()
    }

    /// Discards an unfinished line.
    fn rewind(&mut self) {
        self.read = self.given.clone();
        self.splitter = RecordSplitter::after(self.lines, self.given.offset() as usize);
    }

    fn restart(&mut self) -> io::Result<()> {
        let place = self.start.find(&mut self.file, &mut self.chunk)?;
        self.lines = place.lines;
        self.given = FileBookmark::at(&mut self.file, place.offset)?;
        self.rewind();
        Ok(())
    }
}

fn open(path: &Path) -> Result<(File, Metadata), ReadError> {
    let fail = |error| ReadError::new(path, error);
    let file = open_file(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(ReadError::IsDirectory { path: path.to_path_buf() });
    }
    Ok((file, metadata))
}

/// Whether the error means that the file does not exist.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
