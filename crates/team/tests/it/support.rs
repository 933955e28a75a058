//! A store, what is sent of it, and an engine to send it to.

use std::ops::ControlFlow;
use std::time::Duration;

use annals_collect::{Batch, Collector, Item, Selection, Sink, SinkError};
use annals_demo::Plan;
use annals_index::Index;
use annals_store::usage::{StoreUsage, UsageFile};
use annals_store::{DataDir, Store};
use annals_team::query::{Scope, usage};
use annals_team::{Engine, EngineAddress, TeamSink, schema};
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::price::Prices;
use annals_transcript::redact::SecretRules;
use annals_transcript::usage::{UsageItem, UsageSource};

/// Opens a database of the engine.
pub(crate) fn open(engine: &TestEngine, database: &str) -> Engine {
    let address = EngineAddress::parse(&engine.at(database)).unwrap();
    Engine::new(address, None, None, Duration::from_secs(60)).unwrap()
}

/// Opens a database that has the tables.
pub(crate) fn with_tables(engine: &TestEngine, database: &str) -> Engine {
    let opened = open(engine, database);
    schema::apply(&opened).unwrap();
    opened
}

/// A sink for a database.
pub(crate) fn sink(engine: &TestEngine, database: &str) -> TeamSink {
    TeamSink::new(open(engine, database), Prices::embedded())
}

/// Keeps what it gets.
#[derive(Default)]
struct Recorder(Vec<Batch>);

impl Sink for Recorder {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        self.0.push(batch.clone());
        Ok(())
    }
}

/// A small store, and all that is sent of it.
pub(crate) fn demo() -> (Home, Vec<Batch>) {
    let home = Home::new();
    home.fill_sample(&Plan::default());
    let sent = sent_of(&home);
    (home, sent)
}

/// All that is sent of a store.
pub(crate) fn sent_of(home: &Home) -> Vec<Batch> {
    sent_with(home, Selection::default())
}

/// What is sent of a store by a selection.
pub(crate) fn sent_with(home: &Home, selection: Selection) -> Vec<Batch> {
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (rules, source) = (SecretRules::new(&[], &[]).unwrap(), CountingSource::default());
    let mut recorder = Recorder::default();
    let mut collector = Collector::open(&store, &data, "test", rules, &source).unwrap();
    collector.selection = selection;
    collector.pass(&mut recorder).unwrap();
    drop(collector);
    recorder.0
}

/// Items as batches of this size, from the machine and store of another batch.
pub(crate) fn batches(items: &[Item], of: &Batch, size: usize) -> Vec<Batch> {
    let batch =
        |(at, items): (usize, &[Item])| Batch { sequence: at as u64 + 1, ..of.with_items(items.to_vec()) };
    items.chunks(size).enumerate().map(batch).collect()
}

/// The usage of a store by its files: every sum with its session, project and thread.
pub(crate) fn usage_of_files(home: &Home) -> Vec<String> {
    let discovery = Store::open(home.config_dir()).discover();
    let read = StoreUsage::read(&UsageFile::all(&discovery), |_| ());
    lines(&read.sources, &read.items(&Prices::embedded()))
}

/// The same by the engine.
pub(crate) fn usage_of_engine(engine: &Engine) -> Vec<String> {
    let used = usage(engine, &Scope::default()).unwrap();
    lines(&used.sources, &used.items)
}

/// The same by the index.
pub(crate) fn usage_of_index(home: &Home) -> Vec<String> {
    let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
    let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    index.refresh(&store.discover(), &data, &Prices::embedded(), go_on).unwrap();
    let (sources, items) = index.usage().unwrap();
    lines(&sources, &items)
}

fn lines(sources: &[UsageSource], items: &[UsageItem]) -> Vec<String> {
    let line = |item: &UsageItem| {
        let source = &sources[item.file.get()];
        let UsageItem { thread, model, quarter, certainty, responses, tokens, cost, without_cache, .. } =
            item;
        format!(
            "{} {} {:?} {thread:?} {model:?} {quarter:?} {certainty:?} {responses} {tokens:?} {cost:?} {without_cache:?} {:?} {:?}",
            source.session, source.slug, source.project, item.first, item.last
        )
    };
    let mut lines: Vec<String> = items.iter().map(line).collect();
    lines.sort();
    lines
}
