//! Scripts: what the API answers, as data. `{NAME: [STEP, …]}`, where a step is a list of content blocks or an object
//! with `content` and whatever else is to happen. This module reads them and finds the step that a request has come to.
//!
//! | in a step | means |
//! |---|---|
//! | `content` | the blocks; the API adds tool ids, signatures and redacted data where they are missing |
//! | `id`, `usage`, `stop_reason` | what differs from the usual |
//! | `status`, `error`, `message`, `headers` | an error of this status and type instead |
//! | `break_after_events` | the stream ends in the middle; without a stream there is no answer |
//! | `times` | how often the error or the break happens before the step goes well; always, if absent |
//! | `chunk_bytes` | the stream comes in pieces of this size, whatever they cut |
//! | `play` | what happens on the wire instead, part by part: any bytes, pauses, cuts and resets; see `play.rs` |
//!
//! `{{CWD}}` in any string stands for the client's work folder. A request without tools is an aside of the client's: it
//! gets the texts of the step and none of its faults.
//!
//! The server keeps no conversation: the newest user text that holds `@@NAME@@` names the script, and the number of
//! assistant messages after it is the step. So a script goes on over retries, resumes and sub-agents by itself.

use std::collections::BTreeMap;

use annals_json::{Value, ValueKind, write_string};

use super::play::WireAction;

/// The placeholder of the client's work folder.
const WORKDIR: &str = "{{CWD}}";
const MARK: &str = "@@";

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is not an object of lists.
    #[error("a script is an object {{NAME: [STEP, …]}}, not {found}")]
    NotAScript {
        /// How it begins.
        found: String,
    },
    /// A name that no prompt can hold.
    #[error("script {name:?}: a name has letters, digits, _ and - only")]
    Name { name: String },
    /// Something that is no step.
    #[error("script {name}: {found} is no step: a list of content blocks, or an object")]
    Step { name: String, found: String },
    /// A field that no step has.
    #[error("script {name}: unknown field {field:?} in a step")]
    Field { name: String, field: String },
    /// Something that is no content block.
    #[error("script {name}: {found} is no content block: it has no type")]
    ContentBlock { name: String, found: String },
    /// Something that cannot happen on the wire.
    #[error("script {name}: unknown action {found}")]
    WireAction { name: String, found: String },
}

/// The steps of every script, by name.
#[derive(Clone, Debug, Default)]
pub struct Script {
    steps: BTreeMap<String, Vec<Step>>,
}

/// One answer of the API.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// Content blocks, as JSON.
    pub(super) content: Vec<Vec<u8>>,
    /// Fields of the usage that differ from the usual, as JSON.
    pub(super) usage: Vec<(String, Vec<u8>)>,
    pub(super) stop_reason: Option<String>,
    /// The message's id; `None` derives one from the request.
    pub(super) id: Option<String>,
    pub(super) fault: Fault,
    /// How often the fault happens before the step goes well; always, where nothing is said.
    pub(super) times: Option<u64>,
    /// Write the body in pieces of this many bytes.
    pub(super) chunk_bytes: Option<usize>,
}

/// What goes wrong in a step.
#[derive(Clone, Debug, Default)]
pub(super) enum Fault {
    #[default]
    None,
    /// An error instead of a message.
    Status { status: u16, kind: String, message: String, headers: Vec<(String, String)> },
    /// The connection ends after this many events of the stream.
    BreakOff { events: usize },
    /// These things happen on the wire instead of an answer.
    Play(Vec<WireAction>),
}

/// The step that a request has come to.
#[derive(Clone, Debug)]
pub(super) struct StepPosition<'s> {
    pub(super) name: String,
    pub(super) number: usize,
    /// `None` if the script has no such step: then the answer is a line of text.
    pub(super) step: Option<&'s Step>,
}

impl Script {
    /// Reads `{NAME: [STEP, …]}`; a script that says nothing is `{}`.
    pub fn parse(text: &str, workdir: &str) -> Result<Self, ScriptError> {
        let mut quoted = Vec::new();
        write_string(&mut quoted, workdir);
        let inside = String::from_utf8_lossy(&quoted[1..quoted.len() - 1]).into_owned();
        let text = text.replace(WORKDIR, &inside);
        let parsed = Value::parse(text.as_bytes()).ok().and_then(Value::fields);
        let Some(scripts) = parsed else {
            return Err(ScriptError::NotAScript { found: beginning(&text) });
        };
        let mut steps = BTreeMap::new();
        for field in scripts.iter() {
            let name = field.key.to_string();
            if !is_name(&name) {
                return Err(ScriptError::Name { name });
            }
            if field.value.kind() != ValueKind::Array {
                return Err(ScriptError::Step { name, found: shown(field.value) });
            }
            let read: Result<Vec<Step>, _> = field.value.items().map(|step| read_step(&name, step)).collect();
            steps.insert(name, read?);
        }
        Ok(Self { steps })
    }

    /// Every step of every script.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.values().flatten()
    }

    /// The name and the number, from 0, of every step.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, usize)> {
        self.steps
            .iter()
            .flat_map(|(name, steps)| (0..steps.len()).map(move |number| (name.as_str(), number)))
    }

    /// Where a conversation is, given the role and the text of each of its messages.
    pub(super) fn place(&self, messages: &[(String, String)]) -> Option<StepPosition<'_>> {
        let mut number = 0;
        for (role, text) in messages.iter().rev() {
            match role.as_str() {
                "assistant" => number += 1,
                "user" => {
                    if let Some(name) = directive(text) {
                        let step = self.steps.get(name).and_then(|steps| steps.get(number));
                        return Some(StepPosition { name: name.to_owned(), number, step });
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The last name between marks.
fn directive(text: &str) -> Option<&str> {
    // What stands between two marks is every part but the first and the last.
    let parts: Vec<&str> = text.split(MARK).collect();
    let between = parts.get(1..parts.len() - 1)?;
    between.iter().copied().rfind(|part| is_name(part))
}

fn is_name(part: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    !part.is_empty() && part.chars().all(fits)
}

/// As much of a value as an error can show.
pub(super) fn shown(value: Value<'_>) -> String {
    beginning(&String::from_utf8_lossy(value.raw()))
}

fn beginning(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

fn read_step(script: &str, value: Value<'_>) -> Result<Step, ScriptError> {
    if value.kind() == ValueKind::Array {
        return Ok(Step { content: blocks(script, value)?, ..Step::default() });
    }
    let Some(fields) = value.fields() else {
        return Err(ScriptError::Step { name: script.to_owned(), found: shown(value) });
    };
    let mut step = Step::default();
    let text = |key: &str| fields.text(key).map(|text| text.to_string());
    for field in fields.iter() {
        match &*field.key.decode() {
            "content" => step.content = blocks(script, field.value)?,
            "usage" => step.usage = pairs(field.value, |value| value.raw().to_vec()),
            "stop_reason" => step.stop_reason = text("stop_reason"),
            "id" => step.id = text("id"),
            "times" => step.times = field.value.count(),
            "chunk_bytes" => step.chunk_bytes = field.value.count().map(|count| count.max(1) as usize),
            "break_after_events" => {
                let events = field.value.count().unwrap_or(0) as usize;
                step.fault = Fault::BreakOff { events };
            }
            "play" => {
                let parts: Result<_, _> =
                    field.value.items().map(|part| WireAction::read(script, part)).collect();
                step.fault = Fault::Play(parts?);
            }
            "status" => {
                step.fault = Fault::Status {
                    status: field.value.count().and_then(|code| u16::try_from(code).ok()).unwrap_or(500),
                    kind: text("error").unwrap_or_else(|| "api_error".to_owned()),
                    message: text("message").unwrap_or_else(|| "a scripted error".to_owned()),
                    headers: fields.get("headers").map_or_else(Vec::new, |headers| {
                        pairs(headers, |value| value.text().map_or_else(String::new, |text| text.to_string()))
                    }),
                };
            }
            // Read with the status.
            "error" | "message" | "headers" => {}
            other => {
                return Err(ScriptError::Field { name: script.to_owned(), field: other.to_owned() });
            }
        }
    }
    Ok(step)
}

fn blocks(script: &str, list: Value<'_>) -> Result<Vec<Vec<u8>>, ScriptError> {
    let checked = list.items().map(|block| match block.get("type") {
        Some(_) => Ok(block.raw().to_vec()),
        None => Err(ScriptError::ContentBlock { name: script.to_owned(), found: shown(block) }),
    });
    checked.collect()
}

fn pairs<T>(object: Value<'_>, read: impl Fn(Value<'_>) -> T) -> Vec<(String, T)> {
    let fields = object.fields();
    let all = fields.iter().flat_map(|fields| fields.iter());
    all.map(|field| (field.key.to_string(), read(field.value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(script: &Script, messages: &[(&str, &str)]) -> Option<(String, usize, bool)> {
        let owned: Vec<_> =
            messages.iter().map(|(role, text)| (role.to_string(), text.to_string())).collect();
        script.place(&owned).map(|place| (place.name.clone(), place.number, place.step.is_some()))
    }

    #[test]
    fn the_newest_directive_counts_and_answers_after_it_are_steps() {
        let script = Script::parse(r#"{"a":[[],[]],"b-2":[{"content":[]}]}"#, "/w").unwrap();
        assert_eq!(at(&script, &[("user", "hello")]), None);
        assert_eq!(at(&script, &[("user", "do @@a@@")]), Some(("a".into(), 0, true)));
        let asked = [("user", "@@a@@"), ("assistant", "x"), ("system", "@@b-2@@"), ("user", "results")];
        assert_eq!(at(&script, &asked), Some(("a".into(), 1, true)));
        let over = [("user", "@@a@@"), ("assistant", ""), ("assistant", ""), ("user", "on")];
        assert_eq!(at(&script, &over), Some(("a".into(), 2, false)));
        assert_eq!(at(&script, &[("user", "@@a@@ and @@b-2@@")]), Some(("b-2".into(), 0, true)));
        assert_eq!(at(&script, &[("user", "@@ a @@ or @@a")]), None);
    }

    #[test]
    fn the_work_folder_stands_where_it_is_named() {
        let script = Script::parse(r#"{"a":[[{"type":"text","text":"in {{CWD}}/x"}]]}"#, "/a \"b\"").unwrap();
        assert_eq!(script.steps["a"][0].content[0], br#"{"type":"text","text":"in /a \"b\"/x"}"#);
    }

    #[test]
    fn a_step_says_what_goes_wrong() {
        let script = Script::parse(
            r#"{"a":[{"status":529,"error":"overloaded_error","message":"busy","headers":{"retry-after":"1"},"times":2},
                     {"content":[],"break_after_events":3,"chunk_bytes":7,"usage":{"input_tokens":5},"stop_reason":"max_tokens"}]}"#,
            "",
        )
        .unwrap();
        let [first, second] = &script.steps["a"][..] else { panic!() };
        assert_eq!(first.times, Some(2));
        let Fault::Status { status: 529, kind, headers, .. } = &first.fault else { panic!("{first:?}") };
        assert_eq!((kind.as_str(), headers[0].0.as_str()), ("overloaded_error", "retry-after"));
        assert!(matches!(second.fault, Fault::BreakOff { events: 3 }) && second.chunk_bytes == Some(7));
        assert_eq!(second.usage, [("input_tokens".to_owned(), b"5".to_vec())]);
        assert_eq!(second.stop_reason.as_deref(), Some("max_tokens"));
    }

    #[test]
    fn what_is_misspelled_is_refused() {
        for (text, said) in [
            (r#"{"a":[{"contents":[]}]}"#, r#"script a: unknown field "contents" in a step"#),
            (r#"{"a":[[{"text":"x"}]]}"#, r#"script a: {"text":"x"} is no content block: it has no type"#),
            (r#"{"a":[7]}"#, "script a: 7 is no step: a list of content blocks, or an object"),
            (r#"{"a":{}}"#, "script a: {} is no step: a list of content blocks, or an object"),
            (r#"{"a":[{"play":[{"bytes":[1]}]}]}"#, r#"script a: unknown action {"bytes":[1]}"#),
            (r#"{"a b":[]}"#, r#"script "a b": a name has letters, digits, _ and - only"#),
            ("[]", "a script is an object {NAME: [STEP, …]}, not []"),
        ] {
            assert_eq!(Script::parse(text, "").unwrap_err().to_string(), said);
        }
    }
}
