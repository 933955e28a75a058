//! Outputs that are large, binary, coloured, or have one line or a million.

use std::fs;
use std::process::Command;
use std::time::Duration;

use annals_agent::tools::{Bash, Outcome};

use super::{Fixture, Flag, Text, kept, kept_text, run, shape, shown, task_text, task_tools};

async fn bash(fixture: &Fixture, command: &str) -> Outcome {
    run(&Bash::new(fixture.context.clone(), fixture.shells.clone()), &[("command", Text(command))]).await
}

/// The most memory that this process has used, in kilobytes.
fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test]
async fn a_hundred_megabytes_go_to_a_file() {
    let fixture = Fixture::new();
    // One line, without an end.
    let outcome = bash(&fixture, "head -c 104857600 /dev/zero | tr '\\0' x").await;
    let path = kept_text(&outcome, "persistedOutputPath");
    assert_eq!(path, fixture.temp.path().join("session/tool-results/toolu_01.txt").display().to_string());
    assert_eq!(fs::metadata(&path).unwrap().len(), 104_857_600);
    assert_eq!(kept(&outcome).get("persistedOutputSize").unwrap().count(), Some(104_857_600));
    assert!(shown(&outcome).starts_with("<persisted-output>") && shown(&outcome).contains(&path));
    assert!(shown(&outcome).len() < 4000 && outcome.kept.len() < 40_000);
}

/// Other tests use memory of this process too: the one above is measured in a process of its own.
#[test]
fn a_hundred_megabytes_need_little_memory() {
    const MEASURED: &str = "tools::flood::a_hundred_megabytes_measured";
    let program = std::env::current_exe().unwrap();
    let run = Command::new(program).args(["--exact", MEASURED, "--ignored", "--nocapture"]).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn a_hundred_megabytes_measured() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "head -c 104857600 /dev/zero | tr '\\0' x; sleep 1.2").await;
    assert!(!outcome.is_error);
    if let Some(most) = most_memory() {
        assert!(most < 60_000, "{most} kilobytes");
    }
}

#[tokio::test]
async fn a_million_lines_and_a_failure() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "seq 1000000; exit 2").await;
    assert!(outcome.is_error && shown(&outcome).len() < 12_000);
    assert!(
        shown(&outcome).starts_with("Exit code 2\n1\n2\n") && shown(&outcome).ends_with("999999\n1000000")
    );
    assert!(shown(&outcome).contains("bytes left out"));
}

#[tokio::test]
async fn what_just_fits_is_shown_whole() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "head -c 30000 /dev/zero | tr '\\0' x").await;
    assert_eq!(shown(&outcome).len(), 30_000);
    let outcome = bash(&fixture, "head -c 30001 /dev/zero | tr '\\0' x").await;
    assert!(shown(&outcome).starts_with("<persisted-output>"));
    // Two bytes each, and one unit each.
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "for i in {1..30000}; do printf é; done").await;
    assert_eq!(shown(&outcome).chars().count(), 30_000);
}

#[tokio::test]
async fn without_a_session_both_ends_are_shown() {
    let fixture = Fixture::with(|settings| settings.session = None);
    let outcome = bash(&fixture, "seq 100000").await;
    assert!(shown(&outcome).starts_with("1\n2\n") && shown(&outcome).trim_end().ends_with("100000"));
    assert!(shown(&outcome).len() < 31_000 && shape(&outcome) == "Bash");
}

#[tokio::test]
async fn bytes_and_colours_become_text() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, r"printf '\033[31mred\033[0m\0\377 \033]0;title\007end\n'").await;
    assert_eq!(shown(&outcome), "red\u{fffd}\u{fffd} end");
    let outcome = bash(&fixture, "head -c 5000 /dev/urandom; true").await;
    assert!(shown(&outcome).chars().all(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')));
}

#[tokio::test]
async fn who_closes_the_output_is_no_trouble() {
    let fixture = Fixture::new();
    assert_eq!(shown(&bash(&fixture, "echo before; exec >&- 2>&-; sleep 0.05").await), "before");
}

#[tokio::test]
async fn who_prints_too_much_is_ended() {
    let fixture = Fixture::with(|settings| settings.max_output = 1 << 20);
    let outcome = bash(&fixture, "yes").await;
    assert!(outcome.is_error && shown(&outcome).contains("is too long"), "{}", shown(&outcome));
    assert!(shown(&outcome).len() < 12_000);
}

#[tokio::test]
async fn who_prints_too_much_in_the_background_is_ended_too() {
    let fixture = Fixture::with(|settings| settings.max_output = 1 << 20);
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    run(&tool, &[("command", Text("yes")), ("run_in_background", Flag(true))]).await;
    let look = task_tools(&fixture).0;
    let mut outcome = run(&look, &[("bash_id", Text("bash_1"))]).await;
    while task_text(&outcome, "status") == "running" {
        assert!(outcome.kept.len() < 70_000);
        tokio::time::sleep(Duration::from_millis(10)).await;
        outcome = run(&look, &[("bash_id", Text("bash_1"))]).await;
    }
    assert_eq!(task_text(&outcome, "status"), "killed");
    assert!(outcome.kept.len() < 70_000);
}
