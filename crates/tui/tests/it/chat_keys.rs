//! What keys do to the chat screen: the prompt, the queue, questions and lists; and that they are documented.

use annals_tui::chat::{CHAT_KEYS, ChatEffect, QuestionAnswer, ScreenLayout};
use annals_tui::editor::Prompt;

use crate::chat_fixture::{Chat, question, sessions};

fn answered(answer: &str, comment: Option<&str>) -> Vec<ChatEffect> {
    vec![ChatEffect::Answer(QuestionAnswer {
        id: "q".to_owned(),
        answer: answer.to_owned(),
        comment: comment.map(str::to_owned),
    })]
}

#[test]
fn prompts_are_queued_shown_and_edited_again() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    let now = chat.now;
    chat.screen.start_work("working", now);
    chat.type_text("one");
    assert_eq!(chat.press("enter"), [ChatEffect::Submit(Prompt::of_line("one"))]);
    chat.type_text("two");
    chat.press("enter");
    assert_eq!(chat.queued(), ["one", "two"]);
    let seen = chat.frame();
    assert!(seen.contains("queued: one · up edits") && seen.contains("queued: two"), "{seen}");
    chat.screen.absorbed("one");
    assert_eq!(chat.queued(), ["two"]);
    chat.type_text("three");
    assert_eq!(chat.press("up"), [ChatEffect::Unqueue]);
    assert_eq!((chat.screen.queue().len(), chat.typed().as_str()), (0, "two\nthree"));
    // The model got it in the same moment: it is not sent twice.
    chat.screen.editor().set_text("two");
    chat.screen.absorbed("two");
    assert_eq!(chat.typed(), "");
}

#[test]
fn escape_interrupts_clears_and_rewinds() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    let now = chat.now;
    chat.screen.start_work("working", now);
    assert_eq!(chat.press("esc"), [ChatEffect::Interrupt]);
    chat.screen.work().unwrap().interrupts = 1;
    assert_eq!(chat.press("esc"), [], "only ctrl-c exits");
    assert_eq!(chat.press("ctrl-c"), [ChatEffect::Stop]);
    chat.screen.finish_work();
    chat.type_text("words");
    assert_eq!(chat.press("esc"), []);
    assert!(chat.frame().contains("press esc again to clear"));
    chat.wait(900);
    assert_eq!((chat.press("esc"), chat.typed().as_str()), (vec![], "words"), "that was too slow");
    chat.press("esc");
    assert_eq!(chat.typed(), "");
    assert_eq!(chat.press("up").len(), 0);
    assert_eq!(chat.typed(), "words", "what was cleared is in the history");
    chat.screen.editor().set_text("");
    assert_eq!(chat.press("esc esc"), [ChatEffect::Rewind]);
}

#[test]
fn two_presses_exit_and_one_does_not() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.type_text("words");
    assert_eq!(chat.press("ctrl-c"), []);
    assert_eq!(chat.typed(), "");
    assert_eq!(chat.press("ctrl-c"), [ChatEffect::Exit]);
    assert_eq!(chat.press("ctrl-c"), []);
    chat.wait(3000);
    assert_eq!(chat.press("ctrl-c"), [], "a later one is a first one");
    assert_eq!(chat.press("ctrl-d"), []);
    assert_eq!(chat.press("ctrl-d"), [ChatEffect::Exit]);
    chat.type_text("ab");
    chat.press("home ctrl-d");
    assert_eq!(chat.typed(), "b", "with text it deletes");
    assert_eq!(chat.press("shift-tab"), [ChatEffect::CycleMode]);
}

#[test]
fn nothing_is_allowed_before_all_of_it_was_shown() {
    let lines: Vec<String> = (1..=60).map(|line| format!("echo {line}")).collect();
    let body: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.ask(question(&body));
    assert_eq!(chat.press("y"), [], "a key that was meant for the prompt");
    assert_eq!(chat.press("enter"), []);
    assert_eq!(chat.typed(), "y", "it is neither sent nor lost");
    chat.wait(1000);
    assert!(chat.frame().contains("more lines · pgdn · read all to allow"));
    for _ in 0..3 {
        assert_eq!(chat.press("y"), [], "{}", chat.frame());
        assert_eq!(chat.press("1"), [], "{}", chat.frame());
        let seen = chat.frame();
        if seen.contains("echo 60") {
            break;
        }
        chat.press("pgup");
    }
    chat.press("pgdn pgdn pgdn pgdn pgdn pgdn pgdn pgdn");
    assert!(!chat.frame().contains("echo 60"), "keys that come before a frame pass nothing over");
    while !chat.frame().contains("echo 60") {
        chat.press("pgdn");
    }
    assert_eq!(chat.press("y"), answered("y", None));

    // To refuse, nothing need be read.
    chat.screen.ask(question(&body));
    chat.wait(1000);
    chat.frame();
    chat.press("tab");
    chat.type_text("not now");
    assert_eq!(chat.press("enter"), answered("n", Some("not now")));
    chat.screen.ask(question(&body));
    chat.wait(1000);
    assert_eq!(chat.press("esc"), [ChatEffect::Refuse("q".to_owned())]);

    // In a terminal that is too small to show anything, nothing can be allowed.
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 6));
    chat.screen.ask(question(&body));
    chat.wait(1000);
    for _ in 0..100 {
        chat.frame();
        assert_eq!(chat.press("1 pgdn"), []);
    }
}

#[test]
fn questions_are_answered_one_after_the_other() {
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.type_text("half");
    chat.screen.ask(question(&["first"]));
    let mut second = question(&["second"]);
    second.id = "r".to_owned();
    chat.screen.ask(second);
    chat.wait(1000);
    assert!(chat.frame().contains("first"));
    assert_eq!(chat.press("2"), answered("a", None));
    assert_eq!(chat.press("y"), [], "the next one has just appeared");
    chat.wait(1000);
    assert!(chat.frame().contains("second"));
    chat.screen.withdraw("r");
    assert!(chat.frame().contains("❯ halfy"), "{}", chat.frame());
}

#[test]
fn a_list_is_filtered_and_shows_what_is_elsewhere_on_request() {
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.screen.open_picker(sessions());
    assert!(!chat.frame().contains("Garden"));
    chat.press("ctrl-a");
    chat.type_text("gard");
    let seen = chat.frame();
    assert!(seen.contains("❯ 3 Garden") && !seen.contains("Tax table") && seen.contains("first prompt of 3"));
    assert_eq!(chat.press("enter"), [ChatEffect::Choose(Some("3".to_owned()))]);
    chat.screen.open_picker(sessions());
    assert_eq!(chat.press("down enter"), [ChatEffect::Choose(Some("2".to_owned()))]);
    chat.screen.open_picker(sessions());
    chat.type_text("nothing like it");
    assert!(chat.frame().contains("nothing matches"));
    assert_eq!(chat.press("enter"), []);
    assert_eq!(chat.press("esc"), [ChatEffect::Choose(None)]);
}

#[test]
fn the_keys_are_documented() {
    let path = format!("{}/../../docs/chat.md", env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(path).unwrap();
    for (scope, keys, what) in CHAT_KEYS {
        let row = format!("| {} | {keys} | {what} |", scope.title());
        assert!(document.contains(&row), "docs/chat.md has no row\n{row}");
    }
}
