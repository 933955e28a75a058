//! `annals doctor` says what is there and what is wrong, and never fails because of it.

use annals_testkit::home::Home;

use crate::schemas::keep_schema;
use crate::{annals, annals_exits};

#[test]
fn a_store_and_what_is_wrong_with_it_are_reported() {
    let home = Home::new();
    let report = annals_exits(&home, &["doctor"], 0).out;
    for part in
        ["knows clients up to", ": 0 sessions", "none yet; the first search or annals index creates it"]
    {
        assert!(report.contains(part), "{part}: {report}");
    }

    let session = r#"{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","version":"99.0.1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","message":{"role":"user","content":"hi"}}"#;
    home.write("projects/-w/0d0c7000-0000-4000-8000-000000000001.jsonl", format!("{session}\n"));
    let report = annals_exits(&home, &["doctor", "--json"], 0);
    keep_schema("doctor", &[report.out.trim_end().as_bytes()], "doctor --json");
    assert!(report.out.contains("99.0.1 wrote sessions here, newer than annals knows"), "{}", report.out);

    let missing = home.path().join("missing");
    let named = annals(&home, &["doctor", "--config-dir", missing.to_str().unwrap()]);
    assert_eq!(named.code, Some(3), "{}", named.out);
    assert!(named.out.contains("problem"), "{}", named.out);
}
