//! `annals append` with any input: one answer per line, and the file stays readable.

use std::fs;
use std::io::Write;

use annals_json::{Fields, Value};
use annals_testkit::depth::cases;
use annals_testkit::home::{CommandOutput, Home};
use annals_transcript::line::lines;
use proptest::prelude::*;

use crate::appending::{new_session, start};

/// Lines that mean something, or nearly.
fn meant() -> impl Strategy<Value = Vec<u8>> {
    let texts = prop::sample::select(vec![
        r#"{"role":"user","content":"hello"}"#,
        r#"{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"n":1e999}}],"usage":{}}"#,
        r#"{"role":"system","content":"x","timestamp":"9999-12-31T23:59:59.999Z"}"#,
        r#"{"role":"user","content":"x","metadata":{"cwd":null,"message":3,"isSidechain":true},"parentUuid":null}"#,
        r#"{"role":"user","content":"x","records":[{"record":{"type":"user"},"blocks":18446744073709551615,"omitted":[]}]}"#,
        r#"{"type":"user","message":{"role":"user","content":"hi"},"uuid":"a","parentUuid":"b"}"#,
        r#"{"type":"user","message":{"content":[[[]]]},"uuid":"b","timestamp":"2026-02-31T24:59:60+99:99"}"#,
        r#"{"type":"progress","data":{"type":"bash_progress"},"parentUuid":"b","uuid":"p"}"#,
        r#"{"type":"system","subtype":"compact_boundary","uuid":"","logicalParentUuid":7}"#,
        r#"{"type":"custom-title","customTitle":"\ud800","sessionId":null,"sessionId":"x"}"#,
        r#"{"type":"last-prompt","leafUuid":"p","explicit":true}"#,
        r#"{"t\u0079pe":"user","message":{"content":""},"message":{"content":-0}}"#,
    ]);
    texts.prop_map(|text| text.as_bytes().to_vec())
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let cut =
        (meant(), any::<prop::sample::Index>()).prop_map(|(line, at)| line[..at.index(line.len())].to_vec());
    let changed = (meant(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut line, at, byte)| {
        let at = at.index(line.len());
        line[at] = byte;
        line
    });
    let deep = (1..4000_usize, prop::sample::select(vec!["[", "{\"a\":", "[{\"content\":"]))
        .prop_map(|(depth, open)| format!(r#"{{"type":"x","a":{}"#, open.repeat(depth)).into_bytes());
    let closed = (1..4000_usize).prop_map(|depth| {
        format!(
            r#"{{"role":"user","content":[{{"type":"x","a":{}{}}}]}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
        .into_bytes()
    });
    let number = "[0-9]{1,400}(\\.[0-9]{1,50})?(e[+-]?[0-9]{1,20})?".prop_map(|number| {
        format!(r#"{{"type":"mode","mode":{number},"uuid":{number},"timestamp":{number}}}"#).into_bytes()
    });
    prop_oneof![
        6 => meant(),
        3 => cut,
        6 => changed,
        1 => deep,
        1 => closed,
        1 => number,
        2 => prop::collection::vec(any::<u8>(), 0..60),
        1 => prop::sample::select(vec![&b""[..], b" \t", b"\r", b"\x0c", b"\0\0\0", b"\xef\xbb\xbf{}"]).prop_map(<[u8]>::to_vec),
    ]
}

fn feed(home: &Home, session: &str, input: &[u8]) -> CommandOutput {
    let mut child = start(home, &["append", session]);
    let mut stdin = child.stdin.take().unwrap();
    // Answers may fill their pipe before all is fed.
    let fed = input.to_vec();
    let feeding = std::thread::spawn(move || stdin.write_all(&fed));
    let answer = CommandOutput::from(child.wait_with_output().unwrap());
    feeding.join().unwrap().unwrap();
    answer
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_fed_every_line_has_its_answer_and_the_file_stays_readable(
        fed in prop::collection::vec(line(), 1..40),
        ends_with_a_break in any::<bool>(),
    ) {
        let home = Home::new();
        let (id, path) = new_session(&home);
        let mut input = fed.join(&b'\n');
        input.extend_from_slice(if ends_with_a_break { b"\n" } else { b"" });
        let answer = feed(&home, &id, &input);
        let shown = format!("{:?}\n{}{}", String::from_utf8_lossy(&input), answer.out, answer.error);
        // Changed bytes may be line breaks.
        let asked = input.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        prop_assert_eq!(answer.out.lines().count(), asked, "{}", shown);
        let refused = answer.out.lines().filter(|line| {
            let answer = Value::parse(line.as_bytes()).unwrap();
            assert!(answer.get("error").is_some() != answer.get("uuid").is_some(), "{line}");
            answer.get("error").is_some()
        });
        prop_assert_eq!(answer.code, Some(if refused.count() > 0 { 2 } else { 0 }), "{}", shown);
        prop_assert!(!answer.error.contains("panicked"), "{}", shown);
        let bytes = fs::read(&path).unwrap();
        prop_assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
        prop_assert!(std::str::from_utf8(&bytes).is_ok(), "{}", shown);
        for line in lines(&bytes) {
            let end = Fields::scan(line.body()).map(|(_, end)| end);
            prop_assert_eq!(end, Ok(line.body().len()), "{}", String::from_utf8_lossy(line.raw()));
        }
    }
}
