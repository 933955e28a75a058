//! From the first prompt to rewind and resume, as a user would do it.

use super::ChatFixture;
use crate::annals_exits;

pub(super) const WORK: &str = r#"{
    "hello":[[{"type":"thinking","thinking":"first a thought\nthen another"},{"type":"text","text":"Hello, I am listening."}]],
    "write":[[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt","content":"one\ntwo\n"}}],
             [{"type":"text","text":"So be it."}]],
    "edit":[[{"type":"tool_use","name":"Edit","input":{"file_path":"a.txt","old_string":"two","new_string":"2"}},
             {"type":"tool_use","name":"TodoWrite","input":{"todos":[
                {"content":"Count","status":"completed","activeForm":"Counting"},
                {"content":"Measure","status":"in_progress","activeForm":"Measuring"}]}}],
            [{"type":"text","text":"Edited."}]],
    "run":[[{"type":"tool_use","name":"Bash","input":{"command":"touch made && seq 1 9"}}],
           [{"type":"tool_use","name":"Bash","input":{"command":"touch made && seq 1 9"}}],
           [{"type":"text","text":"It ran twice."}]],
    "again":[[{"type":"text","text":"Once more with feeling."}]]}"#;

#[test]
fn from_the_first_prompt_to_rewind_and_resume() {
    let fixture = ChatFixture::new(WORK);
    let work = fixture.home.work_dir();
    let mut terminal = fixture.chat(&[]);
    terminal.sees("· new · /help");
    terminal.press("say @@hello@@\r");
    terminal.sees("∴ first a thought …");
    terminal.sees("Hello, I am listening.");
    terminal.ends_with(">");

    // No, with a word; then yes.
    terminal.press("@@write@@\r");
    terminal.sees("? Write a.txt");
    terminal.sees("  1 + one\n  2 + two");
    terminal.press("perhaps\r");
    terminal.sees("answer y, n or one of the keys above");
    terminal.press("n not yet\r");
    terminal.sees("Permission to use Write was denied: not yet.");
    terminal.sees("So be it.");
    assert!(!work.join("a.txt").exists() && fixture.last().contains("not yet"));
    terminal.ends_with(">");
    terminal.press("@@write@@ now\r");
    terminal.sees_times("? Write a.txt", 2);
    terminal.press("a\r");
    terminal.sees("● Write  a.txt\n  │ 2 lines\n  │ 1 + one\n  │ 2 + two");
    terminal.sees_times("So be it.", 2);
    terminal.ends_with(">");

    // What was granted for this file holds for the next change of it.
    terminal.press("@@edit@@\r");
    terminal.sees("● Edit  a.txt\n  │ 1   one\n  │ 2 - two\n  │ 2 + 2");
    terminal.sees("☑ Count\n  │ ◐ Measure");
    terminal.sees("Edited.");
    assert_eq!(std::fs::read_to_string(work.join("a.txt")).unwrap(), "one\n2\n");
    terminal.ends_with(">");

    // A command is asked about once where a rule is granted.
    terminal.press("@@run@@\r");
    terminal.sees("  touch made && seq 1 9\n");
    terminal.press("a\r");
    terminal.sees_times("● Bash  touch made && seq 1 9\n  │ 1\n  │ 2\n  │ 3\n  │ … 5 lines more\n  │ 9", 2);
    terminal.sees("It ran twice.");
    terminal.ends_with(">");

    for (command, shown) in [
        ("/todos", "◐ Measure\n"),
        ("/cost", "claude-opus-4-5: $0."),
        ("/context", "  messages  about "),
        ("/model", "current model: claude-opus-4-5; /model NAME"),
        ("/nothing", "unknown command /nothing; /help lists all"),
        ("/help", "summarize the conversation"),
        ("/model haiku", "model set to claude-haiku-5-5"),
        ("/model claude-opus-4-5", "model set to claude-opus-4-5"),
    ] {
        terminal.press(&format!("{command}\r"));
        terminal.sees(shown);
        terminal.ends_with(">");
    }

    // Back to before the command was run: the prompt comes back, to be said in another way.
    terminal.press("/rewind\r");
    terminal.sees(" 5 @@run@@");
    terminal.press("5\r");
    terminal.sees("  1 file, 1 changed by commands\n  made: removed, changed by a command");
    terminal.press("c\r");
    terminal.ends_with("> @@run@@");
    terminal.press("\x15");
    terminal.press("instead @@again@@\r");
    terminal.sees("Once more with feeling.");
    terminal.ends_with(">");
    let sent = fixture.last();
    fixture.agrees();
    assert!(sent.contains("instead") && !sent.contains("@@run@@") && sent.contains("@@edit@@"), "{sent}");

    terminal.press("/compact the numbers\r");
    terminal.sees("conversation compacted");
    assert!(fixture.last().contains("the numbers"));
    terminal.ends_with(">");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    let id = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    let text = terminal.text();
    assert!(
        text.contains(&format!("annals chat --resume {id}"))
            && text.contains(&format!("claude --resume {id}"))
    );
    assert_eq!(
        format!("{:?}", terminal.modes()),
        format!("{:?}", terminal.initial_modes()),
        "the terminal is as it was"
    );
    fixture.holds();

    // Where it stood, it goes on.
    let mut terminal = fixture.chat(&["--resume", &id, "and @@hello@@"]);
    terminal.sees(&format!("session {id} · resumed"));
    terminal.sees("Hello, I am listening.");
    terminal.ends_with(">");
    // An earlier prompt, by a key.
    terminal.press("\x1b[A\x1b[A");
    terminal.ends_with("> instead @@again@@");
    terminal.press("\x03/todos\r");
    terminal.sees("◐ Measure\n");
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
    let sent = fixture.last();
    assert!(
        sent.contains("This conversation continues an earlier one") && !sent.contains("@@edit@@"),
        "{sent}"
    );
    fixture.agrees();
}

#[test]
fn files_go_back_with_the_conversation_or_without_it() {
    let fixture = ChatFixture::new(WORK);
    let file = fixture.home.work_dir().join("a.txt");
    let mut terminal = fixture.chat(&["--permission-mode", "acceptEdits", "@@write@@"]);
    terminal.sees("So be it.");
    terminal.ends_with(">");
    terminal.press("@@edit@@\r");
    terminal.sees("Edited.");
    terminal.ends_with(">");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\n2\n");
    terminal.press("/rewind\r");
    terminal.sees(" 2 @@edit@@");
    terminal.press("2\r");
    terminal.sees("a.txt: restored");
    terminal.press("f\r");
    terminal.sees("1 file restored");
    terminal.ends_with(">");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
    terminal.press("/rewind\r");
    terminal.sees_times("rewind to before which prompt?", 2);
    terminal.press("1\r");
    terminal.sees("a.txt: removed");
    terminal.press("b\r");
    terminal.ends_with("> @@write@@");
    assert!(!file.exists());
    terminal.press("\x15@@again@@\r");
    terminal.sees("Once more with feeling.");
    terminal.ends_with(">");
    assert!(!fixture.last().contains("@@write@@"));
    fixture.agrees();
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
    annals_exits(&fixture.home, &["undo", "--yes"], 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n", "a way back");
}

#[test]
fn a_new_session_and_back_to_the_old_one() {
    let fixture = ChatFixture::new(WORK);
    let mut terminal = fixture.chat(&["apples @@again@@"]);
    terminal.sees("Once more with feeling.");
    terminal.ends_with(">");
    fixture.is_titled("Once more with feeling.");
    let first = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    terminal.press("/clear\r");
    terminal.sees_times("· new ·", 2);
    terminal.sees("annals chat --resume");
    terminal.press("bananas @@hello@@\r");
    terminal.sees("Hello, I am listening.");
    terminal.ends_with(">");
    assert_eq!(fixture.sessions().len(), 2);
    assert!(!fixture.last().contains("apples"));
    terminal.press("/resume\r");
    terminal.sees("Once more with feeling. ·");
    terminal.press("2\r");
    terminal.sees(&format!("session {first} · resumed"));
    terminal.press("cherries @@again@@\r");
    terminal.sees_times("Once more with feeling.", 3);
    terminal.ends_with(">");
    assert!(fixture.last().contains("apples") && !fixture.last().contains("bananas"));
    terminal.press(&format!("/resume {first}\r"));
    terminal.sees("this session is already open");
    terminal.press("/resume nobody\r");
    terminal.sees("nobody");
    terminal.press("\x03\x03");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
}

#[test]
fn a_session_gets_a_title_once() {
    let fixture = ChatFixture::new(WORK);
    let mut terminal = fixture.chat(&["about pears @@hello@@"]);
    terminal.sees("Hello, I am listening.");
    terminal.ends_with(">");
    fixture.is_titled("Hello, I am listening.");
    // It was asked of the small model, with nothing but the prompt; nothing of it is to be seen.
    let asides = fixture.asides();
    assert!(
        asides.len() == 1 && asides[0].contains("haiku") && asides[0].contains("about pears"),
        "{asides:?}"
    );
    assert_eq!(terminal.text().matches("Hello, I am listening.").count(), 1);
    terminal.press("@@again@@\r");
    terminal.sees("Once more with feeling.");
    terminal.ends_with(">");
    fixture.agrees();
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
    fixture.holds();
    // One that has a title is not named again, and neither is what is not kept.
    let id = fixture.session().file_stem().unwrap().to_string_lossy().into_owned();
    for arguments in [&["--resume", &id, "@@again@@"][..], &["--no-session-persistence", "@@again@@"]] {
        let mut terminal = fixture.chat(arguments);
        terminal.sees("Once more with feeling.");
        terminal.ends_with(">");
        terminal.press("@@hello@@\r");
        terminal.sees("Hello, I am listening.");
        terminal.press("\x04");
        assert_eq!(terminal.code(), Some(0));
    }
    let mut headless = fixture.command(env!("CARGO_BIN_EXE_annals"));
    headless.args(["chat", "-p", "--model", super::MODEL, "@@again@@"]);
    assert_eq!(fixture.home.finish(&mut headless).code, Some(0));
    assert_eq!(fixture.asides().len(), 1, "{:?}", fixture.asides());
    fixture.holds();
}

#[test]
fn what_is_typed_meanwhile_waits_and_is_said() {
    let script = r#"{"slow":[{"content":[{"type":"text","text":"one two three"}],
        "play":["head",{"events":[0,4]},{"wait_ms":3000},{"events":[4,99]},"end"]}],
        "next":[[{"type":"text","text":"four five six"}]]}"#;
    let fixture = ChatFixture::new(script);
    let mut terminal = fixture.chat(&["@@slow@@"]);
    terminal.sees("working…");
    terminal.press("then @@next@@\r/exit\r");
    terminal.sees("queued: then @@next@@");
    terminal.sees("> then @@next@@");
    terminal.sees("four five six");
    assert_eq!(terminal.code(), Some(0));
    let text = terminal.text();
    let (first, second) = (text.find("one two three").unwrap(), text.find("> then @@next@@").unwrap());
    assert!(first < second, "{text}");
    assert!(!text.contains("queued") && !text.contains("working…"), "{text}");
    fixture.holds();
}

#[test]
fn a_folder_is_trusted_by_a_word() {
    let fixture = ChatFixture::new(WORK);
    let work = fixture.home.work_dir();
    std::fs::write(work.join("CLAUDE.md"), "OBEY-THE-PROJECT").unwrap();
    let mut terminal = fixture.chat(&["@@hello@@"]);
    terminal.sees("CLAUDE.md");
    terminal.sees("trust this folder?");
    terminal.press("n\r");
    terminal.sees("Hello, I am listening.");
    terminal.press("\x04");
    terminal.code();
    assert!(!fixture.last().contains("OBEY-THE-PROJECT"));
    let mut terminal = fixture.chat(&["@@hello@@"]);
    terminal.sees("trust this folder?");
    terminal.press("y\r");
    terminal.sees("Hello, I am listening.");
    terminal.press("\x04");
    terminal.code();
    assert!(fixture.last().contains("OBEY-THE-PROJECT"));
    let mut terminal = fixture.chat(&["@@hello@@"]);
    terminal.sees("Hello, I am listening.");
    assert!(!terminal.text().contains("trust"), "it is asked once");
    terminal.press("\x04");
    terminal.code();
    fixture.holds();
}

#[test]
fn sub_agents_work_below_their_call_and_ask_the_person() {
    let fixture = ChatFixture::new(
        r#"{
        "send":[[{"type":"tool_use","name":"Agent","input":{"description":"Make it","prompt":"@@make@@","subagent_type":"general-purpose"}}],
                [{"type":"text","text":"They are done."}]],
        "make":[[{"type":"tool_use","name":"Write","input":{"file_path":"b.txt","content":"three\n"}}],
                [{"type":"text","text":"Made."}]]}"#,
    );
    let terminal = fixture.chat(&[]);
    terminal.sees("· new · /help");
    terminal.press("@@send@@\r");
    terminal.sees("? Write b.txt");
    terminal.press("y\r");
    terminal.sees("● Agent  ");
    terminal.sees("  ┊ ● Write  b.txt\n  ┊   │ 1 line\n  ┊   │ 1 + three");
    terminal.sees("They are done.");
    terminal.ends_with(">");
    assert_eq!(std::fs::read_to_string(fixture.home.work_dir().join("b.txt")).unwrap(), "three\n");
    terminal.press("/exit\r");
    terminal.sees("resume with: annals chat --resume");
}
