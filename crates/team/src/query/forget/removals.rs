//! Which rows a subject left: conditions that name files and lines by value. So each replica removes the same rows whenever it comes to
//! it, and the engine takes them: it refuses conditions that ask other tables where rows have replicas. Of names of files there are only
//! hashes: the engine keeps its statements, and a path tells where somebody worked.

use std::collections::BTreeMap;

use annals_index::IndexedFile;

use super::Subject;
use crate::shards::TableLayout;
use crate::wire::{Engine, EngineError, Parameter, Row};

/// How many names are in a condition.
const NAMES_AT_ONCE: usize = 500;

/// Rows of a table that go.
#[derive(Clone, Debug)]
pub(super) struct Removal {
    pub(super) table: &'static str,
    condition: String,
    parameters: Vec<(&'static str, Parameter)>,
    pub(super) stage: RemovalStage,
}

/// When rows go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovalStage {
    /// At once.
    First,
    /// When the others are gone: others are found by these, should this have to be done again.
    Last,
}

impl Removal {
    fn new(
        table: &'static str,
        condition: impl Into<String>,
        parameters: &[(&'static str, Parameter)],
    ) -> Self {
        Self {
            table,
            condition: condition.into(),
            parameters: parameters.to_vec(),
            stage: RemovalStage::First,
        }
    }

    fn last(self) -> Self {
        Self { stage: RemovalStage::Last, ..self }
    }

    /// The condition of a statement over all tenants.
    pub(super) fn condition(&self) -> String {
        format!("tenant = {{tenant:String}} AND {}", self.condition)
    }

    pub(super) fn parameters(&self) -> &[(&'static str, Parameter)] {
        &self.parameters
    }

    /// What a subject left.
    pub(super) fn of(
        engine: &Engine,
        layout: &TableLayout,
        subject: &Subject,
    ) -> Result<Vec<Self>, EngineError> {
        match subject {
            Subject::Machine(machine) => Ok(of_machine(machine)),
            Subject::Session(session) => Ok(SessionNames::of(engine, layout, session)?.removals(session)),
        }
    }

    /// Rows of files that have no lines any more, and of a session whose lines are gone.
    pub(super) fn of_files(files: &FileNames) -> Vec<Self> {
        let tables = ["responses", "calls", "facts", "messages"];
        tables.into_iter().flat_map(|table| of_files(table, "", files)).collect()
    }
}

/// Files of a machine and a store.
pub(super) type FileNames = BTreeMap<(String, String), Vec<HashedFile>>;

/// A file, and the engine's hash of its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HashedFile {
    file: String,
    hash: String,
}

/// The hash of a file's name, for questions.
pub(super) const FILE_HASH: &str = "toString(cityHash64(file))";

impl HashedFile {
    pub(super) fn of(row: &Row<'_>) -> Self {
        Self { file: row.text("file"), hash: row.text("hash") }
    }
}

fn of_machine(machine: &str) -> Vec<Removal> {
    let named = [("name", Parameter::text(machine))];
    let of = |table| Removal::new(table, "machine = {name:String}", &named);
    let mut removals: Vec<Removal> = ["lines", "responses", "calls", "facts", "messages"].map(of).into();
    removals.push(of("files").last());
    removals
}

fn of_files(table: &'static str, more: &str, files: &FileNames) -> Vec<Removal> {
    let mut removals = Vec::new();
    for ((machine, store), files) in files {
        for some in files.chunks(NAMES_AT_ONCE) {
            let condition = format!(
                "machine = {{machine:String}} AND store = {{store:String}} AND {FILE_HASH} IN {{files:Array(String)}}{more}"
            );
            let parameters = [
                ("machine", Parameter::text(machine)),
                ("store", Parameter::text(store)),
                ("files", Parameter::Texts(some.iter().map(|name| name.hash.clone()).collect())),
            ];
            removals.push(Removal::new(table, condition, &parameters));
        }
    }
    removals
}

/// What belongs to a session, as its files and the history say.
#[derive(Debug, Default)]
struct SessionNames {
    files: FileNames,
    /// The offsets of lines of the history, by machine, store, hash of the file and generation.
    history: BTreeMap<(String, String, String, i64), Vec<String>>,
}

impl SessionNames {
    fn of(engine: &Engine, layout: &TableLayout, session: &str) -> Result<Self, EngineError> {
        let from = |table: &str| match layout {
            TableLayout::OneServer => format!("{{db}}.{table}"),
            // A server may have what others do not have yet.
            TableLayout::Shards(tables) => tables.on_each_server(table),
        };
        let named = [("name", Parameter::text(session))];
        let mut found = Self::default();
        let files = engine.select_of_reachable(
            &format!(
                "SELECT DISTINCT machine, store, file, {FILE_HASH} AS hash FROM {} WHERE tenant = {{tenant:String}} AND session = {{name:String}}
                 ORDER BY machine, store, file",
                from("files")
            ),
            &named,
        )?;
        for row in files.rows() {
            found
                .files
                .entry((row.text("machine"), row.text("store")))
                .or_default()
                .push(HashedFile::of(&row));
        }
        let history = engine.select_of_reachable(
            &format!(
                "SELECT DISTINCT machine, store, file, {FILE_HASH} AS hash, generation, offset FROM {}
                 WHERE tenant = {{tenant:String}} AND session = {{name:String}} AND file_role = 'history'
                 ORDER BY machine, store, file, generation, offset",
                from("messages")
            ),
            &named,
        )?;
        for row in history.rows() {
            let file = (row.text("machine"), row.text("store"), row.text("hash"));
            let key = (file.0, file.1, file.2, row.millis("generation").unwrap_or(0));
            found.history.entry(key).or_default().push(row.count("offset").to_string());
        }
        Ok(found)
    }

    fn removals(&self, session: &str) -> Vec<Removal> {
        let named = [("name", Parameter::text(session))];
        let of = |table, condition: &str| Removal::new(table, condition, &named);
        let mut removals = vec![of("lines", "session = {name:String}")];
        // Rows of files whose paths name no session: lines do, or none.
        let unnamed = self.unnamed();
        removals.extend(of_files("lines", " AND session = ''", &unnamed));
        for ((machine, store, file, generation), offsets) in &self.history {
            for some in offsets.chunks(NAMES_AT_ONCE) {
                let condition = format!(
                    "session = '' AND machine = {{machine:String}} AND store = {{store:String}} AND {FILE_HASH} = {{file:String}}
                        AND generation = {{generation:Int64}} AND toString(offset) IN {{offsets:Array(String)}}"
                );
                let parameters = [
                    ("machine", Parameter::text(machine)),
                    ("store", Parameter::text(store)),
                    ("file", Parameter::text(file)),
                    ("generation", Parameter::Integer(*generation)),
                    ("offsets", Parameter::Texts(some.to_vec())),
                ];
                removals.push(Removal::new("lines", condition, &parameters));
            }
        }
        removals.extend(of_files("responses", "", &self.files));
        for table in ["calls", "facts"] {
            removals.push(of(table, "session = {name:String}"));
            removals.extend(of_files(table, " AND session = ''", &unnamed));
        }
        removals.push(of("messages", "session = {name:String} AND file_role != 'history'"));
        removals.extend(of_files("messages", " AND session = ''", &unnamed));
        removals.push(of("messages", "session = {name:String} AND file_role = 'history'").last());
        removals.push(of("files", "session = {name:String}").last());
        removals
    }

    fn unnamed(&self) -> FileNames {
        let is_unnamed = |name: &&HashedFile| {
            IndexedFile::of_relative(&name.file).is_none_or(|found| found.session.is_empty())
        };
        let files = self.files.iter().map(|(place, files)| {
            (place.clone(), files.iter().filter(is_unnamed).cloned().collect::<Vec<_>>())
        });
        files.filter(|(_, files)| !files.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_goes_by_names_and_what_names_the_rest_goes_last() {
        let session = "33333333-cccc-4ccc-8ccc-000000000003";
        let place = ("m".to_owned(), "s".to_owned());
        let old_agent = HashedFile { file: "projects/-w/agent-1.jsonl".to_owned(), hash: "2".to_owned() };
        let own = HashedFile { file: format!("projects/-w/{session}.jsonl"), hash: "1".to_owned() };
        let mut names = SessionNames::default();
        names.files.insert(place, vec![own, old_agent]);
        names.history.insert(
            ("m".to_owned(), "s".to_owned(), "3".to_owned(), 7),
            (0..501).map(|offset: u64| offset.to_string()).collect(),
        );
        let removals = names.removals(session);
        let last: Vec<&str> =
            removals.iter().filter(|one| one.stage == RemovalStage::Last).map(|one| one.table).collect();
        assert_eq!(last, ["messages", "files"]);
        assert!(removals.iter().all(|one| !one.condition().contains("SELECT")));
        let lines = removals.iter().filter(|one| one.table == "lines");
        let files: Vec<&Parameter> = lines
            .clone()
            .flat_map(|one| one.parameters())
            .filter(|(name, _)| *name == "files")
            .map(|(_, value)| value)
            .collect();
        // What the path of a file says needs no list.
        assert_eq!(files, [&Parameter::Texts(vec!["2".to_owned()])]);
        // The engine keeps statements.
        assert!(removals.iter().all(|one| !format!("{one:?}").contains("projects/")), "{removals:?}");
        assert_eq!(lines.count(), 4);
        let tables: Vec<&str> = removals.iter().map(|one| one.table).collect();
        assert_eq!(tables.iter().position(|table| *table == "files"), Some(tables.len() - 1));
    }
}
