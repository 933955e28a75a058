//! Frames of what opens over the chat screen, where there is more than fits: what is cut has a sign, and all of it is reached.

use std::sync::Arc;

use annals_tui::chat::{
    ChatEffect, ChatInput, Picker, PickerRow, Question, QuestionChoice, QuestionKind, ScreenLayout,
};
use annals_tui::editor::{CommandEntry, Completions, HistoryPrompt, MentionEntry};
use annals_ui::terminal::width;

use crate::chat::{SIZES, check};
use crate::chat_fixture::{Chat, plain};

const LONG: &str =
    "in the shade of the old wall, where only ferns and a few mosses have grown for as long as anybody knows";

struct ManyCommands;

impl Completions for ManyCommands {
    fn commands(&self) -> Vec<CommandEntry> {
        let entry = |number: u32| CommandEntry {
            name: format!("command-{number}"),
            hint: "[WORDS]".to_owned(),
            description: LONG.to_owned(),
        };
        (1..=12).map(entry).collect()
    }

    fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
        [].into()
    }
}

fn choices(kind: QuestionKind) -> Question {
    let choice = |number: u32| QuestionChoice {
        label: format!("answer {number}: {LONG}"),
        kind,
        answer: number.to_string(),
    };
    Question {
        id: "q".to_owned(),
        title: plain(&format!("? Which of the beds, {LONG}?")),
        body: if kind == QuestionKind::Allow { vec![plain("git push")] } else { Vec::new() },
        why: vec![plain(LONG)],
        choices: (1..=6).map(choice).collect(),
        has_comment: kind == QuestionKind::Allow,
        ..Question::default()
    }
}

fn many_rows() -> Picker {
    let row = |number: u32| PickerRow {
        answer: number.to_string(),
        line: plain(&format!("{number:>2} {LONG} · {number} h ago")),
        preview: vec![plain(&format!("first {LONG}")); 12],
        is_elsewhere: false,
    };
    Picker {
        title: format!("resume which session, {LONG}?"),
        about: vec![plain(LONG); 9],
        rows: (1..=70).map(row).collect(),
        preset: 3,
        elsewhere: "all projects".to_owned(),
    }
}

/// No row of a frame is wider than what is free of it, and the last row says how to go on.
#[track_caller]
fn fits(frame: &str, size: (u16, u16)) {
    let rows: Vec<&str> = frame.lines().filter(|row| !row.starts_with("cursor ")).collect();
    assert!(rows.len() <= usize::from(size.1), "{size:?}:\n{frame}");
    assert!(rows.iter().all(|row| width(row) < usize::from(size.0)), "{size:?}:\n{frame}");
}

#[test]
fn frames_of_what_does_not_fit() {
    for size in SIZES {
        let mut chat = Chat::new(ScreenLayout::Inline, size);
        chat.screen.set_status(&[LONG; 5].join("\n"), 0);
        chat.screen.editor().set_completions(Box::new(ManyCommands));
        chat.type_text("/comm");
        chat.press("down down down down down down");
        check("menu", size, &chat.frame());
        fits(&chat.frame(), size);
        chat.press("esc ctrl-u");
        let prompt = |number: u32| HistoryPrompt {
            display: format!("prompt {number}\n{LONG}\nthree\nfour\nfive"),
            project: "/w".to_owned(),
            ..HistoryPrompt::default()
        };
        chat.screen.editor().set_history((1..=9).map(prompt).collect(), "/w", "s");
        chat.press("ctrl-r");
        chat.type_text("prompt");
        check("search", size, &chat.frame());
        fits(&chat.frame(), size);
        chat.press("esc");
        chat.screen.update(ChatInput::Paste("one\ntwo\nthree".to_owned()));
        for line in 1..=9 {
            chat.press("ctrl-j");
            chat.type_text(&format!("line {line}"));
        }
        chat.press("ctrl-home");
        check("prompt", size, &chat.frame());
        fits(&chat.frame(), size);
        chat.press("ctrl-s");
        check("stash", size, &chat.frame());
        chat.screen.ask(choices(QuestionKind::Pick));
        check("choices", size, &chat.frame());
        fits(&chat.frame(), size);
        chat.screen.withdraw("q");
        chat.screen.open_picker(many_rows());
        check("rows", size, &chat.frame());
        fits(&chat.frame(), size);
        chat.press("esc");
    }
}

#[test]
fn every_answer_of_a_question_is_reached() {
    for size in SIZES {
        let mut chat = Chat::new(ScreenLayout::Inline, size);
        chat.screen.ask(choices(QuestionKind::Pick));
        chat.wait(1000);
        let mut seen = String::new();
        for _ in 0..6 {
            seen.push_str(&chat.frame());
            fits(&chat.frame(), size);
            chat.press("down");
        }
        for number in 1..=6 {
            assert!(seen.contains(&format!("{number}. answer {number}")), "{size:?} {number}:\n{seen}");
        }
        assert_eq!(chat.press("enter").len(), 1, "the last one is selected: {}", chat.frame());
    }
}

#[test]
fn what_an_answer_would_grant_is_read_before_it_is_given() {
    let mut chat = Chat::new(ScreenLayout::Inline, (40, 15));
    chat.screen.ask(choices(QuestionKind::Allow));
    chat.wait(1000);
    // All of what is asked about is read first.
    let read = |chat: &mut Chat| {
        while chat.frame().contains("read all") {
            chat.press("pgdn");
        }
    };
    read(&mut chat);
    assert!(!chat.frame().contains("6. answer 6"), "{}", chat.frame());
    assert_eq!(chat.press("6"), [], "nobody has seen it");
    assert!(chat.frame().contains("6. answer 6"), "{}", chat.frame());
    read(&mut chat);
    let [ChatEffect::Answer(answer)] = &chat.press("6")[..] else { panic!("{}", chat.frame()) };
    assert_eq!(answer.answer, "6");
}

#[test]
fn a_row_that_is_cut_is_whole_in_its_preview_and_the_last_one_is_reached() {
    for size in SIZES {
        let mut chat = Chat::new(ScreenLayout::Inline, size);
        let mut picker = many_rows();
        (picker.about, picker.title) = (Vec::new(), "which?".to_owned());
        picker.rows.iter_mut().for_each(|row| row.preview.clear());
        chat.screen.open_picker(picker);
        let words: String =
            chat.frame().split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.contains("anybody knows · 4 h ago"), "{size:?}: {words}");
        chat.press("end");
        assert!(chat.frame().contains("❯ 70 in the"), "{}", chat.frame());
        assert!(chat.frame().contains("70 of 70") || size.1 == 60, "{}", chat.frame());
    }
}
