//! The orientation of a photo by its Exif block: the pixels are stored as the sensor was held.

use super::Size;
use super::pixels::Pixels;

/// The Exif tag of the orientation.
const TAG: u16 = 0x0112;
/// The Exif type of a number of two bytes.
const SHORT: u16 = 3;

/// What turns the stored pixels upright.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Orientation {
    #[default]
    Upright,
    /// The Exif values 2 to 8, as what they are made of.
    Turned {
        /// Rows and columns change places; this comes first.
        transpose: bool,
        flip_x: bool,
        flip_y: bool,
    },
}

impl Orientation {
    /// The orientation that an Exif block states; a block that cannot be read turns nothing.
    pub(super) fn from_exif(exif: &[u8]) -> Self {
        let turned = |transpose, flip_x, flip_y| Self::Turned { transpose, flip_x, flip_y };
        match tag_value(exif) {
            Some(2) => turned(false, true, false),
            Some(3) => turned(false, true, true),
            Some(4) => turned(false, false, true),
            Some(5) => turned(true, false, false),
            Some(6) => turned(true, true, false),
            Some(7) => turned(true, true, true),
            Some(8) => turned(true, false, true),
            _ => Self::Upright,
        }
    }

    /// The size of an image after it is turned.
    pub(super) fn size(self, size: Size) -> Size {
        match self {
            Self::Turned { transpose: true, .. } => Size { width: size.height, height: size.width },
            _ => size,
        }
    }

    pub(super) fn apply(self, pixels: Pixels) -> Pixels {
        let Self::Turned { transpose, flip_x, flip_y } = self else { return pixels };
        let size = self.size(pixels.size());
        Pixels::from_fn(size, pixels.layout(), |x, y| {
            let x = if flip_x { size.width - 1 - x } else { x };
            let y = if flip_y { size.height - 1 - y } else { y };
            if transpose { pixels.at(y, x) } else { pixels.at(x, y) }
        })
    }
}

/// The value of the orientation tag in the first directory.
fn tag_value(exif: &[u8]) -> Option<u16> {
    let exif = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let is_little = match exif.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let bytes: [u8; 2] = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    };
    let long: [u8; 4] = exif.get(4..8)?.try_into().ok()?;
    let start = if is_little { u32::from_le_bytes(long) } else { u32::from_be_bytes(long) } as usize;
    let entries = short(start)?;
    for entry in 0..usize::from(entries) {
        let at = start.checked_add(2 + entry * 12)?;
        if short(at)? == TAG {
            return (short(at + 2)? == SHORT).then(|| short(at + 8)).flatten();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::pixels::Layout;
    use super::*;

    fn exif(value: u8) -> Vec<u8> {
        let mut exif = b"MM\0*\0\0\0\x08\0\x02\x01\x00\0\x03\0\0\0\x01\0\x09\0\0".to_vec();
        exif.extend([1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]);
        exif
    }

    #[test]
    fn every_value_turns_as_the_standard_says() {
        // 0 1 2
        // 3 4 5
        let pixels = || Pixels::new(Size { width: 3, height: 2 }, Layout::Gray, vec![0, 1, 2, 3, 4, 5]);
        for (value, turned) in [
            (0, [0, 1, 2, 3, 4, 5]),
            (1, [0, 1, 2, 3, 4, 5]),
            (2, [2, 1, 0, 5, 4, 3]),
            (3, [5, 4, 3, 2, 1, 0]),
            (4, [3, 4, 5, 0, 1, 2]),
            (5, [0, 3, 1, 4, 2, 5]),
            (6, [3, 0, 4, 1, 5, 2]),
            (7, [5, 2, 4, 1, 3, 0]),
            (8, [2, 5, 1, 4, 0, 3]),
            (9, [0, 1, 2, 3, 4, 5]),
        ] {
            let done = Orientation::from_exif(&exif(value)).apply(pixels());
            assert_eq!(done.samples(), turned, "{value}");
        }
    }

    #[test]
    fn a_damaged_block_turns_nothing() {
        let whole = exif(6);
        for end in 0..whole.len() - 6 {
            assert_eq!(Orientation::from_exif(&whole[..end]), Orientation::Upright, "{end}");
        }
        assert_eq!(Orientation::from_exif(b"II*\0\xff\xff\xff\xff"), Orientation::Upright);
    }
}
