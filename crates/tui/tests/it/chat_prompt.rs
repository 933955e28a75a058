//! The prompt of the chat screen: menus, chips, earlier prompts, modes of vim, lines for the shell; and questions of the model.

use std::sync::Arc;

use annals_tui::chat::{
    ChatEffect, ChatInput, Question, QuestionAnswer, QuestionChoice, QuestionKind, ScreenLayout,
};
use annals_tui::editor::{
    CommandEntry, Completions, EditorMode, HistoryPrompt, MentionEntry, MentionKind, Prompt, PromptKind,
};

use crate::chat_fixture::{Chat, plain};

struct GardenCompletions;

impl Completions for GardenCompletions {
    fn commands(&self) -> Vec<CommandEntry> {
        let entry = |name: &str, description: &str| CommandEntry {
            name: name.to_owned(),
            hint: String::new(),
            description: description.to_owned(),
        };
        vec![entry("compact", "summarize the conversation"), entry("cost", "show tokens and cost")]
    }

    fn mentions(&self, _: &str) -> Arc<[MentionEntry]> {
        let entry =
            |name: &str, kind| MentionEntry { name: name.to_owned(), kind, description: String::new() };
        [entry("src/beds.rs", MentionKind::File), entry("agent-Explore", MentionKind::Agent)].into()
    }
}

fn offering() -> Chat {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.editor().set_completions(Box::new(GardenCompletions));
    chat
}

#[test]
fn commands_and_files_are_offered_below_the_prompt() {
    let mut chat = offering();
    chat.type_text("/cmp");
    let seen = chat.frame();
    assert!(seen.contains("❯ /compact") && seen.contains("summarize the conversation"), "{seen}");
    assert!(!seen.contains("/cost"), "{seen}");
    assert_eq!(chat.press("enter"), [ChatEffect::Submit(Prompt::of_line("/compact"))]);
    chat.type_text("see @bed");
    assert!(chat.frame().contains("❯ @src/beds.rs"), "{}", chat.frame());
    chat.press("tab");
    assert_eq!(chat.typed(), "see @src/beds.rs ");
    chat.type_text("@expl");
    chat.press("enter");
    assert_eq!(chat.typed(), "see @src/beds.rs @agent-Explore ");
}

#[test]
fn a_menu_has_the_arrows_and_escape_before_the_screen() {
    let mut chat = offering();
    let now = chat.now;
    chat.screen.start_work("working", now);
    chat.screen.enqueue(Prompt::of_line("queued"));
    chat.type_text("/c");
    assert_eq!(chat.press("up esc"), [], "neither the queue nor the turn is touched");
    assert_eq!((chat.queued().len(), chat.frame().contains("summarize")), (1, false));
    assert_eq!(chat.press("up"), [ChatEffect::Unqueue]);
    assert_eq!(chat.typed(), "queued\n/c");
}

#[test]
fn a_long_paste_is_a_chip_and_sent_in_full() {
    let mut chat = Chat::new(ScreenLayout::Full, (60, 20));
    chat.type_text("look: ");
    chat.screen.update(ChatInput::Paste("one\r\ntwo\nthree".to_owned()));
    assert!(chat.frame().contains("❯ look: [Pasted text #1 +2 lines]"), "{}", chat.frame());
    let effects = chat.press("enter");
    let [ChatEffect::Submit(prompt)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(prompt.text, "look: one\ntwo\nthree");
    assert_eq!(prompt.display, "look: [Pasted text #1 +2 lines]");
    assert_eq!(prompt.pastes, [(1, "one\ntwo\nthree".to_owned())]);
    chat.screen.prompt(prompt);
    assert!(chat.frame().contains("> look: [Pasted text #1 +2 lines]"), "{}", chat.frame());
    // Queued, it comes back as it was.
    let now = chat.now;
    chat.screen.start_work("working", now);
    chat.screen.enqueue(prompt.clone());
    assert_eq!(chat.press("up"), [ChatEffect::Unqueue]);
    assert!(chat.frame().contains("❯ look: [Pasted text #1 +2 lines]"), "{}", chat.frame());
    assert_eq!(chat.press("enter").len(), 1);
    chat.screen.absorbed("look: one\ntwo\nthree");
    assert_eq!(chat.queued().len(), 0);
}

#[test]
fn earlier_prompts_of_all_projects_are_searched() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    let prompt = |display: &str, project: &str| HistoryPrompt {
        display: display.to_owned(),
        project: project.to_owned(),
        ..HistoryPrompt::default()
    };
    let prompts = vec![prompt("water the beds", "/other"), prompt("count the beds", "/w")];
    chat.screen.editor().set_history(prompts, "/w", "s");
    chat.press("ctrl-r");
    chat.type_text("water");
    let seen = chat.frame();
    assert!(seen.contains("search: water") && seen.contains("❯ water the beds"), "{seen}");
    assert!(seen.contains("all projects · ctrl-s other prompts"), "{seen}");
    assert_eq!(chat.press("ctrl-c"), [], "it leaves the search");
    assert!(!chat.frame().contains("search:") && !chat.frame().contains("again to exit"));
    chat.press("ctrl-r w a enter");
    assert_eq!(chat.typed(), "water the beds");
    chat.screen.editor().set_text("");
    chat.press("up");
    assert_eq!(chat.typed(), "count the beds", "the arrows stay in this folder");
}

#[test]
fn the_footer_has_the_mode_of_vim_and_escape_is_its_first() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.editor().set_mode(EditorMode::Vim);
    let now = chat.now;
    chat.screen.start_work("working", now);
    chat.type_text("words");
    assert!(chat.frame().contains("-- INSERT --"), "{}", chat.frame());
    assert_eq!(chat.press("esc"), []);
    assert!(chat.frame().contains("-- NORMAL --"), "{}", chat.frame());
    assert_eq!(chat.press("esc"), [ChatEffect::Interrupt]);
    chat.press("d d");
    assert_eq!(chat.typed(), "");
}

#[test]
fn a_line_for_the_shell_has_its_sign() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.type_text("!ls -l");
    let seen = chat.frame();
    assert!(seen.contains("\n! ls -l\n") && seen.contains("! runs in the shell"), "{seen}");
    let effects = chat.press("enter");
    let [ChatEffect::Submit(prompt)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(
        (prompt.kind, prompt.text.as_str(), prompt.line().as_str()),
        (PromptKind::Shell, "ls -l", "!ls -l")
    );
    chat.screen.prompt(prompt);
    assert!(chat.all().starts_with("! ls -l\n"), "{}", chat.all());
}

#[test]
fn the_text_is_edited_elsewhere_and_put_aside() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.type_text("draft");
    assert_eq!(chat.press("ctrl-g"), [ChatEffect::EditElsewhere]);
    chat.press("ctrl-s");
    assert!(chat.typed().is_empty() && chat.frame().contains("stashed"), "{}", chat.frame());
    chat.press("ctrl-s");
    assert_eq!(chat.typed(), "draft");
}

fn asked(is_multiple: bool) -> Question {
    let choice =
        |label: &str, kind| QuestionChoice { label: label.to_owned(), kind, answer: label.to_owned() };
    Question {
        id: "q".to_owned(),
        title: plain("? Which beds?"),
        choices: vec![
            choice("north", QuestionKind::Pick),
            choice("south", QuestionKind::Pick),
            choice("in your own words", QuestionKind::Words),
            choice("decline", QuestionKind::Refuse),
        ],
        is_multiple,
        ..Question::default()
    }
}

fn answer(effects: Vec<ChatEffect>) -> (String, Option<String>) {
    match effects.as_slice() {
        [ChatEffect::Answer(QuestionAnswer { answer, comment, .. })] => (answer.clone(), comment.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_of_the_model_is_answered_by_options_or_words() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    let mut ask = |is_multiple| {
        chat.screen.ask(asked(is_multiple));
        chat.wait(1000);
        chat.frame()
    };
    assert!(ask(false).contains("❯ 1. north"));
    assert_eq!(chat.press("y"), [], "it is no question about a permission");
    assert_eq!(answer(chat.press("2")), ("south".to_owned(), None));
    let mut ask = |is_multiple| {
        chat.screen.ask(asked(is_multiple));
        chat.wait(1000);
        chat.frame()
    };
    assert!(ask(true).contains("[ ] 1. north"));
    chat.press("space down 2 2 space");
    assert!(chat.frame().contains("[x] 2. south"), "{}", chat.frame());
    assert_eq!(answer(chat.press("enter")), ("north\nsouth".to_owned(), None));
    chat.screen.ask(asked(false));
    chat.wait(1000);
    chat.press("3");
    assert!(chat.frame().contains("answer:"), "{}", chat.frame());
    assert_eq!(chat.press("enter"), [], "there are no words yet");
    chat.type_text("all of them");
    assert_eq!(answer(chat.press("enter")).1.as_deref(), Some("all of them"));
    chat.screen.ask(asked(false));
    chat.wait(1000);
    assert_eq!(answer(chat.press("n")).0, "decline");
}

#[test]
fn words_keep_what_is_picked_and_left_goes_back() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    let back = QuestionChoice { label: "back".to_owned(), kind: QuestionKind::Back, answer: String::new() };
    let mut question = Question { picked: vec![1], preset: 1, ..asked(true) };
    question.choices.insert(3, back);
    chat.screen.ask(question.clone());
    chat.wait(1000);
    assert!(chat.frame().contains("❯ [x] 2. south"), "{}", chat.frame());
    chat.press("1 3");
    chat.type_text("or east");
    assert_eq!(answer(chat.press("enter")), ("north\nsouth".to_owned(), Some("or east".to_owned())));
    chat.screen.ask(question);
    chat.wait(1000);
    assert_eq!(answer(chat.press("left")), (String::new(), None));
    chat.screen.ask(asked(false));
    chat.wait(1000);
    assert_eq!(chat.press("left"), [], "there is no question before");
}
