//! The contract of sinks, as a suite that every sink is run against, in this crate and in others.
//!
//! What was acknowledged is there, complete; what is sent twice is there once; batches may come in halves and in any order;
//! stores and machines do not collide; what is refused is named, and the rest is there.

use std::collections::BTreeMap;

use crate::item::{Batch, Item, ItemForm, ItemName, SentItem};
use crate::refused::PartialDelivery;
use crate::sink::{Sink, SinkError};

/// A text that is larger than what most buffers hold.
const LONG_TEXT: usize = 3_000_000;

/// The word in items that the sink is told to refuse.
const REFUSED_WORD: &str = "refuse-this";

/// A sink that can be looked into.
pub trait SinkFixture {
    /// Opens the sink, as another process would.
    fn open(&mut self) -> Box<dyn Sink + '_>;

    /// Returns everything that is there.
    fn stored(&mut self) -> Vec<SentItem>;

    /// Whether the sink leaves it to its readers to drop what came twice.
    fn has_duplicates(&self) -> bool {
        false
    }

    /// Makes the sink refuse items whose text has this word; `false` if it can refuse none.
    fn refuse(&mut self, word: &str) -> bool;
}

/// How a sink breaks the contract.
#[derive(Debug, thiserror::Error)]
pub enum ContractError {
    /// It does not acknowledge what it should.
    #[error("{step}: {error}")]
    Delivery {
        step: &'static str,
        /// What it said.
        error: SinkError,
    },
    /// What is there is not what was acknowledged.
    #[error("{step}: {what}")]
    Content { step: &'static str, what: String },
}

/// Runs the suite against an empty sink.
pub fn check_contract(fixture: &mut dyn SinkFixture) -> Result<(), ContractError> {
    let mut suite = Suite { fixture, expected: BTreeMap::new() };
    let all = every_form();
    suite.deliver("one batch", [&all])?;
    suite.deliver("the same batch again", [&all])?;
    let (first, second) = all.items.split_at(all.items.len() / 2);
    let halves = [second, first].map(|half| all.with_items(half.to_vec()));
    suite.deliver("its halves, the second one first", &halves)?;
    let numbered: Vec<Batch> = (2..6).map(|number| lines(number, "s")).collect();
    suite.deliver("batches in reverse order", numbered.iter().rev())?;
    suite.deliver("and in order", &numbered)?;
    suite.deliver("the same names of another store", [&lines(2, "other")])?;
    suite.deliver(
        "the same names of another machine",
        [&Batch { machine: "n".to_owned(), ..lines(2, "s") }],
    )?;
    suite.deliver("a batch of an earlier release", [&lines(7, "")])?;
    suite.refuse_some()
}

struct Suite<'f> {
    fixture: &'f mut dyn SinkFixture,
    expected: BTreeMap<ItemName, Item>,
}

impl Suite<'_> {
    /// Delivers batches, each through a sink of its own, and looks at what is there after each.
    fn deliver<'b>(
        &mut self,
        step: &'static str,
        batches: impl IntoIterator<Item = &'b Batch>,
    ) -> Result<(), ContractError> {
        for batch in batches {
            let delivered = self.fixture.open().deliver(batch);
            delivered.map_err(|error| ContractError::Delivery { step, error })?;
            self.expected.extend(batch.items.iter().map(|item| (batch.name_of(item), item.clone())));
            self.compare(step)?;
        }
        Ok(())
    }

    fn compare(&mut self, step: &'static str) -> Result<(), ContractError> {
        let wrong = |what: String| Err(ContractError::Content { step, what });
        let mut there: BTreeMap<ItemName, Item> = BTreeMap::new();
        for sent in self.fixture.stored() {
            let name = sent.name();
            match there.insert(name.clone(), sent.item.clone()) {
                Some(before) if before != sent.item => return wrong(format!("{name:?} has two contents")),
                Some(_) if !self.fixture.has_duplicates() => {
                    return wrong(format!("{name:?} is there twice"));
                }
                _ => {}
            }
        }
        for (name, item) in &self.expected {
            match there.remove(name) {
                Some(found) if found == *item => {}
                Some(found) => return wrong(format!("{name:?} is {}", brief(&found))),
                None => return wrong(format!("{name:?} is missing")),
            }
        }
        match there.into_keys().next() {
            Some(name) => wrong(format!("{name:?} was never acknowledged")),
            None => Ok(()),
        }
    }

    /// Delivers a batch of which some items are refused, as the collector does.
    fn refuse_some(&mut self) -> Result<(), ContractError> {
        let step = "some items are refused";
        if !self.fixture.refuse(REFUSED_WORD) {
            return Ok(());
        }
        let mut batch = lines(8, "s");
        let bad = [1, batch.items.len() - 1];
        for at in bad {
            batch.items[at].text = Some(format!("please {REFUSED_WORD}"));
        }
        for _ in 0..2 {
            let mut sink = self.fixture.open();
            let mut parts = PartialDelivery::new(&mut *sink);
            parts.deliver(&batch).map_err(|error| ContractError::Delivery { step, error })?;
            let mut refused: Vec<usize> = parts.into_refusals().iter().map(|item| item.index).collect();
            drop(sink);
            refused.sort_unstable();
            if refused != bad {
                let what = format!("items {refused:?} were refused, not {bad:?}");
                return Err(ContractError::Content { step, what });
            }
            let good = (0..batch.items.len()).filter(|at| !bad.contains(at)).map(|at| &batch.items[at]);
            self.expected.extend(good.map(|item| (batch.name_of(item), item.clone())));
            self.compare(step)?;
        }
        Ok(())
    }
}

/// An item for a report, without most of a long text.
fn brief(item: &Item) -> String {
    let text = item.text.as_ref().map(|text| text.chars().take(100).collect());
    format!("{:?}", Item { text, ..item.clone() })
}

fn item(file: &str, generation: i64, offset: u64, text: Option<&str>) -> Item {
    Item {
        file: file.to_owned(),
        generation,
        offset,
        length: 10,
        number: offset / 10 + 1,
        form: ItemForm::Line,
        of: None,
        to: None,
        modified: None,
        text: text.map(str::to_owned),
    }
}

fn batch(sequence: u64, store: &str, items: Vec<Item>) -> Batch {
    let (machine, store, rules) = ("m".to_owned(), store.to_owned(), "0123456789abcdef".to_owned());
    Batch { machine, store, sequence, rules, items }
}

/// A session with this number: a few lines under names that only the number tells apart.
fn lines(number: u64, store: &str) -> Batch {
    let file = format!("projects/-work/{number:08}-1111-4111-8111-111111111111.jsonl");
    let line = |at: u64| {
        let text = format!("{{\"type\":\"user\",\"uuid\":\"{number}-{at}\"}}");
        item(&file, 1_767_225_600_000, at * 10, Some(&text))
    };
    batch(number, store, (0..7).map(line).collect())
}

/// Every form of an item, and texts that are hard to carry.
fn every_form() -> Batch {
    const FILE: &str = "projects/-work/11111111-1111-4111-8111-111111111111.jsonl";
    const MOVED: &str = "projects/-play/11111111-1111-4111-8111-111111111111.jsonl";
    let time = 1_767_225_600_000;
    let mark = |form: ItemForm, generation: i64, to: Option<&str>| Item {
        form,
        length: 0,
        of: Some(time),
        to: to.map(str::to_owned),
        ..item(FILE, generation, 70, None)
    };
    let long = "x".repeat(LONG_TEXT);
    let items = vec![
        item(FILE, time, 0, Some("{\"type\":\"user\"}")),
        item(
            FILE,
            time,
            10,
            Some("a\nb\r\n\t\u{0}\u{1b}[31m\u{202e}\u{2028}\\N \"ü\" 🦀 'x' ; -- {a:String}"),
        ),
        item(FILE, time, 20, Some("")),
        item(FILE, time, 30, None),
        item(FILE, time, 40, Some(&long)),
        Item { form: ItemForm::Torn, ..item(FILE, time, 60, Some("{\"type\":\"us")) },
        Item {
            form: ItemForm::File,
            number: 0,
            modified: Some(time),
            ..item("stats-cache.json", time + 1, 0, Some("{}"))
        },
        mark(ItemForm::Gone, time + 2, None),
        mark(ItemForm::Back, time + 3, None),
        mark(ItemForm::Moved, time + 4, Some(MOVED)),
        item(MOVED, time, 70, Some("{\"type\":\"user\"}")),
    ];
    batch(1, "s", items)
}
