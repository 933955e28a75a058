//! The pager: `$PAGER`, else `less`, which exits if everything fits on the screen.

use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A variable of a pager, and its value.
pub(crate) type PagerVariable = (&'static str, &'static str);

/// As git does: quit if it fits, raw colors, keep the screen. What the user has set wins.
pub(crate) const PAGER_VARIABLES: [PagerVariable; 2] = [("LESS", "FRX"), ("LV", "-c")];

/// A running pager.
pub(crate) struct Pager {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
}

impl Pager {
    /// Starts it; `None` if it cannot be started, or if `PAGER` is empty or `cat`.
    pub(crate) fn start(command: Option<&str>, variables: &[PagerVariable]) -> Option<Self> {
        let command = command.unwrap_or("less").trim();
        if command.is_empty() || command == "cat" {
            return None;
        }
        let mut words = command.split_whitespace();
        let mut pager = Command::new(words.next()?);
        pager.args(words).stdin(Stdio::piped());
        pager.envs(variables.iter().copied());
        let mut child = pager.spawn().ok()?;
        let stdin = child.stdin.take()?;
        Some(Self { child, stdin: Some(BufWriter::new(stdin)) })
    }

    /// Flushes, and waits until the pager exits.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        let flushed = self.stdin.as_mut().map_or(Ok(()), Write::flush);
        self.stdin = None;
        self.child.wait()?;
        flushed
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.stdin {
            Some(stdin) => stdin.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdin.as_mut().map_or(Ok(()), Write::flush)
    }
}
