//! Only what is visible is laid out, however long a session is. Work is counted, not timed.

use annals_testkit::builder::Session;
use annals_tui::{Document, Event};

use crate::fixture::{app, conversation, frame, open, press, type_text};

const SIZE: (u16, u16) = (80, 24);

/// 50,000 records: prompts, thinking, calls with long outputs, replies.
fn huge() -> Vec<u8> {
    let output = "a line of output\n".repeat(40);
    let mut session = Session::new();
    for turn in 0..10_000 {
        session = session
            .prompt(&format!("prompt number {turn}"))
            .response(|response| response.thinking("hm").tool_use("Bash", r#"{"command":"ls"}"#))
            .tool_result(&output)
            .reply("done");
    }
    session.into_bytes()
}

#[test]
fn a_frame_of_a_session_with_50_000_records_lays_out_a_screen() {
    let bytes = huge();
    assert!(bytes.iter().filter(|byte| **byte == b'\n').count() >= 50_000);
    let mut app = app(SIZE);
    open(&mut app, conversation(&bytes));
    let mut before = app.layouts();
    let mut work = |app: &annals_tui::App, what: &str| {
        frame(app, SIZE);
        let done = app.layouts() - before;
        before = app.layouts();
        assert!(done <= 120, "{what} laid out {done} entries");
    };
    work(&app, "opening");
    for keys in ["G", "g", "ctrl-d", "]", "]", "enter", "G", "k", "b", "[", "T", "o", "v", "enter"] {
        press(&mut app, keys);
        work(&app, keys);
    }
    app.update(Event::Resize(40, 12));
    work(&app, "a resize");
    press(&mut app, "g /");
    type_text(&mut app, "prompt number 7777");
    press(&mut app, "enter");
    while app.is_restless() {
        app.update(Event::Tick(0));
    }
    work(&app, "a search");
    assert!(frame(&app, (40, 12)).contains("7778/10000"), "{}", frame(&app, (40, 12)));
}

#[test]
fn a_document_lays_nothing_out_until_it_is_drawn() {
    let document = Document::new(conversation(&huge()).into());
    assert_eq!(document.layouts(), 0);
    assert!(document.len() > 40_000 && !document.is_empty());
}

#[test]
fn an_entry_of_megabytes_is_cut_before_it_is_wrapped() {
    let output = "0123456789 ".repeat(500_000);
    let bytes = Session::new()
        .prompt("big")
        .tool_use("Bash", r#"{"command":"cat big"}"#)
        .tool_result(&output)
        .reply("done")
        .into_bytes();
    let mut app = app(SIZE);
    open(&mut app, conversation(&bytes));
    press(&mut app, "o o G");
    let seen = frame(&app, SIZE);
    assert!(seen.contains("MB more: annals show SESSION --full"), "{seen}");
}
