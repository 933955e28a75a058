//! `annals chat`: a conversation with a model, in the terminal; or headless: prompts from the arguments or standard input,
//! answers on standard output.

mod access;
mod background;
mod built_in;
mod control;
mod custom;
#[cfg(all(unix, feature = "tui"))]
mod dropped_images;
#[cfg(all(unix, feature = "tui"))]
mod editor_input;
mod force_quit;
mod frames;
mod headless;
mod hooks;
mod init_frame;
mod input;
mod limits;
mod local;
mod model;
mod opening;
mod permission_tool;
mod plugins;
mod print;
mod prompt;
mod refusals;
mod replay;
mod repository;
mod result;
pub(crate) mod runtime;
mod sandbox;
pub(crate) mod servers;
mod setup;
mod signals;
mod start;
mod style;
pub(crate) mod summarize;
#[cfg(unix)]
mod terminal;
mod tools;
mod unsupported;

use std::sync::{Arc, Mutex, PoisonError};

use annals_agent::api::call::{Caller, RetryClock, RetryOptions};
use annals_agent::api::client::Client;
use annals_agent::commands::CustomCommand;
use annals_agent::context::SystemPrompt;
use annals_agent::conversation::{ConversationStart, Persistence, StoreContext};
use annals_agent::plugin::Plugin;
use annals_agent::protocol::{Approver, Commands, TurnConfig};
use annals_agent::subagent::AgentDefinition;
use annals_agent::tools::background::BackgroundWork;
use annals_agent::tools::bash::Shells;
use annals_agent::turn::Agent;
use annals_policy::Policy;
use annals_policy::paths::Disk;
use annals_policy::screen::visible;
use annals_store::source::{Clock, Source};
use annals_store::{ConfigDir, DataDir};

use self::force_quit::ForceQuit;
use self::frames::FrameOptions;
use self::headless::run_turns;
use self::hooks::ConfiguredHooks;
use self::init_frame::InitFacts;
use self::limits::Limits;
use self::opening::open_when_quiet;
use self::print::Printer;
use self::servers::{ConfiguredServers, ProgramTransports};
use self::setup::Setup;
pub(crate) use self::setup::of_folder as settings_here;
use self::signals::SignalListener;
use self::start::{no_picker, resume_or_fork, start};
use self::tools::ModelAccess;
use crate::args::{ChatArgs, ChatInput, ChatOutput};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::guard_memory;
use crate::session::ResolvedSession;
use crate::source::SystemSource;
use crate::table::one_line;

impl RetryClock for SystemSource {
    fn now(&self) -> i64 {
        Clock::now(self)
    }

    fn jitter(&self) -> f64 {
        let bytes = self.random();
        f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Runs the command.
pub(crate) fn run(mut args: ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    guard_memory();
    let folder = context.current_dir.clone().unwrap_or_default();
    args.find_prompt(|path| folder.join(path).is_dir());
    args.imply_bare();
    let resumed = args.resume.clone().flatten();
    let resumed = resumed.or_else(|| args.r#continue.then(|| "last".to_owned()));
    if let Some(session) = resumed.filter(|_| context.store.are_several()) {
        // Settings, agents and files are those of the store that the session is in. What is wrong with it is said later.
        let _ = ResolvedSession::find(context, &session);
    }
    if let Some(session) = args.replay.clone() {
        return replay::run(&session, &args, context);
    }
    if !args.is_headless() {
        if args.output_format != ChatOutput::Text {
            return Err(
                Fault::usage("--output-format needs -p").hint("annals chat -p --output-format json PROMPT")
            );
        }
        return in_terminal(&args, context);
    }
    for (option, why) in args.sdk.inert.given() {
        context.say(format!("{option} has no effect: {why}"));
    }
    if args.input_format == ChatInput::StreamJson {
        if args.output_format != ChatOutput::StreamJson || args.prompt.is_some() {
            return Err(Fault::usage(
                "--input-format stream-json needs --output-format stream-json, and takes no prompt argument",
            )
            .hint("annals chat --input-format stream-json --output-format stream-json"));
        }
        return control::run(&args, context);
    }
    let app = ChatApp::new(&args, context, Program::default())?;
    for setting in &app.setup.unsupported {
        context.say(visible(&setting.to_string()));
    }
    app.mcp.notes.iter().for_each(|note| context.say(visible(note)));
    let OpenChat { mut agent, shells, work } =
        app.agent(&args, start(&args, context)?, Approver::Nobody, context)?;
    let (sender, mut commands) = Commands::channel();
    let signals = SignalListener { sender: sender.clone() };
    let force_quit = ForceQuit::new(|| {});
    force_quit.watch(&shells, &app.mcp.servers);
    let facts = InitFacts::new(&app.setup, &app.kind_names(), context)
        .with_skipped(&app.mcp.skipped)
        .with_plugins(&app.plugins);
    let mut printer = Printer::new(args.output_format, &agent, facts, &app.setup.unsupported, context);
    printer.set_options(FrameOptions {
        is_partial: args.sdk.include_partial_messages,
        is_replaying: args.sdk.replay_user_messages,
        has_subagent_text: false,
    });
    printer.set_budget(args.sdk.max_budget_usd, Arc::clone(&agent.is_budget_spent));
    input::start(&args, &sender, context)?;
    let runtime = runtime::new()?;
    force_quit.listen();
    let (is_loud, wait) = (context.verbosity >= 0, limits::background_wait(&app.setup, context));
    let ended = runtime::block_on(runtime, async {
        let turns = async {
            servers::connect(&app.mcp.servers, move |line| servers::say(&line, is_loud)).await;
            printer.begin(&agent, &mut context.out)?;
            run_turns(&mut agent, &mut commands, &mut printer, wait, context).await
        };
        let ended = signals.or(work.beside(turns)).await;
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

#[cfg(unix)]
fn in_terminal(args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if !context.stdin_is_terminal() || !context.out.is_terminal {
        if args.resume == Some(None) {
            return Err(no_picker());
        }
        return Err(Fault::usage("annals chat needs a terminal")
            .hint("annals chat -p PROMPT prints one answer and exits"));
    }
    terminal::run(args, context)
}

#[cfg(not(unix))]
fn in_terminal(_: &ChatArgs, _: &mut Context) -> Result<Outcome, Fault> {
    Err(Fault::usage("interactive chat is not supported on this system")
        .hint("annals chat -p PROMPT prints one answer and exits"))
}

/// What all conversations of one run share.
struct ChatApp {
    setup: Setup,
    client: Client,
    config: ConfigDir,
    data: DataDir,
    source: SystemSource,
    /// The system prompt; built once, so that the API can cache it.
    system_prompt: SystemPrompt,
    /// The types of sub-agents.
    kinds: Vec<AgentDefinition>,
    /// The custom commands.
    custom: Vec<CustomCommand>,
    /// The MCP servers.
    mcp: ConfiguredServers,
    /// The hooks of settings and of front matter.
    hooks: ConfiguredHooks,
    plugins: Vec<Plugin>,
    /// The title of the first session, until it is opened.
    title: Mutex<Option<String>>,
}

/// What a program brings that drives this one.
#[derive(Default)]
struct Program {
    agents: Vec<AgentDefinition>,
    /// Definitions of its MCP servers, as in `--mcp-config`: JSON.
    servers: Vec<String>,
    transports: Option<ProgramTransports>,
}

impl ChatApp {
    fn new(args: &ChatArgs, context: &Context, program: Program) -> Result<Self, Fault> {
        let setup = Setup::new(args, context)?;
        let client = access::client(&setup.effective, context)?;
        let config = context.store.config_dir().clone();
        let system_prompt = setup.system_prompt(args, context)?;
        let mut kinds = setup.kinds(args, context)?;
        let plugins = plugins::read(&setup, args, context)?;
        kinds.extend(plugins.iter().flat_map(|plugin| plugin.agents.iter().cloned()));
        let mcp = ConfiguredServers::new(args, &setup, context, (&program, &plugins[..]))?;
        for kind in program.agents {
            kinds.retain(|known| known.name != kind.name);
            kinds.push(kind);
        }
        let custom = custom::read(&setup, &plugins, context);
        let (data, source) = (context.data_dir()?, context.source);
        let hooks = ConfiguredHooks::read(&setup, (&kinds[..], &custom[..], &plugins[..]), args, context);
        let title = Mutex::new(args.name.clone());
        Ok(Self {
            setup,
            client,
            config,
            data,
            source,
            system_prompt,
            kinds,
            custom,
            mcp,
            hooks,
            plugins,
            title,
        })
    }

    fn kind_names(&self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.name.clone()).collect()
    }

    /// Opens a conversation with its tools.
    fn agent(
        &self,
        args: &ChatArgs,
        start: ConversationStart,
        approver: Approver,
        context: &Context,
    ) -> Result<OpenChat<'_>, Fault> {
        let setup = &self.setup;
        let persistence = if args.no_session_persistence { Persistence::Memory } else { Persistence::File };
        let store = StoreContext { config: &self.config, data: &self.data, source: &self.source };
        let mut conversation = open_when_quiet(store, start, &setup.cwd, persistence, context)?;
        if let Some(message) = &args.sdk.resume_session_at {
            let resumed = conversation.resume_at(message);
            resumed.map_err(|error| Fault::usage(format!("--resume-session-at: {error}")))?;
        }
        let model = model::choose(args, setup, context, conversation.model());
        let fallback = args.fallback_model.as_deref().map(|name| setup.models.named(name));
        let limits = Limits::new(setup, context).with(&args.sdk);
        let has_raw_events = args.sdk.include_partial_messages;
        let retry = RetryOptions { fallback, has_raw_events, ..limits.retry(RetryOptions::default()) };
        let policy = Policy {
            rules: &setup.effective.rules,
            mode: setup.mode,
            workspace: &setup.workspace,
            files: &Disk,
        };
        let turn_config = TurnConfig {
            model,
            max_tokens: limits.max_tokens,
            system: self.system_prompt.blocks(),
            thinking: limits.thinking,
            effort: limits.effort,
            betas: limits::betas(args, setup, context),
            caching: limits.caching,
            max_responses: args.max_turns,
            approver,
            compact_at: limits.compact_at,
        };
        let caller = Caller { transport: &self.client, clock: &self.source, retry };
        let models = ModelAccess {
            caller: tools::again(&caller),
            store,
            model: turn_config.model.clone(),
            limits,
            kinds: self.kinds.clone(),
            approver,
            skills: self.custom.clone().into(),
            system_prompt: self.system_prompt.clone(),
            mcp: self.mcp.servers.clone(),
            policy: Policy { ..policy },
        };
        let toolbox = tools::tools(args, setup, &conversation, context, models)?;
        let mut agent = Agent::new(conversation, caller, toolbox.tools, policy, turn_config);
        agent.custom.clone_from(&self.custom);
        agent.title = self.title.lock().unwrap_or_else(PoisonError::into_inner).take();
        agent.skills = self.custom.clone().into();
        agent.nested_skills = custom::nested(setup);
        agent.structured = toolbox.structured;
        agent.system_prompt = Some(self.system_prompt.clone());
        self.add_hooks(&mut agent, &toolbox.shells, args, context);
        agent.mcp = self.mcp.servers.clone();
        agent.mcp.set_session(agent.conversation.session());
        agent.background = toolbox.background;
        agent.is_headless = args.is_headless();
        agent.permission_tool = permission_tool::find(args, &agent.mcp, context);
        Ok(OpenChat { agent, shells: toolbox.shells, work: toolbox.work })
    }
}

/// A conversation that was opened.
struct OpenChat<'a> {
    agent: ChatAgent<'a>,
    /// The shells of its commands.
    shells: Arc<Shells>,
    /// What its sub-agents in the background do.
    work: BackgroundWork<'a>,
}

type ChatAgent<'a, T = Client> = Agent<'a, T, SystemSource>;

/// Returns the message about a background command that was ended with the conversation.
fn stopped_command(command: &str) -> String {
    format!("ended background command: {}", one_line(command))
}

/// Returns the message about a sub-agent in the background that was ended with the conversation.
fn stopped_agent(description: &str) -> String {
    format!("ended background agent: {}", one_line(description))
}
