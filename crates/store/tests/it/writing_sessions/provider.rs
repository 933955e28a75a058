//! The provider: what a program says comes back, by every question that can be asked.

use annals_json::Value;
use annals_store::Slug;
use annals_store::provider::Provider;
use annals_store::session::NewSession;
use annals_testkit::home::Home;
use annals_testkit::source::Counting;
use annals_transcript::message::Message;
use annals_transcript::query::{Filter, Wanted};
use annals_transcript::resume::Client;

use super::Now;

fn message(json: &str) -> Message {
    Message::parse(&Value::parse(json.as_bytes()).unwrap().fields().unwrap()).unwrap()
}

#[test]
fn what_was_said_is_found_again_and_a_project_comes_back() {
    let home = Home::new();
    let provider = Provider::new(home.config_dir(), home.data_dir(), Now(Counting::default()));
    let mut session =
        provider.new_session(NewSession { cwd: home.work_dir(), ..NewSession::default() }).unwrap();
    let said = [
        r#"{"role":"user","content":"look"}"#,
        r#"{"role":"assistant","model":"claude-opus-4-5","content":[{"type":"text","text":"I do"},{"type":"tool_use","id":"t1","name":"Bash","input":{}}],"usage":{"input_tokens":5,"output_tokens":7}}"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"seen"}]}"#,
        r#"{"role":"system","content":"by the way"}"#,
        r#"{"role":"assistant","content":"done","usage":{"input_tokens":9,"output_tokens":1}}"#,
    ];
    let receipts: Vec<_> = said.iter().map(|json| session.append_message(&message(json)).unwrap()).collect();
    session.settle().unwrap();
    let path = session.path().to_path_buf();
    drop(session);

    let conversation = provider.read(&path).unwrap();
    let texts = |messages: &[Message]| messages.iter().map(Message::text).collect::<Vec<_>>();
    let all = conversation.messages(&Filter::default());
    assert_eq!(texts(&all), ["look", "I do", "", "by the way", "done"]);
    assert_eq!(texts(&conversation.last(2)), ["by the way", "done"]);
    let plain = Filter { tools: Wanted::Without, system: Wanted::Without, ..Filter::default() };
    assert_eq!(texts(&conversation.messages(&plain)), ["look", "I do", "done"]);
    let uuid = |at: usize| receipts[at].last().unwrap().uuid.clone().unwrap();
    assert_eq!(conversation.message(&uuid(4)).unwrap().text(), "done");
    assert!(conversation.message("nowhere").is_none());
    assert_eq!(texts(&conversation.ancestry(&uuid(1)).unwrap()), ["look", "I do"]);
    let counts = conversation.counts();
    assert_eq!((counts.prompts, counts.responses, counts.tool_calls, counts.tool_results), (1, 2, 1, 1));
    let resumed = String::from_utf8(conversation.resume(Client::NEWEST)).unwrap();
    assert!(["look", "I do", "seen", "done"].iter().all(|text| resumed.contains(text)), "{resumed}");

    provider.rename(&path, "A title").unwrap();
    provider.tag(&path, "a-tag").unwrap();
    let (listed, problems) = provider.list();
    assert!(problems.is_empty());
    assert_eq!((listed.len(), listed[0].title_text()), (1, Some("A title")));
    let fork = provider.fork(&path, Some(&uuid(0))).unwrap();
    assert_eq!(texts(&provider.read(&fork.path).unwrap().messages(&Filter::default())), ["look"]);

    let before = std::fs::read(&path).unwrap();
    let slug = Slug::new(path.parent().unwrap().file_name().unwrap().to_str().unwrap());
    let entry = provider.reset_project(&slug).unwrap();
    assert!(provider.list().0.is_empty());
    provider.undo(entry).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(provider.list().0.len(), 2);
}

#[test]
fn large_outputs_lie_apart_and_an_index_is_kept_true() {
    let home = Home::new();
    let provider = Provider::new(home.config_dir(), home.data_dir(), Now(Counting::default()));
    let mut session =
        provider.new_session(NewSession { cwd: home.work_dir(), ..NewSession::default() }).unwrap();
    let path = session.path().to_path_buf();
    let index = path.with_file_name("sessions-index.json");
    std::fs::write(&index, r#"{"version":1,"entries":[]}"#).unwrap();
    session.append_message(&message(r#"{"role":"user","content":"list it"}"#)).unwrap();
    session
        .append_message(&message(
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}"#,
        ))
        .unwrap();
    let long = "0123456789".repeat(4_000);
    let result = format!(
        r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t1","content":"{long}"}}]}}"#
    );
    session.append_message(&message(&result)).unwrap();
    drop(session);
    assert_eq!(std::fs::read_to_string(path.with_extension("").join("tool-results/t1.txt")).unwrap(), long);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("<persisted-output>") && text.len() < 10_000, "{} bytes", text.len());
    let noted = std::fs::read_to_string(&index).unwrap();
    assert!(
        noted.contains("list it") && noted.contains(path.file_stem().unwrap().to_str().unwrap()),
        "{noted}"
    );
    let file = annals_store::JsonFile::read(&index).unwrap();
    assert_eq!(annals_store::sessions_index::stale_entries(&file), []);
}
