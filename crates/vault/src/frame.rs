//! Pieces are compressed many at a time: one frame of zstd is 24 MiB of them, so that sessions are compressed against each
//! other. The settings are measured: docs/design.md has the figures.

use std::io;

use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// How many bytes of pieces make a frame.
pub(crate) const FRAME: usize = 24 * 1024 * 1024;
/// Between speed and size; with matches of at least six bytes, because ids and numbers make many useless short ones.
const LEVEL: i32 = 8;
const LEAST_MATCH: u32 = 6;
/// Two to this power are the places that are tried for a match.
const SEARCHED: u32 = 3;
/// Two to this power is more than a frame: every match in it can be found.
const WINDOW: u32 = 25;

/// A compressor of frames.
pub(crate) fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::WindowLog(WINDOW))?;
    compressor.set_parameter(CParameter::MinMatch(LEAST_MATCH))?;
    compressor.set_parameter(CParameter::SearchLog(SEARCHED))?;
    Ok(compressor)
}

/// One frame of these bytes.
pub(crate) fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    compressor()?.compress(bytes)
}

/// The bytes of one frame, which are known to be so many.
pub(crate) fn decompress(frame: &[u8], length: usize) -> io::Result<Vec<u8>> {
    let bytes = Decompressor::new()?.decompress(frame, length)?;
    if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// A frame that decompressors pass over.
pub(crate) fn skipped(bytes: &[u8]) -> Vec<u8> {
    let mut frame = skipped_head(bytes.len()).to_vec();
    frame.extend_from_slice(bytes);
    frame
}

/// How such a frame begins.
pub(crate) fn skipped_head(length: usize) -> [u8; 8] {
    let mut head = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0];
    head[4..].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    head
}
