//! The binary over every file of the corpus.

use std::path::Path;

use annals_json::Value;
use annals_testkit::corpus;
use annals_testkit::home::Home;

use crate::{annals, annals_exits};

#[test]
fn raw_is_the_file_byte_for_byte() {
    let Some(corpus) = corpus::or_skip("raw_is_the_file_byte_for_byte") else { return };
    let home = Home::new();
    for path in corpus.transcripts() {
        let shown = annals_exits(&home, &["show", &path.display().to_string(), "--as", "raw"], 0);
        assert!(shown.bytes == std::fs::read(&path).unwrap(), "{}", corpus.name_of(&path));
    }
}

#[test]
fn no_genuine_record_is_unknown() {
    let Some(corpus) = corpus::or_skip("no_genuine_record_is_unknown") else { return };
    let home = Home::new();
    for path in corpus.transcripts() {
        let name = corpus.name_of(&path);
        if name.starts_with("handmade/") {
            continue;
        }
        let shown = annals_exits(&home, &["show", &path.display().to_string(), "--as", "records"], 0);
        for line in shown.out.lines() {
            assert!(
                !line.contains(r#""kind":"unknown""#) && !line.contains(r#""kind":"untyped""#),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn every_sub_agent_is_linked_or_listed_with_a_reason() {
    let Some(corpus) = corpus::or_skip("every_sub_agent_is_linked_or_listed_with_a_reason") else { return };
    let home = Home::new();
    let is_agent =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("agent-"));
    for config_dir in corpus.config_dirs() {
        let mut listed: Vec<String> = Vec::new();
        for path in
            corpus.transcripts().iter().filter(|path| path.starts_with(&config_dir) && !is_agent(path))
        {
            let answer = annals(&home, &["show", &path.display().to_string(), "--as", "agents", "--json"]);
            let Ok(value) = Value::parse(answer.out.as_bytes()) else {
                panic!("{}: {}", path.display(), answer.error)
            };
            for list in ["agents", "unlinked"] {
                let files = value.get(list).unwrap().items().filter_map(|agent| agent.get("file")?.text());
                listed.extend(files.map(|file| file.to_string()));
            }
        }
        // The others belong to sessions that are not in the corpus: `check --all` lists them with that reason.
        let store = config_dir.display().to_string();
        let orphans = annals(&home, &["--config-dir", &store, "check", "--all", "--json"]).out;
        for path in corpus.transcripts().iter().filter(|path| path.starts_with(&config_dir) && is_agent(path))
        {
            let file = path.display().to_string();
            assert!(listed.contains(&file) || orphans.contains(&file), "{file} is nowhere");
        }
    }
}
