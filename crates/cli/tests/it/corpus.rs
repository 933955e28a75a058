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

/// Searches over real sessions: no passage twice, no title in the place of a prompt or a reply, every session on the first page.
#[test]
fn searches_of_real_sessions_lead_to_all_of_them() {
    let Some(corpus) = corpus::or_skip("searches_of_real_sessions_lead_to_all_of_them") else { return };
    let home = Home::new();
    for store in corpus.config_dirs() {
        let store = store.display().to_string();
        for query in ["shell test", "website", "terminals", "analysis", "config", "issue"] {
            let run = |options: &[&str]| {
                let arguments = [&["--config-dir", &store, "search", query], options].concat();
                annals(&home, &arguments)
            };
            let json = run(&["--json", "--limit", "5000"]).out;
            let value = Value::parse(json.as_bytes()).unwrap();
            let text = |hit: Value<'_>, key: &str| {
                hit.get(key).and_then(|value| value.text()).map(|text| text.to_string()).unwrap_or_default()
            };
            let mut seen = std::collections::HashSet::new();
            let mut spoken = std::collections::BTreeMap::new();
            for hit in value.get("hits").unwrap().items() {
                let (session, kind, snippet) =
                    (text(hit, "session"), text(hit, "kind"), text(hit, "snippet"));
                let place = match kind.as_str() {
                    "title" => snippet,
                    _ => format!("{}:{:?}:{:?}", text(hit, "file"), hit.get("line"), hit.get("block")),
                };
                assert!(
                    seen.insert((session.clone(), kind.clone(), place.clone())),
                    "{store} {query}: {place} twice"
                );
                *spoken.entry(session).or_insert(false) |= matches!(kind.as_str(), "prompt" | "response");
            }
            spoken.remove("");
            if spoken.is_empty() || spoken.len() > 20 {
                continue;
            }
            let page = run(&[]).out;
            for (session, has_passage) in spoken {
                let mut lines = page.lines().skip_while(|line| !line.starts_with(&format!("  {session}  ")));
                assert!(lines.next().is_some(), "{store} {query}: no {session} in\n{page}");
                let passages =
                    lines.take_while(|line| !line.is_empty()).filter(|line| !line.contains("annals show"));
                assert!(
                    passages.count() > 0 || !has_passage,
                    "{store} {query}: only the title of {session}\n{page}"
                );
            }
        }
    }
}
