//! A chat screen with a conversation, keys by their names, and frames as text.

use std::time::{Duration, Instant};

use annals_transcript::transcript::Transcript;
use annals_tui::Key;
use annals_tui::chat::{
    ChatEffect, ChatInput, ChatOptions, ChatScreen, Picker, PickerRow, Question, QuestionChoice,
    QuestionKind, ScreenLayout,
};
use annals_ui::terminal::{Span, StyledLine};
use annals_ui::view::{CallPhase, Conversation, LiveCall, ViewOptions};
use ratatui_core::buffer::Buffer;

pub(crate) struct Chat {
    pub(crate) screen: ChatScreen,
    pub(crate) now: Instant,
}

impl Chat {
    pub(crate) fn new(layout: ScreenLayout, size: (u16, u16)) -> Self {
        let now = Instant::now();
        let screen = ChatScreen::new(ChatOptions { layout, unicode: true }, size, now);
        Self { screen, now }
    }

    pub(crate) fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.screen.set_now(self.now);
    }

    /// Presses keys, named and separated by spaces; returns all effects.
    pub(crate) fn press(&mut self, keys: &str) -> Vec<ChatEffect> {
        let key = |name: &str| Key::from_name(name).unwrap_or_else(|| panic!("{name:?} is no key"));
        keys.split(' ').flat_map(|name| self.screen.update(ChatInput::Key(key(name)))).collect()
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        text.chars().for_each(|character| drop(self.screen.update(ChatInput::Key(Key::Char(character)))));
    }

    pub(crate) fn typed(&mut self) -> String {
        self.screen.editor().text()
    }

    pub(crate) fn queued(&self) -> Vec<&str> {
        self.screen.queue().iter().map(|prompt| prompt.text.as_str()).collect()
    }

    /// What is shown now, without what has scrolled off.
    pub(crate) fn frame(&mut self) -> String {
        let (buffer, cursor) = self.screen.draw();
        let mut text = frame_text(&buffer);
        if let Some((column, row)) = cursor {
            text.push_str(&format!("cursor {column},{row}\n"));
        }
        text
    }

    /// What scrolls off, and what is left.
    pub(crate) fn all(&mut self) -> String {
        let off = frame_text(&self.screen.scroll_off().cells);
        format!("{off}────\n{}", self.frame())
    }

    pub(crate) fn start_call(&mut self, id: &str, tool: &str, input: &str) {
        let call = LiveCall { id, tool, input: input.as_bytes(), cwd: "/w" };
        self.screen.start_call(call.started());
    }

    pub(crate) fn finish_call(&mut self, id: &str, tool: &str, input: &str, output: &str) {
        let call = LiveCall { id, tool, input: input.as_bytes(), cwd: "/w" };
        let message = format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{output}"}}]}}"#
        );
        self.screen.finish_call(id, call.finished(message.as_bytes(), b"", CallPhase::Whole));
    }
}

pub(crate) fn frame_text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(annals_ui::terminal::width(symbol)).unwrap().max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

pub(crate) fn stored(bytes: &[u8]) -> Conversation {
    Conversation::build(&Transcript::parse(bytes), &[], ViewOptions::default())
}

pub(crate) fn plain(text: &str) -> StyledLine {
    vec![Span::plain(text)]
}

pub(crate) fn question(body: &[&str]) -> Question {
    let choice = |label: &str, kind, answer: &str| QuestionChoice {
        label: label.to_owned(),
        kind,
        answer: answer.to_owned(),
    };
    Question {
        id: "q".to_owned(),
        title: plain("? Bash"),
        body: body.iter().map(|line| plain(line)).collect(),
        why: vec![plain("no rule allows it")],
        choices: vec![
            choice("Yes", QuestionKind::Allow, "y"),
            choice("Yes, and in this session always: Bash(ls)", QuestionKind::Allow, "a"),
            choice("No", QuestionKind::Refuse, "n"),
        ],
        preset: 0,
        has_comment: true,
        ..Question::default()
    }
}

pub(crate) fn sessions() -> Picker {
    let row = |answer: &str, text: &str, is_elsewhere| PickerRow {
        answer: answer.to_owned(),
        line: plain(text),
        preview: vec![plain(&format!("first prompt of {text}"))],
        is_elsewhere,
    };
    Picker {
        title: "resume which session?".to_owned(),
        about: Vec::new(),
        rows: vec![
            row("1", "1 Tax table · 2 h ago", false),
            row("2", "2 日本語のタイトル · 3 d ago", false),
            row("3", "3 Garden · 9 d ago · /home/dev/garden", true),
        ],
        preset: 0,
        elsewhere: "all projects".to_owned(),
    }
}
