//! The conversation in a terminal: lines that are said and stay, and below them what is being typed.
//!
//! | module | owns |
//! |---|---|
//! | `raw_mode`, `keys` | the terminal: raw mode, keys |
//! | `ui_event` | keys, events and signals in one queue |
//! | `chat_ui` | what a session needs of an interface; `line_ui` is the one of lines, `screen` the one of cells |
//! | `terminal_ui`, `busy` | prompts and answers; events, questions and interrupts during a turn |
//! | `show_event`, `show_agent`, `permission` | events and permission questions as lines; `annals_ui` draws them |
//! | `session`, `auto_title` | one session: prompts, commands, its title |
//! | `slash`, `commands`, `session_commands`, `session_reports`, `tasks`, `reports`, `setup_reports`, `permission_log`, `cost`, `session_picker`, `rewind`, `file_restore` | slash commands |
//! | `status_line`, `prompt_cache` | the command whose output is shown below the prompt, and what it is told of the cache |
//! | `trust`, `hooks`, `servers` | questions before the first session |
//! | `folder_rules` | rules that are granted in a folder for good |
//!
//! All goes through [`Event`](annals_agent::protocol::Event) and [`Command`](annals_agent::protocol::Command): another
//! interface needs nothing else.

mod auto_title;
mod busy;
mod chat_ui;
mod commands;
mod cost;
mod file_restore;
mod folder_rules;
mod keys;
mod last_answer;
mod line_ui;
mod past;
mod permission;
mod permission_log;
mod prompt_cache;
mod question;
mod raw_mode;
mod reports;
mod rewind;
#[cfg(feature = "tui")]
mod screen;
mod servers;
mod session;
mod session_commands;
mod session_picker;
mod session_reports;
mod setup_reports;
mod show_agent;
mod show_event;
mod slash;
mod status_line;
mod tasks;
mod terminal_ui;
mod trust;
mod ui_event;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_agent::conversation::ConversationStart;
use annals_agent::protocol::Approver;
use annals_agent::tools::background::BackgroundWork;
use annals_agent::turn::SessionExit;
use annals_store::history::stream_history;
use annals_store::session::NewSession;
use annals_store::todos::TodoItem;
use annals_store::{AgentKey, SessionKey};
use annals_ui::chat::TermCaps;
use annals_ui::terminal::ColorMode;

use self::auto_title::TitleTask;
use self::chat_ui::ChatUi;
use self::cost::{AgentFiles, UnrecordedUsage};
use self::folder_rules::FolderRules;
use self::permission_log::PermissionLog;
use self::session::{ChatSession, NextSession};
use self::status_line::StatusLineRunner;
use self::terminal_ui::{ERROR, Exit, TerminalUi, WARNING};
use self::ui_event::UiEvent;
use super::{ChatApp, OpenChat, Program, resume_or_fork, runtime, start};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// Earlier prompts that can be recalled.
const MAX_HISTORY: usize = 500;

/// Runs the conversation in the terminal.
pub(super) fn run(args: &ChatArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let cwd = context.current_dir.clone();
    let cwd = cwd.ok_or_else(|| Fault::usage("the current folder no longer exists"))?;
    let variable =
        |name: &str| context.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let caps = match variable("TERM").and_then(|term| term.to_str()) {
        None | Some("" | "dumb") => TermCaps::Lines,
        Some(_) => TermCaps::Cursor,
    };
    let color = if caps == TermCaps::Cursor { context.out.color } else { ColorMode::Plain };
    #[cfg(feature = "tui")]
    if let Some(layout) = screen_layout(args, caps, context) {
        return screen::run(args, &cwd, layout, context);
    }
    #[cfg(not(feature = "tui"))]
    if args.screen.is_some() {
        return Err(Fault::usage("--screen: this build has no chat screen").hint("--plain prints lines"));
    }
    let runtime = runtime::new()?;
    let folder_rules = FolderRules::new(&cwd, context);
    let look = (color, context.out.unicode);
    let mut ui = TerminalUi::open(caps, look, cwd.to_string_lossy().into_owned(), folder_rules)?;
    let outcome = runtime::block_on(runtime, async {
        ui_event::listen_to_signals(&ui.event_sender());
        ui.force_quit.listen();
        converse(args, &cwd, context, &mut ui).await
    });
    ui.end_text();
    // The terminal may be gone.
    ui.screen.set_footer(None);
    let _ = ui.write_out();
    outcome
}

/// Returns where the screen is, unless lines are printed: because the person wants it, or the terminal can do no more. An
/// option wins over the configuration file.
#[cfg(feature = "tui")]
fn screen_layout(
    args: &ChatArgs,
    caps: TermCaps,
    context: &Context,
) -> Option<annals_tui::chat::ScreenLayout> {
    use annals_tui::chat::ScreenLayout;

    use crate::args::ChatScreenArg;
    use crate::configuration::ConfigKey;
    match (args.screen, context.config.text(ConfigKey::Screen)) {
        _ if caps == TermCaps::Lines || args.plain => None,
        (Some(ChatScreenArg::Inline), _) => Some(ScreenLayout::Inline),
        (Some(ChatScreenArg::Full), _) | (None, Some("full")) => Some(ScreenLayout::Full),
        (None, Some("plain")) => None,
        (None, _) => Some(ScreenLayout::Inline),
    }
}

async fn converse(
    args: &ChatArgs,
    cwd: &Path,
    context: &Context,
    ui: &mut impl ChatUi,
) -> Result<Outcome, Fault> {
    if !args.trust {
        match trust::ask(cwd, context, ui).await {
            Ok(()) => {}
            Err(Exit::Fault(fault)) => return Err(fault),
            Err(Exit::Leave(outcome)) => return Ok(outcome),
        }
    }
    if !args.sdk.strict_mcp_config
        && let Err(exit) = servers::ask(cwd, context, ui).await
    {
        return match exit {
            Exit::Fault(fault) => Err(fault),
            Exit::Leave(outcome) => Ok(outcome),
        };
    }
    let mut begin = match args.resume {
        Some(None) => match session_picker::choose(None, cwd, context, ui).await {
            Ok(Some(path)) => resume_or_fork(path, args),
            Ok(None) => return Ok(Outcome::Done),
            Err(Exit::Fault(fault)) => return Err(fault),
            Err(Exit::Leave(outcome)) => return Ok(outcome),
        },
        _ => start(args, context)?,
    };
    let mut first = args.prompt.clone().filter(|prompt| !prompt.trim().is_empty());
    loop {
        match converse_in_store(args, cwd, begin, first.take(), context, ui).await? {
            StoreExit::Outcome(outcome) => return Ok(outcome),
            StoreExit::Resume(path) => begin = ConversationStart::Resume(path),
        }
    }
}

/// Opens a session; one that is resumed may have to be waited for, and the screen says so meanwhile.
fn open_with_hint<U: ChatUi, T>(
    start: ConversationStart,
    ui: &mut U,
    open: impl FnOnce(ConversationStart) -> T,
) -> T {
    let may_wait = matches!(start, ConversationStart::Resume(_));
    if may_wait {
        ui.show_opening(true);
    }
    let opened = open(start);
    if may_wait {
        ui.show_opening(false);
    }
    opened
}

/// Why no more sessions of a store follow.
enum StoreExit {
    Outcome(Outcome),
    /// A session of another store is next: its settings, commands and side files are others.
    Resume(PathBuf),
}

/// Runs sessions of the store in use.
async fn converse_in_store<U: ChatUi>(
    args: &ChatArgs,
    cwd: &Path,
    begin: ConversationStart,
    mut first: Option<String>,
    context: &Context,
    ui: &mut U,
) -> Result<StoreExit, Fault> {
    let store = context.store.in_use();
    let app = ChatApp::new(args, context, Program::default())?;
    for setting in &app.setup.unsupported {
        ui.note(WARNING, &setting.to_string());
    }
    app.mcp.notes.iter().for_each(|note| ui.note(WARNING, note));
    ui.read_history(cwd, context);
    ui.set_mentions(&app.kinds, &app.mcp.servers);
    ui.set_commands(&app.custom);
    let (servers, events) = (app.mcp.servers.clone(), ui.sender());
    tokio::spawn(async move {
        // The receiver lives as long as the conversation.
        super::servers::connect(&servers, move |line| drop(events.send(UiEvent::Notice(line)))).await;
    });
    let setting = app.setup.effective.status_line.clone();
    let (has_place, status_sender) = (ui.status_size().is_some(), ui.sender());
    if setting.is_some() && !has_place {
        ui.note(WARNING, "only the chat screen shows the status line");
    }
    let open = |start: ConversationStart| -> Result<(ChatSession<'_>, BackgroundWork<'_>), Fault> {
        let OpenChat { mut agent, shells, work } = app.agent(args, start, Approver::Person, context)?;
        agent.should_absorb_prompts = U::ABSORBS_PROMPTS;
        let status_line = setting.clone().filter(|_| has_place).map(|setting| {
            let handlers = app.handlers(&agent, &shells, args, context);
            StatusLineRunner::new(setting, handlers, context.prices.clone(), status_sender.clone())
        });
        agent.names_prompts = status_line.is_some();
        let files = if args.no_session_persistence { AgentFiles::None } else { AgentFiles::Stored };
        let chat = ChatSession {
            agent,
            shells,
            title_task: TitleTask::default(),
            files,
            unrecorded: UnrecordedUsage::default(),
            models: app.setup.models.clone(),
            permission_log: PermissionLog::default(),
            status_line,
            app: &app,
            context,
        };
        Ok((chat, work))
    };
    let (mut chat, mut work) = open_with_hint(begin, ui, open)?;
    let exit = loop {
        ui.force_quit().watch(&chat.shells, &app.mcp.servers);
        ui.set_todos(todos(&chat, context));
        chat.open(ui);
        // The prompt of the arguments belongs to the first session only.
        let next = loop {
            match work.beside(chat.run(first.take(), context, ui)).await {
                Ok(next) => break next,
                Err(fault) => ui.note(ERROR, fault.message()),
            }
        };
        let exit = next.exit();
        let other = match next {
            NextSession::Exit(outcome) => break StoreExit::Outcome(outcome),
            NextSession::New => open(ConversationStart::New(NewSession::default())).map(|mut new| {
                new.0.agent.turn_config.model.clone_from(&chat.agent.turn_config.model);
                new
            }),
            NextSession::Resume(path) if context.store.in_use() != store => break StoreExit::Resume(path),
            NextSession::Resume(path) => open_with_hint(ConversationStart::Resume(path), ui, open),
            NextSession::Branch { path, title } => open(ConversationStart::Fork { path, id: None })
                .and_then(|(copy, work)| Ok((continue_branch(copy, title, &chat)?, work))),
        };
        match other {
            Ok(other) => {
                ui.leave_session();
                chat.tell_end(exit, ui).await;
                chat.stop_background(ui);
                chat.print_resume_hint(ui);
                (chat, work) = other;
            }
            Err(fault) => ui.note(ERROR, fault.message()),
        }
    };
    let why = match exit {
        StoreExit::Resume(_) => SessionExit::Resume,
        StoreExit::Outcome(_) => SessionExit::Prompt,
    };
    if why == SessionExit::Resume {
        ui.leave_session();
    }
    chat.tell_end(why, ui).await;
    // What runs in the background ends with the conversation, and so do servers.
    chat.stop_background(ui);
    app.mcp.servers.end_all();
    ui.finish_work();
    chat.print_resume_hint(ui);
    Ok(exit)
}

/// Lets a copy of a session continue with the same model, mode and granted rules.
fn continue_branch<'a>(
    mut copy: ChatSession<'a>,
    title: Option<String>,
    from: &ChatSession<'a>,
) -> Result<ChatSession<'a>, Fault> {
    copy.agent.turn_config.model.clone_from(&from.agent.turn_config.model);
    copy.agent.turn_config.effort = from.agent.turn_config.effort;
    copy.agent.policy.mode = from.agent.policy.mode;
    copy.agent.grants.take_over(&from.agent.grants);
    if let Some(title) = title {
        copy.agent.conversation.set_title(&title)?;
    }
    Ok(copy)
}

/// Returns the session's todo list.
fn todos(chat: &ChatSession<'_>, context: &Context) -> Vec<TodoItem> {
    let session = SessionKey::new(chat.agent.conversation.session());
    let agent = AgentKey::new(session.as_str());
    let config = context.store.config_dir();
    let list = config.read(&config.todo(&session, &agent)).ok();
    list.and_then(|bytes| TodoItem::list(&bytes).ok()).unwrap_or_default()
}

/// Returns the prompts of this folder, oldest first.
fn history(cwd: &Path, context: &Context) -> Vec<String> {
    let cwd = cwd.to_string_lossy();
    let mut prompts: std::collections::VecDeque<String> = std::collections::VecDeque::new();
    // Without a readable history there are no earlier prompts.
    let _ = stream_history(context.store.config_dir(), |_, entry| {
        let is_ours = entry.project().is_some_and(|project| project.is(&cwd));
        if let Some(prompt) = entry.display().filter(|_| is_ours).map(|text| text.to_string())
            && prompts.back() != Some(&prompt)
        {
            prompts.push_back(prompt);
            if prompts.len() > MAX_HISTORY {
                prompts.pop_front();
            }
        }
        ControlFlow::Continue(())
    });
    prompts.into()
}
