//! Forgetting: rows are gone for every reader at once, then from the disk, and are refused when they are sent again.

use super::audit::AuditEntry;
use crate::schema::check_changeable;
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
    /// The table.
    pub table: &'static str,
    /// The rows.
    pub rows: u64,
}

/// The tables in the order in which rows are removed: those by which others are found come last.
const TABLES: [&str; 6] = ["lines", "responses", "calls", "facts", "messages", "files"];

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

    fn condition(&self, table: &str) -> String {
        let files = "(machine, store, file) IN (SELECT machine, store, file FROM {db}.files
            WHERE tenant = {tenant:String} AND session = {name:String})";
        let condition = match (self, table) {
            (Self::Machine(_), _) => "machine = {name:String}".to_owned(),
            (Self::Session(_), "calls" | "facts" | "messages" | "files") => "session = {name:String}".to_owned(),
            (Self::Session(_), "lines") => format!(
                "(session = {{name:String}} OR {files} OR (machine, store, file, generation, offset) IN (
                    SELECT machine, store, file, generation, offset FROM {{db}}.messages
                    WHERE tenant = {{tenant:String}} AND session = {{name:String}} AND file_role = 'history'))"
            ),
            (Self::Session(_), _) => files.to_owned(),
        };
        format!("tenant = {{tenant:String}} AND {condition}")
    }

    fn parameters(&self, now: i64) -> Vec<(&'static str, Parameter)> {
        vec![
            ("name", Parameter::text(self.name())),
            ("kind", Parameter::text(self.kind())),
            ("now", Parameter::Integer(now)),
        ]
    }
}

/// Counts what would be forgotten.
pub fn count(engine: &Engine, subject: &Subject) -> Result<Vec<ForgetCount>, EngineError> {
    let count = |table: &'static str| {
        let question =
            format!("SELECT count() AS rows FROM {{db}}.{table} WHERE {}", subject.condition(table));
        let found = engine.select(&question, &subject.parameters(0)[..1])?;
        Ok(ForgetCount { table, rows: found.first().map_or(0, |row| row.count("rows")) })
    };
    TABLES.into_iter().map(count).collect()
}

/// Forgets. What is sent again meanwhile is refused: the note comes before the first row goes.
pub fn forget(engine: &Engine, subject: &Subject, now: i64) -> Result<(), EngineError> {
    check_changeable(engine)?;
    let parameters = subject.parameters(now);
    engine.execute(
        "INSERT INTO {db}.forgotten SELECT {tenant:String}, {kind:String}, {name:String}, {now:Int64}",
        &parameters,
    )?;
    AuditEntry { action: "forget", subject: subject.name(), detail: subject.kind() }.write(engine, now)?;
    for table in TABLES {
        let condition = subject.condition(table);
        engine.execute(
            &format!("DELETE FROM {{db}}.{table} WHERE {condition} SETTINGS lightweight_deletes_sync = 2"),
            &parameters[..1],
        )?;
    }
    for table in TABLES {
        let statement = format!("ALTER TABLE {{db}}.{table} APPLY DELETED MASK SETTINGS mutations_sync = 2");
        engine.execute(&statement, &[])?;
    }
    Ok(())
}

/// What was forgotten, and is not taken any more.
#[derive(Clone, Debug, Default)]
pub struct Forgotten {
    machines: Vec<String>,
    sessions: Vec<String>,
}

impl Forgotten {
    /// Asks for it.
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

    /// Whether this machine was forgotten.
    pub fn has_machine(&self, machine: &str) -> bool {
        self.machines.binary_search_by(|known| known.as_str().cmp(machine)).is_ok()
    }

    /// Whether this session was forgotten.
    pub fn has_session(&self, session: &str) -> bool {
        self.sessions.binary_search_by(|known| known.as_str().cmp(session)).is_ok()
    }
}
