//! Small images for a terminal, made from images that may be hostile: what is shown is always encoded here.

use std::sync::PoisonError;

use super::decode::{self, DecodedImage};
use super::{ImageFormat, ONE_AT_A_TIME, Size, shrink};

/// The largest file that is looked at.
const MAX_FILE: usize = 16 << 20;

/// A small image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Red, green and blue of each pixel, as they are seen on white.
    pub rgb: Vec<u8>,
    /// The same as a PNG file, with transparency.
    pub png: Vec<u8>,
}

/// Returns an image scaled down to at most this many pixels; `None` if it cannot be decoded within a small memory.
pub fn thumbnail(bytes: &[u8], max_width: u32, max_height: u32) -> Option<Thumbnail> {
    let format = ImageFormat::of(bytes).filter(|_| bytes.len() <= MAX_FILE)?;
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let DecodedImage { size, orientation, pixels } =
        decode::decode(bytes, format, decode::MAX_PREVIEWED).ok()?;
    let edge = edge_within(orientation.size(size), max_width, max_height);
    let pixels = orientation.apply(pixels?.scaled(edge).ok()?);
    let Size { width, height } = pixels.size();
    Some(Thumbnail { width, height, rgb: shrink::on_white(&pixels), png: shrink::png(&pixels).ok()? })
}

/// The longest edge with which an image of this size is within these bounds.
fn edge_within(size: Size, max_width: u32, max_height: u32) -> u32 {
    let longest = u64::from(size.longest());
    let by = |bound: u32, side: u32| longest * u64::from(bound) / u64::from(side.max(1));
    let edge = longest.min(by(max_width, size.width)).min(by(max_height, size.height));
    u32::try_from(edge).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_bounds_hold_and_nothing_grows() {
        let within = |width, height, max_width, max_height| {
            let size = Size { width, height };
            let size = size.within(edge_within(size, max_width, max_height));
            (size.width, size.height)
        };
        assert_eq!(within(2000, 1000, 640, 240), (480, 240));
        assert_eq!(within(2000, 10, 640, 240), (640, 3));
        assert_eq!(within(10, 4000, 640, 240), (1, 240));
        assert_eq!(within(16, 9, 640, 240), (16, 9));
        assert_eq!(within(u32::MAX, u32::MAX, 1, 1), (1, 1));
    }

    #[test]
    fn what_is_no_image_or_too_large_has_none() {
        assert_eq!(thumbnail(b"", 10, 10), None);
        assert_eq!(thumbnail(b"<svg/>", 10, 10), None);
        assert_eq!(thumbnail(b"\x89PNG\r\n\x1a\n", 10, 10), None);
        let mut long = b"GIF89a".to_vec();
        long.resize(MAX_FILE + 1, 0);
        assert_eq!(thumbnail(&long, 10, 10), None);
    }
}
