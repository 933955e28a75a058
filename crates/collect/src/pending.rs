//! The batch that is being filled, and how far the files are read with it.

use std::collections::BTreeMap;

use annals_transcript::redact::SecretRules;

use crate::item::{Item, ItemForm};
use crate::reader::{FileReader, RawItem};
use crate::redact::Redactor;
use crate::selection::TargetFile;
use crate::spooled_batch::FilePosition;

/// What is known of the file that is being read.
#[derive(Debug)]
pub(crate) struct OpenFile<'r> {
    name: String,
    generation: i64,
    redactor: Redactor<'r>,
    pieces: Vec<RawItem>,
    is_untouched: bool,
}

impl<'r> OpenFile<'r> {
    /// Begins with a file.
    pub(crate) fn new(target: &TargetFile, generation: i64, rules: &'r SecretRules) -> Self {
        let redactor = Redactor::new(rules, target.kind);
        Self { name: target.name.clone(), generation, redactor, pieces: Vec::new(), is_untouched: true }
    }

    /// Notes the lines before those that are new.
    pub(crate) fn recall(&mut self, lines: &[u8]) {
        self.redactor.recall(lines);
    }

    /// Takes a line or the file.
    pub(crate) fn push(&mut self, piece: RawItem) {
        self.is_untouched = false;
        self.pieces.push(piece);
    }

    /// Whether nothing was taken of it.
    pub(crate) fn is_untouched(&self) -> bool {
        self.is_untouched
    }
}

/// The batch.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Redacted.
    pub(crate) items: Vec<Item>,
    /// How far each file is read with it.
    pub(crate) files: BTreeMap<String, FilePosition>,
    /// How many lines and files were taken.
    pub(crate) taken: usize,
    /// How many bytes.
    pub(crate) bytes: u64,
}

impl Pending {
    /// Redacts what was read of a file, and takes it with how far that reaches.
    pub(crate) fn add_items(&mut self, current: &mut OpenFile<'_>, reading: &FileReader) {
        if current.pieces.is_empty() {
            return;
        }
        let mut pieces = std::mem::take(&mut current.pieces);
        let texts: Vec<_> = pieces.iter_mut().map(|piece| std::mem::take(&mut piece.text)).collect();
        let redacted = current.redactor.redact(texts);
        let modified = reading.cursor.stamp.modified / 1_000_000;
        self.items.extend(pieces.into_iter().zip(redacted).map(|(piece, text)| Item {
            file: current.name.clone(),
            generation: current.generation,
            offset: piece.offset,
            length: piece.length,
            number: piece.number,
            form: piece.form,
            of: None,
            to: None,
            modified: (piece.form == ItemForm::File).then_some(modified),
            text,
        }));
        let (generation, cursor, open) = (current.generation, reading.mark(), reading.open);
        self.files.insert(current.name.clone(), FilePosition { generation, cursor, open });
    }
}
