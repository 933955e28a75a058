//! What is delivered: lines, files and marks of what happened to files, each under a name that never changes, in numbered
//! batches.

mod form;
mod sent;

use std::convert::Infallible;
use std::io::{self, Write};

use annals_json::{ObjectWriter, Value, write_string};

pub use form::ItemForm;
use sent::name;
pub use sent::{ItemError, ItemName, SentItem};

use crate::state::integer;

/// The version of the form of items. The first one knew neither stores nor marks, and said no version.
pub const ITEM_VERSION: u64 = 2;

/// How much of a text is written at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// One line, one file, or one mark. Machine, store, file, generation and offset together name it: what comes twice under one
/// name is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The file, relative to the config dir, with `/` between its parts.
    pub file: String,
    /// Changes whenever what was delivered of the file was rewritten or cut. A mark has one of its own: of several marks of
    /// a file the one with the highest holds.
    pub generation: i64,
    /// Its first byte in the file; for a mark, how far the file was delivered.
    pub offset: u64,
    /// How many bytes of the file it covers, line break included; redaction does not change this.
    pub length: u64,
    /// Which line of the file, counted from 1; 0 for a whole file; for a mark, how many lines were delivered.
    pub number: u64,
    /// What it holds.
    pub form: ItemForm,
    /// For a mark, the generation that it is about: what was delivered under it.
    pub of: Option<i64>,
    /// For a file that was moved, its name from now on. What follows is delivered under this name; if the content is the
    /// same, under the same generation.
    pub to: Option<String>,
    /// For a whole file, when it was last written, in milliseconds since 1970; items of earlier releases have none.
    pub modified: Option<i64>,
    /// The text after redaction, without its line break; `None` for a mark, and if secrets could not be removed.
    pub text: Option<String>,
}

impl Item {
    /// Whether its text was kept back because of a secret.
    pub fn is_withheld(&self) -> bool {
        self.text.is_none() && !self.form.is_mark()
    }

    /// Reads one that [`Batch::lines`] has written, of any version up to [`ITEM_VERSION`].
    pub(crate) fn read(value: Value<'_>) -> Option<Self> {
        let count = |key: &str| value.get(key).and_then(Value::count);
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.decode().into_owned());
        let held = value.get("text")?;
        let form = ItemForm::of(&text("form")?)?;
        let of = value.get("of").and_then(integer);
        let to = text("to");
        if form.is_mark() != of.is_some() || (form == ItemForm::Moved) != to.is_some() {
            return None;
        }
        Some(Self {
            file: text("file")?,
            generation: integer(value.get("generation")?)?,
            offset: count("offset")?,
            length: count("length")?,
            number: count("line")?,
            form,
            of,
            to,
            modified: value.get("modified").and_then(integer),
            text: if held.is_null() { None } else { Some(held.text()?.decode().into_owned()) },
        })
    }
}

/// What is acknowledged as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The machine that it comes from: a random id, kept in our data folder.
    pub machine: String,
    /// The store that it comes from: a short id, the same wherever the store lies. Empty for a batch that an earlier release
    /// left, which is sent in the form of that release.
    pub store: String,
    /// Counts up for each sink; a batch that is tried again keeps it.
    pub sequence: u64,
    /// A hash of the rules by which it was redacted; empty for a batch that an earlier release left.
    pub rules: String,
    /// In the order of their files.
    pub items: Vec<Item>,
}

impl Batch {
    /// The same batch with these items.
    pub fn with_items(&self, items: Vec<Item>) -> Self {
        let Self { machine, store, sequence, rules, .. } = self;
        Self {
            machine: machine.clone(),
            store: store.clone(),
            sequence: *sequence,
            rules: rules.clone(),
            items,
        }
    }

    /// The permanent name of one of its items.
    pub fn name_of(&self, item: &Item) -> ItemName {
        name(&self.machine, &self.store, item)
    }

    /// One JSON object an item, without line breaks.
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        self.items.iter().map(|item| {
            let mut line = Vec::with_capacity(item.text.as_ref().map_or(0, String::len) + 256);
            self.append_item(item, &mut line);
            line
        })
    }

    /// All of them, as one array.
    pub fn json(&self) -> Vec<u8> {
        let mut out = vec![b'['];
        for (at, item) in self.items.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b"" } else { b"," });
            self.append_item(item, &mut out);
        }
        out.push(b']');
        out
    }

    /// All of them, each with its line break.
    pub fn ndjson(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for item in &self.items {
            self.append_item(item, &mut out);
            out.push(b'\n');
        }
        out
    }

    /// Writes all of them, each with its line break; a long text is never in memory twice.
    pub fn write_ndjson(&self, out: &mut impl Write) -> io::Result<()> {
        for item in &self.items {
            self.write_item(item, |piece| out.write_all(piece))?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn append_item(&self, item: &Item, out: &mut Vec<u8>) {
        let written: Result<(), Infallible> = self.write_item(item, |piece| {
            out.extend_from_slice(piece);
            Ok(())
        });
        let Ok(()) = written;
    }

    /// Calls `each` with the pieces of an item's JSON.
    fn write_item<E>(&self, item: &Item, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut head = Vec::new();
        let mut object = ObjectWriter::begin(&mut head);
        if self.store.is_empty() {
            object.string("machine", &self.machine);
        } else {
            object.number("v", ITEM_VERSION).string("machine", &self.machine).string("store", &self.store);
        }
        object.number("batch", self.sequence);
        object.string("file", &item.file).number("generation", item.generation);
        object.number("offset", item.offset).number("length", item.length);
        object.number("line", item.number).string("form", item.form.name());
        if let Some(of) = item.of {
            object.number("of", of);
        }
        if let Some(to) = &item.to {
            object.string("to", to);
        }
        if let Some(modified) = item.modified {
            object.number("modified", modified);
        }
        object.key("text");
        each(&head)?;
        match &item.text {
            Some(text) => write_pieces(text, &mut each)?,
            None => each(b"null")?,
        }
        each(b"}")
    }
}

/// Calls `each` with the pieces of a JSON string.
fn write_pieces<E>(text: &str, each: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    each(b"\"")?;
    let (mut rest, mut piece) = (text, Vec::new());
    while !rest.is_empty() {
        let (now, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        piece.clear();
        write_string(&mut piece, now);
        each(&piece[1..piece.len() - 1])?;
        rest = after;
    }
    each(b"\"")
}

#[cfg(test)]
mod tests;
