//! Everything that the chat screen shows, and what it asks of the program.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use annals_ui::chat::WorkStatus;
use annals_ui::terminal::{RenderOptions, Span, Style, StyledLine};
use annals_ui::view::{Conversation, ImageRef, Item, ItemBody};

use super::block::{BlockForm, ChatBlock};
use super::command::ChatCommand;
use super::effect::{ChatOptions, ScreenLayout};
use super::footer::FooterFacts;
use super::key_focus::KeyFocus;
use super::keymap::{ChatKeyScope, ChatKeymap};
use super::log::ChatLog;
use super::log_view::LogView;
use super::page::ChatPage;
use super::picker::{OpenPicker, Picker};
use super::question::{OpenQuestion, Question};
use super::status_line::StatusLine;
use super::tasks::TaskList;
use crate::editor::{Editor, EditorMode, Prompt, PromptKind};
use crate::key::Key;
use crate::picture::{Picture, VisiblePicture};

/// Prompts of a resumed session that go to the scrollback; all are in the transcript.
const MAX_PRINTED_TURNS: usize = 10;

/// Minutes from UTC at an instant.
#[derive(Clone, Copy)]
struct ZoneFunction(&'static (dyn Fn(i64) -> i32 + Send + Sync));

impl std::fmt::Debug for ZoneFunction {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("ZoneFunction")
    }
}

/// A conversation on a screen.
#[derive(Debug)]
pub struct ChatScreen {
    pub(super) options: ChatOptions,
    /// Columns and rows.
    pub(super) size: (u16, u16),
    pub(super) now: Instant,
    zone: ZoneFunction,
    pub(super) log: ChatLog,
    /// The window of the full layout.
    pub(super) view: LogView,
    pub(super) page: Option<ChatPage>,
    pub(super) picker: Option<OpenPicker>,
    /// What is in the background.
    pub(super) tasks: Option<TaskList>,
    pub(super) questions: VecDeque<OpenQuestion>,
    /// Whether the first question gets the keys.
    pub(super) key_focus: KeyFocus,
    pub(super) keymap: ChatKeymap,
    pub(super) editor: Editor,
    pub(super) queue: Vec<Prompt>,
    /// The block that says what was not loaded.
    pub(super) earlier: Option<usize>,
    /// The block of the prompt that opened the turn.
    pub(super) turn_prompt: usize,
    pub(super) work: Option<WorkStatus>,
    /// Tokens that were written in this turn.
    pub(super) tokens: u64,
    pub(super) thinking: String,
    pub(super) todos: Vec<StyledLine>,
    pub(super) status: StatusLine,
    pub(super) footer: FooterFacts,
    pub(super) hint: Option<String>,
    /// The pictures of the last frame.
    pub(super) placed: Vec<VisiblePicture>,
    /// The key that was pressed last and acts when it is pressed twice, and when.
    pub(super) pressed: Option<(Key, Instant)>,
}

impl ChatScreen {
    /// Starts with an empty conversation, on a terminal of this many columns and rows.
    pub fn new(options: ChatOptions, size: (u16, u16), now: Instant) -> Self {
        Self {
            options,
            size,
            now,
            zone: ZoneFunction(&|_| 0),
            log: ChatLog::default(),
            view: LogView::new(BlockForm::Brief),
            page: None,
            picker: None,
            tasks: None,
            questions: VecDeque::new(),
            key_focus: KeyFocus::default(),
            keymap: ChatKeymap::default(),
            editor: Editor::new(EditorMode::Standard),
            queue: Vec::new(),
            earlier: None,
            turn_prompt: 0,
            work: None,
            tokens: 0,
            thinking: String::new(),
            todos: Vec::new(),
            status: StatusLine::default(),
            footer: FooterFacts::default(),
            hint: None,
            placed: Vec::new(),
            pressed: None,
        }
    }

    /// Sets what keys mean beside those of the editor.
    pub fn set_keymap(&mut self, keymap: ChatKeymap) {
        self.keymap = keymap;
    }

    /// Sets the time.
    pub fn set_now(&mut self, now: Instant) {
        self.now = now;
    }

    /// Returns the columns of the conversation. The last column stays free, since terminals differ in what happens there.
    pub fn columns(&self) -> usize {
        usize::from(self.size.0).saturating_sub(1).max(10)
    }

    pub(super) fn render_options(&self) -> RenderOptions<'static> {
        let plain = RenderOptions::ansi(self.columns());
        // A wrong key would be worse than none.
        let has_key = self.keymap.key(ChatKeyScope::Prompt, ChatCommand::Transcript) == Some("ctrl-o");
        let unfold_hint = if has_key { " (ctrl-o)" } else { "" };
        RenderOptions { unicode: self.options.unicode, zone: self.zone.0, unfold_hint, ..plain }
    }

    /// Sets the time zone: minutes from UTC at an instant, given in milliseconds since 1970.
    pub fn set_zone(&mut self, zone: &'static (dyn Fn(i64) -> i32 + Send + Sync)) {
        self.zone = ZoneFunction(zone);
    }

    /// Follows a new size of the terminal.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        let options = self.render_options();
        if self.options.layout == ScreenLayout::Full
            && let Some(text) = self.log.streaming()
        {
            text.reflow(&options);
        }
    }

    /// Shows a stored conversation with some of its pictures. Of a long one, the scrollback gets the end.
    pub fn show_conversation(
        &mut self,
        conversation: Conversation,
        mut pictures: HashMap<ImageRef, Picture>,
    ) {
        let is_prompt = |item: &&Item| matches!(item.body, ItemBody::Prompt(_));
        let prompts = conversation.items.iter().filter(is_prompt).count();
        let earlier = match self.options.layout {
            ScreenLayout::Inline => prompts.saturating_sub(MAX_PRINTED_TURNS),
            ScreenLayout::Full => 0,
        };
        if earlier > 0 {
            let prompts = if earlier == 1 { "prompt" } else { "prompts" };
            let key = self.keymap.hints(ChatKeyScope::Prompt, &[(ChatCommand::Transcript, " shows them")]);
            let text = format!("{earlier} earlier {prompts} of this session: {key}");
            self.note(Style::DIM, &text);
        }
        let start = self.log.len();
        for item in conversation.items {
            let shown: Vec<Picture> =
                item.images().into_iter().filter_map(|image| pictures.remove(&image)).collect();
            self.log.add_item(item);
            self.add_pictures(shown);
        }
        let is_prompt = |block: &ChatBlock| matches!(block, ChatBlock::Prompt { .. });
        let blocks = self.log.blocks().iter().enumerate().skip(start);
        let first = blocks.filter(|(_, block)| is_prompt(block)).map(|(at, _)| at).nth(earlier);
        if let (Some(first), 1..) = (first, earlier) {
            self.log.skip(start..first);
        }
    }

    /// Forgets the conversation: another session follows. What is in the scrollback stays there.
    pub fn clear(&mut self) {
        self.log.clear();
        self.view.reset();
        (self.page, self.tasks, self.earlier) = (None, None, None);
    }

    /// Adds a message of the program.
    pub fn note(&mut self, style: Style, text: &str) {
        self.notes(vec![vec![Span::new(annals_ui::TerminalText::from(text).as_str(), style)]]);
    }

    /// Adds lines of the program.
    pub fn notes(&mut self, lines: Vec<StyledLine>) {
        self.log.push(ChatBlock::Notes(lines));
    }

    /// Adds a prompt that was sent.
    pub fn prompt(&mut self, prompt: &Prompt) {
        let (sign, text) = match prompt.kind {
            PromptKind::Message => ("> ", &prompt.display),
            PromptKind::Shell => ("! ", &prompt.text),
        };
        if self.work.is_none() {
            self.turn_prompt = self.log.len();
        }
        self.log.push(ChatBlock::Prompt { sign, text: text.clone(), id: None });
        self.view.go_to_end();
    }

    /// Shows pictures below the last message.
    pub fn add_pictures(&mut self, pictures: Vec<Picture>) {
        for picture in pictures {
            self.log.push(ChatBlock::Picture(Box::new(picture)));
        }
    }

    /// Notes the id of the prompt that opened the turn.
    pub fn set_prompt_id(&mut self, id: &str) {
        self.log.set_prompt_id(self.turn_prompt, id);
    }

    /// Forgets the prompt that opened the turn: it is in the input again. What is in the scrollback stays there.
    pub fn take_back_prompt(&mut self) {
        self.log.remove_prompt(self.turn_prompt);
        self.view.reset();
    }

    /// Forgets a prompt and what follows it; returns whether it was there. What is in the scrollback stays there.
    pub fn rewind_to(&mut self, prompt: &str) -> bool {
        let is_cut = self.log.cut_before(prompt);
        if is_cut {
            self.view.reset();
        }
        is_cut
    }

    /// Opens a page with lines under a title.
    pub fn open_page(&mut self, title: &str, lines: Vec<StyledLine>) {
        self.show_page(ChatPage::of_lines(title, lines));
    }

    /// Opens a page, laid out for the size of the terminal: keys may come before it is drawn.
    pub(super) fn show_page(&mut self, mut page: ChatPage) {
        page.fit(self.columns(), usize::from(self.size.1).max(2));
        self.page = Some(page);
    }

    /// Opens a list.
    pub fn open_picker(&mut self, picker: Picker) {
        self.picker = Some(OpenPicker::new(picker));
    }

    /// Asks a question, after those that are already there.
    pub fn ask(&mut self, question: Question) {
        self.questions.push_back(OpenQuestion::new(question));
        if self.questions.len() == 1 {
            self.key_focus.appear(self.now);
        }
    }

    /// Removes a question that needs no answer any more.
    pub fn withdraw(&mut self, id: &str) {
        let is_first = self.questions.front().is_some_and(|first| first.id() == id);
        self.questions.retain(|question| question.id() != id);
        if is_first {
            self.key_focus.appear(self.now);
        }
    }

    /// Removes all questions.
    pub fn withdraw_all(&mut self) {
        self.questions.clear();
    }

    /// Whether keys are the prompt's although there is a question, since the person is typing it.
    pub(super) fn is_typing_beside_question(&self) -> bool {
        !self.questions.is_empty() && !self.editor.is_empty() && self.key_focus.is_typing(self.now)
    }

    /// Returns whether what is shown changes with time alone.
    pub fn changes_with_time(&self) -> bool {
        self.is_working() || self.is_typing_beside_question()
    }

    /// Returns whether something covers the whole screen.
    pub fn is_covered(&self) -> bool {
        self.page.is_some() || self.picker.is_some() || self.tasks.is_some()
    }

    /// Returns how many blocks were laid out for the full layout so far.
    pub fn layouts(&self) -> usize {
        self.view.layouts
    }

    /// Returns the editor of what is typed.
    pub fn editor(&mut self) -> &mut Editor {
        &mut self.editor
    }

    /// Shows a hint until the next key.
    pub fn hint(&mut self, text: &str) {
        self.hint = Some(text.to_owned());
    }

    /// Removes what [`hint`](Self::hint) has put there.
    pub fn clear_hint(&mut self) {
        self.hint = None;
    }

    /// Returns the queued prompts.
    pub fn queue(&self) -> &[Prompt] {
        &self.queue
    }

    /// Queues a prompt.
    pub fn enqueue(&mut self, prompt: Prompt) {
        self.queue.push(prompt);
    }

    /// Takes the last queued prompt: a command that runs at once.
    pub fn dequeue_last(&mut self) -> Option<Prompt> {
        self.queue.pop()
    }

    /// Takes the first queued prompt.
    pub fn dequeue(&mut self) -> Option<Prompt> {
        (!self.queue.is_empty()).then(|| self.queue.remove(0))
    }

    /// Removes a queued prompt that the model has got. If it went back to the input meanwhile, it leaves it.
    pub fn absorbed(&mut self, text: &str) {
        let prompt = match self.queue.iter().position(|queued| queued.text == text) {
            Some(at) => self.queue.remove(at),
            None => {
                if self.editor.text() == text {
                    self.editor.set_text("");
                }
                Prompt { text: text.to_owned(), display: text.to_owned(), ..Prompt::default() }
            }
        };
        self.end_text();
        self.prompt(&prompt);
    }

    /// Returns what the footer says, to change it.
    pub fn footer(&mut self) -> &mut FooterFacts {
        &mut self.footer
    }

    /// Sets what a status line command printed. Its colors, attributes and links are kept, everything else is removed.
    pub fn set_status(&mut self, printed: &str, padding: u16) {
        self.status = StatusLine::read(printed, padding);
    }

    /// Sets the todo list, laid out.
    pub fn set_todos(&mut self, lines: Vec<StyledLine>) {
        self.todos = lines;
    }
}
