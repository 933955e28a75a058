//! Standard output: buffered, through a pager where it is long and somebody watches, colored where that is wanted.

use std::io::{self, BufWriter, Write};

use annals_json::ObjectWriter;

use crate::pager::Pager;
use crate::surroundings::Surroundings;

/// Where the output goes.
enum Target {
    Stdout(BufWriter<io::Stdout>),
    Pager(Pager),
}

/// Standard output with what is known of it.
pub(crate) struct Output {
    target: Target,
    /// Whether to use color.
    pub(crate) color: bool,
    /// Whether ornaments outside ASCII can be shown.
    pub(crate) unicode: bool,
    /// How wide lines may be.
    pub(crate) width: usize,
    /// Whether a person watches.
    pub(crate) is_terminal: bool,
    pager_command: Option<String>,
}

/// Lines stay readable on very wide terminals, and files get the same lines everywhere.
const WIDEST: usize = 120;
const WIDTH_OF_FILES: usize = 100;

/// The colors of ANSI terminals that we use.
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
    /// A text in this color, and what follows in none.
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
    pub(crate) fn new(surroundings: &Surroundings, color: bool) -> Self {
        let width = surroundings.terminal_size.map_or(WIDTH_OF_FILES, |(width, _)| width);
        Self {
            target: Target::Stdout(BufWriter::with_capacity(64 * 1024, io::stdout())),
            color,
            unicode: surroundings.unicode,
            width: if surroundings.stdout_is_terminal { width.clamp(40, WIDEST) } else { WIDTH_OF_FILES },
            is_terminal: surroundings.stdout_is_terminal,
            pager_command: surroundings.pager.clone(),
        }
    }

    /// Sends what follows through a pager, if a person watches; a pager that cannot be started is done without.
    pub(crate) fn page(&mut self) {
        if self.is_terminal
            && let Some(pager) = Pager::start(self.pager_command.as_deref())
        {
            self.target = Target::Pager(pager);
        }
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        self.write_all(text.as_ref().as_bytes())?;
        self.write_all(b"\n")
    }

    /// Writes one JSON object, filled by `fill`, on a line of its own.
    pub(crate) fn json(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> io::Result<()> {
        let mut line = Vec::new();
        let mut object = ObjectWriter::begin(&mut line);
        fill(&mut object);
        object.end();
        line.push(b'\n');
        self.write_all(&line)
    }

    /// The text in this color, if colors are wanted.
    pub(crate) fn paint(&self, paint: Paint, text: impl AsRef<str>) -> String {
        let text = text.as_ref();
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        paint.over(text)
    }

    /// Writes everything out, and waits for the pager.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(stdout) => stdout.flush(),
            Target::Pager(pager) => pager.finish(),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Stdout(stdout) => stdout.write(bytes),
            Target::Pager(pager) => pager.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            Target::Stdout(stdout) => stdout.flush(),
            Target::Pager(pager) => pager.flush(),
        }
    }
}
