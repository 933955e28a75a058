//! Lines of `stream-json` that tell of messages, sub-agents and retries.

use std::time::Instant;

use annals_agent::api::call::ScheduledRetry;
use annals_agent::api::stream::StreamEvent;
use annals_agent::protocol::{Event, TaskNotification, ToolProgress, WrittenLine};
use annals_json::{ObjectWriter, Value};
use annals_store::source::{Clock, new_uuid};
use annals_transcript::time::format_millis;

use super::print::text_of;
use crate::source::SystemSource;

/// What is printed beside the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FrameOptions {
    /// Pieces of messages as they come.
    pub(super) is_partial: bool,
    /// Prompts, once they are accepted.
    pub(super) is_replaying: bool,
    /// What sub-agents say, not only what they call.
    pub(super) has_subagent_text: bool,
}

/// A sub-agent at work.
#[derive(Clone, Debug)]
pub(super) struct Subtask {
    kind: String,
    description: String,
    prompt: String,
    /// Its id, once it has started.
    pub(super) agent: Option<String>,
    is_background: bool,
    began: Instant,
    /// The tokens of its last response.
    tokens: u64,
    /// The number of its calls.
    tool_uses: u64,
}

impl Subtask {
    /// Reads the call of the tool that starts one.
    pub(super) fn of_call(tool: &str, input: &[u8]) -> Option<Self> {
        let text = |key: &str| text_of(input, key).unwrap_or_default();
        matches!(tool, "Agent" | "Task").then(|| Self {
            kind: text("subagent_type"),
            description: text("description"),
            prompt: text("prompt"),
            agent: None,
            is_background: Value::parse(input)
                .ok()
                .and_then(|input| input.get("run_in_background")?.boolean())
                .unwrap_or(false),
            began: Instant::now(),
            tokens: 0,
            tool_uses: 0,
        })
    }

    /// Notes what its last response took.
    pub(super) fn count(&mut self, line: &WrittenLine) {
        let usage = Value::parse(&line.message).ok().and_then(|message| message.get("usage"));
        let of = |key: &str| usage.and_then(|usage| usage.get(key)?.count()).unwrap_or(0);
        let read = of("input_tokens") + of("cache_creation_input_tokens") + of("cache_read_input_tokens");
        self.tokens = read + of("output_tokens");
    }

    /// Notes a call; returns itself if it has started.
    pub(super) fn call(&mut self) -> Option<Self> {
        self.tool_uses += 1;
        self.is_started().then(|| self.clone())
    }

    /// Tells how far it is, and which tool it uses.
    pub(super) fn progress(&self, object: &mut ObjectWriter<'_>, (call, tool): (&str, &str)) {
        object.string("task_id", self.agent.as_deref().unwrap_or_default()).string("tool_use_id", call);
        object.string("description", &self.description);
        self.usage(object);
        object.string("last_tool_name", tool);
    }

    fn usage(&self, object: &mut ObjectWriter<'_>) {
        object.object("usage", |usage| {
            usage.number("total_tokens", self.tokens).number("tool_uses", self.tool_uses);
            usage.number("duration_ms", u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        });
    }

    /// Notes its start; returns itself if it has just started.
    pub(super) fn start(&mut self, progress: &ToolProgress) -> Option<Self> {
        let ToolProgress::SubagentStarted { agent, .. } = progress else { return None };
        self.agent = Some(agent.clone());
        Some(self.clone())
    }

    pub(super) fn is_started(&self) -> bool {
        self.agent.is_some()
    }

    pub(super) fn started(&self, object: &mut ObjectWriter<'_>, call: &str) {
        object.string("task_id", self.agent.as_deref().unwrap_or_default()).string("tool_use_id", call);
        object.string("description", &self.description).string("subagent_type", &self.kind);
        object
            .string("task_type", "local_agent")
            .string("prompt", &self.prompt)
            .boolean("is_backgrounded", self.is_background);
    }

    pub(super) fn notification(&self, object: &mut ObjectWriter<'_>, call: &str) {
        object.string("task_id", self.agent.as_deref().unwrap_or_default()).string("tool_use_id", call);
        object.string("status", "completed").string("output_file", "").string("summary", &self.description);
        self.usage(object);
    }

    /// Returns whether its call did not wait for it, by the result of the call.
    pub(super) fn is_launched(line: &WrittenLine) -> bool {
        text_of(&line.result, "status").is_some_and(|status| status == "async_launched")
    }

    fn write(&self, object: &mut ObjectWriter<'_>) {
        object.string_if("agent_id", self.agent.as_deref()).string("subagent_type", &self.kind);
        object.string("task_description", &self.description);
    }
}

/// Tells that a command has started in the background.
pub(super) fn command_started(object: &mut ObjectWriter<'_>, (id, call): (&str, &str), description: &str) {
    object.string("task_id", id).string("tool_use_id", call).string("description", description);
    object.boolean("is_backgrounded", true).string("task_type", "local_bash");
}

/// Returns what a command is called that may start in the background.
pub(super) fn command_name(tool: &str, input: &[u8]) -> Option<String> {
    let named = || text_of(input, "description").or_else(|| text_of(input, "command"));
    (tool == "Bash").then(named).flatten()
}

/// Returns the id of a command that goes on in the background, by the result of its call.
pub(super) fn command_id(line: &WrittenLine) -> Option<String> {
    text_of(&line.result, "backgroundTaskId")
}

/// Tells that a task has another status, since this time in milliseconds.
pub(super) fn task_updated(object: &mut ObjectWriter<'_>, (id, status): (&str, &str), time: i64) {
    object.string("task_id", id).object("patch", |patch| {
        patch.string("status", status).number("end_time", time);
    });
}

/// Tells that a sub-agent or a command has ended in the background.
pub(super) fn background_end(object: &mut ObjectWriter<'_>, ended: &TaskNotification) {
    let file = ended.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
    object.string("task_id", &ended.agent).string("tool_use_id", &ended.call);
    object.string("status", ended.status).string("output_file", &file).string("summary", &ended.summary);
    if let Some(answer) = &ended.answer {
        object.object("usage", |usage| {
            usage.number("total_tokens", answer.tokens).number("tool_uses", answer.tool_uses);
            usage.number("duration_ms", answer.millis);
        });
    }
}

/// Returns the innermost event, and the call of the sub-agent that it belongs to.
pub(super) fn under(event: &Event) -> (&Event, Option<&str>) {
    match event {
        Event::Subagent { call, event, .. } => {
            let (event, nearer) = under(event);
            (event, nearer.or(Some(call)))
        }
        event => (event, None),
    }
}

/// Returns whether a message is printed: of sub-agents only their calls, unless the program asks for more.
pub(super) fn is_shown(line: &WrittenLine, parent: Option<&str>, options: FrameOptions) -> bool {
    let message = Value::parse(&line.message).ok();
    let blocks = message.and_then(|message| message.get("content")).into_iter().flat_map(Value::items);
    let mut calls = blocks.filter_map(|block| block.get("type")?.text()).filter(|kind| kind.is("tool_use"));
    parent.is_none() || options.has_subagent_text || calls.next().is_some()
}

pub(super) fn assistant(
    object: &mut ObjectWriter<'_>,
    line: &WrittenLine,
    parent: Option<&str>,
    subtask: Option<&Subtask>,
) {
    message(object, "assistant", line, parent);
    object.string_if("request_id", line.request.as_deref());
    subtask.into_iter().for_each(|subtask| subtask.write(object));
}

pub(super) fn user(
    object: &mut ObjectWriter<'_>,
    line: &WrittenLine,
    parent: Option<&str>,
    subtask: Option<&Subtask>,
) {
    message(object, "user", line, parent);
    if !line.result.is_empty() {
        object.raw("tool_use_result", &line.result);
    }
    subtask.into_iter().for_each(|subtask| subtask.write(object));
}

pub(super) fn replay(object: &mut ObjectWriter<'_>, line: &WrittenLine) {
    message(object, "user", line, None);
    object.boolean("isReplay", true);
}

fn message(object: &mut ObjectWriter<'_>, kind: &str, line: &WrittenLine, parent: Option<&str>) {
    object.string("type", kind).raw("message", &line.message);
    object.string_or_null("parent_tool_use_id", parent).string("uuid", &line.uuid);
    object.string("timestamp", &format_millis(Clock::now(&SystemSource)));
}

/// Returns an event of the API as it came; pings are none.
pub(super) fn raw(event: &StreamEvent) -> Option<&str> {
    match event {
        StreamEvent::Raw(json) if text_of(json.as_bytes(), "type").is_some_and(|kind| kind != "ping") => {
            Some(json)
        }
        _ => None,
    }
}

pub(super) fn stream_event(object: &mut ObjectWriter<'_>, json: &str) {
    object.string("type", "stream_event").raw("event", json.as_bytes());
    object.raw("parent_tool_use_id", b"null").string("uuid", &new_uuid(&SystemSource));
}

pub(super) fn retry(object: &mut ObjectWriter<'_>, retry: &ScheduledRetry) {
    object.number("attempt", retry.attempt).number("max_retries", retry.max_retries);
    object.number("retry_delay_ms", retry.wait.as_millis().min(u128::from(u32::MAX)) as u32);
    match retry.failure.status() {
        Some(status) => object.number("error_status", status),
        None => object.raw("error_status", b"null"),
    };
    object.string("error", &retry.failure.to_string());
}
