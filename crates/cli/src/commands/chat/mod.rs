//! `annals chat`: a conversation with a model, in the terminal; or headless: prompts from the arguments or standard input,
//! answers on standard output.

mod access;
pub(crate) mod aside;
mod custom;
mod input;
mod last_resort;
mod memory;
mod model;
mod print;
mod prompt;
mod refusals;
mod replay;
mod repository;
mod result;
mod runtime;
mod setup;
mod signals;
#[cfg(unix)]
mod terminal;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use annals_agent::api::call::{Caller, Manner, Surroundings};
use annals_agent::api::client::Client;
use annals_agent::api::request::{Caching, Display, Thinking};
use annals_agent::command::{Command, Commands};
use annals_agent::commands::CustomCommand;
use annals_agent::context::Briefing;
use annals_agent::conversation::{Conversation, Ground, OpenError, Persistence, Start};
use annals_agent::event::Event;
use annals_agent::subagent::Kind;
use annals_agent::tools::bash::Shells;
use annals_agent::turn::{Agent, Asking, Ending, Wishes};
use annals_policy::Policy;
use annals_policy::paths::Disk;
use annals_store::session::{AppendError, NewSession};
use annals_store::source::{Clock, Source};
use annals_store::{ConfigDir, DataDir};

use self::last_resort::LastResort;
use self::print::Printer;
use self::refusals::{Next, Refusals};
use self::setup::Setup;
use self::signals::{Signal, Signals};
use self::tools::Models;
use crate::args::{ChatArgs, ChatInput, ChatOutput};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::Target;
use crate::source::SystemSource;
use crate::table::one_line;

/// How much a model may write at once.
const MAX_TOKENS: u64 = 32_000;
/// How much it may think, where it must be told.
const THINKING: u64 = 16_000;
/// How full the window is, in percent, when the conversation is summed up.
const COMPACT_AT: u8 = 90;

impl Surroundings for SystemSource {
    fn now(&self) -> i64 {
        Clock::now(self)
    }

    fn chance(&self) -> f64 {
        let bytes = self.random();
        f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) / (f64::from(u32::MAX) + 1.0)
    }
}

/// Carries it out.
pub(crate) fn run(args: ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    memory::guard();
    if let Some(session) = args.replay.clone() {
        return replay::run(&session, &args, context);
    }
    if !args.print {
        return in_terminal(&args, context);
    }
    let is_stream = args.input_format == ChatInput::StreamJson;
    if is_stream && (args.output_format != ChatOutput::StreamJson || args.prompt.is_some()) {
        return Err(Fault::usage(
            "prompts from a stream are answered by a stream, and come from nowhere else",
        )
        .hint("annals chat -p --input-format stream-json --output-format stream-json"));
    }
    let bench = Bench::new(&args, context)?;
    let (mut agent, shells) = bench.agent(&args, start(&args, context)?, Asking::Nobody, context)?;
    let (sender, mut commands) = Commands::channel();
    let signals = Signals { sender: sender.clone() };
    let last_resort = LastResort::new(|| {});
    last_resort.watch_over(&shells);
    let mut printer = Printer::new(args.output_format, &agent, &bench.setup, &bench.kind_names(), context);
    printer.begin(&mut context.out)?;
    let mut refusals = input::start(&args, sender, context)?;
    let runtime = runtime::new()?;
    last_resort.listen();
    let talk = talk(&mut agent, &mut commands, &mut refusals, &mut printer, context);
    let ended = runtime::carry_out(runtime, signals.or(talk));
    // Whatever runs in the background ends with the conversation.
    for command in shells.end_all() {
        context.say(ended_with(&command));
    }
    match ended {
        Ok(outcome) => outcome,
        Err(Signal::Interrupt) => Ok(Outcome::Interrupted),
        // The turn is left as it is: whoever resumes goes on with it.
        Err(Signal::Terminate) => Ok(Outcome::Terminated),
    }
}

#[cfg(unix)]
fn in_terminal(args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if !context.has_person() || !context.out.is_terminal {
        if args.resume == Some(None) {
            return Err(nowhere_to_choose());
        }
        return Err(Fault::usage("a conversation needs a terminal to be had in")
            .hint("annals chat -p PROMPT answers once and ends"));
    }
    terminal::run(args, context)
}

#[cfg(not(unix))]
fn in_terminal(_: &ChatArgs, _: &mut Context) -> Result<Outcome, Fault> {
    Err(Fault::usage("there is no conversation in the terminal on this system yet")
        .hint("annals chat -p PROMPT answers once and ends"))
}

/// What all conversations of one run have in common.
struct Bench {
    setup: Setup,
    client: Client,
    config: ConfigDir,
    data: DataDir,
    source: SystemSource,
    /// What the model is told; taken once, so that the API can remember it.
    briefing: Briefing,
    /// The types of sub-agents.
    kinds: Vec<Kind>,
    /// The custom commands.
    custom: Vec<CustomCommand>,
}

impl Bench {
    fn new(args: &ChatArgs, context: &Context) -> Result<Self, Fault> {
        let setup = Setup::new(args, context)?;
        let client = access::client(&setup.effective, context)?;
        let config = context.store.config_dir().clone();
        let (briefing, kinds) = (setup.briefing(args, context), setup.kinds(context));
        let custom = custom::read(&setup, context);
        let (data, source) = (context.data_dir()?, context.source);
        Ok(Self { setup, client, config, data, source, briefing, kinds, custom })
    }

    fn kind_names(&self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.name.clone()).collect()
    }

    /// A conversation with its tools, and the commands that these run.
    fn agent(
        &self,
        args: &ChatArgs,
        start: Start,
        asking: Asking,
        context: &Context,
    ) -> Result<(Talker<'_>, Arc<Shells>), Fault> {
        let setup = &self.setup;
        let persistence = if args.no_session_persistence { Persistence::Memory } else { Persistence::File };
        let ground = Ground { config: &self.config, data: &self.data, source: &self.source };
        let conversation = Conversation::open(ground, start, &setup.cwd, persistence)?;
        let model = model::choose(args, setup, context, conversation.model());
        let fallback = args.fallback_model.as_deref().map(model::named);
        let manner = Manner { fallback, ..Manner::default() };
        let policy = Policy {
            rules: &setup.effective.rules,
            mode: setup.mode,
            workspace: &setup.workspace,
            files: &Disk,
        };
        let wishes = Wishes {
            model,
            max_tokens: MAX_TOKENS,
            system: self.briefing.blocks(),
            thinking: Thinking::On { budget: THINKING, display: Display::Usual },
            effort: None,
            caching: Caching::Minutes,
            most_responses: args.max_turns,
            asking,
            compact_at: Some(COMPACT_AT),
        };
        let caller = Caller { transport: &self.client, surroundings: &self.source, manner };
        let models = Models {
            caller: tools::again(&caller),
            ground,
            model: wishes.model.clone(),
            kinds: self.kinds.clone(),
            briefing: self.briefing.clone(),
        };
        let toolbox = tools::tools(args, setup, &conversation, context, models)?;
        let mut agent = Agent::new(conversation, caller, toolbox.tools, policy, wishes);
        agent.custom.clone_from(&self.custom);
        Ok((agent, toolbox.shells))
    }
}

type Talker<'a, T = Client> = Agent<'a, T, SystemSource>;

/// Obeys until nobody is left to give commands.
async fn talk(
    agent: &mut Talker<'_>,
    commands: &mut Commands,
    refusals: &mut Refusals,
    printer: &mut Printer,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let mut outcome = Outcome::Done;
    loop {
        let command = match refusals.or(commands.next()).await {
            Next::Refused(why) => {
                printer.refuse(&why, context)?;
                outcome = Outcome::Failed;
                continue;
            }
            Next::Command(command) => command,
        };
        // What was said before it is answered before it.
        while let Some(why) = refusals.at_once() {
            printer.refuse(&why, context)?;
            outcome = Outcome::Failed;
        }
        let Some(command) = command.filter(|command| *command != Command::Quit) else { return Ok(outcome) };
        if matches!(command, Command::Prompt(_)) {
            refusals.pass();
        }
        let mut fault = None;
        let finished = {
            let out = &mut context.out;
            let mut report = |event: Event| {
                if fault.is_none() {
                    fault = printer.print(&event, out).err();
                }
            };
            agent.obey(command, commands, &mut report).await
        };
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        let Some(finished) = finished else { continue };
        printer.finish(&finished, agent.conversation.session(), context)?;
        outcome = match finished.ending {
            Ending::Done => Outcome::Done,
            Ending::Interrupted => Outcome::Interrupted,
            Ending::MostResponses | Ending::Failed(_) => Outcome::Failed,
        };
    }
}

/// What is said of a command that ran in the background until the conversation was over.
fn ended_with(command: &str) -> String {
    format!("ended in the background: {}", one_line(command))
}

/// Where the conversation begins.
fn start(args: &ChatArgs, context: &Context) -> Result<Start, Fault> {
    let path: Option<PathBuf> = match (&args.resume, args.r#continue) {
        (Some(Some(session)), _) => {
            Some(Target::find(context, session).map_err(|fault| unless_prompt(fault, args))?.path)
        }
        (Some(None), _) => return Err(nowhere_to_choose()),
        (None, true) => Some(Target::find(context, "last")?.path),
        (None, false) => None,
    };
    Ok(match path {
        Some(path) => going_on(path, args),
        None if args.fork_session => {
            return Err(Fault::usage("a copy needs a session to be made from")
                .hint("annals chat -p --resume SESSION --fork-session PROMPT"));
        }
        None => Start::New(NewSession {
            id: args.session_id.clone(),
            // Pickers list only those that a person had.
            entrypoint: args.print.then(|| "sdk-cli".to_owned()),
            ..NewSession::default()
        }),
    })
}

/// Nobody can choose a session here.
fn nowhere_to_choose() -> Fault {
    Fault::usage("--resume without a session needs a terminal to choose one in")
        .hint("--continue goes on with the newest one of this folder; annals ls names them all")
}

/// Goes on with a session, or in a copy of it.
fn going_on(path: PathBuf, args: &ChatArgs) -> Start {
    if args.fork_session { Start::Fork(path) } else { Start::Resume(path) }
}

/// What stands behind `--resume` is a session, and perhaps was meant to be said.
fn unless_prompt(fault: Fault, args: &ChatArgs) -> Fault {
    match args.prompt {
        None => fault.hint("what follows --resume names a session; a prompt stands before it, or behind --"),
        Some(_) => fault,
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Append(error @ AppendError::Busy { .. }) => Self::conflict(error.to_string())
                .hint("--fork-session goes on in a copy, whoever is writing to the session"),
            OpenError::Append(error) => error.into(),
            OpenError::Fork(error) => Self::usage(error.to_string()),
            OpenError::Read(error) => error.into(),
        }
    }
}
