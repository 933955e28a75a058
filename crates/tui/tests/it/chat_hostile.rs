//! Any text in every item of the chat screen, of models, tools, servers and file names: no cell, on the screen or scrolled off,
//! has anything that a terminal obeys or a reader cannot see.

use std::sync::Arc;

use annals_testkit::hostile::{HOSTILE, HOSTILE_NAME, Surface, hostile_part};
use annals_tui::chat::{ChatInput, Picker, PickerRow, Question, QuestionChoice, QuestionKind, ScreenLayout};
use annals_tui::editor::{CommandEntry, Completions, HistoryPrompt, MentionEntry, MentionKind, Prompt};
use annals_ui::terminal::{Span, Style};
use annals_ui::view::{CallPhase, LiveCall};
use proptest::prelude::*;

use crate::chat_fixture::{Chat, frame_text, plain, stored};

/// Offers the same text as everything that can be completed.
struct HostileNames(String);

impl Completions for HostileNames {
    fn commands(&self) -> Vec<CommandEntry> {
        let text = self.0.clone();
        vec![CommandEntry { name: format!("a{text}"), hint: text.clone(), description: text }]
    }

    fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
        let kinds = [MentionKind::File, MentionKind::Folder, MentionKind::Agent, MentionKind::Resource];
        let entry = |kind| MentionEntry { name: format!("a{}", self.0), kind, description: self.0.clone() };
        kinds.map(entry).into()
    }
}

fn json(text: &str) -> String {
    let escape = |character: char| match character {
        '"' | '\\' => format!("\\{character}"),
        other if u32::from(other) < 0x20 => format!("\\u{:04x}", u32::from(other)),
        other => other.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

#[track_caller]
fn check(chat: &mut Chat, what: &str) {
    let off = frame_text(&chat.screen.scroll_off().cells);
    let seen = frame_text(&chat.screen.draw().0);
    for text in [off, seen] {
        assert_eq!(hostile_part(text.as_bytes(), Surface::Plain), None, "{what}\n{text}");
    }
}

/// A call of a tool, with this text as its name, its input and its output.
fn calls(chat: &mut Chat, text: &str) {
    let words = json(text);
    let input = format!(
        r#"{{"command":{words},"description":{words},"file_path":{words},"prompt":{words},"subagent_type":{words},"old_string":{words},"new_string":{words},"pattern":{words},"url":{words}}}"#
    );
    let message = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{words}}}]}}"#
    );
    let result = format!(
        r#"{{"filePath":{words},"structuredPatch":[{{"oldStart":1,"newStart":1,"lines":[{words}]}}]}}"#
    );
    for tool in ["Bash", "Edit", "Read", "Task", "WebFetch", "mcp__srv__tool", text] {
        let call = LiveCall { id: "t", tool, input: input.as_bytes(), cwd: "/w" };
        chat.screen.start_call(call.started());
        chat.screen.show_output("t", text);
        for item in call.started().items {
            chat.screen.add_step("t", 1, &item);
        }
        check(chat, "a running call");
        let done = call.finished(message.as_bytes(), result.as_bytes(), CallPhase::Whole);
        chat.screen.finish_call("t", done);
        check(chat, "a call");
    }
}

fn asks(chat: &mut Chat, text: &str) {
    let choice = QuestionChoice { label: text.to_owned(), kind: QuestionKind::Allow, answer: "y".to_owned() };
    let line = || vec![plain(text)];
    chat.screen.ask(Question {
        id: "q".to_owned(),
        title: plain(text),
        body: line(),
        why: line(),
        choices: vec![choice],
        has_comment: true,
        ..Question::default()
    });
    check(chat, "a question");
    chat.screen.withdraw_all();
    let row = PickerRow { answer: "1".to_owned(), line: plain(text), preview: line(), is_elsewhere: false };
    chat.screen.open_picker(Picker {
        title: text.to_owned(),
        about: line(),
        rows: vec![row],
        preset: 0,
        elsewhere: text.to_owned(),
    });
    check(chat, "a list");
    chat.press("tab");
    check(chat, "a preview");
    chat.press("esc");
    chat.screen.open_page(text, line());
    check(chat, "a page");
    chat.press("q");
}

fn types(chat: &mut Chat, text: &str) {
    chat.screen.editor().set_completions(Box::new(HostileNames(text.to_owned())));
    for start in ["/", "see @"] {
        chat.type_text(start);
        check(chat, "a menu");
        chat.press("tab");
        check(chat, "what a menu offered");
        chat.screen.editor().set_text("");
    }
    chat.screen.update(ChatInput::Paste(text.to_owned()));
    check(chat, "a paste");
    chat.screen.editor().set_text(text);
    check(chat, "a text");
    chat.screen.editor().set_text("");
    let prompt = HistoryPrompt {
        display: text.to_owned(),
        pastes: Vec::new(),
        project: text.to_owned(),
        session: text.to_owned(),
    };
    chat.screen.editor().set_history(vec![prompt], text, text);
    chat.press("ctrl-r");
    check(chat, "a search");
    chat.press("esc up");
    check(chat, "an earlier prompt");
    chat.screen.editor().set_text("");
}

fn everything(layout: ScreenLayout, size: (u16, u16), text: &str) {
    let mut chat = Chat::new(layout, size);
    let session = annals_testkit::builder::Session::new();
    chat.screen.show_conversation(
        stored(&session.prompt(text).reply(text).compaction(text).into_bytes()),
        Default::default(),
    );
    check(&mut chat, "a stored session");
    chat.screen.prompt(&Prompt::of_line(text));
    chat.screen.start_work(text, chat.now);
    chat.screen.add_thought(text);
    check(&mut chat, "a thought");
    chat.screen.start_text();
    for piece in [text, "\n\n", text, "\n```", text, "\n", text] {
        chat.screen.add_text(piece);
        check(&mut chat, "a text that arrives");
    }
    chat.screen.end_text();
    calls(&mut chat, text);
    chat.screen.enqueue(Prompt::of_line(text));
    check(&mut chat, "a queued prompt");
    chat.screen.dequeue();
    chat.screen.note(Style::PLAIN, text);
    chat.screen.hint(text);
    chat.screen.set_status(text, 2);
    chat.screen.set_todos(vec![vec![Span::plain(text)]]);
    let footer = chat.screen.footer();
    (footer.model, footer.title) = (text.to_owned(), Some(text.to_owned()));
    check(&mut chat, "notes, hint, status, todos and footer");
    chat.screen.finish_work();
    asks(&mut chat, text);
    types(&mut chat, text);
    chat.press("ctrl-o");
    check(&mut chat, "the transcript");
}

const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];

#[test]
fn the_worst_texts_are_harmless_everywhere() {
    for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
        for size in SIZES {
            for text in [HOSTILE, HOSTILE_NAME] {
                everything(layout, size, text);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_harmless_everywhere(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("\u{1b}[31m".to_owned()),
                Just("\u{1b}]52;c;UFdO\u{7}".to_owned()),
                Just("\u{9b}2J".to_owned()),
                Just("\u{202e}".to_owned()),
                Just("```\n".to_owned()),
                Just("| a |\n|---|\n".to_owned()),
                Just("[x](http://e\u{1b}/)".to_owned()),
                "[\u{0}-\u{ff}]{0,6}",
                any::<char>().prop_map(String::from),
            ],
            1..6,
        ),
        is_full in any::<bool>(),
        size in prop::sample::select(&SIZES),
    ) {
        let layout = if is_full { ScreenLayout::Full } else { ScreenLayout::Inline };
        everything(layout, size, &pieces.concat());
    }
}
