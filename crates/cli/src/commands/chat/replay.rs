//! `annals chat --replay`: a stored session as the conversation that it was. Nothing is sent, nothing runs, nothing is written.

use std::io::{self, Write};

use annals_agent::api::call::{Caller, Manner};
use annals_agent::api::request::{Caching, Thinking};
use annals_agent::api::stream::Event as Streamed;
use annals_agent::command::{Command, Commands, Prompt};
use annals_agent::conversation::{Conversation, Ground, Persistence, Start};
use annals_agent::event::Event;
use annals_agent::replay::{Pace, Player, Recording, tools};
use annals_agent::turn::{Asking, Ending, Wishes};
use annals_json::Value;
use annals_policy::paths::Disk;
use annals_policy::rules::Rules;
use annals_policy::{Mode, Policy};
use annals_store::read::read_file;
use annals_store::session::{ForkError, NewSession};

use super::print::Printer;
use super::setup::Setup;
use super::signals::{Signal, Signals};
use super::{MAX_TOKENS, Talker};
use crate::args::{ChatArgs, ChatOutput};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::{Output, Paint};
use crate::session::Target;
use crate::table::one_line;

/// Letters a second where somebody watches.
const VISIBLE: u32 = 1500;
/// As much of a call is shown, in letters.
const CALL_LETTERS: usize = 100;

pub(super) fn run(session: &str, args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let path = Target::find(context, session)?.path;
    let recording = Recording::of(&read_file(&path)?, &path).map_err(|error| match error {
        ForkError::Empty { .. } => Fault::nothing_found(error.to_string()),
        error => Fault::usage(error.to_string()),
    })?;
    if recording.turns.is_empty() {
        return Err(Fault::nothing_found(format!("{}: there is nothing to play", path.display())));
    }
    let pace = match args.replay_speed {
        Some(0) => Pace::AtOnce,
        Some(letters) => Pace::LettersPerSecond(letters),
        None if context.out.is_terminal => Pace::LettersPerSecond(VISIBLE),
        None => Pace::AtOnce,
    };
    let setup = Setup::new(args, context)?;
    let (config, data, source) = (context.store.config_dir().clone(), context.data_dir()?, context.source);
    let ground = Ground { config: &config, data: &data, source: &source };
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let new = NewSession { id: id.filter(|id| annals_store::source::is_uuid(id)), ..NewSession::default() };
    let conversation = Conversation::open(ground, Start::New(new), &setup.cwd, Persistence::Memory)?;
    let player = Player::new(pace);
    let caller = Caller { transport: &player, surroundings: &source, manner: Manner::default() };
    // Rules are for tools that do something.
    let rules = Rules::default();
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace: &setup.workspace, files: &Disk };
    let mut agent = Talker::new(conversation, caller, tools(&recording), policy, wishes(&recording));
    let mut page = match args.output_format {
        ChatOutput::Text => Page::People,
        form => Page::Programs(Printer::new(form, &agent, &setup, &[], context)),
    };
    page.begin(&mut context.out)?;
    let (sender, mut commands) = Commands::channel();
    let signals = Signals { sender };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(format!("no runtime: {error}")))?;
    let playing = play(&mut agent, &recording, &player, &mut commands, &mut page, context);
    match runtime.block_on(signals.or(playing)) {
        Ok(outcome) => outcome,
        Err(Signal::Interrupt) => Ok(Outcome::Interrupted),
        Err(Signal::Terminate) => Ok(Outcome::Terminated),
    }
}

fn wishes(recording: &Recording) -> Wishes {
    Wishes {
        model: recording.model.clone().unwrap_or_default(),
        max_tokens: MAX_TOKENS,
        system: Vec::new(),
        thinking: Thinking::Off,
        effort: None,
        caching: Caching::Off,
        most_responses: None,
        asking: Asking::Nobody,
        compact_at: None,
    }
}

async fn play(
    agent: &mut Talker<'_, Player>,
    recording: &Recording,
    player: &Player,
    commands: &mut Commands,
    page: &mut Page,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    for turn in &recording.turns {
        player.begin(turn);
        let prompt = turn.prompt.clone().unwrap_or_else(|| Prompt::Text("(it goes on)".to_owned()));
        page.prompt(&prompt, &mut context.out)?;
        let mut fault = None;
        let finished = {
            let out = &mut context.out;
            let mut report = |event: Event| {
                if fault.is_none() {
                    fault = page.print(&event, out).err();
                }
            };
            agent.obey(Command::Prompt(prompt), commands, &mut report).await
        };
        if let Some(fault) = fault {
            return Err(fault.into());
        }
        let Some(finished) = finished else { continue };
        match page {
            Page::People => context.out.line("")?,
            Page::Programs(printer) => printer.finish(&finished, agent.conversation.session(), context)?,
        }
        match finished.ending {
            Ending::Done => {}
            Ending::Interrupted => return Ok(Outcome::Interrupted),
            Ending::MostResponses | Ending::Failed(_) => {
                if let Some(why) = super::result::complaint(&finished) {
                    context.say(why);
                }
                return Ok(Outcome::Failed);
            }
        }
    }
    Ok(Outcome::Done)
}

/// How it looks.
enum Page {
    /// As it was: prompts, texts as they stream, a line for each call.
    People,
    /// As any other conversation.
    Programs(Printer),
}

impl Page {
    fn begin(&self, out: &mut Output) -> io::Result<()> {
        match self {
            Self::People => Ok(()),
            Self::Programs(printer) => printer.begin(out),
        }
    }

    fn prompt(&self, prompt: &Prompt, out: &mut Output) -> io::Result<()> {
        if let Self::Programs(_) = self {
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
            (Self::Programs(printer), event) => printer.print(event, out),
            (Self::People, Event::Streamed(Streamed::TextDelta { text, .. })) => {
                out.write_all(clean(text).as_bytes())?;
                out.flush()
            }
            (Self::People, Event::Replied(line)) if is_text(&line.message) => {
                out.line("")?;
                out.flush()
            }
            (Self::People, Event::ToolStarted { tool, input, .. }) => {
                let input: String =
                    one_line(&String::from_utf8_lossy(input)).chars().take(CALL_LETTERS).collect();
                let line = out.paint(Paint::Dim, format!("[{tool}] {input}"));
                out.line(line)?;
                out.flush()
            }
            _ => Ok(()),
        }
    }
}

/// Whether a line says something to people.
fn is_text(message: &[u8]) -> bool {
    let content = Value::parse(message).ok().and_then(|message| message.get("content"));
    let kind = |block: Value<'_>| block.get("type").and_then(Value::text).is_some_and(|kind| kind.is("text"));
    content.is_some_and(|content| content.items().any(kind))
}

/// A text without what would move a terminal's cursor.
fn clean(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}

fn words(prompt: &Prompt) -> String {
    let text = match prompt {
        Prompt::Text(text) => text.clone(),
        Prompt::Blocks(json) => {
            let list = Value::parse(json).ok();
            let blocks = list.iter().flat_map(|list| list.items());
            let said = blocks.map(|block| match block.get("text").and_then(Value::text) {
                Some(text) => text.to_string(),
                None => "[image]".to_owned(),
            });
            said.collect::<Vec<_>>().join("\n")
        }
    };
    clean(&text)
}
