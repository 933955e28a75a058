//! A process that answers one question: what it takes while it reads is given back, and it ends when its time is up.

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often to look whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// What a process left.
pub(crate) struct ProcessResult {
    /// The exit code; `None` if it was ended.
    pub(crate) code: Option<i32>,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
}

/// Runs a process for at most `limit`.
pub(crate) fn run(mut command: Command, limit: Duration) -> io::Result<ProcessResult> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let output = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let end = Instant::now() + limit;
    let code = loop {
        match child.try_wait()? {
            Some(status) => break status.code(),
            None if Instant::now() >= end => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => thread::sleep(PAUSE),
        }
    };
    let read = |reader: Option<thread::JoinHandle<Vec<u8>>>| reader.and_then(|reader| reader.join().ok());
    Ok(ProcessResult {
        code,
        output: read(output).unwrap_or_default(),
        errors: read(errors).unwrap_or_default(),
    })
}

fn reader(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}
