//! Keys and the mouse on the chat screen in a real terminal: who gets them while a question appears, how terminals send them, what is
//! undone when they are given back; and what the colors are.

use std::thread::sleep;
use std::time::{Duration, Instant};

use annals_testkit::terminal::Terminal;

use super::{ChatFixture, signal};

const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];
const SCRIPT: &str = r#"{"hello":[[{"type":"text","text":"Hello there."}]],
    "lines":[[{"type":"text","text":"1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9\n\n10\n\n11\n\n12\n\n13\n\n14\n\n15\n\n16\n\n17\n\n18\n\n19\n\nlast"}]],
    "late":[{"content":[{"type":"text","text":"Late, but here."}],"play":["head",{"wait_ms":6500},"message","end"]}],
    "push":[{"content":[{"type":"tool_use","name":"Bash","input":{"command":"git push origin main"}}],
        "play":["head",{"wait_ms":1200},"message","end"]},[{"type":"text","text":"It was pushed."}]]}"#;
/// The model asks a moment after its response has begun.
const ASK: &str = r#"{"ask":[{"content":[{"type":"tool_use","name":"AskUserQuestion","input":{"questions":[
        {"question":"Which bed?","header":"Bed","options":[{"label":"North","description":""},{"label":"South","description":""}]}]}}],
        "play":["head",{"wait_ms":1200},"message","end"]},[{"type":"text","text":"So be it."}]],
    "later":[[{"type":"text","text":"Later, then."}]]}"#;
/// A pause that ends the typing of a prompt.
const PAUSE: Duration = Duration::from_millis(900);

#[track_caller]
fn leaves(fixture: &ChatFixture, terminal: &mut Terminal) {
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    fixture.holds();
}

fn bytes(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.bytes()).into_owned()
}

#[test]
fn typing_when_a_question_appears_neither_answers_nor_sends() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat_in((80, 24), &["--screen", layout, "@@push@@"], |_| {});
        terminal.sees("to interrupt");
        let typed = "maybe you should yet try 1 now";
        let mut is_told = false;
        for key in typed.chars().chain(['\r']) {
            terminal.press(&key.to_string());
            sleep(Duration::from_millis(90));
            let seen = terminal.visible();
            is_told |= seen.contains("? Bash")
                && seen.contains("keys go to the prompt until you pause")
                && seen.contains("❯ maybe you should yet");
        }
        terminal.shows("? Bash");
        assert!(is_told, "{}", terminal.visible());
        sleep(PAUSE);
        terminal.shows("enter answers");
        assert!(!terminal.text().contains("It was pushed."), "{}", terminal.text());
        terminal.press("\x1b");
        terminal.shows(&format!("❯ {typed}"));
        assert_eq!(fixture.sessions().len(), 1);
        assert!(!std::fs::read_to_string(fixture.session()).unwrap().contains("yet try"), "it was sent");
        terminal.press("\x15");
        terminal.shows("? keys");
        leaves(&fixture, &mut terminal);
    }
}

#[test]
fn with_plain_a_line_that_was_being_typed_is_no_answer_either() {
    let fixture = ChatFixture::new(ASK);
    let mut terminal = fixture.chat_in((80, 24), &["--plain", "@@ask@@"], |_| {});
    terminal.sees("to interrupt");
    let began = Instant::now();
    terminal.press("the @@later@@ thing ");
    while !terminal.text().contains("Which bed?") {
        assert!(began.elapsed() < super::HANGS, "{}", terminal.text());
        terminal.press("x");
        sleep(Duration::from_millis(90));
    }
    terminal.press("\r");
    terminal.sees("what you are typing goes to the prompt until you pause");
    terminal.sees("queued: the @@later@@ thing x");
    assert!(!terminal.text().contains("So be it."), "{}", terminal.text());
    sleep(PAUSE);
    terminal.press("2\r");
    terminal.sees("So be it.");
    terminal.sees("Later, then.");
    leaves(&fixture, &mut terminal);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    assert!(session.contains(r#""answers":{"Which bed?":"South"}"#), "{session}");
}

#[test]
fn on_a_dumb_terminal_words_that_were_typed_ahead_are_the_next_prompt() {
    let fixture = ChatFixture::new(ASK);
    let mut terminal = fixture.chat_in((80, 24), &["@@ask@@"], |command| {
        command.env("TERM", "dumb");
    });
    terminal.sees("@@ask@@");
    terminal.sees("Which bed?");
    terminal.press("the @@later@@ thing\r");
    terminal.sees("queued: the @@later@@ thing");
    terminal.press("1\r");
    terminal.sees("Later, then.");
    leaves(&fixture, &mut terminal);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    assert!(session.contains(r#""answers":{"Which bed?":"North"}"#), "{session}");
}

#[test]
fn escape_twice_in_one_write_is_escape_twice() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "@@hello@@"], |_| {});
    terminal.sees("Hello there.");
    terminal.shows("? keys");
    terminal.press("\x1b\x1b");
    terminal.shows("rewind to before which prompt?");
    terminal.press("\x1b");
    terminal.shows("? keys");
    terminal.press("some words");
    terminal.shows("❯ some words");
    terminal.press("\x1b\x1b");
    terminal.shows("? keys");
    let began = Instant::now();
    while terminal.visible().contains("some words") {
        assert!(began.elapsed() < super::HANGS, "{}", terminal.visible());
        sleep(Duration::from_millis(10));
    }
    leaves(&fixture, &mut terminal);
}

#[test]
fn keys_are_asked_for_and_understood_in_each_encoding_and_given_back() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat_in((80, 24), &["--screen", layout, "@@hello@@"], |_| {});
        terminal.sees("Hello there.");
        terminal.shows("? keys");
        terminal.press("one\x1b[13;2utwo\x1b[27;2;13~three\x1b[98;3u\x1b[97;5u-");
        for row in ["❯ one", "  two", "  -three"] {
            terminal.shows(row);
        }
        terminal.press("\x1b[27u\x1b[27u");
        terminal.shows("? keys");
        terminal.press("\x1b[111;5u");
        terminal.shows("q leaves");
        terminal.press("\x1b[27u");
        terminal.shows("? keys");
        terminal.press("/exit\x1b[13u");
        assert_eq!(terminal.code(), Some(0));
        let bytes = bytes(&terminal);
        let count = |text: &str| bytes.matches(text).count();
        assert!(count("\x1b[>5u") >= 2, "the alternate screen has modes of its own: {bytes:?}");
        for (on, off) in [("\x1b[>5u", "\x1b[<u"), ("\x1b[>4;1m", "\x1b[>4m")] {
            assert_eq!(count(on), count(off), "{on:?} {bytes:?}");
            assert!(bytes.rfind(on) < bytes.rfind(off));
        }
        assert_eq!(count("?1000h"), usize::from(layout == "full"), "the mouse is the terminal's: {bytes:?}");
        assert_eq!(count("?1000l"), usize::from(layout == "full"));
        fixture.holds();
    }
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "@@hello@@"], |command| {
        command.env("TERM", "linux");
    });
    terminal.sees("Hello there.");
    leaves(&fixture, &mut terminal);
    let bytes = bytes(&terminal);
    assert!(!bytes.contains("\x1b[>") && !bytes.contains("\x1b[<u"), "{bytes:?}");
}

#[test]
fn the_wheel_scrolls_the_conversation_of_the_full_layout() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "full", "@@lines@@"], |_| {});
    terminal.shows("last");
    terminal.shows("? keys");
    terminal.press("\x1b[<64;9;9M\x1b[<64;9;9M");
    terminal.shows("more below");
    terminal.shows("❯");
    assert!(!terminal.visible().contains("❯ @@lines@@"), "{}", terminal.visible());
    terminal.press("\x1b[<65;9;9M\x1b[<65;9;9M");
    terminal.shows("last");
    terminal.press("\x1b[H");
    terminal.shows("> @@lines@@");
    terminal.press("\x1b[F");
    terminal.shows("last");
    leaves(&fixture, &mut terminal);
}

#[test]
fn a_terminal_that_does_not_tell_its_focus_rings_if_no_key_was_pressed_for_a_while() {
    let fixture = ChatFixture::new(SCRIPT);
    let config = fixture.home.path().join("settings-of-annals");
    std::fs::create_dir_all(config.join("annals")).unwrap();
    std::fs::write(config.join("annals/config.toml"), "notifications = \"bell\"\n").unwrap();
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline"], |command| {
        command.env("XDG_CONFIG_HOME", &config);
    });
    terminal.sees("? keys");
    // The end of a title is a bell, too.
    let rings = |terminal: &Terminal| {
        let bytes = bytes(terminal);
        bytes.matches('\u{7}').count() - bytes.matches("\u{1b}]2;").count()
    };
    terminal.press("@@late@@\r");
    terminal.sees("Late, but here.");
    terminal.shows("? keys");
    leaves(&fixture, &mut terminal);
    assert_eq!(rings(&terminal), 1, "{:?}", bytes(&terminal));
}

#[test]
fn stopped_and_continued_the_screen_is_drawn_again() {
    for size in SIZES {
        for layout in ["inline", "full"] {
            let fixture = ChatFixture::new(SCRIPT);
            let mut terminal = fixture.chat_in(size, &["--screen", layout, "@@hello@@"], |_| {});
            terminal.sees("Hello there.");
            terminal.shows("? keys");
            let raw = format!("{:?}", terminal.modes());
            terminal.press("half a l");
            terminal.shows("❯ half a l");
            terminal.press("\x1a");
            let began = Instant::now();
            let is_given_back = || {
                let count = |text: &str| bytes(&terminal).matches(text).count();
                format!("{:?}", terminal.modes()) != raw && count("\x1b[>5u") == count("\x1b[<u")
            };
            while !is_given_back() {
                assert!(
                    began.elapsed() < super::HANGS,
                    "it does not give the terminal back: {:?}",
                    bytes(&terminal)
                );
                sleep(Duration::from_millis(10));
            }
            signal(&terminal, "-CONT");
            terminal.press("ine");
            terminal.shows("❯ half a line");
            assert_eq!(format!("{:?}", terminal.modes()), raw);
            assert_eq!(terminal.visible().matches("❯ half").count(), 1, "{}", terminal.visible());
            terminal.press("\x15");
            leaves(&fixture, &mut terminal);
        }
    }
}

#[test]
fn colors_are_those_of_the_theme_or_none() {
    for size in SIZES {
        for (theme, no_color, has, has_not) in [
            ("dark", false, "38;5;", "no such thing"),
            ("light-colorblind", false, "38;5;", "no such thing"),
            ("auto", false, "90m", "38;5;"),
            ("none", false, "Hello there.", "90m"),
            ("dark", true, "Hello there.", "90m"),
        ] {
            let fixture = ChatFixture::new(SCRIPT);
            let config = fixture.home.path().join("settings-of-annals");
            std::fs::create_dir_all(config.join("annals")).unwrap();
            std::fs::write(config.join("annals/config.toml"), format!("theme = \"{theme}\"\n")).unwrap();
            let mut terminal = fixture.chat_in(size, &["--screen", "inline", "@@hello@@"], |command| {
                command.env("XDG_CONFIG_HOME", &config);
                if !no_color {
                    command.env_remove("NO_COLOR");
                }
            });
            terminal.sees("Hello there.");
            terminal.press("\x1b[Z");
            terminal.shows("» accept edits");
            leaves(&fixture, &mut terminal);
            let bytes = bytes(&terminal);
            assert!(
                bytes.contains(has) && !bytes.contains(has_not),
                "{theme} {no_color} {size:?}: {bytes:?}"
            );
        }
    }
}
