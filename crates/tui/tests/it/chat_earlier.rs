//! A long session, of which the end is shown at first: earlier parts come before it when they are wanted.

use annals_testkit::builder::Session;
use annals_tui::chat::{ChatEffect, ScreenLayout};
use annals_ui::view::Conversation;

use crate::chat_fixture::{Chat, stored};

fn part(name: &str, replies: u32) -> Conversation {
    let session = (1..=replies).fold(Session::new(), |session, number| {
        session.prompt(&format!("{name} prompt {number}")).reply(&format!("{name} reply {number}"))
    });
    stored(&session.into_bytes())
}

fn resumed(layout: ScreenLayout) -> Chat {
    let mut chat = Chat::new(layout, (70, 20));
    chat.screen.note_earlier("84 MB");
    chat.screen.show_conversation(part("late", 12), Default::default());
    chat
}

#[test]
fn earlier_parts_come_before_what_is_shown_and_are_searched() {
    for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
        let mut chat = resumed(layout);
        let printed = chat.all();
        chat.press("ctrl-o g");
        let first = chat.frame();
        assert!(first.contains("the first 84 MB of this session are not loaded"), "{first}");
        assert!(first.contains("e loads more"), "{first}");
        chat.press("G");
        let before = chat.frame();
        assert_eq!(chat.press("e"), [ChatEffect::LoadEarlier]);
        chat.screen.add_earlier(part("middle", 30), Some("20 MB"));
        assert_eq!(chat.frame(), before, "what is visible stays");
        chat.press("/");
        chat.type_text("middle reply 7");
        chat.press("enter");
        assert!(chat.frame().contains("1 of 1"), "{}", chat.frame());
        chat.press("g");
        assert!(chat.frame().contains("the first 20 MB of this session are not loaded"), "{}", chat.frame());
        assert_eq!(chat.press("e"), [ChatEffect::LoadEarlier]);
        chat.screen.add_earlier(part("early", 3), None);
        chat.press("g");
        let frame = chat.frame();
        assert!(frame.contains("> early prompt 1") && !frame.contains("loads more"), "{frame}");
        assert!(!frame.contains("not loaded"), "{frame}");
        chat.press("/");
        chat.type_text("not loaded");
        chat.press("enter");
        assert!(chat.frame().contains("not found"), "{}", chat.frame());
        chat.press("q");
        // The scrollback has what it had.
        let after = chat.all();
        assert!(!after.split_once("────").unwrap().0.contains("early"), "{after}");
        if layout == ScreenLayout::Inline {
            assert!(printed.contains("late reply 12") && after.starts_with("────"), "{after}");
        }
    }
}

#[test]
fn what_is_folded_stays_folded() {
    let mut chat = resumed(ScreenLayout::Full);
    let input = r#"{"command":"seq"}"#;
    for id in ["c1", "c2"] {
        chat.start_call(id, "Bash", input);
        let output = (1..=10).map(|line| format!("{id} {line}")).collect::<Vec<_>>().join(r"\n");
        chat.finish_call(id, "Bash", input, &output);
    }
    chat.press("ctrl-o");
    chat.frame();
    chat.press("shift-tab enter");
    let before = chat.frame();
    assert!(before.contains("c1 9") && !before.contains("c2 9"), "{before}");
    chat.screen.add_earlier(part("early", 5), None);
    let after = chat.frame();
    assert!(after.contains("c1 9") && !after.contains("c2 9"), "{after}");
}

#[test]
fn another_session_has_no_part_of_the_one_before() {
    let mut chat = resumed(ScreenLayout::Full);
    chat.screen.clear();
    chat.screen.show_conversation(part("other", 2), Default::default());
    chat.press("ctrl-o");
    assert!(!chat.frame().contains("loads more"), "{}", chat.frame());
    assert_eq!(chat.press("e"), [], "there is nothing to load");
}
