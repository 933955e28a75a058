//! Making a picture fit: fewer pixels, then the form of file that holds them in few enough bytes.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::FilterType;
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageResult, RgbImage};

use super::{Kind, LONGEST_EDGE, MOST_BYTES, PictureError, Size};
use crate::tools::stop::Stop;

/// Qualities of a JPEG that are tried, the best first.
const QUALITIES: [u8; 3] = [88, 75, 55];
/// An edge that is not gone below: what does not fit then is no picture that anybody can see.
const SHORTEST_EDGE: u32 = 200;

/// A picture that fits.
pub(super) struct Smaller {
    pub(super) kind: Kind,
    pub(super) bytes: Vec<u8>,
    pub(super) size: Size,
}

/// Makes it fit. What was drawn stays sharp (PNG) as long as it fits; a photo stays a photo (JPEG).
pub(super) fn shrink(pixels: DynamicImage, kind: Kind, stop: &Stop) -> Result<Smaller, PictureError> {
    let mut edge = LONGEST_EDGE;
    let mut pixels = scaled(pixels, edge);
    loop {
        if stop.is_wanted() {
            return Err(PictureError::Stopped);
        }
        let size = Size { width: pixels.width(), height: pixels.height() };
        let done = |kind, bytes| Ok(Smaller { kind, bytes, size });
        let damaged = |source| PictureError::Damaged { kind, source };
        let mut least = usize::MAX;
        if kind != Kind::Jpeg {
            let bytes = png(&pixels).map_err(damaged)?;
            least = bytes.len();
            if least <= MOST_BYTES {
                return done(Kind::Png, bytes);
            }
        }
        let opaque = on_white(&pixels);
        for quality in QUALITIES {
            let bytes = jpeg(&opaque, quality).map_err(damaged)?;
            least = least.min(bytes.len());
            if bytes.len() <= MOST_BYTES {
                return done(Kind::Jpeg, bytes);
            }
        }
        edge = edge * 3 / 4;
        if edge < SHORTEST_EDGE {
            return Err(PictureError::DoesNotFit { bytes: least });
        }
        pixels = scaled(pixels, edge);
    }
}

/// Scaled down to an edge, eight bits a color.
fn scaled(pixels: DynamicImage, edge: u32) -> DynamicImage {
    let size = Size { width: pixels.width(), height: pixels.height() };
    let wanted = size.within(edge);
    let mut pixels = pixels;
    if wanted != size {
        // The mean of whole cells first: it needs no memory beside the picture, and what is left for the finer filter, which
        // does, is not large. Cells that are not much larger than a pixel would leave a pattern.
        let cell = size.longest() / (edge * 2);
        if cell > 1 {
            pixels = pixels.thumbnail_exact((size.width / cell).max(1), (size.height / cell).max(1));
        }
        pixels = pixels.resize_exact(wanted.width, wanted.height, FilterType::Lanczos3);
    }
    match (pixels.color().has_alpha(), pixels.color().has_color()) {
        (true, _) => DynamicImage::ImageRgba8(pixels.into_rgba8()),
        (false, true) => DynamicImage::ImageRgb8(pixels.into_rgb8()),
        (false, false) => DynamicImage::ImageLuma8(pixels.into_luma8()),
    }
}

fn png(pixels: &DynamicImage) -> ImageResult<Vec<u8>> {
    let mut out = Vec::new();
    pixels.write_with_encoder(PngEncoder::new_with_quality(
        &mut out,
        CompressionType::Default,
        PngFilter::Adaptive,
    ))?;
    Ok(out)
}

fn jpeg(pixels: &RgbImage, quality: u8) -> ImageResult<Vec<u8>> {
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, quality).write_image(
        pixels,
        pixels.width(),
        pixels.height(),
        ExtendedColorType::Rgb8,
    )?;
    Ok(out)
}

/// What can be seen through is seen on white: a JPEG knows no other way.
fn on_white(pixels: &DynamicImage) -> RgbImage {
    if !pixels.color().has_alpha() {
        return pixels.to_rgb8();
    }
    let seen = pixels.to_rgba8();
    RgbImage::from_fn(seen.width(), seen.height(), |x, y| {
        let [red, green, blue, alpha] = seen.get_pixel(x, y).0;
        let mixed = |color: u8| {
            let (color, alpha) = (u32::from(color), u32::from(alpha));
            u8::try_from((color * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
        };
        image::Rgb([mixed(red), mixed(green), mixed(blue)])
    })
}
