//! Changes are confirmed: by a person who is asked, or by `--yes`.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::tree::tree;

use crate::{annals, annals_exits};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const OTHER: &str = "7b1c0000-1111-4222-8333-555555555555";
const TRASHED: &str = "8c2d0000-1111-4222-8333-555555555555";
const DAMAGED: &str = "9d3e0000-1111-4222-8333-555555555555";

fn home() -> Home {
    let home = Home::new();
    for id in [ID, OTHER, TRASHED, DAMAGED] {
        let session = Session::new().id(id).folder("/w").prompt("Hello").reply("Hello.");
        let session = session.tool_use("Bash", r#"{"command":"ls"}"#).tool_result("README");
        let mut bytes = session.reply("One file.").prompt("And now?").reply("Done.").into_bytes();
        if id == DAMAGED {
            bytes.extend_from_slice(b"torn {\n");
        }
        old(&home.write(format!("projects/-w/{id}.jsonl"), bytes));
    }
    old(&home.write("todos/99990000-1111-4222-8333-444444444444-agent-x.json", "[]"));
    home
}

/// Nothing writes to it any more.
fn old(path: &Path) {
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(hour_ago).unwrap();
}

/// Every changing command, without `--yes`.
const CHANGES: [&[&str]; 17] = [
    &["rename", ID, "A title"],
    &["tag", ID, "a-tag"],
    &["strip", ID, "--tools", "all"],
    &["clone", ID],
    &["fork", ID],
    &["repair", DAMAGED],
    &["redact", ID, "--pattern", "Hello"],
    &["compress", ID, "--keep-turns", "1"],
    &["merge", ID, OTHER, "--anyway"],
    &["trash", ID],
    &["restore", TRASHED],
    &["gc", "--apply", "--older-than", "0d"],
    &["rewind", ID, "--to", "2", "--conversation"],
    &["reset-project", "--", "-w"],
    &["move-project", "/w", "/elsewhere"],
    &["undo"],
    &["archive", "--forget", ID],
];

/// A store with something in the trash, the vault and the journal.
fn prepared() -> Home {
    let home = home();
    annals_exits(&home, &["archive", "--all"], 0);
    annals_exits(&home, &["trash", TRASHED, "--yes"], 0);
    annals_exits(&home, &["clone", ID, "--yes"], 0);
    home
}

fn with_input(home: &Home, arguments: &[&str], input: &str) -> CommandOutput {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    CommandOutput::from(child.wait_with_output().unwrap())
}

#[test]
fn without_a_terminal_every_change_needs_yes() {
    let home = prepared();
    for command in CHANGES {
        // Locks are taken and given back; they are no change.
        let state = || {
            let mut files = tree(home.path());
            files.retain(|path, _| !path.components().any(|part| part.as_os_str() == "locks"));
            files
        };
        let before = state();
        for input in ["", "n\n", "y\n", "yes\n"] {
            let answer = with_input(&home, command, input);
            assert_eq!(answer.code, Some(2), "{command:?} {input:?}: {}{}", answer.out, answer.error);
            assert!(answer.error.contains("--yes"), "{command:?}: {}", answer.error);
            assert!(state() == before, "{command:?} {input:?} changed something");
        }
        let dry = with_input(&home, &[&command[..1], &["--dry-run"], &command[1..]].concat(), "");
        assert_eq!(dry.code, Some(0), "{command:?} --dry-run: {}", dry.error);
        assert!(state() == before, "{command:?} --dry-run changed something");
    }
}

#[test]
fn what_only_adds_or_is_for_programs_is_not_asked_about() {
    let home = home();
    annals_exits(&home, &["new"], 0);
    let message = r#"{"role":"user","content":"hi"}"#;
    assert_eq!(with_input(&home, &["append", ID], message).code, Some(0));
    let list = home.write("items.json", r#"["one"]"#).display().to_string();
    annals_exits(&home, &["todos", "set", ID, "--file", &list], 0);
    annals_exits(&home, &["index"], 0);
    annals_exits(&home, &["archive", "--all"], 0);
    annals_exits(&home, &["collect", "--to", "file:out"], 0);
}

#[test]
fn versions_of_another_store_are_not_forgotten() {
    let home = prepared();
    let other = home.path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    let other = other.display().to_string();
    let before = annals_exits(&home, &["archive", "--list", "--json"], 0).out;
    let refused = annals_exits(&home, &["--config-dir", &other, "archive", "--forget", ID, "--yes"], 1);
    assert!(refused.error.contains(&home.config_dir().display().to_string()), "{}", refused.error);
    // Nor is anything restored into a store that is not in use.
    annals_exits(&home, &["--config-dir", &other, "restore", ID, "--at", "today", "--yes"], 1);
    assert_eq!(annals_exits(&home, &["archive", "--list", "--json"], 0).out, before);
    let refused = annals_exits(&home, &["archive", "--forget", ID], 2);
    assert!(refused.error.contains("This cannot be undone"), "{}", refused.error);
    annals_exits(&home, &["archive", "--forget", ID, "--yes"], 0);
    assert_eq!(annals(&home, &["archive", "--list", ID]).code, Some(1));
}

#[cfg(target_os = "linux")]
mod on_a_terminal {
    use annals_testkit::terminal::Terminal;

    use super::*;

    fn terminal(home: &Home, line: &str) -> Terminal {
        let script = line.replace("annals", env!("CARGO_BIN_EXE_annals"));
        Terminal::run(|setsid| home.command(setsid), &["sh", "-c", &script], (100, 30))
    }

    #[test]
    fn the_question_names_store_session_and_title() {
        let home = home();
        annals_exits(&home, &["rename", ID, "About hellos", "--yes"], 0);
        let path = home.config_dir().join(format!("projects/-w/{ID}.jsonl"));
        let before = std::fs::read(&path).unwrap();
        let mut asked = terminal(&home, "annals trash 3f2a");
        asked.sees("[y/N]");
        let text = asked.text().replace('\n', "");
        for part in [&home.config_dir().display().to_string(), ID, "About hellos"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        asked.press("n\r");
        asked.sees("nothing was changed");
        assert_eq!(asked.code(), Some(1));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let mut asked = terminal(&home, "annals trash 3f2a");
        asked.sees("[y/N]");
        asked.press("y\r");
        assert_eq!(asked.code(), Some(0));
        assert!(!path.exists());
    }

    #[test]
    fn a_question_that_nobody_sees_is_not_asked() {
        let home = home();
        let before = tree(&home.config_dir());
        for line in ["annals reset-project -- -w 2>/dev/null", "annals reset-project -- -w </dev/null"] {
            assert_eq!(terminal(&home, line).code(), Some(2), "{line}");
            assert_eq!(tree(&home.config_dir()), before, "{line}");
        }
    }
}
