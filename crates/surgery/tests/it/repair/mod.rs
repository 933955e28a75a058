//! Repair: fixes what is broken, never at the cost of what is there; healthy files stay byte for byte.

mod faults;
mod kinds;
mod undo;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use annals_demo::Plan as DemoPlan;
use annals_store::SessionKey;
use annals_surgery::repair::{RepairOptions, repair};
use annals_surgery::verify::verify;
use annals_surgery::{LineEdit, Plan, Session};
use annals_testkit::depth::repetitions;
use annals_testkit::home::Home;
use annals_testkit::{builder, corpus, oracle};
use annals_transcript::graph::Graph;
use annals_transcript::inspect::inspect;
use annals_transcript::loss::losses;
use annals_transcript::record::Record;
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::Transcript;
use annals_transcript::turn::Speaker;

use faults::{Chance, Fault};

/// A session without a file.
fn session(bytes: &[u8]) -> Session {
    let path = Path::new("somewhere").join(format!("{}.jsonl", builder::SESSION_ID));
    Session {
        path,
        key: SessionKey::new(builder::SESSION_ID),
        bytes: bytes.into(),
        agents: Vec::new(),
        home: None,
    }
}

fn plan(bytes: &[u8]) -> Plan {
    repair(&session(bytes), &RepairOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The file after its repair, verified.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    match plan(bytes).edits.first() {
        None => bytes.to_vec(),
        Some(edit) => {
            let after = edit.result();
            assert_eq!(verify(edit, &after), []);
            after
        }
    }
}

/// The edits of a plan, by line.
fn reasons(plan: &Plan) -> Vec<String> {
    let mut found = Vec::new();
    for edit in &plan.edits {
        found.extend(edit.line_edits().filter_map(|(line, line_edit)| match line_edit {
            LineEdit::Kept => None,
            LineEdit::Removed { why } => Some(format!("{line} - {why}")),
            LineEdit::Changed { why, .. } => Some(format!("{line} ~ {why}")),
        }));
        found.extend(edit.insertions().map(|(line, new)| format!("{line} + {}", new.why)));
    }
    found
}

/// How many messages a client sends; `None` if it refuses the file.
fn count(bytes: &[u8], client: Client) -> Option<usize> {
    resume(&Transcript::parse(bytes), client).outcome.ok().map(|messages| messages.len())
}

/// The ids of the prompts that a client sends.
fn prompts(bytes: &[u8], client: Client) -> BTreeSet<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let mut found = BTreeSet::new();
    for block in resumed.messages().iter().flat_map(|message| &message.blocks) {
        if let BlockOrigin::Record(node) = block.origin
            && let Record::User(user) = transcript.record(node)
            && Speaker::of(&user).opens_turn()
        {
            found.extend(transcript.nodes()[node].uuid.map(|uuid| uuid.to_string()));
        }
    }
    found
}

/// Compares a repaired file with the broken one: no client sends less, no prompt is lost, nothing is left to do.
fn check_not_worse(broken: &[u8], what: &str) -> Vec<u8> {
    if let Err(refusal) = repair(&session(broken), &RepairOptions::default()) {
        // Only what holds nothing is refused.
        assert!(Transcript::parse(broken).nodes().is_empty(), "{what}: {refusal}");
        return broken.to_vec();
    }
    let after = repaired(broken);
    for &client in Client::ALL {
        let (before, now) = (count(broken, client), count(&after, client));
        assert!(now >= before, "{what}: {client}: {before:?} became {now:?}");
        let (before, now) = (prompts(broken, client), prompts(&after, client));
        assert!(before.is_subset(&now), "{what}: {client}: a prompt is missed");
    }
    assert_eq!(reasons(&plan(&after)), Vec::<String>::new(), "{what}: a second repair finds more");
    after
}

/// Sessions of a made-up store.
fn demo_sessions() -> Vec<Vec<u8>> {
    let home = Home::new();
    home.fill(&DemoPlan::default());
    sessions_below(&home.config_dir().join("projects"))
}

fn sessions_below(folder: &Path) -> Vec<Vec<u8>> {
    let is_session = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.ends_with(".jsonl") && !name.starts_with("agent-")
    };
    crate::tree(folder).into_iter().filter(|(path, _)| is_session(path)).map(|(_, bytes)| bytes).collect()
}

/// Sessions of all ages from the corpus, none of them large.
fn corpus_sessions(test: &str) -> Vec<Vec<u8>> {
    let Some(corpus) = corpus::or_skip(test) else { return Vec::new() };
    let small = |path: &std::path::PathBuf| fs::metadata(path).is_ok_and(|file| file.len() < 200_000);
    corpus.transcripts().into_iter().filter(small).map(|path| fs::read(path).unwrap()).collect()
}

/// A session with everything that a fault needs: parallel calls, thinking, a compaction, gaps in time.
fn made_up(seed: usize) -> Vec<u8> {
    let mut session = builder::Session::new();
    for turn in 0..3 + seed % 4 {
        session = session.wait((seed * turn % 40) as u32).prompt(&format!("prompt {turn} of {seed}"));
        session =
            session.response(|response| response.thinking("hm").tool_use("Bash", r#"{"command":"ls"}"#));
        session = session.tool_result("README.md").reply(&format!("reply {turn} of {seed}"));
        session = session
            .prompt("both")
            .response(|response| response.tool_use("Bash", r#"{"command":"ls"}"#).tool_use("Read", "{}"));
        // Four responses per turn; this is the third.
        let id = |place: usize| format!("toolu_{:012}{place:012}", 4 * turn + 3);
        session = session.result_of(&id(0), "a").result_of(&id(1), "b").reply(&format!("both {turn}"));
        if turn == 1 + seed % 3 {
            session = session.compaction("what was said before");
        }
    }
    session.into_bytes()
}

/// Whether it has no problems and the newest client loses nothing.
fn is_healthy(bytes: &[u8]) -> bool {
    let transcript = Transcript::parse(bytes);
    let graph = Graph::new(&transcript);
    let resumed = resume(&transcript, Client::NEWEST);
    inspect(&transcript, &graph, None).is_empty() && losses(&transcript, &graph, &resumed).is_empty()
}

#[test]
fn a_healthy_file_is_left_alone() {
    let mut files = demo_sessions();
    files.extend((0..20).map(made_up));
    files.extend(corpus_sessions("a_healthy_file_is_left_alone"));
    let healthy: Vec<_> = files.into_iter().filter(|bytes| is_healthy(bytes)).collect();
    assert!(healthy.len() > 30, "{}", healthy.len());
    for bytes in healthy {
        let plan = plan(&bytes);
        assert_eq!(reasons(&plan), Vec::<String>::new());
    }
}

#[test]
fn real_and_made_up_files_are_never_worse_for_it() {
    let mut files = demo_sessions();
    files.extend(corpus_sessions("real_and_made_up_files_are_never_worse_for_it"));
    for (number, bytes) in files.iter().enumerate() {
        check_not_worse(bytes, &format!("file {number}"));
    }
}

#[test]
fn faults_of_every_kind_are_mended_without_loss() {
    let mut files: Vec<_> = (0..24).map(made_up).collect();
    files.extend(demo_sessions());
    files.extend(corpus_sessions("faults_of_every_kind_are_mended_without_loss"));
    files.retain(|bytes| bytes.len() < 200_000 && is_healthy(bytes));
    let mut table: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    // At least ten of each kind.
    let (mut cases, wanted) = (0, repetitions(1000).max(200));
    for (round, fault) in (0..).zip(Fault::ALL.iter().cycle()) {
        if cases >= wanted {
            break;
        }
        let mut chance = Chance::new(round);
        // Half of the cases are files that have everything that faults need.
        let among = if (round as usize / Fault::ALL.len()).is_multiple_of(2) { 24 } else { files.len() };
        let healthy = &files[chance.below(among)];
        let Some(broken) = fault.inject(healthy, &mut chance) else { continue };
        cases += 1;
        let after = check_not_worse(&broken, &format!("{fault:?}, round {round}"));
        let row = table.entry(format!("{fault:?}")).or_default();
        let newest = |bytes: &[u8]| count(bytes, Client::NEWEST).unwrap_or(0);
        // A fix is left out if it would take something from another client.
        let is_left = repair(&session(&broken), &RepairOptions::default())
            .is_ok_and(|plan| plan.notes.iter().any(|note| note.contains("a client would send less")));
        row[0] += 1;
        row[1] += if is_left { newest(healthy).min(newest(&after)) } else { newest(healthy) };
        row[2] += newest(&broken);
        row[3] += newest(&after);
    }
    assert_eq!(cases, wanted);
    for (fault, [cases, healthy, broken, after]) in &table {
        eprintln!("| {fault} | {cases} | {healthy} | {broken} | {after} |");
    }
    // Faults that leave every record intact are fully repaired (more so if they hid a compaction).
    for fault in ["Glued", "NulPrefix", "Garbage", "DuplicateSame", "DanglingParent", "NullParent", "Cycle"] {
        let [_, healthy, broken, after] = table[fault];
        assert!(after >= healthy, "{fault}: {broken} of {healthy} became {after}");
    }
}

#[test]
fn cases_that_lose_history_are_mended() {
    let Some(oracle) = oracle::or_skip("cases_that_lose_history_are_mended") else { return };
    let mut relinked = BTreeMap::new();
    for path in oracle.resume_cases() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        let after = check_not_worse(&bytes, &name);
        if after != bytes {
            let counts: Vec<_> =
                Client::ALL.iter().map(|&client| (count(&bytes, client), count(&after, client))).collect();
            eprintln!("| {name} | {counts:?} |");
            relinked.insert(name, counts);
        }
    }
    for (name, expected) in [("second_root", 4), ("cycle", 4), ("y_gap_600", 4)] {
        assert!(
            relinked[name].iter().all(|(_, after)| *after == Some(expected)),
            "{name}: {:?}",
            relinked[name]
        );
    }
}
