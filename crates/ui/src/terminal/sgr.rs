//! Text with escape sequences of a program, as styled lines: colors and attributes are kept, everything else is dropped.

use super::color::Color;
use super::style::{Span, Style, StyledLine};

/// Returns the lines of a text. Colors become the nearest of ours; links, cursor movements and control characters are removed.
pub fn styled_lines(text: &str) -> Vec<StyledLine> {
    let mut style = Style::PLAIN;
    text.trim_end().lines().map(|line| styled_line(line, &mut style)).collect()
}

fn styled_line(line: &str, style: &mut Style) -> StyledLine {
    let mut spans = StyledLine::new();
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        if character != '\u{1b}' {
            if !character.is_control() {
                text.push(character);
            }
            continue;
        }
        match rest.next() {
            Some('[') => {
                let mut parameters = String::new();
                let last = rest.by_ref().find(|character| {
                    let is_last = matches!(character, '@'..='~');
                    if !is_last {
                        parameters.push(*character);
                    }
                    is_last
                });
                if last == Some('m') {
                    if !text.is_empty() {
                        spans.push(Span::new(std::mem::take(&mut text), *style));
                    }
                    *style = changed(*style, &parameters);
                }
            }
            // A string, such as the address of a link: to BEL, or to ESC and a backslash.
            Some(']' | 'P' | '_' | '^' | 'X') => {
                let end = rest.by_ref().find(|character| matches!(character, '\u{7}' | '\u{1b}'));
                if end == Some('\u{1b}') {
                    rest.next();
                }
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        spans.push(Span::new(text, *style));
    }
    spans
}

fn changed(mut style: Style, parameters: &str) -> Style {
    let mut numbers = parameters.split([';', ':']).map(|number| number.parse::<u8>().unwrap_or(0));
    while let Some(number) = numbers.next() {
        match number {
            0 => style = Style::PLAIN,
            1 => style.bold = true,
            2 => style.color = Some(Color::Gray),
            3 => style.italic = true,
            4 => style.underline = true,
            22 => {
                style.bold = false;
                style.color = style.color.filter(|color| *color != Color::Gray);
            }
            23 => style.italic = false,
            24 => style.underline = false,
            30..=37 => style.color = of_sixteen(number - 30),
            39 => style.color = None,
            90..=97 => style.color = of_sixteen(number - 90 + 8),
            38 | 48 => {
                let color = match numbers.next() {
                    Some(5) => numbers.next().and_then(of_table),
                    Some(2) => {
                        let mut channel = || numbers.next().unwrap_or(0);
                        nearest([channel(), channel(), channel()])
                    }
                    _ => None,
                };
                // There are no backgrounds here.
                if number == 38 {
                    style.color = color;
                }
            }
            _ => {}
        }
    }
    style
}

/// One of the sixteen colors that every terminal has; black and white are the terminal's own.
fn of_sixteen(number: u8) -> Option<Color> {
    Some(match number % 8 {
        0 if number == 8 => Color::Gray,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        _ => return None,
    })
}

/// A color of the table of 256.
fn of_table(number: u8) -> Option<Color> {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match number {
        0..=15 => of_sixteen(number),
        16..=231 => {
            let cube = number - 16;
            nearest([level(cube / 36), level(cube / 6 % 6), level(cube % 6)])
        }
        232..=250 => Some(Color::Gray),
        _ => None,
    }
}

/// The nearest color by hue; `None` for white and black.
fn nearest([red, green, blue]: [u8; 3]) -> Option<Color> {
    let (max, min) = (red.max(green).max(blue), red.min(green).min(blue));
    if max - min < 40 {
        return (64..200).contains(&max).then_some(Color::Gray);
    }
    let middle = min + (max - min) / 2;
    Some(match [red, green, blue].map(|channel| channel > middle) {
        [true, false, false] => Color::Red,
        [false, true, false] => Color::Green,
        [true, true, _] => Color::Yellow,
        [true, false, true] => Color::Magenta,
        [false, true, true] => Color::Cyan,
        [false, false, _] => Color::Blue,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_kept_and_everything_else_is_dropped() {
        let text = "\u{1b}[1;32mon\u{1b}[0m main\u{1b}]8;;https://x/\u{7}link\u{1b}]8;;\u{1b}\\ \u{1b}[2J\u{8}\u{1b}(0end\n\u{1b}[38;5;196mred\nstill";
        let lines = styled_lines(text);
        assert_eq!(
            lines,
            [
                vec![Span::new("on", Style::color(Color::Green).bold()), Span::plain(" mainlink 0end"),],
                vec![Span::new("red", Style::color(Color::Red))],
                vec![Span::new("still", Style::color(Color::Red))],
            ]
        );
    }

    #[test]
    fn any_color_becomes_the_nearest_of_ours() {
        for (code, color) in [
            ("38;2;255;120;0", Some(Color::Red)),
            ("38;2;10;200;30", Some(Color::Green)),
            ("38;2;120;120;120", Some(Color::Gray)),
            ("38;2;255;255;255", None),
            ("38;5;111", Some(Color::Blue)),
            ("38;5;245", Some(Color::Gray)),
            ("91", Some(Color::Red)),
            ("90", Some(Color::Gray)),
            ("37", None),
            ("48;5;196", None),
            ("31;39", None),
            ("38", None),
        ] {
            assert_eq!(changed(Style::PLAIN, code).color, color, "{code}");
        }
    }

    #[test]
    fn sequences_that_do_not_end_leave_nothing() {
        for text in ["\u{1b}", "\u{1b}[", "\u{1b}[31", "\u{1b}]0;title", "\u{1b}P"] {
            assert_eq!(styled_lines(text).concat(), [], "{text:?}");
        }
    }
}
