//! The chat screen in a real terminal, in both layouts: it leaves the sessions of the line interface, and the terminal as it was.

use std::time::Duration;

use annals_store::project_slug;
use annals_testkit::builder::Session;
use annals_testkit::terminal::Terminal;

use super::ChatFixture;
use super::records::operations;

const SCRIPT: &str = r#"{
    "hello":[[{"type":"thinking","thinking":"first a thought\nthen another"},
              {"type":"text","text":"Hello, **I am** listening.\n\n- 日本語 👨‍👩‍👧 שלום\n"}]],
    "write":[[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt","content":"one\ntwo\n"}}],
             [{"type":"text","text":"So be it."}]],
    "long":[[{"type":"tool_use","name":"Bash","input":{"command":"touch x1\ntouch x2\ntouch x3\ntouch x4\ntouch x5\ntouch x6\ntouch x7\ntouch x8\ntouch x9\ntouch x10\ntouch x11\ntouch x12\ntouch x13\ntouch x14\ntouch x15\ntouch x16\ntouch x17\ntouch x18\ntouch x19\ntouch x20\ntouch x21\ntouch x22\ntouch x23\ntouch x24\ntouch x25\ntouch last"}}],
            [{"type":"text","text":"All touched."}]],
    "slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; sleep 3"}}],
            [{"type":"text","text":"slept well"}]],
    "silent":[{"content":[{"type":"text","text":"never"}],"play":["stall"]}],
    "next":[[{"type":"text","text":"next it is"}]]}"#;

/// The interface takes keys for the prompt while a question has only just appeared.
fn settle() {
    std::thread::sleep(Duration::from_millis(900));
}

#[track_caller]
fn leaves(fixture: &ChatFixture, terminal: &mut Terminal) {
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    for (on, off) in [("?1049h", "?1049l"), ("?2004h", "?2004l"), ("?25l", "?25h")] {
        let last = |sequence: &str| bytes.rfind(&format!("\u{1b}[{sequence}"));
        assert!(last(on) <= last(off), "{on} is left on: {bytes:?}");
    }
    assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.initial_modes()));
    assert!(terminal.text().contains("resume with: annals chat --resume"), "{}", terminal.text());
    fixture.holds();
    fixture.agrees();
}

#[test]
fn a_conversation_in_both_layouts_and_sizes() {
    for (layout, size) in [
        ("inline", (80, 24)),
        ("full", (80, 24)),
        ("inline", (40, 15)),
        ("full", (40, 15)),
        ("full", (200, 60)),
    ] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat_in(size, &["--screen", layout, "say @@hello@@"], |_| {});
        terminal.sees("> say @@hello@@");
        terminal.sees("∴ first a thought …");
        terminal.sees("● Hello, I am listening.");
        // On the other screen cells have fixed places, and this terminal takes three columns more for the family.
        terminal.sees(if layout == "inline" {
            "• 日本語 👨‍👩‍👧 שלום"
        } else {
            "• 日本語 👨"
        });
        terminal.press("@@write@@\r");
        terminal.sees("? Write a.txt");
        terminal.sees("2 + two");
        settle();
        terminal.press("\t");
        terminal.sees("tell it:");
        terminal.press("not yet\r");
        terminal.sees("denied: not yet.");
        terminal.sees("So be it.");
        assert!(!fixture.home.work_dir().join("a.txt").exists());
        terminal.press("\x1b[Z");
        terminal.sees("» accept edits");
        terminal.press("@@write@@ now\r");
        terminal.sees_times("So be it.", if layout == "inline" { 2 } else { 1 });
        terminal.sees("● Write  a.txt");
        leaves(&fixture, &mut terminal);
        assert!(fixture.home.work_dir().join("a.txt").exists(), "{layout} {size:?}");
    }
}

#[test]
fn a_long_command_is_allowed_after_its_end_was_shown() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 20), &["--screen", "inline", "@@long@@"], |_| {});
    terminal.sees("read all to allow");
    settle();
    terminal.press("y");
    settle();
    assert!(!fixture.home.work_dir().join("x1").exists());
    terminal.press("\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
    terminal.sees("touch last");
    terminal.press("y");
    terminal.sees("All touched.");
    assert!(fixture.home.work_dir().join("last").exists());
    leaves(&fixture, &mut terminal);
}

#[test]
fn prompts_reach_the_model_in_the_running_turn_or_are_edited_again() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in(
        (80, 24),
        &["--screen", "inline", "--allowedTools", "Bash", "--", "@@slow@@"],
        |_| {},
    );
    terminal.sees("└ begun");
    terminal.press("never mind\r");
    terminal.sees("queued: never mind · up edits");
    terminal.press("\x1b[A");
    terminal.sees("❯ never mind");
    terminal.press("\x15then @@next@@\r");
    terminal.sees("next it is");
    terminal.press("");
    leaves(&fixture, &mut terminal);
    assert_eq!(
        operations(&fixture),
        ["enqueue never mind", "popAll never mind", "enqueue then @@next@@", "remove "],
        "{}",
        std::fs::read_to_string(fixture.session()).unwrap()
    );
}

#[test]
fn escape_gives_the_prompt_back_and_a_resumed_session_is_shown() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees(" · 20 tokens");
    terminal.press("@@silent@@\r");
    terminal.sees("esc to interrupt");
    terminal.press("\x1b");
    terminal.sees("interrupted");
    terminal.sees("❯ @@silent@@");
    terminal.press("\x15@@next@@\r");
    terminal.sees("next it is");
    leaves(&fixture, &mut terminal);
    assert!(!fixture.last().contains("@@silent@@"));

    let mut terminal = fixture.chat_in((80, 24), &["--screen", "full", "--continue"], |_| {});
    terminal.sees("> say @@hello@@");
    terminal.sees("● next it is");
    // What is in the input again is not in the conversation as well.
    terminal.press("@@silent@@\r");
    terminal.sees("> @@silent@@");
    terminal.sees("esc to interrupt");
    terminal.press("\x1b");
    terminal.sees("❯ @@silent@@");
    assert!(!terminal.text().contains("> @@silent@@"), "{}", terminal.text());
    terminal.press("\x15");
    terminal.press("\x0f");
    terminal.sees("q leaves · / finds");
    terminal.press("/thought\r");
    terminal.sees("then another");
    terminal.press("q");
    terminal.sees("❯");
    // Back to before the last prompt, by the list.
    terminal.press("\x1b");
    std::thread::sleep(std::time::Duration::from_millis(200));
    terminal.press("\x1b");
    terminal.sees("rewind to before which prompt?");
    terminal.press("\r");
    terminal.sees("2. only the conversation");
    settle();
    terminal.press("2");
    terminal.sees("❯ @@next@@");
    assert!(!terminal.text().contains("● next it is"), "{}", terminal.text());
    terminal.press("\r");
    terminal.sees("next it is");
    leaves(&fixture, &mut terminal);
}

#[test]
fn commands_show_lists_and_pictures() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 40), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("listening.");
    for (command, shown) in [
        ("/rename Garden beds", "── "),
        ("/status", "folder"),
        ("/permissions", "mode default"),
        ("/context", "□ free"),
    ] {
        terminal.press(&format!("{command}\r"));
        terminal.sees(shown);
    }
    terminal.sees(" Garden beds ──");
    assert!(std::fs::read_to_string(fixture.session()).unwrap().contains(r#""customTitle":"Garden beds""#));
    terminal.press("/model\r");
    terminal.sees("which one from now on?");
    terminal.press("haiku\r");
    terminal.sees("model set to claude-haiku-5-5");
    terminal.press("/resume\r");
    terminal.sees("resume which session?");
    terminal.sees("│ first say @@hello@@");
    terminal.press("\r");
    terminal.sees("this session is already open");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn trust_begins_at_no() {
    let fixture = ChatFixture::new(SCRIPT);
    std::fs::write(fixture.home.work_dir().join("CLAUDE.md"), "Speak of gardens.").unwrap();
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("❯ 1. no: continue without them");
    settle();
    terminal.press("\r");
    terminal.sees("not trusted; you will be asked again next time");
    terminal.sees("listening.");
    assert!(!fixture.last().contains("Speak of gardens."));
    leaves(&fixture, &mut terminal);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "full", "say @@hello@@"], |_| {});
    terminal.sees("2. yes, I trust this folder");
    settle();
    terminal.press("y");
    terminal.sees("listening.");
    assert!(fixture.last().contains("Speak of gardens."));
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn sizes_change_while_it_works() {
    let fixture = ChatFixture::new(SCRIPT);
    for layout in ["inline", "full"] {
        let mut terminal = fixture.chat_in(
            (80, 24),
            &["--screen", layout, "--allowedTools", "Bash", "--", "@@slow@@"],
            |_| {},
        );
        terminal.sees("└ begun");
        for columns in (30..80).step_by(7).chain((30..120).rev().step_by(13)) {
            terminal.resize((columns, 10 + columns / 5));
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        terminal.sees("● slept well");
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0));
    }
    fixture.holds();
}

#[test]
fn the_inline_screen_is_the_default_where_the_cursor_can_be_moved() {
    let fixture = ChatFixture::new(SCRIPT);
    let config = fixture.home.path().join("settings-of-annals");
    std::fs::create_dir_all(config.join("annals")).unwrap();
    // What begins a frame, and the other screen, in this order.
    for (arguments, screen, expected) in [
        (&[][..], None, [true, false]),
        (&[], Some("full"), [true, true]),
        (&[], Some("plain"), [false, false]),
        (&["--screen", "inline"], Some("plain"), [true, false]),
        (&["--plain"], Some("full"), [false, false]),
    ] {
        let text = screen.map(|screen| format!("screen = \"{screen}\"\n")).unwrap_or_default();
        std::fs::write(config.join("annals/config.toml"), text).unwrap();
        let arguments = [arguments, &["say @@hello@@"]].concat();
        let mut terminal = fixture.chat_as_it_is((80, 24), &arguments, |command| {
            command.env("XDG_CONFIG_HOME", &config);
        });
        terminal.sees("listening.");
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0));
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        let seen = ["\u{1b}[?2026h", "\u{1b}[?1049h"].map(|sequence| bytes.contains(sequence));
        assert_eq!(seen, expected, "{arguments:?} {screen:?}");
    }
    fixture.holds();
}

#[test]
fn lines_are_printed_where_nothing_else_is_possible() {
    let fixture = ChatFixture::new(SCRIPT);
    for (arguments, term) in
        [(["--plain", "say @@hello@@"], "xterm"), (["--screen=full", "say @@hello@@"], "dumb")]
    {
        let mut terminal = fixture.chat_in((80, 24), &arguments, |command| {
            command.env("TERM", term);
        });
        terminal.sees("listening.");
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0));
        assert!(!String::from_utf8_lossy(&terminal.bytes()).contains("\u{1b}[?1049h"), "{term}");
    }
}

/// The screen stands still while it waits, so it must have said so before.
#[test]
fn a_session_that_was_written_to_a_moment_ago_is_waited_for_with_a_hint() {
    let fixture = ChatFixture::new(SCRIPT);
    let work = fixture.home.work_dir().canonicalize().unwrap().display().to_string();
    let id = "aaaa0000-1111-4222-8333-444444444444";
    let said = Session::new().id(id).folder(&work).prompt("Water the apples").reply("Wet.").into_bytes();
    let path = format!("projects/{}/{id}.jsonl", project_slug(&work));
    let path = fixture.home.write(path, &said);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline"], |_| {});
    terminal.sees("· new · /help");
    // Only a write after the creation of the file counts as another program at work.
    std::thread::sleep(Duration::from_millis(700));
    let mut file = std::fs::File::options().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut file, b"\n").unwrap();
    drop(file);
    terminal.press(&format!("/resume {id}\r"));
    terminal.sees("opening the session; waiting if another program");
    terminal.sees(&format!("session {id} · resumed"));
    terminal.sees_wrapped("something else wrote to this session");
    assert!(!terminal.text().contains("opening the session"), "{}", terminal.text());
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
}
