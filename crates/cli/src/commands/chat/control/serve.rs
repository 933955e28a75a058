//! Serves requests of the program, also while a turn runs.

use std::sync::Arc;

use annals_agent::mcp::{McpServer, McpServers};
use annals_agent::protocol::Command;
use annals_json::{ObjectWriter, Value, object};
use annals_policy::Mode;
use annals_store::source::new_uuid;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use super::super::built_in;
use super::super::model::ModelNames;
use super::super::refusals::RefusalSender;
use super::answers::{self, ServerFacts};
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

    fn missing(key: &str) -> Self {
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
    /// Tells that the servers of the program are connected.
    pub(super) ready: Arc<watch::Sender<bool>>,
    pub(super) is_loud: bool,
}

impl Server {
    /// Serves until the program closes its end or ends the session.
    pub(super) async fn run(mut self, first: Option<Incoming>, incoming: &mut UnboundedReceiver<Incoming>) {
        let mut next = first;
        loop {
            let line = match next.take() {
                Some(line) => Some(line),
                None => incoming.recv().await,
            };
            match line {
                Some(Incoming::End) | None => break,
                Some(line) => {
                    if !self.take(line) {
                        break;
                    }
                }
            }
        }
        self.connect();
        self.channel.close();
        // If nothing runs turns any more, there is nothing to end.
        let _ = self.commands.send(Command::Quit);
        std::future::pending::<()>().await;
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
            // Tasks run inside a turn: an interrupt stops them.
            "stop_task" => Reply::object(|_| {}),
            "end_session" => Reply::End,
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

    /// Connects the servers of the program, once; then turns may start.
    fn connect(&self) {
        if self.mcp.iter().next().is_none() {
            self.ready.send_replace(true);
        }
        if *self.ready.borrow() || self.facts.is_connecting.swap(true, std::sync::atomic::Ordering::Relaxed) {
            return;
        }
        let (mcp, ready, is_loud) = (self.mcp.clone(), Arc::clone(&self.ready), self.is_loud);
        tokio::spawn(async move {
            for server in mcp.iter() {
                connect_one(server, is_loud).await;
            }
            ready.send_replace(true);
        });
    }

    fn initialize(&mut self, request: &ControlRequest) -> Reply {
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

    fn with_server(
        &self,
        request: &ControlRequest,
        run: fn(&Self, &ControlRequest, &Arc<McpServer>) -> Reply,
    ) -> Reply {
        let Some(name) = request.text("serverName") else { return Reply::missing("serverName") };
        match self.mcp.named(&name) {
            Some(server) => run(self, request, server),
            None => Reply::Refused(format!("Server not found: {name}"), None),
        }
    }

    fn reconnect(&self, request: &ControlRequest, server: &Arc<McpServer>) -> Reply {
        let (channel, server, is_loud) = (self.channel.clone(), Arc::clone(server), self.is_loud);
        let request = ControlRequest { id: request.id.clone(), subtype: String::new(), body: Vec::new() };
        tokio::spawn(async move {
            connect_one(&server, is_loud).await;
            respond(&channel, &request, Reply::object(|_| {}));
        });
        Reply::Later
    }

    fn toggle(&self, request: &ControlRequest, server: &Arc<McpServer>) -> Reply {
        let enabled = request.get("enabled").and_then(|enabled| enabled.value().boolean());
        let Some(is_enabled) = enabled else { return Reply::missing("enabled") };
        server.set_enabled(is_enabled);
        if is_enabled { self.reconnect(request, server) } else { Reply::object(|_| {}) }
    }
}

/// Connects a server, and says what is wrong with it.
async fn connect_one(server: &McpServer, is_loud: bool) {
    let late = tokio::time::timeout(answers::CONNECT_TIMEOUT, server.connect()).await.is_err();
    let state = server.state();
    let failure = match &state.status {
        _ if late => Some("it did not answer in time".to_owned()),
        annals_agent::mcp::McpStatus::Failed(why) => Some(why.clone()),
        _ => None,
    };
    let problems = failure.into_iter().chain(state.problems);
    for problem in problems.filter(|_| is_loud) {
        stderr::say(format_args!("annals: MCP server {}: {problem}", server.name()));
    }
}

/// Answers a request. One without an id expects no answer, but learns of an error.
fn respond(channel: &ControlChannel, request: &ControlRequest, reply: Reply) {
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
