//! Prompts: from the arguments, from standard input, or one a line from a program.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use annals_agent::command::{Command, Prompt};
use annals_json::Value;
use annals_policy::Mode;
use tokio::sync::mpsc::UnboundedSender;

use super::prompt::{self, Refusal};
use super::refusals::{Refusals, Refuse};
use crate::args::{ChatArgs, ChatInput};
use crate::context::Context;
use crate::error::Fault;

/// No more of standard input is taken as one prompt.
const MOST_BYTES: u64 = 10 << 20;
/// So long standard input may keep silent where there is a prompt without it.
const SILENCE: Duration = Duration::from_secs(3);

/// Gives what is to be said, and then the end; what is not said is told apart.
pub(super) fn start(
    args: &ChatArgs,
    sender: UnboundedSender<Command>,
    context: &Context,
) -> Result<Refusals, Fault> {
    let (refuse, refusals) = Refusals::channel();
    if args.input_format == ChatInput::StreamJson {
        thread::spawn(move || read_stream(&sender, refuse));
        return Ok(refusals);
    }
    let silence = args.prompt.as_ref().map(|_| SILENCE);
    let piped = if context.has_person() { None } else { read_text(silence)? };
    let words = [args.prompt.clone(), piped].into_iter().flatten().filter(|words| !words.trim().is_empty());
    let words = words.collect::<Vec<_>>().join("\n\n");
    if words.is_empty() {
        return Err(Fault::usage("there is nothing to say")
            .hint("annals chat -p PROMPT, or a prompt on standard input"));
    }
    // The other end is there: it is read from here on.
    let _ = sender.send(Command::Prompt(Prompt::Text(words)));
    let _ = sender.send(Command::Quit);
    Ok(refusals)
}

/// Standard input to its end; nothing where it keeps silent for longer than it may.
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
        if all.len() as u64 > MOST_BYTES {
            return Err(Fault::usage("standard input has more than 10 MB"));
        }
    }
    let text = String::from_utf8(all).map_err(|_| Fault::usage("standard input is not UTF-8"))?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A thread that reads, so that nobody waits for ever for a writer that says nothing.
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

/// Messages and requests of a program, a line each.
fn read_stream(sender: &UnboundedSender<Command>, mut refuse: Refuse) {
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

/// What a line asks for; one that is not understood asks for nothing.
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
                    // What no mode may open is not opened by a line either.
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
