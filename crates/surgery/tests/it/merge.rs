//! Merges: all records of both halves, once, in order, the same to every client, reverted completely.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::layout::ConfigDir;
use annals_store::{DataDir, Store};
use annals_surgery::apply::apply;
use annals_surgery::merge::{MergeMode, MergePlan, MergePlanError, SessionPair, plan};
use annals_surgery::verify::verify;
use annals_testkit::builder::{Session, uuid};
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::line::lines;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::steps::come_back_from_every_step;
use crate::tree;

const ONE: &str = "3f2a0000-1111-4222-8333-444444444444";
const TWO: &str = "7b1c0000-1111-4222-8333-444444444444";
const AGENT: &str = "a0123456789abcdef";

/// Four turns in one file, to be cut.
fn whole() -> Vec<u8> {
    let session = Session::new().id(ONE).folder("/w").prompt("one").reply("1").prompt("two").reply("2");
    session.prompt("three").reply("3").prompt("four").reply("4").into_bytes()
}

/// The lines of a range, counted from 0, under another session id.
fn cut(bytes: &[u8], from: usize, to: usize, id: &str) -> String {
    let lines: Vec<_> = lines(bytes).map(|line| String::from_utf8_lossy(line.raw()).into_owned()).collect();
    lines[from..to].concat().replace(ONE, id)
}

fn write(home: &Home, project: &str, id: &str, text: &str) -> PathBuf {
    home.write(format!("projects/{project}/{id}.jsonl"), text)
}

fn planned(first: &Path, second: &Path, mode: MergeMode) -> Result<MergePlan, MergePlanError> {
    plan(&SessionPair::load(first, second)?, mode)
}

/// The first file after the merge.
fn result(merging: &MergePlan, first: &Path) -> String {
    let edit = merging.plan.edits.iter().find(|edit| edit.path() == first);
    let bytes = edit.map_or_else(|| fs::read(first).unwrap(), |edit| edit.result());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn said(bytes: &[u8], client: Client) -> Vec<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let json = |message: &annals_transcript::resume::ApiMessage<'_>| {
        let mut out = Vec::new();
        message.write_json(&mut out);
        String::from_utf8(out).unwrap()
    };
    resumed.messages().iter().map(json).collect()
}

fn same_to_every_client(bytes: &str, expected: &[u8]) {
    for &client in Client::ALL {
        assert_eq!(said(bytes.as_bytes(), client), said(expected, client), "{client}");
    }
}

#[test]
fn a_second_half_that_goes_on_comes_behind_the_first() {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 4, ONE));
    // Its first record names a parent that only the first has.
    let second = write(&home, "-w", TWO, &cut(&whole, 4, 8, TWO));
    let merging = planned(&first, &second, MergeMode::Halves).unwrap();
    assert_eq!(result(&merging, &first).as_bytes(), whole);
    assert_eq!((merging.brought, merging.shared), (4, 0));
    let sends = "2.1.325 sends 8 messages: 4 records of the first, 4 of the second";
    assert!(merging.plan.notes.iter().any(|note| note == sends), "{:?}", merging.plan.notes);
}

#[test]
fn lines_that_both_have_stand_once() {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 4, ONE));
    // A fork that copied the first with its title, and continued.
    let title =
        |id: &str| format!("{{\"type\":\"custom-title\",\"customTitle\":\"t\",\"sessionId\":\"{id}\"}}\n");
    fs::write(&first, title(ONE) + &cut(&whole, 0, 4, ONE)).unwrap();
    let copied = title(TWO) + &cut(&whole, 0, 4, TWO).replace("\"cwd\":\"/w\"", "\"cwd\":\"/v\"");
    let second = write(&home, "-v", TWO, &(copied.clone() + &cut(&whole, 4, 8, TWO)));
    let merging = planned(&first, &second, MergeMode::Halves).unwrap();
    let merged = result(&merging, &first);
    assert_eq!(merged, title(ONE) + std::str::from_utf8(&whole).unwrap());
    assert_eq!((merging.brought, merging.shared), (4, 4));
    // A copy without own records is removed, and the first stays as it is.
    fs::write(&second, copied).unwrap();
    let merging = planned(&first, &second, MergeMode::Halves).unwrap();
    assert!(merging.plan.edits.is_empty() && merging.brought == 0);
    // One id, two records.
    fs::write(&second, cut(&whole, 0, 4, TWO).replace("\"two\"", "\"deux\"")).unwrap();
    let refused = planned(&first, &second, MergeMode::Anyway).unwrap_err();
    assert!(matches!(refused, MergePlanError::Differs { .. }), "{refused}");
}

#[test]
fn a_second_half_without_a_parent_is_hung_where_the_first_ends() {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 4, ONE));
    let parent = format!("\"parentUuid\":\"{}\"", uuid(4));
    for root in ["\"parentUuid\":null", "\"parentUuid\":\"nowhere\""] {
        let second = write(&home, "-w", TWO, &cut(&whole, 4, 8, TWO).replace(&parent, root));
        let merging = planned(&first, &second, MergeMode::Halves).unwrap();
        assert_eq!(result(&merging, &first).as_bytes(), whole, "{root}");
    }
    // Every client drops an unanswered call once something follows; that is no loss.
    let open = Session::new().id(ONE).folder("/w").prompt("one").tool_use("Bash", "{}").into_bytes();
    fs::write(&first, open).unwrap();
    let second = write(&home, "-w", TWO, &cut(&whole, 4, 8, TWO).replace(&parent, "\"parentUuid\":null"));
    let merged = result(&planned(&first, &second, MergeMode::Halves).unwrap(), &first);
    for &client in Client::ALL {
        let said = said(merged.as_bytes(), client).concat();
        assert!(said.contains("one") && said.contains("four"), "{client}: {said}");
    }
}

#[test]
fn what_a_compaction_hides_stays_hidden() {
    let home = Home::new();
    let first = write(&home, "-w", ONE, &cut(&whole(), 0, 4, ONE));
    let second = Session::new().id(TWO).folder("/w").wait(9999).prompt("x1").reply("x2");
    let second = second.compaction("so far").prompt("x3").reply("x4").into_bytes();
    let text =
        String::from_utf8(second).unwrap().replace("00000000-0000-4000-8000-", "00000000-0000-4000-9000-");
    let text = text.replace("\"msg_", "\"msg_b");
    let path = write(&home, "-w", TWO, &text);
    let merging = planned(&first, &path, MergeMode::Halves).unwrap();
    same_to_every_client(&result(&merging, &first), text.as_bytes());
}

#[test]
fn what_is_no_half_is_refused() {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 8, ONE));
    let fork =
        Session::new().id(TWO).folder("/w").prompt("one").reply("1").wait(9000).prompt("else").reply("E");
    let fork = String::from_utf8(fork.into_bytes()).unwrap();
    let mine = |text: &str| text.replace(&uuid(3), "own-3").replace(&uuid(4), "own-4");
    let (copied, own) = (cut(fork.as_bytes(), 0, 2, TWO), cut(fork.as_bytes(), 2, 4, TWO));
    let second = write(&home, "-w", TWO, &(cut(&whole, 0, 2, TWO) + &mine(&own)));
    let refused = planned(&first, &second, MergeMode::Halves).unwrap_err();
    let MergePlanError::Apart { uuid: at, first: six, second: two } = &refused else { panic!("{refused}") };
    assert_eq!((at.as_str(), *six, *two), (uuid(2).as_str(), 6, 2));
    // Anyway: in this order.
    let merged = result(&planned(&first, &second, MergeMode::Anyway).unwrap(), &first);
    for &client in Client::ALL {
        let said = said(merged.as_bytes(), client).concat();
        assert!(said.contains("four") && said.contains("else"), "{client}: {said}");
    }
    // At the same time, and before.
    let strange = |text: String| text.replace("00000000-0000-4000-8000-", "00000000-0000-4000-9000-");
    let second = write(&home, "-w", TWO, &strange(copied.replace("\"one\"", "\"another\"")));
    let refused = planned(&first, &second, MergeMode::Halves).unwrap_err();
    assert!(matches!(refused, MergePlanError::AtOnce { .. }), "{refused}");
    let late = Session::new().id(ONE).folder("/w").wait(90_000).prompt("late").reply("L").into_bytes();
    fs::write(&first, strange(String::from_utf8(late).unwrap())).unwrap();
    fs::write(&second, cut(&whole, 0, 4, TWO)).unwrap();
    let refused = planned(&first, &second, MergeMode::Halves).unwrap_err();
    assert!(matches!(refused, MergePlanError::Order { .. }), "{refused}");
    fs::write(&second, "").unwrap();
    let refused = planned(&first, &second, MergeMode::Halves).unwrap_err();
    assert!(matches!(refused, MergePlanError::Empty { .. }), "{refused}");
    assert!(matches!(planned(&first, &first, MergeMode::Anyway), Err(MergePlanError::Same { .. })));
}

/// Two halves in two projects, each with one of everything.
fn rich() -> (Home, PathBuf, PathBuf) {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 4, ONE));
    let folder = home.config_dir().join(format!("projects/-v/{TWO}")).display().to_string();
    let snapshot = "{\"type\":\"file-history-snapshot\",\"messageId\":\"m\",\"snapshot\":{\"trackedFileBackups\":{\"a\":{\"backupFileName\":\"00ff00ff00ff00ff@v1\",\"version\":1}}}}\n";
    let own = cut(&whole, 4, 8, TWO).replace("\"three\"", &format!("\"see {folder}/tool-results/b2.txt\""));
    let second = write(&home, "-v", TWO, &(own + snapshot));
    for (project, id, agent) in [("-w", ONE, "a1111111111111111"), ("-v", TWO, AGENT)] {
        let lines = Session::new().id(id).folder("/w").sub_agent(agent).prompt("look").reply("seen");
        home.write(format!("projects/{project}/{id}/subagents/agent-{agent}.jsonl"), lines.into_bytes());
        home.write(format!("projects/{project}/{id}/subagents/agent-{agent}.meta.json"), "{}");
        home.write(format!("todos/{id}-agent-{id}.json"), format!("[\"{id}\"]"));
        home.write(format!("tasks/{id}/1.json"), format!("{{\"id\":\"1\",\"subject\":\"{id}\"}}"));
        home.write(format!("file-history/{id}/00ff00ff00ff00ff@v1"), format!("copy of {id}"));
    }
    home.write(format!("tasks/{ONE}/2.json"), "{\"id\":\"2\"}");
    let beside = Session::new().id(TWO).folder("/w").sub_agent("abcdef1").prompt("beside").reply("me");
    home.write("projects/-v/agent-abcdef1.jsonl", beside.into_bytes());
    home.write(format!("projects/-v/{TWO}/tool-results/b2.txt"), "output");
    home.write(format!("projects/-v/{TWO}/custom-title.json"), "{}");
    home.write(
        "projects/-v/sessions-index.json",
        format!("{{\"entries\":[{{\"sessionId\":\"{TWO}\"}},{{\"sessionId\":\"x\"}}]}}"),
    );
    home.write(
        "history.jsonl",
        format!("{{\"display\":\"x\",\"sessionId\":\"{TWO}\"}}\n{{\"sessionId\":\"y\"}}\n"),
    );
    (home, first, second)
}

#[test]
fn what_belongs_to_the_second_comes_over() {
    let (home, first, second) = rich();
    let merging = planned(&first, &second, MergeMode::Halves).unwrap();
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    apply(&merging.plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
    let text = |relative: String| {
        let path = home.config_dir().join(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let lines = text(format!("projects/-w/{ONE}.jsonl"));
    assert!(lines.contains(&format!("projects/-w/{ONE}/tool-results/b2.txt")), "{lines}");
    assert!(lines.contains(r#""backupFileName":"00ff00ff00ff00ff@v2","version":2"#), "{lines}");
    assert_eq!(text(format!("file-history/{ONE}/00ff00ff00ff00ff@v1")), format!("copy of {ONE}"));
    assert_eq!(text(format!("file-history/{ONE}/00ff00ff00ff00ff@v2")), format!("copy of {TWO}"));
    assert_eq!(text(format!("projects/-w/{ONE}/tool-results/b2.txt")), "output");
    assert_eq!(text(format!("todos/{ONE}-agent-{ONE}.json")), format!("[\"{TWO}\"]"));
    assert!(text(format!("tasks/{ONE}/1.json")).contains(TWO));
    assert!(!home.config_dir().join(format!("tasks/{ONE}/2.json")).exists());
    assert_eq!(text("projects/-v/sessions-index.json".to_owned()), r#"{"entries":[{"sessionId":"x"}]}"#);
    let agents = Store::open(home.config_dir()).discover();
    let of_first: Vec<_> = agents.agents_of(&ONE.into()).map(|agent| agent.slug.to_string()).collect();
    assert_eq!(of_first, ["-w"; 3]);
    // Only messages still have the second's id.
    let left: Vec<_> = tree(&home.config_dir())
        .into_iter()
        .filter(|(path, bytes)| {
            let is_list = path.starts_with(home.config_dir().join("todos"))
                || path.starts_with(home.config_dir().join("tasks"))
                || path.starts_with(home.config_dir().join("file-history"));
            let named = path.to_string_lossy().contains(TWO);
            named || (!is_list && String::from_utf8_lossy(bytes).contains(TWO))
        })
        .map(|(path, _)| path)
        .collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

#[test]
fn files_that_clash_are_refused() {
    let (home, first, second) = rich();
    home.write(format!("projects/-w/{ONE}/tool-results/b2.txt"), "another output");
    let refused = planned(&first, &second, MergeMode::Halves).unwrap_err();
    assert!(matches!(refused, MergePlanError::Clash { .. }), "{refused}");
    // The same bytes are no conflict.
    home.write(format!("projects/-w/{ONE}/tool-results/b2.txt"), "output");
    planned(&first, &second, MergeMode::Halves).unwrap();
}

#[test]
fn a_session_of_one_name_in_two_projects_becomes_one() {
    let home = Home::new();
    let whole = whole();
    let first = write(&home, "-w", ONE, &cut(&whole, 0, 4, ONE));
    let second = write(&home, "-v", ONE, &cut(&whole, 4, 8, ONE));
    home.write(format!("todos/{ONE}-agent-{ONE}.json"), "[1]");
    home.write(format!("projects/-v/{ONE}/tool-results/b2.txt"), "output");
    let merging = planned(&first, &second, MergeMode::Halves).unwrap();
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    apply(&merging.plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
    let files: Vec<_> = tree(&home.config_dir()).into_keys().collect();
    let expected = [
        format!("projects/-w/{ONE}/tool-results/b2.txt"),
        format!("projects/-w/{ONE}.jsonl"),
        format!("todos/{ONE}-agent-{ONE}.json"),
    ];
    assert_eq!(files, expected.map(|file| home.config_dir().join(file)));
    assert_eq!(fs::read(first).unwrap(), whole);
}

#[test]
fn a_merge_stopped_at_any_step_comes_back_whole() {
    let make = || {
        let (home, first, second) = rich();
        let merging = planned(&first, &second, MergeMode::Halves).unwrap();
        (home, merging.plan)
    };
    come_back_from_every_step(25, make, |_, before, after| assert!(after.len() < before.len()));
}

/// Cuts sessions in two at a prompt and merges them again: every client sends at least what it sends of the whole. Returns
/// how many there were, and why others could not be merged.
fn cut_and_merged(sessions: impl Iterator<Item = PathBuf>) -> (usize, Vec<String>) {
    let home = Home::new();
    let (mut count, mut refused) = (0, Vec::new());
    for path in sessions {
        let bytes = fs::read(&path).unwrap();
        let transcript = Transcript::parse(&bytes);
        let turns = annals_transcript::turn::turns(&transcript);
        let Some(turn) = turns.get(turns.len() / 2).filter(|_| turns.len() > 1) else { continue };
        let at = transcript.nodes()[turn.prompt].line as usize - 1;
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let all: Vec<_> = lines(&bytes).map(|line| line.raw()).collect();
        let first = home.write(format!("projects/-w/{name}.jsonl"), all[..at].concat());
        let second = home.write(format!("projects/-w/{TWO}.jsonl"), all[at..].concat());
        let merging = match planned(&first, &second, MergeMode::Anyway) {
            Ok(merging) => merging,
            Err(error) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
        };
        for edit in &merging.plan.edits {
            assert_eq!(verify(edit, &edit.result()), [], "{name}");
        }
        let merged = result(&merging, &first);
        let count_of = |bytes: &[u8], client| resume(&Transcript::parse(bytes), client).messages().len();
        for &client in Client::ALL {
            let (now, whole) = (count_of(merged.as_bytes(), client), count_of(&bytes, client));
            if now < whole {
                refused.push(format!("{name}: {client} sends {now} of {whole} messages"));
            }
        }
        count += 1;
    }
    (count, refused)
}

#[test]
fn halves_of_the_demo_store_become_whole() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let sessions = Store::open(home.config_dir()).discover().sessions;
    let (count, refused) = cut_and_merged(sessions.into_iter().map(|session| session.path));
    assert!(count > 10 && refused.is_empty(), "{count} {refused:#?}");
}

#[test]
fn halves_of_the_corpus_become_whole() {
    let Some(corpus) = corpus::or_skip("halves_of_the_corpus_become_whole") else { return };
    let sessions: Vec<_> = corpus
        .config_dirs()
        .into_iter()
        .flat_map(|folder| Store::open(ConfigDir::new(folder).path()).discover().sessions)
        .map(|session| session.path)
        .collect();
    let all = sessions.len();
    let (count, refused) = cut_and_merged(sessions.into_iter());
    eprintln!("{count} of {all} sessions; {refused:#?}");
    // Two made by hand are refused: 2.1.112 would lose messages of the second half.
    assert!(count > 50 && refused.len() <= 2, "{count} {refused:#?}");
}
