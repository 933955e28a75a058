//! Pixels of eight bits a sample, and how they are scaled down.

use resize::{Pixel, PixelFormat, Type};
use rgb::{Gray, RGB8, RGBA8};

use super::Size;

/// Which samples a pixel has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Gray,
    GrayAlpha,
    Rgb,
    Rgba,
}

impl Layout {
    /// How many samples a pixel has.
    pub(super) fn samples(self) -> usize {
        match self {
            Self::Gray => 1,
            Self::GrayAlpha => 2,
            Self::Rgb => 3,
            Self::Rgba => 4,
        }
    }
}

/// A decoded image.
#[derive(Debug, PartialEq)]
pub(super) struct Pixels {
    size: Size,
    layout: Layout,
    samples: Vec<u8>,
}

impl Pixels {
    /// Pixels row by row; `samples` has as many bytes as the size and the layout say.
    pub(super) fn new(size: Size, layout: Layout, samples: Vec<u8>) -> Self {
        debug_assert_eq!(samples.len(), size.width as usize * size.height as usize * layout.samples());
        Self { size, layout, samples }
    }

    /// Pixels made one by one, by their column and row.
    pub(super) fn from_fn<'a>(size: Size, layout: Layout, pixel: impl Fn(u32, u32) -> &'a [u8]) -> Self {
        let rows = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
        Self::new(size, layout, rows.flat_map(|(x, y)| pixel(x, y)).copied().collect())
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn samples(&self) -> &[u8] {
        &self.samples
    }

    /// The samples of one pixel.
    pub(super) fn at(&self, x: u32, y: u32) -> &[u8] {
        let count = self.layout.samples();
        let at = (y as usize * self.size.width as usize + x as usize) * count;
        &self.samples[at..at + count]
    }

    /// Scaled down until no edge is longer than this; as it is if none is.
    pub(super) fn scaled(self, edge: u32) -> Result<Self, resize::Error> {
        let wanted = self.size.within(edge);
        if wanted == self.size {
            return Ok(self);
        }
        // First the means of whole cells: the finer filter needs additional memory, and has less to do then. Cells that are
        // not much larger than a pixel would leave a pattern.
        let cell = self.size.longest() / (edge * 2);
        let pixels = if cell > 1 { self.averaged(cell) } else { self };
        let Size { width, height } = wanted;
        let samples = match pixels.layout {
            Layout::Gray => {
                let scaled = pixels.resampled(Pixel::Gray8, wanted, |gray| Gray::new(gray[0]))?;
                scaled.into_iter().map(Gray::value).collect()
            }
            Layout::GrayAlpha => {
                let color = |pixel: &[u8]| RGBA8::new(pixel[0], 0, 0, pixel[1]);
                let scaled = pixels.resampled(Pixel::RGBA8P, wanted, color)?;
                scaled.into_iter().flat_map(|pixel| [pixel.r, pixel.a]).collect()
            }
            Layout::Rgb => {
                let color = |pixel: &[u8]| RGB8::new(pixel[0], pixel[1], pixel[2]);
                let scaled = pixels.resampled(Pixel::RGB8, wanted, color)?;
                scaled.into_iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect()
            }
            Layout::Rgba => {
                let color = |pixel: &[u8]| RGBA8::new(pixel[0], pixel[1], pixel[2], pixel[3]);
                let scaled = pixels.resampled(Pixel::RGBA8P, wanted, color)?;
                scaled.into_iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b, pixel.a]).collect()
            }
        };
        Ok(Self::new(Size { width, height }, pixels.layout, samples))
    }

    fn resampled<F: PixelFormat>(
        &self,
        format: F,
        to: Size,
        pixel: impl Fn(&[u8]) -> F::InputPixel,
    ) -> Result<Vec<F::OutputPixel>, resize::Error>
    where
        F::OutputPixel: Default + Clone,
    {
        let source: Vec<_> = self.samples.chunks_exact(self.layout.samples()).map(pixel).collect();
        let mut out = vec![F::OutputPixel::default(); to.width as usize * to.height as usize];
        let edges = [self.size.width, self.size.height, to.width, to.height].map(|edge| edge as usize);
        resize::new(edges[0], edges[1], edges[2], edges[3], format, Type::Lanczos3)?
            .resize(&source, &mut out)?;
        Ok(out)
    }

    /// The means of cells of about this edge; transparent pixels count less.
    fn averaged(&self, cell: u32) -> Self {
        let size = Size { width: (self.size.width / cell).max(1), height: (self.size.height / cell).max(1) };
        let bounds = |at: u32, cells: u32, edge: u32| {
            let bound = |at: u32| (u64::from(at) * u64::from(edge) / u64::from(cells)) as u32;
            bound(at)..bound(at + 1)
        };
        let count = self.layout.samples();
        let has_alpha = matches!(self.layout, Layout::GrayAlpha | Layout::Rgba);
        let mut samples = Vec::with_capacity(size.width as usize * size.height as usize * count);
        for y in 0..size.height {
            for x in 0..size.width {
                let (mut sums, mut weights, mut pixels) = ([0_u64; 4], 0, 0);
                for row in bounds(y, size.height, self.size.height) {
                    for column in bounds(x, size.width, self.size.width) {
                        let pixel = self.at(column, row);
                        let weight = if has_alpha { u64::from(pixel[count - 1]) } else { 1 };
                        for (sum, sample) in sums.iter_mut().zip(pixel) {
                            *sum += u64::from(*sample) * weight;
                        }
                        weights += weight;
                        pixels += 1;
                    }
                }
                let mean = |sum: u64, of: u64| ((sum + of / 2).checked_div(of)).unwrap_or(0) as u8;
                let colors = if has_alpha { count - 1 } else { count };
                samples.extend(sums[..colors].iter().map(|sum| mean(*sum, weights)));
                if has_alpha {
                    samples.push(mean(weights, pixels));
                }
            }
        }
        Self::new(size, self.layout, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_color_stays_that_color_in_every_layout() {
        for (layout, pixel) in [
            (Layout::Gray, vec![90]),
            (Layout::GrayAlpha, vec![90, 128]),
            (Layout::Rgb, vec![10, 200, 30]),
            (Layout::Rgba, vec![10, 200, 30, 255]),
        ] {
            for (width, height) in [(50, 20), (400, 9), (5, 301)] {
                let size = Size { width, height };
                let pixels = Pixels::from_fn(size, layout, |_, _| &pixel).scaled(30).unwrap();
                assert_eq!(
                    pixels,
                    Pixels::from_fn(size.within(30), layout, |_, _| &pixel),
                    "{layout:?} {size:?}"
                );
            }
        }
    }

    #[test]
    fn transparent_pixels_do_not_lend_their_color() {
        let size = Size { width: 400, height: 400 };
        let pixel =
            |x: u32, y: u32| if (x + y).is_multiple_of(2) { &[255, 0, 0, 255][..] } else { &[0, 255, 0, 0] };
        for edge in [30, 300] {
            let scaled = Pixels::from_fn(size, Layout::Rgba, pixel).scaled(edge).unwrap();
            for pixel in scaled.samples().chunks_exact(4) {
                assert!(pixel[0] > 250 && pixel[1] < 5 && pixel[3].abs_diff(128) < 30, "{pixel:?}");
            }
        }
    }
}
