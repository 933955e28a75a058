//! Arguments that name a session.

use annals_store::find::{FindError, SessionMatch, resolve};
use annals_store::{Discovery, SessionEntry, Store};
use annals_testkit::temp::TempDir;

fn store() -> (TempDir, Discovery) {
    let temp = TempDir::new("finding");
    let files = [
        ("projects/-a/aaaa1111.jsonl", "old", 10),
        ("projects/-a/aaaa2222.jsonl", "new", 20),
        ("projects/-a/empty000.jsonl", "", 99),
        ("projects/-b/bbbb1111.jsonl", "newest", 30),
        ("projects/-a/twice000.jsonl", "x", 1),
        ("projects/-b/twice000.jsonl", "x", 2),
    ];
    for (name, text, seconds) in files {
        let file = temp.write(name, text);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }
    let found = Store::open(temp.path()).discover();
    (temp, found)
}

fn check(argument: &str, here: Option<&str>, expected: &str) {
    let (temp, discovery) = store();
    let titles = |session: &SessionEntry| match session.key.as_str() {
        "aaaa1111" => Some("Fix the bug".to_owned()),
        "aaaa2222" | "bbbb1111" => Some("Same".to_owned()),
        _ => None,
    };
    let name = |session: &SessionEntry| format!("{}/{}", session.slug, session.key);
    let answer = match resolve(argument, &discovery, here, titles) {
        Ok(SessionMatch::Session(session)) => name(session),
        Ok(SessionMatch::Path(path)) => format!("path {}", path.display()),
        Err(FindError::Ambiguous { candidates, .. }) => {
            format!("ambiguous {}", candidates.into_iter().map(name).collect::<Vec<_>>().join(" "))
        }
        Err(FindError::TooShort { .. }) => "too short".to_owned(),
        Err(FindError::NotFound { .. }) => "not found".to_owned(),
        Err(FindError::NoSessions) => "no sessions".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(answer, expected, "{argument} in {}", temp.path().display());
}

#[test]
fn ids_and_their_beginnings() {
    check("aaaa1111", None, "-a/aaaa1111");
    check("aaaa1", None, "-a/aaaa1111");
    check("aaaa", None, "ambiguous -a/aaaa2222 -a/aaaa1111");
    check("aaa", None, "too short");
    check("AAAA1", None, "-a/aaaa1111");
    check("zzz", None, "not found");
    check("zzzz", None, "not found");
}

#[test]
fn one_id_in_two_projects() {
    check("twice000", None, "ambiguous -b/twice000 -a/twice000");
    check("twice000", Some("/b"), "-b/twice000");
    check("twic", Some("/a"), "-a/twice000");
}

#[test]
fn titles_are_exact() {
    check("Fix the bug", None, "-a/aaaa1111");
    check("Fix the", None, "not found");
    check("Same", None, "ambiguous -b/bbbb1111 -a/aaaa2222");
}

#[test]
fn last_prefers_the_current_project() {
    check("last", None, "-b/bbbb1111");
    check("last", Some("/a"), "-a/aaaa2222");
    check("last", Some("/elsewhere"), "-b/bbbb1111");
}

#[test]
fn last_is_the_session_in_which_something_happened_last() {
    let temp = TempDir::new("finding");
    let line = |time: &str| {
        format!(r#"{{"type":"user","uuid":"u","timestamp":"{time}","message":{{"content":"x"}}}}"#)
    };
    let files = [
        ("projects/-a/old.jsonl", line("2026-01-03T10:00:00Z")),
        ("projects/-a/new.jsonl", line("2026-03-03T10:00:00Z")),
        ("projects/-a/stub.jsonl", r#"{"type":"summary","summary":"s","leafUuid":"x"}"#.to_owned()),
        ("projects/-b/other.jsonl", line("2026-02-03T10:00:00Z")),
    ];
    // As after a copy of the store: all files are of one moment, or in any order.
    for (at, (name, text)) in files.iter().enumerate() {
        let file = temp.write(name, text);
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_790_000_000 - at as u64);
        std::fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    }
    let store = Store::open(temp.path());
    let discovery = store.discover();
    let last = |here: Option<&str>| store.find("last", &discovery, here).unwrap().path().to_path_buf();
    assert!(last(None).ends_with("new.jsonl") && last(Some("/b")).ends_with("other.jsonl"));
}

#[test]
fn paths_are_taken_as_they_are() {
    check("/nowhere/x.jsonl", None, "path /nowhere/x.jsonl");
    check("./x", None, "path ./x");
    check("x.jsonl", None, "path x.jsonl");
    check(".", None, "path .");
}

#[test]
fn an_empty_store_has_no_last() {
    let temp = TempDir::new("finding");
    let discovery = Store::open(temp.path()).discover();
    assert!(matches!(resolve("last", &discovery, None, |_| None), Err(FindError::NoSessions)));
}

#[test]
fn the_store_looks_up_titles_itself() {
    let temp = TempDir::new("finding");
    temp.write("projects/-a/one.jsonl", r#"{"type":"custom-title","customTitle":"My title"}"#);
    temp.write("projects/-a/two.jsonl", "{}");
    let store = Store::open(temp.path());
    let discovery = store.discover();
    let found = store.find("My title", &discovery, None).unwrap();
    assert!(found.path().ends_with("one.jsonl"));
}
