//! The corpus: every file has a role, every sub-agent is found.

use annals_store::agents::{details, is_warm_up};
use annals_store::sessions_index::stale_entries;
use annals_store::summary::Coverage;
use annals_store::todos::todo_lists;
use annals_store::{ConfigDir, FileRole, FullSummary, JsonFile, Store, Summary};
use annals_testkit::corpus::or_skip;

#[test]
fn every_path_of_the_corpus_has_a_role() {
    let Some(corpus) = or_skip("every_path_of_the_corpus_has_a_role") else { return };
    let mut unknown = Vec::new();
    for folder in corpus.config_dirs() {
        let config = ConfigDir::new(&folder);
        for file in corpus.files().iter().filter(|file| file.starts_with(&folder)) {
            if config.role(file) == FileRole::Unknown {
                unknown.push(corpus.name_of(file));
            }
        }
    }
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_session_and_sub_agent_of_the_corpus_is_found() {
    let Some(corpus) = or_skip("every_session_and_sub_agent_of_the_corpus_is_found") else { return };
    let mut found = Vec::new();
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        assert_eq!(discovery.problems, []);
        found.extend(discovery.sessions.iter().map(|session| session.path.clone()));
        found.extend(discovery.agents.iter().map(|agent| agent.path.clone()));
        let journals = discovery.side_files.iter().filter(|file| file.path.ends_with("journal.jsonl"));
        found.extend(journals.map(|file| file.path.clone()));
        let lost: Vec<_> = discovery.agents.iter().filter(|agent| agent.session.is_none()).collect();
        assert!(lost.iter().all(|agent| agent.bytes == 0), "{lost:?}");
    }
    found.sort();
    assert_eq!(found, corpus.transcripts());
}

#[test]
fn short_summaries_agree_with_exact_ones() {
    let Some(corpus) = or_skip("short_summaries_agree_with_exact_ones") else { return };
    let mut cut = 0;
    for folder in corpus.config_dirs() {
        let store = Store::open(&folder);
        let discovery = store.discover();
        for session in &discovery.sessions {
            let short = Summary::read(session).unwrap();
            let full = FullSummary::read(session).unwrap().summary;
            if short.coverage == Coverage::Whole {
                assert_eq!(short, full);
                continue;
            }
            cut += 1;
            let told = |of: &Summary| {
                (of.first_prompt.clone(), of.created.clone(), of.project.clone(), of.entrypoint.clone())
            };
            assert_eq!(told(&short), told(&full), "{}", session.path.display());
            assert_eq!(short.title, full.title, "{}", session.path.display());
            assert_eq!(short.git_branch, full.git_branch, "{}", session.path.display());
        }
    }
    assert!(cut > 10, "the corpus has large files, but only {cut} were cut");
}

#[test]
fn the_side_files_of_the_corpus_can_be_read() {
    let Some(corpus) = or_skip("the_side_files_of_the_corpus_can_be_read") else { return };
    let mut problems = Vec::new();
    let (mut lists, mut indexes, mut metas) = (0, 0, 0);
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        let (todos, more) = todo_lists(&discovery);
        problems.extend(more);
        lists += todos.len();
        problems.extend(todos.iter().flat_map(|list| list.items().1));
        for index in discovery.sessions_indexes() {
            indexes += 1;
            problems.extend(stale_entries(&JsonFile::read(&index.path).unwrap()));
        }
        let (details, more) = details(&discovery.agents.iter().collect::<Vec<_>>());
        problems.extend(more);
        for meta in details.iter().filter_map(|agent| agent.meta()) {
            metas += 1;
            assert!(meta.unwrap().agent_type().is_some());
        }
    }
    assert_eq!(problems, []);
    assert!(lists > 0 && indexes > 0 && metas == 9, "{lists} {indexes} {metas}");
}

#[test]
fn warm_ups_of_the_corpus_are_recognised() {
    let Some(corpus) = or_skip("warm_ups_of_the_corpus_are_recognised") else { return };
    let mut count = 0;
    for folder in corpus.config_dirs() {
        let discovery = Store::open(&folder).discover();
        for agent in &discovery.agents {
            let text = std::fs::read_to_string(&agent.path).unwrap();
            let is_stub = text.lines().count() <= 2 && text.contains(r#""content":"Warmup""#);
            let is_answer = text.lines().count() == 1 && text.contains(r#""type":"assistant""#);
            assert_eq!(is_warm_up(agent), is_stub || is_answer, "{}", agent.path.display());
            count += usize::from(is_warm_up(agent));
        }
    }
    assert!(count > 30, "{count}");
}
