//! The prompt of the chat screen in a real terminal: what is completed, pasted, searched and edited elsewhere, and what of it reaches
//! the model and the history; and questions of the model.

use annals_testkit::terminal::Terminal;

use super::ChatFixture;

const SCRIPT: &str = r#"{
    "hello":[[{"type":"text","text":"Hello there."}]],
    "paste":[[{"type":"text","text":"I have read it."}]],
    "slow":[[{"type":"tool_use","name":"Bash","input":{"command":"echo begun; sleep 3"}}],
            [{"type":"text","text":"slept well"}]],
    "ask":[[{"type":"tool_use","name":"AskUserQuestion","input":{"questions":[
               {"question":"Which beds?","header":"Beds","options":[{"label":"North","description":"in the shade"},{"label":"South","description":"in the sun"}]},
               {"question":"Which tools?","header":"Tools","multiSelect":true,"options":[{"label":"Spade","description":""},{"label":"Rake","description":""}]}]}}],
           [{"type":"text","text":"Thank you."}]]}"#;

fn begin(fixture: &ChatFixture) -> Terminal {
    let terminal = fixture.chat_in((80, 30), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("Hello there.");
    terminal
}

#[test]
fn commands_and_files_are_completed() {
    let fixture = ChatFixture::new(SCRIPT);
    for (path, text) in [("beds.md", "thirty beds"), ("ignored.md", ""), (".gitignore", "ignored.md\n")] {
        std::fs::write(fixture.home.work_dir().join(path), text).unwrap();
    }
    let mut terminal = begin(&fixture);
    terminal.press("/stts");
    terminal.sees("❯ /status");
    terminal.sees("show version, model, permission mode");
    terminal.press("\r");
    terminal.sees("> /status");
    terminal.press("@md");
    terminal.sees("❯ @beds.md");
    assert!(!terminal.text().contains("ignored.md"), "{}", terminal.text());
    terminal.press("\t");
    terminal.press("for @@hello@@\r");
    terminal.sees_times("Hello there.", 2);
    assert!(fixture.last().contains("thirty beds"), "{}", fixture.last());
    terminal.press("@Expl");
    terminal.sees("❯ @agent-Explore");
    terminal.press("\x1b");
    terminal.press("\x15");
    fixture.leave(&mut terminal);
}

#[test]
fn a_paste_is_a_chip_the_model_gets_it_in_full_and_the_history_keeps_both() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture);
    terminal.press("\x1b[200~first line\nsecond line\nthird line\x1b[201~");
    terminal.sees("❯ [Pasted text #1 +2 lines]");
    terminal.press(" @@paste@@\r");
    terminal.sees("> [Pasted text #1 +2 lines] @@paste@@");
    terminal.sees("I have read it.");
    assert!(fixture.last().contains(r"first line\nsecond line\nthird line @@paste@@"), "{}", fixture.last());
    let history = std::fs::read_to_string(fixture.home.config_dir().join("history.jsonl")).unwrap();
    let line = history.lines().last().unwrap();
    assert!(
        line.starts_with(
            r#"{"display":"[Pasted text #1 +2 lines] @@paste@@","pastedContents":{"1":{"id":1,"type":"text","content":"first line\nsecond line\nthird line"}},"#
        ),
        "{line}"
    );
    // It is recalled with its paste.
    terminal.press("\x1b[A");
    terminal.sees("❯ [Pasted text #1 +2 lines] @@paste@@");
    terminal.press(" again\r");
    terminal.sees_times("I have read it.", 2);
    assert!(fixture.last().contains(r"third line @@paste@@ again"), "{}", fixture.last());
    fixture.leave(&mut terminal);
}

#[test]
fn a_paste_reaches_the_running_turn_and_the_history() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in(
        (80, 30),
        &["--screen", "inline", "--allowedTools", "Bash", "--", "@@slow@@"],
        |_| {},
    );
    terminal.sees("└ begun");
    terminal.press("\x1b[200~first line\nsecond line\nthird line\x1b[201~");
    terminal.press(" too\r");
    terminal.sees("queued: [Pasted text #1 +2 lines] too · up edits");
    terminal.sees("> [Pasted text #1 +2 lines] too");
    terminal.sees("slept well");
    assert!(fixture.last().contains(r"first line\nsecond line\nthird line too"), "{}", fixture.last());
    let history = std::fs::read_to_string(fixture.home.config_dir().join("history.jsonl")).unwrap();
    let line = history.lines().last().unwrap();
    assert!(
        line.contains(r#""display":"[Pasted text #1 +2 lines] too""#) && line.contains("third line"),
        "{line}"
    );
    fixture.leave(&mut terminal);
}

#[test]
fn prompts_of_other_projects_are_found() {
    let fixture = ChatFixture::new(SCRIPT);
    let line = r#"{"display":"water the @@hello@@ elsewhere","pastedContents":{},"timestamp":1,"project":"/elsewhere","sessionId":"s"}"#;
    fixture.home.write("history.jsonl", format!("{line}\n"));
    let mut terminal = begin(&fixture);
    terminal.press("\x12wtr");
    terminal.sees("search: wtr");
    terminal.sees("❯ water the @@hello@@ elsewhere");
    terminal.press("\r");
    terminal.sees("❯ water the @@hello@@ elsewhere");
    terminal.press("\r");
    terminal.sees_times("Hello there.", 2);
    fixture.leave(&mut terminal);
}

#[test]
fn the_settings_choose_vim() {
    let fixture = ChatFixture::new(SCRIPT);
    fixture.home.write("settings.json", r#"{"editorMode":"vim"}"#);
    let mut terminal = begin(&fixture);
    terminal.sees("-- INSERT --");
    terminal.press("one two");
    terminal.press("\x1b");
    terminal.sees("-- NORMAL --");
    terminal.press("bDa/exit");
    terminal.sees("one /exit");
    terminal.press("\x1b");
    terminal.sees("-- NORMAL --");
    terminal.press("0dw\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    fixture.holds();
}

#[test]
fn the_text_is_edited_by_a_program_of_the_person() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = ChatFixture::new(SCRIPT);
    let program = fixture.home.work_dir().join("editor");
    std::fs::write(&program, "#!/bin/sh\nprintf ' edited @@hello@@\\n' >> \"$1\"\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut terminal = fixture.chat_in((80, 30), &["--screen", "full", "say @@hello@@"], |command| {
        command.env("EDITOR", &program).env_remove("VISUAL");
    });
    terminal.sees("Hello there.");
    // It is carried out when the turn has ended; during one, no other editor is opened.
    terminal.press("/status\r");
    terminal.sees("> /status");
    terminal.sees("folder");
    terminal.press("draft\x07");
    terminal.sees("❯ draft edited @@hello@@");
    terminal.press("\r");
    terminal.sees("> draft edited @@hello@@");
    fixture.leave(&mut terminal);
}

#[test]
fn a_line_for_the_shell_is_run_and_shown_with_its_sign() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = begin(&fixture);
    terminal.press("!echo @@hello@@ from the shell");
    terminal.sees("! runs in the shell");
    terminal.press("\r");
    terminal.sees_times("Hello there.", 2);
    let session = std::fs::read_to_string(fixture.session()).unwrap();
    assert!(session.contains("<bash-input>echo @@hello@@ from the shell</bash-input>"), "{session}");
    fixture.leave(&mut terminal);
}

#[test]
fn questions_of_the_model_are_answered_by_choices() {
    for layout in ["inline", "full"] {
        let fixture = ChatFixture::new(SCRIPT);
        let mut terminal = fixture.chat_in((80, 30), &["--screen", layout, "@@ask@@"], |_| {});
        terminal.sees("? Which beds? (1 of 2)");
        terminal.sees("2. South: in the sun");
        // Keys that come at once are the prompt's.
        std::thread::sleep(std::time::Duration::from_millis(900));
        terminal.press("2");
        terminal.sees("? Which tools? (2 of 2)");
        terminal.sees("[ ] 1. Spade");
        std::thread::sleep(std::time::Duration::from_millis(500));
        terminal.press("12");
        terminal.sees("[x] 2. Rake");
        terminal.press("\r");
        terminal.sees("Thank you.");
        assert!(!terminal.text().contains(r#"{"question"#), "{}", terminal.text());
        let said = fixture.last();
        assert!(said.contains("South") && said.contains("Spade, Rake"), "{said}");
        fixture.leave(&mut terminal);
    }
}

#[test]
fn texts_of_editors_whose_process_is_gone_are_removed() {
    let fixture = ChatFixture::new(SCRIPT);
    let data = fixture.home.data_dir();
    std::fs::create_dir_all(&data).unwrap();
    // The first is of a process that was killed, the second of one that waits for its editor.
    let (left, open) =
        (data.join("prompt-4294967294-a.md"), data.join(format!("prompt-{}-a.md", std::process::id())));
    for path in [&left, &open] {
        std::fs::write(path, "the password is hunter2").unwrap();
    }
    let mut terminal = begin(&fixture);
    assert!(!left.exists() && open.exists());
    fixture.leave(&mut terminal);
    // Nor is it left where secrets are removed.
    std::fs::write(&left, "the password is hunter2").unwrap();
    let id = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    crate::annals_exits(&fixture.home, &["redact", &id, "--yes"], 0);
    assert!(!left.exists() && open.exists());
}
