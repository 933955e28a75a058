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
    let answer = fixture.exits(&["--allowedTools", "Bash", "@@slow@@"], 0);
    assert_eq!(answer.out, "it goes on\n");
    assert_eq!(answer.error, "annals: ended background command: echo begun; exec tail -f /dev/null\n");
    let sent = fixture.last();
    assert!(sent.contains("bash_1") && sent.contains("begun"), "{sent}");
    let session = std::fs::read_to_string(&fixture.sessions()[0]).unwrap();
    assert!(session.contains(r#""backgroundTaskId":"bash_1","timedOutAfterMs":300"#), "{session}");
    let answer = fixture.exits(&["--quiet", "--allowedTools", "Bash", "@@slow@@"], 0);
    assert_eq!(answer.error, "");
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
