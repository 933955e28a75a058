//! Follows a file that another program appends to: whole new lines, each once, with number and offset.
//!
//! A line is given when its newline is there; what is written of a line so far waits. A file that shrinks, is rewritten,
//! replaced, removed or put back is an event of its own, and following goes on: behind the lines that were given, where
//! the file still holds the last of them at their place, else where following was told to start.
//!
//! Memory holds one chunk and one line, however large the file is. Nothing waits here: [`Watch`](crate::watch::Watch)
//! does, and tells when to look again.

mod bookmark;
mod start;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_transcript::line::{Line, LineSplitter};

use crate::identity::FileIdentity;
use crate::read::ReadError;
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
    /// Another file has its name now. The lines that came to the first one until then were given.
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
    splitter: LineSplitter,
    /// How many lines lie behind.
    lines: usize,
    /// Behind the last line that was given.
    given: FileBookmark,
    /// Behind the last byte that was read.
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
            splitter: LineSplitter::new(),
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

    /// Hands out everything that happened since the last call, until nothing is left or `each` breaks, and returns what it
    /// broke with. The next call goes on behind the last thing that was handed out.
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
            // What came before the file lost its name; a cut one has nothing more to say.
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
            // Gone again in this moment: the next call sees what is there then.
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

    /// Reads to the end and hands out the lines that are whole.
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
                *lines = line.number;
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

    /// Forgets what was read of an unfinished line.
    fn rewind(&mut self) {
        self.read = self.given.clone();
        self.splitter = LineSplitter::after(self.lines, self.given.offset() as usize);
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
    let file = File::open(path).map_err(fail)?;
    let metadata = file.metadata().map_err(fail)?;
    if metadata.is_dir() {
        return Err(ReadError::IsDirectory { path: path.to_path_buf() });
    }
    Ok((file, metadata))
}

/// Whether an error says that nothing is there.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
