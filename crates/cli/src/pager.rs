//! A pager between us and the terminal: `$PAGER`, else `less`, told to step aside where everything fits on the screen.

use std::io::{self, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A running pager.
pub(crate) struct Pager {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
}

impl Pager {
    /// Starts it; `None` where there is none, or where `PAGER` is empty or `cat`.
    pub(crate) fn start(command: Option<&str>) -> Option<Self> {
        let command = command.unwrap_or("less").trim();
        if command.is_empty() || command == "cat" {
            return None;
        }
        let mut words = command.split_whitespace();
        let mut child = Command::new(words.next()?)
            .args(words)
            // What `git` gives less too: quit if it fits, raw colors, leave the screen as it is.
            .env("LESS", "FRX")
            .env("LV", "-c")
            .stdin(Stdio::piped())
            .spawn()
            .ok()?;
        let stdin = child.stdin.take()?;
        Some(Self { child, stdin: Some(BufWriter::new(stdin)) })
    }

    /// Hands over the rest and waits until the person has read.
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
