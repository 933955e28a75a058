//! Processes that leave their group, their parents or their environment still end with their command.

use annals_agent::protocol::ToolProgress;
use annals_agent::tools::{Bash, CallContext, Tool};

use super::ends::{all_end, pids, runs};
use super::{Count, Fixture, Flag, Text, input, run, shown, task_tools};

/// Each notes its number: a session of its own, one that ignores hang-ups, a daemon of two forks, one that ignores requests, and
/// one without an environment below one that left.
const ESCAPES: &str = r#"
note='echo $$ > $NAME.tmp; mv $NAME.tmp $NAME.pid'
NAME=session setsid bash -c "$note; exec sleep 1000" &
NAME=nohup nohup bash -c "$note; exec sleep 1000" > nohup.out 2>&1 &
( ( NAME=daemon setsid bash -c "cd .; $note; exec sleep 1000" < /dev/null > /dev/null 2>&1 & ) & )
NAME=stubborn setsid bash -c "trap '' TERM INT HUP; $note; while :; do sleep 0.1; done" &
setsid bash -c "env -i NAME=bare PATH=\"$PATH\" setsid bash -c '$note; exec sleep 1000' & wait" &
"#;

const NAMES: [&str; 5] = ["session.pid", "nohup.pid", "daemon.pid", "stubborn.pid", "bare.pid"];

/// Runs without end, and stops in the background.
fn endless() -> String {
    format!("{ESCAPES}\nwhile :; do sleep 0.1; done; git --version")
}

#[tokio::test]
async fn an_interrupt_ends_them() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let input = input(&[("command", Text(&endless()))]);
    let tell = |_: ToolProgress| {};
    let call = CallContext { tool_use: "toolu_01", tell: &tell, agreed: None, parent: None };
    let work = fixture.work();
    let all_run = async {
        let found = pids(&work, &NAMES).await;
        assert!(found.iter().all(|pid| runs(pid)));
        found
    };
    let found = tokio::select! {
        _ = tool.run(&input, &call) => panic!("it ended by itself"),
        found = all_run => found,
    };
    // The call was dropped with the selection.
    all_end(&found);
}

#[tokio::test]
async fn the_end_of_its_time_ends_them() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let (command, work) = (endless(), fixture.work());
    let arguments = [("command", Text(&command)), ("timeout", Count(1500))];
    let (outcome, found) = tokio::join!(run(&tool, &arguments), pids(&work, &NAMES));
    assert!(outcome.is_error, "{}", shown(&outcome));
    all_end(&found);
}

#[tokio::test]
async fn a_shell_that_is_killed_takes_them_along_and_no_other() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    let other = run(&tool, &[("command", Text("setsid sleep 1000 > /dev/null 2>&1 & echo $!"))]).await;
    let other = [shown(&other).to_owned()];
    run(&tool, &[("command", Text(&endless())), ("run_in_background", Flag(true))]).await;
    let found = pids(&fixture.work(), &NAMES).await;
    run(&task_tools(&fixture).1, &[("task_id", Text("bash_1"))]).await;
    all_end(&found);
    assert!(runs(&other[0]), "somebody else's process was ended");
    fixture.shells.end_all();
    all_end(&other);
}

#[tokio::test]
async fn the_end_of_the_shell_ends_them_also_where_their_command_is_long_over() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    run(&tool, &[("command", Text(ESCAPES))]).await;
    let found = pids(&fixture.work(), &NAMES).await;
    assert!(found.iter().all(|pid| runs(pid)));
    drop((tool, fixture.shells));
    all_end(&found);
}

#[tokio::test]
async fn one_that_always_makes_another_one_does_not_get_away() {
    let fixture = Fixture::new();
    let tool = Bash::new(fixture.context.clone(), fixture.shells.clone());
    // It ends by itself with the folder, should this test fail.
    let hydra = r#"next='trap "" TERM; echo $$ > head.tmp; mv head.tmp head.pid; sleep 0.005; test -e go && setsid bash -c "$next" & '
export next; touch go; bash -c "$next"; sleep 1000"#;
    run(&tool, &[("command", Text(hydra)), ("run_in_background", Flag(true))]).await;
    pids(&fixture.work(), &["head.pid"]).await;
    fixture.shells.end_all();
    let before = pids(&fixture.work(), &["head.pid"]).await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(pids(&fixture.work(), &["head.pid"]).await, before, "there is still another one");
    all_end(&before);
}
