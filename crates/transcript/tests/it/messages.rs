//! Records become messages, messages become JSON, and back again to the same bytes.

use annals_json::Fields;
use annals_testkit::corpus;
use annals_testkit::depth::cases;
use annals_transcript::message::{Message, MessageRole, groups};
use annals_transcript::transcript::{NodeIndex, Transcript};
use proptest::prelude::*;

/// Goes from records to messages to their JSON form and back; how many records came through.
fn round_trip(transcript: &Transcript<'_>) -> usize {
    let nodes = transcript.nodes();
    let mut seen: Vec<NodeIndex> = Vec::new();
    for group in groups(transcript, transcript.indices()) {
        let message = Message::of(transcript, &group).unwrap();
        let mut form = Vec::new();
        message.write(&mut form);
        assert!(!form.contains(&b'\n'));
        let (fields, length) = Fields::scan(&form).unwrap();
        assert_eq!(length, form.len());
        let again = Message::parse(&fields).unwrap();
        assert!(again == message, "{}", String::from_utf8_lossy(&form));
        let lines = again.restore().unwrap();
        assert_eq!(lines.len(), group.len());
        for (line, &index) in lines.iter().zip(&group) {
            let raw = transcript.fields(index).raw();
            assert!(line == raw, "{}\n{}", String::from_utf8_lossy(line), String::from_utf8_lossy(raw));
        }
        seen.extend(group);
    }
    seen.sort_unstable();
    let expected: Vec<_> =
        transcript.indices().filter(|&index| MessageRole::of(nodes[index].kind).is_some()).collect();
    assert_eq!(seen, expected);
    seen.len()
}

#[test]
fn every_message_of_the_corpus_comes_back_byte_for_byte() {
    let Some(corpus) = corpus::or_skip("every_message_of_the_corpus_comes_back_byte_for_byte") else {
        return;
    };
    let mut records = 0;
    for path in corpus.transcripts() {
        records += round_trip(&Transcript::parse(&std::fs::read(&path).unwrap()));
    }
    assert!(records > 10_000, "{records}");
}

/// The largest part of a corpus file is content, and it is not kept twice.
#[test]
fn shells_of_the_corpus_hold_little_of_the_content() {
    let Some(corpus) = corpus::or_skip("shells_of_the_corpus_hold_little_of_the_content") else { return };
    for path in corpus.transcripts() {
        let bytes = std::fs::read(&path).unwrap();
        let transcript = Transcript::parse(&bytes);
        for group in groups(&transcript, transcript.indices()) {
            let message = Message::of(&transcript, &group).unwrap();
            let (mut content, mut form) = (Vec::new(), Vec::new());
            message.content.write(&mut content);
            message.write(&mut form);
            let records: usize = group.iter().map(|&index| transcript.fields(index).raw().len()).sum();
            // Ids and a few words a record are said twice; white space is the exception that is kept.
            let is_spaced = message.records.iter().any(|shell| {
                shell.blocks() > 0
                    && !shell.omitted().contains(&annals_transcript::message::MessageField::Content)
            });
            assert!(is_spaced || form.len() <= records + 800 * group.len(), "{} {records}", form.len());
        }
    }
}

/// A JSON value in one of many spellings.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("1.50".to_owned()),
        Just("true".to_owned()),
        Just(r#""\ud83d lone""#.to_owned()),
        Just(r#""\u0061\/""#.to_owned()),
        Just(r#""""#.to_owned()),
        "\"[a-z ]{0,8}\"",
        Just(r#"{"a":1,"a":2}"#.to_owned()),
        Just(r#"{ "b" : [ ] }"#.to_owned()),
        Just("[]".to_owned()),
    ]
}

fn content() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        4 => "[a-z ]{0,6}".prop_map(|text| format!(r#"{{"type":"text","text":"{text}"}}"#)),
        1 => Just(r#"{ "type" : "tool_use" , "id":"t", "input":{"n": 1.0} }"#.to_owned()),
        1 => value(),
    ];
    let space = prop_oneof![3 => Just(""), 1 => Just(" "), 1 => Just("\t")];
    let list = (prop::collection::vec(block, 0..4), space)
        .prop_map(|(blocks, space)| format!("[{space}{}{space}]", blocks.join(&format!("{space},"))));
    prop_oneof![3 => list, 1 => value()]
}

/// A record with known and unknown keys in any order, some of them twice, some of the wrong type.
fn record() -> impl Strategy<Value = String> {
    let inner_key = prop::sample::select(vec!["id", "model", "usage", "stop_reason", "role", "new"]);
    let inner = prop::collection::vec(
        prop_oneof![
            2 => content().prop_map(|content| format!(r#""content":{content}"#)),
            3 => (inner_key, value()).prop_map(|(key, value)| format!(r#""{key}":{value}"#)),
            2 => prop::sample::select(vec![r#""id":"m""#, r#""usage":{"output_tokens":3}"#, r#""model":"x""#, r#""stop_reason":"end_turn""#]).prop_map(str::to_owned),
        ],
        0..6,
    )
    .prop_map(|fields| format!("{{{}}}", fields.join(",")));
    let key = prop::sample::select(vec![
        "uuid",
        "parentUuid",
        "timestamp",
        "requestId",
        "isMeta",
        "content",
        "rendered",
        "c\\u006fntent",
    ]);
    let field = prop_oneof![
        3 => (key, value()).prop_map(|(key, value)| format!(r#""{key}":{value}"#)),
        2 => inner.prop_map(|inner| format!(r#""message":{inner}"#)),
        1 => value().prop_map(|value| format!(r#""message" : {value}"#)),
        1 => Just(r#""timestamp":"2026-01-01T00:00:00Z""#.to_owned()),
    ];
    let kind = prop::sample::select(vec![
        "user",
        "assistant",
        "assistant",
        "system",
        "attachment",
        "progress",
        "tag",
    ]);
    (kind, prop::collection::vec(field, 0..8), any::<prop::sample::Index>()).prop_map(
        |(kind, mut fields, place)| {
            fields.insert(place.index(fields.len() + 1), format!(r#""type":"{kind}""#));
            format!("{{{}}}", fields.join(", "))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1024), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_records_come_back_byte_for_byte(records in prop::collection::vec(record(), 0..8)) {
        let file = records.join("\n");
        round_trip(&Transcript::parse(file.as_bytes()));
    }
}
