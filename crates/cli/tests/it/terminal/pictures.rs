//! Images on the chat screen in a real terminal: dropped, pasted, sent, and shown where the terminal shows pictures.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use annals_testkit::terminal::Terminal;

use super::{ChatFixture, HANGS};

const SCRIPT: &str = r#"{
    "hello":[[{"type":"text","text":"Hello there."}]],
    "slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; sleep 3"}}],
            [{"type":"text","text":"slept well"}]],
    "read":[[{"type":"tool_use","name":"Read","input":{"file_path":"my shot.gif"}}],
            [{"type":"text","text":"I have seen it."}]]}"#;
/// A GIF of 40 by 40 pixels.
const GIF: &[u8] = b"GIF89a\x28\0\x28\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
/// How a picture of it begins: five columns and three rows.
const PICTURE: &str = "\u{1b}_Ga=T,f=100,q=2,C=1,c=5,r=3,m=0;";

fn fixture() -> ChatFixture {
    let fixture = ChatFixture::new(SCRIPT);
    std::fs::write(fixture.home.work_dir().join("my shot.gif"), GIF).unwrap();
    fixture
}

fn in_kitty(command: &mut Command) {
    command.env("TERM", "xterm-kitty").env_remove("NO_COLOR");
}

/// Gives the command programs of the clipboard.
fn with_clipboard(fixture: &ChatFixture, script: &str, command: &mut Command) {
    let folder = fixture.home.work_dir().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("wl-paste");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
}

fn pictures(terminal: &Terminal) -> usize {
    String::from_utf8_lossy(&terminal.bytes()).matches(PICTURE).count()
}

fn dropped(fixture: &ChatFixture) -> String {
    let path = fixture.home.work_dir().join("my shot.gif").display().to_string();
    format!("\x1b[200~{}\x1b[201~", path.replace(' ', "\\ "))
}

#[test]
fn an_image_is_dropped_and_pasted_sent_as_the_original_does_and_shown() {
    let fixture = fixture();
    let shot = fixture.home.work_dir().join("my shot.gif").display().to_string();
    let mut terminal = fixture.chat_in((80, 30), &["--screen", "inline", "say @@hello@@"], |command| {
        in_kitty(command);
        with_clipboard(&fixture, &format!("exec cat '{shot}'"), command);
    });
    terminal.sees("Hello there.");
    terminal.press(&format!("look @@hello@@ {}", dropped(&fixture)));
    terminal.sees("❯ look @@hello@@ [Image #1]");
    terminal.press("\x16");
    terminal.sees("❯ look @@hello@@ [Image #1][Image #2]");
    terminal.press("\r");
    terminal.sees("> look @@hello@@ [Image #1][Image #2]");
    terminal.sees_times("Hello there.", 2);
    assert_eq!(pictures(&terminal), 2);
    terminal.press("@@read@@\r");
    terminal.sees("I have seen it.");
    assert_eq!(pictures(&terminal), 3);
    fixture.leave(&mut terminal);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    for expected in [
        r#""content":[{"type":"text","text":"look @@hello@@ [Image #1][Image #2]"},{"type":"image","source":{"type":"base64","media_type":"image/gif","data":""#,
        r#""imagePasteIds":[1,2]"#,
        &format!(r#""content":[{{"type":"text","text":"[Image: source: {shot}]"}}]"#),
    ] {
        assert!(session.contains(expected), "{expected} is not in {session}");
    }
    let history = std::fs::read_to_string(fixture.home.config_dir().join("history.jsonl")).unwrap();
    let expected = r#"{"display":"look @@hello@@ [Image #1][Image #2]","pastedContents":{},"#;
    assert!(history.contains(expected), "{history}");

    // A resumed session shows them again, where pictures are shown at all.
    let id = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    let resumed = |layout: &str, change: &dyn Fn(&mut Command)| {
        let mut terminal = fixture.chat_in((80, 30), &["--screen", layout, "--resume", &id], change);
        terminal.sees("I have seen it.");
        terminal.sees("? keys");
        let shown = pictures(&terminal);
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        shown
    };
    assert_eq!(resumed("inline", &in_kitty), 3);
    assert_eq!(resumed("full", &in_kitty), 0);
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "xterm-256color"), ("TMUX", "/tmp/x,1,0")] {
        let change = |command: &mut Command| {
            in_kitty(command);
            command.env(name, value);
        };
        assert_eq!(resumed("inline", &change), 0, "{name}");
    }
}

#[test]
fn an_image_reaches_the_running_turn() {
    let fixture = fixture();
    let arguments = ["--screen", "inline", "--allowedTools", "Bash", "--", "@@slow@@"];
    let mut terminal = fixture.chat_in((80, 30), &arguments, in_kitty);
    terminal.sees("└ begun");
    terminal.press(&format!("this {}\r", dropped(&fixture)));
    terminal.sees("queued: this [Image #1] · up edits");
    terminal.sees("> this [Image #1]");
    terminal.sees("slept well");
    assert_eq!(pictures(&terminal), 1);
    assert!(fixture.last().contains(r#""media_type":"image/gif""#), "{}", fixture.last());
    fixture.leave(&mut terminal);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    let queued = r#""operation":"enqueue","timestamp""#;
    assert!(session.contains(queued) && session.contains(r#""content":"this [Image #1]""#), "{session}");
    assert!(session.contains(r#""imagePasteIds":[1]"#), "{session}");
}

#[test]
fn what_cannot_be_pasted_is_said() {
    let fixture = fixture();
    std::fs::write(fixture.home.work_dir().join("broken.png"), "no image").unwrap();
    let path = fixture.home.work_dir().join("broken.png").display().to_string();
    let mut terminal = fixture.chat_in((200, 30), &["--screen", "inline", "say @@hello@@"], |command| {
        with_clipboard(&fixture, "echo words", command);
    });
    terminal.sees("Hello there.");
    terminal.press("\x16");
    terminal.sees("there is no image on the clipboard");
    terminal.press(&format!("\x1b[200~{path}\x1b[201~"));
    terminal.sees("is not an image that can be sent: kept as a path");
    terminal.press("\x15");
    terminal.press(&format!("/cost {}\r", dropped(&fixture)));
    terminal.sees("images cannot be sent with a command: they were left out");
    std::fs::remove_file(fixture.home.work_dir().join("bin/wl-paste")).unwrap();
    terminal.press("\x16");
    terminal.sees("install wl-paste, xclip or pngpaste");
    fixture.leave(&mut terminal);
}

#[test]
fn in_the_full_layout_placeholders_show_an_image_and_scroll_with_it() {
    let fixture = fixture();
    let mut terminal = fixture.chat_in((60, 16), &["--screen", "full", "say @@hello@@"], in_kitty);
    terminal.sees("Hello there.");
    terminal.press(&format!("look @@hello@@ {}", dropped(&fixture)));
    terminal.sees("❯ look @@hello@@ [Image #1]");
    terminal.press("\r");
    terminal.sees("> look @@hello@@ [Image #1]");
    // The first cells of its first and its last row.
    let (first, last) = ("\u{10eeee}\u{305}\u{305}", "\u{10eeee}\u{30e}\u{305}");
    terminal.shows(first);
    terminal.shows(last);
    // Its upper rows scroll off, and come back.
    terminal.press("/status\r");
    terminal.shows("background");
    assert!(!terminal.visible().contains(first), "{}", terminal.visible());
    // How many rows the status takes depends on the paths in it.
    while !terminal.visible().contains(first) {
        let seen = terminal.visible();
        terminal.press("\x1b[5~");
        let pressed = Instant::now();
        while terminal.visible() == seen {
            assert!(pressed.elapsed() < HANGS, "it does not scroll on to {first:?}:\n{seen}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    terminal.press("\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
    terminal.shows("? keys");
    let bytes = |terminal: &Terminal| String::from_utf8_lossy(&terminal.bytes()).into_owned();
    let made = bytes(&terminal);
    assert_eq!((made.matches("a=t,f=100,q=2,i=").count(), made.matches("a=p,U=1,q=2,i=").count()), (1, 1));
    assert_eq!(made.matches("c=5,r=3").count(), 1);
    assert_eq!(pictures(&terminal), 0);
    fixture.leave(&mut terminal);
    assert_eq!(bytes(&terminal).matches("a=d,d=I,i=").count(), 1, "the terminal forgets it");
    assert!(!terminal.text().contains('\u{10eeee}'), "{}", terminal.text());
}

#[test]
fn in_the_full_layout_other_terminals_get_a_whole_picture_again_where_it_moves() {
    let fixture = fixture();
    let mut terminal = fixture.chat_in((60, 20), &["--screen", "full", "say @@hello@@"], |command| {
        command.env("TERM", "xterm-256color").env("TERM_PROGRAM", "iTerm.app").env_remove("NO_COLOR");
    });
    terminal.sees("Hello there.");
    terminal.press(&format!("look @@hello@@ {}", dropped(&fixture)));
    terminal.sees("❯ look @@hello@@ [Image #1]");
    terminal.press("\r");
    terminal.sees_times("Hello there.", 2);
    // Where each was drawn: the row of the screen.
    let drawn = |terminal: &Terminal| {
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        let places = bytes.split("\u{1b}]1337;File=inline=1").collect::<Vec<_>>();
        let row = |before: &&str| {
            let place = before.rsplit("\u{1b}[").next().unwrap();
            place.strip_suffix(";3H").unwrap_or_else(|| panic!("{place:?}")).parse::<u16>().unwrap()
        };
        places[..places.len() - 1].iter().map(row).collect::<Vec<u16>>()
    };
    let wait = |terminal: &Terminal, times: usize| {
        let began = Instant::now();
        while drawn(terminal).len() < times {
            assert!(began.elapsed() < HANGS, "{:?}\n{}", drawn(terminal), terminal.visible());
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    wait(&terminal, 1);
    terminal.shows("? keys");
    let before = drawn(&terminal);
    // A key that moves nothing draws nothing again.
    terminal.press("x");
    terminal.shows("❯ x");
    terminal.press("\x7f");
    terminal.shows("? keys");
    assert_eq!(drawn(&terminal), before);
    terminal.press("\x1b[<64;5;5M");
    wait(&terminal, before.len() + 1);
    let after = drawn(&terminal);
    assert!(after.last() > before.last(), "it moved down: {before:?} {after:?}");
    // Its cells are blank again where it is no more.
    terminal.press("/status\r");
    terminal.shows("background");
    fixture.leave(&mut terminal);
}
