//! `annals chat` in a real terminal: keys go in, and the screen is checked; after each test the session is valid.

mod commands;
mod interrupts;
mod journey;
mod looks;
mod pictures;
mod records;
mod rewinding;
mod screen;
mod screen_commands;
mod screen_during_turns;
mod screen_items;
mod screen_keys;
mod screen_messages;
mod screen_prompt;
mod screen_questions;
mod screen_sizes;
mod servers;
mod status_line;
mod stores;
mod tmux;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use annals_json::Value;
use annals_testkit::api::{Script, ScriptedApi};
use annals_testkit::home::Home;
use annals_testkit::terminal::Terminal;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::annals_exits;

const KEY: &str = "sk-of-the-tests";
const MODEL: &str = "claude-opus-4-5";
/// Nothing takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

/// A home and an API.
struct ChatFixture {
    home: Home,
    api: ScriptedApi,
}

impl ChatFixture {
    fn new(script: &str) -> Self {
        Self { home: Home::new(), api: ScriptedApi::start(Script::parse(script, "/w").unwrap()).unwrap() }
    }

    /// A command that knows this home, this API and an ordinary terminal.
    fn command(&self, program: &str) -> Command {
        let mut command = self.home.command(program);
        command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", self.api.url());
        command.env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8");
        command
    }

    /// Ends the conversation: the session is valid, and clients see what the screen showed.
    #[track_caller]
    fn leave(&self, terminal: &mut Terminal) {
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        self.holds();
        self.agrees();
    }

    fn chat(&self, arguments: &[&str]) -> Terminal {
        self.chat_in((80, 40), arguments, |_| {})
    }

    /// On lines, unless the arguments ask for a screen.
    fn chat_in(&self, size: (u16, u16), arguments: &[&str], change: impl FnOnce(&mut Command)) -> Terminal {
        let has_interface =
            arguments.iter().any(|argument| argument.starts_with("--screen") || *argument == "--plain");
        let lines: &[&str] = if has_interface { &[] } else { &["--plain"] };
        self.chat_as_it_is(size, &[lines, arguments].concat(), change)
    }

    /// In whatever interface is the default.
    fn chat_as_it_is(
        &self,
        size: (u16, u16),
        arguments: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Terminal {
        let program = [&[env!("CARGO_BIN_EXE_annals"), "chat", "--model", MODEL], arguments].concat();
        let make = |setsid: &str| {
            let mut command = self.command(setsid);
            change(&mut command);
            command
        };
        Terminal::run(make, &program, size)
    }

    fn sessions(&self) -> Vec<PathBuf> {
        let projects = std::fs::read_dir(self.home.config_dir().join("projects")).into_iter().flatten();
        let files = projects.flatten().flat_map(|project| std::fs::read_dir(project.path()).unwrap());
        let files = files.flatten().map(|file| file.path());
        let mut files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|end| end == "jsonl")).collect();
        files.sort();
        files
    }

    fn session(&self) -> PathBuf {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        sessions.into_iter().next().unwrap()
    }

    /// What must hold whenever nobody writes: the session checks, what was sent was right, and no file has the key.
    #[track_caller]
    fn holds(&self) {
        for file in self.sessions() {
            annals_exits(&self.home, &["check", &file.display().to_string()], 0);
            assert!(!std::fs::read_to_string(file).unwrap().contains(KEY));
        }
        for request in self.api.requests() {
            assert_eq!(request.violations, [], "{}", String::from_utf8_lossy(&request.body));
        }
    }

    /// What was sent last is what the newest client makes of the session.
    #[track_caller]
    fn agrees(&self) {
        let plain = self.last().replace(r#","cache_control":{"type":"ephemeral"}"#, "");
        let sent = Value::parse(plain.as_bytes()).unwrap().get("messages").unwrap();
        let sent: Vec<_> =
            sent.items().map(|message| String::from_utf8(message.raw().to_vec()).unwrap()).collect();
        let said = resumed(&self.session());
        assert!(said.starts_with(&sent), "{sent:#?}\n---- was sent, and the file says\n{said:#?}");
    }

    /// The body of the last request of the conversation itself.
    fn last(&self) -> String {
        self.bodies().into_iter().rfind(|body| body.contains(r#""tools":"#)).unwrap()
    }

    /// The requests beside the conversation: they have no tools.
    fn asides(&self) -> Vec<String> {
        self.bodies().into_iter().filter(|body| !body.contains(r#""tools":"#)).collect()
    }

    fn bodies(&self) -> Vec<String> {
        let requests = self.api.requests().into_iter();
        requests.map(|request| String::from_utf8(request.body).unwrap()).collect()
    }

    /// Waits until the one session has this title, which a model has made.
    #[track_caller]
    fn is_titled(&self, title: &str) {
        let began = Instant::now();
        let record = format!(r#""aiTitle":"{title}""#);
        while !std::fs::read_to_string(self.session()).unwrap().contains(&record) {
            assert!(began.elapsed() < HANGS, "nobody named it {title:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The messages that the newest client would send.
fn resumed(file: &Path) -> Vec<String> {
    let bytes = std::fs::read(file).unwrap();
    let transcript = Transcript::parse(&bytes);
    let json = |message: &annals_transcript::resume::ApiMessage<'_>| {
        let mut json = Vec::new();
        message.write_json(&mut json);
        String::from_utf8(json).unwrap()
    };
    resume(&transcript, Client::NEWEST).messages().iter().map(json).collect()
}

/// Sends a signal to a program of ours.
fn signal(terminal: &Terminal, name: &str) {
    assert!(Command::new("kill").args([name, &terminal.id().to_string()]).status().unwrap().success());
}
