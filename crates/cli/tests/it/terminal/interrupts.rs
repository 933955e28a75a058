//! Ctrl-C and signals in every phase: they always work, and the session stays valid.

use annals_testkit::terminal::Terminal;

use super::{ChatFixture, signal};

const SCRIPT: &str = r#"{
    "silent":[{"content":[{"type":"text","text":"never"}],"play":["stall"]}],
    "stream":[{"content":[{"type":"text","text":"one two"},{"type":"text","text":"never"}],
        "play":["head",{"events":[0,6]},"stall"]}],
    "ask":[[{"type":"tool_use","name":"Bash","input":{"command":"touch made"}}],[{"type":"text","text":"after"}]],
    "stubborn":[[{"type":"tool_use","name":"Bash","input":{"command":"trap '' INT TERM; echo started; while :; do sleep 0.1; done"}}],
        [{"type":"text","text":"after"}]],
    "fine":[[{"type":"text","text":"all is well"}]]}"#;

const INTERRUPT: &str = "\x03";

/// The conversation goes on after what was interrupted, and leaves in order.
#[track_caller]
fn goes_on(fixture: &ChatFixture, terminal: &mut Terminal) {
    terminal.press("\x15@@fine@@\r");
    terminal.sees("all is well");
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
    fixture.agrees();
}

#[test]
fn before_anything_came_the_prompt_comes_back() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["say @@silent@@"]);
    terminal.sees("working…");
    terminal.press(INTERRUPT);
    terminal.sees("interrupted");
    terminal.ends_with("> say @@silent@@");
    goes_on(&fixture, &mut terminal);
    assert!(!fixture.last().contains("@@silent@@"), "nothing came of it, so it is not sent again");
}

#[test]
fn while_it_streams() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["@@stream@@"]);
    terminal.sees("one two");
    terminal.press("\x1b");
    terminal.sees("interrupted");
    terminal.ends_with(">");
    goes_on(&fixture, &mut terminal);
    assert!(fixture.last().contains("one two") && fixture.last().contains("[Request interrupted by user]"));
}

#[test]
fn while_a_question_waits() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["@@ask@@"]);
    terminal.sees("? Bash\n  touch made");
    terminal.press(INTERRUPT);
    terminal.sees("interrupted");
    terminal.ends_with(">");
    assert!(!fixture.home.work_dir().join("made").exists());
    goes_on(&fixture, &mut terminal);
    assert!(fixture.last().contains("[Request interrupted by user for tool use]"));
}

#[test]
fn while_a_command_runs_that_does_not_listen() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["--allowedTools", "Bash", "@@stubborn@@"]);
    terminal.sees("● Bash  trap");
    terminal.sees("Bash: started");
    terminal.press(INTERRUPT);
    terminal.sees("interrupted");
    terminal.ends_with(">");
    goes_on(&fixture, &mut terminal);
}

#[test]
fn while_it_is_summed_up() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&["@@fine@@"]);
    terminal.sees("all is well");
    terminal.ends_with(">");
    // The title comes beside the conversation, when it comes.
    fixture.is_titled("all is well");
    let before = std::fs::read(fixture.session()).unwrap();
    terminal.press("/compact @@silent@@\r");
    terminal.sees("compacting…");
    terminal.press(INTERRUPT);
    terminal.sees("could not summarize the conversation: it was interrupted");
    terminal.ends_with(">");
    assert_eq!(std::fs::read(fixture.session()).unwrap(), before, "nothing was written");
    terminal.press("@@fine@@ again\r");
    terminal.sees_times("all is well", 2);
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn at_the_prompt_it_clears_the_line_and_twice_it_leaves() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&[]);
    terminal.sees("/help");
    terminal.press("some words");
    terminal.ends_with("> some words");
    terminal.press(INTERRUPT);
    terminal.ends_with(">");
    terminal.press(INTERRUPT);
    terminal.sees("press ctrl-c again to exit");
    terminal.press(INTERRUPT);
    assert_eq!(terminal.code(), Some(0));
    assert!(fixture.sessions().is_empty(), "nothing was said");
}

#[test]
fn a_second_one_and_a_request_to_end_leave_at_once_with_a_whole_session() {
    type Act = fn(&Terminal);
    let acts: [(Act, i32); 4] = [
        (|terminal| terminal.press("\x03\x03"), 130),
        (|terminal| terminal.press("\x03\x03\x03\x03"), 130),
        (|terminal| signal(terminal, "-TERM"), 143),
        (|terminal| signal(terminal, "-HUP"), 143),
    ];
    for (act, code) in acts {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat(&["--allowedTools", "Bash", "@@stubborn@@"]);
        terminal.sees("Bash: started");
        let raw = format!("{:?}", terminal.modes().local_modes);
        act(&terminal);
        assert_eq!(terminal.code(), Some(code), "{}", terminal.text());
        assert_ne!(format!("{:?}", terminal.modes().local_modes), raw, "the terminal is given back");
        let mut terminal = fixture.chat(&["--continue", "@@fine@@"]);
        terminal.sees("all is well");
        terminal.ends_with(">");
        terminal.press("\x04");
        assert_eq!(terminal.code(), Some(0));
        fixture.holds();
    }
}

#[test]
fn a_third_one_ends_a_program_that_hangs() {
    // A program that prints to a terminal that is not read blocks.
    let flood = "never to be seen ".repeat(20_000);
    let script = format!(
        r#"{{"flood":[
            [{{"type":"tool_use","name":"Bash","input":{{"command":"setsid tail -f /dev/null & echo $! > pid","run_in_background":true}}}}],
            [{{"type":"text","text":"{flood}"}}]]}}"#
    );
    let fixture = ChatFixture::new(&script);
    let mut terminal = fixture.chat(&["--allowedTools", "Bash", "@@flood@@"]);
    terminal.stop_reading();
    let (began, path) = (std::time::Instant::now(), fixture.home.work_dir().join("pid"));
    let pid = loop {
        match std::fs::read_to_string(&path) {
            Ok(pid) if pid.ends_with('\n') => break pid,
            _ => assert!(began.elapsed().as_secs() < 30, "the command in the background does not start"),
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    };
    for _ in 0..3 {
        terminal.press(INTERRUPT);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(terminal.code(), Some(130));
    assert_eq!(format!("{:?}", terminal.modes()), format!("{:?}", terminal.initial_modes()));
    if cfg!(target_os = "linux") {
        let left = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(left.is_empty() || left.contains(") Z "), "a command is left: {left}");
    }
    fixture.holds();
}

#[test]
fn stopped_and_continued_the_terminal_stays_sane() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat(&[]);
    terminal.sees("/help");
    terminal.ends_with(">");
    let raw = format!("{:?}", terminal.modes());
    terminal.press("half a l\x1a");
    let began = std::time::Instant::now();
    while format!("{:?}", terminal.modes()) == raw {
        assert!(began.elapsed().as_secs() < 30, "it does not give the terminal back");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    signal(&terminal, "-CONT");
    terminal.press("ine");
    terminal.ends_with("> half a line");
    assert_eq!(format!("{:?}", terminal.modes()), raw);
    terminal.press("\x03\x04");
    assert_eq!(terminal.code(), Some(0));
}

/// What the system says of a process: running, asleep, stopped.
#[cfg(target_os = "linux")]
fn state(id: u32) -> Option<char> {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    status.rsplit(") ").next()?.chars().next()
}

#[cfg(target_os = "linux")]
#[test]
fn what_waits_for_it_is_stopped_with_it() {
    let fixture = ChatFixture::new(SCRIPT);
    let script = format!(
        "'{}' chat --plain --model {}; echo left with $?",
        env!("CARGO_BIN_EXE_annals"),
        super::MODEL
    );
    let mut terminal = Terminal::run(|setsid| fixture.command(setsid), &["sh", "-c", &script], (80, 24));
    terminal.sees("/help");
    terminal.ends_with(">");
    terminal.press("half a l\x1a");
    let began = std::time::Instant::now();
    while state(terminal.id()) != Some('T') {
        assert!(began.elapsed().as_secs() < 30, "the shell is not stopped: {:?}", state(terminal.id()));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let group = format!("-{}", terminal.id());
    assert!(std::process::Command::new("kill").args(["-CONT", "--", &group]).status().unwrap().success());
    terminal.press("ine");
    terminal.ends_with("> half a line");
    // Until the program has the keys again, the terminal itself takes ctrl-d.
    terminal.press("\x03");
    terminal.ends_with(">");
    terminal.press("\x04");
    terminal.sees("left with 0");
    assert_eq!(terminal.code(), Some(0));
}
