//! The tail of a large session gives the same answers as the whole file.

use std::fs;

use annals_store::session::SessionTail;
use annals_testkit::corpus;
use annals_testkit::temp::TempDir;
use annals_transcript::draft::{Continuation, ThreadKind};
use annals_transcript::resume::{Client, LARGE_FILE_BYTES, resume};
use annals_transcript::transcript::Transcript;

/// A line of a conversation.
fn said(uuid: &str, parent: Option<&str>, role: &str, text: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("{parent:?}"));
    let model = if role == "assistant" { r#","id":"m","model":"claude-x""# } else { "" };
    format!(
        r#"{{"parentUuid":{parent},"type":"{role}","uuid":"{uuid}","sessionId":"s","cwd":"/w","version":"2.1.112","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]{model}}}}}"#
    ) + "\n"
}

fn boundary(uuid: &str, metadata: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"type":"system","subtype":"compact_boundary","uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","content":"Conversation compacted","compactMetadata":{{{metadata}}}}}"#
    ) + "\n"
}

/// Enough of a conversation to make any file large.
fn long_ago() -> String {
    let line = said("old", None, "user", &"an old word ".repeat(1000));
    line.repeat(LARGE_FILE_BYTES / line.len() + 1)
}

/// What is read of such a file, after holding it against all of it.
fn gist_of(text: &str) -> SessionTail {
    let folder = TempDir::new("gist");
    let path = folder.write("s.jsonl", text);
    let tail = SessionTail::read(&path).unwrap();
    agrees(text.as_bytes(), &tail);
    tail
}

fn agrees(whole: &[u8], tail: &SessionTail) {
    assert_eq!(tail.length, whole.len() as u64);
    let (all, some) = (Transcript::parse(whole), Transcript::parse(&tail.bytes));
    let sent = |transcript: &Transcript<'_>| {
        let mut json = Vec::new();
        let resumed = resume(transcript, Client::NEWEST);
        resumed.messages().iter().for_each(|message| message.write_json(&mut json));
        (String::from_utf8_lossy(&json).into_owned(), resumed.outcome.err())
    };
    assert_eq!(sent(&some), sent(&all));
    let (known, all) = (Continuation::of(&some, ThreadKind::Main), Continuation::of(&all, ThreadKind::Main));
    assert_eq!((known.tip(), known.model()), (all.tip(), all.model()));
    assert_eq!(known.origin(), all.origin());
}

#[test]
fn a_large_session_is_read_from_its_last_compaction() {
    let title = r#"{"type":"custom-title","customTitle":"Old","sessionId":"s"}"#.to_owned() + "\n";
    let since = boundary("b", r#""trigger":"auto""#)
        + &said("1", Some("b"), "user", "summary")
        + &said("2", Some("1"), "assistant", "a \\\"compact_boundary\\\" is a line")
        + &said("3", Some("2"), "user", "next");
    let tail = gist_of(&(long_ago() + &title + &long_ago() + &since));
    assert_eq!(String::from_utf8(tail.bytes).unwrap(), title + &since);
}

#[test]
fn what_cannot_be_told_from_the_end_is_told_from_all() {
    let plain = boundary("b", r#""trigger":"auto""#);
    let answer = said("2", Some("1"), "assistant", "yes");
    for text in [
        // Nothing was summed up.
        long_ago() + &said("1", None, "user", "hello") + &answer,
        // Nobody answered since.
        long_ago() + &said("0", None, "assistant", "old") + &plain + &said("1", Some("b"), "user", "summary"),
        // It shares its line.
        long_ago() + plain.trim_end() + &said("1", Some("b"), "user", "summary") + &answer,
        // It is nearer to the beginning than to the end.
        plain.clone() + &said("1", Some("b"), "user", "summary") + &answer + &long_ago(),
        // It is not large.
        plain.clone() + &said("1", Some("b"), "user", "summary") + &answer,
    ] {
        assert_eq!(gist_of(&text).bytes, text.as_bytes());
    }
}

#[test]
fn a_compaction_that_kept_messages_does_not_begin_it() {
    let kept = r#""preservedSegment":{"headUuid":"k1","anchorUuid":"s2","tailUuid":"k1"}"#;
    let text = long_ago()
        + &boundary("b1", r#""trigger":"auto""#)
        + &said("s1", Some("b1"), "user", "summary")
        + &said("k1", Some("s1"), "assistant", "kept")
        + &boundary("b2", kept)
        + &said("s2", Some("b2"), "user", "another summary")
        + &said("n", Some("s2"), "user", "next");
    let tail = gist_of(&text);
    assert!(tail.bytes.starts_with(boundary("b1", r#""trigger":"auto""#).as_bytes()));
}

#[test]
fn lines_of_the_conversation_in_any_order_of_their_keys_are_passed_over() {
    let turned = r#"{"type":"user","uuid":"t","parentUuid":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"turned"}}"#;
    let since = boundary("b", "")
        + &said("1", Some("b"), "user", "summary")
        + &said("2", Some("1"), "assistant", "yes");
    let tail = gist_of(&(long_ago() + turned + "\n" + &since));
    assert_eq!(String::from_utf8(tail.bytes).unwrap(), since);
}

#[test]
fn real_sessions_say_the_same() {
    let Some(corpus) = corpus::or_skip("real_sessions_say_the_same") else { return };
    let before = long_ago();
    let mut shortened = 0;
    for path in corpus.transcripts() {
        let real = fs::read(&path).unwrap();
        if memchr::memmem::find(&real, b"compact_boundary").is_none() || real.len() > 4 * LARGE_FILE_BYTES {
            continue;
        }
        let whole = [before.as_bytes(), &real].concat();
        let folder = TempDir::new("gist");
        let tail = SessionTail::read(&folder.write("s.jsonl", &whole)).unwrap();
        agrees(&whole, &tail);
        shortened += usize::from(tail.bytes.len() < whole.len());
    }
    assert!(shortened >= 3, "{shortened}");
}
