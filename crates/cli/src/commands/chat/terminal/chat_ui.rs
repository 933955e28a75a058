//! What a session needs of an interface: the lines of [`TerminalUi`](super::terminal_ui::TerminalUi), or the chat screen.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use annals_agent::commands::CustomCommand;
use annals_agent::mcp::McpServers;
use annals_agent::protocol::{Command, Event, PermissionRequest, Prompt};
use annals_agent::subagent::AgentDefinition;
use annals_policy::Mode;
use annals_store::todos::TodoItem;
use annals_ui::terminal::{Style, StyledLine};
use annals_ui::view::{Conversation, ImageRef};
use tokio::sync::mpsc::UnboundedSender;

use super::super::force_quit::ForceQuit;
use super::past::EarlierPart;
use super::slash::SlashCommand;
use super::tasks::TaskWatch;
use super::terminal_ui::PromptInput;
use super::ui_event::UiEvent;
use crate::context::Context;
use crate::error::Outcome;

/// Whether rows are listed before the question, or named in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ChoiceForm {
    #[default]
    Listed,
    InQuestion,
}

/// What can be answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChoiceRow {
    /// What is typed for it.
    pub(super) answer: String,
    pub(super) line: StyledLine,
    /// More about it, for an interface that can show it.
    pub(super) preview: Vec<StyledLine>,
    /// Whether it is of another folder.
    pub(super) is_elsewhere: bool,
}

impl ChoiceRow {
    pub(super) fn new(answer: &str, line: StyledLine) -> Self {
        Self { answer: answer.to_owned(), line, ..Self::default() }
    }
}

/// A question with a few answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// What it warns about.
    pub(super) warning: String,
    pub(super) about: Vec<StyledLine>,
    /// What else to know.
    pub(super) remarks: Vec<String>,
    pub(super) rows: Vec<ChoiceRow>,
    pub(super) form: ChoiceForm,
    pub(super) question: String,
    /// The row that is selected at first; the refusing one where the question is about trust.
    pub(super) preset: usize,
}

/// What a session says of itself when it opens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChatHeader {
    pub(super) model: String,
    pub(super) mode: Mode,
    pub(super) session: String,
    pub(super) is_resumed: bool,
}

/// An interface.
pub(super) trait ChatUi {
    /// Sessions that are offered to resume.
    const MAX_OFFERED: usize;
    /// Whether sessions of other folders are offered, too.
    const OFFERS_ELSEWHERE: bool;
    /// Whether a resumed conversation is shown, so that it is worth reading.
    const SHOWS_CONVERSATION: bool;
    /// Whether prompts that wait are given to the model between its calls.
    const ABSORBS_PROMPTS: bool;

    /// Whether lists and pictures are shown.
    fn has_pictures(&self) -> bool;

    /// Returns columns and rows, if there is a place for a status line.
    fn status_size(&self) -> Option<(u16, u16)>;

    /// Tells the person, who may be elsewhere, that something waits for them.
    fn notify(&mut self, text: &str);

    /// Shows the title of the session.
    fn show_title(&mut self, title: &str);

    /// Prints a message, on one line: it may quote what could pass for another.
    fn note(&mut self, style: Style, text: &str);

    /// Prints lines, indented.
    fn notes(&mut self, lines: &[StyledLine]);

    /// Shows what a command reports.
    fn report(&mut self, title: &str, lines: &[StyledLine]);

    /// Forgets the conversation as far as what is shown can still change: another session follows what is said from now on.
    fn leave_session(&mut self) {}

    /// Says at once that a session is being opened, which can take seconds; `false` once it is done.
    fn show_opening(&mut self, _is_opening: bool) {}

    /// Prints the header: model, mode, folder, session.
    fn show_header(&mut self, header: &ChatHeader);

    /// Shows the messages of a resumed session; `data` returns its images, in Base64.
    fn show_conversation(&mut self, conversation: Conversation, data: &dyn Fn(ImageRef) -> Option<String>);

    /// Notes that the session has an earlier part, which can be loaded.
    fn note_earlier(&mut self, earlier: EarlierPart);

    /// Notes that the model or the permission mode is another, or how full the context window is.
    fn show_state(&mut self, model: &str, mode: Mode, context: Option<u8>);

    /// Returns the next event that does not only concern the terminal.
    async fn next(&mut self) -> UiEvent;

    /// Returns the next event that is already in the queue.
    fn try_next(&mut self) -> Option<UiEvent>;

    /// Returns the next prompt: a queued one, or one that is typed.
    async fn prompt(&mut self) -> PromptInput;

    /// Returns the mode of vim, if prompts are edited as in vim. [`prompt`](Self::prompt) returns when it changes.
    fn vim_mode(&mut self) -> Option<&'static str>;

    /// Returns the permission mode, if it is set here.
    fn mode(&self) -> Option<Mode>;

    /// Sets what is in the background of the session.
    fn watch_tasks(&mut self, tasks: TaskWatch);

    /// Opens the list of what is in the background; `false` if there are no lists.
    fn open_tasks(&mut self) -> bool;

    /// Takes a command that was given during a turn and runs at once.
    fn next_command(&mut self) -> Option<SlashCommand>;

    /// Offers choices for a command during a turn: the command is queued with the choice.
    fn offer(&mut self, choice: Choice, command: &'static str);

    /// Asks a question, and returns the answer.
    async fn choose(&mut self, choice: Choice) -> PromptInput;

    /// Forgets a prompt and what followed it, as far as what is shown can still change.
    fn show_rewind(&mut self, prompt: &str);

    /// Asks about a call.
    fn ask_permission(&mut self, asked: &PermissionRequest, commands: &UnboundedSender<Command>);

    /// Removes a question about a call that needs no answer any more.
    fn withdraw_permission(&mut self, id: &str);

    /// Shows an event of the conversation.
    fn draw_event(&mut self, event: Event);

    /// Handles a key during a turn.
    fn handle_busy_input(
        &mut self,
        input: UiEvent,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome>;

    /// Handles an event during a turn.
    fn handle_while_busy(
        &mut self,
        event: UiEvent,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome> {
        match event {
            UiEvent::Agent(event) => match event.innermost() {
                // Questions of sub-agents are answered by the person as well.
                Event::PermissionRequested(asked) => self.ask_permission(asked, commands),
                Event::PermissionWithdrawn(id) => self.withdraw_permission(id),
                _ => self.draw_event(*event),
            },
            UiEvent::Terminated => return ControlFlow::Break(Outcome::Terminated),
            input @ (UiEvent::Key(_) | UiEvent::Input(_)) => return self.handle_busy_input(input, commands),
            // These only concern the terminal.
            UiEvent::Tick
            | UiEvent::Resized
            | UiEvent::Continued
            | UiEvent::Notice(_)
            | UiEvent::StatusLine { .. }
            | UiEvent::Focus(_) => {}
        }
        ControlFlow::Continue(())
    }

    /// Starts to show that something is being done.
    fn begin_work(&mut self, what: &str);

    /// Ends the turn and its open questions; returns whether a part of the response was final.
    fn finish_work(&mut self) -> bool;

    /// Puts a prompt without an answer into the editor, if nothing else is there or waits.
    fn restore_prompt(&mut self, text: &str);

    /// Lets the person edit a file in their editor; returns what went wrong, or `None` if it was edited.
    fn edit_file(&mut self, path: &Path) -> Option<String>;

    /// Puts a text on the clipboard of the terminal; returns what went wrong.
    fn copy(&mut self, text: &str) -> Result<(), String>;

    /// Replaces what is typed.
    fn edit(&mut self, text: &str);

    /// Adds a prompt to the history.
    fn remember(&mut self, text: &str);

    /// Reads the earlier prompts.
    fn read_history(&mut self, cwd: &Path, context: &Context);

    /// Sets what a prompt can mention: sub-agents, and resources of these servers.
    fn set_mentions(&mut self, agents: &[AgentDefinition], servers: &McpServers);

    /// Returns the prompt that was taken last as it was typed, with pastes and images; `None` if it is its text alone.
    fn typed_prompt(&mut self) -> Option<Prompt>;

    /// Sets the custom commands.
    fn set_commands(&mut self, commands: &[CustomCommand]);

    /// Returns whether a line is sent to the model: no built-in command, and no unknown one.
    fn is_prompt(&self, line: &str) -> bool;

    /// Queues a prompt.
    fn enqueue(&mut self, prompt: Option<String>);

    /// Returns the current todo list.
    fn todos(&self) -> &[TodoItem];

    /// Sets the current todo list.
    fn set_todos(&mut self, todos: Vec<TodoItem>);

    /// Lays the current todo list out.
    fn todo_lines(&self) -> Vec<StyledLine>;

    /// Returns what ends the program if this thread is stuck.
    fn force_quit(&self) -> &Arc<ForceQuit>;

    /// Returns the sender of the event queue.
    fn sender(&self) -> UnboundedSender<UiEvent>;
}
