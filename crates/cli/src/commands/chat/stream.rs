//! Messages and requests of a program on standard input, one per line. Whatever is not understood is answered.

use std::io::{BufRead, BufReader};

use annals_agent::protocol::Command;
use annals_json::Value;
use annals_policy::Mode;
use tokio::sync::mpsc::UnboundedSender;

use super::model::ModelNames;
use super::prompt::{self, Refusal};
use super::refusals::{ControlReply, InputReply, RefusalSender};
use super::{built_in, input};

/// Lines of the protocol that need no answer here.
const SILENT: [&str; 3] = ["control_cancel_request", "control_response", "keep_alive"];

/// What a line asks for, and how it is answered without the conversation.
#[derive(Debug, Default, PartialEq, Eq)]
struct StreamLine {
    command: Option<Command>,
    reply: Option<InputReply>,
}

/// Reads lines until the end, or to the first that is not JSON: then the two sides do not speak of the same any more.
pub(super) fn read(models: &ModelNames, sender: &UnboundedSender<Command>, mut refuse: RefusalSender) {
    let lines = BufReader::new(std::io::stdin()).split(b'\n');
    for (number, line) in lines.map_while(Result::ok).enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let Ok(value) = Value::parse(line) else {
            refuse.refuse(Refusal::NotJson(number + 1));
            break;
        };
        let StreamLine { command, reply } = parse(value, models);
        if let Some(reply) = reply {
            refuse.reply(reply);
        }
        let Some(command) = command else { continue };
        if input::is_turn(&command) {
            refuse.pass();
        }
        if sender.send(command).is_err() {
            return;
        }
    }
    let _ = sender.send(Command::Quit);
}

fn parse(value: Value<'_>, models: &ModelNames) -> StreamLine {
    match text(value, "type").as_deref() {
        Some("user") => match message(value) {
            Ok(command) => StreamLine { command: Some(command), reply: None },
            Err(why) => StreamLine { command: None, reply: Some(InputReply::Refused(why)) },
        },
        Some("control_request") => control(value, models),
        Some(kind) if SILENT.contains(&kind) => StreamLine::default(),
        kind => {
            let kind = kind.unwrap_or("without a type");
            let reply = InputReply::Ignored(format!("ignoring a line of standard input: {kind}"));
            StreamLine { command: None, reply: Some(reply) }
        }
    }
}

fn message(value: Value<'_>) -> Result<Command, Refusal> {
    let content = value.get("message").and_then(|message| message.get("content"));
    let prompt = content.and_then(prompt::of).ok_or(Refusal::NoContent)??;
    built_in::of(&prompt).unwrap_or(Ok(Command::Prompt(prompt)))
}

/// Carries out a control request. One without an id expects no answer, but learns of an error.
fn control(value: Value<'_>, models: &ModelNames) -> StreamLine {
    let done = value.get("request").ok_or_else(|| "the request is missing".to_owned());
    let done = done.and_then(|request| control_command(request, models));
    let request = text(value, "request_id");
    let (command, error) = match done {
        Ok(command) => (Some(command), None),
        Err(error) => (None, Some(error)),
    };
    let is_answered = request.is_some() || error.is_some();
    StreamLine { command, reply: is_answered.then_some(InputReply::Control(ControlReply { request, error })) }
}

fn control_command(request: Value<'_>, models: &ModelNames) -> Result<Command, String> {
    let missing = |key: &str| format!("{key} is missing");
    let subtype = text(request, "subtype").ok_or_else(|| missing("subtype"))?;
    match subtype.as_str() {
        "interrupt" => Ok(Command::Interrupt),
        "set_model" => {
            let model = text(request, "model").ok_or_else(|| missing("model"))?;
            Ok(Command::SetModel(models.named(&model)))
        }
        "set_permission_mode" => {
            let name = text(request, "mode").ok_or_else(|| missing("mode"))?;
            match Mode::parse(&name) {
                // A program cannot switch permissions off either.
                Some(Mode::Bypass) => Err(format!("{name} must be chosen at the start")),
                Some(mode) => Ok(Command::SetMode(mode)),
                None => Err(format!("unknown permission mode {name:?}")),
            }
        }
        other => Err(format!("unsupported request {other:?}")),
    }
}

fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key)?.text().map(|text| text.to_string())
}

#[cfg(test)]
mod tests {
    use annals_agent::protocol::Prompt;

    use super::*;

    fn of(line: &str) -> StreamLine {
        parse(Value::parse(line.as_bytes()).unwrap(), &ModelNames::default())
    }

    fn command(line: &str) -> Option<Command> {
        of(line).command
    }

    #[test]
    fn lines_are_commands() {
        assert_eq!(
            command(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#),
            Some(Command::Prompt(Prompt::Text("hi".into())))
        );
        let blocks = r#"[{"type":"text","text":"hi"}]"#;
        assert_eq!(
            command(&format!(r#"{{"type":"user","message":{{"role":"user","content":{blocks}}}}}"#)),
            Some(Command::Prompt(Prompt::Blocks(blocks.into())))
        );
        assert_eq!(
            of(r#"{"type":"control_request","request":{"subtype":"interrupt"}}"#),
            StreamLine { command: Some(Command::Interrupt), reply: None }
        );
        assert_eq!(
            command(r#"{"type":"user","message":{"content":"/compact tests"}}"#),
            Some(Command::Compact(Some("tests".into())))
        );
    }

    #[test]
    fn what_is_refused_is_answered() {
        let refused = |line: &str| match of(line) {
            StreamLine { command: None, reply: Some(InputReply::Refused(why)) } => Some(why),
            _ => None,
        };
        let said =
            |content: &str| refused(&format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#));
        assert_eq!(said(r#"" ""#), Some(Refusal::Nothing));
        assert_eq!(said("7"), Some(Refusal::NoContent));
        assert_eq!(refused(r#"{"type":"user"}"#), Some(Refusal::NoContent));
        assert_eq!(said(r#""/cost""#), Some(Refusal::TerminalOnly("cost")));
    }

    #[test]
    fn requests_are_answered() {
        let reply = |request: &str| {
            let line = of(&format!(r#"{{"type":"control_request","request_id":"r1","request":{request}}}"#));
            match line.reply {
                Some(InputReply::Control(ControlReply { request: Some(id), error })) if id == "r1" => error,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(reply(r#"{"subtype":"interrupt"}"#), None);
        assert_eq!(reply(r#"{"subtype":"set_permission_mode","mode":"plan"}"#), None);
        for request in [
            r#"{"subtype":"set_permission_mode","mode":"bypassPermissions"}"#,
            r#"{"subtype":"set_permission_mode","mode":"sometimes"}"#,
            r#"{"subtype":"set_model"}"#,
            r#"{"subtype":"mcp_status"}"#,
            "{}",
        ] {
            assert!(reply(request).is_some(), "{request}");
        }
        assert!(of(r#"{"type":"control_request","request":{"subtype":"x"}}"#).reply.is_some());
    }

    #[test]
    fn nothing_is_dropped_without_a_word() {
        for line in [r#"{"type":"custom"}"#, "{}", "7", "[]"] {
            assert!(matches!(of(line).reply, Some(InputReply::Ignored(_))), "{line}");
        }
        assert_eq!(of(r#"{"type":"keep_alive"}"#), StreamLine::default());
    }
}
