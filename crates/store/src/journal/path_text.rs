//! Paths in the journal: as text, and in full where they are not UTF-8.

use std::path::{Path, PathBuf};

use annals_json::{Fields, ObjectWriter};

use crate::digest::hex;
use crate::platform::path_of_bytes;

/// What the key of a path's bytes ends in.
const BYTES: &str = "Bytes";

/// Writes a path under a key. One that is not UTF-8 is also written as hex digits, since its text is not all of it.
pub(super) fn write(object: &mut ObjectWriter<'_>, key: &str, path: &Path) {
    object.string(key, &path.to_string_lossy());
    if path.to_str().is_none() {
        object.string(&format!("{key}{BYTES}"), &hex(path.as_os_str().as_encoded_bytes()));
    }
}

/// Reads a path back.
pub(super) fn read(fields: &Fields<'_>, key: &str) -> Option<PathBuf> {
    let text = fields.text(key)?.to_string();
    match fields.text(&format!("{key}{BYTES}")) {
        Some(digits) => path_of_bytes(from_hex(&digits.to_string())?),
        None => Some(PathBuf::from(text)),
    }
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs =
        digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}
