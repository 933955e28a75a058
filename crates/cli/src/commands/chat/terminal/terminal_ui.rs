//! The terminal UI: its state, the event loop, prompts and questions.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_policy::Mode;
use annals_store::todos::TodoItem;
use annals_ui::TerminalText;
use annals_ui::chat::{EditOutcome, Editor, Footer, Key, Screen, TermCaps, WorkStatus, input_box};
use annals_ui::terminal::{
    Color, ColorMode, LivePage, MarkdownStream, RenderOptions, Span, Style, StyledLine, ThinkingDisplay, clip,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::super::force_quit::ForceQuit;
use super::folder_rules::FolderRules;
use super::keys::read_keys;
use super::permission::PermissionPrompt;
use super::raw_mode::{self, RawTerminal};
use super::slash::{Completions, SlashCommand};
use super::ui_event::UiEvent;
use crate::error::{Fault, Outcome};

/// How often the status line is updated.
const TICK: Duration = Duration::from_millis(250);
/// Two interrupts within this time exit.
const DOUBLE_PRESS: Duration = Duration::from_secs(2);
const MARK: &str = "> ";
/// Lines that are shown of the output of a tool.
const MAX_OUTPUT_LINES: usize = 4;
/// Styles of messages.
pub(super) const WARNING: Style = Style::color(Color::Yellow);
pub(super) const ERROR: Style = Style::color(Color::Red);
pub(super) const ACCENT: Style = Style::color(Color::Cyan);
pub(super) const SUCCESS: Style = Style::color(Color::Green);
/// Queued prompts that are shown.
const MAX_QUEUE_SHOWN: usize = 3;

/// What the person entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PromptInput {
    Line(String),
    /// Nothing: the question was cancelled.
    Nothing,
    /// Another permission mode.
    SetMode(Mode),
    /// The person exits.
    Leave(Outcome),
}

/// Why an operation ended early.
#[derive(Debug)]
pub(super) enum Exit {
    /// It failed.
    Fault(Fault),
    /// The program ends.
    Leave(Outcome),
}

pub(super) struct TerminalUi {
    pub(super) screen: Screen,
    pub(super) editor: Editor,
    pub(super) work: Option<WorkStatus>,
    /// The folder that paths are shown relative to.
    pub(super) cwd: String,
    /// The current todo list.
    pub(super) todos: Vec<TodoItem>,
    /// Prompts that were typed during a turn.
    pub(super) queue: VecDeque<String>,
    /// Commands that were given during a turn and run at once.
    pub(super) commands: VecDeque<SlashCommand>,
    pub(super) questions: VecDeque<PermissionPrompt>,
    /// Running calls: tool and input.
    pub(super) calls: HashMap<String, (String, Vec<u8>)>,
    /// The last drawn call, if its result can follow below it.
    pub(super) last_call: Option<String>,
    /// The drawn items.
    pub(super) page: LivePage,
    /// The model's text that cannot be drawn yet.
    pub(super) markdown: MarkdownStream,
    /// Colors and glyphs.
    pub(super) options: RenderOptions<'static>,
    pub(super) thinking: String,
    /// Completions of slash commands.
    pub(super) completions: Completions,
    mark: String,
    pub(super) folder_rules: FolderRules,
    /// The text that was being typed when a question took the input; `None` while the input is the prompt's.
    aside: Option<String>,
    /// When a key was typed last that was the prompt's.
    pub(super) typed: Option<Instant>,
    /// When the question appeared.
    pub(super) asked: Option<Instant>,
    interrupted: Option<Instant>,
    /// Whether we stopped the program ourselves.
    was_stopped: bool,
    /// Ends the program if this thread is stuck.
    pub(super) force_quit: Arc<ForceQuit>,
    sender: UnboundedSender<UiEvent>,
    events: UnboundedReceiver<UiEvent>,
    terminal: RawTerminal,
}

impl TerminalUi {
    /// Opens the terminal; it is restored when this is dropped.
    pub(super) fn open(
        caps: TermCaps,
        (color, unicode): (ColorMode, bool),
        cwd: String,
        folder_rules: FolderRules,
    ) -> Result<Self, Fault> {
        let terminal = RawTerminal::enter(caps)
            .map_err(|error| Fault::of_io(&error, format!("the terminal: {error}")))?;
        let (sender, events) = unbounded_channel();
        let force_quit = ForceQuit::new(move || raw_mode::restore_now(caps));
        read_keys(sender.clone(), caps, Arc::clone(&force_quit));
        Ok(Self {
            screen: Screen::new(caps, color, raw_mode::size()),
            editor: Editor::default(),
            work: None,
            cwd,
            todos: Vec::new(),
            queue: VecDeque::new(),
            commands: VecDeque::new(),
            questions: VecDeque::new(),
            calls: HashMap::new(),
            last_call: None,
            page: LivePage::default(),
            markdown: MarkdownStream::default(),
            options: RenderOptions {
                color,
                unicode,
                thinking: ThinkingDisplay::Hidden,
                unfold_hint: "",
                output_lines: MAX_OUTPUT_LINES,
                ..RenderOptions::plain(80)
            },
            thinking: String::new(),
            completions: Completions::default(),
            mark: MARK.to_owned(),
            folder_rules,
            aside: None,
            typed: None,
            asked: None,
            interrupted: None,
            was_stopped: false,
            force_quit,
            sender,
            events,
            terminal,
        })
    }

    /// Returns the sender of the event queue.
    pub(super) fn event_sender(&self) -> UnboundedSender<UiEvent> {
        self.sender.clone()
    }

    /// Prints a message, on one line: it may quote what could pass for another.
    pub(super) fn print_note(&mut self, style: Style, text: &str) {
        self.screen.line(0, &[Span::new(TerminalText::from(text).as_str(), style)]);
        self.page.interrupt();
    }

    /// Returns the next event that does not only concern the terminal.
    pub(super) async fn next_event(&mut self) -> UiEvent {
        loop {
            if self.refresh().is_err() {
                return UiEvent::Terminated;
            }
            let next = match self.work {
                Some(_) => tokio::time::timeout(TICK, self.events.recv()).await,
                None => Ok(self.events.recv().await),
            };
            let event = match next {
                Ok(event) => event.unwrap_or(UiEvent::Terminated),
                Err(_) => UiEvent::Tick,
            };
            if let Some(event) = self.handle_terminal(event) {
                return event;
            }
        }
    }

    /// Returns the next event that is already in the queue.
    pub(super) fn try_next_event(&mut self) -> Option<UiEvent> {
        loop {
            let event = self.events.try_recv().ok()?;
            if let Some(event) = self.handle_terminal(event) {
                return Some(event);
            }
        }
    }

    fn handle_terminal(&mut self, event: UiEvent) -> Option<UiEvent> {
        match event {
            UiEvent::Resized => self.screen.resize(raw_mode::size()),
            UiEvent::Notice(text) => {
                self.print_note(WARNING, &text);
                return None;
            }
            UiEvent::Key(Key::Redraw) => self.screen.clear(),
            UiEvent::Key(Key::Suspend) => {
                self.screen.end_line();
                self.screen.set_footer(None);
                let _ = self.write_out();
                if self.terminal.suspend().is_err() {
                    return Some(UiEvent::Terminated);
                }
                self.was_stopped = true;
                self.screen.forget();
            }
            UiEvent::Continued => {
                // Another program may have changed the modes in the meantime.
                if self.terminal.enter_again().is_err() {
                    return Some(UiEvent::Terminated);
                }
                if !std::mem::take(&mut self.was_stopped) {
                    self.screen.forget();
                }
                self.screen.resize(raw_mode::size());
            }
            UiEvent::Key(Key::Interrupt) => {
                self.force_quit.answer();
                return Some(UiEvent::Key(Key::Interrupt));
            }
            other => return Some(other),
        }
        None
    }

    /// Redraws the footer, and writes to the terminal.
    pub(super) fn refresh(&mut self) -> std::io::Result<()> {
        let footer = self.footer();
        self.screen.set_footer(footer.as_ref());
        self.write_out()
    }

    fn footer(&self) -> Option<Footer> {
        let (width, (_, rows)) = (self.screen.width(), self.screen.size());
        if self.screen.caps() == TermCaps::Lines && self.work.is_some() && self.questions.is_empty() {
            return None;
        }
        let mut above: Vec<StyledLine> = Vec::new();
        if let Some(work) = &self.work
            && self.questions.is_empty()
        {
            above.push(vec![Span::new(clip(&work.line(Instant::now()), width), Style::DIM)]);
        }
        let queued = self.queue.iter().take(MAX_QUEUE_SHOWN);
        above.extend(queued.map(|line| vec![Span::new(clip(&format!("queued: {line}"), width), Style::DIM)]));
        above.truncate(rows.saturating_sub(2));
        let room = rows.saturating_sub(1 + above.len()).max(1);
        let mut footer = input_box(&self.mark, self.editor.text(), self.editor.before(), width, room);
        footer.cursor.0 += above.len();
        let preview = self.preview(width, rows.saturating_sub(1 + above.len() + footer.lines.len()));
        footer.cursor.0 += preview.len();
        above.splice(0..0, preview);
        above.append(&mut footer.lines);
        Some(Footer { lines: above, ..footer })
    }

    /// Returns the end of the text that is still arriving, in at most `rows` rows.
    fn preview(&self, width: usize, rows: usize) -> Vec<StyledLine> {
        if self.screen.caps() == TermCaps::Lines || self.markdown.is_empty() {
            return Vec::new();
        }
        let mut lines = self.markdown.preview(width, &self.options);
        lines.split_off(lines.len().saturating_sub(rows))
    }

    /// Prints the rest of the model's text.
    pub(super) fn end_text(&mut self) {
        if !self.markdown.is_empty() {
            let lines = self.markdown.finish(self.screen.width(), &self.options);
            self.screen.rendered(&lines);
        }
        self.screen.end_line();
    }

    /// Writes pending output to the terminal.
    pub(super) fn write_out(&mut self) -> std::io::Result<()> {
        let output = self.screen.take_output();
        if output.is_empty() { Ok(()) } else { raw_mode::write_out(&output) }
    }

    /// Returns the next prompt: a queued one, or one that is typed.
    pub(super) async fn read_prompt(&mut self) -> PromptInput {
        if let Some(line) = self.queue.pop_front() {
            self.echo(&line);
            return PromptInput::Line(line);
        }
        loop {
            let UiEvent::Key(key) = (match self.next_event().await {
                UiEvent::Terminated => return PromptInput::Leave(Outcome::Terminated),
                other => other,
            }) else {
                continue;
            };
            let last = self.interrupted.take();
            match key {
                Key::Interrupt if !self.editor.text().is_empty() => drop(self.editor.take()),
                Key::Interrupt if last.is_some_and(|at| at.elapsed() < DOUBLE_PRESS) => {
                    return PromptInput::Leave(Outcome::Done);
                }
                Key::Interrupt => {
                    self.interrupted = Some(Instant::now());
                    self.print_note(Style::DIM, "press ctrl-c again to exit");
                }
                Key::EndOfInput if self.editor.text().is_empty() => return PromptInput::Leave(Outcome::Done),
                Key::Tab => self.complete(),
                key => {
                    if let EditOutcome::Submitted(text) = self.editor.press(&key) {
                        self.screen.line_submitted();
                        if text.trim().is_empty() {
                            continue;
                        }
                        if self.screen.caps() == TermCaps::Cursor {
                            self.echo(&text);
                        }
                        return PromptInput::Line(text);
                    }
                }
            }
        }
    }

    /// Asks a question, and returns the answer.
    pub(super) async fn ask(&mut self, mark: &str) -> PromptInput {
        self.begin_question(mark);
        let said = loop {
            match self.next_event().await {
                UiEvent::Terminated => break PromptInput::Leave(Outcome::Terminated),
                UiEvent::Key(Key::Interrupt | Key::Escape | Key::EndOfInput) => break PromptInput::Nothing,
                UiEvent::Key(key) => {
                    if let EditOutcome::Submitted(text) = self.editor.press(&key) {
                        self.screen.line_submitted();
                        break PromptInput::Line(text.trim().to_owned());
                    }
                }
                _ => {}
            }
        };
        if let PromptInput::Line(text) = &said
            && self.screen.caps() == TermCaps::Cursor
        {
            let text = text.clone();
            self.screen.line(2, &[Span::new(mark, Style::BOLD), Span::new(&text, Style::PLAIN)]);
        }
        self.end_question();
        said
    }

    /// Saves the typed text, and reads an answer instead.
    pub(super) fn begin_question(&mut self, mark: &str) {
        self.aside = Some(self.editor.take());
        mark.clone_into(&mut self.mark);
    }

    /// Whether the input is a question's.
    pub(super) fn is_answering(&self) -> bool {
        self.aside.is_some()
    }

    pub(super) fn end_question(&mut self) {
        if let Some(aside) = self.aside.take() {
            self.editor.set(&aside);
        }
        MARK.clone_into(&mut self.mark);
    }

    /// Prints a prompt as it was sent.
    fn echo(&mut self, text: &str) {
        self.screen.gap();
        self.screen.line(2, &[Span::new(MARK, Style::BOLD), Span::new(text, Style::PLAIN)]);
    }

    fn complete(&mut self) {
        let text = self.editor.text().to_owned();
        match self.completions.completed(&text) {
            Some(longer) => self.editor.set(&longer),
            None if text.starts_with('/') => {
                let fitting = self.completions.fitting(&text).join("  ");
                self.print_note(Style::DIM, &fitting);
            }
            None => {}
        }
    }
}
