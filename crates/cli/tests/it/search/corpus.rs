//! Searches over real sessions, whose clients write titles again and again: passages come first, each once, of every session.

use std::collections::{BTreeMap, BTreeSet};

use annals_json::Value;
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_testkit::tree::copy;

use crate::annals_exits;

/// The queries that once found nothing but titles.
const QUERIES: [&str; 7] =
    ["shell test", "website", "terminals", "analysis", "issue", "streaming", "feasible"];
/// Sessions on the first page.
const FIRST_PAGE: usize = 20;

/// The passages on a page by session, each with its line and its text.
fn shown(page: &str) -> BTreeMap<String, Vec<(usize, String)>> {
    let mut sessions: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    let mut last = String::new();
    for line in page.lines() {
        let mut words = line.split_whitespace();
        let Some(word) = words.next().filter(|_| line.starts_with("  ")) else { continue };
        if word.len() == 36 && word.matches('-').count() == 4 {
            last = word.to_owned();
            sessions.entry(last.clone()).or_default();
        } else if let Ok(number) = word.parse() {
            let text = words.skip(1).collect::<Vec<_>>().join(" ");
            sessions.entry(last.clone()).or_default().push((number, text));
        }
    }
    sessions
}

#[test]
fn passages_come_once_and_every_session_is_on_the_first_page() {
    let test = "passages_come_once_and_every_session_is_on_the_first_page";
    let Some(corpus) = corpus::or_skip(test) else { return };
    let mut checked = 0;
    for store in corpus.config_dirs() {
        let home = Home::new();
        copy(&store, &home.config_dir());
        for query in QUERIES {
            let json = crate::annals(&home, &["search", query, "--json", "--limit", "100000"]);
            if json.code == Some(1) {
                continue;
            }
            let value = Value::parse(json.out.as_bytes()).unwrap();
            let text = |hit: &Value<'_>, key: &str| {
                hit.get(key).and_then(|text| text.text()).map(|text| text.to_string())
            };
            let hits: Vec<_> = value.get("hits").unwrap().items().collect();
            let all: BTreeSet<_> = hits.iter().filter_map(|hit| text(hit, "session")).collect();
            let is_passage = |hit: &&Value<'_>| text(hit, "kind").as_deref() != Some("title");
            let with_passages: BTreeSet<_> =
                hits.iter().filter(is_passage).filter_map(|hit| text(hit, "session")).collect();
            let page = annals_exits(&home, &["search", query], 0).out;
            let sessions = shown(&page);
            let where_ = format!("{query:?} in {}\n{page}", store.display());
            let expected = all.iter().filter(|id| id.len() == 36).count().min(FIRST_PAGE);
            assert!(sessions.len() >= expected, "{} of {expected} sessions: {where_}", sessions.len());
            let mut seen = BTreeSet::new();
            for (session, passages) in &sessions {
                for (_, text) in passages.iter().filter(|(_, text)| !text.is_empty()) {
                    assert!(seen.insert((session, text)), "{text:?} twice: {where_}");
                }
                let has_text = passages.iter().any(|(_, text)| !text.is_empty());
                assert!(has_text || !with_passages.contains(session), "only a title of {session}: {where_}");
            }
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} searches found something");
}

#[test]
fn a_session_has_one_title_in_lists_and_above_its_conversation() {
    let test = "a_session_has_one_title_in_lists_and_above_its_conversation";
    let Some(corpus) = corpus::or_skip(test) else { return };
    let store = corpus.config_dirs().into_iter().find(|store| store.ends_with("early-1.0")).unwrap();
    let home = Home::new();
    copy(&store, &home.config_dir());
    let out = annals_exits(&home, &["ls", "--json"], 0).out;
    let value = Value::parse(out.as_bytes()).unwrap();
    let mut checked = 0;
    for session in value.get("sessions").unwrap().items() {
        let text = |key: &str| session.get(key).and_then(|text| text.text()).map(|text| text.to_string());
        let (Some(id), Some(title)) = (text("id"), text("title")) else { continue };
        let shown = annals_exits(&home, &["show", &id], 0).out;
        let first: String = shown.lines().next().unwrap_or_default().chars().take(40).collect();
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect();
        assert_eq!(first, title, "{id}");
        checked += 1;
    }
    assert!(checked > 10);
}

#[test]
fn search_names_sessions_as_lists_do() {
    let Some(corpus) = corpus::or_skip("search_names_sessions_as_lists_do") else { return };
    let (mut checked, mut wrong) = (0, BTreeSet::new());
    for store in corpus.config_dirs() {
        let home = Home::new();
        copy(&store, &home.config_dir());
        let out = annals_exits(&home, &["ls", "--all", "--json"], 0).out;
        let listed = titles(&out, "sessions", "id");
        for query in ["the", "is:title"] {
            for form in [&["--json", "--limit", "100000"][..], &["--json", "--exact", "--limit", "1000"]] {
                let run = crate::annals(&home, &[&["search", query], form].concat());
                for (session, title) in titles(&run.out, "hits", "session") {
                    let Some(expected) = listed.get(&session) else { continue };
                    checked += 1;
                    if *expected != title {
                        wrong.insert(format!("{session} {form:?}: {title:?} instead of {expected:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} names differ: {wrong:#?}", wrong.len());
    assert!(checked > 100, "only {checked} names were compared");
}

/// The titles of the sessions in a list.
fn titles(json: &str, list: &str, id: &str) -> BTreeMap<String, String> {
    let Ok(value) = Value::parse(json.as_bytes()) else { return BTreeMap::new() };
    let text = |row: &Value<'_>, key: &str| row.get(key)?.text().map(|text| text.to_string());
    let rows = value.get(list).into_iter().flat_map(|list| list.items().collect::<Vec<_>>());
    rows.filter_map(|row| Some((text(&row, id)?, text(&row, "title")?))).collect()
}
