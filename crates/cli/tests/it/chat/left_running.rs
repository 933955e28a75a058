//! Background commands are ended and reported when the program exits, wherever they moved.

use std::process::Stdio;
use std::time::{Duration, Instant};

use annals_testkit::home::CommandOutput;

use super::{ChatFixture, kill};

/// Nothing takes as long as this, unless it hangs.
const HANGS: Duration = Duration::from_secs(60);

const SCRIPT: &str = r#"{
    "slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; exec tail -f /dev/null","timeout":300}}],
        [{"type":"text","text":"it goes on"}]],
    "escapes":[[{"type":"tool_use","name":"Bash","input":{"command":
        "note='echo $$ > $NAME.tmp; mv $NAME.tmp $NAME.pid'; NAME=session setsid bash -c \"$note; exec sleep 1000\" & NAME=nohup nohup bash -c \"$note; exec sleep 1000\" > nohup.out 2>&1 & ( ( NAME=daemon setsid bash -c \"$note; exec sleep 1000\" < /dev/null > /dev/null 2>&1 & ) & ); NAME=stubborn setsid bash -c \"trap '' TERM INT HUP; $note; while :; do sleep 0.1; done\" & while :; do sleep 0.1; done"}}],
        [{"type":"text","text":"never"}]]}"#;

#[test]
fn what_goes_on_in_the_background_ends_with_the_program_and_is_said() {
    let fixture = ChatFixture::new(SCRIPT);
    let run = |arguments: &[&str]| {
        let mut command = fixture.command(arguments);
        command.env("CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", "1");
        fixture.finishes(command, 0)
    };
    let answer = run(&["--allowedTools", "Bash", "@@slow@@"]);
    assert_eq!(answer.out, "it goes on\n");
    assert_eq!(answer.error, "annals: ended background command: echo begun; exec tail -f /dev/null\n");
    let sent = fixture.last();
    assert!(sent.contains("bash_1") && sent.contains("begun"), "{sent}");
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(session.contains(r#""backgroundTaskId":"bash_1","timedOutAfterMs":300"#), "{session}");
    let answer = run(&["--quiet", "--allowedTools", "Bash", "@@slow@@"]);
    assert_eq!(answer.error, "");
}

#[test]
fn a_command_that_ends_in_the_background_opens_a_turn() {
    let fixture = ChatFixture::new(
        r#"{"a":[[{"type":"tool_use","name":"Bash","input":{"command":"sleep 0.3; exit 3","description":"wait","run_in_background":true}}],
            [{"type":"text","text":"begun"}],[{"type":"text","text":"heard"}]]}"#,
    );
    let arguments = ["--allowedTools", "Bash", "--output-format", "stream-json", "@@a@@"];
    let answer = fixture.exits(&arguments, 0);
    let lines: Vec<&str> = answer.out.lines().collect();
    let results: Vec<_> = lines.iter().filter(|line| line.contains(r#""type":"result""#)).collect();
    assert_eq!(results.len(), 2, "{}", answer.out);
    assert!(results[1].contains(r#""result":"heard""#), "{}", results[1]);
    let tasks: Vec<_> = lines.iter().filter(|line| line.contains(r#""subtype":"task_"#)).collect();
    for (task, words) in tasks.iter().zip([
        [
            r#""subtype":"task_started","task_id":"bash_1""#,
            r#""description":"wait","is_backgrounded":true,"task_type":"local_bash""#,
        ],
        [r#""subtype":"task_updated","task_id":"bash_1""#, r#""patch":{"status":"failed","end_time":"#],
        [
            r#""subtype":"task_notification","task_id":"bash_1""#,
            r#"Background command \"wait\" failed with exit code 3"#,
        ],
    ]) {
        assert!(words.iter().all(|words| task.contains(words)), "{task}");
    }
    assert_eq!(tasks.len(), 3, "{}", answer.out);
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(session.contains(r#""origin":{"kind":"task-notification"}"#), "{session}");
    assert!(fixture.last().contains("<task-id>bash_1</task-id>"), "{}", fixture.last());
    assert!(!fixture.last().contains("The background command bash_1 has ended"), "it is told once");
    crate::annals_exits(&fixture.home, &["check", "last"], 0);
    assert_eq!(fixture.exits(&["--allowedTools", "Bash", "@@a@@"], 0).out, "heard\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_request_to_end_ends_commands_wherever_they_went() {
    ended_by("-TERM");
    // The caller of the tests may ignore hang-ups, and that is inherited.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    if u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 == 0 {
        ended_by("-HUP");
    }
}

#[cfg(target_os = "linux")]
#[track_caller]
fn ended_by(signal: &str) {
    let fixture = ChatFixture::new(SCRIPT);
    let mut command = fixture.command(&["--allowedTools", "Bash", "@@escapes@@"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let pids: Vec<String> = ["session", "nohup", "daemon", "stubborn"]
        .map(|name| {
            let path = fixture.home.work_dir().join(format!("{name}.pid"));
            while !path.exists() {
                assert!(began.elapsed() < HANGS, "{name} did not start");
                std::thread::sleep(Duration::from_millis(10));
            }
            std::fs::read_to_string(path).unwrap().trim().to_owned()
        })
        .into();
    assert!(pids.iter().all(|pid| runs(pid)));
    kill(&child, signal);
    let answer = CommandOutput::from(child.wait_with_output().unwrap());
    assert_eq!(answer.code, Some(143), "{}{}", answer.out, answer.error);
    let left: Vec<_> = pids.iter().filter(|pid| runs(pid)).collect();
    assert!(left.is_empty(), "still running: {left:?} of {pids:?}");
}

/// Signals reach a program that hangs because nobody reads what it prints.
#[test]
fn a_program_that_hangs_is_ended_by_the_third_interrupt_or_one_request() {
    let flood = "never to be read ".repeat(20_000);
    let script = format!(r#"{{"flood":[[{{"type":"text","text":"{flood}"}}]]}}"#);
    for (signals, code) in [(&["-INT", "-INT", "-INT"][..], 130), (&["-TERM"], 143)] {
        let fixture = ChatFixture::new(&script);
        let mut command = fixture.command(&["--output-format", "stream-json", "@@flood@@"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        // The first line of the answer is longer than a pipe holds; once it is written to the session, it is printed.
        let is_written = || {
            fixture.sessions().first().is_some_and(|file| std::fs::metadata(file).unwrap().len() > 300_000)
        };
        while !is_written() {
            assert!(began.elapsed() < HANGS, "it does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(300));
        for signal in signals {
            kill(&child, signal);
            std::thread::sleep(Duration::from_millis(100));
        }
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            if began.elapsed() > HANGS {
                child.kill().unwrap();
                panic!("it hangs");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(ended, Some(code));
        crate::annals_exits(&fixture.home, &["check", "last"], 0);
    }
}

/// Whether a process runs; one that is dead and not yet buried does not.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z')))
}
