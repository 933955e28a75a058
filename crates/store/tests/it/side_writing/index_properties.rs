//! Properties of any index: the result is JSON, the session has one correct entry, every other entry keeps its bytes.

use std::fs;

use annals_json::Value;
use annals_store::sessions_index::{IndexUpdate, refresh};
use annals_store::{ConfigDir, Slug};
use annals_testkit::builder::Session;
use annals_testkit::depth::cases;
use annals_testkit::temp::TempDir;
use proptest::prelude::*;

use super::index::remove;

/// Values of every kind, oddly spelled.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e2".to_owned()),
        Just(r#""\ud800 \u00e9""#.to_owned()),
        Just("[ 1 ,{}]".to_owned()),
        Just("{ \"sessionId\":\"one\"}".to_owned()),
        "\"[a-z]{0,6}\"",
    ]
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just(""), Just(" "), Just("\n  ")]
}

fn object(fields: Vec<(String, &'static str, String)>) -> String {
    let fields: Vec<_> =
        fields.iter().map(|(key, space, value)| format!("{space}\"{key}\"{space}:{space}{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

/// An entry: of the session, of another, or of none; with fields that repeat and fields that nobody knows.
fn entry() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        "[a-c]{1,2}",
        Just("customTitle".to_owned()),
        Just("messageCount".to_owned()),
        Just("firstPrompt".to_owned()),
        Just("fullPath".to_owned()),
    ];
    let session = prop_oneof![Just(r#""one""#), Just(r#""\u006fne""#), Just(r#""two""#), Just("1")];
    let fields = prop::collection::vec((key, space(), value()), 0..6);
    prop_oneof![
        4 => (fields, session, space(), 0..6_usize).prop_map(|(mut fields, session, space, at)| {
            let at = at.min(fields.len());
            fields.insert(at, ("sessionId".to_owned(), space, session.to_owned()));
            object(fields)
        }),
        1 => value(),
    ]
}

fn index() -> impl Strategy<Value = String> {
    let entries = prop::collection::vec((entry(), space()), 0..5);
    let more = || prop::collection::vec(("[d-f]", space(), value()), 0..3);
    (entries, more(), more(), space()).prop_map(|(entries, mut before, after, space)| {
        let entries: Vec<_> = entries.iter().map(|(entry, space)| format!("{space}{entry}{space}")).collect();
        before.push(("entries".to_owned(), space, format!("[{}{space}]", entries.join(","))));
        before.extend(after);
        object(before)
    })
}

fn is_of_session(entry: &Value<'_>) -> bool {
    let id = entry.get("sessionId").and_then(Value::text);
    id.is_some_and(|id| id.is("one"))
}

/// The entries of other sessions, then the fields besides the entries, byte for byte.
fn others(index: &[u8]) -> Vec<Vec<u8>> {
    let fields = Value::parse(index).unwrap().fields().unwrap();
    let entries = fields.get("entries").unwrap().items().filter(|entry| !is_of_session(entry));
    let besides = fields.iter().filter(|field| !field.key.is("entries"));
    let besides = besides.map(|field| [field.key.raw(), b":", field.value.raw()].concat());
    entries.map(|entry| entry.raw().to_vec()).chain(besides).collect()
}

/// The fields of the session's entries that the file does not tell, byte for byte.
fn unknown(index: &[u8]) -> Vec<Vec<u8>> {
    let entries = Value::parse(index).unwrap().get("entries").unwrap();
    let ours: Vec<_> = entries.items().filter(is_of_session).filter_map(Value::fields).collect();
    let fields = ours.iter().flat_map(|fields| fields.iter()).filter(|field| field.key.raw().len() < 3);
    fields.map(|field| [field.key.raw(), field.value.raw()].concat()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(200), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_the_entry_of_the_session_changes(before in index()) {
        let temp = TempDir::new("index");
        let config = ConfigDir::new(temp.path());
        let slug = Slug::from("-p");
        temp.write("projects/-p/one.jsonl", Session::new().prompt("hello").reply("yes").into_bytes());
        let path = temp.write("projects/-p/sessions-index.json", &before);
        let had = Value::parse(before.as_bytes()).unwrap().get("entries").unwrap().items().filter(is_of_session).count();

        let done = refresh(&config, &slug, &"one".into()).unwrap();
        prop_assert_eq!(done, if had == 0 { IndexUpdate::Added } else { IndexUpdate::Updated });
        let after = fs::read(&path).unwrap();
        prop_assert_eq!(others(&after), others(before.as_bytes()));
        prop_assert_eq!(unknown(&after), unknown(before.as_bytes()));
        let entries = Value::parse(&after).unwrap().get("entries").unwrap();
        let ours: Vec<_> = entries.items().filter(is_of_session).collect();
        prop_assert_eq!(ours.len(), had.max(1));
        for entry in ours {
            prop_assert!(entry.get("firstPrompt").unwrap().text().unwrap().is("hello"));
            prop_assert_eq!(entry.get("messageCount").unwrap().count(), Some(2));
            prop_assert!(entry.get("customTitle").is_none());
        }
        prop_assert_eq!(refresh(&config, &slug, &"one".into()).unwrap(), IndexUpdate::Unchanged);
        prop_assert_eq!(&fs::read(&path).unwrap(), &after);

        prop_assert_eq!(remove(&config, &slug, &"one".into()).unwrap(), IndexUpdate::Removed);
        let without = fs::read(&path).unwrap();
        prop_assert_eq!(others(&without), others(before.as_bytes()));
        prop_assert!(!Value::parse(&without).unwrap().get("entries").unwrap().items().any(|entry| is_of_session(&entry)));
    }
}
