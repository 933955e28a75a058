//! Images for tests: drawn pixel by pixel, written in every format, read back from the sent ones.

use std::collections::HashMap;
use std::io::Cursor;

/// Formats of picture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Png,
    Jpeg,
    Gif,
    WebP,
}

/// Pixels with red, green, blue and alpha, row by row.
#[derive(Clone, Debug)]
pub(super) struct Bitmap {
    pub(super) width: u32,
    pub(super) height: u32,
    pixels: Vec<[u8; 4]>,
}

impl Bitmap {
    pub(super) fn from_fn(width: u32, height: u32, mut pixel: impl FnMut(u32, u32) -> [u8; 4]) -> Self {
        let mut pixels = Vec::new();
        for y in 0..height {
            for x in 0..width {
                pixels.push(pixel(x, y));
            }
        }
        Self { width, height, pixels }
    }

    /// The colors of a pixel.
    pub(super) fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let [red, green, blue, _] = self.pixels[(y * self.width + x) as usize];
        [red, green, blue]
    }

    /// The colors of all pixels.
    pub(super) fn colors(&self) -> impl Iterator<Item = [u8; 3]> {
        self.pixels.iter().map(|[red, green, blue, _]| [*red, *green, *blue])
    }

    pub(super) fn file(&self, format: Format) -> Vec<u8> {
        let rgb: Vec<u8> = self.colors().flatten().collect();
        let size = || (u16::try_from(self.width).unwrap(), u16::try_from(self.height).unwrap());
        let mut out = Vec::new();
        match format {
            Format::Png => {
                let is_opaque = self.pixels.iter().all(|pixel| pixel[3] == 255);
                let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
                encoder.set_color(if is_opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
                let samples = if is_opaque { rgb } else { self.pixels.concat() };
                encoder.write_header().unwrap().write_image_data(&samples).unwrap();
            }
            Format::Jpeg => {
                let encoder = jpeg_encoder::Encoder::new(&mut out, 80);
                encoder.encode(&rgb, size().0, size().1, jpeg_encoder::ColorType::Rgb).unwrap();
            }
            Format::Gif => return animation(std::slice::from_ref(self)),
            Format::WebP => {
                let encoder = image_webp::WebPEncoder::new(&mut out);
                encoder.encode(&rgb, self.width, self.height, image_webp::ColorType::Rgb8).unwrap();
            }
        }
        out
    }

    /// Reads a PNG or a JPEG.
    pub(super) fn read(bytes: &[u8]) -> Self {
        if !bytes.starts_with(b"\x89PNG") {
            let mut decoder = zune_jpeg::JpegDecoder::new(zune_core::bytestream::ZCursor::new(bytes));
            let samples = decoder.decode().unwrap();
            let (width, height) = decoder.dimensions().unwrap();
            return Self::of(width as u32, height as u32, &samples, 3);
        }
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut samples).unwrap();
        Self::of(info.width, info.height, &samples, info.color_type.samples())
    }

    fn of(width: u32, height: u32, samples: &[u8], count: usize) -> Self {
        let pixel = |samples: &[u8]| match *samples {
            [gray] => [gray, gray, gray, 255],
            [gray, alpha] => [gray, gray, gray, alpha],
            [red, green, blue] => [red, green, blue, 255],
            [red, green, blue, alpha] => [red, green, blue, alpha],
            _ => panic!("{count} samples"),
        };
        Self { width, height, pixels: samples.chunks_exact(count).map(pixel).collect() }
    }
}

/// A GIF of these frames, with at most 256 colors each: the first that are met.
pub(super) fn animation(frames: &[Bitmap]) -> Vec<u8> {
    let mut out = Vec::new();
    let (width, height) = (frames[0].width as u16, frames[0].height as u16);
    let mut encoder = gif::Encoder::new(&mut out, width, height, &[]).unwrap();
    for frame in frames {
        let (mut palette, mut known) = (Vec::new(), HashMap::new());
        let mut index = |color: [u8; 3]| {
            let next = known.len().min(255);
            *known.entry(color).or_insert_with(|| {
                if palette.len() < 256 * 3 {
                    palette.extend(color);
                }
                next as u8
            })
        };
        let pixels: Vec<u8> = frame.colors().map(&mut index).collect();
        let frame = gif::Frame::from_palette_pixels(width, height, pixels, palette, None);
        encoder.write_frame(&frame).unwrap();
    }
    drop(encoder);
    out
}
