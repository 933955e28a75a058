//! Reading only lines that can contain usage loses none, however a line is spelled, spaced, damaged or joined to another.

use annals_transcript::usage::{UsageLineFinder, candidate_lines};
use proptest::prelude::*;

use super::{outputs, read};

#[test]
fn every_spelling_of_a_key_is_found() {
    let spelled = [
        r#"{"type":"assistant","message":{"id":"a","usage":{"output_tokens":1}}}"#,
        r#"{ "type" : "assistant" , "message" : { "id" : "b" , "usage" : { "output_tokens" : 2 } } }"#,
        r#"{"type":"assistant","message":{"id":"c","\u0075sage":{"output_tokens":3}}}"#,
        r#"{"type":"assistant","message":{"id":"d","usag\u0065":{"output_tokens":4}}}"#,
        r#"{"type":"assista\u006et","message":{"id":"e","usage":{"output_tokens":5}}}"#,
        r#"{"type":"assista\u006Et","message":{"id":"f","usage":{"output_tokens":6}}}"#,
        r#"{"t\u0079pe":"assistant","mess\u0061ge":{"id":"g","us\u0061ge":{"output_tok\u0065ns":7}}}"#,
        "{\"type\":\"assistant\",\"message\":{\"id\":\"h\",\"usage\"\t:\t{\"output_tokens\":8}}}\r",
    ];
    // A type that is spelled with escapes (5, 6) names no known record, however the file is read.
    let file = spelled.join("\n");
    assert_eq!(outputs(&read(file.as_bytes())), [1, 2, 3, 4, 7, 8]);
    let marked = format!("\u{feff}{file}");
    assert_eq!(outputs(&read(marked.as_bytes())), [1, 2, 3, 4, 7, 8]);
}

#[test]
fn lines_that_cannot_hold_usage_are_passed_over() {
    let lines = [
        r#"{"type":"user","message":{"content":"what is \"usage\" of an \"assistant\"?"}}"#,
        r#"{"type":"user","toolUseResult":{"usage":{"output_tokens":1}}}"#,
        r#"{"type":"user","message":{"content":"\u001b[31mred\u001b[0m \u00e9 \u005c"}}"#,
        r#"{"type":"assistant","message":{"content":[]}}"#,
    ];
    candidate_lines(&UsageLineFinder::default(), lines.join("\n").as_bytes(), |at, line| {
        panic!("{at}: {}", String::from_utf8_lossy(line));
    });
}

/// One spelling of a word: each letter as it is or escaped.
fn spelling(word: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec![0, 0, 0, 0, 0, 0, 1, 2]), word.len()).prop_map(
        move |ways| {
            let letter = |(letter, way): (char, i32)| match way {
                1 => format!("\\u{:04x}", u32::from(letter)),
                2 => format!("\\u{:04X}", u32::from(letter)),
                _ => letter.to_string(),
            };
            format!("\"{}\"", word.chars().zip(ways).map(letter).collect::<String>())
        },
    )
}

/// A line that holds usage, or nearly.
fn any_line() -> impl Strategy<Value = String> {
    let kind = prop_oneof![6 => spelling("assistant"), 1 => spelling("user"), 1 => Just("7".to_owned())];
    let text = prop::sample::select(vec![
        "plain",
        r#"\"usage\""#,
        r"\u0075sage",
        r"\\u0075",
        r"\u001b[1m",
        "ä",
        "}{",
        "\0",
    ]);
    let parts =
        (spelling("type"), kind, spelling("message"), spelling("usage"), " {0,2}", text, 0..6_u8, 0..50_u64);
    parts.prop_map(|(key, kind, message, usage, space, text, id, output)| {
        format!(
            r#"{{{key}{space}:{space}{kind},{message}:{space}{{"id":"m{id}","content":"{text}",{usage}{space}:{{"output_tokens":{output}}}}}}}"#
        )
    })
}

/// How one line comes to stand after another.
fn any_joint() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "",
        " ",
        "\0\0",
        "\n{\"a\":\"torn",
        "\n\u{feff}",
    ])
}

proptest! {
    #[test]
    fn nothing_is_lost(
        lines in prop::collection::vec((any_joint(), any_line(), 0..400_usize), 0..12),
        cuts in prop::collection::vec(any::<bool>(), 12),
    ) {
        let mut file = String::new();
        for ((joint, line, at), is_cut) in lines.iter().zip(cuts) {
            file.push_str(joint);
            let end = if is_cut && at % 3 == 0 { line.floor_char_boundary(*at) } else { line.len() };
            file.push_str(&line[..end.min(line.len())]);
        }
        // Insists that all ways of reading agree.
        read(file.as_bytes());
    }
}
