//! Everything that opens on the chat screen: it fits, what can be chosen is in sight, it follows the terminal to other sizes, and
//! escape closes it. What commands print fits in terminals of three sizes.

use std::thread::sleep;
use std::time::Duration;

use annals_testkit::mcp::McpScript;
use annals_testkit::terminal::Terminal;

use super::ChatFixture;

const SCRIPT: &str = r#"{
    "change":[[{"type":"tool_use","name":"Bash","input":{"command":"printf two > old.txt && rm kept.txt && printf new > new.txt"}}],
              [{"type":"text","text":"All changed."}]],
    "write":[[{"type":"tool_use","name":"Write","input":{"file_path":"beds.txt","content":"BEDS"}}],
             [{"type":"text","text":"Written."}]],
    "read":[[{"type":"tool_use","name":"Read","input":{"file_path":"shot.gif"}}],[{"type":"text","text":"Seen."}]]}"#;
const GIF: &[u8] = b"GIF89a\x28\0\x28\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
const SIZES: [(u16, u16); 3] = [(80, 24), (40, 15), (200, 60)];

/// Something that opens over the conversation or the prompt.
struct ScreenItem {
    name: &'static str,
    /// Keys, one after another, and what is seen after each.
    opening: &'static [(&'static str, &'static str)],
    /// What must be in sight as long as it is open; of these, the first is not when it is closed.
    shown: &'static [&'static str],
    /// What is in sight after escape.
    then: &'static str,
}

const ITEMS: [ScreenItem; 9] = [
    ScreenItem {
        name: "transcript",
        opening: &[("\x0f", "q leaves")],
        shown: &["q leaves", "All changed."],
        then: "? keys",
    },
    ScreenItem {
        name: "keys",
        opening: &[("?", "q leaves")],
        shown: &["q leaves", "prompt"],
        then: "? keys",
    },
    ScreenItem {
        name: "commands", opening: &[("/", "/compact")], shown: &["/compact", "❯ /"], then: "❯ /"
    },
    ScreenItem {
        name: "earlier prompts",
        opening: &[("\x12", "search:"), ("change", "search: change")],
        shown: &["search: change", "@@change@@"],
        then: "? keys",
    },
    ScreenItem {
        name: "list of prompts",
        opening: &[("/rewind\r", "rewind to before which prompt?")],
        shown: &["rewind to before which prompt?", "@@change@@"],
        then: "? keys",
    },
    ScreenItem {
        name: "what a rewind changes",
        opening: &[("/rewind\r", "rewind to before which prompt?"), ("\r", "1. files and conversation")],
        shown: &["1. files and conversation", "4. summarize from here", "5. summarize up to here"],
        then: "? keys",
    },
    ScreenItem {
        name: "list of sessions",
        opening: &[("/resume\r", "resume which session?")],
        shown: &["resume which session?"],
        then: "? keys",
    },
    ScreenItem {
        name: "list of models",
        opening: &[("/model\r", "enter chooses")],
        shown: &["enter chooses", "haiku"],
        then: "? keys",
    },
    ScreenItem {
        name: "question about a long change",
        opening: &[("@@write@@\r", "read all to allow")],
        shown: &["read all to allow", "? Write beds.txt", "No"],
        then: "interrupted",
    },
];

fn settle() {
    sleep(Duration::from_millis(500));
}

/// A conversation whose command has changed files.
fn begin(size: (u16, u16)) -> (ChatFixture, McpScript, Terminal) {
    let beds: String = (0..90).map(|bed| format!(r"bed {bed} has many flowers in it\n")).collect();
    let fixture = ChatFixture::new(&SCRIPT.replace("BEDS", &beds));
    let work = fixture.home.work_dir();
    for (name, text) in [("old.txt", "one"), ("kept.txt", "mine")] {
        std::fs::write(work.join(name), text).unwrap();
    }
    std::fs::write(work.join("shot.gif"), GIF).unwrap();
    let cases = r#"*'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"resources":{}}}' ;;
      *'"method":"resources/list"'*) answer '{"resources":[{"uri":"mem://beds","name":"b","description":"all the beds of the garden, in a long description"}]}' ;;"#;
    let server = McpScript::with(&fixture.home.path().join("srv"), cases);
    let config = fixture.home.path().join("servers.json");
    std::fs::write(&config, format!(r#"{{"mcpServers":{{"garden":{}}}}}"#, server.definition())).unwrap();
    let config = config.display().to_string();
    let arguments = ["--screen", "inline", "--allowedTools", "Bash", "--mcp-config", config.as_str()];
    let terminal = fixture.chat_in(size, &[&arguments[..], &["--", "@@change@@"]].concat(), |_| {});
    terminal.sees("All changed.");
    terminal.shows("? keys");
    (fixture, server, terminal)
}

/// Nothing was too wide, and nothing of a text controls the terminal.
#[track_caller]
fn fits(terminal: &Terminal, name: &str, size: (u16, u16)) {
    let seen = terminal.visible();
    assert!(!terminal.has_wrapped_row(), "{name} at {size:?} is too wide:\n{seen}");
    assert!(!seen.contains(|letter: char| letter.is_control() && letter != '\n'), "{name}: {seen:?}");
}

#[test]
fn everything_fits_follows_the_size_and_is_closed_by_escape() {
    let size = SIZES[0];
    let (fixture, _server, mut terminal) = begin(size);
    for ScreenItem { name, opening, shown, then } in ITEMS {
        for (keys, seen) in opening {
            terminal.press(keys);
            terminal.shows(seen);
            settle();
        }
        shown.iter().for_each(|text| terminal.shows(text));
        fits(&terminal, name, size);
        for other in [(40, 15), (200, 60), (61, 13), (120, 30), size] {
            terminal.resize(other);
            sleep(Duration::from_millis(20));
        }
        shown.iter().for_each(|text| terminal.shows(text));
        terminal.press("\x1b");
        terminal.shows(then);
        // Escape and a key at once would be one key with alt.
        settle();
        let is_closed = !terminal.visible().contains(shown[0]);
        assert!(is_closed, "{name} at {size:?} is still open:\n{}", terminal.visible());
        // The test's terminal does not wrap lines again that were drawn for another width: the screen is drawn again.
        terminal.press("\x15\x0c");
        terminal.shows("? keys");
    }
    terminal.press("/exit\r");
    assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
    fixture.holds();
}

#[test]
fn what_commands_print_fits() {
    for size in SIZES {
        let (fixture, server, mut terminal) = begin(size);
        for (keys, shown) in [
            ("/context\r", "□ free"),
            ("/permissions\r", "mode default"),
            ("/permissions Bash git push\r", "would"),
            ("/status\r", "folder"),
            ("/mcp\r", "garden"),
            ("@@read@@\r", "Seen."),
        ] {
            terminal.press(keys);
            terminal.sees(shown);
            terminal.shows("? keys");
            fits(&terminal, keys, size);
        }
        assert!(terminal.text().contains("image"), "{}", terminal.text());
        // The server connects meanwhile; each `@` asks again.
        let began = std::time::Instant::now();
        while !terminal.visible().contains("garden:mem://beds") {
            assert!(began.elapsed() < super::HANGS, "{}\n{}", terminal.text(), server.log());
            terminal.press("\x15see @");
            sleep(Duration::from_millis(300));
            terminal.press("gard");
            sleep(Duration::from_millis(300));
        }
        fits(&terminal, "resources", size);
        terminal.press("\x15");
        terminal.shows("? keys");
        terminal.press("/exit\r");
        assert_eq!(terminal.code(), Some(0), "{}", terminal.text());
        fixture.holds();
    }
}
