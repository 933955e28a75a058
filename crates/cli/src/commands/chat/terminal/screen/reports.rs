//! What the terminal is asked to report: focus, keys, the wheel.

use annals_tui::chat::{FocusReports, KeyReports, ScreenLayout, TerminalReports};

use super::notifications::Notifications;
use crate::context::Context;

/// Terminals that take requests for more keys, or ignore them. Others might print them, or take them for something else.
const KNOWN: [&str; 11] = [
    "xterm",
    "tmux",
    "screen",
    "foot",
    "alacritty",
    "wezterm",
    "ghostty",
    "kitty",
    "contour",
    "konsole",
    "rio",
];

/// Returns what is asked for.
pub(super) fn reports(layout: ScreenLayout, context: &Context) -> TerminalReports {
    let variable = |name: &str| {
        let found = context.variables.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.to_str()).unwrap_or_default()
    };
    let focus = match Notifications::of(context) {
        Notifications::None => FocusReports::Off,
        Notifications::Bell | Notifications::Desktop => FocusReports::On,
    };
    TerminalReports { focus, keys: key_reports(variable("TERM"), variable("TERM_PROGRAM")), layout }
}

fn key_reports(term: &str, program: &str) -> KeyReports {
    let is_known = KNOWN.iter().any(|known| {
        term.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '+', '.']))
    });
    // Apple's takes them for colors, and is called xterm-256color.
    if is_known && program != "Apple_Terminal" { KeyReports::Extended } else { KeyReports::Plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_that_take_it_are_asked_for_more_keys() {
        for (term, program, expected) in [
            ("xterm-256color", "", KeyReports::Extended),
            ("xterm-kitty", "", KeyReports::Extended),
            ("tmux-256color", "tmux", KeyReports::Extended),
            ("screen.xterm-256color", "", KeyReports::Extended),
            ("foot", "", KeyReports::Extended),
            ("xterm-256color", "Apple_Terminal", KeyReports::Plain),
            ("linux", "", KeyReports::Plain),
            ("vt220", "", KeyReports::Plain),
            ("footer", "", KeyReports::Plain),
            ("", "", KeyReports::Plain),
        ] {
            assert_eq!(key_reports(term, program), expected, "{term} {program}");
        }
    }
}
