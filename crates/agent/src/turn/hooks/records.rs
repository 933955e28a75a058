//! What hooks did, as records of the session; and results that they replace.

use std::path::Path;
use std::time::Duration;

use annals_json::{ObjectWriter, Value, ValueKind, object};
use annals_store::overflow;

use crate::hooks::{
    HandlerReport, HookDecision, HookEvent, HookFailure, HookOrigin, HookOutcome, HookOutput, HookReply,
    LateReply, OutputKind, hook_name,
};
use crate::tools::{Outcome, ToolContent};

/// A text of more characters is saved in a file, and the record has its beginning.
const MAX_CHARS: usize = 10_000;

/// What hooks add to the session.
#[derive(Default)]
pub(in super::super) struct CallRemarks {
    pub(super) attachments: Vec<Vec<u8>>,
    /// The title that the session gets.
    pub(super) title: Option<String>,
}

impl CallRemarks {
    pub(super) fn extend(&mut self, other: Self) {
        self.attachments.extend(other.attachments);
        self.title = other.title.or(self.title.take());
    }
}

/// What records say about one firing of an event.
pub(super) struct RecordSubject<'v> {
    pub(super) event: HookEvent,
    pub(super) value: &'v str,
    /// The id of the call, or of the firing.
    pub(super) id: &'v str,
    /// The folder of the session, for texts that are too long; `None` if it is not stored.
    pub(super) folder: Option<&'v Path>,
}

impl RecordSubject<'_> {
    fn common(&self, attachment: &mut ObjectWriter<'_>) {
        attachment.string("hookName", &hook_name(self.event, self.value)).string("toolUseID", self.id);
        attachment.string("hookEvent", self.event.name());
    }

    /// Writes the names of a context, which at a start are those of the event.
    fn context_names(&self, attachment: &mut ObjectWriter<'_>) {
        let name = match self.event {
            HookEvent::SessionStart | HookEvent::SubagentStart => self.event.name().to_owned(),
            _ => hook_name(self.event, self.value),
        };
        let id = match self.event {
            HookEvent::SessionStart => self.event.name().to_owned(),
            HookEvent::UserPromptSubmit | HookEvent::UserPromptExpansion => format!("hook-{}", self.id),
            _ => self.id.to_owned(),
        };
        attachment.string("hookName", &name).string("toolUseID", &id).string("hookEvent", self.event.name());
    }

    /// Returns a text, or its beginning if it is long and the whole can be saved.
    fn shortened(&self, text: &str, what: &str) -> String {
        let is_long = text.len() > MAX_CHARS && text.chars().count() > MAX_CHARS;
        let Some(folder) = self.folder.filter(|_| is_long) else { return text.to_owned() };
        let id: String = self
            .id
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || "-_".contains(*letter))
            .collect();
        let name = format!("hook-{id}-{}-{:x}-{what}", self.event.name(), hash(text));
        match overflow::save(folder, &name, text.as_bytes()) {
            Ok(saved) => saved.preview,
            // The text itself is never lost.
            Err(_) => text.to_owned(),
        }
    }

    /// Returns the records of what hooks did.
    pub(super) fn remarks(&self, outcome: &HookOutcome) -> CallRemarks {
        let mut attachments = Vec::new();
        for report in &outcome.reports {
            match &report.result {
                Ok(reply) => self.reply(report, reply, &mut attachments),
                Err(HookFailure::TimedOut(time)) if report.origin == HookOrigin::Settings => {
                    attachments.push(object(|attachment| {
                        attachment.string("type", "hook_cancelled");
                        self.common(attachment);
                        attachment.string("command", &report.name).number("durationMs", millis(*time));
                        attachment.boolean("timedOut", true).number("timeoutMs", millis(*time));
                    }));
                }
                Err(_) => {}
            }
        }
        // A prompt that is kept without an answer has a line of its own.
        let is_of_prompt = matches!(self.event, HookEvent::UserPromptSubmit | HookEvent::UserPromptExpansion);
        if let Some(why) = outcome.stop.as_ref().filter(|_| !is_of_prompt) {
            let stopped = object(|attachment| {
                attachment.string("type", "hook_stopped_continuation").string("message", why);
                self.common(attachment);
            });
            let at = if self.event == HookEvent::Stop { 0 } else { attachments.len() };
            attachments.insert(at, stopped);
        }
        CallRemarks { attachments, title: outcome.title.clone() }
    }

    /// Returns whether the output of a handler is not recorded, because another record or a result says what followed.
    fn is_told_otherwise(&self, reply: &HookReply, output: &HookOutput) -> bool {
        let answer = &reply.answer;
        match self.event {
            HookEvent::PermissionRequest => true,
            // Of a tool it is recorded that it was called.
            HookEvent::UserPromptSubmit | HookEvent::UserPromptExpansion if reply.text.is_none() => {
                output.kind != OutputKind::ServerTool || output.duration.is_none()
            }
            HookEvent::PostToolUse | HookEvent::PostToolUseFailure | HookEvent::PostToolBatch
                if answer.stop.is_some() =>
            {
                true
            }
            _ => !output.is_blocking() && (answer.is_block || answer.decision == Some(HookDecision::Deny)),
        }
    }

    fn reply(&self, report: &HandlerReport, reply: &HookReply, attachments: &mut Vec<Vec<u8>>) {
        let answer = &reply.answer;
        if let Some(output) = &reply.output {
            let is_tool = output.kind == OutputKind::ServerTool;
            let is_silent =
                (output.stdout.trim().is_empty() && !is_tool) || self.is_told_otherwise(reply, output);
            let kind = match &reply.fault {
                Some(_) if self.event == HookEvent::PermissionRequest && output.is_blocking() => None,
                Some(_) => Some("hook_non_blocking_error"),
                None if is_silent => None,
                None => Some("hook_success"),
            };
            attachments.extend(kind.map(|kind| {
                object(|attachment| {
                    attachment.string("type", kind);
                    self.common(attachment);
                    let stderr = match &reply.fault {
                        Some(fault)
                            if output.stderr.trim().is_empty() || output.kind != OutputKind::Command =>
                        {
                            fault.why().to_owned()
                        }
                        Some(_) => {
                            format!("Failed with non-blocking status code: {}", output.stderr.trim_end())
                        }
                        None => output.stderr.clone(),
                    };
                    // The original says of such a tool only that it was called.
                    let is_called = is_tool && output.duration.is_some();
                    if reply.fault.is_none() {
                        let text = match is_called {
                            true => format!("{} completed", hook_name(self.event, self.value)),
                            false => self.shortened(reply.text.as_deref().unwrap_or_default(), "stdout"),
                        };
                        attachment.string("content", &text).string("stdout", &output.stdout);
                        attachment.string("stderr", &stderr);
                    } else {
                        attachment.string("stderr", &stderr).string("stdout", &output.stdout);
                    }
                    if !is_called {
                        attachment.number("exitCode", output.code);
                    }
                    if reply.fault.is_none() || output.kind == OutputKind::Command {
                        attachment.string("command", &report.name);
                    }
                    if let Some(time) = output.duration {
                        attachment.number("durationMs", millis(time));
                    }
                })
            }));
        }
        if let Some(message) = answer.system_message.as_ref().filter(|message| !message.is_empty()) {
            attachments.push(object(|attachment| {
                attachment.string("type", "hook_system_message").string("content", message);
                self.common(attachment);
            }));
        }
        if let Some(context) = answer.context.as_ref().filter(|context| !context.is_empty()) {
            let context = self.shortened(context, "additionalContext");
            attachments.push(object(|attachment| {
                attachment.string("type", "hook_additional_context").array("content", |list| {
                    list.string(&context);
                });
                self.context_names(attachment);
            }));
        }
        let is_after = matches!(self.event, HookEvent::PostToolUse | HookEvent::PostToolUseFailure);
        if answer.is_block && is_after {
            attachments.push(self.blocking_error(answer.reason.as_deref().unwrap_or_default(), &report.name));
        }
    }

    /// Returns the record of a handler that objects.
    pub(super) fn blocking_error(&self, why: &str, command: &str) -> Vec<u8> {
        object(|attachment| {
            attachment.string("type", "hook_blocking_error");
            self.common(attachment);
            attachment.object("blockingError", |error| {
                error.string("blockingError", why).string("command", command);
            });
        })
    }

    /// Returns the records of what a handler said that ran in the background.
    pub(super) fn late(&self, late: &LateReply) -> Vec<Vec<u8>> {
        let (answer, output) = (&late.reply.answer, late.reply.output.clone().unwrap_or_default());
        if answer.is_block {
            return vec![self.blocking_error(answer.reason.as_deref().unwrap_or_default(), &late.name)];
        }
        let said = output.stdout.trim();
        let is_object = Value::parse(said.as_bytes()).is_ok_and(|value| value.kind() == ValueKind::Object);
        if !is_object || late.reply.fault.is_some() {
            return Vec::new();
        }
        vec![object(|attachment| {
            attachment.string("type", "async_hook_response");
            attachment.string("processId", &format!("async_hook_{}", late.process));
            attachment
                .string("hookName", &hook_name(late.event, &late.value))
                .string("hookEvent", late.event.name());
            attachment.string_if("toolName", late.tool_use.as_ref().map(|_| late.value.as_str()));
            attachment.raw("response", said.as_bytes()).string("stdout", &output.stdout);
            attachment.string("stderr", &output.stderr).number("exitCode", output.code);
        })]
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A number that tells texts of one firing apart (FNV-1a).
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Writes a rule as a suggestion.
pub(super) fn rule_suggestion(entry: &mut ObjectWriter<'_>, rule: &str) {
    let (tool, content) = rule.split_once('(').unwrap_or((rule, ""));
    entry.string("type", "addRules").array("rules", |list| {
        list.object(|entry| {
            entry.string("toolName", tool);
            entry.string_if("ruleContent", content.strip_suffix(')'));
        });
    });
    entry.string("behavior", "allow").string("destination", "localSettings");
}

pub(super) fn shown_text(outcome: &Outcome) -> String {
    match &outcome.shown {
        ToolContent::Text(text) => text.clone(),
        ToolContent::Blocks(blocks) => {
            let text = |block: &Vec<u8>| Some(Value::parse(block).ok()?.get("text")?.text()?.to_string());
            blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Returns the outcome with another result: a text, content blocks, or any JSON.
pub(super) fn replaced(output: &[u8], before: Outcome) -> Outcome {
    let Ok(value) = Value::parse(output) else { return before };
    let is_block = |item: Value<'_>| item.get("type").and_then(Value::text).is_some();
    let shown = match (value.text(), value.kind()) {
        (Some(text), _) => ToolContent::Text(text.to_string()),
        (None, ValueKind::Array) if value.items().all(is_block) => {
            ToolContent::Blocks(value.items().map(|item| item.raw().to_vec()).collect())
        }
        // The output of a command, in the form of its result.
        (None, ValueKind::Object) if value.get("stdout").and_then(Value::text).is_some() => {
            let part = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
            let parts =
                [part("stdout"), part("stderr")].into_iter().flatten().filter(|part| !part.is_empty());
            ToolContent::Text(parts.collect::<Vec<_>>().join("\n"))
        }
        _ => ToolContent::Text(String::from_utf8_lossy(output).into_owned()),
    };
    Outcome { shown, kept: value.raw().to_vec(), ..before }
}
