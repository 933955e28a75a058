//! `annals hook`: what clients start.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use annals_demo::Plan;
use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};

use crate::annals_exits;
use crate::schemas::keep_schema;

fn hook(home: &Home, arguments: &[&str], input: &str) -> CommandOutput {
    let mut command = home.command(env!("CARGO_BIN_EXE_annals"));
    command.arg("hook").args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    CommandOutput::from(child.wait_with_output().unwrap())
}

#[test]
fn a_new_session_is_told_of_recent_work_on_its_project() {
    let home = Home::new();
    home.fill(&Plan::default());
    let input = r#"{"session_id":"new","cwd":"/home/mira/work/ferrite","hook_event_name":"SessionStart","source":"startup"}"#;
    let told = hook(&home, &["session-start"], input);
    assert_eq!(told.code, Some(0), "{}", told.error);
    keep_schema("hook-session-start", &[told.out.trim().as_bytes()], "hook session-start");
    assert!(
        told.out.contains("151e95d5-d48b-49e0-b418-430274c9fdd3") && !told.out.contains("lantern-shop"),
        "{}",
        told.out
    );
    assert!(told.out.len() < 500 * 4 + 200, "{}", told.out.len());
    let nothing = hook(&home, &["session-start"], r#"{"cwd":"/nowhere"}"#);
    assert_eq!((nothing.code, nothing.out.as_str()), (Some(0), ""));
}

#[test]
fn a_session_is_archived_silently() {
    let home = Home::new();
    home.fill(&Plan::default());
    let file = "projects/-home-mira-work-ferrite/151e95d5-d48b-49e0-b418-430274c9fdd3.jsonl";
    let path = home.config_dir().join(file);
    let input =
        format!(r#"{{"session_id":"x","transcript_path":"{}","stop_hook_active":false}}"#, path.display());
    let done = hook(&home, &["stop"], &input);
    assert_eq!((done.code, done.out.as_str(), done.error.as_str()), (Some(0), "", ""));
    let listed = annals_exits(&home, &["archive", "--list"], 0).out;
    assert!(listed.contains("151e95d5"), "{listed}");
}

/// The client runs the hook before it has written the answer, or even the file.
#[test]
fn a_session_that_is_still_being_written_is_archived_whole() {
    let id = "3f2a0000-1111-4222-8333-444444444444";
    let home = Home::new();
    let bytes = Session::new().id(id).folder("/w").prompt("hello").reply("Hello.").into_bytes();
    let path = home.config_dir().join(format!("projects/-w/{id}.jsonl"));
    let first_line = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let done = thread::scope(|scope| {
        scope.spawn(|| {
            for (pause, part) in [(150, &bytes[..first_line]), (50, &bytes[first_line..])] {
                thread::sleep(Duration::from_millis(pause));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                OpenOptions::new().create(true).append(true).open(&path).unwrap().write_all(part).unwrap();
            }
        });
        hook(&home, &["stop"], &format!(r#"{{"transcript_path":"{}"}}"#, path.display()))
    });
    assert_eq!((done.code, done.error.as_str()), (Some(0), ""));
    fs::remove_file(&path).unwrap();
    annals_exits(&home, &["restore", id, "--yes"], 0);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn whatever_fails_never_blocks_the_client() {
    let home = Home::new();
    home.fill(&Plan::default());
    for (arguments, input) in [
        (&["stop"][..], ""),
        (&["stop"], "hello"),
        (&["stop"], r#"{"session_id":"nothing"}"#),
        (&["stop"], r#"{"transcript_path":"/nowhere.jsonl"}"#),
        (&["session-start"], "["),
        (&["stop", "--config-dir", "/nowhere"], "{}"),
    ] {
        let failed = hook(&home, arguments, input);
        // The exit code 2 would keep the model going.
        assert_eq!(
            (failed.code, failed.out.as_str()),
            (Some(1), ""),
            "{arguments:?} {input} {}",
            failed.error
        );
        assert!(failed.error.contains("annals: "), "{arguments:?}: {}", failed.error);
    }
}
