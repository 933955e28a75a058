//! Slash commands that show the setup of a conversation or change its session, on lines and on the chat screen.

use super::ChatFixture;

const SCRIPT: &str = r#"{
    "hello":[[{"type":"text","text":"Hello **there**."}]],
    "touch":[[{"type":"tool_use","name":"Bash","input":{"command":"touch made"}}],[{"type":"text","text":"Touched."}]],
    "look":[[{"type":"tool_use","name":"Read","input":{"file_path":"other.txt"}}],[{"type":"text","text":"Looked."}]],
    "back":[[{"type":"tool_use","name":"Bash","input":{"command":"echo ready; sleep 600","run_in_background":true}}],
            [{"type":"text","text":"It runs."}]]}"#;

const INTERFACES: [&[&str]; 2] = [&["--plain"], &["--screen", "inline"]];

fn fixture() -> ChatFixture {
    let fixture = ChatFixture::new(SCRIPT);
    fixture.home.write(
        "settings.json",
        r#"{"hooks":{"Notification":[{"matcher":"idle","hooks":[{"type":"command","command":"true # quiet"}]}]},
            "permissions":{"allow":["Bash(touch made)"],"deny":["WebFetch"]}}"#,
    );
    fixture.home.write("CLAUDE.md", "Speak of gardens.");
    fixture.home.write("agents/gardener.md", "---\nname: gardener\ndescription: Plants beds\n---\nPlant.\n");
    fixture
}

#[test]
fn commands_tell_what_the_conversation_was_set_up_with() {
    for interface in INTERFACES {
        let fixture = fixture();
        let mut terminal = fixture.chat_in((200, 50), interface, |_| {});
        terminal.sees("/help");
        for (command, shown) in [
            ("/hooks", "true # quiet"),
            ("/agents", "Plants beds (all tools;"),
            ("/config", "settings.json"),
            ("/doctor", "knows clients up to"),
            ("/tasks", "nothing runs in the background"),
            ("/permissions WebFetch https://example.com/", "would be denied: the deny rule `WebFetch`"),
            ("/permissions Bash touch made", "would be allowed: the allow rule `Bash(touch made)`"),
            ("/permissions Bash touch other", "would be asked about: no rule allows `touch other`"),
            ("/effort high", "effort set to high"),
            ("/effort most", "unknown effort"),
            ("/usage", "no usage yet"),
            ("/export", "there is nothing to export yet"),
            ("/branch", "the session has no file"),
            ("/add-dir nowhere", "No such file or directory"),
            ("/tasks stop bash_9", "no task bash_9 runs"),
        ] {
            terminal.press(&format!("{command}\r"));
            terminal.sees(shown);
        }
        terminal.press("/memory\r");
        terminal.sees("CLAUDE.md  user, 17 B");
        if interface.len() > 1 {
            terminal.sees("│ Speak of gardens.");
            terminal.press("\x1b");
            // Escape and a key at once would be one key with alt.
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        fixture.holds();
    }
}

#[test]
fn a_session_is_exported_branched_and_given_another_folder() {
    for interface in INTERFACES {
        let fixture = fixture();
        let elsewhere = fixture.home.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("other.txt"), "beds and paths").unwrap();
        let arguments = [interface, &["say @@hello@@"]].concat();
        let mut terminal = fixture.chat_in((200, 50), &arguments, |_| {});
        terminal.sees("Hello there.");
        terminal.press("@@touch@@\r");
        terminal.sees("Touched.");
        terminal.press("/permissions\r");
        terminal.sees("touch made  allowed: the allow rule `Bash(touch made)`");
        terminal.press("/export talk.md\r");
        terminal.sees("talk.md, with secrets if it has any");
        let written = std::fs::read_to_string(fixture.home.work_dir().join("talk.md")).unwrap();
        assert!(written.contains("Hello **there**."), "{written}");
        terminal.press("/export talk.md\r");
        terminal.sees("exists");
        terminal.press("/export talk.exe\r");
        terminal.sees("must end in .md");
        // Outside the workspace it would be asked about.
        terminal.press(&format!("/add-dir {}\r", elsewhere.display()));
        terminal.sees("belongs to the workspace until annals exits");
        terminal.press(&format!("/permissions Read {}/other.txt\r", elsewhere.display()));
        terminal.sees("would be allowed: it only reads");
        let first = fixture.session();
        let before = std::fs::read(&first).unwrap();
        terminal.press("/branch Second beds\r");
        terminal.sees_times("/help", 2);
        terminal.press("say @@hello@@ again\r");
        terminal.sees_times("Hello there.", 2);
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        assert_eq!(fixture.sessions().len(), 2);
        let after = std::fs::read(&first).unwrap();
        assert!(after.starts_with(&before), "the first session stays as it was");
        assert!(!String::from_utf8_lossy(&after).contains("@@hello@@ again"));
        let copy = fixture.sessions().into_iter().find(|path| *path != first).unwrap();
        let copy = std::fs::read_to_string(copy).unwrap();
        assert!(
            copy.contains("@@hello@@ again") && copy.contains(r#""customTitle":"Second beds""#),
            "{copy}"
        );
        assert!(fixture.last().contains("say @@hello@@\""), "the copy has what was said before");
        fixture.holds();
    }
}

#[test]
fn commands_in_the_background_are_shown_and_stopped() {
    for interface in INTERFACES {
        let fixture = fixture();
        let arguments = [interface, &["--allowedTools", "Bash", "--", "@@back@@"]].concat();
        let mut terminal = fixture.chat_in((200, 50), &arguments, |_| {});
        terminal.sees("It runs.");
        terminal.press("/tasks\r");
        terminal.sees("bash_1   running");
        terminal.sees("echo ready; sleep 600");
        if interface.len() > 1 {
            terminal.sees("│ ready");
            terminal.press("\x1b");
            terminal.sees("? keys");
        }
        terminal.press("/tasks stop bash_1\r");
        terminal.sees("bash_1 is being stopped");
        terminal.press("/tasks\r");
        terminal.sees("bash_1   killed");
        if interface.len() > 1 {
            terminal.press("q");
            terminal.sees("? keys");
        }
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        fixture.holds();
    }
}

#[test]
fn the_last_answer_is_copied_by_the_terminal_on_request() {
    let fixture = fixture();
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("Hello there.");
    // "Hello **there**." in base64.
    const SEQUENCE: &str = "\u{1b}]52;c;SGVsbG8gKip0aGVyZSoqLg==\u{7}";
    let bytes = |terminal: &annals_testkit::terminal::Terminal| {
        String::from_utf8_lossy(&terminal.bytes()).into_owned()
    };
    assert!(!bytes(&terminal).contains("]52;"));
    terminal.press("/copy\r");
    terminal.sees("was asked to copy");
    let copies = |terminal: &annals_testkit::terminal::Terminal| bytes(terminal).matches(SEQUENCE).count();
    assert_eq!(copies(&terminal), 1);
    terminal.press("@@touch@@\r");
    terminal.sees("Touched.");
    terminal.press("/copy 2\r");
    terminal.sees("asked to copy answer 2 from the end");
    assert_eq!(copies(&terminal), 2);
    terminal.press("/copy 3\r");
    terminal.sees("only 2 answers can be copied; there is no number 3");
    terminal.press("/copy all\r");
    terminal.sees("/copy takes a number");
    assert_eq!(copies(&terminal), 2);
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn init_asks_the_model_to_write_notes() {
    let fixture = fixture();
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline"], |_| {});
    terminal.sees("/help");
    terminal.press("/init @@hello@@\r");
    terminal.sees("Hello there.");
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    assert!(fixture.last().contains("CLAUDE.md in the working folder"), "{}", fixture.last());
    fixture.holds();
    fixture.agrees();
}
