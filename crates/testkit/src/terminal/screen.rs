//! The screen of the test terminal: `vt100` interprets what a program writes, and whatever scrolls off the top is kept.

use std::num::NonZeroU16;

use vt100::{Callbacks, Parser};

/// Lines that are kept above the screen.
const SCROLLBACK: usize = 100_000;

/// A terminal screen with its scrollback.
pub struct Screen {
    parser: Parser<UnhandledSequences>,
}

/// Collects the sequences that the interpreter does not know.
#[derive(Debug, Default)]
struct UnhandledSequences(Vec<String>);

impl Screen {
    /// Creates an empty screen.
    pub fn new(columns: u16, rows: u16) -> Self {
        let callbacks = UnhandledSequences::default();
        Self { parser: Parser::new_with_callbacks(nonzero(rows), nonzero(columns), SCROLLBACK, callbacks) }
    }

    /// Changes the size; lines that no longer fit scroll off the top.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(nonzero(rows), nonzero(columns));
    }

    /// Interprets what a program wrote.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
    }

    /// Returns all lines, scrollback first, without spaces at their ends.
    pub fn text(&mut self) -> String {
        let screen = self.parser.screen_mut();
        let (rows, columns) = screen.size();
        let (rows, columns) = (usize::from(rows.get()), columns.get());
        let mut lines = Vec::new();
        let mut above = screen.scrollback_len();
        while above > 0 {
            screen.set_scrollback(above);
            lines.extend(screen.rows(0, columns).take(above));
            above = above.saturating_sub(rows);
        }
        screen.set_scrollback(0);
        lines.extend(screen.rows(0, columns));
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Returns the lines that are in sight, without spaces at their ends.
    pub fn visible(&self) -> String {
        let screen = self.parser.screen();
        let lines: Vec<String> = screen.rows(0, screen.size().1.get()).collect();
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Returns whether a line in sight was too long and went on in the next row.
    pub fn has_wrapped_row(&self) -> bool {
        let screen = self.parser.screen();
        (0..screen.size().0.get()).any(|row| screen.row_wrapped(row))
    }

    /// Returns the sequences that the interpreter does not know.
    pub fn unhandled(&self) -> &[String] {
        &self.parser.callbacks().0
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Screen").field("size", &self.parser.screen().size()).finish_non_exhaustive()
    }
}

impl Callbacks for UnhandledSequences {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.0.push("bell".to_owned());
    }

    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.0.push(format!("title {:?}", String::from_utf8_lossy(title)));
    }

    fn unhandled_control(&mut self, _: &mut vt100::Screen, byte: u8) {
        self.0.push(format!("{byte:#x}"));
    }

    fn unhandled_escape(&mut self, _: &mut vt100::Screen, first: Option<u8>, second: Option<u8>, last: u8) {
        self.0.push(format!("ESC {first:?} {second:?} {last:#x}"));
    }

    fn unhandled_csi(
        &mut self,
        _: &mut vt100::Screen,
        first: Option<u8>,
        _: Option<u8>,
        parameters: &[&[u16]],
        last: char,
    ) {
        self.0.push(format!("CSI {first:?} {parameters:?} {last}"));
    }
}

fn nonzero(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_what_was_written() {
        let mut screen = Screen::new(6, 3);
        screen.feed("ab\r\ncd日\x1b[1A\x1b[2GX\x1b[31mred\x1b[0m".as_bytes());
        assert_eq!(screen.text(), "aXred\ncd日\n");
        assert_eq!((screen.visible(), screen.has_wrapped_row()), (screen.text(), false));
        screen.feed(b"\r\x1b[Jlong line");
        assert!(screen.has_wrapped_row());
        screen.feed(b"\r\n1\r\n2\r\n");
        assert_eq!(screen.visible(), "1\n2\n");
        assert_eq!(screen.text(), "long l\nine\n1\n2\n");
        screen.feed(b"\x1b]0;x\x07\x1b[5n");
        assert_eq!(screen.unhandled().len(), 2, "{:?}", screen.unhandled());
    }

    #[test]
    fn what_scrolled_off_the_top_is_kept_in_order() {
        let mut screen = Screen::new(10, 3);
        let lines: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        screen.feed(lines.join("\r\n").as_bytes());
        assert_eq!(screen.text(), lines.join("\n"));
        screen.resize(10, 2);
        assert_eq!(screen.text(), lines.join("\n"));
    }
}
