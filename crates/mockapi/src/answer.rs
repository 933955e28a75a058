//! What a request gets: the error of the first rule that it breaks, or what the script says at its place.

use std::collections::{BTreeMap, BTreeSet};

use annals_json::{Fields, ObjectWriter, Value};

use super::http::Request;
use super::message::{RequestContext, compose};
use super::play::WireAction;
use super::script::{Fault, Script, Step, StepPosition};
use super::sse;
use super::validate::{Rule, Violation, check_headers, excuse_served, validate, validate_count};

/// The largest body that the API takes.
const MAX_BODY_BYTES: usize = 32 << 20;

/// Which steps were played, by script and step.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayProgress {
    /// How often the fault of a step has happened.
    faults: BTreeMap<(String, usize), u64>,
    /// The steps that are finished.
    over: BTreeSet<(String, usize)>,
}

impl PlayProgress {
    /// Whether the step was played, faults included.
    pub(super) fn is_over(&self, name: &str, number: usize) -> bool {
        self.over.contains(&(name.to_owned(), number))
    }
}

/// The answer to a request.
#[derive(Debug)]
pub(super) enum Reply {
    Json {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    Stream {
        events: Vec<Vec<u8>>,
        end: StreamEnd,
        chunk_bytes: Option<usize>,
    },
    /// What happens on the wire, and the events of the message that it may be about.
    Play {
        parts: Vec<WireAction>,
        events: Vec<Vec<u8>>,
    },
    HangUp,
}

/// Whether a stream is sent to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    No,
    Yes,
}

impl Reply {
    /// The status that the client sees; `None` without an answer.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Json { status, .. } => Some(*status),
            Self::Stream { .. } | Self::Play { .. } => Some(200),
            Self::HangUp => None,
        }
    }
}

/// The answer to a request, and the rules that it breaks.
pub(super) fn answer(
    request: &Request,
    number: usize,
    script: &Script,
    played: &mut PlayProgress,
) -> (Reply, Vec<Violation>) {
    let path = request.path.split('?').next().unwrap_or("");
    let check: fn(&[u8]) -> Vec<Violation> = match (request.method.as_str(), path) {
        ("POST", "/v1/messages") => validate,
        ("POST", "/v1/messages/count_tokens") => validate_count,
        _ => return (error(404, "not_found_error", "Not Found", number), vec![]),
    };
    if request.body.len() > MAX_BODY_BYTES {
        let text = "Request exceeds the maximum size";
        return (error(413, "request_too_large", text, number), vec![]);
    }
    let mut violations = [check_headers(&request.headers), check(&request.body)].concat();
    excuse_served(&mut violations, &request.body, script);
    let reply = match (violations.first(), Value::parse(&request.body).ok().and_then(Value::fields)) {
        (Some(violation), _) => refuse(violation, number),
        (None, Some(body)) if path.ends_with("/count_tokens") => count(&body),
        (None, Some(body)) => play(&body, number, script, played),
        (None, None) => Reply::HangUp,
    };
    (reply, violations)
}

fn refuse(violation: &Violation, number: usize) -> Reply {
    let (status, kind) = match violation.rule {
        Rule::KeyHeader => (401, "authentication_error"),
        _ => (400, "invalid_request_error"),
    };
    error(status, kind, &format!("{}: {}", violation.place, violation.message), number)
}

fn error(status: u16, kind: &str, message: &str, number: usize) -> Reply {
    let mut body = Vec::new();
    let mut object = ObjectWriter::begin(&mut body);
    object.string("type", "error").object("error", |object| {
        object.string("type", kind).string("message", message);
    });
    object.string("request_id", &request_id(number));
    object.end();
    Reply::Json { status, headers: vec![], body }
}

/// The id of the request of this number.
pub(super) fn request_id(number: usize) -> String {
    format!("req_scripted_{number:04}")
}

fn count(body: &Fields<'_>) -> Reply {
    let tokens = (body.raw().len() / 4).max(1);
    Reply::Json { status: 200, headers: vec![], body: format!(r#"{{"input_tokens":{tokens}}}"#).into_bytes() }
}

fn play(body: &Fields<'_>, number: usize, script: &Script, played: &mut PlayProgress) -> Reply {
    let has_tools = body.get("tools").is_some_and(|tools| tools.items().next().is_some());
    let place = script.place(&conversation(body));
    let step = place.as_ref().and_then(|place| place.step);
    // The client's own asides share the prompt with the real request; they must not use up its faults.
    let fault = match (&place, step) {
        (Some(place), Some(step)) if has_tools => due(place, step, played),
        _ => &Fault::None,
    };
    if let (Some(place), Some(step)) = (&place, step)
        && (matches!(fault, Fault::None) || step.times.is_none())
    {
        played.over.insert((place.name.clone(), place.number));
    }
    let question = RequestContext {
        messages: body.get("messages").map_or(&[], Value::raw),
        model: body.text("model").map_or_else(String::new, |model| model.to_string()),
        has_tools,
    };
    let message = compose(&question, place.as_ref());
    let chunk_bytes = step.and_then(|step| step.chunk_bytes);
    match fault {
        Fault::Status { status, kind, message, headers } => {
            let Reply::Json { status, body, .. } = error(*status, kind, message, number) else {
                return Reply::HangUp;
            };
            Reply::Json { status, headers: headers.clone(), body }
        }
        Fault::Play(parts) => Reply::Play { parts: parts.clone(), events: sse::events(&message) },
        Fault::BreakOff { .. } if !body.is_true("stream") => Reply::HangUp,
        Fault::BreakOff { events } => {
            let kept = sse::events(&message).into_iter().take(*events).collect();
            Reply::Stream { events: kept, end: StreamEnd::Yes, chunk_bytes }
        }
        Fault::None if body.is_true("stream") => {
            Reply::Stream { events: sse::events(&message), end: StreamEnd::No, chunk_bytes }
        }
        Fault::None => Reply::Json { status: 200, headers: vec![], body: message.to_json() },
    }
}

/// The step's fault, unless it has happened as often as it should.
fn due<'s>(place: &StepPosition<'s>, step: &'s Step, played: &mut PlayProgress) -> &'s Fault {
    let times = played.faults.entry((place.name.clone(), place.number)).or_default();
    *times += 1;
    if step.times.is_some_and(|most| *times > most) { &Fault::None } else { &step.fault }
}

/// Role and text of each message.
fn conversation(body: &Fields<'_>) -> Vec<(String, String)> {
    let text = |value: Option<Value<'_>>| value.and_then(Value::text).map(|text| text.to_string());
    let messages = body.get("messages");
    let spoken = messages.iter().flat_map(|list| list.items()).map(|message| {
        let content = message.get("content");
        let said = text(content).unwrap_or_else(|| {
            let blocks = content.iter().flat_map(|content| content.items());
            let texts = blocks
                .filter(|block| block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("text")));
            texts.filter_map(|block| text(block.get("text"))).collect::<Vec<_>>().join("\n")
        });
        (text(message.get("role")).unwrap_or_default(), said)
    });
    spoken.collect()
}
