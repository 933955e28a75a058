//! A server as a process: one message a line on its standard input and output.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use annals_policy::secret::Secret;

use super::connect::McpLaunch;
use super::inbox::McpInbox;
use super::message;
use super::pending::PendingAnswers;
use super::server::{McpError, McpFuture, McpTransport};
use super::tool::clean;
use crate::tools::bash::group::ProcessGroup;

/// The longest message.
const MAX_LINE: u64 = 64 << 20;
/// How many of its last complaints are kept, and how long each may be.
const MAX_COMPLAINTS: (usize, usize) = (5, 300);

/// How much of a line of standard error is taken at once.
const MAX_LISTEN: u64 = 4096;
/// How often, and after which pause each, the end of its standard error is looked for.
const LAST_WORDS_CHECKS: u32 = 20;
const LAST_WORDS_PAUSE: Duration = Duration::from_millis(10);

/// The last lines that a server wrote to its standard error.
type Complaints = Arc<Mutex<VecDeque<String>>>;

/// A process that is a server. Dropping it ends the process.
pub(super) struct ProcessTransport {
    pending: PendingAnswers,
    input: Sender<Vec<u8>>,
    group: ProcessGroup,
}

impl ProcessTransport {
    /// Starts a program with arguments and more variables.
    pub(super) fn start(
        (program, args, env): (&str, &[String], &[(String, Secret)]),
        launch: &McpLaunch,
        mark: String,
        inbox: McpInbox,
    ) -> Result<Self, McpError> {
        let mut command = match &launch.sandbox {
            Some(sandbox) => {
                let arguments: Vec<OsString> = args.iter().map(OsString::from).collect();
                sandbox.command(&launch.folder, OsStr::new(program), &arguments)
            }
            None => {
                let mut command = Command::new(program);
                command.args(args).current_dir(&launch.folder);
                command
            }
        };
        command.env_clear();
        command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.env("CLAUDE_PROJECT_DIR", &launch.folder);
        command.envs(launch.processes.session().map(|session| ("CLAUDE_CODE_SESSION_ID", session)));
        command.envs(env.iter().map(|(name, value)| (name, value.reveal())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = launch.processes.groups.launch(&mut command, mark);
        let (group, pipes) =
            started.map_err(|error| McpError::Unreachable(format!("cannot start {program}: {error}")))?;
        let no_pipe = || McpError::Unreachable("the process has no pipes".to_owned());
        let (stdin, stdout) = (pipes.input.ok_or_else(no_pipe)?, pipes.output.ok_or_else(no_pipe)?);
        let (pending, complaints) = (PendingAnswers::default(), Complaints::default());
        let (input, lines) = channel();
        thread::spawn(move || write(stdin, &lines));
        let complaining = pipes.errors.map(|errors| {
            let complaints = Arc::clone(&complaints);
            thread::spawn(move || listen(&mut BufReader::new(errors), &complaints))
        });
        let answers = pending.clone();
        thread::spawn(move || {
            let why = read(&mut BufReader::new(stdout), &answers, &inbox, &complaints);
            // What it said last tells why it ended; a process that it left behind may hold the pipe open.
            let is_over = || complaining.as_ref().is_none_or(|thread| thread.is_finished());
            for _ in 0..LAST_WORDS_CHECKS {
                if is_over() {
                    break;
                }
                thread::sleep(LAST_WORDS_PAUSE);
            }
            answers.close(&why.unwrap_or_else(|| last_words(&complaints)));
        });
        Ok(Self { pending, input, group })
    }

    fn write(&self, message: Vec<u8>) -> Result<(), McpError> {
        let closed = |_| McpError::Closed(self.pending.closed().unwrap_or_default());
        self.input.send(message).map_err(closed)
    }
}

impl McpTransport for ProcessTransport {
    fn send<'m>(&'m self, message: Vec<u8>) -> McpFuture<'m> {
        Box::pin(async move {
            let Some(id) = message::id(&message) else {
                return self.write(message).map(|()| Vec::new());
            };
            let answer = self.pending.expect(id)?;
            self.write(message)?;
            answer.wait().await
        })
    }

    fn post(&self, message: Vec<u8>) {
        // A server that is gone needs no message.
        let _ = self.write(message);
    }

    fn closed(&self) -> Option<String> {
        self.pending.closed()
    }
}

impl Drop for ProcessTransport {
    fn drop(&mut self) {
        self.pending.close("");
        self.group.end();
    }
}

/// Writes messages until there are no more, or the server does not read any more; then closes its input.
fn write(mut stdin: ChildStdin, lines: &Receiver<Vec<u8>>) {
    for mut line in lines {
        // A message is one line: what the model wrote may hold line ends between its values.
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        line.push(b'\n');
        if stdin.write_all(&line).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Reads messages until the end; returns what was wrong with the last one.
fn read(
    stdout: &mut impl BufRead,
    pending: &PendingAnswers,
    inbox: &McpInbox,
    complaints: &Complaints,
) -> Option<String> {
    loop {
        let mut line = Vec::new();
        match stdout.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return None,
            Ok(length) if length as u64 == MAX_LINE => {
                return Some(format!("a message is longer than {MAX_LINE} bytes"));
            }
            Ok(_) => {
                let line = line.trim_ascii();
                if !line.is_empty() && !pending.take(line, inbox) {
                    note(complaints, line);
                }
            }
        }
    }
}

/// Keeps the last lines of standard error; a line that never ends is taken in pieces.
fn listen(errors: &mut impl BufRead, complaints: &Complaints) {
    let mut line = Vec::new();
    while errors.by_ref().take(MAX_LISTEN).read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        note(complaints, &line);
        line.clear();
    }
}

fn note(complaints: &Complaints, line: &[u8]) {
    let words: String = String::from_utf8_lossy(line).chars().take(MAX_COMPLAINTS.1).collect();
    let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
    if !words.trim().is_empty() {
        complaints.push_back(clean(words.trim_end()));
    }
    while complaints.len() > MAX_COMPLAINTS.0 {
        complaints.pop_front();
    }
}

fn last_words(complaints: &Complaints) -> String {
    let complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
    complaints.iter().cloned().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_messages_are_kept_as_complaints() {
        let (inbox, mut others) = McpInbox::channel();
        let (pending, complaints) = (PendingAnswers::default(), Complaints::default());
        let mut output: &[u8] = b"starting\x1b[2J\n\n{\"method\":\"a\"}\r\n{\"method\":\"b\"}";
        assert_eq!(read(&mut output, &pending, &inbox, &complaints), None);
        assert_eq!(last_words(&complaints), "starting[2J");
        assert_eq!(others.try_recv().unwrap(), b"{\"method\":\"a\"}");
        assert_eq!(others.try_recv().unwrap(), b"{\"method\":\"b\"}");
        for number in 0..20 {
            note(&complaints, format!("{number}").as_bytes());
        }
        assert_eq!(last_words(&complaints), "15; 16; 17; 18; 19");
    }
}
