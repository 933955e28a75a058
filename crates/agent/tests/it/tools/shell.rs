//! Bash: environment, effects and exit codes of commands, and background commands.

use std::fs;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use annals_agent::protocol::ToolProgress;
use annals_agent::tools::{Bash, CallContext, Outcome, Tool};
use annals_json::Fields;
use annals_policy::paths::Disk;
use annals_policy::rules::{Rule, RuleList, Rules, SettingsSource};
use annals_policy::{Call, Decision, Mode, Policy};

use super::{
    Count, Fixture, Flag, Text, input, kept, kept_text, knows, refused, run, shape, shown, task_text,
    task_tools,
};

const OF_A_COMMAND: [&str; 10] = [
    "stdout",
    "stderr",
    "interrupted",
    "isImage",
    "returnCodeInterpretation",
    "noOutputExpected",
    "backgroundTaskId",
    "persistedOutputPath",
    "persistedOutputSize",
    "timedOutAfterMs",
];

async fn bash(fixture: &Fixture, command: &str) -> Outcome {
    run(&Bash::new(fixture.context.clone(), fixture.shells.clone()), &[("command", Text(command))]).await
}

#[tokio::test]
async fn output_and_errors_come_as_one_text() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "echo out; echo err >&2; printf end").await;
    assert_eq!((shown(&outcome), shape(&outcome)), ("out\nerr\nend", "Bash"));
    assert_eq!(kept_text(&outcome, "stdout"), "out\nerr\nend");
    knows(&outcome, &OF_A_COMMAND);
    assert_eq!(shown(&bash(&fixture, "true").await), "(The command printed nothing.)");
    assert_eq!(shown(&bash(&fixture, "cat; read x; echo \"<$x>\"").await), "<>", "something could be read");
    assert_eq!(fs::read_dir(fixture.temp.path().join("scratch")).unwrap().count(), 0, "outputs were left");
}

#[tokio::test]
async fn a_failure_has_its_code() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "echo why; exit 3").await;
    assert!(outcome.is_error && shape(&outcome) == "text");
    assert_eq!(shown(&outcome), "Exit code 3\nwhy");
    assert_eq!(kept(&outcome).text().unwrap().decode(), "Error: Exit code 3\nwhy");
    assert!(shown(&bash(&fixture, "kill -9 $$").await).starts_with("Exit code 137"));
    assert!(shown(&bash(&fixture, "no-such-program-at-all").await).starts_with("Exit code 127"));
    assert!(shown(&bash(&fixture, "if").await).contains("syntax error"));
    let outcome = bash(&fixture, "echo text | grep nothing").await;
    assert_eq!((outcome.is_error, shown(&outcome)), (false, "No matches found"));
    assert_eq!(kept_text(&outcome, "returnCodeInterpretation"), "No matches found");
    // An output speaks for itself.
    let outcome = bash(&fixture, "echo a; printf 'x\\n' | grep -c y").await;
    assert_eq!((outcome.is_error, shown(&outcome)), (false, "a\n0"));
    let outcome = bash(&fixture, "printf '1\\n' > d1; printf '2\\n' > d2; diff d1 d2").await;
    assert!(!outcome.is_error && !shown(&outcome).contains("differ"), "{}", shown(&outcome));
    knows(&outcome, &OF_A_COMMAND);
}

#[tokio::test]
async fn only_the_folder_is_kept_and_only_inside() {
    let fixture = Fixture::new();
    let work = fixture.work();
    fs::create_dir_all(work.join("sub/it's")).unwrap();
    bash(&fixture, "cd sub/\"it's\" && export KEPT=1").await;
    let outcome = bash(&fixture, "pwd; echo \"<$KEPT>\"").await;
    assert_eq!(shown(&outcome), format!("{}/sub/it's\n<>", work.display()));
    // A command that fails has moved all the same.
    bash(&fixture, "cd ..; exit 4").await;
    assert_eq!(fixture.context.current(), work.join("sub"));
    let outcome = bash(&fixture, "cd /; echo moved").await;
    let note = format!("Shell cwd was reset to {}", work.display());
    assert_eq!(shown(&outcome), format!("moved\n{note}"));
    assert_eq!((kept_text(&outcome, "stderr"), fixture.context.current()), (note, work.clone()));
    // A folder that is gone is no place to start from.
    bash(&fixture, "mkdir gone; cd gone").await;
    fs::remove_dir(work.join("gone")).unwrap();
    assert_eq!(shown(&bash(&fixture, "pwd").await), work.display().to_string());
}

#[tokio::test]
async fn a_command_cannot_forge_the_folder_of_the_next() {
    let fixture = Fixture::new();
    let work = fixture.work();
    fs::create_dir_all(work.join("sub/deep")).unwrap();
    std::os::unix::fs::symlink("sub/deep", work.join("link")).unwrap();
    std::os::unix::fs::symlink("/", work.join("root")).unwrap();
    bash(&fixture, "pwd() { echo \"$PWD/link\"; }").await;
    assert_eq!(fixture.context.current(), work);
    // A forged answer is a real folder, inside, or none.
    bash(&fixture, "builtin() { echo \"$PWD/link\"; }").await;
    assert_eq!(fixture.context.current(), work.join("sub/deep"));
    for (text, ends_in) in [
        ("builtin() { echo /; }", &work),
        ("builtin() { echo \"$PWD/root/etc\"; }", &work),
        ("builtin() { echo ../..; }", &work),
        ("builtin() { echo \"$PWD/nothing\"; }", &work),
        ("trap - EXIT", &work),
    ] {
        fixture.context.set_current(work.clone());
        bash(&fixture, text).await;
        assert_eq!(&fixture.context.current(), ends_in, "{text}");
    }
}

#[tokio::test]
async fn commands_find_a_clean_environment() {
    let fixture = Fixture::with(|settings| {
        let secret = |name: &str| (name.into(), "secret".into());
        let mut all = settings.environment.clone();
        all.extend(
            ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "GIT_CONFIG_COUNT"].map(secret),
        );
        all.push(("PLAIN".into(), "there".into()));
        settings.environment = annals_agent::tools::bash::for_commands(&all);
    });
    let outcome = bash(&fixture, "env; echo $CLAUDECODE-$PLAIN").await;
    assert!(
        !shown(&outcome).contains("secret") && shown(&outcome).ends_with("1-there"),
        "{}",
        shown(&outcome)
    );
}

#[tokio::test]
async fn what_runs_too_long_is_ended() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    // Nobody looks through this many commands.
    let many = format!("{}echo begun; sleep 60", "true; ".repeat(60));
    for command in ["echo begun; sleep 60 && git --version", &many] {
        let outcome = run(&tool, &[("command", Text(command)), ("timeout", Count(300))]).await;
        assert!(outcome.is_error);
        assert_eq!(shown(&outcome), "Exit code 143\nCommand timed out after 0.3 seconds\nbegun");
    }
    let outcome = run(&tool, &[("command", Text("sleep 60; echo never")), ("timeout", Count(300))]).await;
    assert_eq!(shown(&outcome), "Exit code 143\nCommand timed out after 0.3 seconds");
    let look = task_tools(&fixture).0;
    refused(&run(&look, &[("task_id", Text("bash_1"))]).await, "No task found");
}

#[tokio::test]
async fn what_runs_longer_than_it_is_waited_for_goes_on_in_the_background() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let (look, kill) = task_tools(&fixture);
    let command = "cd ..; printf 'one\\ntw'; while [ ! -e work/go ]; do sleep 0.02; done; echo o; exit 3";
    let outcome = run(&tool, &[("command", Text(command)), ("timeout", Count(300))]).await;
    assert_eq!((outcome.is_error, shape(&outcome)), (false, "Bash"));
    knows(&outcome, &OF_A_COMMAND);
    assert_eq!(
        (kept_text(&outcome, "backgroundTaskId").as_str(), kept_text(&outcome, "stdout").as_str()),
        ("bash_1", "one\ntw")
    );
    assert_eq!(kept(&outcome).get("timedOutAfterMs").unwrap().count(), Some(300));
    assert!(
        shown(&outcome).contains("bash_1") && shown(&outcome).ends_with("one\ntw"),
        "{}",
        shown(&outcome)
    );
    let id = [("task_id", Text("bash_1"))];
    let outcome = run(&look, &[("task_id", Text("bash_1")), ("timeout", Count(60))]).await;
    assert_eq!(
        (kept_text(&outcome, "retrieval_status").as_str(), task_text(&outcome, "status").as_str()),
        ("timeout", "running")
    );
    fixture.write("go", "");
    let outcome = run(&look, &id).await;
    assert_eq!(
        (shape(&outcome), kept_text(&outcome, "retrieval_status").as_str()),
        ("TaskOutput", "success")
    );
    assert_eq!(
        (task_text(&outcome, "output").as_str(), task_text(&outcome, "status").as_str()),
        ("one\ntwo\n", "failed")
    );
    assert_eq!(kept(&outcome).get("task").unwrap().get("exitCode").unwrap().count(), Some(3));
    // The next command starts where this one did.
    assert_eq!(fixture.context.current(), fixture.work());
    run(&tool, &[("command", Text("while :; do sleep 0.1; done")), ("timeout", Count(200))]).await;
    assert_eq!(shape(&run(&kill, &[("task_id", Text("bash_2"))]).await), "TaskStop");
    let scratch = fixture.temp.path().join("scratch");
    drop((tool, look, kill));
    drop(fixture.shells);
    assert_eq!(fs::read_dir(scratch).unwrap().count(), 0, "outputs and notes were left");
}

#[tokio::test]
async fn what_ran_in_the_background_until_the_end_is_told() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    for command in ["exec sleep 600", "true"] {
        run(&tool, &[("command", Text(command)), ("run_in_background", Flag(true))]).await;
    }
    let look = task_tools(&fixture).0;
    assert_eq!(task_text(&run(&look, &[("task_id", Text("bash_2"))]).await, "status"), "completed");
    assert_eq!(fixture.shells.end_all(), ["exec sleep 600"]);
    assert_eq!(task_text(&run(&look, &[("task_id", Text("bash_1"))]).await, "status"), "killed");
    assert!(fixture.shells.end_all().is_empty());
}

#[tokio::test]
async fn what_a_command_leaves_running_does_not_hold_it_up() {
    let fixture = Fixture::new();
    let began = Instant::now();
    assert_eq!(shown(&bash(&fixture, "sleep 60 & echo started").await), "started");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_long_command_tells_what_it_prints() {
    let fixture = Fixture::new();
    let told = Mutex::new(Vec::new());
    let tell = |news: ToolProgress| told.lock().unwrap().push(news);
    let input = input(&[("command", Text("echo one; echo two; sleep 1.5; echo three"))]);
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    tool.run(&input, &CallContext { tool_use: "toolu_01", tell: &tell, agreed: None, parent: None }).await;
    let told = told.into_inner().unwrap();
    let Some(ToolProgress::Output { new, whole, lines, millis }) = told.first() else {
        panic!("nothing was told")
    };
    assert_eq!((new.as_str(), whole.as_str(), *lines), ("one\ntwo\n", "one\ntwo\n", 2));
    assert!(*millis >= 1000);
}

#[tokio::test]
async fn a_command_in_the_background_is_seen_and_ended() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let (look, kill) = task_tools(&fixture);
    let command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; echo three; exec sleep 600";
    let outcome = run(&tool, &[("command", Text(command)), ("run_in_background", Flag(true))]).await;
    assert_eq!(kept_text(&outcome, "backgroundTaskId"), "bash_1");
    knows(&outcome, &OF_A_COMMAND);
    // By its older name it does not wait.
    let id = [("bash_id", Text("bash_1"))];
    let mut outcome = run(&look, &id).await;
    while task_text(&outcome, "output") != "one\n" {
        tokio::time::sleep(Duration::from_millis(10)).await;
        outcome = run(&look, &id).await;
    }
    fixture.write("go", "");
    while task_text(&outcome, "output") != "one\ntwo\nthree\n" {
        tokio::time::sleep(Duration::from_millis(10)).await;
        outcome = run(&look, &[("task_id", Text("bash_1")), ("block", Flag(false))]).await;
    }
    assert_eq!(
        (shape(&outcome), kept_text(&outcome, "retrieval_status").as_str()),
        ("TaskOutput", "not_ready")
    );
    assert!(kept(&outcome).get("task").unwrap().get("exitCode").unwrap().is_null());
    assert_eq!(
        shown(&outcome),
        "<retrieval_status>not_ready</retrieval_status>\n\n<task_id>bash_1</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>running</status>\n\n<output>\none\ntwo\nthree\n</output>"
    );
    let outcome = run(&kill, &[("shell_id", Text("bash_1"))]).await;
    assert_eq!(shape(&outcome), "TaskStop");
    assert_eq!(
        (kept_text(&outcome, "task_id").as_str(), kept_text(&outcome, "command").as_str()),
        ("bash_1", command)
    );
    assert!(shown(&run(&look, &id).await).contains("killed"));
    refused(&run(&kill, &[("task_id", Text("bash_1"))]).await, "not running");
    refused(&run(&look, &[("task_id", Text("bash_9"))]).await, "No task found");
    refused(&run(&kill, &[("task_id", Text("bash_9"))]).await, "No task found");
}

#[tokio::test]
async fn a_command_that_ended_in_the_background_has_its_code() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let look = task_tools(&fixture).0;
    run(&tool, &[("command", Text("exit 7")), ("run_in_background", Flag(true))]).await;
    let outcome = run(&look, &[("task_id", Text("bash_1"))]).await;
    assert!(
        shown(&outcome).ends_with("<status>failed</status>\n\n<exit_code>7</exit_code>"),
        "{}",
        shown(&outcome)
    );
}

#[tokio::test]
async fn a_call_shows_the_whole_command() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let input = input(&[("command", Text("echo \"a\"\nrm -rf x\t"))]);
    let asked = tool.call(&Fields::scan(&input).unwrap().0).unwrap();
    assert_eq!(asked.call(), Call::Bash("echo \"a\"\nrm -rf x\t"));
    refused(&run(&tool, &[("command", Text(" \n"))]).await, "is empty");
    refused(&run(&tool, &[("command", Text("a\0b"))]).await, "NUL");
    refused(
        &run(&tool, &[("command", Text("true")), ("timeout", Text("soon"))]).await,
        "non-negative integer",
    );
}

#[tokio::test]
async fn folders_are_those_that_decisions_are_about() {
    let fixture = Fixture::with(|settings| {
        let mut all = settings.environment.clone();
        // A folder beside the working folder, whose folders `cd` would find.
        let beside = settings.scratch.parent().unwrap().join("beside");
        fs::create_dir_all(beside.join("elsewhere")).unwrap();
        all.push(("CDPATH".into(), beside.into()));
        settings.environment = annals_agent::tools::bash::for_commands(&all);
    });
    let work = fixture.work();
    fs::create_dir_all(work.join("a/b")).unwrap();
    std::os::unix::fs::symlink("a/b", work.join("link")).unwrap();
    assert_eq!(shown(&bash(&fixture, "cd link/.. && pwd").await), work.join("a").display().to_string());
    assert_eq!(shown(&bash(&fixture, "cd ../link && cd ../.. && pwd").await), work.display().to_string());
    let outcome = bash(&fixture, "cd elsewhere").await;
    assert!(outcome.is_error && shown(&outcome).contains("No such file"), "{}", shown(&outcome));
}

#[tokio::test]
async fn a_folder_that_looks_like_a_repository_is_none() {
    let fixture = Fixture::new();
    let outcome = bash(&fixture, "git init -q --bare sub && cd sub && git status").await;
    if shown(&outcome).contains("command not found") {
        return annals_testkit::skipped("a_folder_that_looks_like_a_repository_is_none", "no git");
    }
    assert!(shown(&outcome).contains("safe.bareRepository"), "{}", shown(&outcome));
    let outcome = bash(&fixture, "cd .. && git init -q own && cd own && git status --short --branch").await;
    assert!(shown(&outcome).contains("No commits yet"), "{}", shown(&outcome));
}

#[tokio::test]
async fn a_command_is_decided_on_where_it_will_run() {
    let fixture = Fixture::new();
    let work = fixture.work();
    fixture.write("sub/.env", "secret");
    let mut rules = Rules::default();
    for (list, text) in [(RuleList::Deny, "Read(./sub/.env)"), (RuleList::Allow, "Bash(make *)")] {
        rules.add(Rule::new(text, list, SettingsSource::User));
    }
    let workspace = &fixture.context.workspace;
    let policy = Policy { rules: &rules, mode: Mode::Default, workspace, files: &Disk };
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let decide = |command: &str| {
        let input = input(&[("command", Text(command))]);
        tool.call(&Fields::scan(&input).unwrap().0).unwrap().decide(&policy)
    };
    assert!(matches!(decide("cat .env"), Decision::Allow { .. }));
    bash(&fixture, "cd sub").await;
    assert_eq!(fixture.context.current(), work.join("sub"));
    assert!(matches!(decide("cat .env"), Decision::Deny { .. }), "a rule about this file was not seen");
    // Seen from this folder, and from no other.
    assert!(matches!(decide("cat sub/.env"), Decision::Allow { .. }));
    assert!(matches!(decide("cat ../sub/.env"), Decision::Deny { .. }));
    for command in ["cat ../../other.txt", "cd .. && cat ../other.txt", "cp own.txt ../../other.txt"] {
        assert!(matches!(decide(command), Decision::Ask { .. }), "{command}: {:?}", decide(command));
    }
    for command in ["ls", "make test", "cat own.txt", "cat ../other.txt"] {
        assert!(matches!(decide(command), Decision::Allow { .. }), "{command}: {:?}", decide(command));
    }
}
