//! The conversation goes on from before a prompt, for every client, also in real sessions.

use std::fs;
use std::path::Path;

use annals_store::Store;
use annals_store::session::{forked_lines, path_to};
use annals_surgery::Session;
use annals_surgery::belongings::belongings;
use annals_surgery::rewind::{Conversation, Foreign, RewindError, Rewinding, Scope, To, plan, turns};
use annals_testkit::builder::{self, uuid};
use annals_testkit::corpus;
use annals_testkit::depth::{at_least, max_file_bytes};
use annals_testkit::home::Home;
use annals_testkit::source::Counting;
use annals_transcript::resume::{Client, Origin, resume};
use annals_transcript::transcript::Transcript;

use super::{carried_out, planned, undo, wish};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const BACK: Scope = Scope::Conversation;

/// What a client sends, as JSON; none where it refuses the file.
fn said(bytes: &[u8], client: Client) -> Option<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let mut json = Vec::new();
    for message in resumed.outcome.as_ref().ok()? {
        // A client puts a word of its own behind a prompt without an answer; another prompt takes its place.
        for block in message.blocks.iter().filter(|block| matches!(block.origin, Origin::Record(_))) {
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
fn after(home: &Home, path: &Path, rewinding: &Rewinding) -> Vec<u8> {
    carried_out(home, rewinding).unwrap();
    fs::read(path).unwrap()
}

#[test]
fn every_client_goes_on_from_before_the_prompt() {
    for last_prompt in [None, Some(uuid(6)), Some(uuid(2))] {
        for (to, there, absent) in [
            (To::Number(2), &["one", "\"1\""][..], &["two", "three"][..]),
            (To::Number(3), &["one", "two", "\"2\""], &["three"]),
            (To::Last, &["one", "two"], &["three"]),
            (To::Record(uuid(3)), &["one"], &["two"]),
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
            let rewinding = planned(&path, &to, wish(BACK, Foreign::Left)).unwrap();
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
    let rewinding = planned(&path, &To::Number(3), wish(BACK, Foreign::Left)).unwrap();
    let bytes = after(&home, &path, &rewinding);
    // Somebody goes on from there, and goes back once more.
    let last = Transcript::parse(&bytes).nodes().iter().rev().find_map(|node| node.uuid).unwrap().to_string();
    let more = builder::Session::new().id(ID).folder("/w").wait(3600 * 24 * 20).parent(Some(&last));
    let more = String::from_utf8(more.prompt("anew").reply("4").into_bytes()).unwrap();
    let more = more.replace(&uuid(1), &uuid(101)).replace(&uuid(2), &uuid(102)).replace("msg_", "msg_9");
    fs::write(&path, [bytes, more.into_bytes()].concat()).unwrap();
    let text = said(&fs::read(&path).unwrap(), Client::NEWEST).unwrap();
    assert!(text.contains("two") && text.contains("anew") && !text.contains("three"), "{text}");
    let rewinding = planned(&path, &To::Number(2), wish(BACK, Foreign::Left)).unwrap();
    let bytes = after(&home, &path, &rewinding);
    for &client in Client::ALL {
        let text = said(&bytes, client).unwrap();
        assert!(text.contains("one") && !text.contains("two") && !text.contains("anew"), "{client}: {text}");
    }
}

#[test]
fn before_a_compaction_all_is_there_again() {
    let home = Home::new();
    let session = three().compaction("so far").prompt("four").reply("4");
    let path = write(&home, session);
    let rewinding = planned(&path, &To::Number(3), wish(BACK, Foreign::Left)).unwrap();
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
    let refused = planned(&path, &To::Number(1), wish(BACK, Foreign::Left));
    assert!(matches!(refused, Err(RewindError::NothingBefore { .. })));
    let both = planned(&path, &To::Number(1), wish(Scope::Both, Foreign::Left)).unwrap();
    assert_eq!(both.conversation, Conversation::NothingBefore);
    assert!(both.plan.is_empty());
}

#[test]
fn turns_that_are_not_there_are_refused() {
    let home = Home::new();
    let path = write(&home, three());
    for to in [To::Number(0), To::Number(4), To::Record("ffff".to_owned())] {
        let refused = planned(&path, &to, wish(BACK, Foreign::Left));
        assert!(matches!(refused, Err(RewindError::NoSuchTurn { turns: 3, .. })), "{to:?}");
    }
    let common = uuid(1)[..4].to_owned();
    let refused = planned(&path, &To::Record(common), wish(BACK, Foreign::Left));
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
            let side = belongings(&session, &discovery).unwrap();
            let name = corpus.name_of(&entry.path);
            let turns = turns(&session);
            // Long sessions have hundreds: about five of them will do.
            for turn in turns.iter().step_by((turns.len() / 5).max(1)) {
                let wish = wish(BACK, Foreign::Left);
                let rewinding =
                    match plan(&session, &side, &To::Number(turn.number), wish, &Counting::default()) {
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
