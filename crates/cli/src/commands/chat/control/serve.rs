//! Serves requests of the program, also while a turn runs.

use std::sync::Arc;

use annals_agent::hooks::Hooks;
use annals_agent::mcp::McpServers;
use annals_agent::protocol::Command;
use annals_agent::tools::background::BackgroundAgents;
use annals_agent::tools::bash::Shells;
use annals_json::{ObjectWriter, Value, object};
use annals_policy::Mode;
use annals_policy::screen::visible;
use annals_store::source::new_uuid;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use super::super::built_in;
use super::super::model::ModelNames;
use super::super::refusals::RefusalSender;
use super::answers::{self, ServerFacts};
use super::callbacks;
use super::channel::{ChannelError, ControlChannel};
use super::incoming::{ControlRequest, Incoming};
use super::rewind;
use super::view::SessionView;
use crate::source::SystemSource;
use crate::stderr;

/// The answer to a request.
pub(super) enum Reply {
    /// It is done; with this object, if it has something to say.
    Done(Option<Vec<u8>>),
    /// It is refused: why, and a word for programs.
    Refused(String, Option<&'static str>),
    /// It is answered later.
    Later,
    /// It is done, and the session ends.
    End,
}

impl Reply {
    pub(super) fn object(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        Self::Done(Some(object(fill)))
    }

    pub(super) fn missing(key: &str) -> Self {
        Self::Refused(format!("{key} is missing"), None)
    }
}

/// Serves the program.
pub(super) struct Server {
    pub(super) channel: ControlChannel,
    pub(super) commands: UnboundedSender<Command>,
    pub(super) refuse: RefusalSender,
    pub(super) view: SessionView,
    pub(super) models: ModelNames,
    pub(super) facts: Arc<ServerFacts>,
    pub(super) mcp: McpServers,
    pub(super) hooks: Hooks,
    /// The commands in the background.
    pub(super) shells: Arc<Shells>,
    /// The sub-agents in the background.
    pub(super) background: Arc<BackgroundAgents>,
    /// Tells that the servers of the program are connected.
    pub(super) ready: Arc<watch::Sender<bool>>,
    pub(super) is_loud: bool,
    /// Whether the first line was taken.
    pub(super) is_begun: bool,
}

impl Server {
    /// Serves until the program closes its end or ends the session.
    pub(super) async fn run(mut self, first: Option<Incoming>, incoming: &mut UnboundedReceiver<Incoming>) {
        let mut next = first;
        let is_open = loop {
            let line = match next.take() {
                Some(line) => Some(line),
                None => incoming.recv().await,
            };
            match line {
                Some(Incoming::End) | None => break false,
                Some(line) => {
                    let goes_on = self.take(line);
                    self.is_begun = true;
                    if !goes_on {
                        break true;
                    }
                }
            }
        };
        self.connect();
        if !is_open {
            self.channel.close();
        }
        // If nothing runs turns any more, there is nothing to end.
        let _ = self.commands.send(Command::Quit);
        // The program can still answer what it was asked: hooks of the end, for one.
        if is_open {
            self.take_answers(incoming).await;
        }
        self.channel.close();
        std::future::pending::<()>().await;
    }

    /// Takes answers until the program closes its end.
    async fn take_answers(&self, incoming: &mut UnboundedReceiver<Incoming>) {
        loop {
            match incoming.recv().await {
                Some(Incoming::Answer(id, answer)) => {
                    self.channel.answer(&id, answer.map_err(ChannelError::Remote));
                }
                Some(Incoming::End) | None => return,
                Some(_) => {}
            }
        }
    }

    /// Takes a line; `false` if the session ends.
    fn take(&mut self, line: Incoming) -> bool {
        match line {
            Incoming::Prompt(prompt) => {
                self.connect();
                match built_in::of(&prompt).unwrap_or(Ok(Command::Prompt(prompt))) {
                    Ok(command) => {
                        self.refuse.pass();
                        let _ = self.commands.send(command);
                    }
                    Err(why) => self.refuse.refuse(why),
                }
            }
            Incoming::Refused(why) => self.refuse.refuse(why),
            Incoming::Answer(id, answer) => self.channel.answer(&id, answer.map_err(ChannelError::Remote)),
            Incoming::Ignored(why) => self.say(&why),
            Incoming::Request(request) => {
                let reply = self.serve(&request);
                let is_end = matches!(reply, Reply::End);
                respond(&self.channel, &request, reply);
                return !is_end;
            }
            Incoming::End => return false,
        }
        true
    }

    fn say(&self, text: &str) {
        if self.is_loud {
            stderr::say(format_args!("annals: {text}"));
        }
    }

    fn serve(&mut self, request: &ControlRequest) -> Reply {
        match request.subtype.as_str() {
            "initialize" => self.initialize(request),
            "interrupt" => self.interrupt(),
            "set_model" => self.set_model(request),
            "set_permission_mode" => self.set_mode(request),
            "set_max_thinking_tokens" => self.set_thinking(request),
            "get_context_usage" => answers::context_usage(&self.view.get()),
            "get_settings" => Reply::Done(Some(self.facts.settings.clone())),
            "mcp_status" => Reply::object(|answer| answers::mcp_status(answer, &self.mcp)),
            "mcp_reconnect" => self.with_server(request, Self::reconnect),
            "mcp_toggle" => self.with_server(request, Self::toggle),
            "rewind_files" => rewind::files(request, &self.view.get(), &self.facts),
            // The original gives this answer for unknown ids, too; an interrupt stops sub-agents that are waited for.
            "stop_task" => {
                if let Some(task) = request.text("task_id") {
                    let _ = self.shells.stop(&task) || self.background.stop(&task);
                }
                Reply::object(|_| {})
            }
            "end_session" => {
                self.background.stop_all();
                Reply::End
            }
            other => Reply::Refused(format!("unsupported request {other:?}"), Some("unsupported_request")),
        }
    }

    fn interrupt(&self) -> Reply {
        let _ = self.commands.send(Command::Interrupt);
        Reply::object(|answer| {
            answer.array("still_queued", |_| {});
        })
    }

    fn set_model(&self, request: &ControlRequest) -> Reply {
        let model = match request.text("model") {
            Some(name) => self.models.named(&name),
            None => self.facts.default_model.clone(),
        };
        self.view.set_model(&model);
        let _ = self.commands.send(Command::SetModel(model.clone()));
        Reply::object(|answer| {
            answer.string("model", &model);
        })
    }

    fn set_mode(&self, request: &ControlRequest) -> Reply {
        let Some(name) = request.text("mode") else { return Reply::missing("mode") };
        let mode = match Mode::parse(&name) {
            // A program cannot switch permissions off while the session runs.
            Some(Mode::Bypass) if !self.facts.is_bypass => {
                let why = format!("{name} must be chosen at the start");
                return Reply::Refused(why, Some("bypass_not_launched"));
            }
            Some(mode) => mode,
            None => return Reply::Refused(format!("unknown permission mode {name:?}"), Some("invalid_mode")),
        };
        self.view.set_mode(mode);
        let _ = self.commands.send(Command::SetMode(mode));
        let _ = self.channel.write(|frame| {
            frame.string("type", "system").string("subtype", "status").raw("status", b"null");
            frame.string("permissionMode", mode.name()).string("session_id", &self.view.get().session);
            frame.string("uuid", &new_uuid(&SystemSource));
        });
        Reply::object(|answer| {
            answer.string("mode", mode.name());
        })
    }

    fn set_thinking(&self, request: &ControlRequest) -> Reply {
        let tokens = request.get("max_thinking_tokens");
        let number = tokens.as_ref().map(|tokens| tokens.value().count());
        match number {
            Some(None) => Reply::Refused("max_thinking_tokens must be a number".to_owned(), None),
            number => {
                let _ = self.commands.send(Command::SetThinking(number.flatten()));
                Reply::Done(None)
            }
        }
    }

    fn initialize(&mut self, request: &ControlRequest) -> Reply {
        // Whenever they come: a guard must not be missing.
        self.hooks.clear_program();
        if let Some(wanted) = request.get("hooks") {
            let problems = callbacks::register(&self.hooks, wanted.value(), &self.channel);
            problems.iter().for_each(|problem| self.say(&visible(problem)));
        }
        if self.is_begun && request.get("agents").is_some() {
            self.say("ignoring agents of a request that is not the first line");
        }
        self.connect();
        let (channel, facts, view) = (self.channel.clone(), Arc::clone(&self.facts), self.view.clone());
        let mut ready = self.ready.subscribe();
        let request = ControlRequest { id: request.id.clone(), subtype: String::new(), body: Vec::new() };
        tokio::spawn(async move {
            // Without servers there is nothing to wait for.
            let _ = ready.wait_for(|is_ready| *is_ready).await;
            let state = view.get();
            respond(&channel, &request, Reply::object(|answer| answers::initialize(answer, &facts, &state)));
        });
        Reply::Later
    }
}

/// Answers a request. One without an id expects no answer, but learns of an error.
pub(super) fn respond(channel: &ControlChannel, request: &ControlRequest, reply: Reply) {
    let (answer, error) = match reply {
        Reply::Later => return,
        Reply::Done(answer) => (answer, None),
        Reply::End => (Some(b"{}".to_vec()), None),
        Reply::Refused(why, code) => (None, Some((why, code))),
    };
    if request.id.is_none() && error.is_none() {
        return;
    }
    // If the program does not read any more, turns learn of it.
    let _ = channel.write(|frame| {
        frame.string("type", "control_response").object("response", |response| {
            response.string("subtype", if error.is_some() { "error" } else { "success" });
            response.string_if("request_id", request.id.as_deref());
            match &error {
                Some((why, code)) => {
                    response.string("error", why).string_if("error_code", *code);
                }
                None => answer.iter().for_each(|answer| {
                    response.raw("response", answer);
                }),
            }
        });
    });
}

/// Returns a JSON value of a request, or the default.
pub(super) fn is_true(request: &ControlRequest, key: &str) -> bool {
    request.get(key).is_some_and(|value| value.value().boolean() == Some(true))
}

/// Returns the items of a list.
pub(super) fn items(value: Option<Value<'_>>) -> impl Iterator<Item = Value<'_>> {
    value.into_iter().flat_map(Value::items)
}
