//! The conversation continues from before a prompt, for every client, also in real sessions.

use std::fs;
use std::path::Path;

use annals_store::Store;
use annals_store::session::{forked_lines, path_to};
use annals_surgery::Session;
use annals_surgery::rewind::{
    Conversation, ForeignChanges, RewindError, RewindPlan, RewindScope, TurnRef, plan, turns,
};
use annals_surgery::session_files::session_files;
use annals_testkit::builder::{self, uuid};
use annals_testkit::corpus;
use annals_testkit::depth::{at_least, max_file_bytes};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::Transcript;

use super::{carried_out, options, planned, undo};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const BACK: RewindScope = RewindScope::Conversation;

/// What a client sends, as JSON; `None` if it refuses the file.
fn said(bytes: &[u8], client: Client) -> Option<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let mut json = Vec::new();
    for message in resumed.outcome.as_ref().ok()? {
        // A client adds a text after an unanswered prompt; another prompt takes its place.
        for block in message.blocks.iter().filter(|block| matches!(block.origin, BlockOrigin::Record(_))) {
            block.write_json(&mut json);
        }
    }
    Some(String::from_utf8_lossy(&json).into_owned())
}

fn write(home: &Home, session: builder::Session) -> std::path::PathBuf {
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes())
}

fn three() -> builder::Session {
    let session = builder::Session::new().id(ID).folder("/w").prompt("one").reply("1");
    session.prompt("two").reply("2").prompt("three").reply("3")
}

/// The file after the plan.
fn after(home: &Home, path: &Path, rewinding: &RewindPlan) -> Vec<u8> {
    carried_out(home, rewinding).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn every_client_goes_on_from_before_the_prompt() {
    for last_prompt in [None, Some(uuid(6)), Some(uuid(2))] {
        for (to, there, absent) in [
            (TurnRef::Number(2), &["one", "\"1\""][..], &["two", "three"][..]),
            (TurnRef::Number(3), &["one", "two", "\"2\""], &["three"]),
            (TurnRef::Last, &["one", "two"], &["three"]),
            (TurnRef::Record(uuid(3)), &["one"], &["two"]),
        ] {
            let home = Home::new();
            let mut session = three();
            if let Some(leaf) = &last_prompt {
                session = session.side("last-prompt", |object| {
                    object.string("lastPrompt", "three").string("leafUuid", leaf).boolean("explicit", true);
                });
            }
            let path = write(&home, session);
            let before = fs::read(&path).unwrap();
            let rewinding = planned(&path, &to, options(BACK, ForeignChanges::Left)).unwrap();
            assert!(matches!(rewinding.conversation, Conversation::Back { .. }), "{to:?} {last_prompt:?}");
            let entry = carried_out(&home, &rewinding).unwrap();
            let bytes = fs::read(&path).unwrap();
            assert!(bytes.starts_with(&before), "it is only appended to");
            for &client in Client::ALL {
                let said = said(&bytes, client).unwrap();
                assert!(there.iter().all(|words| said.contains(words)), "{client} {to:?}: {said}");
                assert!(!absent.iter().any(|words| said.contains(words)), "{client} {to:?}: {said}");
            }
            undo(&home, entry);
            assert_eq!(fs::read(&path).unwrap(), before);
        }
    }
}

#[test]
fn it_can_go_back_further_and_on_again() {
    let home = Home::new();
    let path = write(&home, three());
    let rewinding = planned(&path, &TurnRef::Number(3), options(BACK, ForeignChanges::Left)).unwrap();
    let bytes = after(&home, &path, &rewinding);
    // The conversation continues from there and is rewound once more.
    let last = Transcript::parse(&bytes).nodes().iter().rev().find_map(|node| node.uuid).unwrap().to_string();
    let more = builder::Session::new().id(ID).folder("/w").wait(3600 * 24 * 20).parent(Some(&last));
    let more = String::from_utf8(more.prompt("again").reply("4").into_bytes()).unwrap();
    let more = more.replace(&uuid(1), &uuid(101)).replace(&uuid(2), &uuid(102)).replace("msg_", "msg_9");
    fs::write(&path, [bytes, more.into_bytes()].concat()).unwrap();
    let text = said(&fs::read(&path).unwrap(), Client::NEWEST).unwrap();
    assert!(text.contains("two") && text.contains("again") && !text.contains("three"), "{text}");
    let rewinding = planned(&path, &TurnRef::Number(2), options(BACK, ForeignChanges::Left)).unwrap();
    let bytes = after(&home, &path, &rewinding);
    for &client in Client::ALL {
        let text = said(&bytes, client).unwrap();
        assert!(text.contains("one") && !text.contains("two") && !text.contains("again"), "{client}: {text}");
    }
}

#[test]
fn before_a_compaction_all_is_there_again() {
    let home = Home::new();
    let session = three().compaction("so far").prompt("four").reply("4");
    let path = write(&home, session);
    let rewinding = planned(&path, &TurnRef::Number(3), options(BACK, ForeignChanges::Left)).unwrap();
    assert!(matches!(rewinding.conversation, Conversation::Back { .. }));
    let bytes = after(&home, &path, &rewinding);
    for &client in Client::ALL {
        let text = said(&bytes, client).unwrap();
        assert!(
            text.contains("two") && !text.contains("so far") && !text.contains("three"),
            "{client}: {text}"
        );
    }
}

#[test]
fn nothing_comes_before_the_first_prompt() {
    let home = Home::new();
    let path = write(&home, three());
    let refused = planned(&path, &TurnRef::Number(1), options(BACK, ForeignChanges::Left));
    assert!(matches!(refused, Err(RewindError::NothingBefore { .. })));
    let both = planned(&path, &TurnRef::Number(1), options(RewindScope::Both, ForeignChanges::Left)).unwrap();
    assert_eq!(both.conversation, Conversation::NothingBefore);
    assert!(both.plan.is_empty());
}

#[test]
fn turns_that_are_not_there_are_refused() {
    let home = Home::new();
    let path = write(&home, three());
    for to in [TurnRef::Number(0), TurnRef::Number(4), TurnRef::Record("ffff".to_owned())] {
        let refused = planned(&path, &to, options(BACK, ForeignChanges::Left));
        assert!(matches!(refused, Err(RewindError::NoSuchTurn { turns: 3, .. })), "{to:?}");
    }
    let common = uuid(1)[..4].to_owned();
    let refused = planned(&path, &TurnRef::Record(common), options(BACK, ForeignChanges::Left));
    assert!(matches!(refused, Err(RewindError::Ambiguous { count: 3, .. })));
}

/// Every turn of every real session: whatever is planned, each client sends what comes before the prompt and nothing else.
#[test]
fn real_sessions_go_back_to_every_turn() {
    let Some(corpus) = corpus::or_skip("real_sessions_go_back_to_every_turn") else { return };
    let (mut back, mut forked, mut first) = (0, 0, 0);
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        for entry in discovery.sessions.iter().filter(|entry| entry.bytes <= max_file_bytes().min(3_000_000))
        {
            let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
            let side = session_files(&session, &discovery).unwrap();
            let name = corpus.name_of(&entry.path);
            let turns = turns(&session);
            // Long sessions have hundreds of turns: about five of them are enough.
            for turn in turns.iter().step_by((turns.len() / 5).max(1)) {
                let options = options(BACK, ForeignChanges::Left);
                let rewinding = match plan(
                    &session,
                    &side,
                    &TurnRef::Number(turn.number),
                    options,
                    &CountingSource::default(),
                ) {
                    Ok(rewinding) => rewinding,
                    Err(RewindError::NothingBefore { .. } | RewindError::Fork(_)) => {
                        first += 1;
                        continue;
                    }
                    Err(error) => panic!("{name}: {error}"),
                };
                match &rewinding.conversation {
                    Conversation::Back { from } => {
                        let transcript = session.transcript();
                        let nodes = path_to(&transcript, Some(from), &entry.path).unwrap();
                        let wanted = forked_lines(&transcript, &nodes, &entry.path, "x").unwrap();
                        let bytes = rewinding.plan.edits[0].result();
                        assert!(bytes.starts_with(session.bytes.trim_ascii_end()), "{name}");
                        for &client in Client::ALL {
                            assert_eq!(
                                said(&bytes, client),
                                said(&wanted, client),
                                "{name} {client} {}",
                                turn.number
                            );
                        }
                        back += 1;
                    }
                    Conversation::Forked { .. } => forked += 1,
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
    println!("{back} by a line, {forked} by a fork, {first} with nothing before");
    assert!(back > at_least(100, 60) && forked < back / 4, "{back} {forked}");
}
