//! An index as a file: a head that says the form, the lengths and the sha256 of both frames, and is itself checked.

use std::path::Path;

use annals_store::digest::sha256_bytes;
use annals_store::read::{ReadError, read_file};

use super::{Places, Versions, lines, places};
use crate::error::VaultError;
use crate::frame::{compress, decompress, skipped, skipped_head};

/// How every index begins, after the eight bytes of a frame that is passed over.
const FORM: &[u8] = b"annals vault index, version ";
const VERSION: u8 = b'1';
/// The form, its version, a line break, then four lengths, two digests and the digest of all that.
const HEAD: usize = FORM.len() + 2 + 4 * 8 + 2 * 32 + 32;
/// More than any index holds: a damaged length must not ask for all memory.
const MOST: u64 = 4 << 30;

/// An index, to be written.
#[derive(Debug, Default)]
pub(crate) struct IndexFile {
    pub(crate) versions: Versions,
    pub(crate) places: Places,
}

impl IndexFile {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> std::io::Result<Vec<u8>> {
        let plain = [lines::write(&self.versions), places::write(&self.places)];
        let frames = [compress(&plain[0])?, compress(&plain[1])?];
        let mut head = FORM.to_vec();
        head.extend_from_slice(&[VERSION, b'\n']);
        for length in [plain[0].len(), frames[0].len(), plain[1].len(), frames[1].len()] {
            head.extend_from_slice(&(length as u64).to_le_bytes());
        }
        frames.iter().for_each(|frame| head.extend_from_slice(&sha256_bytes(frame)));
        let digest = sha256_bytes(&head);
        head.extend_from_slice(&digest);
        let mut bytes = skipped(&head);
        frames.iter().for_each(|frame| bytes.extend_from_slice(frame));
        Ok(bytes)
    }
}

/// One of the two parts.
#[derive(Clone, Copy, Debug)]
enum Part {
    Versions,
    Places,
}

/// Reads the versions of an index.
pub(crate) fn read_versions(path: &Path) -> Result<Versions, VaultError> {
    let plain = part(path, &read(path)?, Part::Versions)?;
    lines::read(&plain).ok_or_else(|| damaged(path, "its versions"))
}

/// Reads what is where.
pub(crate) fn read_places(path: &Path) -> Result<Places, VaultError> {
    let plain = part(path, &read(path)?, Part::Places)?;
    places::read(&plain).ok_or_else(|| damaged(path, "its places"))
}

/// Checks that an index is what was written, to the last byte.
pub(crate) fn is_whole(bytes: &[u8], path: &Path) -> Result<(), VaultError> {
    part(path, bytes, Part::Versions)?;
    part(path, bytes, Part::Places)?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, VaultError> {
    read_file(path).map_err(|error| match error {
        ReadError::NotFound { .. } => damaged(path, "it is not there"),
        error => error.into(),
    })
}

fn damaged(path: &Path, what: &'static str) -> VaultError {
    VaultError::Damaged { path: path.to_path_buf(), what }
}

fn part(path: &Path, bytes: &[u8], part: Part) -> Result<Vec<u8>, VaultError> {
    let head = bytes.get(8..8 + HEAD).ok_or_else(|| damaged(path, "it is cut short"))?;
    let (body, digest) = head.split_at(HEAD - 32);
    if sha256_bytes(body) != digest || bytes[..8] != skipped_head(HEAD) {
        return Err(of_another_form(path, body));
    }
    if body[FORM.len()] != VERSION {
        return Err(of_another_form(path, body));
    }
    let number = |at: usize| {
        let from = FORM.len() + 2 + 8 * at;
        body[from..from + 8].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let lengths = [number(0), number(1), number(2), number(3)];
    let is_long = lengths.iter().any(|length| *length > MOST);
    if is_long || bytes.len() as u64 != (8 + HEAD) as u64 + lengths[1] + lengths[3] {
        return Err(damaged(path, "it is cut short"));
    }
    let first = 8 + HEAD;
    let (from, length, plain, digest_at) = match part {
        Part::Versions => (first, lengths[1], lengths[0], HEAD - 96),
        Part::Places => (first + lengths[1] as usize, lengths[3], lengths[2], HEAD - 64),
    };
    let frame = &bytes[from..from + length as usize];
    if sha256_bytes(frame) != body[digest_at..digest_at + 32] {
        return Err(damaged(path, "a frame of it"));
    }
    decompress(frame, plain as usize).map_err(|_| damaged(path, "a frame of it does not unfold"))
}

/// A head that is not ours: a later form, if it says so itself, else damage.
fn of_another_form(path: &Path, body: &[u8]) -> VaultError {
    let rest = body.strip_prefix(FORM).and_then(|rest| rest.split(|byte| *byte == b'\n').next());
    let version =
        rest.filter(|word| word.len() <= 8 && word.iter().all(u8::is_ascii_digit) && *word != [VERSION]);
    match version {
        Some(word) => VaultError::UnknownForm {
            path: path.to_path_buf(),
            version: String::from_utf8_lossy(word).into_owned(),
        },
        None => damaged(path, "its head"),
    }
}
