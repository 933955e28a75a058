//! Zstd frames. Chunks are compressed 24 MiB at a time, so that sessions are compressed against each other. docs/design.md
//! has the measurements behind the settings.

use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// How many bytes of chunks make a frame.
pub(crate) const FRAME: usize = 24 * 1024 * 1024;
/// A compromise between speed and size. Matches have at least six bytes, because ids and numbers give many useless short
/// ones.
const LEVEL: i32 = 8;
const MIN_MATCH: u32 = 6;
/// The search depth, as a power of two.
const SEARCHED: u32 = 3;
/// The window, as a power of two: larger than a frame, so that every match in it can be found.
const WINDOW: u32 = 25;

pub(crate) fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::WindowLog(WINDOW))?;
    compressor.set_parameter(CParameter::MinMatch(MIN_MATCH))?;
    compressor.set_parameter(CParameter::SearchLog(SEARCHED))?;
    Ok(compressor)
}

pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    compressor()?.compress(bytes)
}

/// Decompresses a frame whose plain length is known.
pub(crate) fn decompress(frame: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let bytes = Decompressor::new()?.decompress(frame, length)?;
    if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// A skippable frame with these bytes.
pub(crate) fn skippable_frame(bytes: &[u8]) -> Vec<u8> {
    let mut frame = skippable_head(bytes.len()).to_vec();
    frame.extend_from_slice(bytes);
    frame
}

/// The head of a skippable frame.
pub(crate) fn skippable_head(length: usize) -> [u8; 8] {
    let mut head = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0];
    head[4..].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    head
}
