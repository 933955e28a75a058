//! The control protocol: a program drives the conversation over standard input and output, as the original's SDKs do.
//!
//! | module | owns |
//! |---|---|
//! | `incoming` | lines of the program |
//! | `channel` | lines to the program, and requests that wait for its answers |
//! | `initialize` | what the program says when it begins |
//! | `serve`, `answers`, `servers`, `rewind` | requests of the program |
//! | `permission`, `callbacks` | requests to the program: permissions, hooks, MCP servers |
//! | `view` | what requests see of the session |
//! | `turns` | the turns of the conversation |

mod answers;
mod callbacks;
mod channel;
mod incoming;
mod initialize;
mod permission;
mod rewind;
mod serve;
mod servers;
mod turns;
mod view;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::Poll;

use annals_agent::protocol::{Approver, Commands};
use annals_json::object;
use annals_policy::Mode;
use annals_policy::screen::visible;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::watch;

pub(super) use initialize::definitions;
pub(super) use permission::Questions;

use self::answers::ServerFacts;
use self::channel::ControlChannel;
use self::initialize::Initialization;
use self::serve::Server;
use self::turns::TurnLoop;
use self::view::SessionView;
use super::access::key_source;
use super::force_quit::ForceQuit;
use super::frames::FrameOptions;
use super::init_frame::InitFacts;
use super::print::Printer;
use super::refusals::RefusalReceiver;
use super::signals::SignalListener;
use super::{
    ChatApp, OpenChat, Program, hooks, limits, model, runtime, start, stopped_agent, stopped_command,
};
use crate::args::{ChatArgs, ChatOutput};
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// By this variable the SDKs ask to be told when the session is idle.
const STATE_VARIABLE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
/// The value of `--permission-prompt-tool` that asks the program.
pub(super) const STDIO: &str = "stdio";

/// Runs a conversation that a program drives.
pub(super) fn run(args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let (sender, mut incoming) = unbounded_channel();
    std::thread::spawn(move || incoming::read(&sender));
    let runtime = runtime::new()?;
    // Hooks and sub-agents come with the first request: the conversation begins with them.
    let first = runtime.block_on(incoming.recv());
    let begin = Initialization::of(first.as_ref());
    let channel = ControlChannel::default();
    let transports = Some(callbacks::transports(&channel));
    let program =
        Program { agents: begin.agents().map_err(Fault::usage)?, servers: begin.servers(), transports };
    let app = ChatApp::new(args, context, program)?;
    let unsupported = app.setup.unsupported.iter().map(ToString::to_string);
    let told = unsupported.chain(app.mcp.notes.iter().cloned()).chain(begin.problems);
    told.for_each(|line| context.say(visible(&line)));
    let asks_program = args.sdk.permission_prompt_tool.as_deref() == Some(STDIO);
    let approver = if asks_program { Approver::Person } else { Approver::Nobody };
    let OpenChat { mut agent, shells, work } = app.agent(args, start(args, context)?, approver, context)?;
    agent.should_absorb_prompts = true;
    let (sender, mut commands) = Commands::channel();
    let signals = SignalListener { sender: sender.clone() };
    let force_quit = ForceQuit::new(|| {});
    force_quit.watch(&shells, &app.mcp.servers);
    let view = SessionView::new(&mut agent)?;
    let facts = InitFacts::new(&app.setup, &app.kind_names(), context)
        .with_skipped(&app.mcp.skipped)
        .with_plugins(&app.plugins);
    let mut printer = Printer::new(ChatOutput::StreamJson, &agent, facts, &app.setup.unsupported, context);
    printer.set_options(FrameOptions {
        is_partial: args.sdk.include_partial_messages,
        is_replaying: args.sdk.replay_user_messages,
        has_subagent_text: begin.has_subagent_text,
    });
    printer.set_budget(args.sdk.max_budget_usd, Arc::clone(&agent.is_budget_spent));
    printer.connect(Questions::new(channel.clone(), sender.clone()));
    let (refuse, mut refusals) = RefusalReceiver::channel();
    let (ready, is_ready) = watch::channel(false);
    let server = Server {
        channel: channel.clone(),
        commands: sender,
        refuse,
        view: view.clone(),
        models: app.setup.models.clone(),
        facts: Arc::new(server_facts(&app, context)?),
        mcp: app.mcp.servers.clone(),
        hooks: agent.hooks.clone(),
        shells: Arc::clone(&shells),
        background: Arc::clone(&agent.background),
        ready: Arc::new(ready),
        is_loud: context.verbosity >= 0,
        is_begun: false,
    };
    let wait = limits::background_wait(&app.setup, context);
    force_quit.listen();
    let closing = channel.clone();
    let ended = runtime::block_on(runtime, async {
        let turns = TurnLoop {
            agent: &mut agent,
            printer: &mut printer,
            view,
            channel,
            is_telling: is_telling(context),
            wait,
            is_told_running: false,
        };
        let turns = turns.run(&mut commands, &mut refusals, is_ready, context);
        let ended = signals.or(work.beside(beside(turns, server.run(first, &mut incoming)))).await;
        // A session that a signal ended is told here; nobody answers any more.
        closing.close();
        hooks::end(&mut agent, context.verbosity).await;
        ended
    });
    // What runs in the background ends with the conversation, and so do servers.
    for command in shells.end_all() {
        context.say(stopped_command(&command));
    }
    for agent in agent.background.running() {
        context.say(stopped_agent(&agent));
    }
    app.mcp.servers.end_all();
    ended.unwrap_or_else(|signal| Ok(signal.outcome()))
}

/// Returns whether the program wants to be told when the session is idle.
fn is_telling(context: &Context) -> bool {
    context.variables.iter().any(|(name, value)| name == STATE_VARIABLE && value == "1")
}

fn server_facts(app: &ChatApp, context: &Context) -> Result<ServerFacts, Fault> {
    let setup = &app.setup;
    let settings = object(|answer| {
        answer.object("effective", |effective| {
            effective.string_if("model", setup.effective.model.as_deref());
            effective.object("permissions", |permissions| {
                permissions.string("defaultMode", setup.mode.name());
            });
        });
        answer.array("sources", |_| {}).object("applied", |_| {});
    });
    Ok(ServerFacts {
        custom: app.custom.clone(),
        kinds: app.kinds.clone(),
        models: setup.models.list(),
        default_model: model::default(setup, context),
        key_source: key_source(setup, context),
        settings,
        style: setup.style_name().to_owned(),
        is_bypass: setup.mode == Mode::Bypass,
        home: context.home.clone(),
        data: context.data_dir()?,
        is_connecting: AtomicBool::new(false),
    })
}

/// Runs work, and something beside it that ends with it.
async fn beside<R>(work: impl Future<Output = R>, other: impl Future<Output = ()>) -> R {
    let (mut work, mut other) = (pin!(work), pin!(other));
    let mut is_over = false;
    std::future::poll_fn(|context| {
        is_over = is_over || other.as_mut().poll(context).is_ready();
        match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(done),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
