//! A file taken in: compared with what is known of it, and cut into pieces where it is not known yet.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use annals_store::read::ReadError;
use sha2::{Digest, Sha256};

use crate::chunk::{MOST, first_piece};
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::Content;
use crate::mask::Masker;
use crate::version::Seen;
use crate::witness::Witness;

/// How much is read at a time.
const STEP: usize = 1024 * 1024;

/// Where new pieces go.
pub(crate) trait PieceSink {
    /// Takes a piece, if it is not there yet.
    fn take(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError>;
}

/// Why a file could not be taken in.
#[derive(Debug)]
pub(crate) enum IntakeError {
    /// It could not be read.
    Read(ReadError),
    /// It became shorter while it was read.
    Shrunk,
    /// The vault could not take it.
    Vault(VaultError),
}

impl From<VaultError> for IntakeError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

/// How a file stands on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) bytes: u64,
    pub(crate) mode: u32,
    pub(crate) modified: i64,
    pub(crate) seen: Seen,
}

impl Standing {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map(nanoseconds).unwrap_or_default();
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let changed = metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec());
            let seen = Seen { changed, inode: metadata.ino() };
            Self { bytes, mode: metadata.mode() & 0o7777, modified, seen }
        }
        #[cfg(not(unix))]
        Self { bytes, mode: 0o600, modified, seen: Seen::default() }
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => {
            i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds)
        }
    }
}

/// Takes in the first bytes of a file, so many as it had when it was looked at; what is written to it meanwhile comes with
/// the next run. `known` are contents that it may begin with: a file that grew is compared with them, by their sha256, and
/// only what is new is cut and stored.
pub(crate) fn take_in(
    path: &Path,
    bytes: u64,
    mask: &str,
    known: Option<&Content>,
    sink: &mut dyn PieceSink,
    witness: &mut dyn Witness,
) -> Result<Content, IntakeError> {
    let fail = |error| IntakeError::Read(ReadError::new(path, error));
    let mut file = File::open(path).map_err(fail)?;
    let mut buffer = vec![0; STEP.min(usize::try_from(bytes).unwrap_or(STEP)).max(1)];
    let mut hasher = Sha256::new();
    let mut base = None;
    if let Some(known) = known.filter(|known| known.bytes > 0 && known.bytes <= bytes) {
        read(&mut file, known.bytes, &mut buffer, path, &mut |part| {
            hasher.update(part);
            witness.read(part.len() as u64);
            Ok(())
        })?;
        if finished(&hasher) == known.id {
            base = Some(known);
        } else {
            hasher = Sha256::new();
            file.seek(SeekFrom::Start(0)).map_err(fail)?;
        }
    }
    let before = base.map_or(0, |base| base.bytes);
    let mut cutter = Cutter { masker: Masker::new(mask), masked: Vec::new(), chunks: Vec::new(), sink };
    read(&mut file, bytes - before, &mut buffer, path, &mut |part| {
        hasher.update(part);
        witness.read(part.len() as u64);
        cutter.push(part)
    })?;
    let chunks = cutter.finish()?;
    Ok(Content {
        id: finished(&hasher),
        bytes,
        base: base.map(|base| base.id),
        mask: mask.to_owned(),
        chunks,
    })
}

fn finished(hasher: &Sha256) -> ContentId {
    let digest: [u8; 32] = hasher.clone().finalize().into();
    ContentId::of_digest(&digest)
}

fn read(
    file: &mut File,
    mut left: u64,
    buffer: &mut [u8],
    path: &Path,
    each: &mut dyn FnMut(&[u8]) -> Result<(), VaultError>,
) -> Result<(), IntakeError> {
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(buffer.len()));
        match file.read(&mut buffer[..most]) {
            Ok(0) => return Err(IntakeError::Shrunk),
            Ok(length) => {
                each(&buffer[..length])?;
                left -= length as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(IntakeError::Read(ReadError::new(path, error))),
        }
    }
    Ok(())
}

/// Bytes in, pieces out.
struct Cutter<'k> {
    masker: Masker,
    masked: Vec<u8>,
    chunks: Vec<ChunkId>,
    sink: &'k mut dyn PieceSink,
}

impl Cutter<'_> {
    fn push(&mut self, bytes: &[u8]) -> Result<(), VaultError> {
        self.masker.push(bytes, &mut self.masked);
        self.cut(MOST)
    }

    fn finish(mut self) -> Result<Vec<ChunkId>, VaultError> {
        std::mem::replace(&mut self.masker, Masker::new("")).finish(&mut self.masked);
        self.cut(1)?;
        Ok(self.chunks)
    }

    /// Cuts as long as there are so many bytes.
    fn cut(&mut self, least: usize) -> Result<(), VaultError> {
        let mut from = 0;
        while self.masked.len() - from >= least {
            let piece = &self.masked[from..from + first_piece(&self.masked[from..])];
            let id = ChunkId::of(piece);
            self.sink.take(id, piece)?;
            self.chunks.push(id);
            from += piece.len();
        }
        self.masked.drain(..from);
        Ok(())
    }
}
