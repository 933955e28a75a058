//! Reads a file into the vault: compares it with the known content and cuts what is new into chunks.

use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use annals_store::platform;
use annals_store::read::{ReadError, open_file};
use sha2::{Digest, Sha256};

use crate::chunk::{MAX_CHUNK, first_chunk};
use crate::error::VaultError;
use crate::id::{ChunkId, ContentId};
use crate::index::StoredContent;
use crate::mask::Masker;
use crate::progress::Progress;
use crate::version::ChangeStamp;

const READ_BYTES: usize = 1024 * 1024;

/// Receives new chunks.
pub(crate) trait ChunkSink {
    /// Stores a chunk unless it is there already.
    fn take(&mut self, id: ChunkId, bytes: &[u8]) -> Result<(), VaultError>;
}

/// Why a file could not be archived.
#[derive(Debug)]
pub(crate) enum IngestError {
    Read(ReadError),
    Shrunk,
    /// The vault could not store it.
    Vault(VaultError),
}

impl From<VaultError> for IngestError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

/// The metadata of a file that tell whether it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStat {
    pub(crate) bytes: u64,
    pub(crate) mode: u32,
    pub(crate) modified: i64,
    pub(crate) stamp: ChangeStamp,
}

impl FileStat {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map(nanoseconds).unwrap_or_default();
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        let (_, inode) = platform::file_numbers(metadata);
        let stamp = ChangeStamp { changed: platform::change_time(metadata), inode };
        Self { bytes, mode: platform::mode(metadata) & 0o7777, modified, stamp }
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

/// Reads the first `bytes` of a file; what is appended meanwhile is left for the next run. `known` is a content that the
/// file may start with: a file that grew is compared with it by sha256, and only the rest is cut and stored.
pub(crate) fn ingest(
    path: &Path,
    bytes: u64,
    mask: &str,
    known: Option<&StoredContent>,
    sink: &mut dyn ChunkSink,
    progress: &mut dyn Progress,
) -> Result<StoredContent, IngestError> {
    let fail = |error| IngestError::Read(ReadError::new(path, error));
    let mut file = open_file(path).map_err(fail)?;
    let mut buffer = vec![0; READ_BYTES.min(usize::try_from(bytes).unwrap_or(READ_BYTES)).max(1)];
    let mut hasher = Sha256::new();
    let mut base = None;
    if let Some(known) = known.filter(|known| known.bytes > 0 && known.bytes <= bytes) {
        read(&mut file, known.bytes, &mut buffer, path, &mut |part| {
            hasher.update(part);
            progress.read(part.len() as u64);
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
    let mut chunker = Chunker { masker: Masker::new(mask), masked: Vec::new(), chunks: Vec::new(), sink };
    read(&mut file, bytes - before, &mut buffer, path, &mut |part| {
        hasher.update(part);
        progress.read(part.len() as u64);
        chunker.push(part)
    })?;
    let chunks = chunker.finish()?;
    Ok(StoredContent {
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
) -> Result<(), IngestError> {
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(buffer.len()));
        match file.read(&mut buffer[..most]) {
            Ok(0) => return Err(IngestError::Shrunk),
            Ok(length) => {
                each(&buffer[..length])?;
                left -= length as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(IngestError::Read(ReadError::new(path, error))),
        }
    }
    Ok(())
}

/// Cuts a stream of bytes into chunks.
struct Chunker<'k> {
    masker: Masker,
    masked: Vec<u8>,
    chunks: Vec<ChunkId>,
    sink: &'k mut dyn ChunkSink,
}

impl Chunker<'_> {
    fn push(&mut self, bytes: &[u8]) -> Result<(), VaultError> {
        self.masker.push(bytes, &mut self.masked);
        self.cut(MAX_CHUNK)
    }

    fn finish(mut self) -> Result<Vec<ChunkId>, VaultError> {
        std::mem::replace(&mut self.masker, Masker::new("")).finish(&mut self.masked);
        self.cut(1)?;
        Ok(self.chunks)
    }

    /// Cuts while at least this many bytes are left.
    fn cut(&mut self, least: usize) -> Result<(), VaultError> {
        let mut from = 0;
        while self.masked.len() - from >= least {
            let chunk = &self.masked[from..from + first_chunk(&self.masked[from..])];
            let id = ChunkId::of(chunk);
            self.sink.take(id, chunk)?;
            self.chunks.push(id);
            from += chunk.len();
        }
        self.masked.drain(..from);
        Ok(())
    }
}
