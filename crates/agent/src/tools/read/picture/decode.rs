//! Decoding a picture, with a limit on what it may take: the header is believed only as far as there is room for it.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use super::{Kind, PictureError, Size};

/// Bytes that a decoded picture may take: a photo of 108 million pixels fits.
pub(super) const MOST_DECODED: u64 = 320 << 20;

/// A picture that was looked at.
pub(super) struct Opened {
    /// As its header tells.
    pub(super) size: Size,
    /// The right way up; none where it is of a variety that is not decoded here.
    pub(super) pixels: Option<DynamicImage>,
}

/// Decodes a picture; of an animated one the first frame.
pub(super) fn open(bytes: &[u8], kind: Kind) -> Result<Opened, PictureError> {
    let damaged = |source| match source {
        ImageError::Limits(_) => PictureError::NeedsTooMuch,
        source => PictureError::Damaged { kind, source },
    };
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_DECODED);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format(kind));
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let size = Size { width, height };
    if width == 0 || height == 0 {
        return Err(PictureError::Empty);
    }
    if decoder.total_bytes() > MOST_DECODED {
        return Err(PictureError::TooLarge { size });
    }
    // A photo is stored as the sensor lay; a note that cannot be read turns nothing.
    let orientation = decoder.orientation().ok();
    match DynamicImage::from_decoder(decoder) {
        Ok(mut pixels) => {
            if let Some(orientation) = orientation {
                pixels.apply_orientation(orientation);
            }
            Ok(Opened { size, pixels: Some(pixels) })
        }
        Err(ImageError::Unsupported(_)) => Ok(Opened { size, pixels: None }),
        Err(source) => Err(damaged(source)),
    }
}

fn format(kind: Kind) -> ImageFormat {
    match kind {
        Kind::Png => ImageFormat::Png,
        Kind::Jpeg => ImageFormat::Jpeg,
        Kind::Gif => ImageFormat::Gif,
        Kind::Webp => ImageFormat::WebP,
    }
}
