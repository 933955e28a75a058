//! A store to collect from, and the received items by name.

use std::collections::BTreeMap;

use annals_collect::{Batch, CollectError, Collector, Item, PassReport, SentItem, Sink, SinkError};
use annals_store::{DataDir, Store};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;
use annals_testkit::temp::TempDir;
use annals_testkit::tree::copy;
use annals_transcript::redact::SecretRules;

/// File, generation and offset.
pub(crate) type Name = (String, i64, u64);

/// What arrived: the text of each name, and what marks say. Panics where one name has two texts or two meanings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    pub(crate) texts: BTreeMap<Name, String>,
    pub(crate) marks: BTreeMap<Name, Item>,
    pub(crate) repeated: usize,
}

impl Arrived {
    pub(crate) fn add(&mut self, ndjson: &[u8]) {
        for line in ndjson.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            let item = SentItem::parse(line).unwrap().item;
            let name = (item.file.clone(), item.generation, item.offset);
            if item.form.is_mark() {
                if let Some(before) = self.marks.insert(name, item.clone()) {
                    assert_eq!(before, item);
                    self.repeated += 1;
                }
                continue;
            }
            let text = item.text.unwrap_or_else(|| "(withheld)".to_owned());
            if let Some(before) = self.texts.insert(name.clone(), text.clone()) {
                assert_eq!(before, text, "{name:?} came with two texts");
                self.repeated += 1;
            }
        }
    }

    /// The marks, oldest first: the file, what happened, and where it went.
    pub(crate) fn told(&self) -> Vec<(&str, &str, Option<&str>)> {
        let mut marks: Vec<&Item> = self.marks.values().collect();
        marks.sort_by_key(|mark| mark.generation);
        marks.iter().map(|mark| (mark.file.as_str(), mark.form.name(), mark.to.as_deref())).collect()
    }

    /// The lines of the file that lies here now, as a receiver puts them together: what was sent of its last generation, under
    /// any of its names.
    pub(crate) fn lines_of(&self, file: &str) -> Vec<&str> {
        let moved_here = self.marks.values().filter(|mark| mark.to.as_deref() == Some(file));
        let moved_here = moved_here.filter_map(|mark| mark.of);
        let of_file =
            self.texts.keys().filter(|(name, ..)| name == file).map(|(_, generation, _)| *generation);
        let last = of_file.chain(moved_here).max();
        let mut lines: Vec<_> =
            self.texts.iter().filter(|((_, generation, _), _)| Some(*generation) == last).collect();
        lines.sort_by_key(|((.., offset), _)| *offset);
        lines.into_iter().map(|(_, text)| text.as_str()).collect()
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

/// A sink that is away a number of times, and then remembers.
#[derive(Debug, Default)]
pub(crate) struct Unavailable {
    pub(crate) times: u32,
    pub(crate) then: Memory,
}

impl Sink for Unavailable {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        if self.times == 0 {
            return self.then.deliver(batch);
        }
        self.times -= 1;
        Err(SinkError::Unavailable { what: "told to".to_owned(), retry_after: None })
    }
}

/// A sink that keeps our folder as a crash during each delivery would leave it.
pub(crate) struct Snapshots<'h> {
    pub(crate) home: &'h Home,
    pub(crate) taken: Vec<(TempDir, Vec<u8>)>,
}

impl Sink for Snapshots<'_> {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let folder = TempDir::new("snapshot");
        copy(&self.home.data_dir(), folder.path());
        self.taken.push((folder, batch.ndjson()));
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
