//! The views of side files agree with the store's readers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_index::Index;
use annals_index::sql::SqlError;
use annals_store::history::stream_history;
use annals_store::read::read_file;
use annals_store::{Discovery, Store, agents, todos};
use annals_testkit::home::Home;
use annals_transcript::agents::{AgentLink, LinkEvidence, link, spawns};
use annals_transcript::record::{FileBackup, Record};
use annals_transcript::transcript::Transcript;

use crate::refreshed;

fn demo() -> (Home, Index, Discovery) {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let discovery = Store::open(home.config_dir()).discover();
    (home, index, discovery)
}

/// The rows of a query, each as its columns.
fn rows(index: &Index, sql: &str) -> Vec<Vec<String>> {
    let table = index.sql(sql).unwrap();
    table.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect()
}

#[test]
fn what_only_looks_like_reading_is_not_done() {
    let home = Home::new();
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let file = home.data_dir().join("made.db");
    let attach = format!("ATTACH '{}' AS made", file.display());
    for statement in [attach.as_str(), "DETACH words", "BEGIN", "COMMIT", "SAVEPOINT x"] {
        assert!(matches!(index.sql(statement), Err(SqlError::NotAQuery)), "{statement}");
    }
    assert!(!file.exists());
    for statement in [format!("VACUUM INTO '{}'", file.display()), "DELETE FROM files".to_owned()] {
        assert!(index.sql(&statement).is_err(), "{statement}");
    }
    assert!(!file.exists());
    assert_eq!(rows(&index, "SELECT count(*) FROM words_said"), [["0"]]);
    assert_eq!(
        rows(
            &index,
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT max(x) FROM n"
        ),
        [["3"]]
    );
    assert!(!rows(&index, "PRAGMA table_info(said)").is_empty());
}

#[test]
fn todos_are_those_of_their_files_and_lead_there() {
    let (home, index, discovery) = demo();
    let mut expected = BTreeSet::new();
    for list in todos::todo_lists(&discovery).0 {
        for item in list.items().0 {
            let text = |text: Option<annals_json::Text<'_>>| text.unwrap().to_string();
            expected.insert((list.session.to_string(), text(item.content()), text(item.status())));
        }
    }
    for file in todos::tasks(&discovery).0 {
        let task = file.task().unwrap();
        let text = |text: Option<annals_json::Text<'_>>| text.unwrap().to_string();
        expected.insert((file.session.to_string(), text(task.subject()), text(task.status())));
    }
    assert!(expected.len() > 3, "{expected:?}");
    let mut found = BTreeSet::new();
    for row in rows(&index, "SELECT session, content, status, file, offset, length FROM todos") {
        let bytes = read_file(&home.config_dir().join(&row[3])).unwrap();
        let (offset, length): (usize, usize) = (row[4].parse().unwrap(), row[5].parse().unwrap());
        let there = String::from_utf8_lossy(&bytes[offset..offset + length]).into_owned();
        assert!(there.starts_with('{') && there.contains(&row[1]), "{there}");
        found.insert((row[0].clone(), row[1].clone(), row[2].clone()));
    }
    assert_eq!(found, expected);
}

#[test]
fn file_versions_are_those_that_records_name() {
    let (_home, index, discovery) = demo();
    let mut expected = BTreeSet::new();
    for session in &discovery.sessions {
        let bytes = read_file(&session.path).unwrap();
        let transcript = Transcript::parse(&bytes);
        for at in transcript.indices() {
            let tracked = match transcript.record(at) {
                Record::FileHistorySnapshot(record) => {
                    record.snapshot().and_then(|copies| copies.tracked_file_backups())
                }
                Record::FileHistoryDelta(record) => record.tracked_file_backups(),
                _ => None,
            };
            for field in tracked.iter().flat_map(|tracked| tracked.iter()) {
                let backup = field.value.fields().map(FileBackup::new);
                if let Some(version) = backup.and_then(|backup| backup.version()) {
                    expected.insert((session.key.to_string(), field.key.to_string(), version.to_string()));
                }
            }
        }
    }
    assert!(expected.len() > 3, "{expected:?}");
    let found = rows(&index, "SELECT session, path, version FROM file_versions");
    let found: BTreeSet<_> =
        found.into_iter().map(|row| (row[0].clone(), row[1].clone(), row[2].clone())).collect();
    assert_eq!(found, expected);
}

#[test]
fn prompts_are_those_of_the_history() {
    let (_home, index, discovery) = demo();
    let mut expected = Vec::new();
    let each = |line: &annals_transcript::line::Line<'_>, entry: annals_store::history::HistoryEntry<'_>| {
        let text =
            |text: Option<annals_json::Text<'_>>| text.map(|text| text.to_string()).unwrap_or_default();
        expected.push(vec![
            line.number.to_string(),
            text(entry.project()),
            entry.session().map(|session| session.to_string()).unwrap_or_default(),
        ]);
        ControlFlow::Continue(())
    };
    stream_history(&discovery.config_dir, each).unwrap();
    assert!(expected.len() > 3);
    assert_eq!(rows(&index, "SELECT line, cwd, session FROM prompts ORDER BY line"), expected);
}

#[test]
fn a_sub_agent_names_the_call_that_started_it() {
    let (_home, index, discovery) = demo();
    let found = rows(&index, "SELECT session, agent, spawned_by FROM threads WHERE kind = 'sub-agent'");
    let found: BTreeMap<_, _> =
        found.into_iter().map(|row| ((row[0].clone(), row[1].clone()), row[2].clone())).collect();
    let (mut linked, mut by_prompt) = (0, 0);
    for session in &discovery.sessions {
        let bytes = read_file(&session.path).unwrap();
        let spawned = spawns(&Transcript::parse(&bytes));
        let mut files: Vec<_> = discovery.agents_of(&session.key).collect();
        // One of each sub-agent, whatever projects it worked in.
        files.sort_by(|left, right| (&left.key, &left.path).cmp(&(&right.key, &right.path)));
        files.dedup_by(|left, right| left.key == right.key);
        let facts: Vec<_> = agents::details(&files).0.into_iter().map(|details| details.facts).collect();
        for (agent, link) in files.iter().zip(link(&spawned, &facts)) {
            let AgentLink::Linked { spawn, by } = link else { continue };
            if by == LinkEvidence::Workflow {
                continue;
            }
            linked += 1;
            by_prompt += usize::from(by == LinkEvidence::Prompt);
            let named = &found[&(session.key.to_string(), agent.key.to_string())];
            assert_eq!(*named, spawned[spawn].tool_use, "{} of {}, by {}", agent.key, session.key, by.name());
        }
    }
    println!("{linked} sub-agents, {by_prompt} by their prompt");
    assert!(linked > 5, "{linked}");
}

#[test]
fn projects_plans_and_pull_requests_are_there() {
    let (_home, index, discovery) = demo();
    let projects =
        rows(&index, "SELECT project, cwd, sessions FROM projects WHERE sessions > 0 ORDER BY project");
    let with_sessions: BTreeSet<_> =
        discovery.sessions.iter().map(|session| session.slug.to_string()).collect();
    assert_eq!(projects.iter().map(|row| row[0].clone()).collect::<BTreeSet<_>>(), with_sessions);
    assert!(projects.iter().any(|row| row[1].starts_with('/')), "{projects:?}");
    let plans = rows(&index, "SELECT name, session, file FROM plans");
    assert_eq!(plans.iter().map(|row| &row[2]).collect::<BTreeSet<_>>().len(), discovery.plans().count());
    let requests = rows(&index, "SELECT number, repository, url, file, line FROM pull_requests");
    assert!(!requests.is_empty());
    for row in requests {
        assert!(row[2].ends_with(&format!("{}/pull/{}", row[1], row[0])), "{row:?}");
    }
    assert!(!rows(&index, "SELECT kind FROM irregular").is_empty());
}

#[test]
fn views_keep_their_old_names_beside_the_new() {
    let (_home, index, _) = demo();
    for (new, old) in [("blocks", "said"), ("tool_calls", "calls"), ("problems", "irregular")] {
        let columns = |view: &str| rows(&index, &format!("SELECT name FROM pragma_table_info('{view}')"));
        assert_eq!(columns(new), columns(old), "{new}");
        assert!(columns(new).iter().any(|column| column[0] == "session"), "{new}");
        let all = |view: &str| rows(&index, &format!("SELECT * FROM {view}"));
        assert!(!all(new).is_empty() && all(new) == all(old), "{new}");
    }
    assert!(!rows(&index, "SELECT answered FROM main.tool_calls").is_empty());
    assert!(!rows(&index, "SELECT kind FROM main.problems").is_empty());
}

#[test]
fn views_do_not_stand_in_the_way_of_other_questions() {
    let (_home, index, _) = demo();
    let before = index.irregular_sessions().unwrap();
    assert!(!before.is_empty() && !rows(&index, "SELECT tool FROM tool_calls").is_empty());
    assert_eq!(index.irregular_sessions().unwrap(), before);
}
