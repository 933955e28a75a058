//! The index of a project: one entry is refreshed, every other byte stays.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use annals_store::sessions_index::{IndexError, IndexUpdate, entries, refresh, stale_entries, without};
use annals_store::{ConfigDir, JsonFile, SessionKey, Slug};
use annals_testkit::builder::Session;
use annals_testkit::corpus::or_skip;

use super::{WRONG_NAMES, empty, expect_mode, names};

const MODIFIED: u64 = 1_780_300_000_123;

fn slug() -> Slug {
    Slug::from("-home-dev-garden")
}

/// Writes a session of the project, with a time of change that a test can rely on.
fn put_session(config: &ConfigDir, id: &str, session: Session) -> PathBuf {
    let path = config.session(&slug(), &id.into());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, session.id(id).into_bytes()).unwrap();
    let time = UNIX_EPOCH + Duration::from_millis(MODIFIED);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    path
}

fn put_index(config: &ConfigDir, text: &str) {
    fs::create_dir_all(config.project(&slug())).unwrap();
    fs::write(config.sessions_index(&slug()), text).unwrap();
}

fn index(config: &ConfigDir) -> String {
    fs::read_to_string(config.sessions_index(&slug())).unwrap()
}

/// Takes a session out of the index, as a change would.
pub(super) fn remove(
    config: &ConfigDir,
    slug: &Slug,
    session: &SessionKey,
) -> Result<IndexUpdate, IndexError> {
    let path = config.sessions_index(slug);
    match without(config, slug, std::slice::from_ref(session))? {
        Some(edit) => {
            assert_eq!(fs::read(&path).unwrap(), edit.before);
            fs::write(&path, edit.after).unwrap();
            Ok(IndexUpdate::Removed)
        }
        None if path.exists() => Ok(IndexUpdate::Unchanged),
        None => Ok(IndexUpdate::NoIndex),
    }
}

fn refresh_one(config: &ConfigDir) -> IndexUpdate {
    refresh(config, &slug(), &"one".into()).unwrap()
}

#[test]
fn without_an_index_none_is_made() {
    let (_temp, config) = empty();
    put_session(&config, "one", Session::new().prompt("hi"));
    assert_eq!(refresh_one(&config), IndexUpdate::NoIndex);
    assert_eq!(remove(&config, &slug(), &"one".into()).unwrap(), IndexUpdate::NoIndex);
    assert_eq!(names(&config.project(&slug())), ["one.jsonl"]);
}

#[test]
fn an_entry_is_added_as_the_client_lays_it_out() {
    let (_temp, config) = empty();
    let path = put_session(
        &config,
        "one",
        Session::new().prompt("say \"hi\"").reply("hi").sub_agent("a").prompt("x"),
    );
    put_index(&config, "{\n  \"version\": 1,\n  \"entries\": [],\n  \"originalPath\": \"/w\"\n}");
    assert_eq!(refresh_one(&config), IndexUpdate::Added);
    let expected = format!(
        r#"{{
  "version": 1,
  "entries": [
    {{
      "sessionId": "one",
      "fullPath": "{}",
      "fileMtime": {MODIFIED},
      "firstPrompt": "say \"hi\"",
      "messageCount": 2,
      "created": "2026-06-01T00:00:00.000Z",
      "modified": "2026-06-01T00:00:02.000Z",
      "gitBranch": "main",
      "projectPath": "/home/dev/garden",
      "isSidechain": false
    }}
  ],
  "originalPath": "/w"
}}"#,
        path.display(),
    );
    assert_eq!(index(&config), expected);
    assert_eq!(refresh_one(&config), IndexUpdate::Unchanged);
    let file = JsonFile::read(&config.sessions_index(&slug())).unwrap();
    assert_eq!(stale_entries(&file), []);
}

#[test]
fn an_entry_is_updated_and_nothing_else_is_touched() {
    let (_temp, config) = empty();
    let path = put_session(&config, "one", Session::new().prompt("café").reply("hi"));
    let path = path.display();
    let index_with = |mtime: &str, count: &str, title: &str| {
        format!(
            r#"{{"version":1,"x":[ 1.0 ],"entries":[ {{"sessionId":"two","customTitle":"keep","u":"\ud800"}} ,7,{{ "mine":{{"k":1e2}},"sessionId":"\u006fne","fullPath":"{path}","fileMtime":{mtime} ,"firstPrompt":"caf\u00e9","summary":"old title"{title},"messageCount":{count},"created":"2026-06-01T00:00:00.000Z","modified":"2026-06-01T00:00:01.000Z","gitBranch":"main","projectPath":"/home/dev/garden","isSidechain":false}}]}}"#
        )
    };
    put_index(&config, &index_with("1.5e3", "99", r#","customTitle":"withdrawn""#));
    assert_eq!(refresh_one(&config), IndexUpdate::Updated);
    assert_eq!(index(&config), index_with(&MODIFIED.to_string(), "2", ""));
    expect_mode_kept(&config);
    assert_eq!(refresh_one(&config), IndexUpdate::Unchanged);
}

/// The index has the mode that it had.
fn expect_mode_kept(config: &ConfigDir) {
    let path = config.sessions_index(&slug());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        put_session(config, "three", Session::new().prompt("hi"));
        refresh(config, &slug(), &"three".into()).unwrap();
        expect_mode(&path, 0o640);
        remove(config, &slug(), &"three".into()).unwrap();
    }
    let _ = path;
}

#[test]
fn the_title_of_the_user_and_that_of_the_model_have_their_fields() {
    let (_temp, config) = empty();
    let path = put_session(&config, "one", Session::new().prompt("hi").reply("hi"));
    let with = |title: &str| {
        let bytes = Session::new().id("one").prompt("hi").reply("hi").into_bytes();
        let text = String::from_utf8(bytes).unwrap();
        fs::write(&path, format!("{text}{title}\n")).unwrap();
        refresh_one(&config);
        let file = JsonFile::read(&config.sessions_index(&slug())).unwrap();
        let (list, _) = entries(&file);
        (list[0].custom_title().map(|text| text.to_string()), list[0].summary().map(|text| text.to_string()))
    };
    put_index(&config, r#"{"version":1,"entries":[]}"#);
    let (custom, ai) = (Some("Mine".to_owned()), Some("Its".to_owned()));
    assert_eq!(with(r#"{"type":"ai-title","aiTitle":"Its","sessionId":"one"}"#), (None, ai.clone()));
    assert_eq!(
        with(r#"{"type":"custom-title","customTitle":"Mine","sessionId":"one"}"#),
        (custom, ai.clone())
    );
    assert_eq!(with(r#"{"type":"custom-title","customTitle":"","sessionId":"one"}"#), (None, ai));
}

#[test]
fn an_entry_of_a_file_that_is_gone_goes() {
    let (_temp, config) = empty();
    let text = |entries: &str| format!("\u{feff}{{\"entries\":[{entries}],\"version\":1}}\n");
    put_index(&config, &text(r#"{"sessionId":"one","a":1}, {"sessionId":"two"},{"sessionId":"one"}"#));
    assert_eq!(refresh_one(&config), IndexUpdate::Removed);
    assert_eq!(index(&config), text(r#"{"sessionId":"two"}"#));
    assert_eq!(remove(&config, &slug(), &"one".into()).unwrap(), IndexUpdate::Unchanged);
    assert_eq!(remove(&config, &slug(), &"two".into()).unwrap(), IndexUpdate::Removed);
    assert_eq!(index(&config), text(""));
}

#[test]
fn a_file_without_a_conversation_gets_no_entry() {
    let (_temp, config) = empty();
    put_session(&config, "one", Session::new());
    put_index(&config, r#"{"entries":[]}"#);
    assert_eq!(refresh_one(&config), IndexUpdate::Unchanged);
}

#[test]
fn an_index_that_cannot_be_read_is_left_alone() {
    let (_temp, config) = empty();
    put_session(&config, "one", Session::new().prompt("hi"));
    for broken in ["", "{\"entries\":[", "[]", "{\"entries\":{}}", "{}"] {
        put_index(&config, broken);
        let error = refresh(&config, &slug(), &"one".into()).unwrap_err();
        assert!(matches!(error, IndexError::Unlike(_)), "{error}");
        assert!(remove(&config, &slug(), &"one".into()).is_err());
        assert_eq!(index(&config), broken);
    }
}

#[test]
fn wrong_names_are_refused() {
    let (_temp, config) = empty();
    put_index(&config, r#"{"entries":[]}"#);
    for name in WRONG_NAMES {
        let (wrong, right) = (SessionKey::from(name), SessionKey::from("one"));
        assert!(refresh(&config, &slug(), &wrong).is_err(), "{name}");
        let slug = Slug::from(name);
        assert!(refresh(&config, &slug, &right).is_err(), "{name}");
        assert!(remove(&config, &slug, &right).is_err(), "{name}");
    }
    assert_eq!(index(&config), r#"{"entries":[]}"#);
    // The longest slug that there is: 200 units, a dash, and a hash.
    let long = Slug::from(format!("{}-1a2b3c", "a".repeat(200)));
    assert_eq!(refresh(&config, &long, &"one".into()).unwrap(), IndexUpdate::NoIndex);
}

#[test]
fn a_left_over_of_a_crash_is_no_index() {
    let (_temp, config) = empty();
    put_session(&config, "one", Session::new().prompt("hi"));
    put_index(&config, r#"{"entries":[]}"#);
    let beside = format!(".sessions-index.json.{}.annals-new", std::process::id());
    fs::write(config.project(&slug()).join(&beside), "{\"ent").unwrap();
    assert_eq!(index(&config), r#"{"entries":[]}"#);
    assert_eq!(refresh_one(&config), IndexUpdate::Added);
    assert_eq!(names(&config.project(&slug())), ["one.jsonl", "sessions-index.json"]);
}

#[test]
fn the_indexes_of_the_corpus_keep_their_bytes() {
    let Some(corpus) = or_skip("the_indexes_of_the_corpus_keep_their_bytes") else { return };
    let mut count = 0;
    for path in corpus.files().iter().filter(|path| path.ends_with("sessions-index.json")) {
        let (_temp, config) = empty();
        let folder = path.parent().unwrap();
        let slug = Slug::new(folder.file_name().unwrap().to_string_lossy());
        fs::create_dir_all(config.project(&slug)).unwrap();
        let before = fs::read_to_string(path).unwrap();
        fs::write(config.sessions_index(&slug), &before).unwrap();
        let sessions = corpus.transcripts().into_iter().filter(|file| file.parent() == Some(folder));
        for file in sessions {
            let key = SessionKey::new(file.file_stem().unwrap().to_string_lossy());
            fs::copy(&file, config.session(&slug, &key)).unwrap();
            assert_eq!(refresh(&config, &slug, &key).unwrap(), IndexUpdate::Added);
            let with = fs::read_to_string(config.sessions_index(&slug)).unwrap();
            let (head, tail) = before.split_once("[]").unwrap();
            assert!(with.starts_with(head) && with.ends_with(tail), "{with}");
            assert_eq!(refresh(&config, &slug, &key).unwrap(), IndexUpdate::Unchanged);
            // Taken out again, all that is left of it is white space.
            assert_eq!(remove(&config, &slug, &key).unwrap(), IndexUpdate::Removed);
            let without = fs::read_to_string(config.sessions_index(&slug)).unwrap();
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(bare(&without), bare(&before));
            count += 1;
        }
    }
    assert!(count >= 17, "{count}");
}
