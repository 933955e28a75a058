//! Forks: one path from any point, with old or new ids, and its side files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annals_store::Store;
use annals_store::session::fork as plain_fork;
use annals_surgery::Session;
use annals_surgery::fork::{ForkIds, ForkPlan, ForkPlanError, ForkPoint, plan};
use annals_surgery::session_files::session_files;
use annals_testkit::builder::{self, uuid};
use annals_testkit::corpus;
use annals_testkit::depth::{at_least, max_file_bytes};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::clone::{load, made, rich};
use crate::steps::come_back_from_every_step;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

fn forked(path: &Path, at: &ForkPoint, ids: ForkIds) -> ForkPlan {
    let (session, side) = load(path);
    plan(&session, &side, at, ids, &CountingSource::default()).unwrap()
}

fn lines(fork_plan: &ForkPlan) -> Vec<u8> {
    made(&fork_plan.plan.changes)[&fork_plan.path].to_vec()
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

/// Three turns; the second was sent again, so that its first version is a side branch; then a compaction and one more.
fn branched(home: &Home) -> PathBuf {
    let session = builder::Session::new().id(ID).folder("/w").prompt("one").reply("1");
    let session =
        session.prompt("two").reply("2").parent(Some(&uuid(2))).prompt("two again").reply("2 again");
    let session = session.compaction("so far").prompt("three").reply("3");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes())
}

#[test]
fn a_fork_ends_where_it_is_told_for_every_client() {
    let home = Home::new();
    let path = branched(&home);
    let cases: [(ForkPoint, &[&str], &[&str]); 6] = [
        (ForkPoint::End, &["so far", "three", "3"], &[]),
        (ForkPoint::Turn(1), &["one", "1"], &["two", "so far"]),
        (ForkPoint::Turn(2), &["one", "1", "two", "2"], &["again", "so far"]),
        (ForkPoint::Turn(3), &["one", "1", "two again", "2 again"], &["so far", "\"two\""]),
        (ForkPoint::Record(uuid(4)), &["one", "two", "2"], &["again"]),
        (ForkPoint::Record(uuid(5)), &["one", "1", "two again"], &["2 again"]),
    ];
    for (at, there, absent) in cases {
        for ids in [ForkIds::Kept, ForkIds::New] {
            let fork_plan = forked(&path, &at, ids);
            for &client in Client::ALL {
                let said = said(&lines(&fork_plan), client).join("\n");
                let missing: Vec<_> = there.iter().filter(|words| !said.contains(**words)).collect();
                let beside: Vec<_> = absent.iter().filter(|words| said.contains(**words)).collect();
                assert!(missing.is_empty() && beside.is_empty(), "{at:?} {ids:?} {client}: {said}");
            }
        }
    }
    // What a compaction hides is in the fork too, so that another fork can start before it.
    let whole = forked(&path, &ForkPoint::End, ForkIds::New);
    assert!(String::from_utf8(lines(&whole)).unwrap().contains("two again"));
}

/// Real files have this: preserved messages continue beside the boundary, to which no parent leads.
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
    for ids in [ForkIds::Kept, ForkIds::New] {
        assert_eq!(said(&lines(&forked(&path, &ForkPoint::End, ids)), Client::NEWEST), expected);
    }
    // A fork from before the compaction has nothing of it.
    let early =
        said(&lines(&forked(&path, &ForkPoint::Record(uuid(4)), ForkIds::New)), Client::NEWEST).join("");
    assert!(early.contains("one") && !early.contains("so far"), "{early}");
}

#[test]
fn kept_ids_are_as_the_store_forks() {
    let home = Home::new();
    let path = branched(&home);
    let fork_plan = forked(&path, &ForkPoint::Record(uuid(4)), ForkIds::Kept);
    let plain = plain_fork(&path, Some(&uuid(4)), &CountingSource::default()).unwrap();
    assert_eq!(lines(&fork_plan), std::fs::read(plain.path).unwrap());
    assert_eq!((fork_plan.records, fork_plan.session.as_str()), (plain.records, plain.session.as_str()));
}

#[test]
fn new_ids_say_where_they_come_from() {
    let home = Home::new();
    let path = rich(&home);
    let fork_plan = forked(&path, &ForkPoint::End, ForkIds::New);
    let names = fork_plan.names.as_ref().unwrap();
    let text = String::from_utf8(lines(&fork_plan)).unwrap();
    for old in (1..=4).map(uuid) {
        let from = format!(r#""forkedFrom":{{"sessionId":"{ID}","messageUuid":"{old}"}}"#);
        assert_eq!(text.matches(&from).count(), 1, "{text}");
        assert!(text.contains(&format!(r#""uuid":"{}""#, names.record(&old).unwrap())));
        assert!(!text.contains(&format!(r#""uuid":"{old}""#)));
    }
    assert!(!text.contains(r#""sessionId":"x""#), "an older origin is no longer told");
    // The call's sub-agent with its meta file, the output and the file copy are copied; todos and tasks are not.
    assert_eq!(fork_plan.plan.changes.len(), 5);
    let early = forked(&path, &ForkPoint::Turn(1), ForkIds::New);
    assert_eq!(early.plan.changes.len(), 5);
    let first = forked(&path, &ForkPoint::Record(uuid(1)), ForkIds::New);
    let files: Vec<_> = made(&first.plan.changes).into_keys().collect();
    assert_eq!(files.len(), 2, "{files:?}");
    let folder = home.config_dir().join("file-history").join(first.session.as_str());
    assert!(files.contains(&folder.join("00ff00ff00ff00ff@v1")), "{files:?}");
}

#[test]
fn bad_plans_are_refused() {
    let home = Home::new();
    let (session, side) = load(&branched(&home));
    let refused =
        |at: ForkPoint| plan(&session, &side, &at, ForkIds::New, &CountingSource::default()).unwrap_err();
    for turn in [0, 5] {
        assert!(matches!(refused(ForkPoint::Turn(turn)), ForkPlanError::NoSuchTurn { turns: 4, .. }));
    }
    assert!(matches!(refused(ForkPoint::Record("no".to_owned())), ForkPlanError::Fork(_)));
    let empty = home.write("projects/-w/11110000-1111-4222-8333-444444444444.jsonl", "");
    let (session, side) = load(&empty);
    let nothing = plan(&session, &side, &ForkPoint::End, ForkIds::New, &CountingSource::default());
    assert!(matches!(nothing, Err(ForkPlanError::Fork(_))));
}

#[test]
fn a_fork_stopped_at_any_step_comes_back_whole() {
    for (ids, least) in [(ForkIds::Kept, 3), (ForkIds::New, 11)] {
        let make = || {
            let home = Home::new();
            let (session, side) = load(&rich(&home));
            let fork_plan = plan(&session, &side, &ForkPoint::End, ids, &CountingSource::default()).unwrap();
            (home, fork_plan.plan)
        };
        come_back_from_every_step(least, make, |plan, before, after| {
            assert_eq!(after.len(), before.len() + plan.changes.len());
        });
    }
}

#[test]
fn forks_of_the_corpus_go_on_as_their_source() {
    let Some(corpus) = corpus::or_skip("forks_of_the_corpus_go_on_as_their_source") else { return };
    let (mut sessions, source) = (0, CountingSource::default());
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        for entry in discovery.sessions.iter().filter(|entry| entry.bytes <= max_file_bytes()) {
            let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
            let side = session_files(&session, &discovery).unwrap();
            let name = corpus.name_of(&entry.path);
            let fork_plan = match plan(&session, &side, &ForkPoint::End, ForkIds::New, &source) {
                Ok(fork_plan) => fork_plan,
                Err(ForkPlanError::Fork(_)) => continue,
                Err(error) => panic!("{name}: {error}"),
            };
            let kept = plan(&session, &side, &ForkPoint::End, ForkIds::Kept, &source).unwrap();
            for &client in Client::ALL {
                let count = |bytes: &[u8]| {
                    resume(&Transcript::parse(bytes), client).outcome.as_ref().ok().map(Vec::len)
                };
                assert_eq!(count(&lines(&fork_plan)), count(&lines(&kept)), "{name} {client}");
                if client == Client::NEWEST {
                    assert_eq!(count(&lines(&fork_plan)), count(&session.bytes), "{name}");
                }
            }
            let ids: HashSet<String> = session
                .transcript()
                .nodes()
                .iter()
                .filter_map(|node| node.uuid)
                .map(|id| id.to_string())
                .collect();
            let new = lines(&fork_plan);
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
