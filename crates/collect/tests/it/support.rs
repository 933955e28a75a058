//! A store to collect from, and the received items by name.

use std::collections::BTreeMap;

use annals_collect::{Batch, CollectError, Collector, PassReport, Sink, SinkError};
use annals_json::Value;
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_transcript::redact::SecretRules;

/// File, generation and offset.
pub(crate) type Name = (String, i64, u64);

/// What arrived: the text of each name. Panics where one name has two texts.
#[derive(Debug, Default)]
pub(crate) struct Arrived {
    pub(crate) texts: BTreeMap<Name, String>,
    pub(crate) repeated: usize,
}

impl Arrived {
    pub(crate) fn add(&mut self, ndjson: &[u8]) {
        for line in ndjson.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let value = Value::parse(line).unwrap();
            let text = |key: &str| value.get(key).unwrap().text().unwrap().decode().into_owned();
            let number = |key: &str| value.get(key).unwrap().count().unwrap();
            let name = (text("file"), number("generation").cast_signed(), number("offset"));
            let held = value.get("text").unwrap();
            let text = if held.is_null() { "(withheld)".to_owned() } else { text("text") };
            if let Some(before) = self.texts.insert(name.clone(), text.clone()) {
                assert_eq!(before, text, "{name:?} came with two texts");
                self.repeated += 1;
            }
        }
    }

    /// The lines of the last generation of a file, in their order.
    pub(crate) fn latest(&self, file: &str) -> Vec<&str> {
        let of_file = || self.texts.iter().filter(|((name, ..), _)| name == file);
        let last = of_file().map(|((_, generation, _), _)| *generation).max();
        of_file().filter(|((_, g, _), _)| Some(*g) == last).map(|(_, text)| text.as_str()).collect()
    }
}

/// A sink that remembers, and that fails when it is told to.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) arrived: Arrived,
    pub(crate) batches: Vec<u64>,
    /// Takes a number of batches, then the next, unsaid, and nothing more.
    pub(crate) left: Option<usize>,
}

impl Sink for Memory {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let refused = || SinkError::Refused { what: "told to".to_owned() };
        match &mut self.left {
            Some(0) => {
                self.left = Some(usize::MAX);
                self.arrived.add(&batch.ndjson());
                return Err(refused());
            }
            Some(usize::MAX) => return Err(refused()),
            Some(left) => *left -= 1,
            None => {}
        }
        self.arrived.add(&batch.ndjson());
        self.batches.push(batch.sequence);
        Ok(())
    }
}

/// One pass of a new process.
pub(crate) fn pass(
    home: &Home,
    source: &CountingSource,
    sink: &mut dyn Sink,
    change: impl FnOnce(&mut Collector<'_>),
) -> Result<PassReport, CollectError> {
    let store = Store::open(home.config_dir());
    let data = DataDir::new(home.data_dir());
    let rules = SecretRules::new(&[], &[]).unwrap();
    let mut collector = Collector::open(&store, &data, "test", rules, source).unwrap();
    change(&mut collector);
    collector.pass(sink)
}
