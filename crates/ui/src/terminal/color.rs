//! Colors, and the codes that they have in each mode.

use super::options::ColorMode;

/// A color: one that every terminal has, in the reader's own palette, or a fixed one for dark or light backgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the colors say it all")]
pub enum Color {
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    Gray,
}

impl Color {
    /// Returns the parameters of the sequence that sets it as the color of text; empty where there are no colors.
    pub fn code(self, mode: ColorMode) -> &'static str {
        let [ansi, dark, light] = match self {
            Self::Red => ["31", "38;5;210", "38;5;124"],
            Self::Green => ["32", "38;5;114", "38;5;28"],
            Self::Yellow => ["33", "38;5;221", "38;5;94"],
            Self::Blue => ["34", "38;5;111", "38;5;25"],
            Self::Magenta => ["35", "38;5;176", "38;5;90"],
            Self::Cyan => ["36", "38;5;80", "38;5;23"],
            Self::Gray => ["90", "38;5;247", "38;5;241"],
        };
        match mode {
            ColorMode::Plain => "",
            ColorMode::Ansi => ansi,
            ColorMode::Dark => dark,
            ColorMode::Light => light,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Color; 7] =
        [Color::Red, Color::Green, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan, Color::Gray];

    /// The luminance of a color of the table of 256 that all terminals share from 16 on.
    fn luminance(code: &str) -> f64 {
        let number: u32 = code.strip_prefix("38;5;").unwrap().parse().unwrap();
        let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
        let channels = match number {
            232.. => [8 + 10 * (number - 232); 3],
            _ => [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(level),
        };
        let linear = channels.map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn fixed_colors_can_be_read_on_their_background() {
        // Backgrounds are seldom pure: #282828 and #eeeeee are about the worst that are usual.
        let (dark, light) = (0.0212, 0.8550);
        for color in ALL {
            let on_dark = (luminance(color.code(ColorMode::Dark)) + 0.05) / (dark + 0.05);
            let on_light = (light + 0.05) / (luminance(color.code(ColorMode::Light)) + 0.05);
            assert!(on_dark >= 4.5, "{color:?} on dark: {on_dark:.1}");
            assert!(on_light >= 4.0, "{color:?} on light: {on_light:.1}");
        }
    }
}
