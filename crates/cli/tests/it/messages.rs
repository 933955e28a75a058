//! `show --as messages` and `--as counts`: plain messages, their filters, and back to the file.

use annals_json::{Fields, Value};
use annals_testkit::builder::{Session, uuid};
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_transcript::message::Message;

use crate::{annals, annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// A session with a thought, a tool, a rewound prompt, a compaction and a reminder.
fn session() -> Session {
    let start = Session::new()
        .id(ID)
        .prompt("What is here?")
        .response(|response| response.thinking("hm").tool_use("Bash", r#"{"command":"ls"}"#))
        .tool_result("total 0")
        .reply("Nothing.");
    let fork = start.last_uuid().map(str::to_owned);
    let start = start.prompt("Never mind").parent(fork.as_deref()).wait(86_400).prompt("Make a file");
    start.compaction("So far nothing.").meta("keep it short").reply("Done.")
}

fn home() -> Home {
    let home = Home::new();
    home.write(format!("projects/-p/{ID}.jsonl"), session().into_bytes());
    home
}

/// Role and text of each message that the options leave.
fn said(home: &Home, options: &[&str]) -> Vec<String> {
    let arguments: Vec<_> =
        ["show", ID, "--as", "messages"].into_iter().chain(options.iter().copied()).collect();
    let out = annals_exits(home, &arguments, 0).out;
    let word = |line: &str| {
        let (fields, _) = Fields::scan(line.as_bytes()).unwrap();
        let message = Message::parse(&fields).unwrap();
        format!("{}: {}", message.role.name(), message.text())
    };
    out.lines().map(word).collect()
}

#[test]
fn a_message_is_one_line_of_json() {
    let home = Home::new();
    home.write(format!("projects/-p/{ID}.jsonl"), Session::new().id(ID).prompt("hi").into_bytes());
    let out = annals_exits(&home, &["show", ID, "--as", "messages"], 0).out;
    expect(
        &out,
        "{\"role\":\"user\",\"content\":\"hi\",\"timestamp\":\"2026-06-01T00:00:00.000Z\",\"uuid\":\"00000000-0000-4000-8000-000000000001\",\"parentUuid\":null,\"records\":[{\"blocks\":1,\"omitted\":[\"content\",\"timestamp\"],\"record\":{\"parentUuid\":null,\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/dev/garden\",\"sessionId\":\"3f2a0000-1111-4222-8333-444444444444\",\"version\":\"2.1.112\",\"gitBranch\":\"main\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":null},\"uuid\":\"00000000-0000-4000-8000-000000000001\",\"timestamp\":null}}]}\n[EOF]",
    );
    assert_eq!(out, annals_exits(&home, &["show", ID, "--as", "messages", "--json"], 0).out);
}

#[test]
fn the_live_branch_is_shown_across_compactions() {
    let expected = [
        "user: What is here?",
        "assistant: ",
        "user: ",
        "assistant: Nothing.",
        "user: Make a file",
        "system: Conversation compacted",
        "user: So far nothing.",
        "user: keep it short",
        "assistant: Done.",
    ];
    assert_eq!(said(&home(), &[]), expected);
}

#[test]
fn options_choose() {
    let home = home();
    assert_eq!(said(&home, &["--last", "2"]), ["user: keep it short", "assistant: Done."]);
    assert_eq!(said(&home, &["--only", "prompts"]), ["user: What is here?", "user: Make a file"]);
    assert_eq!(said(&home, &["--only", "prompts", "--last", "1"]), ["user: Make a file"]);
    assert_eq!(said(&home, &["--only", "system"]), ["system: Conversation compacted"]);
    assert_eq!(said(&home, &["--only", "tools"]).len(), 2);
    // The thought stays, as a message of its own line.
    assert_eq!(
        said(&home, &["--only", "replies"]),
        ["assistant: ", "assistant: Nothing.", "assistant: Done."]
    );
    assert_eq!(said(&home, &["--no-tools", "--no-system"]).len(), 7);
    assert_eq!(said(&home, &["--until", "2026-06-01"]).len(), 4);
    assert_eq!(said(&home, &["--since", "2026-06-02", "--no-system"])[0], "user: Make a file");
    let rewound = uuid(6);
    assert_eq!(said(&home, &["--up-to", &rewound]).last().unwrap(), "user: Never mind");
    let answer = annals_exits(&home, &["show", ID, "--as", "messages", "--up-to", "gone"], 1);
    assert!(answer.error.contains("\"gone\""), "{}", answer.error);
    annals_exits(&home, &["show", ID, "--as", "messages", "--since", "2027-01-01"], 1);
    annals_exits(&home, &["show", ID, "--as", "messages", "--since", "soon"], 2);
    annals_exits(&home, &["show", ID, "--as", "messages", "--only", "nonsense"], 2);
}

/// Every record that the messages stand for, put back, is a line of the file.
#[track_caller]
fn check_way_back(file: &[u8], shown: &[u8]) {
    let lines: std::collections::HashSet<&[u8]> = file.split(|&byte| byte == b'\n').collect();
    for line in shown.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let (fields, _) = Fields::scan(line).unwrap();
        for record in Message::parse(&fields).unwrap().restore().unwrap() {
            assert!(lines.contains(record.as_slice()), "{}", String::from_utf8_lossy(&record));
        }
    }
}

#[test]
fn messages_lead_back_to_the_lines_of_the_file() {
    let shown = annals_exits(&home(), &["show", ID, "--as", "messages"], 0);
    check_way_back(&session().into_bytes(), &shown.bytes);
}

#[test]
fn messages_of_the_corpus_lead_back_to_the_lines_of_their_files() {
    let Some(corpus) = corpus::or_skip("messages_of_the_corpus_lead_back_to_the_lines_of_their_files") else {
        return;
    };
    let home = Home::new();
    for path in corpus.transcripts().iter().filter(|path| !corpus.name_of(path).starts_with("handmade/")) {
        let shown = annals(&home, &["show", &path.display().to_string(), "--as", "messages"]);
        assert!(matches!(shown.code, Some(0 | 1)), "{}", shown.error);
        check_way_back(&std::fs::read(path).unwrap(), &shown.bytes);
    }
}

#[test]
fn counts_for_people_and_programs() {
    let home = home();
    expect(
        &annals_exits(&home, &["show", ID, "--as", "counts"], 0).out,
        "what             count  of which\n\
         records             11  6 user, 4 assistant, 1 system\n\
         messages            10  6 user, 3 assistant, 1 system\n\
         prompts              3\n\
         responses            3  2 end_turn, 1 tool_use\n\
         content blocks      10  7 text, 1 thinking, 1 tool_result, 1 tool_use\n\
         tool calls           1\n\
         tool results         1\n\
         API errors           0\n\
         sub-agent lines      0\n\
         compactions          1\n\
         tokens             200  30 input, 20 output, 90 cache read, 60 cache write 5m\n[EOF]",
    );
    let out = annals_exits(&home, &["show", ID, "--as", "counts", "--json"], 0).out;
    expect(
        &out,
        "{\"records\":11,\"kinds\":{\"user\":6,\"assistant\":4,\"system\":1},\"messages\":{\"total\":10,\"user\":6,\"assistant\":3,\"system\":1},\"prompts\":3,\"responses\":3,\"toolCalls\":1,\"toolResults\":1,\"toolErrors\":0,\"apiErrors\":0,\"sidechainLines\":0,\"compactions\":1,\"tokens\":{\"input\":30,\"output\":20,\"cacheRead\":90,\"cacheWrite5m\":60,\"cacheWrite1h\":0},\"stopReasons\":{\"end_turn\":2,\"tool_use\":1},\"contentBlocks\":{\"text\":7,\"thinking\":1,\"tool_result\":1,\"tool_use\":1}}\n[EOF]",
    );
    let usage = annals_exits(&home, &["show", ID, "--as", "usage", "--json"], 0).out;
    let total = Value::parse(usage.as_bytes()).unwrap().get("total").unwrap();
    assert_eq!(total.get("output").unwrap().count(), Some(20));
}

#[test]
fn json_of_a_session_is_its_messages() {
    let home = Home::new();
    let path = home.write("projects/-p/one.jsonl", Session::new().prompt("hi").reply("hello").into_bytes());
    let path = path.display().to_string();
    let plain = annals_exits(&home, &["show", &path, "--json"], 0).out;
    assert_eq!(plain, annals_exits(&home, &["show", &path, "--as", "messages", "--json"], 0).out);
    assert_eq!(plain.lines().count(), 2);
}

#[test]
fn a_conversation_begins_with_what_it_is() {
    let home = Home::new();
    let id = "3f2a0000-1111-4222-8333-444444444444";
    let session = Session::new().id(id).prompt("What is in this folder?").reply("Nothing at all.");
    home.write(format!("projects/-home-dev-garden/{id}.jsonl"), session.into_bytes());
    let shown = annals_exits(&home, &["show", "3f2a"], 0).out;
    let lines: Vec<&str> = shown.lines().take(4).collect();
    assert_eq!(lines[0], "What is in this folder?");
    assert_eq!(lines[1], format!("{id} - /home/dev/garden - main"));
    assert!(
        lines[2].starts_with("2026-06-01 00:00 - 00:00 - 1 turn - ") && lines[2].contains('$'),
        "{shown}"
    );
    assert_eq!(lines[3], "");
    assert!(!annals_exits(&home, &["show", "3f2a", "--around", "1"], 0).out.contains(id));
}

#[test]
fn times_that_no_calendar_has_are_left_out() {
    let home = Home::new();
    let times = ["9999-12-31T23:59:59Z", "+275760-09-13T00:00:00.000Z", "-271821-04-20T00:00:00.000Z", ""];
    for (number, time) in times.iter().enumerate() {
        let id = format!("0000000{number}-0000-4000-8000-000000000000");
        let line = format!(
            r#"{{"type":"user","uuid":"u","sessionId":"{id}","timestamp":"{time}","message":{{"role":"user","content":"Hello there, friend"}}}}"#
        );
        home.write(format!("projects/-w/{id}.jsonl"), line + "\n");
        let forms: [&[&str]; 4] =
            [&["show", &id], &["show", &id, "--as", "turns"], &["search", "hello"], &["ls", "--long"]];
        for form in forms {
            let shown = annals_exits(&home, form, 0).out;
            assert!(shown.contains("Hello there, friend"), "{time} {form:?}: {shown}");
        }
    }
}
