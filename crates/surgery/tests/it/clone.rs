//! Clones: new ids everywhere, nothing else changed, the same to every client, reverted completely.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_store::changes::Change;
use annals_store::layout::FileRole;
use annals_store::{ConfigDir, DataDir, Store};
use annals_surgery::Session;
use annals_surgery::apply::apply;
use annals_surgery::clone::{ClonePlan, ClonePlanError, CloneTarget, plan};
use annals_surgery::session_files::{SessionFile, session_files};
use annals_testkit::builder::{self, uuid};
use annals_testkit::corpus;
use annals_testkit::depth::max_file_bytes;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::agents::{AgentFacts, AgentLink, link, spawns};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use crate::steps::come_back_from_every_step;

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";
const AGENT: &str = "a0123456789abcdef";

/// A session with one of everything that names an id.
pub(crate) fn rich(home: &Home) -> PathBuf {
    let folder = home.config_dir().join(format!("projects/-w/{ID}"));
    let output = folder.join("tool-results/toolu_9.txt").to_string_lossy().into_owned();
    let result = format!(
        r#"{{"agentId":"{AGENT}","persistedOutputPath":"{output}","outputFile":"/tmp/x/{ID}/tasks/{AGENT}.output"}}"#
    );
    let thought = format!("I am in {ID}, with {AGENT} and {}", uuid(1));
    let session = builder::Session::new().id(ID).folder("/w").prompt("one");
    let first = uuid(1);
    let session = session
        .side("file-history-snapshot", |object| {
            object.string("messageId", &first).raw(
                "snapshot",
                format!(r#"{{"messageId":"{first}","trackedFileBackups":{{"a":{{"backupFileName":"00ff00ff00ff00ff@v1"}}}}}}"#)
                    .as_bytes(),
            );
        })
        .response(|response| response.thinking(&thought).tool_use("Agent", r#"{"prompt":"look"}"#))
        .chained("user", |object| {
            let content = format!(
                r#"[{{"type":"tool_result","tool_use_id":"toolu_0001","content":[{{"type":"text","text":"agentId: {AGENT} (go on)\nagent-{AGENT}.jsonl of session {ID}"}}]}}]"#
            );
            object.object("message", |message| {
                message.string("role", "user").raw("content", content.as_bytes());
            });
            object.raw("toolUseResult", result.as_bytes());
            object.raw("forkedFrom", format!(r#"{{"sessionId":"x","messageUuid":"{first}"}}"#).as_bytes());
        })
        .side("last-prompt", |object| {
            object.string("leafUuid", &first).string("sessionId", ID).string("of2031", &first);
        })
        .compaction("so far")
        .prompt("two")
        .reply("done")
        .raw(format!("{{\"torn\":\"{}", uuid(2)).as_bytes());
    let path = home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let agent = builder::Session::new().id(ID).folder("/w").sub_agent(AGENT).prompt("look").reply("seen");
    let under = format!("projects/-w/{ID}/subagents/agent-{AGENT}");
    home.write(format!("{under}.jsonl"), agent.into_bytes());
    home.write(format!("{under}.meta.json"), format!(r#"{{"toolUseId":"t","parentAgentId":"{AGENT}"}}"#));
    home.write(format!("projects/-w/{ID}/tool-results/toolu_9.txt"), format!("output of {ID}"));
    home.write(format!("todos/{ID}-agent-{ID}.json"), "[]");
    home.write(format!("todos/{ID}-agent-{AGENT}.json"), "[]");
    home.write(format!("tasks/{ID}/1.json"), format!(r#"{{"id":"1","owner":"{AGENT}"}}"#));
    home.write(format!("file-history/{ID}/00ff00ff00ff00ff@v1"), "the file");
    path
}

/// A session and its files.
pub(crate) fn load(path: &Path) -> (Session, Vec<SessionFile>) {
    annals_surgery::session_files::load(path).unwrap()
}

/// The files that a plan creates.
pub(crate) fn made(changes: &[Change]) -> BTreeMap<PathBuf, &[u8]> {
    let made = changes.iter().map(|change| match change {
        Change::Create { path, bytes, .. } => (path.clone(), &**bytes),
        other => panic!("{other:?}"),
    });
    made.collect()
}

/// What is left of the original's ids in the new files: records and sub-agents anywhere, the session as a whole string or
/// in a path of the store. Outputs, file copies and thinking are copied unchanged.
pub(crate) fn left_over(clone_plan: &ClonePlan, session: &Session, config: &ConfigDir) -> Vec<String> {
    let names = &clone_plan.names;
    let old = session.key.as_str();
    let (uuids, words): (HashSet<&str>, Vec<&str>) = {
        let is_uuid = |id: &&str| annals_store::source::is_uuid(id);
        // Ids made by hand may be words of any text; they are checked in their fields below.
        let is_no_word = |id: &str| id.len() > 6 && id.contains(|letter: char| letter.is_ascii_digit());
        (
            names.old().filter(is_uuid).collect(),
            names.old().filter(|id| !is_uuid(id) && is_no_word(id)).collect(),
        )
    };
    let mut found = Vec::new();
    for (path, bytes) in made(&clone_plan.plan.changes) {
        let role = config.role(&path);
        let name = path.to_string_lossy();
        if name.contains(old) || words.iter().any(|word| name.contains(word)) {
            found.push(format!("the name {name}"));
        }
        if matches!(role, FileRole::ToolResult { .. } | FileRole::FileHistory { .. }) {
            continue;
        }
        for node in Transcript::parse(bytes).nodes() {
            let places = [node.uuid, node.parent.id()].into_iter().flatten().map(|id| id.to_string());
            let known = places.chain(node.agent.map(|id| id.to_string()));
            found.extend(known.filter(|id| names.record(id).or(names.agent(id)).is_some()));
        }
        let text = without_thoughts(&String::from_utf8_lossy(bytes));
        for (at, _) in text.match_indices('-') {
            let window = at.checked_sub(8).and_then(|start| text.get(start..start + 36));
            if window.is_some_and(|window| uuids.contains(window)) {
                found.push(format!("{name}: {}", window.unwrap_or_default()));
            }
        }
        for word in &words {
            let rest = text.match_indices(word).filter(|(at, _)| {
                let before = text[..*at].chars().next_back();
                let is_part = before.is_some_and(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                    && !text[..*at].ends_with("\\n");
                let after = &text[at + word.len()..];
                !is_part && !after.starts_with(".output") && !after.starts_with('_')
            });
            found.extend(rest.map(|(at, _)| format!("{name}: …{}", &text[at..at + word.len()])));
        }
        let slug = session.home.as_ref().map(|(_, slug)| slug.to_string()).unwrap_or_default();
        // A file named by hand may have any name.
        let is_own = annals_store::source::is_uuid(old);
        for whole in [format!("\"{old}\""), format!("projects/{slug}/{old}"), format!("todos/{old}")] {
            if is_own && text.replace("\\\"", "'").contains(&whole) {
                found.push(format!("{name}: {whole}"));
            }
        }
    }
    found
}

/// The lines without their thinking blocks.
fn without_thoughts(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(r#"{"type":"thinking","#) {
        out.push_str(&rest[..at]);
        let (value, length) = annals_json::Fields::scan(&rest.as_bytes()[at..]).unwrap();
        assert!(value.get("thinking").is_some());
        rest = &rest[at + length..];
    }
    out + rest
}

fn messages(bytes: &[u8], client: Client) -> Option<usize> {
    resume(&Transcript::parse(bytes), client).outcome.as_ref().ok().map(Vec::len)
}

/// Everything that a clone promises of its plan.
fn check(session: &Session, clone_plan: &ClonePlan, config: &ConfigDir) {
    assert_eq!(left_over(clone_plan, session, config), [""; 0], "{}", session.path.display());
    let files = made(&clone_plan.plan.changes);
    let lines = files[&clone_plan.path];
    let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(count(lines), count(&session.bytes));
    assert_eq!(Transcript::parse(lines).nodes().len(), session.transcript().nodes().len());
    for &client in Client::ALL {
        assert_eq!(messages(lines, client), messages(&session.bytes, client), "{client}");
    }
    let agents = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("agent-") && name.ends_with(".jsonl")
    };
    assert_eq!(files.keys().filter(agents).count(), session.agents.len());
}

#[test]
fn every_id_is_new_and_nothing_else() {
    let home = Home::new();
    let path = rich(&home);
    let (session, session_files) = load(&path);
    assert_eq!((session.agents.len(), session_files.len()), (1, 6));
    let clone_plan =
        plan(&session, &session_files, &CloneTarget::SameProject, &CountingSource::default()).unwrap();
    check(&session, &clone_plan, &ConfigDir::new(home.config_dir()));
    let (new, names) = (clone_plan.names.session().as_str(), &clone_plan.names);
    let agent = names.agent(AGENT).unwrap();
    // The original with each id replaced by hand is the clone.
    let text = String::from_utf8(session.bytes.to_vec()).unwrap();
    let thought = format!("I am in {ID}, with {AGENT} and {}", uuid(1));
    let outside = [format!("/tmp/x/{ID}/tasks/{AGENT}.output"), format!("of session {ID}")];
    let mut expected = text.replace(&thought, "THOUGHT");
    for (at, kept) in outside.iter().enumerate() {
        expected = expected.replace(kept, &format!("KEPT{at}"));
    }
    expected = expected.replace(ID, new).replace(AGENT, agent);
    for old in names.old().filter(|old| *old != AGENT) {
        expected = expected.replace(old, names.record(old).unwrap());
    }
    let forked =
        format!(r#","forkedFrom":{{"sessionId":"x","messageUuid":"{}"}}"#, names.record(&uuid(1)).unwrap());
    assert!(expected.contains(&forked), "{expected}");
    expected = expected.replace(&forked, "").replace("THOUGHT", &thought);
    for (at, kept) in outside.iter().enumerate() {
        expected = expected.replace(&format!("KEPT{at}"), kept);
    }
    let files = made(&clone_plan.plan.changes);
    assert_eq!(String::from_utf8_lossy(files[&clone_plan.path]), expected);
    let mut relative: Vec<_> =
        files.keys().map(|path| path.strip_prefix(home.config_dir()).unwrap()).collect();
    relative.sort();
    let expected: Vec<PathBuf> = [
        format!("file-history/{new}/00ff00ff00ff00ff@v1"),
        format!("projects/-w/{new}/subagents/agent-{agent}.jsonl"),
        format!("projects/-w/{new}/subagents/agent-{agent}.meta.json"),
        format!("projects/-w/{new}/tool-results/toolu_9.txt"),
        format!("projects/-w/{new}.jsonl"),
        format!("tasks/{new}/1.json"),
        format!("todos/{new}-agent-{new}.json"),
        format!("todos/{new}-agent-{agent}.json"),
    ]
    .map(PathBuf::from)
    .to_vec();
    let mut expected: Vec<_> = expected.iter().map(PathBuf::as_path).collect();
    expected.sort();
    assert_eq!(relative, expected);
    let task = files[&home.config_dir().join(format!("tasks/{new}/1.json"))];
    assert_eq!(String::from_utf8_lossy(task), format!(r#"{{"id":"1","owner":"{agent}"}}"#));
}

#[test]
fn a_clone_in_another_project_works_there() {
    let home = Home::new();
    let path = rich(&home);
    let (session, session_files) = load(&path);
    let config = ConfigDir::new(home.config_dir());
    let into = CloneTarget::Project { config: config.clone(), cwd: "/other/place".to_owned() };
    let clone_plan = plan(&session, &session_files, &into, &CountingSource::default()).unwrap();
    check(&session, &clone_plan, &config);
    let new = clone_plan.names.session();
    assert_eq!(clone_plan.path, home.config_dir().join(format!("projects/-other-place/{new}.jsonl")));
    let files = made(&clone_plan.plan.changes);
    for (path, bytes) in &files {
        assert!(!path.to_string_lossy().contains("projects/-w/"), "{}", path.display());
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(r#""cwd":"/w""#) && !text.contains("/-w/"), "{text}");
    }
    assert!(String::from_utf8_lossy(files[&clone_plan.path]).contains(r#""cwd":"/other/place""#));
    let nowhere = CloneTarget::Project { config, cwd: "place".to_owned() };
    let refused = plan(&session, &session_files, &nowhere, &CountingSource::default());
    assert!(matches!(refused, Err(ClonePlanError::NotAbsolute { .. })));
}

#[test]
fn a_sub_agent_is_no_session() {
    let home = Home::new();
    rich(&home);
    let path = home.config_dir().join(format!("projects/-w/{ID}/subagents/agent-{AGENT}.jsonl"));
    let session = Session::load_from(&path, None).unwrap();
    let refused = plan(&session, &[], &CloneTarget::SameProject, &CountingSource::default());
    assert!(matches!(refused, Err(ClonePlanError::SubAgent { .. })));
}

#[test]
fn a_clone_stopped_at_any_step_comes_back_whole() {
    let make = || {
        let home = Home::new();
        let (session, session_files) = load(&rich(&home));
        let clone_plan =
            plan(&session, &session_files, &CloneTarget::SameProject, &CountingSource::default()).unwrap();
        (home, clone_plan.plan)
    };
    come_back_from_every_step(16, make, |plan, before, after| {
        assert_eq!(after.len(), before.len() + plan.changes.len());
        assert!(before.iter().all(|(path, bytes)| after.get(path) == Some(bytes)));
    });
}

#[test]
fn agents_of_a_clone_are_linked_as_before() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let discovery = Store::open(home.config_dir()).discover();
    let config = ConfigDir::new(home.config_dir());
    let (mut agents, source) = (0, CountingSource::default());
    for entry in &discovery.sessions {
        let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
        let side = session_files(&session, &discovery).unwrap();
        let clone_plan = plan(&session, &side, &CloneTarget::SameProject, &source).unwrap();
        check(&session, &clone_plan, &config);
        assert_eq!(made(&clone_plan.plan.changes).len(), 1 + session.agents.len() + side.len());
        let linked = |bytes: &[u8], ids: Vec<String>| {
            let facts: Vec<_> =
                ids.into_iter().map(|id| AgentFacts { id, ..AgentFacts::default() }).collect();
            let is_linked = |link: &AgentLink| matches!(link, AgentLink::Linked { .. });
            link(&spawns(&Transcript::parse(bytes)), &facts).iter().filter(|link| is_linked(link)).count()
        };
        let old: Vec<_> = session.agents.iter().map(|agent| agent.entry.key.to_string()).collect();
        let new = old.iter().map(|id| clone_plan.names.agent(id).unwrap().to_owned()).collect();
        let count = linked(&session.bytes, old);
        assert_eq!(linked(made(&clone_plan.plan.changes)[&clone_plan.path], new), count);
        agents += count;
    }
    assert!(agents > 0 && discovery.sessions.len() > 10);
}

#[test]
fn the_whole_corpus_is_cloned() {
    let Some(corpus) = corpus::or_skip("the_whole_corpus_is_cloned") else { return };
    let (mut sessions, mut files, source) = (0, 0, CountingSource::default());
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        let config = ConfigDir::new(&folder);
        for entry in discovery.sessions.iter().filter(|entry| entry.bytes <= max_file_bytes()) {
            let session = Session::load_from(&entry.path, Some(&discovery)).unwrap();
            let side = session_files(&session, &discovery).unwrap();
            let clone_plan = plan(&session, &side, &CloneTarget::SameProject, &source)
                .unwrap_or_else(|error| panic!("{}: {error}", corpus.name_of(&entry.path)));
            check(&session, &clone_plan, &config);
            assert_eq!(clone_plan.plan.changes.len(), 1 + session.agents.len() + side.len());
            sessions += 1;
            files += clone_plan.plan.changes.len();
        }
    }
    assert!(sessions > 100 && files > sessions, "{sessions} sessions, {files} files");
}

#[test]
fn what_is_made_is_read_back() {
    let home = Home::new();
    let path = rich(&home);
    let (session, session_files) = load(&path);
    let (data, source) = (DataDir::new(home.data_dir()), CountingSource::default());
    let clone_plan = plan(&session, &session_files, &CloneTarget::SameProject, &source).unwrap();
    apply(&clone_plan.plan, &data, &source, &mut |_| ControlFlow::Continue(())).unwrap();
    for (path, bytes) in made(&clone_plan.plan.changes) {
        assert_eq!(fs::read(path).unwrap(), bytes);
    }
    let (clone, side) = load(&clone_plan.path);
    assert_eq!((clone.agents.len(), side.len()), (session.agents.len(), session_files.len()));
}

#[test]
fn a_session_outside_a_store_is_cloned_beside_it_or_into_one() {
    let home = Home::new();
    rich(&home);
    let lone = home.work_dir().join(format!("{ID}.jsonl"));
    fs::rename(home.config_dir().join(format!("projects/-w/{ID}.jsonl")), &lone).unwrap();
    fs::rename(home.config_dir().join(format!("projects/-w/{ID}")), lone.with_extension("")).unwrap();
    let (session, side) = load(&lone);
    assert_eq!((session.agents.len(), side.len(), session.home.is_some()), (1, 2, false));
    let clone_plan = plan(&session, &side, &CloneTarget::SameProject, &CountingSource::default()).unwrap();
    let folder = clone_plan.path.with_extension("");
    assert_eq!(clone_plan.path.parent(), lone.parent());
    assert!(
        made(&clone_plan.plan.changes)
            .keys()
            .all(|path| path == &clone_plan.path || path.starts_with(&folder))
    );
    let config = ConfigDir::new(home.config_dir());
    let into = CloneTarget::Project { config: config.clone(), cwd: "/other".to_owned() };
    let clone_plan = plan(&session, &side, &into, &CountingSource::default()).unwrap();
    let project = home.config_dir().join("projects/-other");
    assert!(made(&clone_plan.plan.changes).keys().all(|path| path.starts_with(&project)));
    check(&session, &clone_plan, &config);
}
