//! Decodes an image within a memory limit: its header is checked before anything is allocated for it.

use std::io::Cursor;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::orientation::Orientation;
use super::pixels::{Layout, Pixels};
use super::{ImageFormat, PictureError, Size};

/// The most bytes that a decoded image may take: a photo of 108 million pixels fits.
pub(super) const MAX_DECODED: usize = 320 << 20;
/// The same for an image that is only shown to a person, who waits for it.
pub(super) const MAX_PREVIEWED: usize = 64 << 20;

pub(super) struct DecodedImage {
    /// The size that its header states.
    pub(super) size: Size,
    pub(super) orientation: Orientation,
    /// `None` if the image is valid but of a kind that is not decoded here.
    pub(super) pixels: Option<Pixels>,
}

/// Decodes an image that needs at most this many bytes; of an animation the first frame.
pub(super) fn decode(bytes: &[u8], format: ImageFormat, limit: usize) -> Result<DecodedImage, PictureError> {
    match format {
        ImageFormat::Png => png(bytes, limit),
        ImageFormat::Jpeg => jpeg(bytes, limit),
        ImageFormat::Gif => gif(bytes, limit),
        ImageFormat::Webp => webp(bytes, limit),
    }
}

/// A zeroed buffer for an image of this size, if it is within the limit.
fn buffer(size: Size, layout: Layout, limit: usize) -> Result<Vec<u8>, PictureError> {
    if size.width == 0 || size.height == 0 {
        return Err(PictureError::Empty);
    }
    let bytes = u64::from(size.width) * u64::from(size.height) * layout.samples() as u64;
    match usize::try_from(bytes) {
        Ok(bytes) if bytes <= limit => Ok(vec![0; bytes]),
        _ => Err(PictureError::TooLarge { size }),
    }
}

fn png(bytes: &[u8], limit: usize) -> Result<DecodedImage, PictureError> {
    let damaged = |source: png::DecodingError| match source {
        png::DecodingError::LimitsExceeded => PictureError::NeedsTooMuch,
        source => PictureError::damaged(ImageFormat::Png, source),
    };
    let limits = png::Limits { bytes: limit };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (width, height) = reader.info().size();
    let size = Size { width, height };
    let layout = match reader.output_color_type().0 {
        png::ColorType::Grayscale => Layout::Gray,
        png::ColorType::GrayscaleAlpha => Layout::GrayAlpha,
        png::ColorType::Rgba => Layout::Rgba,
        png::ColorType::Rgb | png::ColorType::Indexed => Layout::Rgb,
    };
    let mut samples = buffer(size, layout, limit)?;
    let orientation =
        reader.info().exif_metadata.as_deref().map_or(Orientation::Upright, Orientation::from_exif);
    reader.next_frame(&mut samples).map_err(damaged)?;
    Ok(DecodedImage { size, orientation, pixels: Some(Pixels::new(size, layout, samples)) })
}

fn jpeg(bytes: &[u8], limit: usize) -> Result<DecodedImage, PictureError> {
    let damaged = |source: DecodeErrors| match source {
        DecodeErrors::LargeDimensions(_) => PictureError::NeedsTooMuch,
        source => PictureError::damaged(ImageFormat::Jpeg, source),
    };
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let size = Size { width: width as u32, height: height as u32 };
    let (space, layout) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, Layout::Gray),
        _ => (ColorSpace::RGB, Layout::Rgb),
    };
    let orientation = decoder.exif().map_or(Orientation::Upright, |exif| Orientation::from_exif(exif));
    let mut samples = buffer(size, layout, limit)?;
    let options = options.jpeg_set_out_colorspace(space);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let pixels = match decoder.decode_into(&mut samples) {
        Ok(()) => Some(Pixels::new(size, layout, samples)),
        Err(DecodeErrors::Unsupported(_)) => None,
        Err(error) => return Err(damaged(error)),
    };
    Ok(DecodedImage { size, orientation, pixels })
}

fn gif(bytes: &[u8], limit: usize) -> Result<DecodedImage, PictureError> {
    let damaged = |source: gif::DecodingError| PictureError::damaged(ImageFormat::Gif, source);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(bytes).map_err(damaged)?;
    let size = Size { width: u32::from(decoder.width()), height: u32::from(decoder.height()) };
    let mut samples = buffer(size, Layout::Rgba, limit)?;
    let Some(frame) = decoder.next_frame_info().map_err(damaged)? else {
        return Err(PictureError::damaged(ImageFormat::Gif, "it has no frame"));
    };
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let frame_size = Size { width: u32::from(frame.width), height: u32::from(frame.height) };
    if frame_size.width > 0 && frame_size.height > 0 {
        let mut drawn = buffer(frame_size, Layout::Rgba, limit).map_err(|_| PictureError::NeedsTooMuch)?;
        decoder.read_into_buffer(&mut drawn).map_err(damaged)?;
        // A frame may be smaller than the screen, and may reach beyond it.
        let line = size.width as usize * 4;
        let rows = samples.chunks_exact_mut(line).skip(top);
        for (row, drawn) in rows.zip(drawn.chunks_exact(frame_size.width as usize * 4)) {
            let from = (left * 4).min(line);
            let count = drawn.len().min(line - from);
            row[from..from + count].copy_from_slice(&drawn[..count]);
        }
    }
    let pixels = Some(Pixels::new(size, Layout::Rgba, samples));
    Ok(DecodedImage { size, orientation: Orientation::Upright, pixels })
}

fn webp(bytes: &[u8], limit: usize) -> Result<DecodedImage, PictureError> {
    let damaged = |source: image_webp::DecodingError| match source {
        image_webp::DecodingError::MemoryLimitExceeded => PictureError::NeedsTooMuch,
        source => PictureError::damaged(ImageFormat::Webp, source),
    };
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(damaged)?;
    decoder.set_memory_limit(limit);
    let (width, height) = decoder.dimensions();
    let size = Size { width, height };
    let layout = if decoder.has_alpha() { Layout::Rgba } else { Layout::Rgb };
    let mut samples = buffer(size, layout, limit)?;
    let exif = decoder.exif_metadata().ok().flatten();
    let orientation = exif.map_or(Orientation::Upright, |exif| Orientation::from_exif(&exif));
    decoder.read_image(&mut samples).map_err(damaged)?;
    Ok(DecodedImage { size, orientation, pixels: Some(Pixels::new(size, layout, samples)) })
}
