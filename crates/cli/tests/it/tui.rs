//! `annals tui` in a real terminal: what is seen, what is changed, and how the terminal is left.

mod journey;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use annals_testkit::builder::{SESSION_ID, Session};
use annals_testkit::home::Home;
use annals_testkit::terminal::Terminal;

use crate::{annals, annals_exits};

const SIZE: (u16, u16) = (80, 24);

/// A home with one session, in a folder that exists.
struct Viewer {
    home: Home,
    file: PathBuf,
}

impl Viewer {
    fn new() -> Self {
        let home = Home::new();
        let folder = home.work_dir();
        let session = Session::new()
            .folder(&folder.display().to_string())
            .prompt("Count the beds of the garden, please.")
            .reply("There are thirty.");
        let file = home.config_dir().join("projects/-garden").join(format!("{SESSION_ID}.jsonl"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, session.into_bytes()).unwrap();
        Self { home, file }
    }

    fn start(&self, arguments: &[&str], change: impl FnOnce(&mut Command)) -> Terminal {
        let program = [&[env!("CARGO_BIN_EXE_annals"), "tui"], arguments].concat();
        let make = |setsid: &str| {
            let mut command = self.home.command(setsid);
            command.env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8");
            change(&mut command);
            command
        };
        Terminal::run(make, &program, SIZE)
    }
}

/// The terminal has its modes, its own screen and its cursor again, and nothing was copied.
#[track_caller]
fn is_restored(terminal: &Terminal) {
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    for (on, off) in [("?1049h", "?1049l"), ("?1000h", "?1000l"), ("?2004h", "?2004l"), ("?25l", "?25h")] {
        let last = |sequence: &str| bytes.rfind(&format!("\u{1b}[{sequence}"));
        assert!(last(on) < last(off), "{on} is left on: {bytes:?}");
    }
    assert!(!bytes.contains("\u{1b}]52"), "nobody asked for a copy");
    assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.initial_modes()));
}

#[test]
fn without_a_terminal_one_line_says_so() {
    let viewer = Viewer::new();
    let answer = annals_exits(&viewer.home, &["tui"], 2);
    assert_eq!(answer.error, "annals: annals tui needs a terminal; annals ls and annals show do not\n");
    annals_exits(&viewer.home, &["tui", "--json"], 2);
    let mut terminal = viewer.start(&[], |command| {
        command.env("TERM", "dumb");
    });
    assert_eq!(terminal.code(), Some(2));
    assert!(!terminal.bytes().contains(&0x1b));
}

#[test]
fn a_session_is_read_renamed_and_the_change_undone() {
    let viewer = Viewer::new();
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("1 session ");
    terminal.sees("Count the beds");
    terminal.press("\r");
    terminal.sees("There are thirty.");
    terminal.press("t\x15Thirty beds\r");
    terminal.sees("would rename");
    assert!(!fs::read_to_string(&viewer.file).unwrap().contains("Thirty beds"), "not before the yes");
    terminal.press("y");
    terminal.sees("u undoes it");
    assert!(fs::read_to_string(&viewer.file).unwrap().contains("Thirty beds"));
    terminal.press("u");
    terminal.sees("would revert");
    terminal.press("y");
    terminal.sees("reverted");
    terminal.press("qq");
    assert_eq!(terminal.code(), Some(0));
    is_restored(&terminal);
    assert!(!fs::read_to_string(&viewer.file).unwrap().contains("Thirty beds"));
    annals_exits(&viewer.home, &["check", SESSION_ID], 0);
}

#[test]
fn what_cannot_be_read_is_shown_and_printed_at_the_end() {
    let viewer = Viewer::new();
    let lost = viewer.file.with_file_name("99999999-0000-4000-8000-000000000000.jsonl");
    std::os::unix::fs::symlink("/nowhere.jsonl", &lost).unwrap();
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("1 session ");
    terminal.sees("could not read");
    terminal.press("j");
    terminal.press("\r");
    terminal.sees("There are thirty.");
    terminal.press("qq");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    let after = bytes.rsplit("\u{1b}[?1049l").next().unwrap();
    assert_eq!(after.matches("annals: could not read").count(), 1, "{after:?}");
    assert!(after.contains("99999999-0000-4000-8000-000000000000.jsonl"), "{after:?}");
    is_restored(&terminal);
}

#[test]
fn signals_leave_the_terminal_as_it_was() {
    for signal in ["-TERM", "-HUP"] {
        let viewer = Viewer::new();
        let mut terminal = viewer.start(&["last"], |_| {});
        terminal.sees("There are thirty.");
        assert!(Command::new("kill").args([signal, &terminal.id().to_string()]).status().unwrap().success());
        assert_eq!(terminal.code(), Some(143));
        is_restored(&terminal);
    }
}

#[test]
fn control_c_quits_wherever_it_is_pressed() {
    let viewer = Viewer::new();
    for keys in ["", "?", "/x", "U"] {
        let mut terminal = viewer.start(&[], |_| {});
        terminal.sees("Count the beds");
        terminal.press(keys);
        terminal.press("\x03");
        assert_eq!(terminal.code(), Some(0), "after {keys:?}");
        is_restored(&terminal);
    }
}

#[test]
fn a_growing_session_is_followed() {
    let viewer = Viewer::new();
    let mut terminal = viewer.start(&[SESSION_ID], |_| {});
    terminal.sees("There are thirty.");
    terminal.press("G");
    let mut file = fs::OpenOptions::new().append(true).open(&viewer.file).unwrap();
    let more = fs::read_to_string(&viewer.file).unwrap().lines().last().unwrap().to_owned();
    let more =
        more.replace("There are thirty.", "Now there are more.").replace("\"uuid\":\"", "\"uuid\":\"f");
    file.write_all(format!("{more}\n").as_bytes()).unwrap();
    terminal.sees("Now there are more.");
    terminal.resize((40, 12));
    terminal.sees("? help  enter fold");
    terminal.press("Q");
    assert_eq!(terminal.code(), Some(0));
    is_restored(&terminal);
}

#[test]
fn a_client_gets_the_terminal_and_the_viewer_takes_it_back() {
    let viewer = Viewer::new();
    let bin = viewer.home.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let client = bin.join("claude");
    fs::write(
        &client,
        "#!/bin/sh\ntrap \"\" INT\necho \"client $* in $(pwd)\"\nread answer\necho \"heard $answer\"\nexit 3\n",
    )
    .unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut terminal = viewer.start(&[], |command| {
        command.env("PATH", path);
    });
    terminal.sees("Count the beds");
    terminal.press("r");
    terminal.sees("claude --resume");
    terminal.press("c");
    terminal.sees(&format!("client --resume {SESSION_ID}"));
    terminal.press("\x03hello\r");
    terminal.sees("ended with exit status");
    terminal.press("q");
    assert_eq!(terminal.code(), Some(0), "an interrupt of the client is not ours");
    is_restored(&terminal);
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    assert!(bytes.contains(&format!("in {}", viewer.home.work_dir().canonicalize().unwrap().display())));
}

#[test]
fn without_color_there_is_none() {
    let viewer = Viewer::new();
    let mut terminal = viewer.start(&[], |command| {
        command.env("NO_COLOR", "1");
    });
    terminal.sees("Count the beds");
    terminal.press("\r");
    terminal.sees("There are thirty.");
    terminal.press("Q");
    terminal.code();
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    for color in ["31", "32", "33", "34", "35", "36", "90"] {
        assert!(!bytes.contains(&format!(";{color}m")), "color {color} in {bytes:?}");
    }
}

#[test]
fn a_name_that_looks_like_an_option_is_not_given_to_a_client() {
    let viewer = Viewer::new();
    let hostile = viewer.file.with_file_name("--dangerously-skip-permissions.jsonl");
    fs::rename(&viewer.file, hostile).unwrap();
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("Count the beds");
    terminal.press("rc");
    terminal.sees("would be taken for an option");
    terminal.press("q");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn an_unknown_session_is_an_error_before_the_screen_is_taken() {
    let viewer = Viewer::new();
    let mut terminal = viewer.start(&["no such session"], |_| {});
    assert_eq!(terminal.code(), Some(1));
    assert!(!String::from_utf8_lossy(&terminal.bytes()).contains("?1049h"));
    assert_eq!(annals(&viewer.home, &["help", "tui"]).code, Some(0));
}

#[test]
fn keys_and_colors_are_those_of_the_configuration_file() {
    let viewer = Viewer::new();
    let colored = |command: &mut Command| {
        command.env_remove("NO_COLOR");
    };
    let file = viewer.home.path().join("config/annals/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "theme = \"dark\"\n[keymap.list]\nback = \"X\"\n").unwrap();
    let mut terminal = viewer.start(&[], colored);
    terminal.sees("X quit");
    terminal.press("q");
    terminal.press("X");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    assert!(bytes.contains(";38;5;80m") && !bytes.contains(";36m"), "{bytes:?}");
    fs::write(&file, "theme = \"none\"\n").unwrap();
    let mut terminal = viewer.start(&[], colored);
    terminal.sees("q quit");
    terminal.press("q");
    assert_eq!(terminal.code(), Some(0));
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    assert!(!bytes.contains(";38;5;") && !bytes.contains(";36m"), "{bytes:?}");
}

#[test]
fn a_new_session_appears_in_the_list_by_itself() {
    let viewer = Viewer::new();
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("1 session ");
    terminal.sees("Count the beds");
    let id = "9999aaaa-0000-4000-8000-000000000000";
    let session = Session::new().id(id).prompt("Paint the shed green.").reply("Green it is.");
    fs::write(viewer.file.with_file_name(format!("{id}.jsonl")), session.into_bytes()).unwrap();
    terminal.sees("Paint the shed");
    terminal.press("q");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn an_export_is_that_of_the_command_by_its_ending() {
    let viewer = Viewer::new();
    let work = viewer.home.work_dir();
    for (name, args) in
        [("a.html", ["--as", "html"]), ("a.txt", ["--as", "text"]), ("a.md", ["--as", "markdown"])]
    {
        let mut terminal = viewer.start(&[], |command| {
            command.current_dir(&work);
        });
        terminal.sees("Count the beds");
        terminal.press(&format!("x\x15{name}\r"));
        terminal.sees("write ");
        terminal.press("y");
        terminal.sees("wrote ");
        terminal.press("q");
        assert_eq!(terminal.code(), Some(0));
        let command = [&["export", SESSION_ID, "--include-agents", "--to", "-"][..], &args].concat();
        let expected = annals_exits(&viewer.home, &command, 0).out;
        assert_eq!(fs::read_to_string(work.join(name)).unwrap(), expected, "{name}");
    }
    let mut terminal = viewer.start(&[], |_| {});
    terminal.sees("Count the beds");
    terminal.press("x\x15a.docx\r");
    terminal.sees("names no format");
    terminal.press("q");
    terminal.code();
}
