//! Rewinding what commands did, summaries of one side of a prompt, and what a branch takes over.

use std::ops::ControlFlow;

use annals_store::DataDir;
use annals_store::command_changes::CommandChanges;
use annals_store::journal::{Journal, Stage};
use annals_surgery::rewind::{ForeignChanges, RewindOptions, RewindScope, TurnRef, apply, plan};
use annals_testkit::source::CountingSource;

use super::ChatFixture;
use super::journey::WORK;
use crate::annals_exits;

const SHELL: &str = r#"{
    "change":[[{"type":"tool_use","name":"Bash","input":{"command":"printf 'two\\n' > old.txt && rm kept.txt && printf new > new.txt"}},
               {"type":"tool_use","name":"Bash","input":{"command":"printf x > touched.txt; printf x >> large"}}],
              [{"type":"text","text":"All changed."}]]}"#;

#[test]
fn rules_that_were_granted_hold_in_a_branch() {
    let fixture = ChatFixture::new(WORK);
    let made = fixture.home.work_dir().join("made");
    let mut terminal = fixture.chat(&["@@run@@"]);
    terminal.sees("  touch made && seq 1 9\n");
    terminal.press("a\r");
    terminal.sees("It ran twice.");
    terminal.ends_with(">");
    std::fs::remove_file(&made).unwrap();
    terminal.press("/branch\r");
    terminal.sees("· resumed");
    terminal.ends_with(">");
    terminal.press("again @@run@@\r");
    let began = std::time::Instant::now();
    while !made.exists() {
        assert!(began.elapsed() < super::HANGS, "it is asked about again: {}", terminal.text());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn one_side_of_a_prompt_is_summarized() {
    let fixture = ChatFixture::new(WORK);
    let mut terminal = fixture.chat(&["first @@again@@"]);
    terminal.sees("Once more with feeling.");
    terminal.ends_with(">");
    terminal.press("second @@hello@@\r");
    terminal.sees("Hello, I am listening.");
    terminal.ends_with(">");
    terminal.press("/rewind\r");
    terminal.sees(" 2 second @@hello@@");
    terminal.press("2\r");
    terminal.sees("(s)ummarize from here");
    terminal.press("s\r");
    terminal.sees("conversation compacted");
    terminal.ends_with("> second @@hello@@");
    terminal.press("\x15third @@again@@\r");
    terminal.sees_times("Once more with feeling.", 2);
    terminal.ends_with(">");
    let sent = fixture.last();
    assert!(
        sent.contains("first")
            && sent.contains("sums up the later part")
            && !sent.contains("second @@hello@@"),
        "{sent}"
    );
    fixture.agrees();
    terminal.press("/rewind\r");
    terminal.sees(" 2 third @@again@@");
    terminal.press("2\r");
    terminal.sees_times("(s)ummarize from here", 2);
    terminal.press("u\r");
    terminal.sees_times("conversation compacted", 2);
    terminal.ends_with(">");
    terminal.press("fourth @@hello@@\r");
    terminal.sees_times("Hello, I am listening.", 2);
    terminal.ends_with(">");
    let sent = fixture.last();
    assert!(sent.contains("third @@again@@") && !sent.contains("first @@again@@"), "{sent}");
    fixture.agrees();
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn files_that_commands_changed_go_back() {
    let fixture = ChatFixture::new(SHELL);
    let work = fixture.home.work_dir();
    let text = |name: &str| std::fs::read_to_string(work.join(name)).ok();
    std::fs::write(work.join("kept.txt"), "mine\n").unwrap();
    std::fs::write(work.join("old.txt"), "one\n").unwrap();
    std::fs::write(work.join("large"), "x".repeat(1_048_577)).unwrap();
    let mut terminal = fixture.chat(&["@@change@@", "--allowed-tools", "Bash"]);
    terminal.sees("All changed.");
    terminal.ends_with(">");
    assert_eq!((text("old.txt").as_deref(), text("kept.txt")), (Some("two\n"), None));
    // What somebody does afterwards is left as it is.
    std::fs::write(work.join("touched.txt"), "by hand\n").unwrap();
    terminal.press("/rewind\r");
    terminal.sees(" 1 @@change@@");
    terminal.press("1\r");
    terminal.sees("3 files, 3 changed by commands");
    for line in [
        "kept.txt: created, changed by a command",
        "large: left unchanged, a command changed it",
        "new.txt: removed, changed by a command",
        "old.txt: restored, changed by a command",
        "touched.txt: left unchanged, something other",
    ] {
        terminal.sees(line);
    }
    terminal.press("f\r");
    terminal.sees("3 files restored; `annals undo` reverts that");
    terminal.ends_with(">");
    assert_eq!((text("old.txt").as_deref(), text("kept.txt").as_deref()), (Some("one\n"), Some("mine\n")));
    assert_eq!((text("new.txt"), text("touched.txt").as_deref()), (None, Some("by hand\n")));
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
    annals_exits(&fixture.home, &["undo", "--yes"], 0);
    assert_eq!((text("old.txt").as_deref(), text("kept.txt")), (Some("two\n"), None), "a way back");
    // The command line knows the same.
    let id = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    let shown = annals_exits(&fixture.home, &["rewind", &id, "--to", "1", "--code", "--dry-run"], 0).out;
    assert!(shown.contains("restored old.txt") && shown.contains("created  kept.txt"), "{shown}");
}

#[test]
fn a_rewind_that_was_cut_off_is_reverted_first() {
    let fixture = ChatFixture::new(SHELL);
    let work = fixture.home.work_dir();
    let text = |name: &str| std::fs::read_to_string(work.join(name)).ok();
    for (name, content) in [("kept.txt", "mine\n"), ("old.txt", "one\n"), ("large", "x")] {
        std::fs::write(work.join(name), content).unwrap();
    }
    let mut terminal = fixture.chat(&["@@change@@", "--allowed-tools", "Bash"]);
    terminal.sees("All changed.");
    terminal.ends_with(">");
    // As if it had been killed.
    let session = annals_surgery::Session::load(&fixture.session()).unwrap();
    let data = DataDir::new(fixture.home.data_dir());
    let history = CommandChanges::of_session(&data, &session.key).unwrap().read().unwrap();
    let options = RewindOptions {
        scope: RewindScope::Code,
        foreign: ForeignChanges::Left,
        home: None,
        commands: history.as_ref(),
    };
    let source = CountingSource::default();
    let planned = plan(&session, &[], &TurnRef::Number(1), options, &source).unwrap();
    let mut stop = |step| if step == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert!(apply(&planned, &data, &source, &mut stop).is_err());
    assert_eq!(Journal::new(&data).entries()[0].stage, Stage::Begun);
    terminal.press("/rewind\r");
    terminal.sees(" 1 @@change@@");
    terminal.press("1\r");
    terminal.sees("an earlier rewind was interrupted");
    terminal.press("f\r");
    terminal.sees("the interrupted rewind was reverted: run /rewind again");
    terminal.ends_with(">");
    assert_eq!((text("old.txt").as_deref(), text("kept.txt")), (Some("two\n"), None));
    terminal.press("/rewind\r");
    terminal.sees_times(" 1 @@change@@", 2);
    terminal.press("1\r");
    terminal.sees("5 files, 5 changed by commands");
    terminal.press("f\r");
    terminal.sees("5 files restored; `annals undo` reverts that");
    terminal.ends_with(">");
    assert_eq!((text("old.txt").as_deref(), text("kept.txt").as_deref()), (Some("one\n"), Some("mine\n")));
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn the_chat_screen_says_what_a_rewind_changes_and_what_it_has_done() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SHELL);
        let work = fixture.home.work_dir();
        for (name, content) in [("kept.txt", "mine\n"), ("old.txt", "one\n"), ("large", "x")] {
            std::fs::write(work.join(name), content).unwrap();
        }
        let arguments = ["--screen", layout, "--allowedTools", "Bash", "--", "@@change@@"];
        let mut terminal = fixture.chat_in((100, 40), &arguments, |_| {});
        terminal.sees("All changed.");
        terminal.sees("? keys");
        terminal.press("/rewind\r");
        terminal.sees("rewind to before which prompt?");
        terminal.sees("(current)");
        terminal.press("\r");
        terminal.sees("old.txt: restored, changed by a command · +1 −1");
        terminal.sees("    + one");
        terminal.sees("    - two");
        terminal.sees("conversation: 1 prompt and its answer");
        terminal.sees("  > @@change@@");
        std::thread::sleep(std::time::Duration::from_millis(900));
        terminal.press("1");
        terminal.sees("rewound to before that prompt");
        terminal.sees("files restored; `annals undo` reverts that");
        assert_eq!(std::fs::read_to_string(work.join("old.txt")).unwrap(), "one\n");
        terminal.press("\x15/exit\r");
        assert_eq!(terminal.code(), Some(0));
        fixture.holds();
    }
}
