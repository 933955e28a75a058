//! Output while a conversation runs: nothing, or one line per event in the format of the original client's SDK.

use std::io;

use annals_agent::api::transport::Transport;
use annals_agent::protocol::{Event, TurnEnd, TurnError, TurnReport, WrittenLine};
use annals_json::ObjectWriter;
use annals_store::session::WRITTEN_FORM;
use annals_store::source::new_uuid;
use annals_ui::TerminalText;

use super::access::key_source;
use super::refusals::{ControlReply, InputReply};
use super::setup::Setup;
use super::unsupported::UnsupportedSetting;
use super::{ChatAgent, result};
use crate::args::ChatOutput;
use crate::context::Context;
use crate::error::Fault;
use crate::output::Output;
use crate::source::SystemSource;
use crate::stderr;

/// Prints the events of a conversation in one of the output formats.
pub(super) struct Printer {
    form: ChatOutput,
    session: String,
    init: Vec<u8>,
    unsupported: Vec<UnsupportedSetting>,
    is_loud: bool,
}

impl Printer {
    pub(super) fn new<T: Transport>(
        form: ChatOutput,
        agent: &ChatAgent<'_, T>,
        setup: &Setup,
        kinds: &[String],
        context: &Context,
    ) -> Self {
        let session = agent.conversation.session().to_owned();
        let is_loud = context.verbosity >= 0;
        let unsupported = setup.unsupported.clone();
        Self { form, init: init(agent, setup, kinds, context), session, unsupported, is_loud }
    }

    /// Prints what comes before the first event.
    pub(super) fn begin(&self, out: &mut Output) -> io::Result<()> {
        if self.form != ChatOutput::StreamJson {
            return Ok(());
        }
        out.json_text(&self.init)?;
        for setting in &self.unsupported {
            self.system("unsupported_setting", out, |object| {
                object.string("setting", setting.feature.name()).string("message", &setting.to_string());
            })?;
        }
        out.flush()
    }

    /// Prints an event.
    pub(super) fn print(&mut self, event: &Event, out: &mut Output) -> io::Result<()> {
        if let Event::Notice(notice) = event.innermost()
            && self.is_loud
        {
            stderr::say(format_args!("annals: {notice}"));
        }
        if self.form != ChatOutput::StreamJson {
            if let Event::Retrying(retry) = event.innermost()
                && self.is_loud
            {
                stderr::say(format_args!("annals: {}; {}", retry.failure, retry.schedule()));
            }
            return Ok(());
        }
        // Messages of a sub-agent name the call that it works for.
        let (event, parent) = under(event);
        match event {
            Event::Replied(line) => self.line("assistant", line, parent, out),
            Event::ToolDone { line, .. } => self.line("user", line, parent, out),
            Event::Retrying(retry) => self.system("api_retry", out, |object| {
                object.number("attempt", retry.attempt).number("max_retries", retry.max_retries);
                object.number("retry_delay_ms", retry.wait.as_millis().min(u128::from(u32::MAX)) as u32);
                match retry.failure.status() {
                    Some(status) => object.number("error_status", status),
                    None => object.raw("error_status", b"null"),
                };
                object.string("error", &retry.failure.to_string());
            }),
            Event::Compacted { tokens_before, trigger } if parent.is_none() => {
                self.system("compact_boundary", out, |object| {
                    object.object("compact_metadata", |data| {
                        data.string("trigger", trigger.name()).number("pre_tokens", *tokens_before);
                    });
                })
            }
            _ => Ok(()),
        }
    }

    /// Prints the result of a turn.
    pub(super) fn finish(
        &mut self,
        finished: &TurnReport,
        session: &str,
        context: &mut Context,
    ) -> Result<(), Fault> {
        match self.form {
            ChatOutput::Text => {
                if !finished.text.is_empty() {
                    context.out.line(TerminalText::block(&finished.text))?;
                }
                // That a compaction failed was a notice already.
                let is_told = matches!(finished.ending, TurnEnd::Failed(TurnError::NotCompacted(_)));
                if let Some(why) = result::complaint(finished).filter(|_| !is_told) {
                    context.say(why);
                }
            }
            ChatOutput::Json | ChatOutput::StreamJson => {
                let prices = context.prices.clone();
                context.out.json(|object| result::write(object, finished, session, &prices))?;
            }
        }
        Ok(context.out.flush()?)
    }

    /// Prints the answer to input that does not reach the conversation.
    pub(super) fn reply(&self, reply: &InputReply, context: &mut Context) -> Result<(), Fault> {
        match reply {
            InputReply::Refused(why) => {
                context.out.json(|object| result::refused(object, why, &self.session))?
            }
            InputReply::Control(reply) => context.out.json(|object| control_response(object, reply))?,
            InputReply::Ignored(why) => context.say(why),
        }
        Ok(context.out.flush()?)
    }

    fn line(&self, kind: &str, line: &WrittenLine, parent: Option<&str>, out: &mut Output) -> io::Result<()> {
        out.json(|object| {
            object.string("type", kind).raw("message", &line.message);
            object.string_or_null("parent_tool_use_id", parent);
            object.string("session_id", &self.session).string("uuid", &line.uuid);
        })?;
        out.flush()
    }

    fn system(
        &self,
        subtype: &str,
        out: &mut Output,
        fill: impl FnOnce(&mut ObjectWriter<'_>),
    ) -> io::Result<()> {
        out.json(|object| {
            object.string("type", "system").string("subtype", subtype);
            fill(object);
            object.string("session_id", &self.session).string("uuid", &new_uuid(&SystemSource));
        })?;
        out.flush()
    }
}

fn control_response(object: &mut ObjectWriter<'_>, reply: &ControlReply) {
    object.string("type", "control_response").object("response", |response| {
        response.string("subtype", if reply.error.is_some() { "error" } else { "success" });
        response.string_if("request_id", reply.request.as_deref());
        match &reply.error {
            Some(error) => response.string("error", error),
            None => response.raw("response", b"{}"),
        };
    });
}

/// Returns the innermost event, and the call of the sub-agent that it belongs to.
fn under(event: &Event) -> (&Event, Option<&str>) {
    match event {
        Event::Subagent { call, event, .. } => {
            let (event, nearer) = under(event);
            (event, nearer.or(Some(call)))
        }
        event => (event, None),
    }
}

/// Returns the first line: model, tools, settings.
fn init<T: Transport>(
    agent: &ChatAgent<'_, T>,
    setup: &Setup,
    kinds: &[String],
    context: &Context,
) -> Vec<u8> {
    let mut line = Vec::new();
    let mut object = ObjectWriter::begin(&mut line);
    object.string("type", "system").string("subtype", "init").string("cwd", &setup.cwd.to_string_lossy());
    object.string("session_id", agent.conversation.session());
    object.array("tools", |list| {
        for tool in &agent.tools {
            let name = tool.spec().name;
            list.string(if name == "Agent" { "Task" } else { &name });
        }
    });
    object.raw("mcp_servers", b"[]").string("model", &agent.turn_config.model);
    object.string("permissionMode", setup.mode.name()).array("slash_commands", |list| {
        for command in &agent.custom {
            list.string(&command.name);
        }
    });
    object.string("apiKeySource", key_source(setup, context));
    object.string("claude_code_version", WRITTEN_FORM).string("output_style", "default");
    object.array("agents", |list| {
        for kind in kinds {
            list.string(kind);
        }
    });
    object.raw("skills", b"[]").raw("plugins", b"[]");
    object.boolean("trusted", setup.is_trusted()).string("uuid", &new_uuid(&context.source));
    object.end();
    line.push(b'\n');
    line
}
