//! Prompts from the arguments, from standard input, or one per line from a program.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use annals_agent::protocol::{Command, Prompt};
use annals_json::Value;
use annals_policy::Mode;
use tokio::sync::mpsc::UnboundedSender;

use super::prompt::{self, Refusal};
use super::refusals::{RefusalReceiver, RefusalSender};
use crate::args::{ChatArgs, ChatInput};
use crate::context::Context;
use crate::error::Fault;

/// The longest prompt on standard input.
const MAX_BYTES: u64 = 10 << 20;
/// How long standard input may be silent if there is a prompt without it.
const MAX_SILENCE: Duration = Duration::from_secs(3);

/// Sends the prompts and then the end; refused messages come through the returned receiver.
pub(super) fn start(
    args: &ChatArgs,
    sender: UnboundedSender<Command>,
    context: &Context,
) -> Result<RefusalReceiver, Fault> {
    let (refuse, refusals) = RefusalReceiver::channel();
    if args.input_format == ChatInput::StreamJson {
        thread::spawn(move || read_stream(&sender, refuse));
        return Ok(refusals);
    }
    let silence = args.prompt.as_ref().map(|_| MAX_SILENCE);
    let piped = if context.stdin_is_terminal() { None } else { read_text(silence)? };
    let words = [args.prompt.clone(), piped].into_iter().flatten().filter(|words| !words.trim().is_empty());
    let words = words.collect::<Vec<_>>().join("\n\n");
    if words.is_empty() {
        return Err(Fault::usage("no prompt given")
            .hint("give a PROMPT argument, or pipe a prompt to standard input"));
    }
    // The receiver exists, so sending succeeds.
    let _ = sender.send(Command::Prompt(Prompt::Text(words)));
    let _ = sender.send(Command::Quit);
    Ok(refusals)
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

/// Reads messages and requests of a program, one per line.
fn read_stream(sender: &UnboundedSender<Command>, mut refuse: RefusalSender) {
    let lines = BufReader::new(std::io::stdin()).split(b'\n');
    for line in lines.map_while(Result::ok) {
        match command(&line) {
            Some(Ok(command)) => {
                if matches!(command, Command::Prompt(_)) {
                    refuse.pass();
                }
                if sender.send(command).is_err() {
                    return;
                }
            }
            Some(Err(why)) => refuse.refuse(why),
            None => {}
        }
    }
    let _ = sender.send(Command::Quit);
}

/// Parses a line; `None` if it is not understood.
fn command(line: &[u8]) -> Option<Result<Command, Refusal>> {
    let value = Value::parse(line.trim_ascii()).ok()?;
    let text = |value: Value<'_>, key: &str| value.get(key)?.text().map(|text| text.to_string());
    match text(value, "type")?.as_str() {
        "user" => {
            let content = value.get("message")?.get("content")?;
            Some(prompt::of(content)?.map(Command::Prompt))
        }
        "control_request" => {
            let request = value.get("request")?;
            let asked = match text(request, "subtype")?.as_str() {
                "interrupt" => Some(Command::Interrupt),
                "set_model" => Some(Command::SetModel(super::model::named(&text(request, "model")?))),
                "set_permission_mode" => {
                    // A program cannot switch permissions off either.
                    let mode = Mode::parse(&text(request, "mode")?)?;
                    (mode != Mode::Bypass).then_some(Command::SetMode(mode))
                }
                _ => None,
            };
            asked.map(Ok)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        let of = |line: &str| command(line.as_bytes());
        assert_eq!(
            of(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#),
            Some(Ok(Command::Prompt(Prompt::Text("hi".into()))))
        );
        assert_eq!(of(r#"{"type":"user","message":{"content":" "}}"#), Some(Err(Refusal::Nothing)));
        let blocks = r#"[{"type":"text","text":"hi"}]"#;
        assert_eq!(
            of(&format!(r#"{{"type":"user","message":{{"role":"user","content":{blocks}}}}}"#)),
            Some(Ok(Command::Prompt(Prompt::Blocks(blocks.into()))))
        );
        assert_eq!(
            of(r#"{"type":"control_request","request":{"subtype":"interrupt"}}"#),
            Some(Ok(Command::Interrupt))
        );
        let bypass = r#"{"type":"control_request","request":{"subtype":"set_permission_mode","mode":"bypassPermissions"}}"#;
        for nothing in [bypass, "", "no", r#"{"type":"user","message":{"content":7}}"#] {
            assert_eq!(of(nothing), None, "{nothing}");
        }
    }
}
