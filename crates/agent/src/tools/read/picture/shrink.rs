//! Makes an image fit: fewer pixels, then the file format that holds them in few enough bytes.

use jpeg_encoder::{ColorType, SamplingFactor};

use super::orientation::Orientation;
use super::pixels::{Layout, Pixels};
use super::{ImageFormat, MAX_BYTES, MAX_EDGE, PictureError, Size};
use crate::tools::blocking::StopFlag;

/// Qualities of a JPEG that are tried, the best first.
const QUALITIES: [u8; 3] = [88, 75, 55];
/// The shortest "longest edge" that is tried: an image that does not fit then shows nothing.
const MIN_EDGE: u32 = 200;

/// An image that fits.
pub(super) struct ShrunkImage {
    pub(super) format: ImageFormat,
    pub(super) bytes: Vec<u8>,
    pub(super) size: Size,
}

/// Makes an image fit. A drawing stays sharp (PNG) as long as it fits; a photo stays a photo (JPEG).
pub(super) fn shrink(
    pixels: Pixels,
    orientation: Orientation,
    format: ImageFormat,
    stop: &StopFlag,
) -> Result<ShrunkImage, PictureError> {
    let mut edge = MAX_EDGE;
    // Turned when it is small: that is less to move.
    let mut pixels = orientation.apply(scaled(pixels, edge, format)?);
    loop {
        if stop.is_set() {
            return Err(PictureError::Stopped);
        }
        let size = pixels.size();
        let done = |format, bytes| Ok(ShrunkImage { format, bytes, size });
        let mut smallest = usize::MAX;
        if format != ImageFormat::Jpeg {
            let bytes = png(&pixels).map_err(|error| PictureError::damaged(format, error))?;
            smallest = bytes.len();
            if smallest <= MAX_BYTES {
                return done(ImageFormat::Png, bytes);
            }
        }
        let opaque = on_white(&pixels);
        for quality in QUALITIES {
            let bytes = jpeg(&opaque, size, quality).map_err(|error| PictureError::damaged(format, error))?;
            smallest = smallest.min(bytes.len());
            if bytes.len() <= MAX_BYTES {
                return done(ImageFormat::Jpeg, bytes);
            }
        }
        edge = edge * 3 / 4;
        if edge < MIN_EDGE {
            return Err(PictureError::DoesNotFit { bytes: smallest });
        }
        pixels = scaled(pixels, edge, format)?;
    }
}

fn scaled(pixels: Pixels, edge: u32, format: ImageFormat) -> Result<Pixels, PictureError> {
    pixels.scaled(edge).map_err(|error| match error {
        resize::Error::OutOfMemory => PictureError::NeedsTooMuch,
        error => PictureError::damaged(format, error),
    })
}

pub(super) fn png(pixels: &Pixels) -> Result<Vec<u8>, png::EncodingError> {
    let mut out = Vec::new();
    let Size { width, height } = pixels.size();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(match pixels.layout() {
        Layout::Gray => png::ColorType::Grayscale,
        Layout::GrayAlpha => png::ColorType::GrayscaleAlpha,
        Layout::Rgb => png::ColorType::Rgb,
        Layout::Rgba => png::ColorType::Rgba,
    });
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.samples())?;
    writer.finish()?;
    Ok(out)
}

fn jpeg(rgb: &[u8], size: Size, quality: u8) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let mut out = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut out, quality);
    // Small coloured text becomes unreadable if colours are stored for four pixels at once.
    encoder.set_sampling_factor(SamplingFactor::F_1_1);
    encoder.encode(rgb, size.width.try_into()?, size.height.try_into()?, ColorType::Rgb)?;
    Ok(out)
}

/// The colours of an image as they are seen on white: a JPEG has no transparency.
pub(super) fn on_white(pixels: &Pixels) -> Vec<u8> {
    let mixed = |color: u8, alpha: u8| {
        let (color, alpha) = (u32::from(color), u32::from(alpha));
        u8::try_from((color * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    let count = pixels.layout().samples();
    let seen = pixels.samples().chunks_exact(count).flat_map(|pixel| match *pixel {
        [gray] => [gray; 3],
        [gray, alpha] => [mixed(gray, alpha); 3],
        [red, green, blue, alpha] => [red, green, blue].map(|color| mixed(color, alpha)),
        [red, green, blue, ..] => [red, green, blue],
        [] => [0; 3],
    });
    seen.collect()
}
