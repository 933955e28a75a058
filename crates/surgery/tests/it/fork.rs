//! Forks: one path, from any point, under its ids or new ones, with what belongs to it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::Store;
use annals_store::session::fork as plain_fork;
use annals_surgery::Session;
use annals_surgery::belongings::belongings;
use annals_surgery::fork::{At, ForkPlanError, Forking, Ids, plan};
use annals_testkit::builder::{self, uuid};
use annals_testkit::corpus;
use annals_testkit::depth::{at_least, max_file_bytes};
use annals_testkit::home::Home;
use annals_testkit::source::Counting;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::clone::{load, made, rich};
use crate::steps::come_back_from_every_step;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn forked(path: &Path, at: &At, ids: Ids) -> Forking {
    let (session, side) = load(path);
    plan(&session, &side, at, ids, &Counting::default()).unwrap()
}

fn lines(forking: &Forking) -> Vec<u8> {
    made(&forking.plan.changes)[&forking.path].to_vec()
}

/// The texts that a client sends of these lines.
fn said(bytes: &[u8], client: Client) -> Vec<String> {
    let resumed = resume(&Transcript::parse(bytes), client);
    let mut found = Vec::new();
    for message in resumed.outcome.as_ref().unwrap() {
        let mut json = Vec::new();
        message.write_json(&mut json);
        found.push(String::from_utf8(json).unwrap());
    }
    found
}

/// Three turns; the second was asked anew, so that its first form is a side branch; then a compaction and one more.
fn branched(home: &Home) -> PathBuf {
    let session = builder::Session::new().id(ID).folder("/w").prompt("one").reply("1");
    let session = session.prompt("two").reply("2").parent(Some(&uuid(2))).prompt("two anew").reply("2 anew");
    let session = session.compaction("so far").prompt("three").reply("3");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes())
}

#[test]
fn a_fork_ends_where_it_is_told_for_every_client() {
    let home = Home::new();
    let path = branched(&home);
    let cases: [(At, &[&str], &[&str]); 6] = [
        (At::End, &["so far", "three", "3"], &[]),
        (At::Turn(1), &["one", "1"], &["two", "so far"]),
        (At::Turn(2), &["one", "1", "two", "2"], &["anew", "so far"]),
        (At::Turn(3), &["one", "1", "two anew", "2 anew"], &["so far", "\"two\""]),
        (At::Record(uuid(4)), &["one", "two", "2"], &["anew"]),
        (At::Record(uuid(5)), &["one", "1", "two anew"], &["2 anew"]),
    ];
    for (at, there, absent) in cases {
        for ids in [Ids::Kept, Ids::New] {
            let forking = forked(&path, &at, ids);
            for &client in Client::ALL {
                let said = said(&lines(&forking), client).join("\n");
                let missing: Vec<_> = there.iter().filter(|words| !said.contains(**words)).collect();
                let beside: Vec<_> = absent.iter().filter(|words| said.contains(**words)).collect();
                assert!(missing.is_empty() && beside.is_empty(), "{at:?} {ids:?} {client}: {said}");
            }
        }
    }
    // What a compaction hides is in the fork too, so that another can go on from before it.
    let whole = forked(&path, &At::End, Ids::New);
    assert!(String::from_utf8(lines(&whole)).unwrap().contains("two anew"));
}

/// Real files have this: what a compaction kept goes on beside its boundary, to which no parent leads.
#[test]
fn a_boundary_beside_the_path_goes_along() {
    let home = Home::new();
    let session = builder::Session::new().id(ID).folder("/w").prompt("one").reply("1");
    let session = session.prompt("two").reply("2").parent(None).chained("system", |object| {
        let kept = [uuid(3), uuid(6), uuid(4)];
        let [head, anchor, tail] = &kept;
        object.string("subtype", "compact_boundary").string("logicalParentUuid", tail);
        let metadata = format!(
            r#"{{"preservedSegment":{{"headUuid":"{head}","anchorUuid":"{anchor}","tailUuid":"{tail}"}}}}"#
        );
        object.raw("compactMetadata", metadata.as_bytes());
    });
    let session = session.chained("user", |object| {
        object.boolean("isCompactSummary", true);
        object.raw("message", br#"{"role":"user","content":"so far"}"#);
    });
    let bytes = session.parent(Some(&uuid(4))).prompt("three").into_bytes();
    let path = home.write(format!("projects/-w/{ID}.jsonl"), &bytes);
    let expected = said(&bytes, Client::NEWEST);
    assert!(!expected.join("").contains("one") && expected.join("").contains("so far"), "{expected:?}");
    for ids in [Ids::Kept, Ids::New] {
        assert_eq!(said(&lines(&forked(&path, &At::End, ids)), Client::NEWEST), expected);
    }
    // From before the compaction there is nothing of it.
    let early = said(&lines(&forked(&path, &At::Record(uuid(4)), Ids::New)), Client::NEWEST).join("");
    assert!(early.contains("one") && !early.contains("so far"), "{early}");
}

#[test]
fn kept_ids_are_as_the_store_forks() {
    let home = Home::new();
    let path = branched(&home);
    let forking = forked(&path, &At::Record(uuid(4)), Ids::Kept);
    let plain = plain_fork(&path, Some(&uuid(4)), &Counting::default()).unwrap();
    assert_eq!(lines(&forking), std::fs::read(plain.path).unwrap());
    assert_eq!((forking.records, forking.session.as_str()), (plain.records, plain.session.as_str()));
}

#[test]
fn new_ids_say_where_they_come_from() {
    let home = Home::new();
    let path = rich(&home);
    let forking = forked(&path, &At::End, Ids::New);
    let names = forking.names.as_ref().unwrap();
    let text = String::from_utf8(lines(&forking)).unwrap();
    for old in (1..=4).map(uuid) {
        let from = format!(r#""forkedFrom":{{"sessionId":"{ID}","messageUuid":"{old}"}}"#);
        assert_eq!(text.matches(&from).count(), 1, "{text}");
        assert!(text.contains(&format!(r#""uuid":"{}""#, names.record(&old).unwrap())));
        assert!(!text.contains(&format!(r#""uuid":"{old}""#)));
    }
    assert!(!text.contains(r#""sessionId":"x""#), "an older origin is no longer told");
    // The call's sub-agent with its meta file, the output and the copy of a file go along; todos and tasks stay.
    assert_eq!(forking.plan.changes.len(), 5);
    let early = forked(&path, &At::Turn(1), Ids::New);
    assert_eq!(early.plan.changes.len(), 5);
    let first = forked(&path, &At::Record(uuid(1)), Ids::New);
    let files: Vec<_> = made(&first.plan.changes).into_keys().collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let folder = home.config_dir().join("file-history").join(first.session.as_str());
    assert!(files.contains(&folder.join("00ff00ff00ff00ff@v1")), "{files:?}");
}

#[test]
fn bad_plans_are_refused() {
    let home = Home::new();
    let (session, side) = load(&branched(&home));
    let refused = |at: At| plan(&session, &side, &at, Ids::New, &Counting::default()).unwrap_err();
    for turn in [0, 5] {
        assert!(matches!(refused(At::Turn(turn)), ForkPlanError::NoSuchTurn { turns: 4, .. }));
    }
    assert!(matches!(refused(At::Record("no".to_owned())), ForkPlanError::Fork(_)));
    let empty = home.write("projects/-w/11110000-1111-4222-8333-444444444444.jsonl", "");
    let (session, side) = load(&empty);
    let nothing = plan(&session, &side, &At::End, Ids::New, &Counting::default());
    assert!(matches!(nothing, Err(ForkPlanError::Fork(_))));
}

#[test]
fn a_fork_stopped_at_any_step_comes_back_whole() {
    for (ids, least) in [(Ids::Kept, 3), (Ids::New, 11)] {
        let make = || {
            let home = Home::new();
            let (session, side) = load(&rich(&home));
            let forking = plan(&session, &side, &At::End, ids, &Counting::default()).unwrap();
            (home, forking.plan)
        };
        come_back_from_every_step(least, make, |plan, before, after| {
            assert_eq!(after.len(), before.len() + plan.changes.len());
        });
    }
}

#[test]
fn forks_of_the_corpus_go_on_as_their_source() {
    let Some(corpus) = corpus::or_skip("forks_of_the_corpus_go_on_as_their_source") else { return };
    let (mut sessions, source) = (0, Counting::default());
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        for entry in discovery.sessions.iter().filter(|entry| entry.bytes <= max_file_bytes()) {
            let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
            let side = belongings(&session, &discovery).unwrap();
            let name = corpus.name_of(&entry.path);
            let forking = match plan(&session, &side, &At::End, Ids::New, &source) {
                Ok(forking) => forking,
                Err(ForkPlanError::Fork(_)) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            let kept = plan(&session, &side, &At::End, Ids::Kept, &source).unwrap();
            for &client in Client::ALL {
                let count = |bytes: &[u8]| {
                    resume(&Transcript::parse(bytes), client).outcome.as_ref().ok().map(Vec::len)
                };
                assert_eq!(count(&lines(&forking)), count(&lines(&kept)), "{name} {client}");
                if client == Client::NEWEST {
                    assert_eq!(count(&lines(&forking)), count(&session.bytes), "{name}");
                }
            }
            let ids: HashSet<String> = session
                .transcript()
                .nodes()
                .iter()
                .filter_map(|node| node.uuid)
                .map(|id| id.to_string())
                .collect();
            let new = lines(&forking);
            let still: Vec<_> = Transcript::parse(&new)
                .nodes()
                .iter()
                .filter_map(|node| node.uuid)
                .map(|id| id.to_string())
                .filter(|id| ids.contains(id))
                .collect();
            assert!(still.is_empty(), "{name}: {still:?}");
            sessions += 1;
        }
    }
    assert!(sessions > at_least(100, 75), "{sessions}");
}
