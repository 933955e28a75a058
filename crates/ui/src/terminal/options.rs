//! Options of a page, decided by the caller: this crate queries no terminal and no environment.

/// Whether colors may be used, and which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMode {
    /// No escape sequence at all.
    #[default]
    Plain,
    /// The sixteen colors and styles of ANSI, in the reader's own palette.
    Ansi,
    /// Fixed colors that can be read on a dark background.
    Dark,
    /// Fixed colors that can be read on a light background.
    Light,
    /// The same on a dark background, without pairs that people who see no red or no green confuse.
    DarkColorBlind,
    /// The same on a light background.
    LightColorBlind,
}

impl ColorMode {
    /// Returns whether there are any colors.
    pub fn is_colored(self) -> bool {
        self != Self::Plain
    }
}

/// Whether thoughts of the model are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkingDisplay {
    /// They are.
    #[default]
    Shown,
    /// They are not.
    Hidden,
}

/// Options of a page.
#[derive(Clone, Copy)]
pub struct RenderOptions<'z> {
    /// Columns.
    pub width: usize,
    /// Whether colors may be used.
    pub color: ColorMode,
    /// Whether ornaments may be other than ASCII; content stays as it is.
    pub unicode: bool,
    /// Minutes from UTC at an instant, given in milliseconds since 1970.
    pub zone: &'z dyn Fn(i64) -> i32,
    /// Whether everything is shown, however long.
    pub full: bool,
    /// Whether thoughts are shown.
    pub thinking: ThinkingDisplay,
    /// How to unfold long outputs, printed at folded ones; may be empty.
    pub unfold_hint: &'static str,
    /// Lines that are left of a long output.
    pub output_lines: usize,
}

fn utc(_: i64) -> i32 {
    0
}

impl RenderOptions<'static> {
    /// Without colors, in UTC, long outputs collapsed.
    pub fn plain(width: usize) -> Self {
        Self {
            width,
            color: ColorMode::Plain,
            unicode: true,
            zone: &utc,
            full: false,
            thinking: ThinkingDisplay::Shown,
            unfold_hint: " (--full)",
            output_lines: 10,
        }
    }

    /// With colors, in UTC, long outputs collapsed.
    pub fn ansi(width: usize) -> Self {
        Self { color: ColorMode::Ansi, ..Self::plain(width) }
    }
}

/// The ornaments of a page.
pub(super) struct Glyphs {
    pub(super) bar: &'static str,
    pub(super) call: &'static str,
    pub(super) output: &'static str,
    pub(super) last: &'static str,
    pub(super) agent: &'static str,
    pub(super) fork: &'static str,
    pub(super) rule: &'static str,
    pub(super) heavy: &'static str,
    pub(super) dot: &'static str,
    pub(super) cross: &'static str,
    pub(super) bullet: &'static str,
    pub(super) quote: &'static str,
    pub(super) frame: [&'static str; 3],
    pub(super) table: [&'static str; 2],
    pub(super) todo: [&'static str; 3],
    pub(super) more: &'static str,
    pub(super) arrow: &'static str,
    pub(super) minus: &'static str,
    pub(super) times: &'static str,
}

const UNICODE: Glyphs = Glyphs {
    bar: "▌ ",
    call: "● ",
    output: "│ ",
    last: "└ ",
    agent: "┊ ",
    fork: "⌥ ",
    rule: "─",
    heavy: "━",
    dot: "·",
    cross: "✗ ",
    bullet: "• ",
    quote: "┃ ",
    frame: ["╭─", "│ ", "╰─"],
    table: [" │ ", "─┼─"],
    todo: ["☐ ", "◐ ", "☑ "],
    more: "…",
    arrow: "→",
    minus: "−",
    times: "×",
};

const ASCII: Glyphs = Glyphs {
    bar: "| ",
    call: "* ",
    output: "| ",
    last: "` ",
    agent: ": ",
    fork: "Y ",
    rule: "-",
    heavy: "=",
    dot: "-",
    cross: "x ",
    bullet: "* ",
    quote: "> ",
    frame: [",-", "| ", "`-"],
    table: [" | ", "-+-"],
    todo: ["[ ] ", "[~] ", "[x] "],
    more: "...",
    arrow: "->",
    minus: "-",
    times: "x",
};

impl RenderOptions<'_> {
    /// The ornaments that it allows.
    pub(super) fn glyphs(&self) -> &'static Glyphs {
        if self.unicode { &UNICODE } else { &ASCII }
    }
}
