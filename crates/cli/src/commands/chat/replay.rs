//! `annals chat --replay`: plays a stored session. Nothing is sent, run or written.

use std::io;

use annals_agent::api::call::{Caller, RetryOptions};
use annals_agent::api::request::{PromptCaching, Thinking};
use annals_agent::api::stream::StreamEvent;
use annals_agent::api::transport::Transport;
use annals_agent::conversation::{Conversation, ConversationStart, Persistence, StoreContext};
use annals_agent::protocol::{Approver, Command, Commands, Event, Prompt, TurnConfig, TurnEnd};
use annals_agent::replay::{Pace, Player, Recording, tools};
use annals_json::Value;
use annals_policy::paths::Disk;
use annals_policy::rules::Rules;
use annals_policy::{Mode, Policy};
use annals_store::read::read_file;
use annals_store::session::{ForkError, NewSession};
use annals_ui::TerminalText;

use super::ChatAgent;
use super::init_frame::InitFacts;
use super::limits::MAX_TOKENS;
use super::print::Printer;
use super::setup::Setup;
use super::signals::SignalListener;
use crate::args::{ChatArgs, ChatOutput};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::{Output, Paint};
use crate::session::ResolvedSession;
use crate::table::one_line;

/// Characters per second on a terminal.
const WATCHED_PACE: u32 = 1500;
/// Characters of a call that are shown.
const MAX_CALL_CHARS: usize = 100;

pub(super) fn run(session: &str, args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let path = ResolvedSession::find(context, session)?.path;
    let recording = Recording::of(&read_file(&path)?, &path).map_err(|error| match error {
        ForkError::Empty { .. } => Fault::nothing_found(error.to_string()),
        error => Fault::usage(error.to_string()),
    })?;
    if recording.turns.is_empty() {
        return Err(Fault::nothing_found(format!("{}: no turns to replay", path.display())));
    }
    let pace = match args.replay_speed {
        Some(0) => Pace::AtOnce,
        Some(letters) => Pace::LettersPerSecond(letters),
        None if context.out.is_terminal => Pace::LettersPerSecond(WATCHED_PACE),
        None => Pace::AtOnce,
    };
    // Nothing is run, so no setting is missed.
    let mut setup = Setup::new(args, context)?;
    setup.unsupported.clear();
    let (config, data, source) = (context.store.config_dir().clone(), context.data_dir()?, context.source);
    let store = StoreContext { config: &config, data: &data, source: &source };
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let new = NewSession { id: id.filter(|id| annals_store::source::is_uuid(id)), ..NewSession::default() };
    let conversation =
        Conversation::open(store, ConversationStart::New(new), &setup.cwd, Persistence::Memory)?;
    let player = Player::new(pace);
    let caller = Caller { transport: &player, clock: &source, retry: RetryOptions::default() };
    // Replayed tools do nothing, so no rules are needed.
    let rules = Rules::default();
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &setup.workspace, files: &Disk };
    let mut agent = ChatAgent::new(conversation, caller, tools(&recording), policy, turn_config(&recording));
    let mut page = match args.output_format {
        ChatOutput::Text => ReplayOutput::Text,
        form => ReplayOutput::Structured(Box::new(Printer::new(
            form,
            &agent,
            InitFacts::new(&setup, &[], context),
            &setup.unsupported,
            context,
        ))),
    };
    page.begin(&agent, &mut context.out)?;
    let (sender, mut commands) = Commands::channel();
    let signals = SignalListener { sender };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Fault::of_io(&error, format!("cannot start the async runtime: {error}")))?;
    let playing = play(&mut agent, &recording, &player, &mut commands, &mut page, context);
    runtime.block_on(signals.or(playing)).unwrap_or_else(|signal| Ok(signal.outcome()))
}

fn turn_config(recording: &Recording) -> TurnConfig {
    TurnConfig {
        model: recording.model.clone().unwrap_or_default(),
        max_tokens: MAX_TOKENS,
        system: Vec::new(),
        thinking: Thinking::Off,
        effort: None,
        betas: Vec::new(),
        caching: PromptCaching::Off,
        max_responses: None,
        approver: Approver::Nobody,
        compact_at: None,
    }
}

async fn play(
    agent: &mut ChatAgent<'_, Player>,
    recording: &Recording,
    player: &Player,
    commands: &mut Commands,
    page: &mut ReplayOutput,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    for turn in &recording.turns {
        player.begin(turn);
        let prompt = turn.prompt.clone().unwrap_or_else(|| Prompt::Text("(continues)".to_owned()));
        page.prompt(&prompt, &mut context.out)?;
        let mut fault = None;
        let finished = {
            let out = &mut context.out;
            let mut report = |event: Event| {
                if fault.is_none() {
                    fault = page.print(&event, out).err();
                }
            };
            agent.handle(Command::Prompt(prompt), commands, &mut report).await
        };
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        let Some(finished) = finished else { continue };
        match page {
            ReplayOutput::Text => context.out.line("")?,
            ReplayOutput::Structured(printer) => {
                printer.finish(&finished, agent.conversation.session(), context)?
            }
        }
        match finished.ending {
            TurnEnd::Done => {}
            TurnEnd::Interrupted => return Ok(Outcome::Interrupted),
            _ => {
                if let Some(why) = super::result::complaint(&finished) {
                    context.say(why);
                }
                return Ok(Outcome::Failed);
            }
        }
    }
    Ok(Outcome::Done)
}

enum ReplayOutput {
    /// For people: prompts, streamed texts, a line for each call.
    Text,
    /// For programs, as in any other conversation.
    Structured(Box<Printer>),
}

impl ReplayOutput {
    fn begin<T: Transport>(&mut self, agent: &ChatAgent<'_, T>, out: &mut Output) -> io::Result<()> {
        match self {
            Self::Text => Ok(()),
            Self::Structured(printer) => printer.begin(agent, out),
        }
    }

    fn prompt(&self, prompt: &Prompt, out: &mut Output) -> io::Result<()> {
        if let Self::Structured(_) = self {
            return Ok(());
        }
        for line in words(prompt).lines() {
            let line = out.paint(Paint::Bold, format!("> {line}"));
            out.line(line)?;
        }
        out.line("")?;
        out.flush()
    }

    fn print(&mut self, event: &Event, out: &mut Output) -> io::Result<()> {
        match (self, event) {
            (Self::Structured(printer), event) => printer.print(event, out),
            (Self::Text, Event::Streamed(StreamEvent::TextDelta { text, .. })) => {
                out.text(TerminalText::block(text))?;
                out.flush()
            }
            (Self::Text, Event::Replied(line)) if is_text(&line.message) => {
                out.line("")?;
                out.flush()
            }
            (Self::Text, Event::ToolStarted { tool, input, .. }) => {
                let input: String =
                    one_line(&String::from_utf8_lossy(input)).chars().take(MAX_CALL_CHARS).collect();
                let line = out.paint(Paint::Dim, format!("[{tool}] {input}"));
                out.line(line)?;
                out.flush()
            }
            _ => Ok(()),
        }
    }
}

/// Returns whether a message has text.
fn is_text(message: &[u8]) -> bool {
    let content = Value::parse(message).ok().and_then(|message| message.get("content"));
    let kind = |block: Value<'_>| block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("text"));
    content.is_some_and(|content| content.items().any(kind))
}

fn words(prompt: &Prompt) -> String {
    match prompt {
        Prompt::Text(_) | Prompt::Shell(_) | Prompt::Notification(_) | Prompt::Message(_) => prompt.text(),
        Prompt::Blocks(json) => {
            let list = Value::parse(json).ok();
            let blocks = list.iter().flat_map(|list| list.items());
            let said = blocks.map(|block| match block.get("text").and_then(Value::text) {
                Some(text) => text.to_string(),
                None => "[image]".to_owned(),
            });
            said.collect::<Vec<_>>().join("\n")
        }
        Prompt::Named { prompt, .. } | Prompt::Typed { prompt, .. } => words(prompt),
    }
}
