//! The chat screen on a terminal: keys, events and signals in one queue, and frames by `annals_tui`.
//!
//! | module | owns |
//! |---|---|
//! | `ui` | prompts, questions and lists: what a session needs of an interface |
//! | `busy` | keys and answers during a turn |
//! | `events` | events of the conversation on the screen |
//! | `permission`, `user_question` | permission prompts and questions of the model |
//! | `keys` | what the person does, read on a thread |
//! | `external_editor` | what is typed, in a program of the person |
//! | `notifications` | how a person who is elsewhere is told that something waits |
//! | `reports` | what the terminal is asked to report |
//! | `sent`, `clipboard_image` | what is sent: text, pastes, images; the image of the clipboard |
//! | `choices` | lists and questions |
//! | `tasks` | what is in the background |
//! | `pictures` | images of the conversation as the terminal shows them |

mod apply;
mod busy;
mod choices;
mod clipboard_image;
mod events;
mod external_editor;
mod keys;
mod notifications;
mod permission;
mod pictures;
mod reports;
mod sent;
mod tasks;
mod ui;
mod user_question;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use annals_agent::mcp::McpServers;
use annals_policy::Mode;
use annals_store::ConfigDir;
use annals_store::todos::TodoItem;
use annals_tui::Key;
use annals_tui::chat::{ChatInput, ChatOptions, ChatScreen, ChatTerminal, ScreenLayout};
use annals_tui::editor::Prompt;
use annals_ui::view::LiveSession;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use self::external_editor::ExternalEditor;
use self::keys::read_keys;
use self::notifications::Notifications;
use self::permission::GrantableRules;
use self::pictures::PicturePainter;
use self::tasks::AgentViews;
use self::user_question::UserQuestions;
use super::super::editor_input::{self, FileMentions};
use super::super::force_quit::ForceQuit;
use super::super::runtime;
use super::folder_rules::FolderRules;
use super::past::EarlierPart;
use super::slash::{Completions, SlashCommand};
use super::tasks::TaskWatch;
use super::ui_event::{self, UiEvent};
use crate::args::ChatArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::platform::stdout_file;
use crate::stderr::ScreenMessages;
use crate::words;

/// How often the status line is updated during a turn.
const TICK: Duration = Duration::from_millis(250);
/// Frames come at most this often while events arrive.
const FRAME: Duration = Duration::from_millis(16);

/// With the inline layout nothing is drawn before a size has been there for so long: rows that a lower terminal pushes into its
/// scrollback come back when it grows, unless others were drawn in between. tmux tells of sizes at most every 0.25 seconds.
const SETTLE: Duration = Duration::from_millis(300);
/// A person who presses no key for this long may be elsewhere.
const UNTOUCHED: Duration = Duration::from_secs(6);
/// What messages begin with where other programs print, too.
const PROGRAM_MARK: &str = "annals: ";

/// The chat screen.
pub(super) struct ScreenUi {
    screen: ChatScreen,
    layout: ScreenLayout,
    cwd: String,
    todos: Vec<TodoItem>,
    completions: Completions,
    /// What `@` offers.
    mentions: Arc<FileMentions>,
    config_dir: ConfigDir,
    /// The prompt that was taken last.
    taken: Option<Prompt>,
    external_editor: ExternalEditor,
    painter: PicturePainter,
    home: Option<PathBuf>,
    /// Running calls: tool and input.
    calls: HashMap<String, (String, Vec<u8>)>,
    /// What open permission prompts may grant.
    grantable: HashMap<String, GrantableRules>,
    folder_rules: FolderRules,
    /// Questions of the model that are open.
    asked: HashMap<String, UserQuestions>,
    /// What is in the background of the session.
    tasks: Option<TaskWatch>,
    /// What of the session is not loaded.
    earlier: Option<EarlierPart>,
    agent_views: AgentViews,
    /// What foreground sub-agents said and did, by their ids.
    agent_sessions: HashMap<String, LiveSession>,
    /// Commands that were given during a turn and run at once.
    commands: VecDeque<SlashCommand>,
    /// The command that a choice in the open list is for; it is queued with the choice.
    offered: Option<&'static str>,
    /// The mode of vim when a prompt began to be read: then reading ends when it changes.
    vim_told: Option<Option<&'static str>>,
    mode: Mode,
    /// Whether the mode that allows everything was chosen at the start.
    has_bypass: bool,
    notifications: Notifications,
    /// Whether the terminal has the keyboard, once it has told.
    focus: Option<bool>,
    /// When the person did something last.
    touched: Instant,
    drawn: Instant,
    /// When the size changed last.
    resized: Option<Instant>,
    /// Whether the next frame shows what a person did.
    is_urgent: bool,
    was_stopped: bool,
    force_quit: Arc<ForceQuit>,
    /// Held while another program reads the keys.
    keys: Arc<Mutex<()>>,
    sender: UnboundedSender<UiEvent>,
    events: UnboundedReceiver<UiEvent>,
    terminal: ChatTerminal,
    /// Messages come as events until the terminal is put back.
    _messages: ScreenMessages,
}

/// Runs the conversation on the chat screen.
pub(super) fn run(
    args: &ChatArgs,
    cwd: &Path,
    layout: ScreenLayout,
    context: &Context,
) -> Result<Outcome, Fault> {
    let runtime = runtime::new()?;
    let options = ChatOptions { layout, unicode: context.out.unicode };
    let mut ui = ScreenUi::open(options, cwd, context)
        .map_err(|error| Fault::of_io(&error, format!("the terminal: {error}")))?;
    let outcome = runtime::block_on(runtime, async {
        ui_event::listen_to_signals(&ui.sender);
        ui.force_quit.listen();
        super::converse(args, cwd, context, &mut ui).await
    });
    ui.screen.finish_work();
    ui.note_messages();
    // The terminal may be gone.
    let _ = ui.terminal.finish(&mut ui.screen);
    outcome
}

impl ScreenUi {
    /// Takes the terminal over; it is restored when this is dropped.
    fn open(options: ChatOptions, cwd: &Path, context: &Context) -> std::io::Result<Self> {
        let reports = reports::reports(options.layout, context);
        let terminal = ChatTerminal::enter(stdout_file()?, context.out.color, reports)?;
        let (sender, events) = unbounded_channel();
        let force_quit = ForceQuit::new(terminal.restorer());
        let keys = Arc::new(Mutex::new(()));
        read_keys(sender.clone(), Arc::clone(&force_quit), Arc::clone(&keys));
        let now = Instant::now();
        let mut screen = ChatScreen::new(options, ChatTerminal::size(), now);
        let zone = context.zone.clone();
        // As long as the program.
        screen.set_zone(Box::leak(Box::new(move |millis| words::minutes_from_utc(millis, &zone))));
        editor_input::prepare(screen.editor(), context);
        screen.set_keymap(context.config.chat_keymap());
        let message_sender = sender.clone();
        let notice = move |line: String| {
            let line = line.strip_prefix(PROGRAM_MARK).unwrap_or(&line).to_owned();
            message_sender.send(UiEvent::Notice(line)).is_ok()
        };
        let (messages, earlier) = ScreenMessages::take_over(notice.clone());
        if options.layout == ScreenLayout::Full {
            // They stand on the other screen.
            for line in earlier {
                notice(line);
            }
        }
        Ok(Self {
            screen,
            layout: options.layout,
            cwd: cwd.to_string_lossy().into_owned(),
            todos: Vec::new(),
            completions: Completions::default(),
            mentions: Arc::new(FileMentions::new(cwd, &[], McpServers::default())),
            config_dir: context.store.config_dir().clone(),
            taken: None,
            external_editor: ExternalEditor::new(context),
            painter: PicturePainter::new(context, options.layout),
            home: context.home.clone(),
            calls: HashMap::new(),
            grantable: HashMap::new(),
            folder_rules: FolderRules::new(cwd, context),
            asked: HashMap::new(),
            tasks: None,
            earlier: None,
            agent_views: AgentViews::default(),
            agent_sessions: HashMap::new(),
            commands: VecDeque::new(),
            offered: None,
            vim_told: None,
            mode: Mode::Default,
            has_bypass: false,
            notifications: Notifications::of(context),
            focus: None,
            touched: now,
            drawn: now.checked_sub(FRAME).unwrap_or(now),
            resized: None,
            is_urgent: false,
            was_stopped: false,
            force_quit,
            keys,
            sender,
            events,
            terminal,
            _messages: messages,
        })
    }

    /// Adds the messages that still wait to the conversation: what is left of it on the terminal has them.
    fn note_messages(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            if let UiEvent::Notice(text) = event {
                self.screen.note(super::terminal_ui::WARNING, &text);
            }
        }
    }

    /// Draws, and waits for the next event that does not only concern the terminal.
    async fn next_event(&mut self) -> UiEvent {
        loop {
            let event = match self.before_frame().await {
                Some(event) => event,
                None if self.draw().is_err() => return UiEvent::Terminated,
                // The list of tasks is followed between turns, too.
                None if self.screen.changes_with_time() || self.screen.shows_tasks() => {
                    match tokio::time::timeout(TICK, self.events.recv()).await {
                        Ok(event) => event.unwrap_or(UiEvent::Terminated),
                        Err(_) => UiEvent::Tick,
                    }
                }
                None => self.events.recv().await.unwrap_or(UiEvent::Terminated),
            };
            self.is_urgent |=
                !matches!(event, UiEvent::Agent(_) | UiEvent::StatusLine { .. } | UiEvent::Tick);
            self.screen.set_now(Instant::now());
            if matches!(event, UiEvent::Tick) {
                self.follow_tasks();
            }
            if let Some(event) = self.handle_terminal(event) {
                return event;
            }
        }
    }

    /// Returns what comes before the next frame is due; `None` if it is due. What a person does is shown at once; of what arrives
    /// not every piece gets a frame of its own.
    async fn before_frame(&mut self) -> Option<UiEvent> {
        let settling = self.settling();
        let left = FRAME.saturating_sub(self.drawn.elapsed()).max(settling);
        if left.is_zero() {
            return None;
        }
        if self.is_urgent && settling.is_zero() {
            return self.events.try_recv().ok();
        }
        tokio::time::timeout(left, self.events.recv()).await.ok().flatten()
    }

    /// How long the size of the terminal has to rest before rows can be drawn below the scrollback.
    fn settling(&self) -> Duration {
        match self.resized {
            Some(at) if self.layout == ScreenLayout::Inline && !self.screen.is_covered() => {
                SETTLE.saturating_sub(at.elapsed())
            }
            _ => Duration::ZERO,
        }
    }

    /// Handles what only concerns the terminal, and returns the rest.
    fn handle_terminal(&mut self, event: UiEvent) -> Option<UiEvent> {
        use annals_ui::chat::Key as SignalKey;
        let result = match event {
            UiEvent::Resized => {
                self.resized = Some(Instant::now());
                self.terminal.resize(&mut self.screen);
                Ok(())
            }
            UiEvent::Notice(text) => {
                self.screen.end_text();
                self.screen.note(super::terminal_ui::WARNING, &text);
                Ok(())
            }
            UiEvent::StatusLine { text, padding } => {
                self.screen.set_status(&text, padding);
                Ok(())
            }
            UiEvent::Focus(has_focus) => {
                self.focus = Some(has_focus);
                Ok(())
            }
            UiEvent::Continued => match std::mem::take(&mut self.was_stopped) {
                true => Ok(()),
                // Another program may have changed the modes in the meantime.
                false => self.terminal.enter_again(),
            },
            UiEvent::Key(SignalKey::Suspend) => self.suspend(),
            // Signals mean what their keys mean.
            UiEvent::Key(SignalKey::Interrupt) => {
                self.force_quit.answer();
                return Some(UiEvent::Input(ChatInput::Key(Key::Ctrl('c'))));
            }
            UiEvent::Input(input) => {
                self.touched = Instant::now();
                if input == ChatInput::Key(Key::Ctrl('c')) {
                    self.force_quit.answer();
                }
                return Some(UiEvent::Input(input));
            }
            other => return Some(other),
        };
        result.is_err().then_some(UiEvent::Terminated)
    }

    /// Whether the person may not be looking: the terminal has lost the keyboard, or does not tell, and no key was pressed for a
    /// while.
    fn is_unwatched(&self) -> bool {
        self.focus.map_or(self.touched.elapsed() >= UNTOUCHED, |has_focus| !has_focus)
    }

    fn suspend(&mut self) -> std::io::Result<()> {
        self.was_stopped = true;
        self.terminal.suspend()?;
        self.terminal.resize(&mut self.screen);
        Ok(())
    }

    fn draw(&mut self) -> std::io::Result<()> {
        (self.drawn, self.is_urgent) = (Instant::now(), false);
        self.screen.set_now(self.drawn);
        self.terminal.draw(&mut self.screen)
    }

    /// The mode after this one. The one that allows everything is offered only where it was chosen before.
    fn next_mode(&self) -> Mode {
        match self.mode {
            Mode::Default => Mode::AcceptEdits,
            Mode::AcceptEdits => Mode::Plan,
            Mode::Plan if self.has_bypass => Mode::Bypass,
            Mode::Plan | Mode::DontAsk | Mode::Bypass => Mode::Default,
        }
    }
}
