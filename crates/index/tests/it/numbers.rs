//! The usage in the index is that of the files.

use std::fs;
use std::path::Path;

use annals_index::Index;
use annals_store::Store;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageItem, UsageSource};

use crate::refreshed;

/// The items of reports made from the files, each file by its name instead of its position.
fn by_files(config: &Path) -> Vec<String> {
    let discovery = Store::open(config).discover();
    let usage = StoreUsage::read(&UsageFile::all(&discovery), |_| ());
    told(&usage.sources, &usage.items(&Prices::embedded()))
}

fn by_index(index: &Index) -> Vec<String> {
    let (sources, items) = index.usage().unwrap();
    told(&sources, &items)
}

/// Items of one file and key as one line each.
fn told(sources: &[UsageSource], items: &[UsageItem]) -> Vec<String> {
    let mut told: Vec<String> = items
        .iter()
        .map(|item| {
            let source = &sources[item.file.get()];
            format!(
                "{} {} {:?} {:?}",
                source.session,
                source.slug,
                source.thread,
                UsageItem { file: FileIndex::default(), ..item.clone() }
            )
        })
        .collect();
    told.sort();
    told
}

#[test]
fn the_demo_store_adds_up() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let expected = by_files(&home.config_dir());
    assert!(expected.len() > 50);
    assert_eq!(by_index(&index), expected);
}

/// A line with a billed response of this time and this many input tokens.
fn response(id: &str, time: Option<&str>, input: u64) -> String {
    let time = time.map(|time| format!(r#""timestamp":"{time}","#)).unwrap_or_default();
    format!(
        r#"{{"type":"assistant",{time}"uuid":"{id}","requestId":"r{id}","message":{{"id":"m{id}","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"usage":{{"input_tokens":{input},"output_tokens":2}}}}}}"#
    ) + "\n"
}

/// Writes a session that is indexed after each part, and returns what the index has.
fn read_in_parts(parts: &[String]) -> (Vec<String>, Vec<String>) {
    let home = Home::new();
    let mut whole = String::new();
    let mut told = Vec::new();
    for part in parts {
        whole += part;
        home.write("projects/-p/11111111-1111-4111-8111-111111111111.jsonl", whole.as_bytes());
        told = by_index(&refreshed(&home.config_dir(), &home.data_dir()).0);
    }
    (told, by_files(&home.config_dir()))
}

#[test]
fn times_before_1970_are_none_of_those_that_are_not_known() {
    let lines =
        [None, Some("1969-06-01T00:00:00.000Z"), Some("1969-12-31T23:59:59.000Z"), Some("2026-01-01")];
    let lines = lines.iter().enumerate().map(|(at, time)| response(&at.to_string(), *time, 1000));
    let lines: Vec<String> = lines.collect();
    for parts in [vec![lines.concat()], lines] {
        let (by_index, by_files) = read_in_parts(&parts);
        assert_eq!((by_index.len(), &by_index), (4, &by_files));
    }
}

#[test]
fn counts_that_no_model_can_have_add_up() {
    let lines = [9_223_372_036_854_775_807, u64::MAX, 1_000_000_000_000];
    let lines = lines.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(at, input)| response(&at.to_string(), Some("2026-01-01T00:00:00.000Z"), *input))
        .collect();
    for parts in [vec![lines.concat()], lines] {
        let (by_index, by_files) = read_in_parts(&parts);
        assert_eq!((by_index.len(), &by_index), (1, &by_files));
        assert!(by_index[0].contains("input: 3000000000,"), "{by_index:?}");
    }
}

#[test]
fn what_was_spent_goes_with_the_file_that_is_there() {
    let home = Home::new();
    let path = |project: &str| format!("projects/{project}/11111111-1111-4111-8111-111111111111.jsonl");
    let line = response("1", Some("2026-01-01T00:00:00.000Z"), 1000);
    let told = || by_index(&refreshed(&home.config_dir(), &home.data_dir()).0);
    // Earlier than its copy says, which decides between existing files.
    let old = home.write(path("-a"), response("1", Some("2025-12-31T00:00:00.000Z"), 1000));
    told();
    // To another folder, as another file.
    let new = home.write(path("-b"), &line);
    fs::remove_file(&old).unwrap();
    assert_eq!(told(), by_files(&home.config_dir()));
    // Under another name, after a copy that was there before.
    home.write(path("-m"), &line);
    assert_eq!(told(), by_files(&home.config_dir()));
    let last = new.parent().unwrap().with_file_name("-z");
    fs::rename(new.parent().unwrap(), &last).unwrap();
    assert_eq!(told(), by_files(&home.config_dir()));
    // Back, as it was and more.
    home.write(path("-a"), line.clone() + &response("2", Some("2026-01-01T00:00:01.000Z"), 1000));
    let expected = by_files(&home.config_dir());
    assert_eq!(told(), expected);
    // The total cost is not forgotten with the files.
    fs::remove_dir_all(home.config_dir().join("projects")).unwrap();
    assert_eq!(told(), expected);
}

#[test]
fn the_corpus_adds_up() {
    let Some(corpus) = corpus::or_skip("the_corpus_adds_up") else { return };
    for (at, folder) in corpus.config_dirs().iter().enumerate() {
        let home = Home::new();
        let (index, _) = refreshed(folder, &home.data_dir().join(at.to_string()));
        assert_eq!(by_index(&index), by_files(folder), "{}", folder.display());
    }
}

#[test]
fn a_sub_agent_of_a_session_in_two_projects_is_in_the_one_that_it_lies_in() {
    let id = "11111111-1111-4111-8111-111111111111";
    let home = Home::new();
    for (at, project) in ["-a", "-b", "-c"].iter().enumerate() {
        let line = response(&at.to_string(), Some("2026-01-01T00:00:00.000Z"), 1000);
        // The third project has sub-agents of the session, and not the session.
        if *project != "-c" {
            home.write(format!("projects/{project}/{id}.jsonl"), &line);
        }
        let of_agent = response(&format!("agent{at}"), Some("2026-01-01T00:00:00.000Z"), 1000);
        let named = of_agent.replacen(
            '{',
            &format!(r#"{{"sessionId":"{id}","isSidechain":true,"agentId":"x{at}","#),
            1,
        );
        home.write(format!("projects/{project}/agent-x{at}.jsonl"), named);
    }
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let expected = by_files(&home.config_dir());
    for (agent, project) in [("x0", "-a"), ("x1", "-b"), ("x2", "-a")] {
        let is_of = |line: &&String| line.starts_with(&format!("{id} {project} Agent(\"{agent}\")"));
        assert_eq!(expected.iter().filter(is_of).count(), 1, "{agent}: {expected:#?}");
    }
    assert_eq!(by_index(&index), expected);
}
