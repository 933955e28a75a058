//! Standard output: buffered, with colors and a pager on a terminal. The only place that writes to it, besides the
//! screen of `annals chat`.
//!
//! People get a [`TerminalText`], programs JSON without raw control or hidden characters. Only [`Output::exact`] and
//! [`Output::exact_json`] write bytes as they are, and not to a terminal.

use std::io::{self, BufWriter, Write};

use annals_json::ObjectWriter;
pub(crate) use annals_ui::Paint;
use annals_ui::terminal::ColorMode;
use annals_ui::{TerminalText, escape_json};
use unicode_width::UnicodeWidthStr;

use crate::environment::Environment;
use crate::pager::{Pager, PagerVariable};

/// What the output is written to.
enum OutputStream {
    Stdout(BufWriter<io::Stdout>),
    Pager(Pager),
    /// Nothing is printed: the viewer shows it.
    Memory(Vec<u8>),
}

/// Standard output and its properties.
pub(crate) struct Output {
    target: OutputStream,
    /// Whether there are colors, and which.
    pub(crate) color: ColorMode,
    /// Whether the locale can show more than ASCII.
    pub(crate) unicode: bool,
    /// The width that text is wrapped to, in columns.
    pub(crate) width: usize,
    /// The width that tables are made to fit; into files and pipes they are written whole.
    pub(crate) table_width: Option<usize>,
    pub(crate) is_terminal: bool,
    pager_command: Option<String>,
    pager_variables: Vec<PagerVariable>,
}

/// Standard output for a library that writes whole lines of JSON.
pub(crate) struct JsonStdout;

impl Write for JsonStdout {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        io::stdout().write_all(escape_json(lines).as_bytes())?;
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Longer lines of text are hard to read.
const MAX_WIDTH: usize = 120;
/// The width of text in files and pipes, the same everywhere.
const FILE_WIDTH: usize = 100;
/// Narrower terminals wrap.
const MIN_WIDTH: usize = 40;

impl Output {
    pub(crate) fn new(environment: &Environment, color: ColorMode) -> Self {
        let terminal = environment.terminal_size.map(|(width, _)| width);
        let columns = environment.columns.or(terminal.filter(|_| environment.stdout_is_terminal));
        let columns = columns.map(|columns| columns.max(MIN_WIDTH));
        Self {
            target: OutputStream::Stdout(BufWriter::with_capacity(64 * 1024, io::stdout())),
            color,
            unicode: environment.unicode,
            width: columns.map_or(FILE_WIDTH, |columns| columns.min(MAX_WIDTH)),
            table_width: columns,
            is_terminal: environment.stdout_is_terminal,
            pager_command: environment.pager.clone(),
            pager_variables: environment.pager_variables.clone(),
        }
    }

    /// Writes everything without a pager.
    pub(crate) fn disable_pager(&mut self) {
        self.pager_command = Some(String::new());
    }

    /// Sends what follows through a pager, if standard output is a terminal and the pager starts.
    pub(crate) fn page(&mut self) {
        if self.is_terminal
            && let Some(pager) = Pager::start(self.pager_command.as_deref(), &self.pager_variables)
        {
            self.target = OutputStream::Pager(pager);
        }
    }

    /// Collects what follows instead of printing it.
    #[cfg(unix)]
    pub(crate) fn capture(&mut self) {
        self.target = OutputStream::Memory(Vec::new());
    }

    /// Takes the lines that were collected.
    #[cfg(unix)]
    pub(crate) fn captured(&mut self) -> Vec<String> {
        match &mut self.target {
            OutputStream::Memory(memory) => {
                let bytes = std::mem::take(memory);
                String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Into<TerminalText>) -> io::Result<()> {
        self.text(text)?;
        self.write(b"\n")
    }

    /// Writes a sentence, broken between words where tables are made to fit.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.painted_note(None, text)
    }

    /// The same in a color.
    pub(crate) fn painted_note(&mut self, paint: Option<Paint>, text: impl AsRef<str>) -> io::Result<()> {
        for line in broken(text.as_ref(), self.table_width.unwrap_or(usize::MAX)) {
            let line = paint.map_or_else(|| line.clone().into(), |paint| self.paint(paint, line.as_str()));
            self.line(line)?;
        }
        Ok(())
    }

    /// Writes a sentence behind a lead; where tables are made to fit, its further lines are indented by the lead's width.
    pub(crate) fn entry(
        &mut self,
        lead: TerminalText,
        indent: usize,
        text: impl AsRef<str>,
    ) -> io::Result<()> {
        let width =
            self.table_width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(MIN_WIDTH / 2));
        let mut lead = lead;
        for line in broken(text.as_ref(), width) {
            let next = TerminalText::from(" ".repeat(indent));
            self.line(std::mem::replace(&mut lead, next) + line)?;
        }
        Ok(())
    }

    /// Writes a text without ending the line.
    pub(crate) fn text(&mut self, text: impl Into<TerminalText>) -> io::Result<()> {
        self.write(text.into().as_str().as_bytes())
    }

    /// Writes bytes as they are, for formats in which each byte counts. On a terminal, what it could obey is removed.
    pub(crate) fn exact(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_terminal {
            return self.text(TerminalText::block(&String::from_utf8_lossy(bytes)));
        }
        self.write(bytes)
    }

    /// Writes one JSON object, filled by `fill`, on one line.
    pub(crate) fn json(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> io::Result<()> {
        let mut line = Vec::new();
        let mut object = ObjectWriter::begin(&mut line);
        fill(&mut object);
        object.end();
        line.push(b'\n');
        self.json_text(&line)
    }

    /// Writes JSON whose bytes lead back to those of a file; on a terminal like [`Output::json_text`].
    pub(crate) fn exact_json(&mut self, json: &[u8]) -> io::Result<()> {
        if self.is_terminal { self.json_text(json) } else { self.write(json) }
    }

    /// Writes JSON that is already text, with what a terminal could obey escaped inside its strings.
    pub(crate) fn json_text(&mut self, json: &[u8]) -> io::Result<()> {
        self.write(escape_json(json).as_bytes())
    }

    /// Styles a text, if colors are enabled.
    pub(crate) fn paint(&self, paint: Paint, text: impl Into<TerminalText>) -> TerminalText {
        paint.over(text, self.color)
    }

    /// Flushes, and waits for the pager.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.flush(),
            OutputStream::Pager(pager) => pager.finish(),
            OutputStream::Memory(_) => Ok(()),
        }
    }

    /// Hands on what is buffered.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.flush(),
            OutputStream::Pager(pager) => pager.flush(),
            OutputStream::Memory(_) => Ok(()),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.write_all(bytes),
            OutputStream::Pager(pager) => pager.write_all(bytes),
            OutputStream::Memory(memory) => memory.write_all(bytes),
        }
    }
}

/// A text in lines of at most `width` columns, broken between words; the indent of the first is that of all.
fn broken(text: &str, width: usize) -> Vec<String> {
    let indent = &text[..text.len() - text.trim_start_matches(' ').len()];
    let mut lines = vec![indent.to_owned()];
    let mut is_start = true;
    for word in text[indent.len()..].split(' ') {
        let line = lines.last().map_or(0, |line| line.width());
        if !is_start && line + 1 + word.width() > width {
            lines.push(indent.to_owned());
            is_start = true;
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(if is_start { "" } else { " " });
            line.push_str(word);
        }
        is_start = false;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(broken("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(broken("a-very-long-word b", 4), ["a-very-long-word", "b"]);
        assert_eq!(broken("cache    94% read", 80), ["cache    94% read"]);
    }
}
