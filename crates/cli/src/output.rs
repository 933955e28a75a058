//! Standard output: buffered, with colors and a pager on a terminal.

use std::io::{self, BufWriter, Write};

use annals_json::ObjectWriter;

use crate::environment::Environment;
use crate::pager::{Pager, PagerVariable};

/// What the output is written to.
enum OutputStream {
    Stdout(BufWriter<io::Stdout>),
    Pager(Pager),
}

/// Standard output and its properties.
pub(crate) struct Output {
    target: OutputStream,
    pub(crate) color: bool,
    /// Whether the locale can show more than ASCII.
    pub(crate) unicode: bool,
    /// The width of lines, in columns.
    pub(crate) width: usize,
    /// Whether it is a terminal.
    pub(crate) is_terminal: bool,
    pager_command: Option<String>,
    pager_variables: Vec<PagerVariable>,
}

/// The widest lines on a terminal.
const MAX_WIDTH: usize = 120;
/// The width of lines in files and pipes, the same everywhere.
const FILE_WIDTH: usize = 100;

/// The ANSI styles that are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    /// Wraps a text in this style.
    pub(crate) fn over(self, text: &str) -> String {
        let code = match self {
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Cyan => "36",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

impl Output {
    pub(crate) fn new(environment: &Environment, color: bool) -> Self {
        let width = environment.terminal_size.map_or(FILE_WIDTH, |(width, _)| width);
        Self {
            target: OutputStream::Stdout(BufWriter::with_capacity(64 * 1024, io::stdout())),
            color,
            unicode: environment.unicode,
            width: if environment.stdout_is_terminal { width.clamp(40, MAX_WIDTH) } else { FILE_WIDTH },
            is_terminal: environment.stdout_is_terminal,
            pager_command: environment.pager.clone(),
            pager_variables: environment.pager_variables.clone(),
        }
    }

    /// Sends what follows through a pager, if standard output is a terminal and the pager starts.
    pub(crate) fn page(&mut self) {
        if self.is_terminal
            && let Some(pager) = Pager::start(self.pager_command.as_deref(), &self.pager_variables)
        {
            self.target = OutputStream::Pager(pager);
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.write_all(text.as_ref().as_bytes())?;
        self.write_all(b"\n")
    }

    /// Writes one JSON object, filled by `fill`, on one line.
    pub(crate) fn json(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> io::Result<()> {
        let mut line = Vec::new();
        let mut object = ObjectWriter::begin(&mut line);
        fill(&mut object);
        object.end();
        line.push(b'\n');
        self.write_all(&line)
    }

    /// Styles a text, if colors are enabled.
    pub(crate) fn paint(&self, paint: Paint, text: impl AsRef<str>) -> String {
        let text = text.as_ref();
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        paint.over(text)
    }

    /// Flushes, and waits for the pager.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.flush(),
            OutputStream::Pager(pager) => pager.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.write(bytes),
            OutputStream::Pager(pager) => pager.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            OutputStream::Stdout(stdout) => stdout.flush(),
            OutputStream::Pager(pager) => pager.flush(),
        }
    }
}
