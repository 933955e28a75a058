//! One answer as a message: the blocks of a step with what the API adds to them (ids, signatures), a stop reason, usage.

use annals_json::{ArrayWriter, Fields, ObjectWriter, Value};

use super::script::StepPosition;
use super::sign;

/// A message of the assistant, ready to be sent whole or as a stream.
#[derive(Clone, Debug)]
pub(super) struct AssistantMessage {
    pub(super) id: String,
    pub(super) model: String,
    /// Content blocks, as JSON.
    pub(super) content: Vec<Vec<u8>>,
    pub(super) stop_reason: String,
    pub(super) usage: Vec<(String, Vec<u8>)>,
}

/// What an answer takes from its request.
#[derive(Clone, Debug)]
pub(super) struct RequestContext<'r> {
    /// The messages of the request, as JSON: ids follow from them, so that no id comes twice in a conversation.
    pub(super) messages: &'r [u8],
    pub(super) model: String,
    /// Requests without tools are the client's own asides (titles, topics): they never get a tool call.
    pub(super) has_tools: bool,
}

/// The answer to a request that has come to this place.
pub(super) fn compose(question: &RequestContext<'_>, place: Option<&StepPosition<'_>>) -> AssistantMessage {
    let name = place.map_or("", |place| place.name.as_str());
    let step = place.and_then(|place| place.step);
    let mut content = Vec::new();
    for (number, block) in step.iter().flat_map(|step| &step.content).enumerate() {
        if let Some(block) = finish(block, number, name, question) {
            content.push(block);
        }
    }
    if content.is_empty() {
        let line = match (place, step) {
            (Some(place), None) => format!("done {name} after {} steps", place.number),
            _ => "a scripted reply".to_owned(),
        };
        content.push(text_block(&line));
    }
    let calls = content.iter().any(|block| kind_of(block) == "tool_use");
    let usual = if calls { "tool_use" } else { "end_turn" };
    AssistantMessage {
        id: step
            .and_then(|step| step.id.clone())
            .unwrap_or_else(|| sign::identifier("msg", &[question.messages, name.as_bytes()])),
        model: question.model.clone(),
        content,
        stop_reason: step.and_then(|step| step.stop_reason.clone()).unwrap_or_else(|| usual.to_owned()),
        usage: usage(step.map_or(&[], |step| step.usage.as_slice())),
    }
}

/// A block with what its script left to the API; nothing where this request must not get it.
fn finish(block: &[u8], number: usize, name: &str, question: &RequestContext<'_>) -> Option<Vec<u8>> {
    let fields = Value::parse(block).ok()?.fields()?;
    let kind = kind_of(block);
    let missing = |key: &str| fields.get(key).is_none();
    let own = |key: &str| fields.text(key).map_or_else(String::new, |text| text.to_string());
    let added = match kind.as_str() {
        "tool_use" if !question.has_tools => return None,
        "tool_use" if missing("id") => {
            let seed = [question.messages, name.as_bytes(), &number.to_be_bytes()];
            Some(("id", sign::identifier("toolu", &seed)))
        }
        "thinking" if missing("signature") => Some(("signature", sign::signature(&own("thinking")))),
        "redacted_thinking" if missing("data") => Some(("data", sign::redacted(name))),
        _ => None,
    };
    Some(with(&fields, added))
}

/// The object with one more field, behind its `type`.
fn with(fields: &Fields<'_>, added: Option<(&str, String)>) -> Vec<u8> {
    let Some((key, value)) = added else { return fields.raw().to_vec() };
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    for field in fields.iter() {
        object.raw(&field.key.decode(), field.value.raw());
        if field.key.is("type") {
            object.string(key, &value);
        }
    }
    object.end();
    out
}

/// The `type` of a block.
pub(super) fn kind_of(block: &[u8]) -> String {
    let kind = Value::parse(block).ok().and_then(|block| block.get("type")).and_then(Value::text);
    kind.map_or_else(String::new, |kind| kind.to_string())
}

fn text_block(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = ObjectWriter::begin(&mut out);
    object.string("type", "text").string("text", text);
    object.end();
    out
}

fn usage(said: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let usual = [
        ("input_tokens", "10"),
        ("cache_creation_input_tokens", "0"),
        ("cache_read_input_tokens", "0"),
        ("output_tokens", "20"),
    ];
    let mut usage: Vec<_> =
        usual.map(|(key, value)| (key.to_owned(), value.as_bytes().to_vec())).into_iter().collect();
    for (key, value) in said {
        match usage.iter_mut().find(|(known, _)| known == key) {
            Some(entry) => entry.1.clone_from(value),
            None => usage.push((key.clone(), value.clone())),
        }
    }
    usage
}

impl AssistantMessage {
    /// The message as the API sends it in one piece.
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out, &self.content, Some(&self.stop_reason), &self.usage);
        out
    }

    /// The message as a stream opens it: nothing in it yet, one token so far.
    pub(super) fn opening(&self) -> Vec<u8> {
        let mut usage = self.usage.clone();
        if let Some(entry) = usage.iter_mut().find(|(key, _)| key == "output_tokens") {
            entry.1 = b"1".to_vec();
        }
        let mut out = Vec::new();
        self.write(&mut out, &[], None, &usage);
        out
    }

    fn write(
        &self,
        out: &mut Vec<u8>,
        content: &[Vec<u8>],
        stop_reason: Option<&str>,
        usage: &[(String, Vec<u8>)],
    ) {
        let mut object = ObjectWriter::begin(out);
        object.string("id", &self.id).string("type", "message").string("role", "assistant");
        object.string("model", &self.model);
        object.array("content", |list: &mut ArrayWriter<'_>| {
            for block in content {
                list.item().extend_from_slice(block);
            }
        });
        object.string_or_null("stop_reason", stop_reason).raw("stop_sequence", b"null");
        object.object("usage", |object| {
            for (key, value) in usage {
                object.raw(key, value);
            }
        });
        object.end();
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Script;
    use super::*;

    fn ask(script: &str, text: &str, has_tools: bool) -> String {
        let script = Script::parse(script, "").unwrap();
        let messages = [("user".to_owned(), text.to_owned())];
        let question = RequestContext { messages: text.as_bytes(), model: "m".into(), has_tools };
        let message = compose(&question, script.place(&messages).as_ref());
        String::from_utf8(message.to_json()).unwrap()
    }

    const SCRIPT: &str = r#"{"a":[{"content":[{"type":"thinking","thinking":"plan"},{"type":"tool_use","name":"Bash","input":{}},
        {"type":"tool_use","id":"mine","name":"Bash","input":{}}],"usage":{"output_tokens":7}}]}"#;

    #[test]
    fn the_api_adds_ids_and_signatures() {
        let answer = ask(SCRIPT, "@@a@@", true);
        let signed =
            format!(r#"{{"type":"thinking","signature":"{}","thinking":"plan"}}"#, sign::signature("plan"));
        assert!(answer.contains(&signed), "{answer}");
        assert!(answer.contains(r#""id":"mine""#) && answer.contains(r#""stop_reason":"tool_use""#));
        assert!(answer.contains(r#"{"type":"tool_use","id":"toolu_01"#));
        assert!(answer.contains(r#""cache_read_input_tokens":0,"output_tokens":7}"#));
        assert_eq!(answer, ask(SCRIPT, "@@a@@", true));
        assert_ne!(answer, ask(SCRIPT, "again @@a@@", true), "a longer conversation gets other ids");
    }

    #[test]
    fn a_script_may_name_the_message() {
        for id in ["", "msg_mine"] {
            let script = format!(r#"{{"a":[{{"content":[{{"type":"text","text":"x"}}],"id":"{id}"}}]}}"#);
            assert!(ask(&script, "@@a@@", true).contains(&format!(r#"{{"id":"{id}","type":"message""#)));
        }
    }

    #[test]
    fn asides_get_text_only() {
        let answer = ask(SCRIPT, "@@a@@", false);
        assert!(!answer.contains("tool_use") && answer.contains(r#""stop_reason":"end_turn""#));
    }

    #[test]
    fn without_a_step_there_is_a_line_of_text() {
        assert!(ask("{}", "hello", true).contains("a scripted reply"));
        assert!(ask("{}", "@@gone@@", true).contains("done gone after 0 steps"));
    }
}
