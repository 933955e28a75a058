//! Styles. Only the sixteen colors of the terminal are used, in the reader's own palette, so that light and dark both work;
//! nothing is told by color alone.

use annals_ui::terminal::{Color as UiColor, Style as UiStyle};
use ratatui_core::style::{Color, Modifier, Style};

pub(super) const PLAIN: Style = Style::new();
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
pub(super) const DIM: Style = Style::new().fg(Color::DarkGray);
pub(crate) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
pub(super) const BAR: Style = Style::new().add_modifier(Modifier::REVERSED);
pub(super) const MATCH: Style =
    Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD.union(Modifier::UNDERLINED));
pub(super) const ERROR: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
pub(super) const COST: Style = Style::new().fg(Color::Green);
pub(super) const KEY: Style = Style::new().fg(Color::Cyan);
pub(super) const BRANCH: Style = Style::new().fg(Color::Yellow);
pub(super) const AGENT: Style = Style::new().fg(Color::Blue);

/// The style of a text of the conversation.
pub(super) fn of(style: UiStyle) -> Style {
    let color = style.color.map(|color| match color {
        UiColor::Red => Color::Red,
        UiColor::Green => Color::Green,
        UiColor::Yellow => Color::Yellow,
        UiColor::Blue => Color::Blue,
        UiColor::Magenta => Color::Magenta,
        UiColor::Cyan => Color::Cyan,
        UiColor::Gray => Color::DarkGray,
    });
    let mut modifier = Modifier::empty();
    modifier.set(Modifier::BOLD, style.bold);
    modifier.set(Modifier::ITALIC, style.italic);
    modifier.set(Modifier::UNDERLINED, style.underline);
    Style { fg: color, ..Style::new() }.add_modifier(modifier)
}
