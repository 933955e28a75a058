//! What keys do to the chat screen: the prompt, the queue, questions and lists; and that they are documented.

use annals_testkit::builder::Session;
use annals_tui::chat::{ChatEffect, ChatInput, ChatKeyScope, ChatKeymap, QuestionAnswer, ScreenLayout};
use annals_tui::editor::Prompt;
use annals_tui::{Key, Mouse};

use crate::chat_fixture::{Chat, question, sessions, stored};

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

/// Types with this many milliseconds between two keys; nothing may come of it.
#[track_caller]
fn type_slowly(chat: &mut Chat, text: &str, millis: u64) {
    for character in text.chars() {
        chat.wait(millis);
        let key = if character == '\n' { Key::Enter } else { Key::Char(character) };
        assert_eq!(chat.screen.update(ChatInput::Key(key)), [], "{character:?} of {text:?}");
        chat.frame();
    }
}

#[test]
fn keys_typed_when_a_question_appears_stay_with_the_prompt() {
    for size in [(80, 24), (40, 15)] {
        let mut chat = Chat::new(ScreenLayout::Inline, size);
        chat.screen.start_work("working", chat.now);
        type_slowly(&mut chat, "maybe you sh", 120);
        chat.screen.ask(question(&["git push"]));
        // Letters, digits, space and enter: none of it answers, and none of it is sent or lost.
        type_slowly(&mut chat, "ould yet try 1 n\n", 120);
        type_slowly(&mut chat, "y", 650);
        assert_eq!(chat.press("up down tab home end"), []);
        assert_eq!(chat.typed(), "maybe you should yet try 1 ny");
        let seen = chat.frame();
        assert!(seen.contains("keys go to the prompt until you") && seen.contains("yet try 1 ny"), "{seen}");
        assert!(seen.contains("git push") && seen.contains("❯ 1. Yes"), "{seen}");
        assert!(chat.screen.changes_with_time());
        chat.wait(750);
        let seen = chat.frame();
        assert!(
            seen.contains("enter ") && !seen.contains("until you") && !seen.contains("yet try"),
            "{seen}"
        );
        // Now they are the question's, as fast as they come.
        assert_eq!(chat.press("down up"), []);
        assert_eq!(chat.press("enter"), answered("y", None));
        assert!(chat.frame().contains("yet try 1 ny"));
    }
}

#[test]
fn a_question_below_a_page_gets_no_key_of_the_page() {
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.press("ctrl-o");
    chat.screen.ask(question(&["git push"]));
    chat.wait(5000);
    assert_eq!(chat.press("q y enter"), []);
    assert_eq!(chat.typed(), "y");
}

#[test]
fn interrupting_keeps_its_meaning_while_a_question_appears() {
    for key in ["esc", "ctrl-c"] {
        let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
        type_slowly(&mut chat, "wa", 100);
        chat.screen.ask(question(&["git push"]));
        assert_eq!(chat.press(key), [ChatEffect::Refuse("q".to_owned())], "{key}");
        assert_eq!(chat.typed(), "wa");
    }
}

#[test]
fn the_keys_of_the_screen_are_rebound() {
    let mut keymap = ChatKeymap::default();
    for (scope, action, key) in [
        ("chat", "mode", "alt-m"),
        ("chat", "cancel", "ctrl-q"),
        ("question", "allow", "a"),
        ("picker", "choose", "ctrl-e"),
        ("page", "close", "x"),
    ] {
        keymap.bind(scope, action, &[key.to_owned()]).unwrap();
    }
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.screen.set_keymap(keymap);
    assert_eq!((chat.press("shift-tab"), chat.press("alt-m")), (vec![], vec![ChatEffect::CycleMode]));
    assert_eq!(chat.press("ctrl-q ctrl-q"), [ChatEffect::Rewind]);
    chat.press("?");
    assert!(chat.frame().contains("alt-m ") && !chat.frame().contains("shift-tab "), "{}", chat.frame());
    assert!(chat.frame().contains(" keys"));
    chat.press("q");
    assert!(chat.screen.is_covered());
    chat.press("x");
    assert!(!chat.screen.is_covered());
    chat.wait(1000);
    chat.screen.ask(question(&["ls"]));
    chat.wait(1000);
    chat.frame();
    assert_eq!((chat.press("y"), chat.press("a")), (vec![], answered("y", None)));
    chat.screen.open_picker(sessions());
    assert_eq!(chat.press("enter"), []);
    assert_eq!(chat.press("ctrl-e"), [ChatEffect::Choose(Some("1".to_owned()))]);
}

#[test]
fn the_page_of_keys_has_those_of_the_editor() {
    let mut chat = Chat::new(ScreenLayout::Inline, (100, 120));
    chat.press("?");
    let seen = chat.frame();
    for row in [
        "ctrl-_, ctrl-7           undo",
        "alt-_, alt-r             redo",
        "insert what was cut last",
        "to the end of the word",
    ] {
        assert!(seen.contains(row), "{row:?} is not in\n{seen}");
    }
}

#[test]
fn the_wheel_and_keys_scroll_the_full_layout() {
    let mut chat = Chat::new(ScreenLayout::Full, (60, 20));
    let text: String = (1..=100).map(|line| format!("line {line}.\n\n")).collect();
    chat.screen.show_conversation(
        stored(&Session::new().prompt("go").reply(&text).into_bytes()),
        Default::default(),
    );
    assert!(chat.frame().contains("line 100."));
    let wheel = |chat: &mut Chat, mouse, times: usize| {
        (0..times).for_each(|_| assert_eq!(chat.screen.update(ChatInput::Mouse(mouse)), []));
    };
    wheel(&mut chat, Mouse::ScrollUp, 5);
    assert!(!chat.frame().contains("line 100.") && chat.frame().contains("more below"), "{}", chat.frame());
    assert_eq!(chat.typed(), "", "it is no key that recalls prompts");
    wheel(&mut chat, Mouse::ScrollDown, 5);
    assert!(chat.frame().contains("line 100."));
    chat.press("home");
    assert!(chat.frame().contains("> go"));
    chat.press("ctrl-down");
    assert!(!chat.frame().contains("> go") && chat.frame().contains("line 5."), "{}", chat.frame());
    chat.press("ctrl-up");
    assert!(chat.frame().contains("> go"));
    chat.press("end");
    assert!(chat.frame().contains("line 100."));
    // With text, home and end are the text's.
    chat.type_text("ab");
    chat.press("home");
    chat.type_text("c");
    assert_eq!(chat.typed(), "cab");
    assert!(chat.frame().contains("line 100."));
    // On a page it scrolls the page, in a list it selects.
    chat.press("ctrl-o g");
    wheel(&mut chat, Mouse::ScrollDown, 3);
    assert!(!chat.frame().contains("> go"));
    chat.press("q");
    chat.screen.open_picker(sessions());
    wheel(&mut chat, Mouse::ScrollDown, 1);
    assert_eq!(chat.press("enter"), [ChatEffect::Choose(Some("2".to_owned()))]);
}

#[test]
fn a_list_is_searched_in_its_previews_too() {
    let mut chat = Chat::new(ScreenLayout::Inline, (80, 24));
    chat.screen.open_picker(sessions());
    chat.type_text("prompt of 1");
    let seen = chat.frame();
    assert!(seen.contains("1 Tax table") && !seen.contains("日本語"), "{seen}");
}

#[test]
fn the_keys_are_documented() {
    let path = format!("{}/../../docs/chat.md", env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(path).unwrap();
    let mut expected = String::from("\n| where | keys | action | |\n|---|---|---|---|\n");
    for scope in ChatKeyScope::ALL {
        for binding in ChatKeymap::default().bindings(scope) {
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{key}`")).collect();
            let action = binding.command.name();
            expected.push_str(&format!(
                "| {} | {} | {action} | {} |\n",
                scope.name(),
                keys.join(" "),
                binding.help
            ));
        }
    }
    assert!(document.contains(&expected), "docs/chat.md must have:\n{expected}");
}
