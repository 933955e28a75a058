//! Small charts in a column: a bar for one number, ticks for many.

use crate::output::Output;

/// The width of a chart, in columns.
pub(crate) const WIDTH: usize = 12;

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const TICKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_TICKS: [char; 8] = ['.', '.', ':', '-', '=', '+', '*', '#'];

/// The characters that charts are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Glyphs {
    Blocks,
    Ascii,
}

impl Glyphs {
    /// Those that the output can show.
    pub(crate) fn of(out: &Output) -> Self {
        if out.unicode { Self::Blocks } else { Self::Ascii }
    }
}

/// A bar for `value` of `max`; anything above zero is visible.
pub(crate) fn bar(value: f64, max: f64, glyphs: Glyphs) -> String {
    if value <= 0.0 || max <= 0.0 {
        return String::new();
    }
    let eighths = ((value / max * (WIDTH * 8) as f64).round() as usize).clamp(1, WIDTH * 8);
    match glyphs {
        Glyphs::Blocks => "█".repeat(eighths / 8) + EIGHTHS[eighths % 8],
        Glyphs::Ascii => "#".repeat(eighths.div_ceil(8)),
    }
}

/// One tick per value, relative to the largest; zero is a space.
pub(crate) fn ticks(values: &[f64], glyphs: Glyphs) -> String {
    let max = values.iter().copied().fold(0.0, f64::max);
    let tick = |value: &f64| {
        if *value <= 0.0 || max <= 0.0 {
            return ' ';
        }
        let step = ((value / max * 8.0).ceil() as usize).clamp(1, 8) - 1;
        if glyphs == Glyphs::Blocks { TICKS[step] } else { ASCII_TICKS[step] }
    };
    values.iter().map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_keep_their_proportions() {
        assert_eq!(bar(6.0, 12.0, Glyphs::Blocks), "██████");
        assert_eq!(bar(0.001, 12.0, Glyphs::Blocks), "▏");
        assert_eq!(bar(12.0, 12.0, Glyphs::Ascii), "#".repeat(WIDTH));
        assert_eq!(bar(0.0, 0.0, Glyphs::Blocks), "");
        assert_eq!(ticks(&[0.0, 1.0, 4.0, 8.0], Glyphs::Blocks), " ▁▄█");
        assert_eq!(ticks(&[0.0, 8.0], Glyphs::Ascii), " #");
    }
}
