//! The colors of a picture, by median cut: boxes of similar colors are halved until there are as many as a terminal takes.

/// Colors are told apart by this many bits of each channel.
const BITS: u32 = 5;
const CUBE: usize = 1 << (3 * BITS);

/// The colors of a picture, and which of them each pixel gets.
#[derive(Debug)]
pub(super) struct Palette {
    pub(super) colors: Vec<[u8; 3]>,
    /// The number of a color, by its key.
    numbers: Vec<u8>,
}

/// Pixels of one color, and the sums of their channels.
#[derive(Clone, Copy, Default)]
struct ColorSum {
    pixels: u64,
    channels: [u64; 3],
}

impl Palette {
    /// Returns at most 256 colors for these pixels.
    pub(super) fn of(rgb: &[u8]) -> Self {
        let mut sums = vec![ColorSum::default(); CUBE];
        for pixel in rgb.chunks_exact(3) {
            let sum = &mut sums[key(pixel)];
            sum.pixels += 1;
            sum.channels.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
        }
        let present: Vec<usize> = (0..CUBE).filter(|key| sums[*key].pixels > 0).collect();
        let mut boxes = if present.is_empty() { Vec::new() } else { vec![present] };
        while boxes.len() <= usize::from(u8::MAX) {
            let widest = |keys: &[usize]| (0..3).map(|channel| extent(keys, channel)).max().unwrap_or(0);
            let weight = |keys: &[usize]| keys.iter().map(|key| sums[*key].pixels).sum::<u64>();
            let largest = (0..boxes.len())
                .filter(|at| boxes[*at].len() > 1)
                .max_by_key(|at| weight(&boxes[*at]) * widest(&boxes[*at]) as u64);
            let Some(at) = largest else { break };
            let half = halve(&mut boxes[at], &sums);
            boxes.push(half);
        }
        let mut numbers = vec![0; CUBE];
        let mut colors = Vec::with_capacity(boxes.len());
        for (number, keys) in boxes.iter().enumerate() {
            let mut whole = ColorSum::default();
            for &key in keys {
                numbers[key] = u8::try_from(number).unwrap_or(u8::MAX);
                whole.pixels += sums[key].pixels;
                whole.channels.iter_mut().zip(sums[key].channels).for_each(|(sum, more)| *sum += more);
            }
            let mean = |sum: u64| u8::try_from(sum / whole.pixels.max(1)).unwrap_or(u8::MAX);
            colors.push(whole.channels.map(mean));
        }
        Self { colors, numbers }
    }

    /// Returns the number of the color of a pixel.
    pub(super) fn number(&self, pixel: &[u8]) -> u8 {
        self.numbers[key(pixel)]
    }
}

fn key(pixel: &[u8]) -> usize {
    pixel.iter().take(3).fold(0, |key, value| (key << BITS) | usize::from(value >> (8 - BITS)))
}

/// The value of a channel in a key.
fn channel_of(key: usize, channel: u32) -> usize {
    (key >> ((2 - channel) * BITS)) & ((1 << BITS) - 1)
}

/// How far the values of a channel are apart.
fn extent(keys: &[usize], channel: u32) -> usize {
    let values = keys.iter().map(|key| channel_of(*key, channel));
    let (least, most) =
        values.fold((usize::MAX, 0), |(least, most), value| (least.min(value), most.max(value)));
    most.saturating_sub(least)
}

/// Takes the upper half of the pixels out of a box of at least two colors, along its longest side.
fn halve(keys: &mut Vec<usize>, sums: &[ColorSum]) -> Vec<usize> {
    let channel = (0..3).max_by_key(|channel| extent(keys, *channel)).unwrap_or(0);
    keys.sort_by_key(|key| channel_of(*key, channel));
    let pixels: u64 = keys.iter().map(|key| sums[*key].pixels).sum();
    let mut below = 0;
    let middle = keys.iter().position(|key| {
        below += sums[*key].pixels;
        below * 2 >= pixels
    });
    let at = middle.map_or(1, |at| at + 1).clamp(1, keys.len() - 1);
    keys.split_off(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_stay_as_they_are() {
        let rgb = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9], [255, 0, 0]].concat();
        let palette = Palette::of(&rgb);
        assert_eq!(palette.colors.len(), 4);
        for pixel in rgb.chunks_exact(3) {
            assert_eq!(palette.colors[usize::from(palette.number(pixel))], pixel);
        }
        assert!(Palette::of(&[]).colors.is_empty());
    }

    #[test]
    fn many_colors_become_near_ones() {
        let rgb: Vec<u8> = (0..=255_u8).flat_map(|r| (0..=255_u8).flat_map(move |g| [r, g, 128])).collect();
        let palette = Palette::of(&rgb);
        assert_eq!(palette.colors.len(), 256);
        for pixel in rgb.chunks_exact(3) {
            let near = palette.colors[usize::from(palette.number(pixel))];
            assert!(
                pixel.iter().zip(near).all(|(one, other)| one.abs_diff(other) <= 32),
                "{pixel:?} {near:?}"
            );
        }
    }
}
