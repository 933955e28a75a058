//! The contract suite accepts a sink that keeps the contract, and finds each way to break it.

use std::collections::BTreeMap;

use annals_collect::contract::{SinkFixture, check_contract};
use annals_collect::{Batch, Item, ItemName, ItemRefusal, SentItem, Sink, SinkError};

/// A sink in memory that drops what comes twice, and refuses as a whole or by name.
struct MemoryFixture {
    stored: BTreeMap<ItemName, SentItem>,
    refused: Option<String>,
    names_them: bool,
    /// A fault that the suite must find.
    fault: Option<SinkFault>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SinkFault {
    LosesLast,
    IgnoresStore,
    CutsText,
    SwallowsRefused,
    RefusesTooMuch,
}

impl Sink for &mut MemoryFixture {
    fn deliver(&mut self, batch: &Batch) -> Result<(), SinkError> {
        let is_bad = |item: &Item| {
            let word = self.refused.as_ref();
            word.is_some_and(|word| item.text.as_ref().is_some_and(|text| text.contains(word)))
        };
        let bad: Vec<usize> = (0..batch.items.len()).filter(|&at| is_bad(&batch.items[at])).collect();
        if !bad.is_empty() && !self.names_them {
            return Err(SinkError::Refused { what: "no".to_owned() });
        }
        let last = batch.items.len() - 1;
        for (at, item) in batch.items.iter().enumerate().filter(|(at, _)| !bad.contains(at)) {
            let mut item = item.clone();
            if self.fault == Some(SinkFault::CutsText) {
                item.text = item.text.map(|text| text.chars().take(1000).collect());
            }
            let is_lost = self.fault == Some(SinkFault::LosesLast) && at == last;
            let (machine, mut store) = (batch.machine.clone(), batch.store.clone());
            if self.fault == Some(SinkFault::IgnoresStore) {
                "s".clone_into(&mut store);
            }
            let sent = SentItem { machine, store, batch: batch.sequence, item };
            if !is_lost {
                self.stored.insert(sent.name(), sent);
            }
        }
        let refusal = |index| ItemRefusal { index, reason: "no".to_owned() };
        match (bad.is_empty(), self.fault) {
            (true, _) | (_, Some(SinkFault::SwallowsRefused)) => Ok(()),
            (_, Some(SinkFault::RefusesTooMuch)) => {
                Err(SinkError::RefusedItems { items: (0..=last).map(refusal).collect() })
            }
            _ => Err(SinkError::RefusedItems { items: bad.into_iter().map(refusal).collect() }),
        }
    }
}

impl SinkFixture for MemoryFixture {
    fn open(&mut self) -> Box<dyn Sink + '_> {
        Box::new(self)
    }

    fn stored(&mut self) -> Vec<SentItem> {
        self.stored.values().cloned().collect()
    }

    fn refuse(&mut self, word: &str) -> bool {
        self.refused = Some(word.to_owned());
        true
    }
}

#[test]
fn the_suite_finds_what_breaks_the_contract() {
    let check = |names_them, fault| {
        let (stored, refused) = (BTreeMap::new(), None);
        check_contract(&mut MemoryFixture { stored, refused, names_them, fault })
    };
    for names_them in [false, true] {
        check(names_them, None).unwrap();
    }
    for (fault, said) in [
        (SinkFault::LosesLast, "is missing"),
        (SinkFault::IgnoresStore, "is missing"),
        (SinkFault::CutsText, "text: Some(\"xxx"),
        (SinkFault::SwallowsRefused, "were refused, not"),
        (SinkFault::RefusesTooMuch, "were refused, not"),
    ] {
        let error = check(true, Some(fault)).unwrap_err().to_string();
        assert!(error.contains(said), "{fault:?}: {error}");
    }
}
