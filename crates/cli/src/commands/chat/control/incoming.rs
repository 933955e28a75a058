//! Lines that a program sends on standard input: messages, requests, and answers to ours.

use std::io::{BufRead, BufReader};

use annals_agent::protocol::Prompt;
use annals_json::{RawJson, Value};
use tokio::sync::mpsc::UnboundedSender;

use super::super::prompt::{self, Refusal};

/// Lines of the protocol that need no answer.
const SILENT: [&str; 1] = ["keep_alive"];

/// What a line says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Incoming {
    Prompt(Prompt),
    /// A message that cannot be a prompt.
    Refused(Refusal),
    Request(ControlRequest),
    /// The answer to a request of ours: JSON, or why there is none.
    Answer(String, Result<Vec<u8>, String>),
    /// Something that is not understood, and why.
    Ignored(String),
    /// There is no more.
    End,
}

/// A request of the program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ControlRequest {
    /// The id, if it expects an answer.
    pub(super) id: Option<String>,
    pub(super) subtype: String,
    /// The request with its parameters: a JSON object.
    pub(super) body: Vec<u8>,
}

impl ControlRequest {
    /// Returns a text parameter.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        text(Value::parse(&self.body).ok()?, key)
    }

    /// Returns a parameter that is there and not null: JSON.
    pub(super) fn get(&self, key: &str) -> Option<RawJson> {
        let value = Value::parse(&self.body).ok()?.get(key).filter(|value| !value.is_null());
        value.map(RawJson::of)
    }
}

/// Reads lines until the end, or to the first that is not JSON: then the two sides do not speak of the same any more.
pub(super) fn read(sender: &UnboundedSender<Incoming>) {
    let lines = BufReader::new(std::io::stdin()).split(b'\n');
    for (number, line) in lines.map_while(Result::ok).enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let Ok(value) = Value::parse(line) else {
            let _ = sender.send(Incoming::Refused(Refusal::NotJson(number + 1)));
            break;
        };
        if let Some(incoming) = parse(value)
            && sender.send(incoming).is_err()
        {
            return;
        }
    }
    let _ = sender.send(Incoming::End);
}

fn parse(value: Value<'_>) -> Option<Incoming> {
    Some(match text(value, "type").as_deref() {
        Some("user") => message(value).map_or_else(Incoming::Refused, Incoming::Prompt),
        Some("control_request") => request(value),
        Some("control_response") => answer(value)?,
        Some("control_cancel_request") => {
            Incoming::Ignored("ignoring a control_cancel_request: requests are answered at once".to_owned())
        }
        Some(kind) if SILENT.contains(&kind) => return None,
        kind => {
            let kind = kind.unwrap_or("without a type");
            Incoming::Ignored(format!("ignoring a line of standard input: {kind}"))
        }
    })
}

fn message(value: Value<'_>) -> Result<Prompt, Refusal> {
    let content = value.get("message").and_then(|message| message.get("content"));
    let prompt = content.and_then(prompt::of).ok_or(Refusal::NoContent)??;
    Ok(match text(value, "uuid") {
        Some(uuid) => Prompt::Named { uuid, prompt: Box::new(prompt) },
        None => prompt,
    })
}

fn request(value: Value<'_>) -> Incoming {
    let body = value.get("request");
    let subtype = body.and_then(|body| text(body, "subtype")).unwrap_or_default();
    let body = body.map_or_else(|| b"{}".to_vec(), |body| body.raw().to_vec());
    Incoming::Request(ControlRequest { id: text(value, "request_id"), subtype, body })
}

fn answer(value: Value<'_>) -> Option<Incoming> {
    let response = value.get("response")?;
    let id = text(response, "request_id")?;
    let answer = match text(response, "subtype").as_deref() {
        Some("error") => {
            Err(text(response, "error").unwrap_or_else(|| "an error without a message".to_owned()))
        }
        _ => Ok(response.get("response").map_or_else(|| b"{}".to_vec(), |answer| answer.raw().to_vec())),
    };
    Some(Incoming::Answer(id, answer))
}

pub(super) fn text(value: Value<'_>, key: &str) -> Option<String> {
    value.get(key)?.text().map(|text| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Incoming> {
        parse(Value::parse(line.as_bytes()).unwrap())
    }

    #[test]
    fn lines_are_prompts_requests_and_answers() {
        let hi = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;
        assert_eq!(of(hi), Some(Incoming::Prompt(Prompt::Text("hi".into()))));
        let blocks = r#"[{"type":"text","text":"hi"}]"#;
        let line = format!(r#"{{"type":"user","uuid":"u","message":{{"content":{blocks}}}}}"#);
        let prompt = Box::new(Prompt::Blocks(blocks.into()));
        assert_eq!(of(&line), Some(Incoming::Prompt(Prompt::Named { uuid: "u".into(), prompt })));
        let Some(Incoming::Request(request)) = of(
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"set_model","model":null,"x":"y"}}"#,
        ) else {
            panic!("a request");
        };
        assert_eq!((request.id.as_deref(), request.subtype.as_str()), (Some("r"), "set_model"));
        assert_eq!((request.text("x").as_deref(), request.get("model")), (Some("y"), None));
        let answer = r#"{"type":"control_response","response":{"subtype":"success","request_id":"q","response":{"a":1}}}"#;
        assert_eq!(of(answer), Some(Incoming::Answer("q".into(), Ok(br#"{"a":1}"#.to_vec()))));
        let error =
            r#"{"type":"control_response","response":{"subtype":"error","request_id":"q","error":"no"}}"#;
        assert_eq!(of(error), Some(Incoming::Answer("q".into(), Err("no".into()))));
    }

    #[test]
    fn what_is_refused_is_said() {
        let said = |content: &str| of(&format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#));
        assert_eq!(said(r#"" ""#), Some(Incoming::Refused(Refusal::Nothing)));
        assert_eq!(said("7"), Some(Incoming::Refused(Refusal::NoContent)));
        assert_eq!(of(r#"{"type":"user"}"#), Some(Incoming::Refused(Refusal::NoContent)));
        for line in [r#"{"type":"custom"}"#, "{}", "7", "[]"] {
            assert!(matches!(of(line), Some(Incoming::Ignored(_))), "{line}");
        }
        assert_eq!(of(r#"{"type":"keep_alive"}"#), None);
    }
}
