//! The machine-readable formats of a session, on small sessions with known results.

use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use crate::{annals_exits, expect};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn show(session: Session, form: &str) -> String {
    let home = Home::new();
    home.write(format!("projects/-p/{ID}.jsonl"), session.id(ID).into_bytes());
    annals_exits(&home, &["show", ID, "--as", form, "--json"], 0).out
}

#[test]
fn records_name_line_byte_kind_and_blocks() {
    let out = show(Session::new().prompt("hi").reply("yes"), "records");
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with(r#"{"line":1,"offset":0,"length":"#), "{}", lines[0]);
    assert!(lines[0].contains(r#""kind":"user""#) && lines[0].contains(r#""role":"user","blocks":["text"]"#));
    assert!(lines[1].contains(r#""role":"assistant","blocks":["text"],"problems":[]}"#), "{}", lines[1]);
}

#[test]
fn api_is_what_a_client_would_send() {
    let out = show(Session::new().prompt("hi").reply("yes"), "api");
    expect(
        &out,
        "{\"client\":\"2.1.325\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]}],\"left_out\":[]}\n[EOF]",
    );
}

#[test]
fn a_refused_file_exits_with_three() {
    let home = Home::new();
    home.write(
        format!("projects/-p/{ID}.jsonl"),
        "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n",
    );
    let out = annals_exits(&home, &["show", ID, "--as", "api", "--json"], 3).out;
    assert!(out.starts_with(r#"{"client":"2.1.325","messages":[],"refused":""#), "{out}");
}

#[test]
fn a_session_without_messages_says_so() {
    let home = Home::new();
    let summary = "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n";
    for text in ["", "\n\n", summary] {
        home.write(format!("projects/-p/{ID}.jsonl"), text);
        for form in ["transcript", "markdown", "html", "messages"] {
            let answer = annals_exits(&home, &["show", ID, "--as", form], 1);
            assert_eq!(answer.error, "annals: no messages to show\n", "{form} of {text:?}");
        }
    }
}

#[test]
fn tree_knows_the_chain_and_a_persons_branch() {
    let first = Session::new().prompt("one").reply("a");
    let fork = first.last_uuid().map(str::to_owned);
    let session = first.prompt("two").reply("b").parent(fork.as_deref()).prompt("other").reply("c");
    let out = show(session, "tree");
    assert!(out.contains(r#""cause":"person""#), "{out}");
    let chain = out.split(r#""chain":["#).nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert_eq!(chain.split(',').count(), 4, "{chain}");
}
