//! Whole visits: every screen by keys and mouse, in terminals of several sizes; and a session of many megabytes.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::terminal::Terminal;

use super::{Viewer, is_restored};

/// The rows of the screen, without the scrollback that a full-screen program does not have.
fn rows(terminal: &Terminal, count: usize) -> Vec<String> {
    let text = terminal.text();
    let mut rows: Vec<String> = text.lines().map(str::to_owned).collect();
    rows.drain(..rows.len().saturating_sub(count));
    rows
}

/// Waits until the screen is as it should be.
#[track_caller]
fn settles(terminal: &Terminal, count: usize, is_right: impl Fn(&[String]) -> bool) {
    let began = Instant::now();
    loop {
        let seen = rows(terminal, count);
        if seen.len() == count && is_right(&seen) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the screen stays\n{}", seen.join("\n"));
        thread::sleep(Duration::from_millis(10));
    }
}

/// A click of the left button, as terminals report it; columns and rows are counted from 1.
fn click(terminal: &Terminal, column: usize, row: usize) {
    terminal.press(&format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m"));
}

#[test]
fn a_whole_journey_with_keys_mouse_and_other_sizes() {
    let viewer = Viewer::new();
    let id = "9999aaaa-0000-4000-8000-000000000000";
    let mut session = Session::new().id(id).prompt("Paint the shed green.").reply("Green it is.");
    for coat in 1..=40 {
        session = session.prompt(&format!("Coat number {coat}.")).response(|response| {
            response.thinking("How long does it dry?").text(&format!("Coat {coat} is on."))
        });
    }
    fs::write(viewer.file.with_file_name(format!("{id}.jsonl")), session.into_bytes()).unwrap();
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("2 sessions");
    let row = |terminal: &Terminal, text: &str| {
        rows(terminal, 24)
            .iter()
            .position(|line| line.contains(text))
            .unwrap_or_else(|| panic!("no {text:?}"))
            + 1
    };
    // A filter, and without it again.
    terminal.press("/paint");
    terminal.sees("1 of 2 sessions");
    terminal.press("\x1b");
    terminal.sees(" 2 sessions ");
    // The mouse selects, and opens at the second click.
    let shed = row(&terminal, "Paint the shed");
    click(&terminal, 5, shed);
    click(&terminal, 5, shed);
    terminal.sees("Green it is.");
    terminal.sees("1/41");
    let top = rows(&terminal, 24)[2..22].to_vec();
    terminal.press("\x1b[<65;5;5M\x1b[<65;5;5M\x1b[<65;5;5M\x1b[<65;5;5M");
    terminal.sees("Coat 2 is on.");
    terminal.press("\x1b[<64;5;5M\x1b[<64;5;5M\x1b[<64;5;5M\x1b[<64;5;5Mg");
    // The wheel leads back to the same screen.
    settles(&terminal, 24, |rows| rows[2..22] == top);
    // Folds, turns, the end.
    terminal.press("T");
    terminal.sees("How long does it dry?");
    terminal.press("T]]");
    terminal.sees("3/41");
    terminal.press("G");
    terminal.sees("100%");
    // In-session search, from the end around to the start.
    terminal.press("/number 17\r");
    terminal.sees("18/41");
    // The tree leads to a prompt, by a click and another.
    terminal.press("v");
    terminal.sees("41 prompts");
    let coat = row(&terminal, "Coat number 20.");
    click(&terminal, 8, coat);
    click(&terminal, 8, coat);
    terminal.sees("21/41");
    // Usage, help and actions lie over it and go away.
    terminal.press("U");
    terminal.sees("next table");
    terminal.press("q");
    terminal.sees("21/41");
    terminal.press("?");
    terminal.sees("open or close");
    terminal.press("q");
    terminal.press("r");
    terminal.sees("annals chat --resume");
    terminal.press("x");
    // Smaller and larger again: every row belongs to the new screen, and the place is the same.
    for size in [(40, 12), (100, 30)] {
        terminal.resize(size);
        let count = usize::from(size.1);
        let is_short = |row: &String| row.chars().count() <= usize::from(size.0);
        settles(&terminal, count, |rows| {
            rows[0].contains("21/41") && rows[count - 1].starts_with("? help") && rows.iter().all(is_short)
        });
    }
    // Back to the list, and out.
    terminal.press("q");
    terminal.sees(" 2 sessions ");
    terminal.press("q");
    assert_eq!(terminal.code(), Some(0));
    is_restored(&terminal);
}

#[test]
fn a_session_of_many_megabytes_shows_its_beginning_and_then_all_of_it() {
    let viewer = Viewer::new();
    let id = "7777aaaa-0000-4000-8000-000000000000";
    let output = "a line of output\n".repeat(300);
    let mut session = Session::new().id(id);
    for turn in 1..=1500 {
        session = session.prompt(&format!("prompt {turn}")).tool_use("Bash", r#"{"command":"ls"}"#);
        session = session.tool_result(&output).reply(&format!("answer {turn}"));
    }
    fs::write(viewer.file.with_file_name(format!("{id}.jsonl")), session.into_bytes()).unwrap();
    let mut terminal = viewer.start(&[id], |_| {});
    terminal.sees("prompt 1");
    terminal.sees("1/1500");
    terminal.press("G");
    terminal.sees("answer 1500");
    terminal.press("/answer 700\r");
    terminal.sees("700/1500");
    terminal.press("[");
    terminal.sees("prompt 700");
    terminal.press("Q");
    assert_eq!(terminal.code(), Some(0));
    is_restored(&terminal);
}
