//! Rendering: small terminals, resizing, no color, no cursor movement, hostile texts.

use super::ChatFixture;

const LONG: &str =
    "The quick brown fox jumps over the lazy dog and goes on to the river, where nothing else happens.";

fn script() -> String {
    format!(
        r#"{{"long":[[{{"type":"text","text":"{LONG}"}}]],
        "slow":[{{"content":[{{"type":"text","text":"{LONG}"}}],"chunk_bytes":40,
            "play":["head",{{"events":[0,3]}},{{"wait_ms":3000}},{{"events":[3,999]}},"end"]}}],
        "ask":[[{{"type":"tool_use","name":"Bash","input":{{"command":"echo a\necho b\necho c\necho d\necho e\ntouch made"}}}}],
            [{{"type":"text","text":"finished"}}]],
        "evil":[[{{"type":"text","text":"a\u001b[2Jb\u001b]0;title\u0007c\u202ed\rover"}},
            {{"type":"tool_use","name":"Bash","input":{{"command":"echo \u001b[2J\u202e hidden; touch made"}}}}],
            [{{"type":"text","text":"finished"}}]]}}"#
    )
}

/// Everything that was said, whatever lines it is broken into.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn on_a_small_terminal_nothing_is_lost_and_what_does_not_fit_is_allowed_once() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat_in((40, 10), &["@@long@@"], |_| {});
    terminal.sees("happens.");
    terminal.ends_with(">");
    assert!(words(&terminal.text()).contains(LONG), "{}", terminal.text());
    assert!(terminal.text().lines().all(|line| line.chars().count() < 40), "{}", terminal.text());
    terminal.press("@@ask@@\r");
    terminal.sees("allowed only\n  this time");
    assert!(terminal.text().contains("  echo a\n  echo b\n") && !terminal.text().contains("don't ask again"));
    terminal.press("a\r");
    terminal.sees("answer y, n or one of the keys");
    terminal.press("y\r");
    terminal.sees("finished");
    terminal.ends_with(">");
    assert!(fixture.home.work_dir().join("made").exists());
    let long = "x".repeat(200);
    terminal.ends_with(">");
    terminal.press(&long);
    terminal.press(&"\x7f".repeat(200));
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn another_size_in_the_middle_of_a_stream() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat_in((80, 24), &["@@slow@@"], |_| {});
    terminal.sees("working…");
    terminal.resize((50, 12));
    terminal.sees("happens.");
    terminal.ends_with(">");
    terminal.resize((100, 30));
    terminal.press("typed");
    terminal.ends_with("> typed");
    assert!(words(&terminal.text()).contains(LONG), "{}", terminal.text());
    terminal.press("\x15/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn without_color_the_cursor_moves_and_nothing_is_colored() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat_in((80, 24), &["@@slow@@"], |command| {
        command.env("NO_COLOR", "1");
    });
    terminal.sees("happens.");
    terminal.press("/help\r\x04");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8(terminal.bytes()).unwrap();
    assert!(bytes.contains("\x1b[J"));
    assert!(
        !bytes.contains("m\x1b") && !bytes.contains("\x1b[1m") && !bytes.contains("\x1b[2m"),
        "{bytes:?}"
    );
}

#[test]
fn a_dumb_terminal_gets_lines_and_nothing_else() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat_in((80, 24), &["@@long@@"], |command| {
        command.env("TERM", "dumb");
    });
    terminal.sees("happens.");
    terminal.ends_with(">");
    terminal.press("@@ask@@\n");
    terminal.sees("? Bash");
    terminal.press("y\n");
    terminal.sees("finished");
    terminal.ends_with(">");
    assert!(fixture.home.work_dir().join("made").exists());
    terminal.press("\x03");
    terminal.sees("press ctrl-c again to exit");
    terminal.press("/exit\n");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8(terminal.bytes()).unwrap();
    assert!(!bytes.contains('\x1b'), "{bytes:?}");
    fixture.holds();
}

#[test]
fn a_dumb_terminal_is_read_on_after_an_end_of_input() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat_in((80, 24), &["@@ask@@"], |command| {
        command.env("TERM", "dumb");
    });
    terminal.sees("? Bash");
    terminal.press("\x04");
    terminal.press("n\n");
    terminal.sees("finished");
    terminal.ends_with(">");
    assert!(!fixture.home.work_dir().join("made").exists());
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn a_hostile_text_moves_nothing_and_hides_nothing() {
    let fixture = ChatFixture::new(&script());
    let mut terminal = fixture.chat(&["@@evil@@"]);
    terminal.sees("echo ‹U+001B›[2J‹U+202E› hidden; touch made");
    terminal.press("n\r");
    terminal.sees("finished");
    terminal.ends_with(">");
    terminal.press("\x1b[200~pasted\x1b[2J\nand \u{202e}more\x1b[201~");
    terminal.sees("  and ·more");
    terminal.press("\x03\x04");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8(terminal.bytes()).unwrap();
    assert!(
        !bytes.contains("\x1b[2J") && !bytes.contains("\x1b]") && !bytes.contains('\u{202e}'),
        "{bytes:?}"
    );
    assert!(terminal.text().contains("abc<U+202E>d"), "{}", terminal.text());
    fixture.holds();
}

#[test]
fn the_models_markdown_is_laid_out_and_plain_on_a_dumb_terminal() {
    let script = r##"{"md":[{"content":[{"type":"text","text":"# Plan\n\nI will **fix** it:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n\nDone."}],"chunk_bytes":7}]}"##;
    let fixture = ChatFixture::new(script);
    let mut terminal = fixture.chat_in((60, 30), &["@@md@@"], |_| {});
    terminal.sees("Done.");
    terminal.ends_with(">");
    let page = "# Plan\n\nI will fix it:\n\n• one\n• two\n\na │ b\n──┼──\n1 │ 2\n\n╭─ rust ──────\n│ fn main() {}\n╰─────────────\n\nDone.";
    assert!(terminal.text().contains(page), "{}", terminal.text());
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
    assert_eq!(
        terminal.text().matches("Done.").count(),
        1,
        "nothing of a preview is left: {}",
        terminal.text()
    );
    let mut terminal = fixture.chat_in((60, 30), &["@@md@@"], |command| {
        command.env("TERM", "dumb");
    });
    terminal.sees("Done.");
    assert!(terminal.text().contains("I will **fix** it:\n\n- one\n- two"), "{}", terminal.text());
    terminal.press("/exit\n");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn retries_are_counted_down() {
    let fixture = ChatFixture::new(
        r#"{"busy":[{"content":[{"type":"text","text":"at last"}],"status":529,"error":"overloaded_error","times":1,
            "headers":{"retry-after":"2"}}]}"#,
    );
    let mut terminal = fixture.chat(&["@@busy@@"]);
    terminal.sees(" s · attempt 1 of 10");
    terminal.sees("at last");
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
    assert!(!terminal.text().contains("retrying in"), "{}", terminal.text());
    fixture.holds();
}

#[test]
fn there_must_be_a_terminal() {
    let fixture = ChatFixture::new("{}");
    let answer = fixture.home.finish(fixture.command(env!("CARGO_BIN_EXE_annals")).args(["chat", "hello"]));
    assert_eq!(answer.code, Some(2));
    assert!(
        answer.error.contains("needs a terminal") && answer.error.contains("chat -p"),
        "{}",
        answer.error
    );
}
