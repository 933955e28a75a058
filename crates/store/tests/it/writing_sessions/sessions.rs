//! Paths, modes, names and envelopes of sessions, sub-agents and forks.

use std::fs;
use std::path::Path;

use annals_store::session::{AgentParent, AgentStart, AppendError, NewSession, fork};
use annals_store::{SessionWriter, project_slug};
use annals_transcript::draft::{AgentResultDraft, CompactionTrigger, Draft, ResponseDraft};
use annals_transcript::graph::Graph;
use annals_transcript::transcript::{NodeIndex, Transcript};

use super::{Place, ids, parents, prompt};

#[test]
fn a_session_has_its_place_its_modes_and_its_envelope() {
    let place = Place::new();
    let work = place.home.work_dir();
    fs::create_dir_all(work.join(".git")).unwrap();
    fs::write(work.join(".git/HEAD"), "ref: refs/heads/feature/x\n").unwrap();
    let mut writer = place.create();
    writer.append_settled(&prompt("hi")).unwrap();
    let path = writer.path().to_path_buf();
    let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(annals_store::source::is_uuid(&id));
    assert_eq!(
        path.parent().unwrap().file_name().unwrap().to_str().unwrap(),
        project_slug(work.to_str().unwrap())
    );
    let bytes = fs::read(&path).unwrap();
    let transcript = Transcript::parse(&bytes);
    let envelope = transcript.record(NodeIndex::FIRST).envelope();
    assert!(envelope.session().unwrap().is(&id) && envelope.git_branch().unwrap().is("feature/x"));
    assert!(envelope.cwd().unwrap().is(work.to_str().unwrap()) && envelope.version().unwrap().is("2.1.112"));
    assert_eq!(envelope.slug().unwrap().decode().split('-').count(), 3);
    modes(&place, &path);
}

#[cfg(unix)]
fn modes(place: &Place, path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let projects = place.config.projects();
    assert_eq!([mode(path), mode(path.parent().unwrap()), mode(&projects)], [0o600, 0o700, 0o700]);
    let lock = place.data.lock_of(path);
    assert_eq!([mode(&lock), mode(lock.parent().unwrap())], [0o600, 0o700]);
}

#[cfg(not(unix))]
fn modes(_: &Place, _: &Path) {}

#[test]
fn an_empty_session_remembers_where_it_is() {
    let place = Place::new();
    let path = place.create().path().to_path_buf();
    assert_eq!(fs::read(&path).unwrap(), b"");
    let name = {
        let mut writer = place.open(&path);
        writer.append(&prompt("hi")).unwrap();
        assert_eq!(writer.origin().cwd, place.home.work_dir().to_str().unwrap());
        writer.origin().slug.clone()
    };
    assert_eq!(place.open(&path).origin().slug, name);
}

#[test]
fn no_id_leads_out_of_the_store() {
    let place = Place::new();
    for id in ["../../x", "a/b", "..", "", "not-a-uuid"] {
        let new = NewSession { id: Some(id.to_owned()), cwd: place.home.work_dir(), ..NewSession::default() };
        let result = SessionWriter::create(&place.config, &place.data, &place.source, new);
        assert!(matches!(result, Err(AppendError::NotAUuid { .. })), "{id}");
    }
    let writer = place.create();
    for id in ["../../../x", "a/b", "..", "", ".x", "a\0"] {
        let start = AgentStart { id: id.to_owned(), ..AgentStart::default() };
        assert!(matches!(writer.open_agent(&place.data, &start), Err(AppendError::Name(_))), "{id}");
    }
    assert!(!writer.path().with_extension("").exists());
    // Whatever a working directory is called, its slug is one folder's name.
    let new = NewSession { cwd: "/../../etc/..".into(), ..NewSession::default() };
    let odd = SessionWriter::create(&place.config, &place.data, &place.source, new).unwrap();
    assert_eq!(odd.path().parent().unwrap().parent().unwrap(), place.config.projects());
}

#[test]
fn a_session_is_never_made_twice() {
    let place = Place::new();
    let id = "11111111-2222-4333-8444-555555555555";
    let new = || NewSession { id: Some(id.to_owned()), cwd: place.home.work_dir(), ..NewSession::default() };
    let make = || SessionWriter::create(&place.config, &place.data, &place.source, new());
    make().unwrap().append(&prompt("hi")).unwrap();
    assert!(matches!(make(), Err(AppendError::Write(_))));
}

#[test]
fn a_sub_agent_has_its_own_file_and_is_linked() {
    let place = Place::new();
    let mut writer = place.create();
    writer.append(&prompt("delegate")).unwrap();
    let call = br#"{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"dig","description":"d"}}"#;
    let response = ResponseDraft {
        message: "m",
        request: None,
        model: "claude",
        blocks: &[&call[..]],
        stop_reason: Some("tool_use"),
        usage: None,
    };
    for draft in response.drafts() {
        writer.append(&draft).unwrap();
    }
    let start = AgentStart {
        id: "a0123456789abcdef".to_owned(),
        agent_type: Some("explorer".to_owned()),
        description: Some("digs".to_owned()),
        tool_use: Some("t1".to_owned()),
        parent: None,
    };
    let agent_path = {
        let mut agent = writer.open_agent(&place.data, &start).unwrap();
        agent.append(&prompt("dig")).unwrap();
        agent.append_settled(&prompt("deeper")).unwrap();
        agent.path().to_path_buf()
    };
    // Opened again it goes on, and keeps what is known of it.
    writer.open_agent(&place.data, &start).unwrap().append(&prompt("more")).unwrap();
    let answer = AgentResultDraft {
        tool_use: "t1",
        agent: &start.id,
        prompt: "dig",
        text: "dug",
        duration_ms: 1,
        tokens: 2,
        tool_uses: 0,
        usage: None,
    };
    writer.append(&Draft::agent_result(answer)).unwrap();
    let agent_ids = ids(&agent_path);
    assert_eq!(parents(&agent_path), [None, Some(agent_ids[0].clone()), Some(agent_ids[1].clone())]);
    let text = fs::read_to_string(&agent_path).unwrap();
    assert!(
        text.lines().all(|line| line.contains(r#""isSidechain":true,"agentId":"a0123456789abcdef""#)),
        "{text}"
    );
    let meta = fs::read_to_string(agent_path.with_extension("meta.json")).unwrap();
    assert_eq!(meta, r#"{"agentType":"explorer","description":"digs","toolUseId":"t1"}"#);

    // One that it has started itself stands beside it, and knows by whom.
    let inner = AgentStart {
        id: "a2".to_owned(),
        parent: Some(AgentParent { id: start.id.clone(), depth: 2 }),
        ..AgentStart::default()
    };
    let inner_path = {
        let agent = writer.open_agent(&place.data, &start).unwrap();
        agent.open_agent(&place.data, &inner).unwrap().path().to_path_buf()
    };
    assert_eq!(inner_path.parent(), agent_path.parent());
    let meta = fs::read_to_string(inner_path.with_extension("meta.json")).unwrap();
    assert_eq!(meta, r#"{"agentType":"general-purpose","spawnDepth":2,"parentAgentId":"a0123456789abcdef"}"#);
    fs::remove_file(inner_path.with_extension("meta.json")).unwrap();
    fs::remove_file(inner_path).unwrap();

    let discovery = annals_store::Store::open(place.config.path()).discover();
    let bytes = fs::read(writer.path()).unwrap();
    let transcript = Transcript::parse(&bytes);
    let spawns = annals_transcript::agents::spawns(&transcript);
    let agents: Vec<_> = discovery.agents.iter().collect();
    let (details, problems) = annals_store::agents::details(&agents);
    assert!(problems.is_empty());
    let facts: Vec<_> = details.into_iter().map(|details| details.facts).collect();
    let links = annals_transcript::agents::link(&spawns, &facts);
    assert!(matches!(links[..], [annals_transcript::agents::AgentLink::Linked { .. }]), "{links:?}");
}

#[test]
fn titles_and_tags_stay_near_the_end() {
    let place = Place::new();
    let mut writer = place.create();
    writer.append(&Draft::custom_title("A title")).unwrap();
    writer.append(&Draft::tag("a-tag")).unwrap();
    let path = writer.path().to_path_buf();
    for _ in 0..40 {
        writer.append(&prompt(&"x".repeat(10_000))).unwrap();
        let bytes = fs::read(&path).unwrap();
        let tail = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(64 * 1024)..]).into_owned();
        assert!(
            tail.contains("\"customTitle\":\"A title\"")
                && tail.contains("\n{\"type\":\"tag\",\"tag\":\"a-tag\"")
        );
    }
    drop(writer);
    // So it is for a writer that comes later, and after one line that is longer than listers look.
    place.open(&path).append(&prompt(&"y".repeat(100_000))).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&bytes[bytes.len() - 1000..]).contains("A title"));
}

#[test]
fn a_fork_goes_on_from_a_point_and_leaves_the_first_alone() {
    let place = Place::new();
    let (path, all) = place.session(3);
    let before = fs::read(&path).unwrap();
    let forked = fork(&path, Some(&all[1]), &place.source).unwrap();
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!((ids(&forked.path), forked.records), (all[..2].to_vec(), 2));
    let text = fs::read_to_string(&forked.path).unwrap();
    let old = path.file_stem().unwrap().to_str().unwrap();
    for (line, id) in text.lines().zip(&all) {
        assert!(line.contains(&format!(r#""sessionId":"{}""#, forked.session)), "{line}");
        assert!(
            line.ends_with(&format!(r#""forkedFrom":{{"sessionId":"{old}","messageUuid":"{id}"}}}}"#)),
            "{line}"
        );
    }
    let mut writer = place.open(&forked.path);
    assert_eq!(writer.append(&prompt("elsewhere")).unwrap().parent.as_ref(), Some(&all[1]));
    assert!(fork(&path, Some("nowhere"), &place.source).is_err());
    let empty = place.create().path().to_path_buf();
    assert!(fork(&empty, None, &place.source).is_err());
}

#[test]
fn a_line_on_another_branch_is_where_clients_go_on() {
    let place = Place::new();
    let mut writer = place.create();
    let first = writer.append(&prompt("first")).unwrap().uuid.unwrap();
    let second = writer.append(&prompt("second")).unwrap().uuid.unwrap();
    writer.append(&Draft::last_prompt("second", Some(&second))).unwrap();
    let other = writer.append(&prompt("other").with_parent(Some(&first))).unwrap().uuid.unwrap();
    let last = writer.append(&prompt("and on")).unwrap();
    assert_eq!(last.parent, Some(other));
    let path = writer.path().to_path_buf();
    drop(writer);
    let bytes = fs::read(&path).unwrap();
    let transcript = Transcript::parse(&bytes);
    for &client in annals_transcript::resume::Client::ALL {
        let mut json = Vec::new();
        annals_transcript::resume::resume(&transcript, client).write_json(&mut json);
        let text = String::from_utf8(json).unwrap();
        assert!(
            text.contains("and on") && text.contains("other") && !text.contains("second\""),
            "{client}: {text}"
        );
    }
    assert_eq!(place.open(&path).append(&prompt("again")).unwrap().parent, last.uuid);
}

#[test]
fn a_fork_keeps_what_a_compaction_hid() {
    let place = Place::new();
    let mut writer = place.create();
    writer.append(&prompt("long ago")).unwrap();
    writer.append(&Draft::compact_boundary(CompactionTrigger::Auto, 10, |_| {})).unwrap();
    writer.append(&Draft::compact_summary("in short")).unwrap();
    let path = writer.path().to_path_buf();
    drop(writer);
    let forked = fork(&path, None, &place.source).unwrap();
    assert_eq!(ids(&forked.path), ids(&path));
}

#[test]
fn a_fork_has_no_line_without_its_parent() {
    let place = Place::new();
    let mut writer = place.create();
    let first = writer.append(&prompt("first")).unwrap().uuid;
    // As 2.0.76 leaves it when it goes on: the end of the conversation once more, beside the first copy, under the same message id.
    for copy in ["one", "two"] {
        writer.append(&prompt(copy).with_parent(first.as_deref())).unwrap();
        let blocks: [&[u8]; 1] = [br#"{"type":"text","text":"said"}"#];
        let response = ResponseDraft {
            message: "msg_1",
            request: None,
            model: "m",
            blocks: &blocks,
            stop_reason: None,
            usage: None,
        };
        for draft in response.drafts() {
            writer.append(&draft).unwrap();
        }
    }
    let path = writer.path().to_path_buf();
    drop(writer);
    let forked = fork(&path, None, &place.source).unwrap();
    let bytes = fs::read(&forked.path).unwrap();
    let transcript = Transcript::parse(&bytes);
    assert!(Graph::new(&transcript).dangling().is_empty());
    assert_eq!(ids(&forked.path), ids(&path));
}
