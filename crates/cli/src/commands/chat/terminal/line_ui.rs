//! The interface of printed lines: questions are lines, answers are typed.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use annals_agent::commands::CustomCommand;
use annals_agent::mcp::McpServers;
use annals_agent::protocol::{Command, Event, PermissionRequest, Prompt};
use annals_agent::subagent::AgentDefinition;
use annals_policy::Mode;
use annals_store::todos::TodoItem;
use annals_ui::chat::{Editor, WorkStatus};
use annals_ui::figures;
use annals_ui::terminal::{Span, Style, StyledLine, todos};
use annals_ui::view::{Conversation, ImageRef};
use tokio::sync::mpsc::UnboundedSender;

use super::super::force_quit::ForceQuit;
use super::chat_ui::{ChatHeader, ChatUi, Choice, ChoiceForm};
use super::history;
use super::past::EarlierPart;
use super::session::todo;
use super::slash::{Completions, SlashCommand};
use super::tasks::TaskWatch;
use super::terminal_ui::{PromptInput, TerminalUi, WARNING};
use super::ui_event::UiEvent;
use crate::context::Context;
use crate::error::Outcome;

/// The most characters of a remark that are shown.
const MAX_REMARK_CHARS: usize = 500;

impl ChatUi for TerminalUi {
    const MAX_OFFERED: usize = 10;
    const OFFERS_ELSEWHERE: bool = false;
    const SHOWS_CONVERSATION: bool = false;
    const ABSORBS_PROMPTS: bool = false;

    fn has_pictures(&self) -> bool {
        false
    }

    fn status_size(&self) -> Option<(u16, u16)> {
        None
    }

    fn notify(&mut self, _: &str) {}

    fn show_title(&mut self, _: &str) {}

    fn note(&mut self, style: Style, text: &str) {
        self.print_note(style, text);
    }

    fn notes(&mut self, lines: &[StyledLine]) {
        self.screen.lines(2, lines);
    }

    fn report(&mut self, _: &str, lines: &[StyledLine]) {
        self.notes(lines);
    }

    fn show_header(&mut self, header: &ChatHeader) {
        let (model, mode) = (figures::model(&header.model), header.mode.name());
        let about = format!(" · {model} · mode {mode} · {}", self.cwd);
        self.screen.line(2, &[Span::new("annals", Style::BOLD), Span::new(about, Style::PLAIN)]);
        let what = if header.is_resumed { "resumed" } else { "new" };
        let session = format!("session {} · {what} · /help", header.session);
        self.screen.line(2, &[Span::new(session, Style::DIM)]);
    }

    fn show_conversation(&mut self, _: Conversation, _: &dyn Fn(ImageRef) -> Option<String>) {}

    fn note_earlier(&mut self, _: EarlierPart) {}

    fn show_state(&mut self, _: &str, _: Mode, _: Option<u8>) {}

    async fn next(&mut self) -> UiEvent {
        self.next_event().await
    }

    fn try_next(&mut self) -> Option<UiEvent> {
        self.try_next_event()
    }

    async fn prompt(&mut self) -> PromptInput {
        self.read_prompt().await
    }

    fn vim_mode(&mut self) -> Option<&'static str> {
        None
    }

    fn mode(&self) -> Option<Mode> {
        None
    }

    fn watch_tasks(&mut self, _: TaskWatch) {}

    fn open_tasks(&mut self) -> bool {
        false
    }

    fn next_command(&mut self) -> Option<SlashCommand> {
        self.commands.pop_front()
    }

    fn offer(&mut self, _: Choice, _: &'static str) {}

    async fn choose(&mut self, choice: Choice) -> PromptInput {
        if !choice.warning.is_empty() {
            self.note(WARNING, &choice.warning);
        }
        self.notes(&choice.about);
        for remark in &choice.remarks {
            self.note(Style::DIM, &remark.chars().take(MAX_REMARK_CHARS).collect::<String>());
        }
        if choice.form == ChoiceForm::Listed {
            let lines: Vec<StyledLine> = choice.rows.into_iter().map(|row| row.line).collect();
            self.notes(&lines);
        }
        self.ask(&choice.question).await
    }

    fn show_rewind(&mut self, _: &str) {}

    fn ask_permission(&mut self, asked: &PermissionRequest, commands: &UnboundedSender<Command>) {
        self.ask_about(asked, commands);
    }

    fn withdraw_permission(&mut self, id: &str) {
        self.withdraw(id);
    }

    fn draw_event(&mut self, event: Event) {
        self.show_event(event);
    }

    fn handle_busy_input(
        &mut self,
        input: UiEvent,
        commands: &UnboundedSender<Command>,
    ) -> ControlFlow<Outcome> {
        self.handle_input(input, commands)
    }

    fn begin_work(&mut self, what: &str) {
        self.work = Some(WorkStatus::new(what, Instant::now()));
    }

    fn finish_work(&mut self) -> bool {
        let has_output = self.work.as_ref().is_some_and(|work| work.has_output);
        self.end_work();
        has_output
    }

    fn restore_prompt(&mut self, text: &str) {
        if self.editor.text().is_empty() && self.queue.is_empty() {
            self.editor.set(text);
        }
    }

    fn edit_file(&mut self, _: &Path) -> Option<String> {
        Some("only the chat screen can edit files; use another terminal".to_owned())
    }

    fn copy(&mut self, _: &str) -> Result<(), String> {
        Err("only the chat screen can copy; select the text instead".to_owned())
    }

    fn edit(&mut self, text: &str) {
        self.editor.set(text);
    }

    fn remember(&mut self, text: &str) {
        self.editor.remember(text);
    }

    fn read_history(&mut self, cwd: &Path, context: &Context) {
        self.editor = Editor::with_history(history(cwd, context));
    }

    fn set_mentions(&mut self, _: &[AgentDefinition], _: &McpServers) {}

    fn typed_prompt(&mut self) -> Option<Prompt> {
        None
    }

    fn set_commands(&mut self, commands: &[CustomCommand]) {
        self.completions = Completions::of(commands);
    }

    fn is_prompt(&self, line: &str) -> bool {
        self.completions.is_prompt(line)
    }

    fn enqueue(&mut self, prompt: Option<String>) {
        self.queue.extend(prompt);
    }

    fn todos(&self) -> &[TodoItem] {
        &self.todos
    }

    fn set_todos(&mut self, todos: Vec<TodoItem>) {
        self.todos = todos;
    }

    fn todo_lines(&self) -> Vec<StyledLine> {
        let items: Vec<_> = self.todos.iter().map(todo).collect();
        todos(&items, self.screen.width().saturating_sub(2), &self.options)
    }

    fn force_quit(&self) -> &Arc<ForceQuit> {
        &self.force_quit
    }

    fn sender(&self) -> UnboundedSender<UiEvent> {
        self.event_sender()
    }
}
