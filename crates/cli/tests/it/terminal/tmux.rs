//! One journey in a common terminal: tmux renders, and its screen is checked.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use annals_testkit::skipped;

use super::ChatFixture;

const SCRIPT: &str = r#"{"write":[[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt","content":"one\n"}}],
    [{"type":"text","text":"It is written."}]],"on":[[{"type":"text","text":"Going on."}]]}"#;

/// A server of its own, which ends with its owner.
struct Tmux<'r> {
    fixture: &'r ChatFixture,
    socket: String,
}

impl Tmux<'_> {
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = self.fixture.command("tmux");
        command
            .env("TERM", "xterm-256color")
            .args(["-u", "-f", "/dev/null", "-S", &self.socket])
            .args(arguments);
        let answer = self.fixture.home.finish(&mut command);
        assert_eq!(answer.code, Some(0), "{command:?}: {}", answer.error);
        answer.out
    }

    fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys", "-t", "it"], keys].concat());
    }

    #[track_caller]
    fn sees(&self, text: &str) {
        let began = Instant::now();
        loop {
            let shown = self.run(&["capture-pane", "-p", "-S", "-", "-t", "it"]);
            if shown.contains(text) {
                return;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{text:?} is not in\n{shown}\n----");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let mut command = self.fixture.command("tmux");
        let _ = command.args(["-S", &self.socket, "kill-server"]).stderr(Stdio::null()).status();
    }
}

#[test]
fn a_journey_in_tmux() {
    if Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_err() {
        skipped("a_journey_in_tmux", "tmux is not installed");
        return;
    }
    let fixture = ChatFixture::new(SCRIPT);
    let tmux = Tmux { fixture: &fixture, socket: fixture.home.path().join("tmux").display().to_string() };
    let program = format!(
        "{} chat --plain --model claude-opus-4-5; echo left with $?; cat",
        env!("CARGO_BIN_EXE_annals")
    );
    tmux.run(&["new-session", "-d", "-s", "it", "-x", "70", "-y", "20", &program]);
    tmux.sees("new · /help");
    tmux.keys(&["-l", "do @@write@@"]);
    tmux.keys(&["Enter"]);
    tmux.sees("y  yes");
    tmux.keys(&["y", "Enter"]);
    tmux.sees("It is written.");
    assert_eq!(std::fs::read_to_string(fixture.home.work_dir().join("a.txt")).unwrap(), "one\n");
    tmux.run(&["resize-window", "-t", "it", "-x", "45", "-y", "12"]);
    tmux.keys(&["-l", "/rewind"]);
    tmux.keys(&["Enter"]);
    tmux.sees("rewind to before which prompt?");
    tmux.keys(&["1", "Enter"]);
    tmux.sees("(b)oth");
    tmux.keys(&["b", "Enter"]);
    tmux.sees("> do @@write@@");
    tmux.keys(&["C-u"]);
    tmux.keys(&["-l", "@@on@@"]);
    tmux.keys(&["Enter"]);
    tmux.sees("Going on.");
    assert!(!fixture.last().contains("@@write@@") && !fixture.home.work_dir().join("a.txt").exists());
    tmux.keys(&["C-d"]);
    tmux.sees("left with 0");
    fixture.holds();
}

#[test]
fn a_journey_on_the_chat_screen_in_tmux() {
    if Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_err() {
        skipped("a_journey_on_the_chat_screen_in_tmux", "tmux is not installed");
        return;
    }
    // Keys that come right after a question are not for it.
    let settle = || std::thread::sleep(Duration::from_millis(900));
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let socket = fixture.home.path().join("tmux").display().to_string();
        let tmux = Tmux { fixture: &fixture, socket };
        let program = format!(
            "{} chat --screen {layout} --model claude-opus-4-5; echo left with $?; cat",
            env!("CARGO_BIN_EXE_annals")
        );
        tmux.run(&["new-session", "-d", "-s", "it", "-x", "70", "-y", "20", &program]);
        tmux.sees("new · /help");
        tmux.keys(&["-l", "do @@write@@"]);
        tmux.keys(&["Enter"]);
        tmux.sees("? Write a.txt");
        settle();
        tmux.keys(&["y"]);
        tmux.sees("It is written.");
        assert_eq!(std::fs::read_to_string(fixture.home.work_dir().join("a.txt")).unwrap(), "one\n");
        tmux.run(&["resize-window", "-t", "it", "-x", "45", "-y", "14"]);
        settle();
        tmux.keys(&["-l", "/rewind"]);
        tmux.keys(&["Enter"]);
        tmux.sees("rewind to before which prompt?");
        tmux.keys(&["Enter"]);
        tmux.sees("1. files and conversation");
        settle();
        tmux.keys(&["1"]);
        tmux.sees("❯ do @@write@@");
        tmux.keys(&["C-u"]);
        tmux.keys(&["-l", "@@on@@"]);
        tmux.keys(&["Enter"]);
        tmux.sees("Going on.");
        assert!(!fixture.last().contains("@@write@@") && !fixture.home.work_dir().join("a.txt").exists());
        tmux.keys(&["-l", "/exit"]);
        tmux.keys(&["Enter"]);
        tmux.sees("left with 0");
        // What was said is still there afterwards.
        tmux.sees("Going on.");
        fixture.holds();
    }
}
