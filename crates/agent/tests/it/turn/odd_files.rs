//! Files that are not as they should be: a conversation continues with what can be read of them, or says why not, and
//! changes nothing of what was there.

use std::fmt::Write as _;

use annals_agent::conversation::{Conversation, ConversationStart, Persistence};

use super::holds::resumed;
use super::{Stage, say};

const ID: &str = "aaaaaaaa-0000-4000-8000-000000000000";

struct Line<'l> {
    uuid: &'l str,
    parent: Option<&'l str>,
    role: &'l str,
    text: &'l str,
    more: &'l str,
}

impl Line<'_> {
    fn json(&self) -> String {
        let Self { uuid, parent, role, text, more } = self;
        let parent = parent.map_or("null".to_owned(), |parent| format!("{parent:?}"));
        let body = match *role {
            "assistant" => format!(
                r#""id":"msg_{uuid}","model":"claude-opus-4-8","content":[{{"type":"text","text":"{text}"}}]"#
            ),
            _ => format!(r#""content":"{text}""#),
        };
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{role}","uuid":"{uuid}","sessionId":"{ID}","cwd":"/w","version":"2.1.112","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"{role}",{body}}}{more}}}"#
        )
    }
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> String {
    Line { uuid, parent, role: "user", text, more: "" }.json() + "\n"
}

fn model(uuid: &str, parent: Option<&str>, text: &str) -> String {
    Line { uuid, parent, role: "assistant", text, more: "" }.json() + "\n"
}

fn talk() -> String {
    user("1", None, "hello") + &model("2", Some("1"), "good day")
}

fn cases() -> Vec<(&'static str, Vec<u8>)> {
    let text = |name, text: String| (name, text.into_bytes());
    let mut deep = talk();
    let mut parent = "2".to_owned();
    for number in 3..503 {
        let uuid = number.to_string();
        deep += &if number % 2 == 1 {
            user(&uuid, Some(&parent), "on")
        } else {
            model(&uuid, Some(&parent), "yes")
        };
        parent = uuid;
    }
    let mut nested = String::new();
    let _ = write!(nested, "{}{}", "[".repeat(600), "]".repeat(600));
    let mut bloat = talk();
    for number in 0..2000 {
        let _ = writeln!(
            bloat,
            r#"{{"parentUuid":"2","type":"progress","uuid":"p{number}","sessionId":"{ID}","timestamp":"2026-01-01T00:00:00.000Z","data":{{"type":"agent_progress","message":"{}"}},"toolUseID":"t"}}"#,
            "x".repeat(5000)
        );
    }
    vec![
        text("a cycle", user("1", Some("2"), "hello") + &model("2", Some("1"), "good day")),
        text("its own parent", user("1", Some("1"), "hello") + &model("2", Some("1"), "good day")),
        text(
            "a parent that is missing",
            user("1", Some("gone"), "hello") + &model("2", Some("1"), "good day"),
        ),
        text("lines of nothing", format!("{}\0\0\0\0\n\n   \n{}", talk(), user("3", Some("2"), "more"))),
        text("half a character", talk() + &user("3", Some("2"), r"half \ud83d of one")),
        text("a byte order mark", format!("\u{feff}{}", talk())),
        text("carriage returns", talk().replace('\n', "\r\n")),
        text("an id twice", talk() + &user("1", Some("2"), "hello again") + &model("4", Some("1"), "again")),
        text("500 deep", deep),
        text(
            "values 600 deep",
            talk()
                + &Line {
                    uuid: "3",
                    parent: Some("2"),
                    role: "user",
                    text: "deep",
                    more: &format!(r#","x":{nested}"#),
                }
                .json()
                + "\n",
        ),
        text(
            "eras mixed",
            r#"{"type":"summary","summary":"old","leafUuid":"2"}"#.to_owned()
                + "\n"
                + &talk().replace("2.1.112", "1.0.17")
                + &user("3", Some("2"), "now"),
        ),
        text(
            "a sidechain first",
            Line { uuid: "0", parent: None, role: "user", text: "warm-up", more: r#","isSidechain":true"# }
                .json()
                + "\n"
                + &talk(),
        ),
        text("not JSON", "not json\n{\"type\":\n".to_owned() + &talk()),
        ("bytes that are no text", [talk().as_bytes(), b"{\"type\":\"user\",\"x\":\"\xff\xfe\"}\n"].concat()),
        text("progress, and much of it", bloat),
        text("nothing", String::new()),
    ]
}

#[tokio::test]
async fn whatever_a_file_holds_it_is_gone_on_with_or_told() {
    for (name, bytes) in cases() {
        let stage = Stage::new("");
        let folder = stage.config.projects().join("-w");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(format!("{ID}.jsonl"));
        std::fs::write(&path, &bytes).unwrap();
        let start = ConversationStart::Resume(path.clone());
        let opened =
            Conversation::open(stage.store(), start.clone(), &stage.home.work_dir(), Persistence::File);
        if let Err(error) = opened {
            let words = error.to_string();
            assert!(words.contains(ID), "{name}: {words}");
            continue;
        }
        drop(opened);
        let mut agent = stage.agent(start, Persistence::File);
        let told = say(&mut agent, "and now?").await;
        assert!(told.is_done(), "{name}: {:?}", told.finished.ending);
        drop(agent);
        let after = std::fs::read(&path).unwrap();
        assert!(after.starts_with(&bytes), "{name}: what was there is changed");
        let sent = stage.sent();
        let sent = sent.last().unwrap();
        // A beginning that is made up is not in the file.
        let from_file =
            sent.iter().skip(usize::from(sent[0].contains("beginning of this conversation is missing")));
        let file = resumed(&after);
        assert!(
            from_file.clone().zip(&file).all(|(sent, file)| sent == file),
            "{name}: {sent:#?}\n{file:#?}"
        );
        assert!(from_file.count() <= file.len(), "{name}");
        for request in stage.api.requests() {
            assert_eq!(request.violations, [], "{name}: {}", String::from_utf8_lossy(&request.body));
        }
    }
}
