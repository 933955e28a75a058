//! The prompt from the arguments and from standard input.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use annals_agent::protocol::{Command, Prompt};
use tokio::sync::mpsc::UnboundedSender;

use super::built_in;
use super::prompt::Refusal;
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::Fault;

/// The longest prompt on standard input.
const MAX_BYTES: u64 = 10 << 20;
/// How long standard input may be silent if there is a prompt without it.
const MAX_SILENCE: Duration = Duration::from_secs(3);

/// Sends the prompt and then the end.
pub(super) fn start(
    args: &ChatArgs,
    sender: &UnboundedSender<Command>,
    context: &Context,
) -> Result<(), Fault> {
    let silence = args.prompt.as_ref().map(|_| MAX_SILENCE);
    let piped = if context.stdin_is_terminal() { None } else { read_text(silence)? };
    let words = [args.prompt.clone(), piped].into_iter().flatten().filter(|words| !words.trim().is_empty());
    let words = words.collect::<Vec<_>>().join("\n\n");
    if words.is_empty() && (args.resume.is_some() || args.r#continue) {
        // Without a prompt, a session that is resumed runs the call that a hook has left for later.
        let _ = sender.send(Command::RunDeferred);
        let _ = sender.send(Command::Quit);
        return Ok(());
    }
    if words.is_empty() {
        return Err(Fault::usage("no prompt given")
            .hint("give a PROMPT argument, or pipe a prompt to standard input"));
    }
    let prompt = Prompt::Text(words);
    let command = match built_in::of(&prompt) {
        None => Command::Prompt(prompt),
        Some(Ok(command)) => command,
        Some(Err(Refusal::TerminalOnly(name))) => {
            return Err(
                Fault::usage(Refusal::TerminalOnly(name).to_string()).hint(built_in::instead_of(name))
            );
        }
        Some(Err(why)) => return Err(Fault::usage(why.to_string())),
    };
    // The receiver exists, so sending succeeds.
    let _ = sender.send(command);
    let _ = sender.send(Command::Quit);
    Ok(())
}

/// Reads standard input to its end; `None` if it stays silent for too long.
fn read_text(silence: Option<Duration>) -> Result<Option<String>, Fault> {
    let chunks = read_aside();
    let mut all = Vec::new();
    loop {
        let next = match silence.filter(|_| all.is_empty()) {
            Some(silence) => chunks.recv_timeout(silence),
            None => chunks.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(Ok(chunk)) => all.extend_from_slice(&chunk),
            Ok(Err(error)) => return Err(Fault::usage(format!("standard input: {error}"))),
            Err(_) => break,
        }
        if all.len() as u64 > MAX_BYTES {
            return Err(Fault::usage("standard input has more than 10 MB"));
        }
    }
    let text = String::from_utf8(all).map_err(|_| Fault::usage("standard input is not UTF-8"))?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Reads on a thread, so that a silent writer cannot block the program.
fn read_aside() -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut chunk = vec![0; 64 << 10];
        loop {
            let read = input.read(&mut chunk).map(|count| chunk[..count].to_vec());
            let has_failed = read.is_err();
            let is_end = read.as_ref().is_ok_and(Vec::is_empty);
            if is_end || sender.send(read).is_err() || has_failed {
                return;
            }
        }
    });
    receiver
}

/// Returns whether a command is answered by a result.
pub(super) fn is_turn(command: &Command) -> bool {
    matches!(command, Command::Prompt(_) | Command::RunDeferred | Command::Compact(_) | Command::Summarize(_))
}
