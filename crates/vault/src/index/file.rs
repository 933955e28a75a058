//! The file format of an index: a checked head with format, lengths and sha256 of two zstd frames.

use std::path::Path;

use annals_store::digest::sha256_bytes;
use annals_store::read::{ReadError, read_file};

use super::{Locations, PackVersions, locations, versions};
use crate::error::VaultError;
use crate::frame::{compress, decompress, skippable_frame, skippable_head};

/// The first bytes of an index, after the eight bytes that open a skippable frame.
const FORMAT: &[u8] = b"annals vault index, version ";
const VERSION: u8 = b'1';
/// Format, version, line break, four lengths, two digests, and the digest of all that.
const HEAD: usize = FORMAT.len() + 2 + 4 * 8 + 2 * 32 + 32;
/// More than any index holds, so that a damaged length cannot allocate all memory.
const MAX_LENGTH: u64 = 4 << 30;

/// An index to be written.
#[derive(Debug, Default)]
pub(crate) struct IndexFile {
    pub(crate) versions: PackVersions,
    pub(crate) locations: Locations,
}

impl IndexFile {
    pub(crate) fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let plain = [versions::write(&self.versions), locations::write(&self.locations)];
        let frames = [compress(&plain[0])?, compress(&plain[1])?];
        let mut head = FORMAT.to_vec();
        head.extend_from_slice(&[VERSION, b'\n']);
        for length in [plain[0].len(), frames[0].len(), plain[1].len(), frames[1].len()] {
            head.extend_from_slice(&(length as u64).to_le_bytes());
        }
        frames.iter().for_each(|frame| head.extend_from_slice(&sha256_bytes(frame)));
        let digest = sha256_bytes(&head);
        head.extend_from_slice(&digest);
        let mut bytes = skippable_frame(&head);
        frames.iter().for_each(|frame| bytes.extend_from_slice(frame));
        Ok(bytes)
    }
}

#[derive(Clone, Copy, Debug)]
enum IndexPart {
    Versions,
    Locations,
}

pub(crate) fn read_versions(path: &Path) -> Result<PackVersions, VaultError> {
    let plain = part(path, &read(path)?, IndexPart::Versions)?;
    versions::read(&plain).ok_or_else(|| damaged(path, "the list of versions"))
}

pub(crate) fn read_locations(path: &Path) -> Result<Locations, VaultError> {
    let plain = part(path, &read(path)?, IndexPart::Locations)?;
    locations::read(&plain).ok_or_else(|| damaged(path, "the list of locations"))
}

/// Checks that an index is exactly what was written.
pub(crate) fn is_whole(bytes: &[u8], path: &Path) -> Result<(), VaultError> {
    part(path, bytes, IndexPart::Versions)?;
    part(path, bytes, IndexPart::Locations)?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, VaultError> {
    read_file(path).map_err(|error| match error {
        ReadError::NotFound { .. } => damaged(path, "the file is missing"),
        error => error.into(),
    })
}

fn damaged(path: &Path, what: &'static str) -> VaultError {
    VaultError::Damaged { path: path.to_path_buf(), what }
}

fn part(path: &Path, bytes: &[u8], part: IndexPart) -> Result<Vec<u8>, VaultError> {
    let head = bytes.get(8..8 + HEAD).ok_or_else(|| damaged(path, "the file is truncated"))?;
    let (body, digest) = head.split_at(HEAD - 32);
    if sha256_bytes(body) != digest || bytes[..8] != skippable_head(HEAD) {
        return Err(format_error(path, body));
    }
    if body[FORMAT.len()] != VERSION {
        return Err(format_error(path, body));
    }
    let number = |at: usize| {
        let from = FORMAT.len() + 2 + 8 * at;
        body[from..from + 8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let lengths = [number(0), number(1), number(2), number(3)];
    let is_long = lengths.iter().any(|length| *length > MAX_LENGTH);
    if is_long || bytes.len() as u64 != (8 + HEAD) as u64 + lengths[1] + lengths[3] {
        return Err(damaged(path, "the file is truncated"));
    }
    let first = 8 + HEAD;
    let (from, length, plain, digest_at) = match part {
        IndexPart::Versions => (first, lengths[1], lengths[0], HEAD - 96),
        IndexPart::Locations => (first + lengths[1] as usize, lengths[3], lengths[2], HEAD - 64),
    };
    let frame = &bytes[from..from + length as usize];
    if sha256_bytes(frame) != body[digest_at..digest_at + 32] {
        return Err(damaged(path, "a frame does not match its checksum"));
    }
    decompress(frame, plain as usize).map_err(|_| damaged(path, "a frame cannot be decompressed"))
}

/// The error for an unknown head: a newer format if it says so, else damage.
fn format_error(path: &Path, body: &[u8]) -> VaultError {
    let rest = body.strip_prefix(FORMAT).and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let version =
        rest.filter(|word| word.len() <= 8 && word.iter().all(u8::is_ascii_digit) && *word != [VERSION]);
    match version {
        Some(word) => VaultError::UnknownFormat {
            path: path.to_path_buf(),
            version: String::from_utf8_lossy(word).into_owned(),
        },
        None => damaged(path, "the head"),
    }
}
