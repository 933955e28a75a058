//! Turns items into rows, by the extractor of the local index.

mod files;
mod item;
mod responses;

use std::path::Path;

use annals_collect::{Batch, Item, ItemForm};
use annals_index::{IndexedFile, IndexedFileRole, LineRows};
use annals_store::FileRole;
use annals_store::digest::sha256;
use annals_transcript::price::Prices;

use self::files::FileTable;
use self::item::ItemWriter;
pub(crate) use self::item::class;
pub(crate) use self::responses::CERTAINTIES;
use crate::query::ForgottenSubjects;
use crate::schema::ITEM_TABLES;

/// The rows of a batch, by table.
#[derive(Clone, Debug, Default)]
pub struct BatchRows {
    lines: Vec<u8>,
    messages: Vec<u8>,
    calls: Vec<u8>,
    responses: Vec<u8>,
    facts: Vec<u8>,
    files: Vec<u8>,
    /// A hash of the names of the items.
    names: String,
    /// How many items are left out, because they were forgotten.
    refused: u64,
}

/// What all rows of a batch have in common.
pub struct RowContext<'c> {
    pub tenant: &'c str,
    pub machine: &'c str,
    /// Which store of the machine.
    pub store: &'c str,
    /// What responses cost.
    pub prices: &'c Prices,
}

impl BatchRows {
    /// The rows of a batch, without those of what was forgotten.
    pub fn of(batch: &Batch, tenant: &str, prices: &Prices, forgotten: &ForgottenSubjects) -> Self {
        let context = RowContext { tenant, machine: &batch.machine, store: &batch.store, prices };
        // The same rows of another tenant are other rows.
        let (mut rows, mut files, mut names) = (Self::default(), FileTable::default(), format!("{tenant}\0"));
        for item in &batch.items {
            let file = IndexedFile::of_relative(&item.file);
            let found = extract(item, file.as_ref());
            let sessions = [path_session(item), session_of(file.as_ref(), &found).to_owned()];
            let is_forgotten = forgotten.has_machine(&batch.machine)
                || sessions.iter().any(|session| !session.is_empty() && forgotten.has_session(session));
            if is_forgotten {
                rows.refused += 1;
                continue;
            }
            files.add(item, file.as_ref(), &found);
            // A mark is no line: it says what happened to a file.
            if !item.form.is_mark() {
                ItemWriter::new(&context, item, file.as_ref(), &found).write(&mut rows);
            }
            names.push_str(&format!(
                "{}\0{}\0{}\0{}\0{}\0{}\0",
                batch.machine,
                batch.store,
                item.file,
                item.generation,
                item.offset,
                item.form.name()
            ));
        }
        files.write(&context, &mut rows.files);
        rows.names = sha256(names.as_bytes());
        rows
    }

    /// The rows of several batches, to be written at once. The same batches in the same order have the same tokens.
    pub(crate) fn joined(batches: &[&Self]) -> Self {
        let mut all = Self::default();
        let mut names = String::new();
        for batch in batches {
            all.lines.extend_from_slice(&batch.lines);
            all.messages.extend_from_slice(&batch.messages);
            all.calls.extend_from_slice(&batch.calls);
            all.responses.extend_from_slice(&batch.responses);
            all.facts.extend_from_slice(&batch.facts);
            all.files.extend_from_slice(&batch.files);
            all.refused += batch.refused;
            names.push_str(&batch.names);
        }
        all.names = sha256(names.as_bytes());
        all
    }

    /// How many items are left out, because they were forgotten.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The tables that have rows, in the order in which they are written, each with its rows and the token of the insert: the
    /// same items have the same token, whatever batch they are in.
    pub fn tables(&self) -> impl Iterator<Item = (&'static str, &[u8], String)> {
        let of = |table: &'static str| match table {
            "lines" => &self.lines,
            "messages" => &self.messages,
            "calls" => &self.calls,
            "responses" => &self.responses,
            "facts" => &self.facts,
            _ => &self.files,
        };
        let tables = ITEM_TABLES.into_iter().map(move |table| (table, of(table)));
        let filled = tables.filter(|(_, rows)| !rows.is_empty());
        filled.map(|(table, rows)| (table, rows.as_slice(), format!("{table}-{}", self.names)))
    }
}

fn extract(item: &Item, file: Option<&IndexedFile>) -> LineRows {
    let (Some(file), Some(text)) = (file, &item.text) else { return LineRows::default() };
    match item.form {
        ItemForm::Line => file.line_rows(text.as_bytes(), item.number, item.offset),
        ItemForm::File => file.file_rows(text.as_bytes(), item.modified.unwrap_or(item.generation)),
        // A record that is cut off says nothing, here as in the local index.
        ItemForm::Torn | ItemForm::Gone | ItemForm::Moved | ItemForm::Back => LineRows::default(),
    }
}

/// The session that the path of a file names; empty if it names none.
fn path_session(item: &Item) -> String {
    let role = FileRole::of_relative(Path::new(&item.file));
    role.session().map(|session| session.as_str().to_owned()).unwrap_or_default()
}

/// The role of a file; one that the index does not know is of no role.
fn role_name(file: Option<&IndexedFile>) -> &'static str {
    file.map_or("other", |file| file.role.name())
}

/// The session of rows: that of the path, else the one that the line names, where it can only be there.
fn session_of<'r>(file: Option<&'r IndexedFile>, found: &'r LineRows) -> &'r str {
    let Some(file) = file else { return "" };
    let is_named_by_lines = matches!(file.role, IndexedFileRole::Agent | IndexedFileRole::History);
    match file.session.is_empty() && is_named_by_lines {
        true => found.session.as_deref().unwrap_or_default(),
        false => &file.session,
    }
}
