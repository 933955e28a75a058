//! Forgetting: rows are gone for readers, then from the disk, and are refused when they are sent again.

mod on_shards;
mod removals;

use std::time::Duration;

use self::removals::{FILE_HASH, FileNames, HashedFile, Removal, RemovalStage};
use super::audit::AuditEntry;
use crate::schema::{DERIVED_TABLES, ITEM_TABLES};
use crate::shards::TableLayout;
use crate::wire::{Engine, EngineError, Parameter};

/// What is forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Everything that a machine has sent; nothing of it is taken any more.
    Machine(String),
    /// A session, of whatever machine, with its sub-agents and prompts.
    Session(String),
}

/// How many rows of a table are forgotten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgetCount {
    pub table: &'static str,
    pub rows: u64,
}

impl Subject {
    /// Its kind, as it is stored.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Machine(_) => "machine",
            Self::Session(_) => "session",
        }
    }

    /// Its id.
    pub fn name(&self) -> &str {
        match self {
            Self::Machine(name) | Self::Session(name) => name,
        }
    }
}

/// Counts what would be forgotten of each subject.
pub fn count(engine: &Engine, subjects: &[Subject]) -> Result<Vec<Vec<ForgetCount>>, EngineError> {
    let layout = TableLayout::of(engine)?;
    let of = |subject| count_of(engine, &Removal::of(engine, &layout, subject)?);
    subjects.iter().map(of).collect()
}

fn count_of(engine: &Engine, removals: &[Removal]) -> Result<Vec<ForgetCount>, EngineError> {
    let mut counts: Vec<ForgetCount> = ITEM_TABLES.map(|table| ForgetCount { table, rows: 0 }).into();
    for removal in removals {
        let question =
            format!("SELECT count() AS rows FROM {{db}}.{} WHERE {}", removal.table, removal.condition());
        let found = engine.select(&question, removal.parameters())?;
        if let Some(count) = counts.iter_mut().find(|count| count.table == removal.table) {
            count.rows += found.first().map_or(0, |row| row.count("rows"));
        }
    }
    Ok(counts)
}

/// Forgets, and returns how much that was. What is sent again meanwhile is refused: the notes come before the first row goes. Over
/// shards, it waits for servers that get no further no longer than `patience`; fails if one has not done it, and can be repeated.
pub fn forget(
    engine: &Engine,
    subjects: &[Subject],
    now: i64,
    patience: Duration,
) -> Result<Vec<Vec<ForgetCount>>, EngineError> {
    let layout = TableLayout::of(engine)?;
    for subject in subjects {
        note(engine, subject, now)?;
    }
    if let TableLayout::Shards(tables) = &layout {
        tables.check_each_shard(engine)?;
        on_shards::wait_for_notes(engine, tables, subjects, patience)?;
    }
    let (mut all, mut counts) = (Vec::new(), Vec::new());
    for subject in subjects {
        let removals = Removal::of(engine, &layout, subject)?;
        counts.push(count_of(engine, &removals)?);
        all.extend(removals);
    }
    remove(engine, &layout, &all, patience)?;
    Ok(counts)
}

/// Notes that a subject is not taken any more, and who said so.
fn note(engine: &Engine, subject: &Subject, now: i64) -> Result<(), EngineError> {
    let parameters = [
        ("name", Parameter::text(subject.name())),
        ("kind", Parameter::text(subject.kind())),
        ("now", Parameter::Integer(now)),
    ];
    engine.execute(
        "INSERT INTO {db}.forgotten SELECT {tenant:String}, {kind:String}, {name:String}, {now:Int64}",
        &parameters,
    )?;
    AuditEntry { action: "forget", subject: subject.name(), detail: subject.kind() }.write(engine, now)
}

fn remove(
    engine: &Engine,
    layout: &TableLayout,
    removals: &[Removal],
    patience: Duration,
) -> Result<(), EngineError> {
    let of = |stage| removals.iter().filter(move |removal| removal.stage == stage).collect::<Vec<_>>();
    let stages = [of(RemovalStage::First), of(RemovalStage::Last)];
    if let TableLayout::Shards(tables) = layout {
        for stage in &stages {
            on_shards::remove(engine, tables, stage, patience)?;
        }
        let what_then = "its data is removed when it is back; run the command again then";
        return tables.check_all_servers(engine, what_then);
    }
    for removal in stages.iter().flatten() {
        let statement = format!(
            "DELETE FROM {{db}}.{} WHERE {} SETTINGS lightweight_deletes_sync = 2",
            removal.table,
            removal.condition()
        );
        engine.execute(&statement, removal.parameters())?;
    }
    for table in ITEM_TABLES.into_iter().filter(|table| removals.iter().any(|one| one.table == *table)) {
        let statement = format!("ALTER TABLE {{db}}.{table} APPLY DELETED MASK SETTINGS mutations_sync = 2");
        engine.execute(&statement, &[])?;
    }
    Ok(())
}

/// Removes again what was forgotten before: rows may have been made of its lines while these went.
pub(crate) fn remove_again(
    engine: &Engine,
    subjects: &[Subject],
    patience: Duration,
) -> Result<(), EngineError> {
    let layout = TableLayout::of(engine)?;
    let mut removals = Removal::of_files(&files_without_lines(engine)?);
    for subject in subjects {
        removals.extend(Removal::of(engine, &layout, subject)?);
    }
    remove(engine, &layout, &removals, patience)
}

/// The files that have rows and no lines.
fn files_without_lines(engine: &Engine) -> Result<FileNames, EngineError> {
    let mut files = FileNames::new();
    for table in DERIVED_TABLES {
        let found = engine.select(
            &format!(
                "SELECT DISTINCT machine, store, file, {FILE_HASH} AS hash FROM {{db}}.{table} WHERE tenant = {{tenant:String}}
                    AND (machine, store, file) NOT IN (
                        SELECT machine, store, file FROM {{db}}.lines WHERE tenant = {{tenant:String}})"
            ),
            &[],
        )?;
        for row in found.rows() {
            let names = files.entry((row.text("machine"), row.text("store"))).or_default();
            names.push(HashedFile::of(&row));
        }
    }
    for names in files.values_mut() {
        names.sort_unstable();
        names.dedup();
    }
    Ok(files)
}

/// What was forgotten, by kind and name, of all tenants.
pub(crate) fn notes(engine: &Engine) -> Result<Vec<(String, Subject)>, EngineError> {
    let found = engine
        .select("SELECT DISTINCT tenant, kind, name FROM {db}.forgotten ORDER BY tenant, kind, name", &[])?;
    let subject = |row: crate::wire::Row<'_>| match row.text("kind").as_str() {
        "machine" => (row.text("tenant"), Subject::Machine(row.text("name"))),
        _ => (row.text("tenant"), Subject::Session(row.text("name"))),
    };
    Ok(found.rows().map(subject).collect())
}

/// The machines and sessions that were forgotten, and are not accepted any more.
#[derive(Clone, Debug, Default)]
pub struct ForgottenSubjects {
    machines: Vec<String>,
    sessions: Vec<String>,
}

impl ForgottenSubjects {
    /// Reads them from the engine.
    pub fn of(engine: &Engine) -> Result<Self, EngineError> {
        let found = engine.select(
            "SELECT DISTINCT kind, name FROM {db}.forgotten WHERE tenant = {tenant:String} ORDER BY name",
            &[],
        )?;
        let names = |kind: &str| {
            found.rows().filter(|row| row.text("kind") == kind).map(|row| row.text("name")).collect()
        };
        Ok(Self { machines: names("machine"), sessions: names("session") })
    }

    /// Whether any session was forgotten.
    pub(super) fn has_sessions(&self) -> bool {
        !self.sessions.is_empty()
    }

    pub fn has_machine(&self, machine: &str) -> bool {
        self.machines.binary_search_by(|known| known.as_str().cmp(machine)).is_ok()
    }

    pub fn has_session(&self, session: &str) -> bool {
        self.sessions.binary_search_by(|known| known.as_str().cmp(session)).is_ok()
    }
}
