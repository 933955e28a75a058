//! An item as a receiver gets it, and its permanent name.

use annals_json::Value;

use super::{ITEM_VERSION, Item};

/// The permanent name of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName {
    pub machine: String,
    /// The store; empty in items of a release that did not say.
    pub store: String,
    pub file: String,
    pub generation: i64,
    pub offset: u64,
}

/// An item as a receiver gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentItem {
    /// The machine that it comes from.
    pub machine: String,
    /// The store that it comes from; empty in items of a release that did not say.
    pub store: String,
    /// The number of its batch.
    pub batch: u64,
    pub item: Item,
}

/// Why something is not an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    /// A later release wrote it.
    #[error("unknown version {0} of an item")]
    UnknownVersion(u64),
    /// It has not the fields of an item.
    #[error("not an item of `annals collect`")]
    Malformed,
}

impl SentItem {
    /// Reads an item from its line, or from an element of an array.
    pub fn parse(json: &[u8]) -> Result<Self, ItemError> {
        let value = Value::parse(json).map_err(|_| ItemError::Malformed)?;
        let version = value.get("v").map_or(Some(1), Value::count).ok_or(ItemError::Malformed)?;
        if version > ITEM_VERSION {
            return Err(ItemError::UnknownVersion(version));
        }
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
        let sent = || {
            Some(Self {
                machine: text("machine")?,
                store: if version == 1 { String::new() } else { text("store")? },
                batch: value.get("batch")?.count()?,
                item: Item::read(value)?,
            })
        };
        sent().ok_or(ItemError::Malformed)
    }

    pub fn name(&self) -> ItemName {
        name(&self.machine, &self.store, &self.item)
    }
}

/// Puts a name together.
pub(super) fn name(machine: &str, store: &str, item: &Item) -> ItemName {
    ItemName {
        machine: machine.to_owned(),
        store: store.to_owned(),
        file: item.file.clone(),
        generation: item.generation,
        offset: item.offset,
    }
}
