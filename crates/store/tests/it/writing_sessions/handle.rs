//! An open session: all queries work, appending parses only the new lines, and lines of other writers are read.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use annals_json::Value;
use annals_store::journal::Journal;
use annals_store::session::{AppendError, NewSession, OnBusy, Session, SessionChange, edit_records};
use annals_store::{ConfigDir, DataDir, Slug, Store, reset};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::draft::Draft;
use annals_transcript::message::Message;
use annals_transcript::price::Prices;
use annals_transcript::query::{Filter, Inclusion};
use annals_transcript::record::Record;
use annals_transcript::resume::Client;
use annals_transcript::transcript::Transcript;
use proptest::prelude::*;

use super::{Now, prompt};

fn message(json: &str) -> Message {
    Message::parse(&Value::parse(json.as_bytes()).unwrap().fields().unwrap()).unwrap()
}

fn create(home: &Home) -> Session {
    create_with(home, Arc::new(Now(CountingSource::default())))
}

fn create_with(home: &Home, source: Arc<Now>) -> Session {
    let (config, data) = (ConfigDir::new(home.config_dir()), DataDir::new(home.data_dir()));
    let new = NewSession { cwd: home.work_dir(), ..NewSession::default() };
    Session::create(&config, &data, source, new).unwrap()
}

/// Compares a session with its file, parsed from scratch.
#[track_caller]
fn check(session: &Session) {
    let bytes = fs::read(session.path()).unwrap();
    assert_eq!(session.bytes(), bytes);
    assert_eq!(format!("{:?}", session.transcript()), format!("{:?}", Transcript::parse(&bytes)));
}

#[test]
fn what_was_said_is_found_again_and_a_project_comes_back() {
    let home = Home::new();
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let source = Arc::new(Now(CountingSource::default()));
    let mut session = create_with(&home, Arc::clone(&source));
    let said = [
        r#"{"role":"user","content":"look"}"#,
        r#"{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"I do"},{"type":"tool_use","id":"t1","name":"Bash","input":{}}],"usage":{"input_tokens":5,"output_tokens":7}}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"seen"}]}"#,
        r#"{"role":"system","content":"by the way"}"#,
        r#"{"role":"assistant","content":"done","usage":{"input_tokens":9,"output_tokens":1}}"#,
    ];
    let receipts: Vec<_> = said.iter().map(|json| session.append_message(&message(json)).unwrap()).collect();
    check(&session);
    let path = session.path().to_path_buf();

    let texts = |messages: &[Message]| messages.iter().map(Message::text).collect::<Vec<_>>();
    assert_eq!(texts(&session.messages()), ["look", "I do", "", "by the way", "done"]);
    let view = session.view();
    assert_eq!(texts(&view.messages(&Filter::default())), ["look", "I do", "", "by the way", "done"]);
    assert_eq!(texts(&view.last_messages(2)), ["by the way", "done"]);
    let mut plain = Filter::default();
    (plain.tools, plain.system) = (Inclusion::Without, Inclusion::Without);
    assert_eq!(texts(&view.messages(&plain)), ["look", "I do", "done"]);
    let uuid = |at: usize| receipts[at].last().unwrap().uuid.clone().unwrap();
    assert_eq!(view.message(&uuid(4)).unwrap().text(), "done");
    assert!(view.message("nowhere").is_none());
    assert_eq!(texts(&view.ancestry(&uuid(1)).unwrap()), ["look", "I do"]);
    let counts = view.counts();
    assert_eq!((counts.prompts, counts.responses, counts.tool_calls, counts.tool_results), (1, 2, 1, 1));
    assert!(view.tool_calls()[0].name.unwrap().is("Bash"));
    assert_eq!(view.usage(&Prices::embedded()).total.tokens.output, 8);
    let mut resumed = Vec::new();
    view.resume(Client::NEWEST).write_json(&mut resumed);
    let resumed = String::from_utf8(resumed).unwrap();
    assert!(["look", "I do", "seen", "done"].iter().all(|text| resumed.contains(text)), "{resumed}");

    session.append_all(&[Draft::custom_title("A title"), Draft::tag("a-tag")]).unwrap();
    check(&session);
    let fork = session.fork(Some(&uuid(0)), &source).unwrap();
    assert_eq!(texts(&Session::open(&fork.path).unwrap().messages()), ["look"]);
    drop(session);

    let list = || store.summaries(&store.discover()).0;
    let listed = list().into_iter().find(|summary| summary.path == path).unwrap();
    assert_eq!((listed.title_text(), listed.tag.as_deref()), (Some("A title"), Some("a-tag")));
    let before = fs::read(&path).unwrap();
    let slug = Slug::new(path.parent().unwrap().file_name().unwrap().to_str().unwrap());
    let plan = reset::plan(&store.discover(), store.config_dir(), &slug);
    let entry = reset::apply(&plan, store.config_dir(), &data, &source).unwrap();
    assert!(list().is_empty());
    Journal::new(&data).undo(entry).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(list().len(), 2);
}

#[test]
fn large_outputs_lie_apart_and_an_index_is_kept_true() {
    let home = Home::new();
    let mut session = create(&home);
    let path = session.path().to_path_buf();
    let index = path.with_file_name("sessions-index.json");
    fs::write(&index, r#"{"version":1,"entries":[]}"#).unwrap();
    session.append_message(&message(r#"{"role":"user","content":"list it"}"#)).unwrap();
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}"#;
    session.append_message(&message(call)).unwrap();
    let long = "0123456789".repeat(4_000);
    let result = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{long}"}}]}}"#
    );
    session.append_message(&message(&result)).unwrap();
    drop(session);
    assert_eq!(fs::read_to_string(path.with_extension("").join("tool-results/t1.txt")).unwrap(), long);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("<persisted-output>") && text.len() < 10_000, "{} bytes", text.len());
    let noted = fs::read_to_string(&index).unwrap();
    assert!(
        noted.contains("list it") && noted.contains(path.file_stem().unwrap().to_str().unwrap()),
        "{noted}"
    );
    let file = annals_store::JsonFile::read(&index).unwrap();
    assert_eq!(annals_store::sessions_index::stale_entries(&file), []);
}

#[test]
fn appending_parses_the_new_lines_alone() {
    let home = Home::new();
    let mut session = create(&home);
    for at in 0..200 {
        session.append(&prompt(&format!("prompt {at}"))).unwrap();
    }
    // Every byte once: parsing the file again for each record would have taken a hundred times as many.
    assert_eq!(session.parsed_bytes(), session.bytes().len() as u64);
    let (path, data) = (session.path().to_path_buf(), DataDir::new(home.data_dir()));
    drop(session);
    let source = Now(CountingSource::from(5_000));
    let mut session = Session::open_for_append(&path, &data, source, OnBusy::Refuse).unwrap();
    session.append(&prompt("after opening")).unwrap();
    assert_eq!(session.parsed_bytes(), session.bytes().len() as u64);
    check(&session);
}

#[test]
fn a_session_opened_for_reading_sees_what_others_write_and_writes_nothing() {
    let home = Home::new();
    let mut writer = create(&home);
    writer.append(&prompt("one")).unwrap();
    let mut reader = Session::open(writer.path()).unwrap();
    assert!(matches!(reader.append(&prompt("x")), Err(AppendError::ReadOnly { .. })));
    assert_eq!(reader.refresh().unwrap(), SessionChange::Unchanged);
    writer.append(&prompt("two")).unwrap();
    assert_eq!(reader.refresh().unwrap(), SessionChange::Appended);
    check(&reader);
    assert_eq!(reader.parsed_bytes(), reader.bytes().len() as u64);
    let (path, whole) = (writer.path().to_path_buf(), reader.bytes().to_vec());
    drop(writer);
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(reader.refresh().unwrap(), SessionChange::Reloaded);
    check(&reader);
    fs::remove_file(&path).unwrap();
    assert!(reader.refresh().is_err());
}

#[test]
fn records_are_edited_in_place_and_come_back() {
    let home = Home::new();
    let data = DataDir::new(home.data_dir());
    let mut session = create(&home);
    session.append_all(&[prompt("a secret"), Draft::custom_title("a title")]).unwrap();
    let (path, before) = (session.path().to_path_buf(), session.bytes().to_vec());
    let source = Now(CountingSource::from(5_000));
    let edit = |path: &Path| {
        edit_records(path, "edit", &data, &source, |record, editor| {
            if let Record::CustomTitle(_) = record {
                editor.replace_string(&[annals_json::edit::PathStep::Key("customTitle")], "another")?;
            }
            Ok(())
        })
    };
    assert!(edit(&path).is_err(), "the session is open");
    drop(session);
    let entry = edit(&path).unwrap().unwrap();
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.contains("another") && after.contains("a secret") && !after.contains("a title"), "{after}");
    assert!(edit(&path).unwrap().is_none());
    Journal::new(&data).undo(entry).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// One thing that happens to a file while a session has it open.
#[derive(Clone, Debug)]
enum Step {
    Append(String),
    Title(String),
    /// Bytes that another program writes: whole lines, torn ones, anything.
    Foreign(Vec<u8>),
    /// The file is cut to this share of its length, in percent.
    Cut(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let foreign = prop_oneof![
        Just(b"{\"type\":\"tag\",\"tag\":\"t\"}\n".to_vec()),
        Just(b"{\"type\":\"user\",\"uuid\":\"x\",\"parentUu".to_vec()),
        Just(b"\n\n[1]\n\0\0{\"type\":\"mode\"}{}\r\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
    ];
    let step = prop_oneof![
        4 => "[a-zé\"\\\\\n]{0,20}".prop_map(Step::Append),
        1 => "[a-z]{0,8}".prop_map(Step::Title),
        3 => foreign.prop_map(Step::Foreign),
        1 => (0..100_usize).prop_map(Step::Cut),
    ];
    prop::collection::vec(step, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_session_is_what_a_fresh_parse_of_its_file_gives(steps in steps()) {
        let home = Home::new();
        let mut session = create(&home);
        for step in steps {
            match step {
                // Appending fails where others have continued the conversation or cut the file.
                Step::Append(text) => drop(session.append(&prompt(&text))),
                Step::Title(text) => drop(session.append(&Draft::custom_title(&text))),
                Step::Foreign(bytes) => {
                    let mut file = fs::File::options().append(true).open(session.path()).unwrap();
                    file.write_all(&bytes).unwrap();
                    session.refresh().unwrap();
                }
                Step::Cut(share) => {
                    let bytes = fs::read(session.path()).unwrap();
                    fs::write(session.path(), &bytes[..bytes.len() * share / 100]).unwrap();
                    session.refresh().unwrap();
                }
            }
            check(&session);
        }
    }
}
