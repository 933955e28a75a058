//! A store with hostile text in every field and name, read and changed by every command in every form: nothing of it
//! reaches an output raw, piped or in a terminal, with and without colors, and JSON stays JSON.

mod cases;
mod chat;

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use annals_json::Value;
use annals_testkit::depth::is_in_share;
use annals_testkit::home::Home;
use annals_testkit::hostile::{HostileStore, Surface, hostile_part};
use annals_testkit::terminal::Terminal;

use self::cases::{Case, ELSEWHERE, Ending, FORMS, cases, mistakes};
use crate::{annals, annals_exits};

const ANNALS: &str = env!("CARGO_BIN_EXE_annals");
/// How long a command that never ends may be silent before it has said everything.
const SILENCE: Duration = Duration::from_millis(700);

/// What a run wrote.
struct RunOutput {
    out: Vec<u8>,
    error: Vec<u8>,
}

impl HostileRun<'_> {
    /// A command in the hostile work folder.
    fn command(&self, program: &str) -> Command {
        let mut command = self.store.home.command(program);
        command.current_dir(&self.store.work).env("LC_ALL", "C.UTF-8").env("PAGER", "cat");
        if self.surface != Surface::Plain {
            command.env_remove("NO_COLOR").env("TERM", "xterm-256color");
        }
        command
    }

    fn written(&self) -> RunOutput {
        for before in &self.case.before {
            self.store.home.finish(self.command(ANNALS).args(before));
        }
        match self.surface {
            Surface::Screen => RunOutput { out: self.on_screen(), error: Vec::new() },
            _ => self.piped(),
        }
    }

    fn arguments(&self) -> Vec<String> {
        let more = match (self.surface, self.is_json) {
            (_, true) => vec!["--json".to_owned()],
            (Surface::Colored, _) => vec!["--color".to_owned(), "always".to_owned()],
            _ => Vec::new(),
        };
        more.into_iter().chain(self.case.arguments.iter().cloned()).collect()
    }

    fn piped(&self) -> RunOutput {
        let files = ["out", "error"].map(|name| self.store.home.path().join(name));
        let mut command = self.command(ANNALS);
        command.args(self.arguments()).stdin(Stdio::piped());
        command.stdout(File::create(&files[0]).unwrap()).stderr(File::create(&files[1]).unwrap());
        let mut child = command.spawn().unwrap();
        // A command that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(self.case.input.as_bytes());
        if self.case.ending == Ending::Never {
            quiet(|| files.iter().map(|file| file.metadata().unwrap().len()).sum());
            child.kill().unwrap();
        }
        child.wait().unwrap();
        let [out, error] = files.map(|file| std::fs::read(file).unwrap());
        RunOutput { out, error }
    }

    fn on_screen(&self) -> Vec<u8> {
        let arguments = self.arguments();
        let mut program = vec![ANNALS];
        program.extend(arguments.iter().map(String::as_str));
        let mut terminal = Terminal::run(|setsid| self.command(setsid), &program, (100, 40));
        if self.case.ending == Ending::Never {
            quiet(|| terminal.bytes().len() as u64);
            return terminal.bytes();
        }
        // The answer to a question, if there is one; the device shows nothing hostile of it. Then the end of input.
        terminal.press("n\n\u{4}");
        terminal.code();
        terminal.bytes()
    }
}

/// Waits until something was written, and then nothing more.
fn quiet(written: impl Fn() -> u64) {
    let (began, mut last, mut since) = (Instant::now(), 0, Instant::now());
    while since.elapsed() < SILENCE && began.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(20));
        let now = written();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
}

/// One case over a store.
struct HostileRun<'c> {
    store: &'c HostileStore,
    case: &'c Case,
    surface: Surface,
    is_json: bool,
}

/// What is wrong with the outputs of these cases.
fn findings(cases: &[Case], surface: Surface, is_json: bool) -> Vec<String> {
    let mut found = Vec::new();
    let shared = HostileStore::new();
    // Each case runs on half of the surfaces, neighbours on different ones.
    let phase = surface as usize + usize::from(is_json);
    for (_, case) in cases.iter().enumerate().filter(|(number, _)| is_in_share(*number, phase, 2)) {
        let own = case.is_changing.then(HostileStore::new);
        let run = HostileRun { store: own.as_ref().unwrap_or(&shared), case, surface, is_json };
        let written = run.written();
        // The only forms of exact bytes; in a terminal they are cleaned as well.
        let is_form = |form: &str| case.arguments.ends_with(&["--as".to_owned(), form.to_owned()]);
        let is_exact = is_form("raw") || (is_form("messages") && !is_json);
        for (name, bytes) in [("output", &written.out), ("error", &written.error)] {
            if is_exact && name == "output" && surface != Surface::Screen {
                continue;
            }
            if let Some(part) = hostile_part(bytes, surface) {
                found.push(format!("{name} of {:?}: {part}", run.arguments()));
            }
        }
        let is_program_text = ["man", "completions", "help"].contains(&case.command()) || is_exact;
        if is_json && !is_program_text {
            let lines = written.out.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
            let bad = lines.filter(|line| Value::parse(line).is_err());
            found.extend(
                bad.map(|line| {
                    format!("no JSON of {:?}: {}", run.arguments(), String::from_utf8_lossy(line))
                }),
            );
        }
    }
    found
}

#[track_caller]
fn nothing_hostile(cases: &[Case], surface: Surface, is_json: bool) {
    let found = findings(cases, surface, is_json);
    assert!(found.is_empty(), "{} of {} cases:\n{}", found.len(), cases.len(), found.join("\n"));
}

/// The commands that the program has, from its manual page.
fn commands() -> Vec<String> {
    let page = annals_exits(&Home::new(), &["man"], 0).out.replace("\\-", "-");
    let names = page.lines().filter_map(|line| line.strip_prefix(".SS annals "));
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() > 30, "{names:?}");
    names
}

#[test]
fn every_command_and_form_has_a_case() {
    let cases = cases();
    let lines: Vec<String> = cases.iter().map(|case| case.arguments.join(" ")).collect();
    for name in commands().iter().filter(|name| !ELSEWHERE.contains(&name.as_str())) {
        let is_there = lines.iter().any(|line| line == name || line.starts_with(&format!("{name} ")));
        assert!(is_there, "annals {name} has no case: add one to cases.rs");
    }
    for (command, option, values) in FORMS {
        let argument: &[&str] = match command {
            "show" | "search" => &["x"],
            "export" => &["x", "--to", "-"],
            _ => &[],
        };
        let refused = annals(&Home::new(), &[&[command], argument, &[option, "no-such"]].concat()).error;
        let listed = refused.split("[possible values: ").nth(1).and_then(|rest| rest.split(']').next());
        let listed: Vec<&str> = listed.unwrap_or_else(|| panic!("{refused}")).split(", ").collect();
        for value in listed {
            assert!(
                values.contains(&value),
                "annals {command} {option} {value} has no case: add it to FORMS"
            );
        }
    }
}

#[test]
fn nothing_hostile_is_piped() {
    nothing_hostile(&cases(), Surface::Plain, false);
}

#[test]
fn nothing_hostile_is_piped_in_color() {
    nothing_hostile(&cases(), Surface::Colored, false);
}

#[test]
fn nothing_hostile_is_in_json_and_json_it_is() {
    nothing_hostile(&cases(), Surface::Plain, true);
}

#[test]
fn nothing_hostile_is_on_the_screen() {
    nothing_hostile(&cases(), Surface::Screen, false);
}

#[test]
fn errors_quote_nothing_hostile() {
    let cases = mistakes(&commands());
    nothing_hostile(&cases, Surface::Plain, false);
    nothing_hostile(&cases, Surface::Plain, true);
}

#[test]
fn what_is_not_hostile_stays() {
    let home = Home::new();
    let title = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301} שלום 日本";
    let line = format!(
        r#"{{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-03T15:00:00.000Z","message":{{"role":"user","content":"{title}"}}}}"#
    );
    home.write("projects/-w/0e571e57-0000-4000-8000-000000000003.jsonl", line + "\n");
    for arguments in [
        &["ls"][..],
        &["show", "0e571e57"],
        &["show", "0e571e57", "--as", "markdown"],
        &["show", "0e571e57", "--as", "turns"],
    ] {
        let out = annals_exits(&home, arguments, 0).out;
        assert!(out.contains(title), "{arguments:?}: {out}");
    }
}
