//! The end of commands: dropping a call, or the whole shell, leaves no process behind, whatever it ignores.

use std::path::Path;
use std::time::{Duration, Instant};

use annals_agent::protocol::ToolProgress;
use annals_agent::tools::{Bash, CallContext, Tool};

use super::{Fixture, Flag, Text, input, run};

/// The most that an end may take: two seconds, and some for a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(6);

/// A command that ignores polite requests, with children and grandchildren that do as well; each notes its number.
const STUBBORN: &str = r#"
trap '' INT TERM HUP
note() { echo $BASHPID > "$1.tmp"; mv "$1.tmp" "$1"; }
( trap '' INT TERM; note child.pid
  ( trap '' INT TERM; note grandchild.pid; while :; do sleep 0.1; done ) &
  while :; do sleep 0.1; done ) &
note own.pid
while :; do sleep 0.1; done
"#;

const NAMES: [&str; 3] = ["own.pid", "child.pid", "grandchild.pid"];

/// The numbers of the processes, once all of them run.
pub(super) async fn pids(folder: &Path, names: &[&str]) -> Vec<String> {
    let read =
        |name: &&str| std::fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_owned());
    loop {
        let pids: Vec<String> = names.iter().filter_map(read).collect();
        if pids.len() == names.len() {
            return pids;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Whether a process runs; one that is dead and not yet buried does not.
pub(super) fn runs(pid: &str) -> bool {
    let asked = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
    let state = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

pub(super) fn all_end(pids: &[String]) {
    let asked = Instant::now();
    while pids.iter().any(|pid| runs(pid)) {
        assert!(asked.elapsed() < MAX_WAIT, "still running: {pids:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_whole_group() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let input = input(&[("command", Text(STUBBORN))]);
    let tell = |_: ToolProgress| {};
    let call = CallContext { tool_use: "toolu_01", tell: &tell, agreed: None, parent: None };
    let work = fixture.work();
    let found = tokio::select! {
        _ = tool.run(&input, &call) => panic!("it ended by itself"),
        found = pids(&work, &NAMES) => found,
    };
    assert!(found.iter().all(|pid| runs(pid)));
    // The call was dropped with the selection.
    all_end(&found);
}

#[tokio::test]
async fn a_command_that_hears_a_polite_request_can_tidy_up() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let tidy = "trap 'echo tidied > tidied; exit' TERM; echo $$ > own.tmp; mv own.tmp own.pid; cp own.pid child.pid; cp own.pid grandchild.pid; while :; do sleep 0.05; done";
    let input = input(&[("command", Text(tidy))]);
    let tell = |_: ToolProgress| {};
    let call = CallContext { tool_use: "toolu_01", tell: &tell, agreed: None, parent: None };
    let work = fixture.work();
    let found = tokio::select! {
        _ = tool.run(&input, &call) => panic!("it ended by itself"),
        found = pids(&work, &NAMES) => found,
    };
    all_end(&found);
    assert_eq!(fixture.bytes("tidied"), b"tidied\n");
}

#[tokio::test]
async fn time_ends_the_whole_group() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    // With git in it, it does not go on in the background.
    let script = format!("{STUBBORN}\ngit --version");
    let command = [("command", Text(&script)), ("timeout", super::Count(1500))];
    let work = fixture.work();
    let (outcome, found) = tokio::join!(run(&tool, &command), pids(&work, &NAMES));
    assert!(outcome.is_error);
    all_end(&found);
}

#[tokio::test]
async fn the_end_of_the_shell_is_the_end_of_all() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    run(&tool, &[("command", Text(STUBBORN)), ("run_in_background", Flag(true))]).await;
    let mut found = pids(&fixture.work(), &NAMES).await;
    // One that was left behind by a command that has ended.
    let left = run(&tool, &[("command", Text("sleep 600 & echo $!"))]).await;
    found.push(super::shown(&left).to_owned());
    assert!(found.iter().all(|pid| runs(pid)));
    fixture.shells.end_all();
    all_end(&found);
}
