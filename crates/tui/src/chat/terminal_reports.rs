//! What a terminal is asked to report, and the sequences that ask for it.

use super::effect::ScreenLayout;

const FOCUS_ON: &str = "\u{1b}[?1004h";
const FOCUS_OFF: &str = "\u{1b}[?1004l";
/// Keys that are sent alike otherwise are told apart: xterm's `modifyOtherKeys`, and the protocol of kitty, whose two screens have
/// modes of their own. A terminal that knows neither ignores them.
const KEYS_ON: &str = "\u{1b}[>4;1m";
const KEYS_OFF: &str = "\u{1b}[>4m";
const KITTY_KEYS_ON: &str = "\u{1b}[>5u";
const KITTY_KEYS_OFF: &str = "\u{1b}[<u";
/// The wheel and clicks.
const MOUSE_ON: &str = "\u{1b}[?1000h\u{1b}[?1006h";
const MOUSE_OFF: &str = "\u{1b}[?1006l\u{1b}[?1000l";
const TO_ALTERNATE: &str = "\u{1b}[?1049h";
const FROM_ALTERNATE: &str = "\u{1b}[?1049l";

/// Whether the terminal tells when it gets or loses the keyboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FocusReports {
    /// It does not.
    #[default]
    Off,
    /// It does, if it can.
    On,
}

/// Whether the terminal tells keys apart that are sent alike otherwise, such as enter and shift-enter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyReports {
    /// It does not.
    #[default]
    Plain,
    /// It does, if it can.
    Extended,
}

/// What a terminal is asked to report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalReports {
    /// When it gets or loses the keyboard.
    pub focus: FocusReports,
    pub keys: KeyReports,
    /// The layout: the full one scrolls itself, and so gets the wheel.
    pub layout: ScreenLayout,
}

impl TerminalReports {
    pub(super) fn start(self) -> String {
        let focus = if self.focus == FocusReports::On { FOCUS_ON } else { "" };
        let keys = if self.keys == KeyReports::Extended { KEYS_ON } else { "" };
        let mouse = if self.layout == ScreenLayout::Full { MOUSE_ON } else { "" };
        format!("{focus}{keys}{}{mouse}", self.start_on_screen())
    }

    pub(super) fn stop(self) -> String {
        let focus = if self.focus == FocusReports::On { FOCUS_OFF } else { "" };
        let keys = if self.keys == KeyReports::Extended { KEYS_OFF } else { "" };
        let mouse = if self.layout == ScreenLayout::Full { MOUSE_OFF } else { "" };
        format!("{mouse}{}{keys}{focus}", self.stop_on_screen())
    }

    /// What each of the two screens of a terminal is asked for.
    fn start_on_screen(self) -> &'static str {
        if self.keys == KeyReports::Extended { KITTY_KEYS_ON } else { "" }
    }

    fn stop_on_screen(self) -> &'static str {
        if self.keys == KeyReports::Extended { KITTY_KEYS_OFF } else { "" }
    }

    pub(super) fn enter_alternate(self) -> String {
        format!("{TO_ALTERNATE}{}", self.start_on_screen())
    }

    pub(super) fn leave_alternate(self) -> String {
        format!("{}{FROM_ALTERNATE}", self.stop_on_screen())
    }
}
