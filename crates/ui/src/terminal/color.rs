//! Colors, and the codes that they have in each mode.

use super::options::ColorMode;

/// A color: one that every terminal has, in the reader's own palette, or a fixed one for dark or light backgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        match (mode, self) {
            (ColorMode::Plain, _) => "",
            (ColorMode::Ansi, _) => ansi,
            // Orange and two blues, which are told apart by those who confuse red and green.
            (ColorMode::DarkColorBlind, Self::Red) => "38;5;215",
            (ColorMode::DarkColorBlind, Self::Green) => "38;5;75",
            (ColorMode::DarkColorBlind, Self::Blue) => "38;5;147",
            (ColorMode::LightColorBlind, Self::Red) => "38;5;130",
            (ColorMode::LightColorBlind, Self::Green) => "38;5;26",
            (ColorMode::LightColorBlind, Self::Blue) => "38;5;61",
            (ColorMode::Dark | ColorMode::DarkColorBlind, _) => dark,
            (ColorMode::Light | ColorMode::LightColorBlind, _) => light,
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
            for mode in [ColorMode::Dark, ColorMode::DarkColorBlind] {
                let on_dark = (luminance(color.code(mode)) + 0.05) / (dark + 0.05);
                assert!(on_dark >= 4.5, "{color:?} on dark: {on_dark:.1}");
            }
            for mode in [ColorMode::Light, ColorMode::LightColorBlind] {
                let on_light = (light + 0.05) / (luminance(color.code(mode)) + 0.05);
                assert!(on_light >= 4.0, "{color:?} on light: {on_light:.1}");
            }
        }
    }

    /// The color as somebody sees it who has no receptors for green, in the model of Viénot, Brettel and Mollon (1999).
    fn without_green(code: &str) -> [f64; 3] {
        let number: u32 = code.strip_prefix("38;5;").unwrap().parse().unwrap();
        let level = |step: u32| if step == 0 { 0.0 } else { f64::from(55 + 40 * step) / 255.0 };
        let channels = [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(level);
        let [red, green, blue] = channels.map(|channel| channel.powf(2.2));
        let mix = 0.292_75 * red + 0.707_25 * green;
        [mix, mix, -0.022_34 * red + 0.022_34 * green + blue].map(|channel| channel.max(0.0).powf(1.0 / 2.2))
    }

    #[test]
    fn what_was_added_and_removed_is_told_apart_without_red_or_green() {
        let distance = |mode: ColorMode| {
            let (red, green) = (without_green(Color::Red.code(mode)), without_green(Color::Green.code(mode)));
            red.iter().zip(green).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
        };
        for (usual, other) in
            [(ColorMode::Dark, ColorMode::DarkColorBlind), (ColorMode::Light, ColorMode::LightColorBlind)]
        {
            assert!(distance(other) > 0.5, "{other:?}: {:.2}", distance(other));
            assert!(distance(other) > 2.0 * distance(usual), "{usual:?}: {:.2}", distance(usual));
        }
    }
}
