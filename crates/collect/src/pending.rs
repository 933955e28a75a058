//! The batch that is being filled, and how far the files are read with it.

use std::collections::BTreeMap;

use annals_index::cursor::Cursor;
use annals_transcript::redact::SecretRules;

use crate::item::Item;
use crate::reader::RawItem;
use crate::redact::Redactor;
use crate::selection::TargetFile;

/// What is known of the file that is being read.
#[derive(Debug)]
pub(crate) struct OpenFile<'r> {
    name: String,
    generation: i64,
    redactor: Redactor<'r>,
    form: crate::item::ItemForm,
    pieces: Vec<RawItem>,
}

impl<'r> OpenFile<'r> {
    /// Begins with a file.
    pub(crate) fn new(target: &TargetFile, generation: i64, rules: &'r SecretRules) -> Self {
        let redactor = Redactor::new(rules, target.kind);
        let form = target.kind.form();
        Self { name: target.name.clone(), generation, redactor, form, pieces: Vec::new() }
    }

    /// Takes a line or the file.
    pub(crate) fn push(&mut self, piece: RawItem) {
        self.pieces.push(piece);
    }
}

/// The batch.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Redacted.
    pub(crate) items: Vec<Item>,
    /// How far each file is read with it.
    pub(crate) cursors: BTreeMap<String, Cursor>,
    /// How many lines and files were taken.
    pub(crate) taken: usize,
    /// How many bytes.
    pub(crate) bytes: u64,
}

impl Pending {
    /// Redacts what was read of a file, and takes it with how far that reaches.
    pub(crate) fn add_items(&mut self, current: &mut OpenFile<'_>, mark: Cursor) {
        if current.pieces.is_empty() {
            return;
        }
        let mut pieces = std::mem::take(&mut current.pieces);
        let texts: Vec<_> = pieces.iter_mut().map(|piece| std::mem::take(&mut piece.text)).collect();
        let redacted = current.redactor.redact(texts);
        self.items.extend(pieces.into_iter().zip(redacted).map(|(piece, text)| Item {
            file: current.name.clone(),
            generation: current.generation,
            offset: piece.offset,
            length: piece.length,
            number: piece.number,
            form: current.form,
            of: None,
            to: None,
            text,
        }));
        self.cursors.insert(current.name.clone(), mark);
    }
}
