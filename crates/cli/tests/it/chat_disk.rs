//! A full disk during a conversation: it is reported, the conversation continues in memory, and pending records are written
//! when there is space again. A limit on the file size simulates the disk.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::annals_exits;
use crate::chat::ChatFixture;

fn limit(pid: u32, bytes: &str) -> bool {
    let option = format!("--fsize={bytes}:unlimited");
    Command::new("prlimit")
        .args(["--pid", &pid.to_string(), &option])
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn without_room_it_goes_on_and_catches_up() {
    let fixture = ChatFixture::new(r#"{"a":[[{"type":"text","text":"yes"}]]}"#);
    let inner = fixture.command(&["--input-format", "stream-json", "--output-format", "stream-json"]);
    let mut command = fixture.home.command("bash");
    // A program that is killed for the size of a file learns nothing: it is to be told by the write.
    command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut say = |words: &str| {
        let line = format!(r#"{{"type":"user","message":{{"role":"user","content":"{words} @@a@@"}}}}"#);
        writeln!(input, "{line}").unwrap();
        let result =
            output.find(|line| line.as_ref().unwrap().contains(r#""type":"result""#)).unwrap().unwrap();
        assert!(result.contains(r#""subtype":"success""#), "{result}");
    };
    say("first");
    let file = fixture.sessions().into_iter().find(|path| path.is_file()).unwrap();
    let before = std::fs::read(&file).unwrap();
    if !limit(child.id(), &before.len().to_string()) {
        child.kill().unwrap();
        child.wait().unwrap();
        return eprintln!("skipped: without_room_it_goes_on_and_catches_up: there is no prlimit here");
    }
    say("unheard");
    assert_eq!(std::fs::read(&file).unwrap(), before, "there was no room");
    assert!(limit(child.id(), "unlimited"));
    say("heard");
    drop(input);
    let answer = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(words.contains("continuing in memory") && words.contains("written again"), "{words}");
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.as_bytes().starts_with(&before));
    let (unheard, heard) = (after.find("unheard @@a@@").unwrap(), after.find("\"heard @@a@@").unwrap());
    assert!(unheard < heard, "in the order in which it was said");
    annals_exits(&fixture.home, &["check", &file.display().to_string()], 0);
    assert!(fixture.api.requests().iter().all(|request| request.violations.is_empty()));
}
