//! A conversation in windows, for pages that show a small part of a large session.
//!
//! The whole file is read once, to make a [`ConversationMap`]: which records each window needs, and which items come of them. A
//! window is then built from the bytes of these records alone, and its items are the same that the whole file gives.

mod build;
mod height;
mod plan;
mod planner;

use std::mem::Discriminant;

use super::item::{Item, ItemBody};

pub use planner::ConversationPlanner;

/// Where a conversation's windows begin and end, and what each is made of.
#[derive(Clone, Debug, Default)]
pub struct ConversationMap {
    /// The windows, in reading order.
    pub windows: Vec<WindowPlan>,
    /// Whether every line belongs to a sub-agent.
    is_agent_file: bool,
}

impl ConversationMap {
    /// How many records its windows need: about what it takes to keep.
    pub fn record_count(&self) -> usize {
        self.windows.iter().map(|window| window.records.len()).sum()
    }

    /// Gives its records other places: a map of a shortened file gets those of the file.
    pub fn relocate(&mut self, place: impl Fn(RecordSpan) -> RecordSpan) {
        let records = self.windows.iter_mut().flat_map(|window| &mut window.records);
        records.for_each(|record| *record = place(*record));
    }
}

/// What one window is made of.
#[derive(Clone, Debug, Default)]
pub struct WindowPlan {
    /// The records whose bytes are needed, in the order of the file.
    pub records: Vec<RecordSpan>,
    /// About how high its items are on a page, in pixels.
    pub height: u32,
    /// How many items it has.
    pub items: u32,
    entries: Vec<Entry>,
    /// The turn of each record: 0 if it is on no path, `u32::MAX` if it is shown beside one.
    turns: Vec<u32>,
    /// The working directory at its beginning.
    cwd: Option<Box<str>>,
}

/// Where a record is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSpan {
    /// Its first byte.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u32,
    /// Its line, counted from 1.
    pub line: u32,
}

/// Where an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemPlace {
    pub window: usize,
    /// The turn, counted from 1; 0 before the first prompt.
    pub turn: u32,
}

/// A record, and the items that it adds.
#[derive(Clone, Debug)]
struct Entry {
    source: EntrySource,
    items: Box<[PlannedItem]>,
}

/// What an entry is built from; records by their place in the window.
#[derive(Clone, Copy, Debug)]
enum EntrySource {
    /// A record of the main history.
    Path(u32),
    /// A record off it, and whether it counts as off the path.
    Aside(u32, bool),
    /// A sub-agent inside the file, by its first record.
    Agent(u32),
    /// No record: all items are stored.
    None,
}

#[derive(Clone, Debug)]
enum PlannedItem {
    /// It is built from the records of the window; its line and what it is.
    Built(u32, Discriminant<ItemBody>),
    /// It needs more than the window has, and is small.
    Stored(Box<Item>),
}
