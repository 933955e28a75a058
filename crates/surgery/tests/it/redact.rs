//! Redaction: no secret is found again, the session resumes, and undo restores every byte.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_demo::Plan as DemoPlan;
use annals_store::{DataDir, Store};
use annals_surgery::apply::apply;
use annals_surgery::redact::{RedactError, RedactFile, files_to_redact, plan, scan};
use annals_surgery::verify::verify;
use annals_surgery::{Plan, Session};
use annals_testkit::builder::Session as Builder;
use annals_testkit::corpus;
use annals_testkit::depth::max_file_bytes;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;
use base64::Engine as _;

use crate::steps::come_back_from_every_step;
use crate::tree;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const OTHER: &str = "4f2a0000-1111-4222-8333-444444444444";

/// Assembled here: a whole token in the source would alarm every scanner.
fn token() -> String {
    format!("ghp_{}", "a8Kd03LxQ7vTz1Rm5WbYc9Nf2HgJ6sPe4UoX")
}

fn rules() -> SecretRules {
    SecretRules::new(&[], &[]).unwrap()
}

fn load(path: &Path) -> (Session, Vec<RedactFile>) {
    let session = Session::load(path).unwrap();
    let discovery = session.home.as_ref().map(|(config, _)| Store::open(config.path()).discover());
    let files = files_to_redact(&session, discovery.as_ref()).unwrap();
    (session, files)
}

/// A store with one token everywhere, also without context, and a neighbour that has it too.
fn store() -> (Home, PathBuf) {
    let (home, token) = (Home::new(), token());
    let session = Builder::new()
        .id(ID)
        .prompt(&format!("use \"{token}\"\nand DB_PASSWORD=Xk29-mmQp7-horse"))
        .response(|response| response.thinking(&format!("the user said {token}")).text("I will."))
        .response(|response| {
            response
                .thinking("harmless")
                .tool_use("Bash", &format!(r#"{{"command":"echo {token}","{token}":1}}"#))
        })
        .tool_result(&format!("{token} Xk29-mmQp7-horse"))
        .side("last-prompt", |object| {
            object.string("lastPrompt", &token);
        })
        .side("queue-operation", |object| {
            object.string("operation", "enqueue").string("content", &token);
        })
        .reply("untouched é")
        .into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), session);
    let agent = Builder::new().id(ID).sub_agent("a1").prompt(&token).reply("ok").into_bytes();
    home.write(format!("projects/-p/{ID}/subagents/agent-a1.jsonl"), agent);
    home.write(format!("projects/-p/{ID}/tool-results/b1.txt"), format!("out \u{fffd} {token}\n"));
    let mut binary = b"\xff\xfe".to_vec();
    binary.extend_from_slice(token.as_bytes());
    home.write(format!("file-history/{ID}/0123456789abcdef@v1"), binary);
    home.write(
        format!("todos/{ID}-agent-{ID}.json"),
        format!(r#"[{{"content":"{token}","status":"pending"}}]"#),
    );
    let entry = |id: &str| format!(r#"{{"sessionId":"{id}","fullPath":"/x","firstPrompt":"{token}"}}"#);
    home.write(
        "projects/-p/sessions-index.json",
        format!(r#"{{"version":1,"entries":[{},{}]}}"#, entry(ID), entry(OTHER)),
    );
    let prompt = |id: &str| {
        format!(
            r#"{{"display":"{token}","pastedContents":{{"1":{{"id":1,"type":"text","contentHash":"00ff00ff00ff00ff"}}}},"timestamp":1,"project":"/p","sessionId":"{id}"}}"#
        ) + "\n"
    };
    home.write("history.jsonl", format!("{}{}", prompt(ID), prompt(OTHER)));
    home.write("paste-cache/00ff00ff00ff00ff.txt", &token);
    home.write(format!("projects/-p/{OTHER}.jsonl"), Builder::new().id(OTHER).prompt(&token).into_bytes());
    (home, path)
}

fn carry_out(home: &Home, plan: &Plan) {
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    apply(plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
}

#[test]
fn what_a_call_returns_is_judged_by_what_it_ran() {
    let home = Home::new();
    let call = |id: &str, command: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{command}"}}}}]}}}}"#
        ) + "\n"
    };
    let result = |id: &str, text: &str| {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}]}},"toolUseResult":{{"stdout":"{text}"}}}}"#
        ) + "\n"
    };
    let said = |text: &str| format!(r#"{{"type":"user","message":{{"content":"{text}"}}}}"#) + "\n";
    let saved = "<persisted-output>\\nFull output saved to: /c/tool-results/b2.txt\\n\\nPreview";
    let progress = "{\"type\":\"progress\",\"toolUseID\":\"toolu_1\",\"data\":{\"output\":\"falcon2931\"}}\n";
    let attachment =
        r#"{"type":"attachment","attachment":{"filename":"/x/.pgpass","content":"h:1:d:u:cactus8812"}}"#;
    let lines = [
        call("toolu_1", "pass show mail/ann") + progress + &result("toolu_1", "falcon2931"),
        call("toolu_2", "cat secrets.txt") + &result("toolu_2", saved),
        said("<bash-input>pass show bank</bash-input>"),
        said("<bash-stdout>garlic7712</bash-stdout><bash-stderr></bash-stderr>"),
        said("the password for the router is this:") + &said("hammer5560"),
        call("toolu_3", "ls") + &result("toolu_3", "release2024"),
        attachment.to_owned(),
    ];
    let path = home.write(format!("projects/-p/{ID}.jsonl"), lines.concat());
    home.write(format!("projects/-p/{ID}/tool-results/b2.txt"), "lemon-hawk-ocean-42\n");
    let agent = call("toolu_9", "pass show agent") + &result("toolu_9", "jungle4471");
    home.write(format!("projects/-p/{ID}/subagents/agent-a1.jsonl"), agent);
    let (session, files) = load(&path);
    carry_out(&home, &plan(&session, &files, &rules()).unwrap());
    let all: String = tree(&home.config_dir())
        .into_values()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    for secret in ["falcon2931", "lemon-hawk", "garlic7712", "hammer5560", "cactus8812", "jungle4471"] {
        assert!(!all.contains(secret), "{secret}: {all}");
    }
    assert_eq!(all.matches("release2024").count(), 2, "{all}");
}

#[test]
fn a_secret_leaves_every_file_of_its_session() {
    let (home, path) = store();
    let (session, files) = load(&path);
    assert_eq!(files.len(), 8, "{files:#?}");
    let before = tree(&home.config_dir());
    carry_out(&home, &plan(&session, &files, &rules()).unwrap());
    let token = token();
    let mut left: Vec<_> = tree(&home.config_dir())
        .into_iter()
        .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&token))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    left.sort();
    // What is left belongs to the neighbour.
    assert_eq!(
        left,
        [format!("{OTHER}.jsonl"), "history.jsonl".to_owned(), "sessions-index.json".to_owned()]
    );
    let after = fs::read_to_string(&path).unwrap();
    let old = String::from_utf8(before[&path].clone()).unwrap();
    assert!(
        after.contains(r#"use \"[REDACTED:github-token:1]\"\nand DB_PASSWORD=[REDACTED:assignment:1]"#),
        "{after}"
    );
    // Found by its name in one place, replaced in the other.
    assert!(!after.contains("Xk29-mmQp7-horse"));
    assert!(
        after.contains("[REDACTED:thinking]")
            && after.contains("harmless")
            && !after.contains("the user said")
    );
    assert_eq!(old.lines().count(), after.lines().count());
    assert_eq!(old.lines().last(), after.lines().last());
    let history = fs::read_to_string(home.config_dir().join("history.jsonl")).unwrap();
    assert_eq!(history.lines().filter(|line| line.contains(&token)).count(), 1);
    let index = fs::read_to_string(home.config_dir().join("projects/-p/sessions-index.json")).unwrap();
    assert_eq!(index.matches(&token).count(), 1);
    let (_, files) = load(&path);
    assert_eq!(scan(&files, &rules()), []);
    let again = plan(&Session::load(&path).unwrap(), &files, &rules()).unwrap();
    assert!(again.is_empty());
}

#[test]
fn every_file_of_the_session_is_redacted() {
    let (home, path) = store();
    let wide: Vec<u8> = format!("key {}\n", token()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = format!("projects/-p/{ID}");
    for name in [
        format!("{folder}/notes.md"),
        format!("{folder}/session-memory/summary.md"),
        format!("{folder}/anything/deep/x.jsonl"),
        format!("session-env/{ID}/hook.sh"),
        format!("debug/{ID}.txt"),
        format!("later/{ID}/state.json"),
        format!("later/of-{ID}.log"),
    ] {
        home.write(name, token());
    }
    home.write(format!("{folder}/wide.txt"), wide);
    home.write(format!("image-cache/{ID}/1.png"), token());
    home.write("debug/of-another.txt", token());
    let (session, files) = load(&path);
    assert!(files.iter().all(|file| !file.path.to_string_lossy().contains("another")), "{files:#?}");
    carry_out(&home, &plan(&session, &files, &rules()).unwrap());
    let holds = |bytes: &[u8]| {
        let thin: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&thin).contains(&token())
    };
    let mut left: Vec<_> = tree(&home.config_dir())
        .into_iter()
        .filter(|(_, bytes)| holds(bytes))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    left.sort();
    let expected =
        ["1.png", &format!("{OTHER}.jsonl"), "history.jsonl", "of-another.txt", "sessions-index.json"];
    assert_eq!(left, expected);
    let wide = fs::read(home.config_dir().join(format!("{folder}/wide.txt"))).unwrap();
    let text: Vec<u16> = wide.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    assert_eq!(String::from_utf16(&text).unwrap(), "key [REDACTED:github-token:1]\n");
}

#[test]
fn a_word_that_is_a_password_is_replaced_only_where_it_is_one() {
    let home = Home::new();
    let bytes = Builder::new()
        .id(ID)
        .prompt("export DB_PASSWORD=correcthorse\nand API_TOKEN=q7Rt93kkLmX2")
        .reply("the correcthorse database; q7Rt93kkLmX2 and xq7Rt93kkLmX2x")
        .into_bytes();
    let path = home.write(format!("projects/-p/{ID}.jsonl"), bytes);
    let (session, files) = load(&path);
    carry_out(&home, &plan(&session, &files, &rules()).unwrap());
    let after = fs::read_to_string(path).unwrap();
    assert!(after.contains("DB_PASSWORD=[REDACTED:assignment:1]"), "{after}");
    assert!(
        after.contains("the correcthorse database; [REDACTED:assignment:2] and xq7Rt93kkLmX2x"),
        "{after}"
    );
}

#[test]
fn a_document_in_base64_stays_a_document() {
    let home = Home::new();
    let document = format!("config\nkey = {}\nend of the file\n", token());
    let data = base64::engine::general_purpose::STANDARD.encode(&document);
    let line = format!(
        r#"{{"type":"user","uuid":"u1","message":{{"role":"user","content":[{{"type":"document","source":{{"type":"base64","media_type":"text/plain","data":"{data}"}}}}]}}}}"#
    );
    let path = home.write(format!("projects/-p/{ID}.jsonl"), line + "\n");
    let (session, files) = load(&path);
    assert_eq!(scan(&files, &rules()).len(), 1);
    carry_out(&home, &plan(&session, &files, &rules()).unwrap());
    let after = fs::read_to_string(path).unwrap();
    let data = after.split("\"data\":\"").nth(1).unwrap().split('"').next().unwrap();
    let text = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "config\nkey = [REDACTED:github-token:1]\nend of the file\n"
    );
}

#[test]
fn a_scan_tells_where_and_not_what() {
    let (_home, path) = store();
    let (_, files) = load(&path);
    let found = scan(&files, &rules());
    assert!(found.len() > 10, "{found:#?}");
    for secret in &found {
        let bytes = fs::read(&secret.path).unwrap();
        let there = String::from_utf8_lossy(&bytes[secret.offset..]).into_owned();
        assert!(there.starts_with(&token()) || there.starts_with("Xk29-mmQp7-horse"), "{secret:?}");
        let line = 1 + bytes[..secret.offset].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(secret.line, line);
        assert!(secret.masked.chars().count() <= 5, "{}", secret.masked);
    }
    assert!(!format!("{found:?}").contains(&token()[..8]));
}

#[test]
fn stopped_at_any_step_it_comes_back_whole() {
    let make = || {
        let (home, path) = store();
        let (session, files) = load(&path);
        let plan = plan(&session, &files, &rules()).unwrap();
        (home, plan)
    };
    come_back_from_every_step(12, make, |_, before, after| assert_ne!(before, after));
}

/// Plans and checks: verified, resumes as before, nothing found again; returns how many were found.
fn promise(session: &Session, files: &[RedactFile], rules: &SecretRules) -> usize {
    let plan = plan(session, files, rules).unwrap();
    for edit in &plan.edits {
        let after = edit.result();
        assert_eq!(verify(edit, &after), [], "{}", edit.path().display());
        let (old, new) = (Transcript::parse(edit.before()), Transcript::parse(&after));
        for &client in Client::ALL {
            let count =
                |transcript: &Transcript<'_>| resume(transcript, client).outcome.map(|all| all.len()).ok();
            assert_eq!(count(&old), count(&new), "{} {client}", edit.path().display());
        }
    }
    let mut now = files.to_vec();
    for file in &mut now {
        let edited =
            plan.edits.iter().find(|edit| edit.path() == file.path).map(annals_surgery::FileEdit::result);
        let replaced = plan.changes.iter().find_map(|change| match change {
            annals_store::changes::Change::Replace { path, bytes } if *path == file.path => {
                Some(bytes.clone())
            }
            _ => None,
        });
        file.bytes = edited.map(Into::into).or(replaced).unwrap_or_else(|| file.bytes.clone());
    }
    assert_eq!(scan(&now, rules), [], "{}", session.path.display());
    scan(files, rules).len()
}

#[test]
fn the_demo_store_is_redacted_by_a_pattern() {
    let home = Home::new();
    home.fill_sample(&DemoPlan::default());
    let discovery = Store::open(home.config_dir()).discover();
    // A word that is in every conversation.
    let rules = SecretRules::new(&[], &["(?i)the|test".to_owned()]).unwrap();
    let mut found = 0;
    for entry in discovery.sessions.iter().filter(|entry| entry.bytes > 0) {
        let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
        found += promise(&session, &files_to_redact(&session, Some(&discovery)).unwrap(), &rules);
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_pattern_that_finds_itself_is_refused() {
    let home = Home::new();
    let path = home.write("projects/-p/one.jsonl", Builder::new().prompt("abcdefghijklmnop").into_bytes());
    let (session, files) = load(&path);
    // Each replacement uncovers the start of another match.
    let rules = SecretRules::new(&[], &[r"\b\w".to_owned()]).unwrap();
    let refused = plan(&session, &files, &rules);
    assert!(matches!(&refused, Err(RedactError::Endless { path: file }) if *file == path), "{refused:?}");
}

#[test]
fn the_corpus_has_hardly_a_wrong_placeholder() {
    let Some(corpus) = corpus::or_skip("the_corpus_has_hardly_a_wrong_placeholder") else { return };
    let rules = rules();
    let (mut found, mut kinds) = (0, std::collections::BTreeMap::<&str, usize>::new());
    let mut sessions = 0;
    for path in corpus.transcripts() {
        if fs::metadata(&path).unwrap().len() > max_file_bytes() {
            continue;
        }
        sessions += 1;
        let session = Session::load_from(&path, None).unwrap();
        let files = files_to_redact(&session, None).unwrap();
        found += promise(&session, &files, &rules);
        for secret in scan(&files, &rules) {
            *kinds.entry(secret.kind.name()).or_default() += 1;
            assert!(!is_sealed(&session.bytes, secret.offset), "{}:{}", corpus.name_of(&path), secret.offset);
        }
    }
    println!("{found} findings in {sessions} files: {kinds:?}");
    // Nobody's secrets are in the corpus: what is found there is found wrongly.
    assert!(found * 10 <= sessions, "{found} findings in {sessions} files: {kinds:?}");
}

/// Whether a byte is in a long run of base64, as in images and signatures.
fn is_sealed(bytes: &[u8], offset: usize) -> bool {
    let solid = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let before = bytes[..offset].iter().rev().take_while(|byte| solid(byte)).count();
    let after = bytes[offset..].iter().take_while(|byte| solid(byte)).count();
    before + after > 400
}

#[cfg(unix)]
#[test]
fn a_history_that_its_owner_linked_elsewhere_is_redacted_there() {
    let (home, path) = store();
    let link = home.config_dir().join("history.jsonl");
    let _ = fs::remove_file(&link);
    let target = home.path().join("dotfiles/history.jsonl");
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    let prompt = format!("{{\"display\":\"{}\",\"sessionId\":\"{ID}\"}}\n", token());
    fs::write(&target, &prompt).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let (_, files) = load(&path);
    assert!(files.iter().any(|file| file.path == link && *file.bytes == *prompt.as_bytes()));
    // Another file is not chosen by a link.
    fs::rename(&target, home.path().join("dotfiles/key")).unwrap();
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(home.path().join("dotfiles/key"), &link).unwrap();
    let session = Session::load(&path).unwrap();
    let discovery = Store::open(home.config_dir()).discover();
    assert!(files_to_redact(&session, Some(&discovery)).is_err());
}
