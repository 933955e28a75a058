//! Output while a conversation runs: nothing, or one line per event in the format of the original client's SDK.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_agent::api::transport::Transport;
use annals_agent::protocol::{Event, TurnEnd, TurnError, TurnReport, tokens};
use annals_json::{ObjectWriter, Value};
use annals_store::source::{Clock, new_uuid};
use annals_transcript::price::Prices;
use annals_transcript::usage::Tokens;
use annals_ui::TerminalText;

use super::control::Questions;
use super::frames::{self, FrameOptions, Subtask};
use super::init_frame::InitFacts;
use super::prompt::Refusal;
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
    facts: InitFacts,
    /// Settings without effect, until they are printed.
    unsupported: Vec<UnsupportedSetting>,
    is_loud: bool,
    options: FrameOptions,
    /// The sub-agents by the call that started them.
    subtasks: HashMap<String, Subtask>,
    /// The commands that run, by their calls.
    commands: HashMap<String, String>,
    /// The usage of all turns so far.
    counted: Vec<(String, Tokens)>,
    prices: Prices,
    /// The most dollars of all turns, and the flag that tells that they are spent.
    budget: Option<(f64, Arc<AtomicBool>)>,
    /// Asks the program about calls.
    questions: Option<Questions>,
}

impl Printer {
    pub(super) fn new<T: Transport>(
        form: ChatOutput,
        agent: &ChatAgent<'_, T>,
        facts: InitFacts,
        unsupported: &[UnsupportedSetting],
        context: &Context,
    ) -> Self {
        Self {
            form,
            session: agent.conversation.session().to_owned(),
            facts,
            unsupported: unsupported.to_vec(),
            is_loud: context.verbosity >= 0,
            options: FrameOptions::default(),
            subtasks: HashMap::new(),
            commands: HashMap::new(),
            counted: Vec::new(),
            prices: context.prices.clone(),
            budget: None,
            questions: None,
        }
    }

    /// Sets what is printed beside the usual.
    pub(super) fn set_options(&mut self, options: FrameOptions) {
        self.options = options;
    }

    /// Sets the most dollars; the flag is set when they are spent.
    pub(super) fn set_budget(&mut self, dollars: Option<f64>, flag: Arc<AtomicBool>) {
        self.budget = dollars.map(|dollars| (dollars, flag));
    }

    /// Returns whether every turn has a result of its own.
    pub(super) fn is_streaming(&self) -> bool {
        self.form == ChatOutput::StreamJson
    }

    /// Connects the printer to a program that answers questions.
    pub(super) fn connect(&mut self, questions: Questions) {
        self.questions = Some(questions);
    }

    /// Prints what comes before the events of a turn.
    pub(super) fn begin<T: Transport>(
        &mut self,
        agent: &ChatAgent<'_, T>,
        out: &mut Output,
    ) -> io::Result<()> {
        if self.form != ChatOutput::StreamJson {
            return Ok(());
        }
        out.json(|object| self.facts.write(object, agent))?;
        for setting in std::mem::take(&mut self.unsupported) {
            self.system("unsupported_setting", out, |object| {
                object.string("setting", setting.feature.name()).string("message", &setting.to_string());
            })?;
        }
        out.flush()
    }

    /// Prints an event.
    pub(super) fn print(&mut self, event: &Event, out: &mut Output) -> io::Result<()> {
        self.count(event);
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
        self.frame(event, out)
    }

    fn frame(&mut self, event: &Event, out: &mut Output) -> io::Result<()> {
        // Messages of a sub-agent name the call that it works for.
        let (event, parent) = frames::under(event);
        if let Some(task) = parent.and_then(|call| self.subtasks.get_mut(call)) {
            match event {
                Event::Replied(line) => task.count(line),
                Event::ToolStarted { tool, .. } => {
                    if let Some(task) = task.call() {
                        let named = (parent.unwrap_or_default(), tool.as_str());
                        self.system("task_progress", out, |object| task.progress(object, named))?;
                    }
                }
                _ => {}
            }
        }
        let subtask = parent.and_then(|call| self.subtasks.get(call)).cloned();
        match event {
            Event::Replied(line) if frames::is_shown(line, parent, self.options) => {
                self.json(out, |object| frames::assistant(object, line, parent, subtask.as_ref()))
            }
            Event::ToolDone { call, line } => {
                let command = self.commands.remove(call);
                if let Some((name, id)) = command.and_then(|name| Some((name, frames::command_id(line)?))) {
                    self.system("task_started", out, |object| {
                        frames::command_started(object, (&id, call), &name);
                    })?;
                }
                self.json(out, |object| frames::user(object, line, parent, subtask.as_ref()))?;
                // One in the background has not ended yet.
                let ended = self.subtasks.remove(call).filter(|_| !Subtask::is_launched(line));
                match ended.filter(|task| task.is_started()) {
                    Some(task) => {
                        self.updated((task.agent.as_deref().unwrap_or_default(), "completed"), out)?;
                        self.system("task_notification", out, |object| task.notification(object, call))
                    }
                    None => Ok(()),
                }
            }
            Event::BackgroundEnded(ended) => {
                self.updated((&ended.agent, ended.status), out)?;
                self.system("task_notification", out, |object| frames::background_end(object, ended))
            }
            Event::Interrupted(line) => {
                self.json(out, |object| frames::user(object, line, parent, subtask.as_ref()))
            }
            Event::Prompted(line) | Event::Absorbed(line)
                if self.options.is_replaying && parent.is_none() =>
            {
                self.json(out, |object| frames::replay(object, line))
            }
            Event::Streamed(event) if self.options.is_partial && parent.is_none() => {
                match frames::raw(event) {
                    Some(raw) => self.json(out, |object| frames::stream_event(object, raw)),
                    None => Ok(()),
                }
            }
            Event::Requesting if self.options.is_partial && parent.is_none() => {
                self.system("status", out, |object| {
                    object.string("status", "requesting");
                })
            }
            Event::Compacting if parent.is_none() => self.system("status", out, |object| {
                object.string("status", "compacting");
            }),
            Event::ToolStarted { call, tool, input, .. } => {
                if let Some(name) = frames::command_name(tool, input) {
                    self.commands.insert(call.clone(), name);
                }
                if let Some(task) = Subtask::of_call(tool, input) {
                    self.subtasks.insert(call.clone(), task);
                }
                Ok(())
            }
            Event::ToolProgress { call, progress } => {
                let started = self.subtasks.get_mut(call).and_then(|task| task.start(progress));
                match started {
                    Some(task) => self.system("task_started", out, |object| task.started(object, call)),
                    None => Ok(()),
                }
            }
            Event::PermissionRequested(question) => {
                let agent = subtask.and_then(|task| task.agent);
                self.questions.iter_mut().for_each(|questions| questions.ask(question, agent.as_deref()));
                Ok(())
            }
            Event::PermissionWithdrawn(id) => {
                self.questions.iter_mut().for_each(|questions| questions.withdraw(id));
                Ok(())
            }
            Event::ModeChanged(mode) if parent.is_none() => self.system("status", out, |object| {
                object.raw("status", b"null").string("permissionMode", mode.name());
            }),
            Event::Denied(denial) => self.system("permission_denied", out, |object| {
                object.string("tool_name", &denial.tool).string("tool_use_id", &denial.call);
                object.string("message", &denial.why);
            }),
            Event::Retrying(retry) => self.system("api_retry", out, |object| frames::retry(object, retry)),
            Event::Compacted { tokens_before, trigger } if parent.is_none() => {
                self.system("compact_boundary", out, |object| {
                    object.object("compact_metadata", |data| {
                        data.string("trigger", trigger.name()).number("pre_tokens", *tokens_before);
                    });
                })?;
                self.system("status", out, |object| {
                    object.raw("status", b"null").string("compact_result", "success");
                })
            }
            _ => Ok(()),
        }
    }

    /// Counts usage, and tells when the budget is spent.
    fn count(&mut self, event: &Event) {
        let Event::Usage { model, usage, .. } = event.innermost() else { return };
        self.counted.push((model.clone(), tokens(usage)));
        let spent = result::dollars(&self.counted, &self.prices);
        if let Some((most, flag)) = &self.budget
            && spent >= *most
        {
            flag.store(true, Ordering::Relaxed);
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
                let (counted, prices) = (&self.counted, &self.prices);
                context.out.json(|object| result::write(object, finished, session, counted, prices))?;
            }
        }
        Ok(context.out.flush()?)
    }

    /// Prints that a message is refused.
    pub(super) fn refuse(&self, why: &Refusal, context: &mut Context) -> Result<(), Fault> {
        context.out.json(|object| result::refused(object, why, &self.session))?;
        Ok(context.out.flush()?)
    }

    fn json(&self, out: &mut Output, fill: impl FnOnce(&mut ObjectWriter<'_>)) -> io::Result<()> {
        out.json(|object| {
            fill(object);
            object.string("session_id", &self.session);
        })?;
        out.flush()
    }

    /// Tells that a task has another status.
    fn updated(&self, task: (&str, &str), out: &mut Output) -> io::Result<()> {
        let now = Clock::now(&SystemSource);
        self.system("task_updated", out, |object| frames::task_updated(object, task, now))
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

/// Returns a text of a JSON object.
pub(super) fn text_of(json: &[u8], key: &str) -> Option<String> {
    Value::parse(json).ok()?.get(key)?.text().map(|text| text.to_string())
}
