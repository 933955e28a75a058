//! Lines of users and the client between the model's: prompts, tool calls, system lines, attachments, progress.

use annals_json::ObjectWriter;

use crate::clock::Timestamp;
use crate::era::Era;
use crate::id::Uuid;
use crate::json;
use crate::response::{BlockPosition, Response};
use crate::transcript::{ExtraField, LineIdentity, LineKind, TranscriptWriter};

/// A tool call and its result, both as JSON.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    /// The input object.
    pub(crate) input: Vec<u8>,
    /// What the model gets back: a string or an array of blocks.
    pub(crate) content: Vec<u8>,
    pub(crate) error: Option<bool>,
    /// `toolUseResult`; empty if the line has none.
    pub(crate) result: Vec<u8>,
    /// Further fields of the result's line.
    pub(crate) extras: Vec<(String, Vec<u8>)>,
}

/// A call that waits for its result.
#[derive(Debug, Clone)]
pub(crate) struct PendingCall {
    pub(crate) id: String,
    pub(crate) line: Uuid,
}

impl TranscriptWriter {
    /// A prompt by a person, as text.
    pub(crate) fn prompt(&mut self, text: &str) -> Uuid {
        self.prompt_blocks(text, &json::string(text), &[])
    }

    /// A prompt by a person with the content given; `text` is what the history remembers.
    pub(crate) fn prompt_blocks(&mut self, text: &str, content: &[u8], extras: &[ExtraField<'_>]) -> Uuid {
        self.wait(4_000, 90_000);
        self.prompt_id = self.random.uuid();
        self.last_prompt = text.to_owned();
        if self.first_prompt.is_empty() {
            self.first_prompt.push_str(text);
        }
        self.fresh += text.len() as u64 / 4;
        self.truth.prompts += 1;
        self.remember(text);
        let index = self.truth.prompts;
        let position = json::object(|o| {
            o.number("promptIndex", index - 1).number("turnIndex", index);
        });
        let mut fields: Vec<ExtraField<'_>> = Vec::new();
        match self.envelope.era {
            Era::First | Era::Second if self.envelope.slug.is_none() => {}
            Era::First | Era::Second => {
                let level: &[u8] = br#"{"level":"high","disabled":false,"triggers":[]}"#;
                fields.extend([("thinkingMetadata", level), ("todos", b"[]".as_slice())]);
            }
            Era::Third | Era::Progress => {
                fields.push(("thinkingMetadata", br#"{"maxThinkingTokens":31999}"#));
                fields.extend([("todos", b"[]".as_slice()), ("permissionMode", b"\"default\"".as_slice())]);
            }
            Era::Attachments => {
                fields.push(("permissionMode", b"\"acceptEdits\""));
                fields.push(("origin", br#"{"kind":"human"}"#));
                fields.push(("promptSource", b"\"typed\""));
            }
            Era::Newest => {
                fields.push(("permissionMode", b"\"default\""));
                fields.push(("promptSource", b"\"typed\""));
                fields
                    .extend([("turnOrigin", b"\"human\"".as_slice()), ("turnPosition", position.as_slice())]);
            }
        }
        fields.extend_from_slice(extras);
        self.user(content, &[], &fields)
    }

    /// What the prompt history keeps.
    fn remember(&mut self, text: &str) {
        let mut o = ObjectWriter::begin(&mut self.history);
        o.string("display", text).raw("pastedContents", b"{}").number("timestamp", self.now);
        o.string("project", &self.envelope.cwd);
        if self.envelope.era >= Era::Second {
            o.string("sessionId", self.envelope.session.as_str());
        }
        o.end();
        self.history.push(b'\n');
    }

    /// The model calls a tool.
    pub(crate) fn call(
        &mut self,
        response: &mut Response,
        place: BlockPosition,
        tool: &ToolCall,
    ) -> PendingCall {
        let id = self.random.token("toolu_01", 22);
        let caller = self.envelope.era == Era::Attachments;
        let block = json::object(|o| {
            o.string("type", "tool_use")
                .string("id", &id)
                .string("name", &tool.name)
                .raw("input", &tool.input);
            if caller {
                o.raw("caller", br#"{"type":"direct"}"#);
            }
        });
        self.truth.tool_calls += 1;
        self.truth.unanswered += 1;
        let line = self.write_block(response, place, &block);
        PendingCall { id, line }
    }

    /// The tool answers.
    pub(crate) fn answer(&mut self, called: &PendingCall, tool: &ToolCall) -> Uuid {
        self.wait(30, 3_000);
        self.truth.unanswered -= 1;
        self.fresh += (tool.content.len() as u64 / 4).min(9_000);
        let content = json::array(|list| {
            list.object(|o| {
                if tool.error == Some(true) {
                    o.string("type", "tool_result").raw("content", &tool.content).boolean("is_error", true);
                    o.string("tool_use_id", &called.id);
                } else {
                    o.string("tool_use_id", &called.id).string("type", "tool_result");
                    o.raw("content", &tool.content);
                    if let Some(error) = tool.error {
                        o.boolean("is_error", error);
                    }
                }
            });
        });
        let owner = json::string(called.line.as_str());
        let mut extras: Vec<ExtraField<'_>> = Vec::new();
        let lean = self.envelope.agent.is_some() && self.envelope.era >= Era::Progress;
        if !tool.result.is_empty() && !lean {
            extras.push(("toolUseResult", &tool.result));
        }
        extras.extend(tool.extras.iter().map(|(key, value)| (key.as_str(), value.as_slice())));
        if self.envelope.era >= Era::Third {
            extras.push(("sourceToolAssistantUUID", &owner));
        }
        self.user(&content, &[], &extras)
    }

    /// A system line; `body` writes what follows the subtype, the identity included.
    pub(crate) fn system(
        &mut self,
        subtype: &str,
        body: impl FnOnce(&mut ObjectWriter<'_>, &LineIdentity),
    ) -> Uuid {
        self.chain(LineKind::Other, |o, identity| {
            o.string("type", "system").string("subtype", subtype);
            body(o, identity);
        })
    }

    /// An attachment; the newest clients also say what the model saw of it.
    pub(crate) fn attach(
        &mut self,
        kind: &str,
        rendered: Option<&str>,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Uuid {
        let era = self.envelope.era;
        self.chain(LineKind::Other, |o, identity| {
            o.object("attachment", |a| {
                a.string("type", kind);
                fill(a);
            });
            o.string("type", "attachment");
            identity.uuid_and_time(o);
            if let (Era::Newest, Some(text)) = (era, rendered) {
                let text = format!("<system-reminder>\n{text}\n</system-reminder>");
                o.array("rendered", |list| {
                    list.object(|item| {
                        item.string("content", &text);
                    });
                });
                o.string("renderedRole", "system");
            }
        })
    }

    /// A progress line that the chain runs through.
    pub(crate) fn progress(
        &mut self,
        own: &str,
        parent_tool: &str,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> Uuid {
        self.chain(LineKind::Other, |o, identity| {
            o.string("type", "progress").object("data", fill);
            o.string("toolUseID", own).string("parentToolUseID", parent_tool);
            identity.uuid_and_time(o);
        })
    }

    /// The duration of the turn, as some eras write it after every turn.
    pub(crate) fn turn_duration(&mut self, since: i64) {
        let (took, counted) = (self.now - since, self.envelope.era >= Era::Attachments);
        let messages = self.truth.responses + self.truth.prompts;
        self.system("turn_duration", |o, identity| {
            o.number("durationMs", took);
            if counted {
                o.number("messageCount", messages);
            }
            identity.time_and_uuid(o);
            o.boolean("isMeta", false);
        });
    }

    /// An entry of the input queue.
    pub(crate) fn queue(&mut self, operation: &str, content: Option<&[u8]>) {
        let (session, stamp, era) = (self.envelope.session, Timestamp::of(self.now), self.envelope.era);
        self.side("queue-operation", |o| {
            o.string("operation", operation).string("timestamp", stamp.as_str());
            let early = era <= Era::Third;
            if let (Some(content), true) = (content, early) {
                o.raw("content", content);
            }
            o.string("sessionId", session.as_str());
            if let (Some(content), false) = (content, early) {
                o.raw("content", content);
            }
        });
    }

    /// The last prompt and the current leaf, as newer clients record them.
    pub(crate) fn note_last_prompt(&mut self) {
        let (session, leaf, era) = (self.envelope.session, self.parent, self.envelope.era);
        let text: String = self.last_prompt.chars().take(200).collect();
        self.side("last-prompt", |o| {
            o.string("lastPrompt", &text);
            if era >= Era::Attachments {
                o.string_if("leafUuid", leaf.as_ref().map(Uuid::as_str));
            }
            o.string("sessionId", session.as_str());
        });
    }
}
