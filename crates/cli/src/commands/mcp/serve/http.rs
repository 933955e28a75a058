//! The tools over HTTP on this machine, with a token. The server has a thread of its own and passes on what is asked, since the
//! stores belong to the main thread.

use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use annals_json::Value;
use annals_web::{
    AccessToken, BodyHandler, Exposure, ServerLimits, Service, ServiceConfig, ServiceHead, ServiceReply,
    ServiceServer,
};

use super::server;
use crate::args::McpServeArgs;
use crate::commands::serve::fault;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::StopSignal;

/// The path of the endpoint.
const PATH: &str = "/mcp";
const MAX_BODY: usize = 4 * 1024 * 1024;
const AT_A_TIME: usize = 8;
/// The fewest characters of a token that somebody chose.
const MIN_TOKEN: usize = 16;

/// What was asked, and where the answer goes.
struct HttpQuestion {
    body: Vec<u8>,
    reply: Sender<Vec<Vec<u8>>>,
}

pub(super) fn run(
    args: &McpServeArgs,
    project: Option<PathBuf>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let token = match &context.token {
        Some(given) if given.reveal().len() < MIN_TOKEN => {
            return Err(Fault::usage(format!("ANNALS_TOKEN has fewer than {MIN_TOKEN} characters")));
        }
        Some(given) => AccessToken::given(given.reveal()),
        None => {
            AccessToken::random().map_err(|error| Fault::system(format!("no random numbers: {error}")))?
        }
    };
    let is_given = context.token.is_some();
    let (questions, inbox) = mpsc::channel();
    let address = listen(args.port, ToolService { questions, token: token.clone() })?;
    let url = format!("{address}{PATH}");
    // A token that somebody chose is known to them.
    let shown = Some(token.reveal()).filter(|_| !is_given);
    if context.json {
        context.out.json(|object| {
            object.string("url", &url).string_or_null("token", shown);
        })?;
    } else {
        context.out.line(&url)?;
        if let Some(token) = shown {
            context.out.line(format!("Authorization: Bearer {token}"))?;
        }
    }
    context.out.flush()?;
    context.say("only this machine, and only with this token; Ctrl-C stops it");
    answer(args, project, &inbox, context)
}

/// Answers until the server has ended.
fn answer(
    args: &McpServeArgs,
    project: Option<PathBuf>,
    inbox: &Receiver<HttpQuestion>,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let shared = RefCell::new(context);
    let mut server = server(args, project, &shared)?;
    while let Ok(HttpQuestion { body, reply }) = inbox.recv() {
        let answers = server.take(&body);
        // A client that is gone needs no answer.
        let _ = reply.send(answers.into_iter().filter(|answer| is_answer(answer)).collect());
    }
    Ok(Outcome::Done)
}

/// Requests of ours have no way to a client here.
fn is_answer(message: &[u8]) -> bool {
    Value::from_checked(message).get("method").is_none()
}

/// Starts the server on a thread of its own, and returns its address once it listens.
fn listen(port: u16, service: ToolService) -> Result<String, Fault> {
    let (ready, started) = mpsc::channel();
    thread::spawn(move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ =
                    ready.send(Err(Fault::of_io(&error, format!("cannot start the async runtime: {error}"))));
                return;
            }
        };
        runtime.block_on(async {
            let config = ServiceConfig {
                bind: SocketAddr::new(Ipv4Addr::LOCALHOST.into(), port),
                exposure: Exposure::Loopback,
                limits: ServerLimits::default(),
                max_body: MAX_BODY,
                at_a_time: AT_A_TIME,
                shares: 1,
            };
            let bound = ServiceServer::bind(config, service, None).await.map_err(fault);
            let stop = StopSignal::listen()
                .map_err(|error| Fault::of_io(&error, format!("cannot listen for signals: {error}")));
            match bound.and_then(|server| Ok((server, stop?))) {
                Ok((server, stop)) => {
                    let _ = ready.send(Ok(server.origin()));
                    stop.or(server.run()).await;
                }
                Err(fault) => drop(ready.send(Err(fault))),
            }
        });
        runtime.shutdown_background();
    });
    started.recv().unwrap_or_else(|_| Err(Fault::internal("the server ended before it listened")))
}

/// Decides who may ask, and passes it on.
struct ToolService {
    questions: Sender<HttpQuestion>,
    token: AccessToken,
}

impl Service for ToolService {
    fn admit(&self, head: ServiceHead) -> Result<BodyHandler, ServiceReply> {
        let refuse = |status: u16, why: &str| ServiceReply {
            status,
            headers: vec![("content-type", "text/plain; charset=utf-8".to_owned())],
            body: format!("annals: {why}\n").into_bytes(),
        };
        if !head.is_from_here() {
            return Err(refuse(403, "the request names another host, or comes from a page"));
        }
        if !head.token().is_some_and(|token| self.token.matches(token)) {
            let mut reply =
                refuse(401, "this needs the token that annals mcp serve printed, as a bearer token");
            reply.headers.push(("www-authenticate", "Bearer".to_owned()));
            return Err(reply);
        }
        if head.path != PATH {
            return Err(refuse(404, "the endpoint is /mcp"));
        }
        if head.method != "POST" {
            let mut reply = refuse(405, "only POST is answered");
            reply.headers.push(("allow", "POST".to_owned()));
            return Err(reply);
        }
        let kind = head.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if kind.split(';').next().is_none_or(|kind| kind.trim() != "application/json") {
            return Err(refuse(415, "messages must be application/json"));
        }
        let questions = self.questions.clone();
        Ok(Box::new(move |body| reply(&questions, body)))
    }
}

fn reply(questions: &Sender<HttpQuestion>, body: Vec<u8>) -> ServiceReply {
    let is_batch = body.trim_ascii_start().first() == Some(&b'[');
    let (reply, answer) = mpsc::channel();
    let answers = match questions.send(HttpQuestion { body, reply }) {
        Ok(()) => answer.recv().ok(),
        Err(_) => None,
    };
    let Some(mut answers) = answers else { return ServiceReply { status: 503, ..ServiceReply::default() } };
    let body = match (answers.len(), is_batch) {
        (0, _) => return ServiceReply { status: 202, ..ServiceReply::default() },
        (1, false) => answers.remove(0),
        _ => [b"[".as_slice(), &answers.join(&b","[..]), b"]"].concat(),
    };
    ServiceReply { status: 200, headers: vec![("content-type", "application/json".to_owned())], body }
}
