//! What the index says was spent is what the files say.

use std::path::Path;

use annals_index::Index;
use annals_store::Store;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_testkit::corpus;
use annals_testkit::home::Home;
use annals_transcript::price::Prices;
use annals_transcript::usage::{UsageItem, UsageSource};

use crate::refreshed;

/// What reports are made of, from the files alone, with each file by its name instead of its place.
fn by_files(config: &Path) -> Vec<String> {
    let discovery = Store::open(config).discover();
    let usage = StoreUsage::read(&UsageFile::all(&discovery), |_| ());
    told(&usage.sources, &usage.items(&Prices::embedded()))
}

fn by_index(index: &Index) -> Vec<String> {
    let (sources, items) = index.usage().unwrap();
    told(&sources, &items)
}

/// Items of one file and one key as one line each.
fn told(sources: &[UsageSource], items: &[UsageItem]) -> Vec<String> {
    let mut told: Vec<String> = items
        .iter()
        .map(|item| {
            let source = &sources[item.file as usize];
            format!(
                "{} {} {:?} {:?}",
                source.session,
                source.slug,
                source.thread,
                UsageItem { file: 0, ..item.clone() }
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

#[test]
fn the_corpus_adds_up() {
    let Some(corpus) = corpus::or_skip("the_corpus_adds_up") else { return };
    for (at, folder) in corpus.config_dirs().iter().enumerate() {
        let home = Home::new();
        let (index, _) = refreshed(folder, &home.data_dir().join(at.to_string()));
        assert_eq!(by_index(&index), by_files(folder), "{}", folder.display());
    }
}
