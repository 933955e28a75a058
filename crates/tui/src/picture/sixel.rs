//! Sixels: bands of six rows of pixels, written color by color.

use std::fmt::Write as _;

use super::PicturePixels;
use super::palette::Palette;

/// Rows of pixels in a band.
pub(super) const BAND: u32 = 6;
/// The letter of a column in which nothing is set.
const NOTHING: u8 = b'?';

/// Writes a picture; `None` if there are not as many pixels as its size says.
pub(super) fn write(pixels: &PicturePixels<'_>, out: &mut String) -> Option<()> {
    let (width, height) = (usize::try_from(pixels.width).ok()?, usize::try_from(pixels.height).ok()?);
    if width == 0 || pixels.rgb.len() != width.checked_mul(height)?.checked_mul(3)? {
        return None;
    }
    let palette = Palette::of(pixels.rgb);
    // What is not set stays as it is.
    let _ = write!(out, "\u{1b}P0;1q\"1;1;{width};{height}");
    for (number, color) in palette.colors.iter().enumerate() {
        let [red, green, blue] = color.map(|value| (u32::from(value) * 100 + 127) / 255);
        let _ = write!(out, "#{number};2;{red};{green};{blue}");
    }
    for band in pixels.rgb.chunks(width * 3 * BAND as usize) {
        write_band(band, width, &palette, out);
        out.push('-');
    }
    out.push_str("\u{1b}\\");
    Some(())
}

/// Writes six rows or fewer: for each of their colors which pixels have it.
fn write_band(band: &[u8], width: usize, palette: &Palette, out: &mut String) {
    let mut by_color: Vec<Option<Vec<u8>>> = vec![None; palette.colors.len()];
    for (row, line) in band.chunks_exact(width * 3).enumerate() {
        for (x, pixel) in line.chunks_exact(3).enumerate() {
            let columns = &mut by_color[usize::from(palette.number(pixel))];
            columns.get_or_insert_with(|| vec![0; width])[x] |= 1 << row;
        }
    }
    let colors =
        by_color.iter().enumerate().filter_map(|(number, columns)| Some((number, columns.as_ref()?)));
    for (place, (number, columns)) in colors.enumerate() {
        if place > 0 {
            out.push('$');
        }
        let _ = write!(out, "#{number}");
        for run in columns.chunk_by(|one, other| one == other) {
            let letter = char::from(NOTHING + run[0]);
            match run.len() {
                count @ 0..4 => (0..count).for_each(|_| out.push(letter)),
                count => drop(write!(out, "!{count}{letter}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws sixels as a terminal does.
    fn drawn(sequence: &str, width: usize, height: usize) -> Vec<u8> {
        let body = sequence.strip_prefix("\u{1b}P0;1q").unwrap().strip_suffix("\u{1b}\\").unwrap();
        let body = body.strip_prefix(&format!("\"1;1;{width};{height}")).unwrap();
        let mut rgb = vec![0; width * height * 3];
        let (mut colors, mut color) = (vec![[0; 3]; 256], 0);
        let (mut x, mut top, mut count) = (0, 0, 1);
        let mut rest = body;
        while let Some(first) = rest.chars().next() {
            rest = &rest[1..];
            let end =
                rest.find(|letter: char| !letter.is_ascii_digit() && letter != ';').unwrap_or(rest.len());
            match first {
                '#' => {
                    let numbers: Vec<usize> = rest[..end].split(';').map(|n| n.parse().unwrap()).collect();
                    color = numbers[0];
                    if let [_, 2, red, green, blue] = numbers[..] {
                        colors[color] = [red, green, blue].map(|part| (part * 255 / 100) as u8);
                    }
                    rest = &rest[end..];
                }
                '!' => {
                    count = rest[..end].parse().unwrap();
                    rest = &rest[end..];
                }
                '$' => x = 0,
                '-' => (x, top) = (0, top + 6),
                letter => {
                    let bits = letter as u8 - NOTHING;
                    for column in x..x + count {
                        for row in (0..6).filter(|row| bits & (1 << row) != 0) {
                            let at = ((top + row) * width + column) * 3;
                            rgb[at..at + 3].copy_from_slice(&colors[color]);
                        }
                    }
                    (x, count) = (x + count, 1);
                }
            }
        }
        rgb
    }

    #[test]
    fn what_is_written_is_the_picture() {
        for (width, height) in [(1, 1), (7, 5), (20, 6), (33, 13)] {
            let pixel = |at: usize| match (at % width / 4 + at / width) % 3 {
                0 => [255, 0, 0],
                1 => [0, 0, 0],
                _ => [255, 255, 255],
            };
            let rgb: Vec<u8> = (0..width * height).flat_map(pixel).collect();
            let (mut out, png) = (String::new(), Vec::new());
            let size = (width as u32, height as u32);
            write(&PicturePixels { width: size.0, height: size.1, rgb: &rgb, png: &png }, &mut out).unwrap();
            assert_eq!(drawn(&out, width, height), rgb, "{width} x {height}: {out:?}");
            let inside = &out[1..out.len() - 2];
            assert!(inside.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{out:?}");
        }
    }

    #[test]
    fn pixels_that_are_missing_are_not_written() {
        let pixels = PicturePixels { width: 9, height: 9, rgb: &[0; 9], png: &[] };
        assert_eq!(write(&pixels, &mut String::new()), None);
        let pixels = PicturePixels { width: u32::MAX, height: u32::MAX, rgb: &[0; 9], png: &[] };
        assert_eq!(write(&pixels, &mut String::new()), None);
    }
}
