//! What is typed during a turn, on the chat screen and on lines: commands that only show something run at once, what changes the
//! conversation waits in order with prompts, and tasks are looked at and stopped meanwhile; and sub-agents in the transcript.

use annals_testkit::terminal::Terminal;

use super::ChatFixture;

const SCRIPT: &str = r#"{
    "slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; for i in $(seq 1200); do [ -e go ] && break; sleep 0.05; done"}}],[{"type":"text","text":"It slept well."}]],
    "next":[[{"type":"text","text":"Next it is."}]],
    "back":[[{"type":"tool_use","name":"Bash","input":{"command":"seq 1 300; sleep 600","run_in_background":true}}],
            [{"type":"tool_use","name":"Bash","input":{"command":"echo begun; for i in $(seq 1200); do [ -e go ] && break; sleep 0.05; done"}}],[{"type":"text","text":"It runs."}]],
    "send":[[{"type":"tool_use","name":"Agent","input":{"description":"Look around","prompt":"@@look@@","subagent_type":"general-purpose"}}],[{"type":"text","text":"They are back."}]],
    "look":[[{"type":"text","text":"I look."},{"type":"tool_use","name":"Bash","input":{"command":"echo seen $((40 + 2))"}}],[{"type":"text","text":"Nothing there."}]]}"#;

fn begin(fixture: &ChatFixture, interface: &[&str], prompt: &str) -> Terminal {
    let arguments = [interface, &["--allowedTools", "Bash", "--", prompt]].concat();
    fixture.chat_in((100, 40), &arguments, |_| {})
}

/// Lets the command of the turn end.
fn go(fixture: &ChatFixture) {
    std::fs::write(fixture.home.work_dir().join("go"), "").unwrap();
}

fn leave(fixture: &ChatFixture, terminal: &mut Terminal) {
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    fixture.holds();
}

#[test]
fn what_only_shows_something_runs_at_once() {
    for interface in [&["--screen", "inline"][..], &["--screen", "full"], &["--plain"]] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = begin(&fixture, interface, "@@slow@@");
        terminal.sees("begun");
        for (command, shown) in [
            ("/status", "more folders"),
            ("/permissions Bash rm x", "would be allowed: the allow rule `Bash`"),
            ("/context", "counted by the API"),
            ("/cost", "10 in · 20 out"),
            ("/nothing", "unknown command /nothing"),
            ("/tasks", "nothing runs in the background"),
            ("/export talk.md", "talk.md, with secrets if it has any"),
        ] {
            terminal.press(&format!("{command}\r"));
            terminal.sees(shown);
        }
        let shown = terminal.text();
        assert!(!shown.contains("slept well") && !shown.contains("queued"), "{interface:?}: {shown}");
        go(&fixture);
        terminal.sees("It slept well.");
        leave(&fixture, &mut terminal);
        fixture.agrees();
    }
}

#[test]
fn a_prompt_waits_behind_a_command() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture, &["--screen", "inline"], "@@slow@@");
    terminal.sees("begun");
    terminal.press("/rename Beds\r");
    terminal.sees("queued: /rename Beds");
    terminal.press("then @@next@@\r");
    terminal.sees("queued: then @@next@@");
    go(&fixture);
    terminal.sees("Next it is.");
    leave(&fixture, &mut terminal);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    let (title, prompt) = (session.find(r#""customTitle":"Beds""#), session.find("then @@next@@"));
    assert!(title.is_some() && title < prompt, "{session}");
    assert!(!session.contains("absorbed_mid_turn"), "{session}");
    fixture.agrees();
}

#[test]
fn a_model_is_chosen_during_a_turn_and_holds_for_the_prompt_after_it() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture, &["--screen", "inline"], "@@slow@@");
    terminal.sees("begun");
    terminal.press("/model\r");
    terminal.sees("enter chooses");
    terminal.press("haiku\r");
    terminal.sees("queued: /model haiku");
    terminal.press("then @@next@@\r");
    terminal.sees("queued: then @@next@@");
    go(&fixture);
    terminal.sees("Next it is.");
    leave(&fixture, &mut terminal);
    let bodies = fixture.bodies();
    let of =
        |text: &str| bodies.iter().rfind(|body| body.contains(text) && body.contains(r#""tools":"#)).unwrap();
    assert!(of("then @@next@@").contains(r#""model":"claude-haiku"#), "{}", of("then @@next@@"));
    let first = bodies.iter().find(|body| body.contains("@@slow@@") && body.contains(r#""tools":"#)).unwrap();
    assert!(first.contains(r#""model":"claude-opus-4-5"#), "{first}");
}

#[test]
fn a_task_is_read_and_stopped_during_a_turn() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture, &["--screen", "inline"], "@@back@@");
    terminal.sees("begun");
    terminal.press("/tasks\r");
    terminal.sees("❯ bash_1   running");
    terminal.sees("│ 300");
    // The whole output, not its last lines only.
    terminal.press("\r");
    terminal.sees("q leaves");
    terminal.press("g");
    terminal.sees("more below");
    assert!(
        terminal.visible().lines().nth(1).is_some_and(|line| line.trim() == "1"),
        "{}",
        terminal.visible()
    );
    terminal.press("q");
    terminal.sees("x stops");
    terminal.press("x");
    terminal.sees("bash_1   killed");
    terminal.press("q");
    go(&fixture);
    terminal.sees("It runs.");
    leave(&fixture, &mut terminal);
}

#[test]
fn a_sub_agent_is_whole_in_the_transcript_live_and_resumed() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture, &["--screen", "full"], "@@send@@");
    terminal.sees("They are back.");
    terminal.sees("┊ 1 tool call");
    let totals = |terminal: &Terminal| {
        let seen = terminal.visible();
        let line =
            seen.lines().find(|line| line.contains("┊ 1 tool call")).map(str::trim).unwrap_or_default();
        line.to_owned()
    };
    let live = totals(&terminal);
    let in_full = |terminal: &mut Terminal| {
        terminal.press("\x0f");
        terminal.sees("q leaves");
        for text in ["I look.", "seen 42", "Nothing there."] {
            assert!(terminal.visible().contains(text), "{text}: {}", terminal.visible());
        }
        terminal.press("/seen 42\r");
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!terminal.visible().contains("not found"), "{}", terminal.visible());
        terminal.press("q");
        terminal.sees("? keys");
    };
    in_full(&mut terminal);
    leave(&fixture, &mut terminal);
    let session = fixture.session();
    let id = session.file_stem().unwrap().to_string_lossy().into_owned();
    let mut terminal = fixture.chat_in((100, 40), &["--screen", "full", "--resume", &id], |_| {});
    terminal.sees("They are back.");
    assert_eq!(totals(&terminal), live);
    in_full(&mut terminal);
    leave(&fixture, &mut terminal);
}
