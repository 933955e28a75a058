//! The status line, notifications and the title of the window, on the chat screen in a real terminal.

use std::time::{Duration, Instant};

use annals_testkit::terminal::Terminal;

use super::{ChatFixture, HANGS};

const SCRIPT: &str = r#"{
    "hello":[{"content":[{"type":"text","text":"Hello there."}],"usage":{"input_tokens":50000,"output_tokens":20}}],
    "write":[[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt","content":"one\\n"}}],[{"type":"text","text":"Written."}]]}"#;

/// What the command is told, but for what is only told once there is an answer.
const FIELDS: [&str; 12] = [
    "session_id",
    "transcript_path",
    "cwd",
    "model",
    "workspace",
    "version",
    "output_style",
    "cost",
    "context_window",
    "exceeds_200k_tokens",
    "fast_mode",
    "thinking",
];

fn bytes(terminal: &Terminal) -> String {
    String::from_utf8_lossy(&terminal.bytes()).into_owned()
}

/// What was written without titles of the window, which end with a bell as well.
fn without_titles(written: &str) -> String {
    let mut parts = written.split("\u{1b}]2;");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('\u{7}').map_or("", |(_, rest)| rest))
}

#[track_caller]
fn leave(terminal: &mut Terminal) {
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
}

#[test]
fn a_command_prints_the_status_line_and_knows_the_session() {
    let fixture = ChatFixture::new(SCRIPT);
    let told = fixture.home.path().join("told");
    let script = format!(
        "cat >> {0}; printf '\\033[48;5;24mused %s\\033[0m \\033]8;;https://example.com/%s\\007link\\033]8;;\\007 \\033]0;no title\\007of %s\\n' \"$(grep -o '\"used_percentage\":[a-z0-9]*' {0} | tail -n 1)\" a \"$COLUMNS\"",
        told.display()
    );
    let setting = annals_json::object(|object| {
        object.object("statusLine", |line| {
            line.string("type", "command").string("command", &script).number("padding", 2);
        });
    });
    fixture.home.write("settings.json", String::from_utf8(setting).unwrap());
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline"], |_| {});
    terminal.sees("  used \"used_percentage\":null link of 80");
    terminal.press("say @@hello@@\r");
    terminal.sees("Hello there.");
    terminal.sees("  used \"used_percentage\":25 link of 80");
    let runs = || std::fs::read_to_string(&told).unwrap().lines().count();
    let before = runs();
    terminal.press("\x1b[Z");
    terminal.sees("» accept edits");
    // It runs after a change of the mode, too.
    let began = Instant::now();
    while runs() == before {
        assert!(began.elapsed() < HANGS, "it does not run: {}", terminal.text());
        std::thread::sleep(Duration::from_millis(20));
    }
    leave(&mut terminal);
    assert!(!bytes(&terminal).contains("no title"));
    // Links are those that the command wrote; colors are not wanted here.
    assert!(bytes(&terminal).contains("\u{1b}]8;;https://example.com/a\u{1b}\\"), "{:?}", bytes(&terminal));
    assert!(!bytes(&terminal).contains("48;5;24"), "{:?}", bytes(&terminal));
    let told = std::fs::read_to_string(told).unwrap();
    let session = fixture.session();
    let id = session.file_stem().unwrap().to_string_lossy().into_owned();
    for line in told.lines() {
        annals_json::Value::parse(line.as_bytes()).unwrap();
        assert!(line.starts_with(&format!(r#"{{"session_id":"{id}","transcript_path":"#)), "{line}");
        let fields = annals_json::Fields::scan(line.as_bytes()).unwrap().0;
        let names: Vec<String> = fields.iter().map(|field| field.key.to_string()).collect();
        let is_answered = line.contains(r#""used_percentage":25"#);
        let is_later = |name: &&String| ["prompt_id", "prompt_cache"].contains(&name.as_str());
        assert_eq!(names.iter().filter(is_later).count(), if is_answered { 2 } else { 0 }, "{line}");
        let others: Vec<&String> = names.iter().filter(|name| !is_later(name)).collect();
        assert_eq!(others, FIELDS, "as documented");
    }
    assert!(told.lines().count() >= 2, "{told}");
    fixture.holds();
    // On lines there is no place for it, which is said.
    let mut terminal = fixture.chat_in((80, 24), &["--plain"], |_| {});
    terminal.sees("only the chat screen shows the status line");
    leave(&mut terminal);
}

#[test]
fn somebody_who_is_elsewhere_is_told_if_they_want_that() {
    for (channel, sequence) in [("bell", "\u{7}"), ("desktop", "\u{1b}]9;annals asks about Write\u{7}")] {
        let fixture = ChatFixture::new(SCRIPT);
        let config = fixture.home.path().join("settings-of-annals");
        std::fs::create_dir_all(config.join("annals")).unwrap();
        std::fs::write(config.join("annals/config.toml"), format!("notifications = \"{channel}\"\n"))
            .unwrap();
        let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline"], |command| {
            command.env("XDG_CONFIG_HOME", &config);
        });
        terminal.sees("? keys");
        assert!(bytes(&terminal).contains("\u{1b}[?1004h"));
        let count = |terminal: &Terminal| without_titles(&bytes(terminal)).matches(sequence).count();
        terminal.press("say @@hello@@\r");
        terminal.sees("Hello there.");
        terminal.sees(" · 20 tokens");
        assert_eq!(count(&terminal), 0, "the terminal has the keyboard");
        terminal.press("\x1b[O");
        terminal.press("@@write@@\r");
        terminal.sees("? Write a.txt");
        assert_eq!(count(&terminal), 1, "{channel}: {:?}", bytes(&terminal));
        terminal.press("\x1b[I");
        std::thread::sleep(std::time::Duration::from_millis(900));
        terminal.press("y");
        terminal.sees("Written.");
        leave(&mut terminal);
        assert_eq!(count(&terminal), 1, "{channel}");
        let (on, off) = (bytes(&terminal).rfind("\u{1b}[?1004h"), bytes(&terminal).rfind("\u{1b}[?1004l"));
        assert!(on < off, "the reports are left on");
    }
}

#[test]
fn nobody_is_told_and_no_report_is_asked_for_unless_they_want_that() {
    let fixture = ChatFixture::new(SCRIPT);
    let mut terminal = fixture.chat_in((80, 24), &["--screen", "inline", "say @@hello@@"], |_| {});
    terminal.sees("Hello there.");
    terminal.press("/rename Garden beds\r");
    terminal.sees(" Garden beds ──");
    leave(&mut terminal);
    let bytes = bytes(&terminal);
    assert!(!bytes.contains("?1004h") && !bytes.contains("]9;"), "{bytes:?}");
    assert!(bytes.contains("\u{1b}]2;annals · Garden beds\u{7}"), "{bytes:?}");
}
