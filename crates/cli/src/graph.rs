//! Small pictures in a column: a bar for one number, a line of ticks for many.

use crate::output::Output;

/// How wide a picture is.
pub(crate) const WIDTH: usize = 12;

const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const TICKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII_TICKS: [char; 8] = ['.', '.', ':', '-', '=', '+', '*', '#'];

/// Which characters can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Blocks.
    Blocks,
    /// Letters and marks alone.
    Ascii,
}

impl Ink {
    /// By what can be shown there.
    pub(crate) fn of(out: &Output) -> Self {
        if out.unicode { Self::Blocks } else { Self::Ascii }
    }
}

/// A bar as long as `value` is of `most`; whatever is more than nothing shows.
pub(crate) fn bar(value: f64, most: f64, ink: Ink) -> String {
    if value <= 0.0 || most <= 0.0 {
        return String::new();
    }
    let eighths = ((value / most * (WIDTH * 8) as f64).round() as usize).clamp(1, WIDTH * 8);
    match ink {
        Ink::Blocks => "█".repeat(eighths / 8) + EIGHTHS[eighths % 8],
        Ink::Ascii => "#".repeat(eighths.div_ceil(8)),
    }
}

/// A tick a value, the largest the highest; nothing is a space.
pub(crate) fn ticks(values: &[f64], ink: Ink) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let tick = |value: &f64| {
        if *value <= 0.0 || most <= 0.0 {
            return ' ';
        }
        let step = ((value / most * 8.0).ceil() as usize).clamp(1, 8) - 1;
        if ink == Ink::Blocks { TICKS[step] } else { ASCII_TICKS[step] }
    };
    values.iter().map(tick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_proportions() {
        assert_eq!(bar(6.0, 12.0, Ink::Blocks), "██████");
        assert_eq!(bar(0.001, 12.0, Ink::Blocks), "▏");
        assert_eq!(bar(12.0, 12.0, Ink::Ascii), "#".repeat(WIDTH));
        assert_eq!(bar(0.0, 0.0, Ink::Blocks), "");
        assert_eq!(ticks(&[0.0, 1.0, 4.0, 8.0], Ink::Blocks), " ▁▄█");
        assert_eq!(ticks(&[0.0, 8.0], Ink::Ascii), " #");
    }
}
