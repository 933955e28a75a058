//! Whether a file is a session. Nothing is appended to other files, whatever their names.

use std::ops::ControlFlow;
use std::path::Path;

use annals_json::Fields;
use annals_transcript::record::Record;

use crate::read::{ReadError, stream_records};

/// How many lines are read in search of a record: damaged ones may come first.
const MAX_LINES: usize = 1_000;

/// How many opening braces of a line are tried.
const MAX_BRACES: usize = 8;

/// Whether a file is a session or a sub-agent's: named as one, and empty or with a record of one.
pub fn is_session_file(path: &Path) -> Result<bool, ReadError> {
    let mut is_blank = true;
    let found = stream_records(path, |line| {
        let body = line.body();
        if body.iter().all(u8::is_ascii_whitespace) {
            return ControlFlow::Continue(());
        }
        is_blank = false;
        match Fields::scan(body).ok().filter(|(fields, _)| is_record(fields)) {
            Some(_) => ControlFlow::Break(true),
            None if line.number >= MAX_LINES => ControlFlow::Break(false),
            None => ControlFlow::Continue(()),
        }
    })?;
    let is_named = path.extension().is_some_and(|extension| extension == "jsonl");
    Ok(is_named && found.unwrap_or(is_blank))
}

/// Whether a file has an object in its first lines, as a session has however damaged it is; an empty one is none yet.
pub fn has_objects(path: &Path) -> Result<bool, ReadError> {
    let mut is_blank = true;
    let found = stream_records(path, |line| {
        let body = line.body();
        is_blank &= body.iter().all(u8::is_ascii_whitespace);
        match memchr::memchr_iter(b'{', body).take(MAX_BRACES).any(|at| Fields::scan(&body[at..]).is_ok()) {
            true => ControlFlow::Break(true),
            false if line.number >= MAX_LINES => ControlFlow::Break(false),
            false => ControlFlow::Continue(()),
        }
    })?;
    Ok(found.unwrap_or(is_blank))
}

/// Whether an object is a record: of a known kind, or of a kind to come that names its session.
fn is_record(fields: &Fields<'_>) -> bool {
    let has = |key: &str| fields.text(key).is_some();
    let is_known = || Record::new(fields.clone()).kind().is_known();
    has("type") && (has("sessionId") || is_known() && ["uuid", "leafUuid", "messageId"].into_iter().any(has))
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn a_damaged_session_has_objects_and_other_files_have_none() {
        let folder = TempDir::new("has-objects");
        let has = |text: &str| has_objects(&folder.write("a", text)).unwrap();
        for text in ["", " \n", "{\"a\":1}", "torn {\"x\n\0\0{\"a\":1}\n", "{\n \"a\": 1\n}\n"] {
            assert!(has(text), "{text:?}");
        }
        for text in ["root:x:0:0\ndaemon:x:1\n", "GIF89a\u{1}{", "{{{{{{{{{{{{", "[1]\n"] {
            assert!(!has(text), "{text:?}");
        }
    }

    #[test]
    fn a_session_is_told_from_other_files() {
        let folder = TempDir::new("is-session");
        let is = |name: &str, text: &str| is_session_file(&folder.write(name, text)).unwrap();
        let user = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}"#;
        for text in [
            "",
            "\n\n",
            user,
            "torn {\n\0\0\n{\"type\":\"summary\",\"summary\":\"t\",\"leafUuid\":\"u\"}\n",
            "{\"type\":\"of-next-year\",\"sessionId\":\"s\"}\n",
            "{\n  \"type\": \"user\",\n  \"sessionId\": \"s\"\n}\n",
        ] {
            assert!(is("a.jsonl", text), "{text}");
        }
        for text in [
            "notes\n",
            "{\"display\":\"a prompt\",\"sessionId\":\"s\"}\n",
            "{\"type\":\"log\",\"text\":\"x\"}\n",
            "{\"type\":\"user\",\"name\":\"mira\"}\n",
            "[1]\n",
            "{\n  \"name\": \"settings\"\n}\n",
        ] {
            assert!(!is("a.jsonl", text), "{text}");
        }
        assert!(!is("notes.txt", user) && !is("notes.txt", "") && !is("settings.json", "{}"));
    }
}
