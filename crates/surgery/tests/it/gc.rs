//! Leftovers: exactly what was planted is found, sessions resume as before, and everything can be undone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use annals_demo::Plan as Demo;
use annals_store::digest::sha256;
use annals_store::journal::Journal;
use annals_store::{DataDir, Store};
use annals_surgery::apply::apply;
use annals_surgery::gc::{GcOptions, GcPlan, LeftoverKind, plan};
use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::steps::come_back_from_every_step;
use crate::tree;

const GONE: &str = "00000000-0000-4000-8000-000000000000";
const YOUNG: &str = "00000000-0000-4000-8000-000000000001";
const LISTED: &str = "00000000-0000-4000-8000-000000000002";
const SHOWN: &str = "00000000-0000-4000-8000-000000000003";
const HOLLOW: &str = "00000000-0000-4000-8000-000000000004";
const FULL: &str = "00000000-0000-4000-8000-000000000005";

/// The time of all files in a test store, except for the new ones.
const OLD: u64 = 1_760_000_000_000;
const CUTOFF: i64 = 1_790_000_000_000;
const YOUNG_AT: u64 = 1_795_000_000_000;

fn all() -> GcOptions {
    GcOptions { kinds: BTreeSet::new(), cutoff: CUTOFF }
}

fn at(path: &PathBuf, millis: u64) {
    let time = UNIX_EPOCH + Duration::from_millis(millis);
    fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

fn collect(home: &Home, options: &GcOptions) -> GcPlan {
    plan(&Store::open(home.config_dir()).discover(), options).unwrap()
}

/// What was found, as kind and path.
fn found(home: &Home, options: &GcOptions) -> BTreeSet<String> {
    let root = home.config_dir();
    let name = |path: &PathBuf| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    collect(home, options).leftovers.iter().map(|one| format!("{} {}", one.kind, name(&one.path))).collect()
}

/// What was skipped, as file name and reason.
fn skipped(home: &Home, options: &GcOptions) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    collect(home, options).skipped.iter().map(|one| format!("{}: {}", name(&one.path), one.why)).collect()
}

fn demo() -> Home {
    let home = Home::new();
    home.fill(&Demo::default());
    for path in tree(&home.config_dir()).keys() {
        at(path, OLD);
    }
    home
}

/// Plants one of every kind in a store, and returns them.
fn plant(home: &Home) -> BTreeSet<String> {
    let mut planted = BTreeSet::new();
    let mut put = |kind: LeftoverKind, name: String, bytes: &[u8]| {
        at(&home.write(&name, bytes), OLD);
        planted.insert(format!("{kind} {name}"));
    };
    let agent = Session::new().id(GONE).sub_agent("a7777777").prompt("look").reply("seen").into_bytes();
    let warm_up = Session::new().id(GONE).sub_agent("a8888888").prompt("Warmup").into_bytes();
    put(LeftoverKind::Empty, format!("projects/-p/{HOLLOW}.jsonl"), b"");
    put(LeftoverKind::Todos, format!("todos/{HOLLOW}-agent-{HOLLOW}.json"), b"[]");
    put(LeftoverKind::WarmUp, "projects/-p/agent-a8888888.jsonl".into(), &warm_up);
    put(LeftoverKind::SubAgents, format!("projects/-p/{GONE}/subagents/agent-a7777777.jsonl"), &agent);
    put(LeftoverKind::SubAgents, format!("projects/-p/{GONE}/subagents/agent-a7777777.meta.json"), b"{}");
    put(LeftoverKind::SubAgents, "projects/-p/agent-a9999999.meta.json".into(), b"{}");
    put(LeftoverKind::Outputs, format!("projects/-p/{GONE}/tool-results/toolu_1.txt"), b"out");
    put(LeftoverKind::Titles, format!("projects/-p/{GONE}/custom-title.json"), b"{}");
    put(LeftoverKind::Todos, format!("todos/{GONE}-agent-{GONE}.json"), b"[1]");
    put(LeftoverKind::Tasks, format!("tasks/{GONE}/1.json"), b"{}");
    put(LeftoverKind::Copies, format!("file-history/{GONE}/00ff00ff00ff00ff@v1"), b"old");
    put(LeftoverKind::Environments, format!("session-env/{GONE}/hook.sh"), b"x");
    put(LeftoverKind::Images, format!("image-cache/{GONE}/1.png"), b"png");
    put(LeftoverKind::Clients, "sessions/99999998.json".into(), b"{\"sessionId\":\"x\"}");
    put(LeftoverKind::TempFiles, format!("projects/-p/.{GONE}.jsonl.99999998.annals-new"), b"{}");
    put(LeftoverKind::Backups, "settings.json.backup.1700000000".into(), b"{}");
    put(LeftoverKind::Backups, "settings.json.bak".into(), b"{}");
    planted
}

/// Plants files that look like leftovers and are none.
fn plant_what_stays(home: &Home) {
    let put = |name: String, bytes: &[u8]| at(&home.write(name, bytes), OLD);
    put(format!("todos/{LISTED}-agent-{LISTED}.json"), b"[1]");
    put(
        "projects/-q/sessions-index.json".into(),
        format!(r#"{{"version":1,"entries":[{{"sessionId":"{LISTED}"}}]}}"#).as_bytes(),
    );
    put(format!("todos/{SHOWN}-agent-{SHOWN}.json"), b"[1]");
    put(format!("projects/-p/{SHOWN}.jsonl"), b"");
    let pid = std::process::id();
    put(format!("sessions/{pid}.json"), format!(r#"{{"pid":{pid},"sessionId":"{SHOWN}"}}"#).as_bytes());
    put(format!("projects/-p/{FULL}.jsonl"), b"");
    put(format!("file-history/{FULL}/00ff00ff00ff00ff@v2"), b"old");
    put("tasks/team-blue/1.json".into(), b"{}");
    put("gone.json.bak".into(), b"{}");
    put(format!("projects/-p/.x.jsonl.{pid}.annals-new"), b"{}");
    // One file of it is new: a client may be about to start.
    put(format!("todos/{YOUNG}-agent-{YOUNG}.json"), b"[1]");
    at(&home.write(format!("session-env/{YOUNG}/hook.sh"), "x"), YOUNG_AT);
}

#[test]
fn what_was_planted_is_found_and_nothing_else() {
    let home = demo();
    let own = found(&home, &all());
    assert_eq!(own.len(), 12, "{own:#?}");
    plant_what_stays(&home);
    assert_eq!(found(&home, &all()), own);
    let planted = plant(&home);
    assert_eq!(found(&home, &all()), own.union(&planted).cloned().collect());
    assert_eq!(
        skipped(&home, &all()),
        [
            format!("{FULL}.jsonl: it has copies of files"),
            format!("{LISTED}-agent-{LISTED}.json: an index lists session {LISTED}"),
            "gone.json.bak: gone.json itself is missing".to_owned(),
        ]
    );
    // Nothing newer than requested.
    assert!(found(&home, &GcOptions { cutoff: OLD as i64, ..all() }).is_empty());
    let now = found(&home, &GcOptions { cutoff: i64::MAX, ..all() });
    assert_eq!(now.len(), own.len() + planted.len() + 2);
}

#[test]
fn kinds_are_looked_for_by_name() {
    let home = demo();
    for folder in ["debug", "shell-snapshots"] {
        at(&home.write(format!("{folder}/{GONE}.txt"), "log"), OLD);
        at(&home.write(format!("{folder}/{YOUNG}.txt"), "log"), YOUNG_AT);
    }
    let of = |kind: LeftoverKind| found(&home, &GcOptions { kinds: [kind].into(), cutoff: CUTOFF });
    assert_eq!(of(LeftoverKind::Debug), [format!("debug debug/{GONE}.txt")].into());
    assert_eq!(
        of(LeftoverKind::ShellSnapshots),
        [format!("shell-snapshots shell-snapshots/{GONE}.txt")].into()
    );
    assert_eq!(of(LeftoverKind::Pastes).len(), 1, "the one that no prompt names");
    assert_eq!(of(LeftoverKind::Todos).len(), 1);
    let together: usize = LeftoverKind::ALL.into_iter().map(|kind| of(kind).len()).sum();
    assert_eq!(together, found(&home, &all()).len() + 3);
    // An empty session stays if only todos are requested, and so do its todos.
    let planted = plant(&home);
    assert_eq!(planted.iter().filter(|name| name.starts_with("todos")).count(), 2);
    assert_eq!(of(LeftoverKind::Todos).len(), 2);
}

#[test]
fn what_a_session_speaks_of_is_left() {
    let home = demo();
    let own = found(&home, &all());
    plant(&home);
    let output = format!("/x/{GONE}/tool-results/toolu_1.txt");
    let fork = Session::new().id(YOUNG).prompt("go on").reply(&format!("agent-a7777777\n{output}")).side(
        "file-history-snapshot",
        |object| {
            object
                .raw("snapshot", br#"{"trackedFileBackups":{"a":{"backupFileName":"00ff00ff00ff00ff@v1"}}}"#);
        },
    );
    at(&home.write(format!("projects/-p/{YOUNG}.jsonl"), fork.into_bytes()), OLD);
    let said: Vec<String> =
        skipped(&home, &all()).iter().map(|one| one.split(": ").next().unwrap().to_owned()).collect();
    let expected = ["agent-a7777777.jsonl", "agent-a7777777.meta.json", "toolu_1.txt", "00ff00ff00ff00ff@v1"];
    assert_eq!(said, expected);
    let left = found(&home, &all());
    assert!(expected.iter().all(|name| !left.iter().any(|one| one.ends_with(name))), "{left:#?}");
    assert_eq!(left.len(), own.len() + 17 - 4);
}

/// What every client would send of every session: digests of the messages.
fn resumed(home: &Home) -> BTreeMap<(PathBuf, &'static str), Option<String>> {
    let mut digests = BTreeMap::new();
    for session in Store::open(home.config_dir()).discover().sessions {
        let bytes = fs::read(&session.path).unwrap();
        let transcript = Transcript::parse(&bytes);
        for &client in Client::ALL.iter().filter(|_| !bytes.is_empty()) {
            let json = resume(&transcript, client).outcome.ok().map(|messages| {
                let mut json = Vec::new();
                messages.iter().for_each(|message| message.write_json(&mut json));
                sha256(&json)
            });
            digests.insert((session.path.clone(), client.version()), json);
        }
    }
    digests
}

/// Collects and checks: sessions resume as before, nothing is found again, and undo restores everything.
fn collect_and_undo(home: &Home, what: &str) -> usize {
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let (before, sent) = (tree(&home.config_dir()), resumed(home));
    let everything = GcOptions { cutoff: i64::MAX, ..all() };
    let collected = collect(home, &everything);
    if collected.plan.is_empty() {
        return 0;
    }
    let entry = apply(&collected.plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
    let mut after = resumed(home);
    // A warm-up is a session to clients; it was removed.
    let is_gone = |path: &PathBuf| collected.leftovers.iter().any(|leftovers| &leftovers.path == path);
    after.extend(
        sent.iter().filter(|((path, _), _)| is_gone(path)).map(|(key, value)| (key.clone(), value.clone())),
    );
    assert!(after == sent, "{what}: a session does not resume as before");
    assert!(collect(home, &everything).leftovers.is_empty(), "{what}: something is left");
    assert!(
        collected.leftovers.iter().all(|leftovers| !leftovers.path.exists()),
        "{what}: something was not taken"
    );
    let gone = before.len() - tree(&home.config_dir()).len();
    assert!(gone <= collected.leftovers.len() + 1, "{what}: {gone} files for {}", collected.leftovers.len());
    Journal::new(&data).undo(entry).unwrap();
    assert!(tree(&home.config_dir()) == before, "{what}: undone");
    gone
}

#[test]
fn sessions_resume_as_before_and_everything_comes_back() {
    let home = demo();
    plant_what_stays(&home);
    plant(&home);
    assert_eq!(collect_and_undo(&home, "demo"), 12 + 17 + 2);
}

#[test]
fn the_corpus_resumes_as_before() {
    let Some(corpus) = corpus::or_skip("the_corpus_resumes_as_before") else { return };
    let mut gone = 0;
    for folder in corpus.config_dirs() {
        let home = Home::new();
        crate::trash::copy(&folder, &home.config_dir());
        gone += collect_and_undo(&home, &corpus.name_of(&folder));
    }
    assert!(gone > 0, "no store of the corpus has litter");
}

#[test]
fn a_collection_stopped_at_any_step_comes_back_whole() {
    let make = || {
        let home = Home::new();
        at(&home.write("settings.json", "{}"), OLD);
        plant(&home);
        // The comparison would take such files for those of the change itself.
        fs::remove_file(home.config_dir().join(format!("projects/-p/.{GONE}.jsonl.99999998.annals-new")))
            .unwrap();
        let plan = collect(&home, &all()).plan;
        (home, plan)
    };
    come_back_from_every_step(15, make, |plan, before, after| {
        // Folders of one session go as a whole.
        assert!(plan.changes.len() < before.len() - after.len());
        assert_eq!(after.len(), 1, "{:?}", after.keys());
    });
}
