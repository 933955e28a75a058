//! Prompts, questions and lists on the chat screen.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use annals_agent::commands::CustomCommand;
use annals_agent::mcp::McpServers;
use annals_agent::protocol::{Command, Event, PermissionRequest, Prompt as AgentPrompt};
use annals_agent::subagent::AgentDefinition;
use annals_policy::Mode;
use annals_store::todos::TodoItem;
use annals_tui::chat::{ChatEffect, ChatTerminal, PermissionSign};
use annals_tui::editor::{CommandEntry, Prompt};
use annals_ui::figures;
use annals_ui::terminal::{RenderOptions, Span, Style, StyledLine, todos};
use annals_ui::view::{Conversation, ImageRef};
use tokio::sync::mpsc::UnboundedSender;

use super::super::super::editor_input::{self, ChatCompletions, FileMentions};
use super::super::super::force_quit::ForceQuit;
use super::super::chat_ui::{ChatHeader, ChatUi, Choice, ChoiceForm};
use super::super::past::EarlierPart;
use super::super::session::todo;
use super::super::slash::{self, Completions, SlashCommand};
use super::super::tasks::TaskWatch;
use super::super::terminal_ui::PromptInput;
use super::super::ui_event::UiEvent;
use super::choices::{picker, question};
use super::sent::sent;
use super::{Notifications, ScreenUi};
use crate::context::Context;
use crate::error::Outcome;

impl ChatUi for ScreenUi {
    const MAX_OFFERED: usize = 1000;
    const OFFERS_ELSEWHERE: bool = true;
    const SHOWS_CONVERSATION: bool = true;
    const ABSORBS_PROMPTS: bool = true;

    fn has_pictures(&self) -> bool {
        true
    }

    fn status_size(&self) -> Option<(u16, u16)> {
        Some(ChatTerminal::size())
    }

    fn notify(&mut self, text: &str) {
        // A terminal that does not take it loses nothing.
        let _ = match self.notifications {
            _ if !self.is_unwatched() => Ok(()),
            Notifications::None => Ok(()),
            Notifications::Bell => self.terminal.ring(),
            Notifications::Desktop => self.terminal.notify(text),
        };
    }

    fn show_title(&mut self, title: &str) {
        self.screen.footer().title = Some(title.to_owned());
        let _ = self.terminal.set_title(&format!("annals · {title}"));
    }

    fn note(&mut self, style: Style, text: &str) {
        self.screen.note(style, text);
    }

    fn notes(&mut self, lines: &[StyledLine]) {
        self.screen.notes(indented(lines));
    }

    fn report(&mut self, _: &str, lines: &[StyledLine]) {
        self.notes(lines);
    }

    fn leave_session(&mut self) {
        // What is finished goes to the scrollback. A terminal that is gone loses nothing.
        let _ = self.draw();
        self.screen.clear();
        self.earlier = None;
    }

    fn show_header(&mut self, header: &ChatHeader) {
        self.has_bypass |= header.mode == Mode::Bypass;
        let folder = self.cwd.rsplit('/').next().unwrap_or_default().to_owned();
        // A terminal that does not take it loses nothing.
        let _ = self.terminal.set_title(&format!("annals · {folder}"));
        self.screen.footer().title = None;
        let model = figures::model(&header.model);
        let about = format!(" · {model} · {}", self.cwd);
        let what = if header.is_resumed { "resumed" } else { "new" };
        let session = format!("session {} · {what} · /help", header.session);
        self.screen.editor().set_session(&header.session);
        self.screen.notes(vec![
            vec![Span::new("annals", Style::BOLD), Span::plain(about)],
            vec![Span::new(session, Style::DIM)],
        ]);
    }

    fn show_opening(&mut self, is_opening: bool) {
        if !is_opening {
            return self.screen.clear_hint();
        }
        self.screen.hint("opening the session; waiting if another program just wrote to it");
        // A terminal that is gone ends the conversation by itself.
        let _ = self.draw();
    }

    fn show_conversation(&mut self, conversation: Conversation, data: &dyn Fn(ImageRef) -> Option<String>) {
        let pictures = self.painter.paint_stored(&conversation, data);
        self.screen.show_conversation(conversation, pictures);
    }

    fn note_earlier(&mut self, earlier: EarlierPart) {
        self.screen.note_earlier(&earlier.size());
        self.earlier = Some(earlier);
    }

    fn show_state(&mut self, model: &str, mode: Mode, context: Option<u8>) {
        self.mode = mode;
        let footer = self.screen.footer();
        footer.model = figures::model(model).to_owned();
        footer.context = context;
        footer.mode = sign(mode);
    }

    async fn next(&mut self) -> UiEvent {
        self.next_event().await
    }

    fn try_next(&mut self) -> Option<UiEvent> {
        loop {
            let event = self.events.try_recv().ok()?;
            if let Some(event) = self.handle_terminal(event) {
                return Some(event);
            }
        }
    }

    async fn prompt(&mut self) -> PromptInput {
        if let Some(prompt) = self.screen.dequeue() {
            return self.take(prompt);
        }
        self.vim_told = Some(self.screen.editor().vim_mode());
        let input = self.read_prompt().await;
        self.vim_told = None;
        input
    }

    fn vim_mode(&mut self) -> Option<&'static str> {
        self.screen.editor().vim_mode()
    }

    fn mode(&self) -> Option<Mode> {
        Some(self.mode)
    }

    fn watch_tasks(&mut self, tasks: TaskWatch) {
        self.tasks = Some(tasks);
    }

    fn open_tasks(&mut self) -> bool {
        self.show_tasks();
        true
    }

    fn next_command(&mut self) -> Option<SlashCommand> {
        self.commands.pop_front()
    }

    fn offer(&mut self, choice: Choice, command: &'static str) {
        self.offered = Some(command);
        self.screen.open_picker(picker(choice));
    }

    async fn choose(&mut self, choice: Choice) -> PromptInput {
        (self.offered, self.vim_told) = (None, None);
        match choice.form {
            ChoiceForm::Listed => self.screen.open_picker(picker(choice)),
            ChoiceForm::InQuestion => self.screen.ask(question(choice)),
        }
        self.read(|_, effect| match effect {
            ChatEffect::Choose(Some(answer)) => Some(PromptInput::Line(answer)),
            ChatEffect::Answer(answer) => Some(PromptInput::Line(answer.answer)),
            ChatEffect::Choose(None) | ChatEffect::Refuse(_) => Some(PromptInput::Nothing),
            _ => None,
        })
        .await
    }

    fn show_rewind(&mut self, prompt: &str) {
        self.screen.rewind_to(prompt);
    }

    fn ask_permission(&mut self, asked: &PermissionRequest, commands: &UnboundedSender<Command>) {
        self.ask_about(asked, commands);
        self.notify(&format!("annals asks about {}", asked.tool));
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
        self.screen.start_work(what, Instant::now());
    }

    fn finish_work(&mut self) -> bool {
        let has_output = self.screen.work().is_some_and(|work| work.has_output);
        self.screen.finish_work();
        self.calls.clear();
        self.agent_sessions.clear();
        self.grantable.clear();
        self.asked.clear();
        has_output
    }

    fn restore_prompt(&mut self, text: &str) {
        if !self.screen.editor().is_empty() || !self.screen.queue().is_empty() {
            return;
        }
        match self.taken.take().filter(|prompt| prompt.line() == text) {
            Some(prompt) => self.screen.editor().take_back(&[prompt]),
            None => self.screen.editor().set_text(text),
        }
        self.screen.take_back_prompt();
    }

    fn edit_file(&mut self, path: &Path) -> Option<String> {
        match self.run_editor(|editor| editor.open(path)) {
            Ok(edited) => edited.err(),
            Err(error) => Some(error.to_string()),
        }
    }

    fn copy(&mut self, text: &str) -> Result<(), String> {
        self.terminal.copy(text).map_err(|error| error.to_string())
    }

    fn edit(&mut self, text: &str) {
        self.screen.editor().set_text(text);
    }

    /// The editor remembers what is typed there, and [`enqueue`](Self::enqueue) the rest.
    fn remember(&mut self, _: &str) {}

    fn read_history(&mut self, cwd: &Path, context: &Context) {
        self.config_dir = context.store.config_dir().clone();
        let prompts = editor_input::history(&self.config_dir);
        self.screen.editor().set_history(prompts, &cwd.to_string_lossy(), "");
    }

    fn set_mentions(&mut self, agents: &[AgentDefinition], servers: &McpServers) {
        self.mentions = Arc::new(FileMentions::new(Path::new(&self.cwd), agents, servers.clone()));
        self.mentions.refresh();
    }

    fn typed_prompt(&mut self) -> Option<AgentPrompt> {
        let is_text_alone = |prompt: &&Prompt| prompt.pastes.is_empty() && prompt.images.is_empty();
        self.taken.as_ref().filter(|prompt| !is_text_alone(prompt)).map(sent)
    }

    fn set_commands(&mut self, commands: &[CustomCommand]) {
        self.completions = Completions::of(commands);
        let own = slash::ALL.iter().map(|(name, hint, description)| CommandEntry {
            name: name.trim_start_matches('/').to_owned(),
            hint: (*hint).to_owned(),
            description: (*description).to_owned(),
        });
        let completions = ChatCompletions {
            commands: own.chain(commands.iter().map(ChatCompletions::entry)).collect(),
            mentions: Arc::clone(&self.mentions),
            config_dir: self.config_dir.clone(),
            home: self.home.clone(),
        };
        self.screen.editor().set_completions(Box::new(completions));
    }

    fn is_prompt(&self, line: &str) -> bool {
        self.completions.is_prompt(line)
    }

    fn enqueue(&mut self, prompt: Option<String>) {
        for prompt in prompt.iter().map(|line| Prompt::of_line(line)) {
            self.screen.editor().remember(&prompt);
            self.screen.enqueue(prompt);
        }
    }

    fn todos(&self) -> &[TodoItem] {
        &self.todos
    }

    fn set_todos(&mut self, todos: Vec<TodoItem>) {
        self.todos = todos;
        let lines = self.todo_lines();
        self.screen.set_todos(indented(&lines));
    }

    fn todo_lines(&self) -> Vec<StyledLine> {
        let columns = self.screen.columns().saturating_sub(2);
        let items: Vec<_> = self.todos.iter().map(todo).collect();
        todos(&items, columns, &RenderOptions::ansi(columns))
    }

    fn force_quit(&self) -> &Arc<ForceQuit> {
        &self.force_quit
    }

    fn sender(&self) -> UnboundedSender<UiEvent> {
        self.sender.clone()
    }
}

impl ScreenUi {
    /// Applies what the person does until something of it is an input.
    async fn read(
        &mut self,
        mut input: impl FnMut(&mut Self, ChatEffect) -> Option<PromptInput>,
    ) -> PromptInput {
        loop {
            let done = match self.next_event().await {
                UiEvent::Terminated => return PromptInput::Leave(Outcome::Terminated),
                UiEvent::Input(done) => done,
                _ => continue,
            };
            for effect in self.apply(done) {
                if effect == ChatEffect::Exit {
                    return PromptInput::Leave(Outcome::Done);
                }
                if let Some(input) = input(self, effect) {
                    return input;
                }
            }
            // The status line is told, and the prompt is read on.
            let vim = self.screen.editor().vim_mode();
            if self.vim_told.is_some_and(|told| told != vim) {
                return PromptInput::Nothing;
            }
        }
    }

    /// Reads a prompt, or what else is asked for beside one.
    async fn read_prompt(&mut self) -> PromptInput {
        self.read(|ui, effect| match effect {
            ChatEffect::Submit(prompt) => Some(ui.take(prompt)),
            ChatEffect::CycleMode => Some(PromptInput::SetMode(ui.next_mode())),
            ChatEffect::Rewind => Some(PromptInput::Line("/rewind".to_owned())),
            // A list that was opened during the turn.
            ChatEffect::Choose(choice) => ui.offered_command(choice).map(|prompt| ui.take(prompt)),
            _ => None,
        })
        .await
    }

    /// Shows a prompt that is sent now.
    fn take(&mut self, prompt: Prompt) -> PromptInput {
        let prompt = self.without_images_of_command(prompt);
        self.screen.prompt(&prompt);
        let images = prompt.images.iter().map(|(_, image)| image.base64.as_str());
        self.screen.add_pictures(self.painter.paint_all(images));
        let line = prompt.line();
        self.taken = Some(prompt);
        PromptInput::Line(line)
    }
}

fn indented(lines: &[StyledLine]) -> Vec<StyledLine> {
    let indent = |line: &StyledLine| std::iter::once(Span::plain("  ")).chain(line.iter().cloned()).collect();
    lines.iter().map(indent).collect()
}

/// Returns the sign of a mode in the footer.
pub(super) fn sign(mode: Mode) -> PermissionSign {
    match mode {
        Mode::Default => PermissionSign::Default,
        Mode::AcceptEdits => PermissionSign::AcceptEdits,
        Mode::Plan => PermissionSign::Plan,
        Mode::DontAsk => PermissionSign::DontAsk,
        Mode::Bypass => PermissionSign::Bypass,
    }
}
