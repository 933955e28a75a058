//! The pager: `$PAGER`, else `less`, which exits if everything fits on the screen.

use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A running pager.
pub(crate) struct Pager {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
}

impl Pager {
    /// Starts it; `None` if it cannot be started, or if `PAGER` is empty or `cat`.
    pub(crate) fn start(command: Option<&str>) -> Option<Self> {
        let command = command.unwrap_or("less").trim();
        if command.is_empty() || command == "cat" {
            return None;
        }
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next()?)
            .args(words)
            // As git does: quit if it fits, raw colors, keep the screen.
            .env("LESS", "FRX")
            .env("LV", "-c")
            .stdin(Stdio::piped())
            .spawn()
            .ok()?;
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
