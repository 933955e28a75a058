//! Folding single thoughts, tool calls and sub-agents, by keys in the transcript and by clicks.

use annals_tui::Mouse;
use annals_tui::chat::{ChatInput, ScreenLayout};
use ratatui_core::style::Modifier;

use crate::chat_fixture::{Chat, frame_text, stored};
use annals_testkit::builder::Session;

const INPUT: &str = r#"{"command":"seq"}"#;

/// Two calls with ten lines of output each.
fn two_calls(layout: ScreenLayout, size: (u16, u16)) -> Chat {
    let mut chat = Chat::new(layout, size);
    for id in ["c1", "c2"] {
        let output = (1..=10).map(|line| format!("{id} line {line}")).collect::<Vec<_>>().join(r"\n");
        chat.start_call(id, "Bash", INPUT);
        chat.finish_call(id, "Bash", INPUT, &output);
    }
    if layout == ScreenLayout::Inline {
        chat.all();
    }
    chat
}

/// The text of the row that is marked.
fn marked_row(chat: &mut Chat) -> Option<String> {
    let (cells, _) = chat.screen.draw();
    let is_marked = |row: &u16| cells[(0, *row)].modifier.contains(Modifier::REVERSED);
    let row = (0..cells.area.height).find(is_marked)?;
    frame_text(&cells).lines().nth(usize::from(row)).map(str::to_owned)
}

fn click(chat: &mut Chat, text: &str) {
    let frame = chat.frame();
    let row = frame.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {frame}"));
    let row = u16::try_from(row).unwrap();
    assert!(chat.screen.update(ChatInput::Mouse(Mouse::Click { column: 3, row })).is_empty());
}

#[test]
fn one_call_of_the_transcript_is_folded_and_opened_by_keys() {
    for layout in [ScreenLayout::Inline, ScreenLayout::Full] {
        let mut chat = two_calls(layout, (80, 40));
        chat.press("ctrl-o");
        assert!(chat.frame().contains("tab, enter: fold one · z: all"), "{}", chat.frame());
        assert_eq!(marked_row(&mut chat), None);
        chat.press("enter");
        assert!(chat.frame().contains("c1 line 9"), "nothing is selected: {}", chat.frame());
        chat.press("tab tab");
        assert!(marked_row(&mut chat).unwrap().contains("Bash"));
        chat.press("enter");
        let frame = chat.frame();
        assert!(frame.contains("c1 line 9") && !frame.contains("c2 line 9"), "{frame}");
        assert!(frame.contains("c2 line 1"), "{frame}");
        chat.press("shift-tab enter");
        let frame = chat.frame();
        assert!(!frame.contains("c1 line 9") && !frame.contains("c2 line 9"), "{frame}");
        chat.press("enter");
        assert!(chat.frame().contains("c1 line 9"), "{}", chat.frame());
        // All, and then all the other way.
        chat.press("z");
        assert!(!chat.frame().contains("line 9"), "{}", chat.frame());
        chat.press("z");
        let frame = chat.frame();
        assert!(frame.contains("c1 line 9") && frame.contains("c2 line 9"), "{frame}");
    }
}

#[test]
fn a_selected_call_that_is_out_of_sight_comes_into_sight() {
    let mut chat = two_calls(ScreenLayout::Full, (80, 12));
    chat.press("ctrl-o");
    assert!(!chat.frame().contains("c1 line 1\n"), "{}", chat.frame());
    chat.press("shift-tab shift-tab");
    assert!(marked_row(&mut chat).unwrap().contains("Bash") && chat.frame().contains("c1 line 1\n"));
    chat.press("shift-tab");
    assert!(chat.frame().contains("c1 line 1\n"), "there is none before the first: {}", chat.frame());
}

#[test]
fn a_click_opens_what_is_folded() {
    let mut chat = two_calls(ScreenLayout::Full, (80, 40));
    assert!(!chat.frame().contains("line 9"), "{}", chat.frame());
    click(&mut chat, "c2 line 1");
    let frame = chat.frame();
    assert!(frame.contains("c2 line 9") && !frame.contains("c1 line 9"), "{frame}");
    click(&mut chat, "c2 line 9");
    assert!(!chat.frame().contains("line 9"), "{}", chat.frame());
    // In the transcript the other way around, and a click on anything else does nothing.
    chat.press("ctrl-o");
    click(&mut chat, "transcript");
    click(&mut chat, "c1 line 5");
    let frame = chat.frame();
    assert!(frame.contains("c2 line 9") && !frame.contains("c1 line 9"), "{frame}");
}

#[test]
fn a_long_thought_is_opened_in_place() {
    let session = Session::new()
        .prompt("go")
        .response(|all| all.thinking("first thought\nsecond thought").text("Done."));
    let mut chat = Chat::new(ScreenLayout::Full, (60, 20));
    chat.screen.show_conversation(stored(&session.into_bytes()), Default::default());
    assert!(!chat.frame().contains("second thought"), "{}", chat.frame());
    click(&mut chat, "first thought");
    assert!(chat.frame().contains("second thought"), "{}", chat.frame());
    click(&mut chat, "Done.");
    assert!(chat.frame().contains("second thought"), "{}", chat.frame());
    click(&mut chat, "second thought");
    assert!(!chat.frame().contains("second thought"), "{}", chat.frame());
}

#[test]
fn what_comes_is_shown_at_once_after_a_fold_unless_the_end_went_out_of_sight() {
    let mut chat = two_calls(ScreenLayout::Full, (80, 24));
    click(&mut chat, "c2 line 1");
    click(&mut chat, "c2 line 9");
    for id in ["c3", "c4", "c5", "c6", "c7", "c8", "c9"] {
        chat.start_call(id, "Bash", INPUT);
        let output = (1..=10).map(|line| format!("{id} line {line}")).collect::<Vec<_>>().join(r"\n");
        chat.finish_call(id, "Bash", INPUT, &output);
    }
    assert!(chat.frame().contains("c9 line 1"), "{}", chat.frame());
    // What is opened is what somebody wants to read.
    click(&mut chat, "c7 line 1");
    let frame = chat.frame();
    assert!(frame.contains("c7 line 9") && !frame.contains("c9 line 1"), "{frame}");
    chat.start_call("c10", "Bash", INPUT);
    assert!(chat.frame().contains("c7 line 9"), "{}", chat.frame());
}
