//! What the index says was spent is what the files say.

use std::path::Path;

use annals_index::Index;
use annals_store::{AgentEntry, SessionEntry, Store};
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_transcript::price::{Prices, Usd};
use annals_transcript::usage::{Ledger, Tokens, group};

use crate::refreshed;

/// Responses, tokens and cost, from the files alone.
fn by_files(config: &Path) -> (u64, Tokens, Usd) {
    let store = Store::open(config);
    let discovery = store.discover();
    let agents: Vec<SessionEntry> = discovery.agents.iter().map(AgentEntry::as_session).collect();
    let mut ledger = Ledger::new();
    let entries: Vec<&SessionEntry> = discovery.sessions.iter().chain(&agents).collect();
    for (at, full) in store.full_summaries(&entries).0.into_iter().enumerate() {
        ledger.add_file(at as u32, full.responses);
    }
    let total = group(ledger.charges(), &Prices::embedded(), |_, _| Some(String::new())).total;
    (total.responses, Tokens { web_fetches: 0, ..total.tokens }, total.cost)
}

fn by_index(index: &Index) -> (u64, Tokens, Usd) {
    let mut sums = (0, Tokens::default(), Usd::ZERO);
    for spent in index.spent().unwrap() {
        sums.0 += spent.responses;
        sums.1 += spent.tokens;
        sums.2 += spent.cost;
    }
    sums
}

#[test]
fn the_demo_store_adds_up() {
    let home = Home::new();
    home.fill(&annals_demo::Plan::default());
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let expected = by_files(&home.config_dir());
    assert!(expected.0 > 100);
    assert_eq!(by_index(&index), expected);
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
