//! `annals chat` in a hostile folder, with a hostile model, headless and in a terminal.

use std::process::Command;

use annals_testkit::api::{Script, ScriptedApi};
use annals_testkit::hostile::{HOSTILE, HOSTILE_SESSION, HostileStore, Surface, hostile_part};
use annals_testkit::terminal::Terminal;

use super::ANNALS;

/// A hostile store and a hostile API.
struct HostileChat {
    store: HostileStore,
    api: ScriptedApi,
}

impl HostileChat {
    fn new() -> Self {
        let mut text = Vec::new();
        annals_json::write_string(&mut text, &format!("x {HOSTILE}"));
        let text = String::from_utf8(text).unwrap();
        let call =
            |name: &str, input: &str| format!(r#"{{"type":"tool_use","name":{name},"input":{{{input}}}}}"#);
        let calls = [
            call("\"Bash\"", &format!("\"command\":{text},\"description\":{text}")),
            call("\"Read\"", &format!("\"file_path\":{text}")),
            call(
                "\"TodoWrite\"",
                &format!("\"todos\":[{{\"content\":{text},\"status\":\"pending\",\"activeForm\":{text}}}]"),
            ),
            call(&text, &format!("{text}:{text}")),
        ];
        let words = format!(r#"{{"type":"text","text":{text}}}"#);
        let script = format!(
            r#"{{"a":[[{{"type":"thinking","thinking":{text}}},{words},{}],[{words}]],"b":[[{words}]]}}"#,
            calls.join(",")
        );
        let api = ScriptedApi::start(Script::parse(&script, "/w").unwrap()).unwrap();
        Self { store: HostileStore::new(), api }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = self.store.home.command(program);
        command.current_dir(&self.store.work).env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
        command.env("ANTHROPIC_API_KEY", "sk-of-the-tests").env("ANTHROPIC_BASE_URL", self.api.url());
        command
    }

    /// Runs it headless.
    #[track_caller]
    fn piped(&self, arguments: &[&str]) -> String {
        let mut command = self.command(ANNALS);
        command.args(["chat", "-p"]).args(arguments).stdin(std::process::Stdio::null());
        let written = self.store.home.finish(&mut command);
        for (name, bytes) in [("output", written.bytes.as_slice()), ("error", written.error.as_bytes())] {
            let part = hostile_part(bytes, Surface::Plain);
            assert_eq!(part, None, "{name} of {arguments:?}");
        }
        written.out + &written.error
    }

    fn on_screen(&self, arguments: &[&str]) -> Terminal {
        let program = [&[ANNALS, "chat", "--plain", "--model", "claude-opus-4-8"], arguments].concat();
        Terminal::run(|setsid| self.command(setsid), &program, (100, 40))
    }
}

#[track_caller]
fn is_clean(terminal: &Terminal) {
    assert_eq!(hostile_part(&terminal.bytes(), Surface::Screen), None);
}

#[test]
fn headless_chat_prints_nothing_hostile() {
    let chat = HostileChat::new();
    for format in ["text", "json", "stream-json"] {
        for trust in [&[][..], &["--trust"]] {
            let model = ["--model", "claude-opus-4-8", "--output-format", format];
            let said = chat.piped(&[&model, trust, &["do @@a@@"]].concat());
            assert!(said.contains('x'), "{said}");
        }
    }
    for arguments in [
        &["--replay", HOSTILE_SESSION][..],
        &["--replay", HOSTILE_SESSION, "--output-format", "stream-json"],
        &["--resume", HOSTILE_SESSION, "--model", "claude-opus-4-8", "go on @@b@@"],
        &["--permission-mode", HOSTILE_SESSION, "x"],
        &[
            "--settings",
            "{\"permissions\":{\"deny\":[\"\\u001b[2J((\"]}}",
            "--model",
            "claude-opus-4-8",
            "@@b@@",
        ],
        &["--allowedTools", "\u{1b}[2J((", "x"],
        &["--model", "\u{1b}]0;t\u{7}", "@@b@@"],
        &["--resume", "\u{1b}]0;t\u{7}", "x"],
    ] {
        chat.piped(arguments);
    }
}

#[test]
fn chat_in_a_terminal_shows_nothing_hostile_before_and_after_trust() {
    for answer in ["n", "y"] {
        let chat = HostileChat::new();
        let mut terminal = chat.on_screen(&[]);
        terminal.sees("trust");
        is_clean(&terminal);
        terminal.press(&format!("{answer}\r"));
        if answer == "y" {
            // The folder configures three servers.
            terminal.sees("start this server here?");
            is_clean(&terminal);
            terminal.press("n\rn\rn\r");
        }
        terminal.sees("/help");
        terminal.press("do @@a@@\r");
        // Whatever is asked is denied, until the turn is over.
        for _ in 0..6 {
            std::thread::sleep(std::time::Duration::from_millis(400));
            terminal.press("n");
        }
        for command in [
            "\u{15}/help\r",
            "/todos\r",
            "/cost\r",
            "/context\r",
            "/hooks\r",
            "/agents\r",
            "/memory\r",
            "/config\r",
            "/permissions\r",
            "/status\r",
            "/doctor\r",
            "/rewind\r",
            "\u{1b}",
            "/resume\r",
            "\u{1b}",
        ] {
            terminal.press(command);
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        terminal.press("\u{3}\u{3}\u{4}");
        std::thread::sleep(std::time::Duration::from_millis(300));
        terminal.press("\u{4}");
        terminal.code();
        is_clean(&terminal);
    }
}

#[test]
fn sessions_are_picked_and_resumed_with_nothing_hostile() {
    let chat = HostileChat::new();
    for arguments in [&["--resume"][..], &["--resume", HOSTILE_SESSION], &["--replay", HOSTILE_SESSION]] {
        let terminal = chat.on_screen(arguments);
        std::thread::sleep(std::time::Duration::from_secs(2));
        terminal.press("n\r\r");
        std::thread::sleep(std::time::Duration::from_secs(1));
        is_clean(&terminal);
        assert!(!terminal.text().trim().is_empty());
    }
}
